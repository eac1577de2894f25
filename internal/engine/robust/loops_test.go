package robust_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// smallSearch is the memory limit of a small search.
const smallSearch = 8 << 20

// ask runs the engine; the answer is yes, no or unknown.
func ask(t *testing.T, p *ir.Program, task engine.Task) (string, *engine.Outcome) {
	t.Helper()
	task.Program, task.Props = p, &property.Set{}
	task.Limits.Workers = max(1, task.Limits.Workers)
	out, err := robust.Run(context.Background(), &task)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(out.Violations) > 0:
		return "no", out
	case out.Unknown != "":
		return "unknown", out
	default:
		return "yes", out
	}
}

// TestUnrolled: a program with loops is not robust if its unrolling is not, since
// every execution of the unrolling is one of the program. Filters and workers
// change nothing.
func TestUnrolled(t *testing.T) {
	want := max(40, *programs/2)
	counts := map[string]int{}
	for seed, n := *firstSeed, 0; n < want; seed++ {
		p := testkit.Generate(seed, testkit.Profile{Name: "loops", Plain: true, Loops: true})
		p.Threads = p.Threads[:min(2, len(p.Threads))]
		if seed%2 == 0 {
			for i := range p.Threads {
				p.Threads[i] = cross(seed, i, p.Threads[i], 6)
			}
		}
		flat, props := p.Flat()
		if !analysis.NewFacts(flat, nil).Cyclic(flat.Threads[0].Func) && !analysis.NewFacts(flat, nil).Cyclic(flat.Threads[1].Func) {
			continue
		}
		n++
		whole, _ := ask(t, flat, engine.Task{Limits: engine.Limits{Memory: smallSearch}})
		counts[whole]++
		if whole == "unknown" {
			continue
		}
		bare, _ := ask(t, flat, engine.Task{NoReduction: true, Limits: engine.Limits{Memory: smallSearch, Workers: 2}})
		if bare != whole && bare != "unknown" {
			t.Errorf("seed %d: robust %s, without filters %s\n%s", seed, whole, bare, irtext.Print(flat))
		}
		unrolled, _, err := transform.Unroll(flat, props, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if part, _ := ask(t, unrolled, engine.Task{Limits: engine.Limits{Memory: smallSearch}}); part == "no" && whole == "yes" {
			t.Errorf("seed %d: robust, but its unrolling is not\n%s", seed, irtext.Print(flat))
		}
	}
	t.Logf("%v", counts)
	if counts["yes"] == 0 || counts["no"] == 0 {
		t.Error("the programs are all alike")
	}
}

// parse reads a program in the language of the papers, or Trencher's.
func parse(t *testing.T, name string, text []byte) *ir.Program {
	t.Helper()
	read := fp.Parse
	if strings.HasSuffix(name, ".txt") {
		read = trencher.Parse
	}
	u, diags := read(source.NewFile(name, text), statement.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// TestMover: the paper's programs, robust or not in the standard sense [BEMT18
// Table 1]. One differs: in the instance of inline_pgsql that we have, there is one
// token, and a thread that does not hold it only spins on its own latch, so that no thread
// writes what the holder reads; its authors' tool calls this instance robust, too.
func TestMover(t *testing.T) {
	dir := testkit.Shared(t, "bench", "mover")
	table, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range strings.Split(string(table), "\n") {
		f := strings.Split(line, "|")
		if len(f) < 7 {
			continue
		}
		name, column := strings.TrimSpace(f[1]), strings.TrimSpace(f[4])
		want := map[string]string{"+": "yes", "-": "no"}[column]
		if want == "" || strings.HasPrefix(name, "..") {
			continue
		}
		if name == "inline_pgsql" {
			want = "yes"
		}
		seen++
		text, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		got, out := ask(t, parse(t, name+".txt", text), engine.Task{Limits: engine.Limits{Memory: 1 << 30}})
		t.Logf("%s: %s, %d states", name, got, out.Stats.States)
		if got != want {
			t.Errorf("%s: robust %s, want %s", name, got, want)
		}
	}
	if seen != 12 {
		t.Errorf("%d programs in the table, want 12", seen)
	}
}

// TestUnboundedData: programs that count for ever get an answer within limits.
func TestUnboundedData(t *testing.T) {
	for _, c := range []struct{ name, want, text string }{
		// Every store is followed by a read-modify-write before the next load.
		{"ticket lock", "yes", `var next, serving, data;
thread p * 2 { reg n, d; loop { n = fetch_add(next, 1); await serving == n; d = data; data = d + 1; serving = n + 1; } }`},
		// The counter of accesses makes the states infinite, and nothing is wrong.
		{"ticket lock with a look at the queue", "unknown", `var next, serving, done;
thread p * 2 { reg n, d; loop { n = fetch_add(next, 1); await serving == n; done = n; serving = n + 1; d = done; } }`},
		{"bakery", "no", `var choosing[2], number[2];
thread p[i] * 2 { reg a, b; loop {
  choosing[i] = 1; a = number[0]; b = number[1]; number[i] = 1 + (a < b ? b : a); choosing[i] = 0;
  await choosing[1 - i] == 0;
  a = number[i];
  await number[1 - i] == 0;
  number[i] = 0;
} }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, out := ask(t, parse(t, "t.fp", []byte(c.text)), engine.Task{Limits: engine.Limits{Memory: smallSearch}})
			if got != c.want {
				t.Errorf("%s (%s), want %s", got, out.Unknown, c.want)
			}
			if got == "unknown" && !strings.Contains(out.Unknown, "memory limit") {
				t.Errorf("unknown: %s", out.Unknown)
			}
		})
	}
}

// TestWorkers: several workers visit the states of one and find its attacks.
func TestWorkers(t *testing.T) {
	for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
		name := strings.TrimSuffix(filepath.Base(c.Path), ".txtar")
		if !slices.Contains([]string{"lamport-fast-3", "lamport-fast-3-fenced", "szymanski-fenced-twice"}, name) {
			continue
		}
		flat := parse(t, c.Input.Name, c.Input.Text)
		for _, all := range []bool{false, true} {
			one, a := ask(t, flat, engine.Task{KeepGoing: all, NoReduction: all, Limits: engine.Limits{Workers: 1}})
			four, b := ask(t, flat, engine.Task{KeepGoing: all, NoReduction: all, Limits: engine.Limits{Workers: 4}})
			if one != four || a.Stats.States != b.Stats.States || a.Stats.Transitions != b.Stats.Transitions || len(a.Violations) != len(b.Violations) {
				t.Errorf("%s: one worker %s, %d states, %d attacks; four %s, %d, %d", name,
					one, a.Stats.States, len(a.Violations), four, b.Stats.States, len(b.Violations))
			}
			for i := range a.Violations {
				if x, y := &a.Violations[i], &b.Violations[i]; x.Edge != y.Edge && all || x.Load != y.Load && all {
					t.Errorf("%s: attack %d differs", name, i)
				}
			}
		}
	}
}
