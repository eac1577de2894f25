package traces

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

const buffering = `var x, y;
thread p { reg r; x = 1; r = y; }
thread q { reg s; y = 1; s = x; }
`

const passing = `var x, y;
thread p { x = 1; y = 1; }
thread q { reg r, s; r = y; s = x; }
`

const spinning = `var x, y;
thread p { reg r; while (r == 0) { y = 1; r = x; } }
thread q { x = 1; }
`

func ask(t *testing.T, name, text, model string, opt query.TraceOptions, each func(*verdict.Trace)) verdict.TraceSet {
	t.Helper()
	opt.Model, opt.Each = query.Model(model), each
	a, err := Run(t.Context(), query.Input{Name: name, Text: []byte(text)}, opt)
	set, diags := a.Set, a.Diagnostics
	if err != nil || len(diags) > 0 {
		t.Fatalf("%v %+v", err, diags)
	}
	return set
}

// TestCounts: the numbers of traces that can be counted by hand, under every model, with every
// algorithm and any number of workers. Store buffering has a fourth outcome under TSO, and message
// passing under PSO, and both have a cycle.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		model        string
		want, cyclic int64
	}{
		{"sb", buffering, "sc", 3, 0}, {"sb", buffering, "tso", 4, 1}, {"sb", buffering, "pso", 4, 1},
		{"mp", passing, "sc", 3, 0}, {"mp", passing, "tso", 3, 0}, {"mp", passing, "pso", 4, 1},
		{"one thread", "var x;\nthread p { reg r; x = 1; r = x; }\n", "tso", 1, 0},
	} {
		for _, algorithm := range []query.Algorithm{"", "optimal", "source"} {
			for _, workers := range []int{1, 4} {
				opt := query.TraceOptions{Options: query.Defaults()}
				opt.Algorithm, opt.Workers = algorithm, workers
				why := fmt.Sprintf("%s under %s, algorithm %q, %d workers", c.name, c.model, algorithm, workers)
				set := ask(t, "test.fp", c.text, c.model, opt, nil)
				if set.Count != c.want || set.Cyclic != c.cyclic || set.Reason != "" || !set.Coverage.Exhaustive || set.Model != c.model {
					t.Errorf("%s: %+v", why, set)
				}
				n, cyclic := 0, int64(0)
				set = ask(t, "test.fp", c.text, c.model, opt, func(tr *verdict.Trace) {
					n++
					if tr.Number != n {
						t.Errorf("%s: the %d. trace has number %d", why, n, tr.Number)
					}
					if tr.Cycle != nil {
						cyclic++
					}
				})
				if int64(n) != c.want || set.Count != c.want || set.Cyclic != c.cyclic || cyclic != c.cyclic {
					t.Errorf("%s: %d traces, %d of them cyclic, set %+v", why, n, cyclic, set)
				}
			}
		}
	}
}

// TestAlgorithms: source-DPOR explores executions in vain where optimal DPOR does not [AAJS17],
// and finds the same traces.
func TestAlgorithms(t *testing.T) {
	const lastZero = `var a[4];
thread find { reg i, v; i = 3; v = a[3]; while (v != 0) { i = i - 1; v = a[i]; } }
thread w1 { reg r; r = a[0]; a[1] = r + 1; }
thread w2 { reg r; r = a[1]; a[2] = r + 1; }
thread w3 { reg r; r = a[2]; a[3] = r + 1; }
`
	opt := query.TraceOptions{Options: query.Defaults()}
	opt.Unroll = 4
	optimal := ask(t, "test.fp", lastZero, "sc", opt, nil)
	opt.Algorithm = "source"
	source := ask(t, "test.fp", lastZero, "sc", opt, nil)
	if optimal.Count != source.Count || optimal.Count == 0 || optimal.Stats.Redundant != 0 || source.Stats.Redundant == 0 {
		t.Errorf("optimal: %d traces, %d in vain; source: %d traces, %d in vain",
			optimal.Count, optimal.Stats.Redundant, source.Count, source.Stats.Redundant)
	}
}

// TestOutcomes: traces have the outcomes that the models allow, each once, in the same order every time,
// and the cyclic one is the one that sequential consistency does not have.
func TestOutcomes(t *testing.T) {
	outcomes := func(workers int) (all []string) {
		opt := query.TraceOptions{Options: query.Defaults()}
		opt.Workers = workers
		ask(t, "test.fp", buffering, "tso", opt, func(tr *verdict.Trace) {
			read := map[string]int64{}
			for _, s := range tr.Witness.Steps {
				if s.Kind == verdict.StepLoad {
					read[tr.Witness.Threads[s.Thread]] = s.Value
				}
			}
			all = append(all, fmt.Sprintf("%d%d %v", read["p"], read["q"], tr.Cycle != nil))
		})
		return all
	}
	first := outcomes(1)
	seen := map[string]int{}
	for _, o := range first {
		seen[o]++
	}
	for _, want := range []string{"01 false", "10 false", "11 false", "00 true"} {
		if seen[want] != 1 {
			t.Errorf("outcome %s: %d times in %v", want, seen[want], first)
		}
	}
	for range 3 {
		if got := outcomes(4); fmt.Sprint(got) != fmt.Sprint(first) {
			t.Errorf("another order: %v, then %v", first, got)
		}
	}
}

// TestBounds: a bound that is hit leaves the number open, whether the user set it or not, and is marked
// as given only if so.
func TestBounds(t *testing.T) {
	for unroll, given := range map[int]bool{0: false, 2: true} {
		opt := query.TraceOptions{Options: query.Defaults()}
		opt.Unroll = unroll
		set := ask(t, "test.fp", spinning, "tso", opt, nil)
		if set.Coverage.Exhaustive || len(set.Coverage.Bounds) != 1 || set.Count == 0 {
			t.Fatalf("unroll %d: %+v", unroll, set)
		}
		if b := set.Coverage.Bounds[0]; b.Name != "unroll" || b.Given != given || !b.Hit {
			t.Errorf("unroll %d: the bound %+v", unroll, b)
		}
	}
}

// TestNoCompleteTrace: a program that never ends has no complete trace, and the set says so. One that
// exits has none to show, but ends.
func TestNoCompleteTrace(t *testing.T) {
	set := ask(t, "test.fp", "var x;\nthread p { await x == 1; }\n", "tso", query.TraceOptions{Options: query.Defaults()}, nil)
	if set.Count != 0 || set.Reason != "no execution comes to its end" {
		t.Errorf("%+v", set)
	}
	set = ask(t, "exit.c", "#include <stdlib.h>\nint main(void) { exit(0); }\n", "tso", query.TraceOptions{Options: query.Defaults()}, nil)
	if set.Reason != "" {
		t.Errorf("%+v", set)
	}
}

// TestSources: the set has the text of every file that a trace has positions in.
func TestSources(t *testing.T) {
	opt := query.TraceOptions{Options: query.Defaults()}
	opt.C.Include = func(name string) ([]byte, bool) {
		return []byte("static int get(int *p) { return *p; }\n"), name == "get.h"
	}
	text := "#include \"get.h\"\nint x;\nint main(void) { x = 1; return get(&x); }\n"
	set := ask(t, "main.c", text, "tso", opt, func(tr *verdict.Trace) {
		found := false
		for _, s := range tr.Witness.Steps {
			found = found || s.Pos != nil && s.Pos.File == "get.h"
		}
		if !found {
			t.Errorf("no step has a position in get.h: %+v", tr.Witness.Steps)
		}
	})
	if set.Count != 1 || set.Sources["main.c"] != text || !strings.Contains(set.Sources["get.h"], "return *p") {
		t.Errorf("%d traces, sources %v", set.Count, set.Sources)
	}
	if set.Program != "main.c" || set.Asked == nil || set.Asked.Command != Command {
		t.Errorf("%s, asked %+v", set.Program, set.Asked)
	}
}

// TestRefused: a program that cannot be explored is refused with a code, and no set is counted.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, text, code, words string }{
		"any number of threads": {"f.fp", "var x;\nthread t * n { x = 1; }\n", "FP0902", ""},
		"no such language":      {"f.xyz", "", "FP0903", ""},
		"lock in a section": {"f.c", "#include <pthread.h>\nvoid __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\npthread_mutex_t m;\n" +
			"int main(void) { __VERIFIER_atomic_begin(); pthread_mutex_lock(&m); __VERIFIER_atomic_end(); }\n", "FP0907", "lock inside an atomic section"},
		"unlisted input": {"f.c", "long __VERIFIER_nondet_long(void);\nlong x;\nint main(void) { x = __VERIFIER_nondet_long(); }\n", "FP0915", "for traces"},
	} {
		called := false
		a, err := Run(t.Context(), query.Input{Name: c.file, Text: []byte(c.text)}, query.TraceOptions{Options: query.Defaults(), Each: func(*verdict.Trace) { called = true }})
		set, diags := a.Set, a.Diagnostics
		if err != nil || len(diags) == 0 || set.Count != 0 || called {
			t.Errorf("%s: %+v %+v %v", name, set, diags, err)
			continue
		}
		if got := diags[len(diags)-1]; got.Code != c.code || !strings.Contains(got.Message, c.words) {
			t.Errorf("%s: %s %s, want %s %s", name, got.Code, got.Message, c.code, c.words)
		}
	}
}

// TestWrongOptions: a model or an algorithm that does not exist is an error before anything is read.
func TestWrongOptions(t *testing.T) {
	in := query.Input{Name: "test.fp", Text: []byte("no program")}
	opt := query.TraceOptions{Options: query.Defaults()}
	opt.Algorithm = "best"
	_, err := Run(t.Context(), in, opt)
	if wrong := (*query.OptionError)(nil); !errors.As(err, &wrong) || wrong.Value != "best" {
		t.Errorf("algorithm: %v", err)
	}
	_, err = Run(t.Context(), in, query.TraceOptions{Options: query.Defaults(), Model: "arm"})
	if wrong := (*query.OptionError)(nil); !errors.As(err, &wrong) || wrong.Value != "arm" {
		t.Errorf("model: %v", err)
	}
}
