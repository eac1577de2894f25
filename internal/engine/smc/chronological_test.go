package smc_test

import (
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// TestChronological: the happens-before that the engine computes as it goes
// [AAAJLS15 App. B] is that of the definitions [AAAJLS15 App. A.4], on every
// execution of random programs.
func TestChronological(t *testing.T) {
	pairs := 0
	defer func() { smc.Near = 0 }()
	for seed := range uint64(fewer(120)) {
		pr := testkit.Profile{Plain: true, Mixed: seed%3 == 0, Overlap: seed%3 == 1}
		flat, _ := testkit.Generate(seed, pr).Flat()
		smc.Near = uint(seed) % 5
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true}
			y := memory.New(flat, m, task.MemoryOptions())
			left := 40 // executions per program
			_, err := smc.ExploreOrdered(task, smc.Options{Traces: true}, func(steps []memory.Step, _ string, event func(int) int, before func(i, j int) bool) {
				if left--; left < 0 || t.Failed() {
					return
				}
				rec := engine.NewRecorder(y)
				for _, st := range steps {
					rec.Step(st)
				}
				c := trace.NewChronological(flat, rec.Witness(), m == memory.PSO)
				pairs += compareOrders(t, flat, rec.Witness(), c, event, before)
				if t.Failed() {
					t.Fatalf("seed %d, %s:\n%s", seed, m, irtext.Print(flat))
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if pairs < fewer(10000) {
		t.Errorf("only %d pairs of events were compared", pairs)
	}
}

// compareOrders compares the two on all pairs of steps that reach memory or drain;
// a store that enters a buffer is part of the event before it in the engine.
func compareOrders(t *testing.T, p *ir.Program, w *verdict.Witness, c *trace.Chronological, event func(int) int, before func(i, j int) bool) int {
	var shown []int
	for i := range w.Steps {
		switch st := &w.Steps[i]; st.Kind {
		case verdict.StepLoad, verdict.StepRMW, verdict.StepFlush, verdict.StepFence:
			if c.EventOf(i) >= 0 && event(i) >= 0 {
				shown = append(shown, i)
			}
		case verdict.StepStore:
			if !st.Buffered && c.EventOf(i) >= 0 {
				shown = append(shown, i)
			}
		}
	}
	for _, i := range shown {
		for _, j := range shown {
			if want, got := c.Before(c.EventOf(i), c.EventOf(j)), before(event(i), event(j)); want != got {
				t.Errorf("steps %d and %d: by definition %v, by the engine %v\n%+v\n%+v", i, j, want, got, w.Steps[i], w.Steps[j])
				return 0
			}
		}
	}
	return len(shown) * len(shown)
}
