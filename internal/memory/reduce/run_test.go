package reduce_test

import (
	"bytes"
	"slices"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/testkit"
)

// TestRunRestores: the trail leads from the state before to each state that is visited, and the
// state is as before afterwards.
func TestRunRestores(t *testing.T) {
	runs, moved := 0, 0
	for seed := range uint64(60) {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		p, _ := testkit.Generate(seed, pr).Flat()
		for _, m := range testkit.Models {
			y := memory.New(p, m, memory.Options{Keep: keepAll})
			r := reduce.NewRunner(reduce.NewPlan(y, reduce.Options{Reduce: true}))
			s, codec := y.NewState(), y.Codec()
			for range 12 {
				for th := range y.Threads() {
					before := codec.Encode(s, nil)
					var trails [][]memory.Step
					var reached [][]byte
					r.Run(s, th, func() {
						trails = append(trails, slices.Clone(r.Trail()))
						if s.Faulted() || s.Over() {
							reached = append(reached, nil)
						} else {
							reached = append(reached, codec.Encode(s, nil))
						}
					})
					if after := codec.Encode(s, nil); !bytes.Equal(before, after) || len(r.Trail()) != 0 {
						t.Fatalf("seed %d, %s: the state changed, trail %v", seed, m, r.Trail())
					}
					for i, trail := range trails {
						mark := s.Mark()
						for _, st := range trail {
							if int(st.Thread) != th {
								t.Fatalf("seed %d, %s: a step of thread %d, not %d", seed, m, st.Thread, th)
							}
							y.Apply(s, st)
						}
						if reached[i] != nil && !bytes.Equal(codec.Encode(s, nil), reached[i]) {
							t.Fatalf("seed %d, %s: the trail %v leads elsewhere", seed, m, trail)
						}
						s.Undo(mark)
						runs++
						moved += len(trail)
					}
				}
				steps := y.Enabled(s, nil)
				if len(steps) == 0 {
					break
				}
				mark := s.Mark()
				y.Apply(s, steps[int(seed)%len(steps)])
				if s.Faulted() || s.Over() {
					s.Undo(mark)
					break
				}
			}
		}
	}
	if moved < runs/4 {
		t.Errorf("%d runs took %d steps: they test little", runs, moved)
	}
}

// TestRunAtFailure: where a check fails, the failed state is visited, and then the state before,
// from which other threads can go on.
func TestRunAtFailure(t *testing.T) {
	p := read(t, "test.fp", "var x;\nthread p { reg r; r = 1; assert r == 2; x = 1; }\nthread q { reg r; r = x; }\n")
	y := memory.New(p, memory.TSO, memory.Options{Keep: keepAll})
	r := reduce.NewRunner(reduce.NewPlan(y, reduce.Options{Reduce: true}))
	s := y.NewState()
	var failed []bool
	var steps []int
	r.Run(s, 0, func() {
		failed = append(failed, s.Faulted())
		steps = append(steps, len(r.Trail()))
	})
	if !slices.Equal(failed, []bool{true, false}) || len(steps) != 2 || steps[0] != steps[1]+1 {
		t.Errorf("failed %v after %v steps", failed, steps)
	}
}

// TestRunStopsAtChoices: where several steps are enabled the thread stops, although each of them
// is eager.
func TestRunStopsAtChoices(t *testing.T) {
	p := read(t, "test.fp", "var x;\nthread p { reg r; r = 1; either { r = 2; } or { r = 3; } x = r; }\nthread q { reg r; r = x; }\n")
	y := memory.New(p, memory.TSO, memory.Options{Keep: keepAll})
	r := reduce.NewRunner(reduce.NewPlan(y, reduce.Options{Reduce: true}))
	s := y.NewState()
	visits := 0
	r.Run(s, 0, func() {
		visits++
		if n := len(y.EnabledEdges(s, 0, nil)); n != 2 {
			t.Errorf("the thread stops with %d steps enabled", n)
		}
	})
	if visits != 1 {
		t.Errorf("%d visits", visits)
	}
}

// TestRunAll: at the beginning every thread has run its eager steps.
func TestRunAll(t *testing.T) {
	p := read(t, "test.fp", "var x, y;\nthread p { reg r; x = 1; r = y; }\nthread q { reg r; y = 1; r = x; }\n")
	y := memory.New(p, memory.TSO, memory.Options{Keep: keepAll})
	plan := reduce.NewPlan(y, reduce.Options{Reduce: true})
	r := reduce.NewRunner(plan)
	s := y.NewState()
	visits := 0
	r.RunAll(s, func() {
		visits++
		for th := range p.Threads {
			if s.PC(ir.ThreadID(th)) != stop(t, p, th, ir.Load) || len(s.Buffer(ir.ThreadID(th))) != 1 {
				t.Errorf("thread %d is at %d, with %d stores in its buffer", th, s.PC(ir.ThreadID(th)), len(s.Buffer(ir.ThreadID(th))))
			}
		}
		if plan.LocID(s, 0) == plan.LocID(s, 1) || max(plan.LocID(s, 0), plan.LocID(s, 1)) >= plan.Locs() {
			t.Errorf("locations %d and %d of %d", plan.LocID(s, 0), plan.LocID(s, 1), plan.Locs())
		}
	})
	if visits != 1 {
		t.Errorf("%d visits", visits)
	}
}
