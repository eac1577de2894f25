package testkit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	cfront "fencepost/internal/frontend/c"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/question/traces"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// smcExecutions bounds the executions of one program of the corpus. A program that needs
// more is not compared.
func smcExecutions() int64 {
	if testkit.Slow() {
		return 2000
	}
	return 200
}

// countTraces returns the traces of a program under a model, with their number.
func countTraces(t *testing.T, in query.Input, model string, opt query.Options) verdict.TraceSet {
	t.Helper()
	opt.Timeout = 0
	a, err := traces.Run(context.Background(), in, query.TraceOptions{Options: opt, Model: query.Model(model)})
	set, diags := a.Set, a.Diagnostics
	if err != nil || (query.Answer{Diagnostics: diags}).HasErrors() {
		t.Fatalf("%s: %v %v", in.Name, err, diags)
	}
	if set.Stats.Redundant != 0 {
		t.Errorf("%s under %s: %d executions in vain", in.Name, model, set.Stats.Redundant)
	}
	return set
}

// [AAAJLS15 Fig. 1, 5, 10, 11]: the number of traces is the one that the paper states or
// implies. Fig. 1 has four under TSO, Fig. 5 three. Fig. 11 has three, and one more under
// PSO.
func TestAAAJLS15Traces(t *testing.T) {
	for _, tc := range []struct {
		name         string
		sc, tso, pso int64
	}{
		{"aaajls15-fig1", 3, 4, 4},
		{"aaajls15-fig5", 3, 3, 3},
		{"aaajls15-fig11", 3, 3, 4},
	} {
		e := paperExample(t, tc.name)
		for model, want := range map[string]int64{"sc": tc.sc, "tso": tc.tso, "pso": tc.pso} {
			if set := countTraces(t, e.c.Input, model, e.c.Options.Options); set.Count != want || !set.Coverage.Exhaustive {
				t.Errorf("%s under %s: %d traces, want %d", tc.name, model, set.Count, want)
			}
		}
	}
}

// knownCounts returns the table of docs/engines/smc.md: families whose number of traces is
// known.
func knownCounts(t *testing.T) string {
	threads := func(n int, body func(i int) string) string {
		out := "program known\nvar x;\n"
		for i := range n {
			out += fmt.Sprintf("thread t%d { reg r; %s }\n", i, body(i))
		}
		return out
	}
	families := []struct {
		name string
		make func(n int) string
		want func(n int) int64
	}{
		{"n threads, one store each to one variable: n!",
			func(n int) string { return threads(n, func(i int) string { return fmt.Sprintf("x := %d;", i+1) }) }, factorial},
		{"n threads, one fetch-and-add each: n!",
			func(n int) string { return threads(n, func(int) string { return "r := fetch_add(x, 1);" }) }, factorial},
		{"one writer, n readers: 2^n",
			func(n int) string {
				return threads(n+1, func(i int) string {
					if i == 0 {
						return "x := 1;"
					}
					return "r := x;"
				})
			},
			func(n int) int64 { return 1 << n }},
	}
	var out strings.Builder
	out.WriteString("| family | n | SC | TSO | PSO |\n|---|---|---|---|---|\n")
	for _, f := range families {
		for _, n := range []int{2, 4, 6} {
			fmt.Fprintf(&out, "| %s | %d |", f.name, n)
			for _, m := range testkit.Models {
				set := countTraces(t, query.Input{Name: "known.fp", Text: []byte(f.make(n))}, m.String(), query.Options{})
				if set.Count != f.want(n) {
					t.Errorf("%s, n = %d, under %s: %d traces", f.name, n, m, set.Count)
				}
				fmt.Fprintf(&out, " %d |", set.Count)
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

func factorial(n int) int64 {
	out := int64(1)
	for i := 2; i <= n; i++ {
		out *= int64(i)
	}
	return out
}

// TestKnownCounts: the table in the documentation has the counts of the engine.
func TestKnownCounts(t *testing.T) {
	table := knownCounts(t)
	doc, err := os.ReadFile(filepath.Join(testkit.Root(t), "docs", "engines", "smc.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), table) {
		t.Errorf("docs/engines/smc.md does not have this table:\n%s", table)
	}
}

// bothCorpora returns the corpus of all languages and the corpus of the C front end, which
// has the library calls that block: reader-writer locks, semaphores, timed waits.
func bothCorpora(t *testing.T) []*testkit.Case {
	return append(testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")),
		testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "internal", "frontend", "c", "testdata", "corpus"))...)
}

// TestCorpusBySmc: with both algorithms, the engine gives the same verdicts as the explicit
// engine on every program of the corpus that both answer. A robust program has as many
// traces under TSO as under SC.
func TestCorpusBySmc(t *testing.T) {
	answered, enough := 0, 15
	if testkit.Slow() {
		enough = 200
	}
	for _, c := range testkit.PartOf(t, bothCorpora(t), 20) {
		name := strings.TrimSuffix(filepath.Base(c.Path), ".txtar")
		explicit := c.Options
		explicit.Engines = query.Engines{"explicit"}
		want, err := c.Check(explicit)
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range []query.Algorithm{"optimal", "source"} {
			opt := c.Options
			opt.Engines, opt.Algorithm = query.Engines{"smc"}, algorithm
			ctx, cancel := context.WithCancel(context.Background())
			opt.Progress = func(p query.Progress) {
				if p.Executions > smcExecutions() {
					cancel()
				}
			}
			answer, err := check.Run(ctx, c.Input, opt.Under(c.Models()...))
			cancel()
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for i, r := range answer.Results {
				if r.Verdict == verdict.Unknown || want[i].Verdict == verdict.Unknown {
					continue
				}
				bounded := r.Verdict == verdict.Safe && !r.Coverage.Exhaustive || want[i].Verdict == verdict.Safe && !want[i].Coverage.Exhaustive
				if r.Verdict != want[i].Verdict && !bounded {
					t.Errorf("%s under %s: explicit says %s, smc (%s) %s", name, r.Model, want[i].Verdict, algorithm, r.Verdict)
				}
				answered++
			}
		}
	}
	if answered < enough {
		t.Errorf("only %d answers were compared", answered)
	}
}

// explored returns the number of traces of a corpus program, and false if there are more
// than smcExecutions. The test fails if a trace is explored twice or a sleep set cuts off an
// execution.
func explored(t *testing.T, c *testkit.Case, flat *ir.Program, model memory.Model) (int64, bool) {
	t.Helper()
	if flat == nil || beyondTraces(flat) || engine.InsideSection(flat, ir.Lock, ir.TryLock, ir.Unlock) != nil {
		return 0, false
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, err := smc.New(smc.Options{Traces: true, CheckTraces: true}).Run(ctx, &engine.Task{
		Program: flat, Props: &property.Set{}, Model: model, KeepGoing: true, Limits: engine.Limits{Unroll: 2},
		Progress: func(p query.Progress) {
			if p.Executions > smcExecutions() {
				cancel()
			}
		},
	})
	if err != nil {
		t.Errorf("%s under %s: %v", filepath.Base(c.Path), model, err)
		return 0, false
	}
	return out.Stats.FinalStates, out.Unknown == ""
}

// flatCase returns the flat program of a case in .fp or C, or nil for another language.
func flatCase(c *testkit.Case) *ir.Program {
	file := source.NewFile(c.Input.Name, c.Input.Text)
	var prog *ir.Program
	switch filepath.Ext(c.Input.Name) {
	case ".fp":
		u, diags := fp.Parse(file, statement.Options{Threads: max(2, c.Options.Threads)})
		if diags.HasErrors() {
			return nil
		}
		prog = u.Program
	case ".c":
		u, diags := cfront.Parse([]*source.File{file}, cfront.Options{COptions: query.COptions{Defines: c.Options.C.Defines, Uninitialised: query.UninitialisedZero}})
		if diags.HasErrors() {
			return nil
		}
		prog = u.Program
	default:
		return nil
	}
	flat, err := transform.Run(prog, transform.Options{Unroll: 4}, nil)
	if err != nil {
		return nil
	}
	return flat
}

// beyondTraces reports whether a program has operations that Shasha-Snir traces do not
// show: choices, condition variables, barriers, allocation.
func beyondTraces(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for l := range f.Locs {
			for _, i := range f.Out(ir.Loc(l)) {
				switch op := &f.Edges[i].Op; op.Kind {
				case ir.Havoc, ir.AbstractLoad, ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier, ir.Alloc, ir.Free:
					return true
				case ir.Assume:
				default:
					if len(f.Out(ir.Loc(l))) > 1 {
						return true
					}
				}
			}
		}
	}
	return false
}

// TestCorpusTraces: on the corpus, with bounded loops, no trace is explored twice and no
// sleep set cuts off an execution. Robust programs have as many traces under TSO as under SC
// [AAAJLS15 §1].
func TestCorpusTraces(t *testing.T) {
	counted, robust, enough := 0, 0, 2
	if testkit.Slow() {
		enough = 10
	}
	for _, c := range testkit.PartOf(t, bothCorpora(t), 16) {
		var n [3]int64
		var all [3]bool
		flat := flatCase(c)
		for i, m := range testkit.Models {
			if n[i], all[i] = explored(t, c, flat, m); all[i] {
				counted++
			}
		}
		if c.Robust == "yes" && all[0] && all[1] {
			robust++
			if n[0] != n[1] {
				t.Errorf("%s is robust and has %d traces under SC, %d under TSO", filepath.Base(c.Path), n[0], n[1])
			}
		}
	}
	if counted < 10*enough || robust < enough {
		t.Errorf("only %d programs were counted, %d of them robust", counted, robust)
	}
}
