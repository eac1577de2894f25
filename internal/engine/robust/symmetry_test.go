package robust_test

import (
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/testkit"
)

// TestSymmetry: with exchangeable threads the answer is the one without filters and symmetry, every attack
// replays, and the search is smaller.
func TestSymmetry(t *testing.T) {
	profiles := []testkit.Profile{
		{Name: "plain", Plain: true}, {Name: "loops", Plain: true, Loops: true}, {Name: "mixed", Plain: true, Mixed: true},
		{Name: "overlap", Plain: true, Overlap: true}, {Name: "sections", Plain: true, Sections: true},
	}
	counts := map[string]int{}
	var with, without int64
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		p := testkit.Generate(seed, profiles[seed%uint64(len(profiles))])
		first := p.Threads[0][:min(len(p.Threads[0]), 4)]
		other := p.Threads[1][:min(len(p.Threads[1]), 3)]
		p.Threads = [][]testkit.Stmt{first, other, first}
		if seed%3 == 0 {
			p.Threads = append(p.Threads, first)
		}
		flat, _ := p.Flat()
		if len(reduce.Groups(flat, func(ir.ThreadID) bool { return false })) == 0 {
			continue // it has mutexes, for example
		}
		for _, model := range []memory.Model{memory.TSO, memory.PSO} {
			bare, all := ask(t, flat, engine.Task{Model: model, NoReduction: true, Limits: engine.Limits{Memory: smallSearch / 4}})
			got, out := ask(t, flat, engine.Task{Model: model, Limits: engine.Limits{Memory: smallSearch}})
			if bare == "unknown" || got == "unknown" {
				continue
			}
			counts[model.String()+" "+got]++
			if got == "yes" && out.Stats.States > 0 {
				with, without = with+out.Stats.States, without+all.Stats.States
			}
			if got != bare {
				t.Fatalf("seed %d, %s: robust %s, without symmetry %s\nreproduce: go test ./internal/engine/robust -run TestSymmetry -fp.programs=1 -fp.seed=%d\n%s", seed, model, got, bare, seed, irtext.Print(flat))
			}
			for i := range out.Violations {
				if err := replays(flat, model, &out.Violations[i]); err != nil {
					t.Fatalf("seed %d, %s: %v", seed, model, err)
				}
			}
		}
	}
	t.Logf("%v; searches of robust programs: %d states, without filters and symmetry %d", counts, with, without)
	if *programs >= 60 && (counts["tso yes"] == 0 || counts["pso no"] == 0 || with*3 > without*2) {
		t.Error("the programs are all alike, or symmetry does not help")
	}
}
