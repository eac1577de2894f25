package robust_test

import (
	"context"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestSecondDelay: programs in which operations depend on stores of two other threads, or on two stores of one, against the
// definition. The search is right, or unknown where it found no attack.
func TestSecondDelay(t *testing.T) {
	counts := map[string]int{}
	for seed, n := *firstSeed, 0; n < *programs; seed++ {
		flat, bodies := testkit.WaitingProgram(seed)
		model := memory.PSO
		if seed%8 == 0 {
			model = memory.TSO
		}
		cyclic, ok := cyclicAmong(flat, model, 400)
		if !ok {
			counts["too large"]++
			continue
		}
		n++
		for _, bare := range []bool{false, true} {
			out, err := robust.Run(context.Background(), &engine.Task{Program: flat, Props: &property.Set{}, Model: model, NoReduction: bare, Limits: engine.Limits{Workers: 1}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range out.Violations {
				if err := replays(flat, model, &out.Violations[i]); err != nil {
					t.Errorf("seed %d: %v\n%s", seed, err, bodies)
				}
			}
			switch {
			case len(out.Violations) > 0 && !cyclic || len(out.Violations) == 0 && out.Unknown == "" && cyclic:
				t.Fatalf("seed %d, %s, filters %v: %d attacks, an execution with a cycle exists: %v\n%s", seed, model, !bare, len(out.Violations), cyclic, bodies)
			case out.Unknown != "" && !bare:
				counts[fmt.Sprintf("unknown, cyclic %v", cyclic)]++
			case !bare:
				counts[fmt.Sprintf("robust %v", !cyclic)]++
			}
		}
	}
	t.Logf("%v", counts)
}
