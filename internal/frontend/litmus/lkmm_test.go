package litmus_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/rf"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var (
	lkmm = flag.String("lt.lkmm", "", "a copy of Dat3M's repository: its litmus tests of the Linux kernel are read and searched")
	// The search of a test by an engine under a model stops after this much work. It is counted what has not been decided.
	lkmmWork  = flag.Int64("lt.lkmm.work", 100*budget.Millisecond, "how much an engine may do for each test of -lt.lkmm; 0: they are only read")
	lkmmTable = flag.String("lt.lkmm.table", "", "a file for a line per test of -lt.lkmm: its name, whether the kernel's model allows the outcome, and what is observed")
)

// lkmmRefused are the tests that are not read, and why. All others must be.
const lkmmRefused = "testdata/lkmm-refused.txt"

// TestLKMM: litmus tests of the Linux kernel are read, and no outcome that the kernel's model forbids is observed under
// SC, TSO or PSO. Dat3M keeps the answers of the kernel's model with the tests.
func TestLKMM(t *testing.T) {
	if *lkmm == "" {
		t.Skip("Dat3M's repository is not there: -lt.lkmm DIR")
	}
	answers, err := os.ReadFile(filepath.Join(*lkmm, "dartagnan", "src", "test", "resources", "LKMM-expected.csv"))
	if err != nil {
		t.Fatal(err)
	}
	refused := lines(t, lkmmRefused)
	var table strings.Builder
	all, read := 0, 0
	count := map[string]int{} // by the row's answer and ours
	for _, row := range strings.Split(strings.TrimSpace(string(answers)), "\n") {
		name, answer, ok := strings.Cut(row, ",")
		says, known := map[string]string{"0": "forbidden", "1": "allowed"}[answer]
		if !ok || !known {
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
			fmt.Fprintf(&table, "%s\t%s\trefused\n", name, says)
			continue
		}
		read++
		if refused[name] {
			t.Errorf("%s is read: take it out of %s", name, lkmmRefused)
		}
		if *lkmmWork == 0 {
			continue
		}
		got := observed(t, u, name)
		if says == "forbidden" && strings.HasPrefix(got, "observed") {
			t.Errorf("%s: the kernel's model forbids what is %s", name, got)
		}
		count[says+", "+got]++
		fmt.Fprintf(&table, "%s\t%s\t%s\n", name, says, got)
	}
	t.Logf("%d of %d tests read", read, all)
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%5d %s", count[what], what)
	}
	if read < 4000 {
		t.Errorf("%d of %d tests are read", read, all)
	}
	if *lkmmTable != "" {
		if err := os.WriteFile(*lkmmTable, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// observed says under which model an execution ends as the condition says, or for forall as it does not: the strongest
// model that is known to have one. Two engines are asked, and must agree.
func observed(t *testing.T, u *litmus.Unit, name string) string {
	flat, err := transform.Run(u.Program, transform.Options{Observed: u.Props.Observed()}, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	never := "" // the weakest model under which there is none
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		yes, known := observedUnder(t, flat, u, name, m)
		switch {
		case yes && never == "" && m != memory.SC:
			return "observed under " + m.String() + ", stronger models undecided"
		case yes:
			return "observed under " + m.String()
		case known:
			never = m.String()
		}
	}
	switch never {
	case "":
		return "undecided"
	case memory.PSO.String():
		return "never observed"
	}
	return "never observed under " + never + ", weaker models undecided"
}

// observedUnder asks two engines.
func observedUnder(t *testing.T, flat *ir.Program, u *litmus.Unit, name string, m memory.Model) (observed, known bool) {
	for _, e := range []*engine.Engine{&explicit.Engine, &rf.Engine} {
		got, err := testkit.Ask(e, flat, u.Props, m, testkit.How{First: true, Work: *lkmmWork})
		if errors.Is(err, testkit.ErrTooBig) || err != nil && strings.Contains(err.Error(), "rf does not take") {
			continue
		}
		if err != nil {
			t.Errorf("%s under %v by %s: %v", name, m, e.Name, err)
			continue
		}
		if got.Found() && !got.Final {
			t.Logf("%s under %v by %s: another violation came first", name, m, e.Name)
			continue
		}
		if known && got.Final != observed {
			t.Errorf("%s under %v: %s says observed: %v, explicit does not", name, m, e.Name, got.Final)
		}
		observed, known = got.Final, true
	}
	return observed, known
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
