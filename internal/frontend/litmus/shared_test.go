package litmus_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var all = flag.Bool("lt.all", false, "run all shared litmus tests rather than every tenth")

// answer is a line of expected.tsv.
type answer struct {
	verdict, observation string
	states               []string
}

// expected reads the computed answers by file and model.
func expected(t *testing.T) map[string]map[string]answer {
	t.Helper()
	text, err := os.ReadFile(testkit.Shared(t, "litmus", "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]answer{}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		f := strings.Split(string(line), "\t")
		if i == 0 {
			continue
		}
		if len(f) != 6 {
			t.Fatalf("line %d has %d fields", i+1, len(f))
		}
		a := answer{f[2], f[3], strings.Split(f[5], ";")}
		if n, err := strconv.Atoi(f[4]); err != nil || n != len(a.states) {
			t.Fatalf("line %d: %s states announced, %d found", i+1, f[4], len(a.states))
		}
		slices.Sort(a.states)
		if out[f[0]] == nil {
			out[f[0]] = map[string]answer{}
		}
		out[f[0]][f[1]] = a
	}
	return out
}

// load translates a test that must be right.
func load(t *testing.T, name string, text []byte) (*litmus.Unit, *ir.Program) {
	t.Helper()
	u, list := litmus.Parse(source.NewFile(name, text), litmus.Options{})
	for _, d := range list.All {
		t.Errorf("%s: %s %s %q", d.Span.Pos, d.Code, d.Message, d.Notes)
	}
	if u.Program == nil {
		t.FailNow()
	}
	for _, err := range ir.Verify(u.Program) {
		t.Error(err)
	}
	if u.InC() {
		flat, err := transform.Run(u.Program, transform.Options{Observed: u.Props.Observed()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return u, flat
	}
	// A function per thread and no calls: the program is flat already.
	flat := *u.Program
	flat.Form = ir.Flat
	for _, err := range ir.Verify(&flat) {
		t.Error(err)
	}
	return u, &flat
}

// sorted writes final states as the table does.
func sorted(finals []string) []string {
	out := make([]string, len(finals))
	for i, f := range finals {
		parts := strings.Fields(f)
		slices.Sort(parts)
		out[i] = strings.Join(parts, " ")
	}
	slices.Sort(out)
	return out
}

// TestShared holds the final states of the shared tests under every model
// against answers that two other programs computed. All tests are parsed; every
// tenth is run, or all with -lt.all.
func TestShared(t *testing.T) {
	want := expected(t)
	files := make([]string, 0, len(want))
	for f := range want {
		files = append(files, f)
	}
	slices.Sort(files)
	dir := testkit.Shared(t, "litmus", "x86")
	start, runs := time.Now(), 0
	var running time.Duration
	for i, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		u, flat := load(t, f, text)
		if !bytes.Contains(text, []byte(u.Condition)) {
			t.Errorf("%s: the condition is shown as %s", f, u.Condition)
		}
		if !*all && i%10 != 0 {
			continue
		}
		for _, m := range testkit.Models {
			began := time.Now()
			got, err := testkit.Ask(&explicit.Engine, flat, u.Props, m, testkit.How{Workers: 1})
			if err != nil {
				t.Fatalf("%s under %s: %v", f, m, err)
			}
			compare(t, f+" under "+m.String(), u, got.Finals, want[f][m.String()])
			running += time.Since(began)
			runs++
		}
		if t.Failed() {
			t.Fatalf("stopped after %s", f)
		}
	}
	t.Logf("%d tests parsed, %d runs in %v of %v", len(files), runs, running.Round(time.Millisecond), time.Since(start).Round(time.Millisecond))
}

func compare(t *testing.T, name string, u *litmus.Unit, finals []string, want answer) {
	t.Helper()
	if states := sorted(finals); !slices.Equal(states, want.states) {
		t.Errorf("%s: states\n%s\nwant\n%s", name, strings.Join(states, "\n"), strings.Join(want.states, "\n"))
	}
	sum, err := u.Summarize(finals)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	verdict := "No"
	if sum.Ok {
		verdict = "Ok"
	}
	if verdict != want.verdict || sum.Observation() != want.observation || len(sum.States) != len(want.states) {
		t.Errorf("%s: %s %s with %d states, want %s %s with %d", name,
			verdict, sum.Observation(), len(sum.States), want.verdict, want.observation, len(want.states))
	}
}
