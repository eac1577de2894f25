package reduce_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/pipeline"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// read makes a program flat; the name of the file says its language.
func read(t *testing.T, name, text string) *ir.Program {
	t.Helper()
	run := pipeline.Open(query.Input{Name: name, Text: []byte(text)})
	if err := run.Read(t.Context(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
		t.Fatalf("%v %+v", err, run.Diagnostics)
	}
	flat, err := run.Flatten(query.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

func keepAll(ir.ThreadID, ir.Reg) bool { return true }

// ends explores all executions of a system and returns how they end: final states, states in
// which no thread can go on, and failed checks. A runner lets threads run through eager
// locations; without one every state is visited.
func ends(y *memory.System, r *reduce.Runner) (found map[string]bool, states int) {
	s, codec := y.NewState(), y.Codec()
	found = map[string]bool{}
	seen := map[string]bool{}
	var visit func()
	visit = func() {
		if f, failed := s.Fault(); failed {
			edge := ir.NoEdge
			if f.Edge != nil {
				edge = f.Edge.ID
			}
			found[fmt.Sprintf("failed %v at %d", f.Class, edge)] = true
			return
		}
		if s.Over() {
			found["exit"] = true
			return
		}
		code := string(codec.Encode(s, nil))
		if seen[code] {
			return
		}
		seen[code] = true
		steps := y.Enabled(s, nil)
		if len(steps) == 0 {
			found[fmt.Sprintf("end, final %v: %x", y.Final(s), code)] = true
		}
		for _, st := range steps {
			mark := s.Mark()
			y.Apply(s, st)
			if r != nil {
				r.Run(s, int(st.Thread), visit)
			} else {
				visit()
			}
			s.Undo(mark)
		}
	}
	if r != nil {
		r.RunAll(s, visit)
	} else {
		visit()
	}
	return found, len(seen)
}

// plans are the plans that must not change how executions end.
var plans = map[string]reduce.Options{
	"local operations":          {},
	"reduced":                   {Reduce: true},
	"reduced, memory is read":   {Reduce: true, MemoryVisible: true},
	"reduced, registers are so": {Reduce: true, Watch: func(_ ir.ThreadID, r ir.Reg) bool { return r == 0 }},
	"reduced, locations are so": {Reduce: true, Visible: func(_ ir.ThreadID, l ir.Loc) bool { return l%3 == 1 }},
}

func compareEnds(t *testing.T, why string, p *ir.Program, opt memory.Options) (full, reduced int) {
	t.Helper()
	opt.Keep = keepAll
	for _, m := range testkit.Models {
		y := memory.New(p, m, opt)
		want, all := ends(y, nil)
		full += all
		for name, how := range plans {
			how.Bounded = opt.Buffer > 0
			got, n := ends(y, reduce.NewRunner(reduce.NewPlan(y, how)))
			if n > all {
				t.Errorf("%s under %s, %s: %d states, %d without", why, m, name, n, all)
			}
			reduced += n
			if !maps.Equal(want, got) {
				t.Fatalf("%s under %s, %s:\nwant %s\ngot  %s", why, m, name, list(want), list(got))
			}
		}
	}
	return full, reduced / len(plans)
}

func list(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), "\n     ")
}

// TestEagerStepsAreInvisible: random programs end in the same ways whether threads run through
// eager locations or stop everywhere, under every model, and fewer states are visited.
func TestEagerStepsAreInvisible(t *testing.T) {
	programs := uint64(220)
	if testing.Short() {
		programs = 66
	}
	full, reduced := 0, 0
	for seed := range programs {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		p, _ := testkit.Generate(seed, pr).Flat()
		a, b := compareEnds(t, fmt.Sprintf("seed %d", seed), p, memory.Options{Private: seed%2 == 0})
		full, reduced = full+a, reduced+b
	}
	t.Logf("%d states, %d on the average with eager steps", full, reduced)
	if reduced*3 > full*2 {
		t.Errorf("%d states of %d: little is saved", reduced, full)
	}
}

// TestEagerInCycles: the same for programs whose threads can run forever, with bounded buffers.
func TestEagerInCycles(t *testing.T) {
	for name, text := range map[string]string{
		"local loop":   "var x;\nthread p { reg r; loop { r = 1 - r; } }\nthread q { x = 1; }\n",
		"store loop":   "var x, y;\nthread p { loop { x = 1; } }\nthread q { reg r; r = x; y = 1; assert r == 0; }\n",
		"spinning":     "var x, y;\nthread p { reg r; while (r == 0) { r = x; } y = 1; }\nthread q { reg r; x = 1; r = y; }\n",
		"either store": "var x, y;\nthread p { reg i; while (i < 2) { either { x = i; } or { y = i; } i = i + 1; } }\nthread q { reg r, s; r = y; s = x; assert r <= s; }\n",
		"either fence": "var x, y;\nthread p { reg r; x = 1; either { fence; } or { r = y; } }\nthread q { reg r; y = 1; r = x; }\n",
		"exit":         "var x, y;\nthread p { x = 1; y = 1; }\nthread q { reg r; r = y; assert r == 0; r = x; }\n",
	} {
		for _, buffer := range []int{1, 2} {
			compareEnds(t, name, read(t, "test.fp", text), memory.Options{Buffer: buffer})
		}
	}
}
