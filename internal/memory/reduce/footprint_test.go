package reduce_test

import (
	"bytes"
	"fmt"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/testkit"
)

// TestConflicts: whether the first steps of two threads conflict, and whether anything they may
// do later does.
func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		p, q         string // bodies of two threads
		model        memory.Model
		next, future bool
	}{
		{"r = x;", "r = x;", memory.TSO, false, false},
		{"x = 1;", "r = x;", memory.SC, true, true},
		{"x = 1;", "r = x;", memory.TSO, false, true}, // it enters the buffer first
		{"x = 1;", "x = 2;", memory.SC, true, true},
		{"x = 1;", "r = y;", memory.SC, false, false},
		{"r = 1; x = 1;", "r = y; r = x;", memory.SC, false, true},
		{"r = x; y = 1;", "x = 1; r = y;", memory.SC, true, true},
		{"r = fetch_add(x, 1);", "r = x;", memory.TSO, true, true},
		{"r = fetch_add(x, 1);", "r = fetch_add(y, 1);", memory.TSO, false, false},
		{"a[1] = 1;", "r = a[2];", memory.SC, false, false},
		{"a[1] = 1;", "r = a[1];", memory.SC, true, true},
		{"r = x; a[r] = 1;", "r = a[2];", memory.SC, false, true},
		{"fence;", "x = 1;", memory.TSO, false, false},
		{"await x == 1;", "x = 1;", memory.SC, true, true},
		{"atomic { x = 1; }", "r = y;", memory.SC, true, true}, // a section locks the others out
	} {
		text := fmt.Sprintf("var x, y, a[4];\nthread p { reg r; %s }\nthread q { reg r; %s }\n", c.p, c.q)
		y := memory.New(read(t, "test.fp", text), c.model, memory.Options{Keep: keepAll})
		plan := reduce.NewPlan(y, reduce.Options{Reduce: true})
		s := y.NewState()
		next := plan.NextEdges(s, 0).Conflicts(plan.NextEdges(s, 1))
		future := plan.FutureEdges(s, 0).Conflicts(plan.FutureEdges(s, 1))
		if next != c.next || future != c.future {
			t.Errorf("%s and %s under %s: conflict now %v, ever %v, want %v, %v", c.p, c.q, c.model, next, future, c.next, c.future)
		}
		if plan.NextEdges(s, 1).Conflicts(plan.NextEdges(s, 0)) != next || plan.FutureEdges(s, 1).Conflicts(plan.FutureEdges(s, 0)) != future {
			t.Errorf("%s and %s: conflicts have a direction", c.p, c.q)
		}
	}
}

// TestManyCells: more elements than atoms are still told apart by object.
func TestManyCells(t *testing.T) {
	for _, c := range []struct {
		q    string
		want bool
	}{{"b = 1;", false}, {"a[399] = 1;", true}} {
		text := fmt.Sprintf("var a[400], b;\nthread p { reg r; r = a[0]; }\nthread q { %s }\n", c.q)
		y := memory.New(read(t, "test.fp", text), memory.SC, memory.Options{Keep: keepAll})
		plan := reduce.NewPlan(y, reduce.Options{Reduce: true})
		s := y.NewState()
		if got := plan.NextEdges(s, 0).Conflicts(plan.NextEdges(s, 1)); got != c.want {
			t.Errorf("%s conflicts with r = a[0]: %v, want %v", c.q, got, c.want)
		}
	}
}

// TestPending: a store in the buffer will write its cell, and no other.
func TestPending(t *testing.T) {
	p := read(t, "test.fp", "var x, y;\nthread p { x = 1; }\nthread q { reg r; r = x; }\nthread o { reg r; r = y; }\n")
	y := memory.New(p, memory.TSO, memory.Options{Keep: keepAll})
	plan := reduce.NewPlan(y, reduce.Options{Reduce: true})
	s := y.NewState()
	var before reduce.Footprint
	plan.AddPending(s, 0, &before)
	if before != (reduce.Footprint{}) {
		t.Errorf("an empty buffer will write %+v", before)
	}
	y.Apply(s, y.EnabledEdges(s, 0, nil)[0])
	if plan.FutureEdges(s, 0).Conflicts(plan.NextEdges(s, 1)) {
		t.Error("the thread has ended and still accesses x otherwise")
	}
	var f reduce.Footprint
	plan.AddPending(s, 0, &f)
	if !f.Conflicts(plan.NextEdges(s, 1)) || f.Conflicts(plan.NextEdges(s, 2)) {
		t.Errorf("the pending store conflicts with the load of x: %v, of y: %v", f.Conflicts(plan.NextEdges(s, 1)), f.Conflicts(plan.NextEdges(s, 2)))
	}
}

// TestThreads: a thread that is not started accesses nothing; what it will access belongs to the
// future of the thread that starts it. A join waits, and is interleaved with everything.
func TestThreads(t *testing.T) {
	p := read(t, "test.c", `#include <pthread.h>
int x;
void *f(void *p) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }
`)
	y := memory.New(p, memory.SC, memory.Options{Keep: keepAll})
	plan := reduce.NewPlan(y, reduce.Options{Reduce: true})
	s := y.NewState()
	child := 1 - int(p.Main)
	if *plan.NextEdges(s, child) != (reduce.Footprint{}) || *plan.FutureEdges(s, child) != (reduce.Footprint{}) {
		t.Error("a thread that is not started accesses something")
	}
	store := reduce.Footprint{}
	met := false
	for range 20 {
		if !s.Started(ir.ThreadID(child)) {
			if edge := y.Prog.ThreadFunc(p.Main).Out(s.PC(p.Main)); len(edge) > 0 {
				store = *plan.FutureEdges(s, int(p.Main))
			}
		} else if !met {
			met = true
			both := store
			both.Add(plan.FutureEdges(s, child))
			if both != store {
				t.Error("the starting thread did not have the future of the thread that it starts")
			}
		}
		steps := y.EnabledThread(s, int(p.Main), nil)
		if len(steps) == 0 {
			break
		}
		y.Apply(s, steps[0])
	}
	if !met || !plan.Waits(s, int(p.Main)) || !plan.Open(s, int(p.Main)) {
		t.Errorf("started %v, waits %v, open %v", met, plan.Waits(s, int(p.Main)), plan.Open(s, int(p.Main)))
	}
}

// TestIndependence: in states of random programs, steps of two threads whose footprints do not
// conflict lead to the same state in either order and do not enable or disable each other.
// A step never widens what its thread may access from there on.
func TestIndependence(t *testing.T) {
	pairs := 0
	for seed := range uint64(110) {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		p, _ := testkit.Generate(seed, pr).Flat()
		for _, m := range testkit.Models {
			y := memory.New(p, m, memory.Options{Keep: keepAll})
			plan := reduce.NewPlan(y, reduce.Options{Reduce: true})
			s := y.NewState()
			for depth := range 15 {
				for a := range y.Threads() {
					for b := range a {
						if !plan.NextEdges(s, a).Conflicts(plan.NextEdges(s, b)) && !plan.Waits(s, a) && !plan.Waits(s, b) {
							pairs += commute(t, fmt.Sprintf("seed %d, %s, depth %d", seed, m, depth), y, s, a, b)
						}
					}
				}
				steps := y.Enabled(s, nil)
				if len(steps) == 0 {
					break
				}
				st := steps[(int(seed)+7*depth)%len(steps)]
				before, mark := *plan.FutureEdges(s, int(st.Thread)), s.Mark()
				plan.AddPending(s, int(st.Thread), &before)
				y.Apply(s, st)
				if s.Faulted() || s.Over() {
					s.Undo(mark)
					break
				}
				both := before
				both.Add(plan.FutureEdges(s, int(st.Thread)))
				plan.AddPending(s, int(st.Thread), &both)
				if both != before {
					t.Fatalf("seed %d, %s, depth %d: thread %d accesses more after a step", seed, m, depth, st.Thread)
				}
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs of steps", pairs)
	}
}

// commute tries the steps of two threads in both orders and returns the number of pairs.
func commute(t *testing.T, why string, y *memory.System, s *memory.State, a, b int) int {
	t.Helper()
	first, second := y.EnabledEdges(s, a, nil), y.EnabledEdges(s, b, nil)
	run := func(order ...memory.Step) []byte {
		mark := s.Mark()
		defer s.Undo(mark)
		for _, st := range order {
			if s.Faulted() || s.Over() {
				return nil
			}
			enabled := y.EnabledEdges(s, int(st.Thread), nil)
			found := false
			for _, e := range enabled {
				found = found || e == st
			}
			if !found {
				t.Fatalf("%s: %+v is no longer enabled after %+v", why, st, order[0])
			}
			y.Apply(s, st)
		}
		if s.Faulted() || s.Over() {
			return nil
		}
		return y.Codec().Encode(s, nil)
	}
	for _, x := range first {
		mark := s.Mark()
		y.Apply(s, x)
		if !s.Faulted() && !s.Over() {
			if n := len(y.EnabledEdges(s, b, nil)); n != len(second) {
				t.Fatalf("%s: %d steps of thread %d after %+v, %d before", why, n, b, x, len(second))
			}
		}
		s.Undo(mark)
		for _, z := range second {
			if one, other := run(x, z), run(z, x); !bytes.Equal(one, other) {
				t.Fatalf("%s: %+v and %+v do not commute", why, x, z)
			}
		}
	}
	return len(first) * len(second)
}
