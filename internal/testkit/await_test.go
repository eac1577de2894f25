package testkit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
	"fencepost/internal/transform/waiting"
)

// awaited runs the explicit engine on the result of transform.Await.
var awaited = engine.Engine{
	Name: "explicit after await",
	Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
		t := *task
		t.Program = waiting.Await(task.Program, task.KeepOf())
		return testkit.Explicit.Run(ctx, &t)
	},
}

// TestAwait: if spin loops are awaits, a program has the same final states, failing checks,
// goals and deadlocks under every model, and witnesses are executions of the original
// program.
func TestAwait(t *testing.T) {
	bent := 0
	problem := func(p *testkit.Program) string {
		flat, props := p.Flat()
		task := engine.Task{Program: flat, Props: props}
		if smc.Engine.Supports(&task) != nil {
			props.Goals = nil
		}
		if waiting.Await(flat, task.KeepOf()) != flat {
			bent++
		}
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20, Buffer: 4})
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", m, err)
			}
			for _, e := range []*engine.Engine{&awaited, &smc.Engine} {
				got, err := testkit.Ask(e, flat, props, m, testkit.How{Buffer: 4})
				if err != nil {
					return fmt.Sprintf("%s: %s: %v", m, e.Name, err)
				}
				if d := testkit.Difference(want, got); d != "" {
					return fmt.Sprintf("%s: %s: %s", m, e.Name, d)
				}
			}
		}
		return ""
	}
	n := *programs / 2
	for i := range n {
		seed := uint64(*firstSeed) + uint64(i)
		p := testkit.Generate(seed, testkit.Profile{Name: "spins", Spins: true, Goal: i%3 == 0, Sync: i%4 == 3})
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Fatalf("seed %d: %s\nshrunk to:\n%s", seed, problem(small), irtext.Print(flat))
		}
	}
	if bent < n/3 {
		t.Errorf("only %d of %d programs had idle rounds", bent, n)
	}
}
