package litmus_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var (
	lkmm = flag.String("lt.lkmm", "", "a copy of Dat3M's repository: its litmus tests of the Linux kernel are read and searched")
	// The search of a test stops after this much work: what it has not decided is counted.
	lkmmWork = flag.Int64("lt.lkmm.work", 2_000_000, "how much may be done for each test of -lt.lkmm; 0: they are only read")
)

// lkmmRefused are the tests that are not read, and why. All others must be.
const lkmmRefused = "testdata/lkmm-refused.txt"

// TestLKMM: litmus tests of the Linux kernel are read, and no outcome that the kernel's model forbids is observed under
// PSO, and so under none of the models. Dat3M keeps the answers of the kernel's model with the tests.
func TestLKMM(t *testing.T) {
	if *lkmm == "" {
		t.Skip("Dat3M's repository is not there: -lt.lkmm DIR")
	}
	table, err := os.ReadFile(filepath.Join(*lkmm, "dartagnan", "src", "test", "resources", "LKMM-expected.csv"))
	if err != nil {
		t.Fatal(err)
	}
	refused := lines(t, lkmmRefused)
	all, read, forbidden, decided, shown := 0, 0, 0, 0, 0
	for _, row := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		name, answer, ok := strings.Cut(row, ",")
		if !ok || answer != "0" && answer != "1" {
			t.Fatalf("the table has a row %q", row)
		}
		name = strings.TrimSuffix(name, ".litmus") + ".litmus" // some rows have the name alone
		text, err := os.ReadFile(filepath.Join(*lkmm, name))
		if err != nil {
			t.Fatal(err)
		}
		all++
		u, list := litmus.Parse(source.NewFile(name, text), litmus.Options{})
		if u.Program == nil {
			if !refused[name] {
				t.Errorf("%s: %s %s", list.All[0].Span.Pos, list.All[0].Code, list.All[0].Message)
			}
			continue
		}
		read++
		if refused[name] {
			t.Errorf("%s is read: take it out of %s", name, lkmmRefused)
		}
		if *lkmmWork == 0 {
			continue
		}
		observed, known := observed(t, u, name)
		if known {
			decided++
		}
		switch {
		case observed:
			shown++
			if answer == "0" {
				t.Errorf("%s: the kernel's model forbids what is observed", name)
			}
		case answer == "0" && known:
			forbidden++
		}
	}
	t.Logf("%d of %d tests read; %d decided, %d of them observed; %d that the kernel's model forbids are never observed", read, all, decided, shown, forbidden)
	if read < 4000 {
		t.Errorf("%d of %d tests are read", read, all)
	}
}

// observed reports whether an execution under PSO ends as the condition says, or for forall as it does not, and whether
// that is known.
func observed(t *testing.T, u *litmus.Unit, name string) (observed, known bool) {
	flat, err := transform.Run(u.Program, transform.Options{Observed: u.Props.Observed()}, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, err := testkit.Ask(&explicit.Engine, flat, u.Props, memory.PSO, testkit.How{First: true, Work: *lkmmWork})
	if errors.Is(err, testkit.ErrTooBig) {
		return false, false
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return got.Final, true
}

// lines returns the first words of the lines of a file.
func lines(t *testing.T, file string) map[string]bool {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			out[f[0]] = true
		}
	}
	return out
}
