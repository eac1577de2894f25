package robust_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestAttacksFirst: in the other order the same attacks are found, and each replays.
func TestAttacksFirst(t *testing.T) {
	counts := map[string]int{}
	profiles := []testkit.Profile{{Name: "plain", Plain: true}, {Name: "loops", Plain: true, Loops: true}, {Name: "core"}, {Name: "sections", Plain: true, Sections: true}}
	for seed := *firstSeed; seed < *firstSeed+uint64(2**programs); seed++ {
		flat, _ := testkit.Generate(seed, profiles[seed%uint64(len(profiles))]).Flat()
		for _, model := range []memory.Model{memory.TSO, memory.PSO} {
			for _, all := range []bool{false, true} {
				task := engine.Task{Program: flat, Props: &property.Set{}, Model: model, KeepGoing: all, Limits: engine.Limits{Memory: smallSearch, Workers: 1 + int(seed%2)}}
				want := attacksOf(t, robust.Engine, flat, &task)
				got := attacksOf(t, robust.AttacksFirst, flat, &task)
				if want[0] == "unknown" || got[0] == "unknown" {
					counts["unknown"]++
					continue
				}
				counts[fmt.Sprint(got[0] == "robust")]++
				if all && !slices.Equal(got, want) || (got[0] == "robust") != (want[0] == "robust") {
					t.Fatalf("seed %d, %s: %v, want %v\n%s", seed, model, got, want, irtext.Print(flat))
				}
			}
		}
	}
	t.Log(counts)
	if counts["true"] == 0 || counts["false"] == 0 {
		t.Errorf("the programs are all alike: %v", counts)
	}
}

// attacksOf returns the attacks that an engine finds, in order.
func attacksOf(t *testing.T, e engine.Engine, p *ir.Program, task *engine.Task) []string {
	t.Helper()
	out, err := e.Run(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	if out.Unknown != "" {
		return []string{"unknown"}
	}
	var list []string
	for i := range out.Violations {
		v := &out.Violations[i]
		if err := replays(p, task.Model, v); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%d %d", v.Edge, v.Load))
	}
	if len(list) == 0 {
		return []string{"robust"}
	}
	slices.Sort(list)
	return list
}
