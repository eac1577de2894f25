package smc_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// counted returns the counts that must not depend on the number of workers.
func counted(out *engine.Outcome) string {
	s := &out.Stats
	return fmt.Sprintf("%d executions, %d complete, %d blocked, %d in vain, %d exits, exhaustive %v, %d final states",
		s.Executions, s.FinalStates, s.Blocked, s.Redundant, out.Exits, out.Coverage.Exhaustive, len(out.Finals))
}

func violations(out *engine.Outcome) []string {
	var all []string
	for _, v := range out.Violations {
		all = append(all, fmt.Sprint(v.Kind, v.Class, v.Edge, v.Goal))
	}
	slices.Sort(all)
	return all
}

// TestWorkers: several workers explore what one does: as many executions of every kind, no trace
// twice, none cut off, the same violations and final states.
func TestWorkers(t *testing.T) {
	profiles := []testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true},
		{Name: "waits", Sync: true, Waits: true}, {Name: "heap", Heap: true}, {Name: "overlap", Overlap: true, Sync: true}, {Name: "overlap-plain", Overlap: true, Plain: true}}
	for i := range fewer(7 * *programs) {
		seed := uint64(*firstSeed + i)
		pr := profiles[i%len(profiles)]
		p, props := testkit.Generate(seed, pr).Flat()
		flat, props, err := transform.Unroll(p, props, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		props.Goals = nil
		m := testkit.Models[i/len(profiles)%3]
		props.Deadlock = props.Deadlock && (m == memory.SC || !engine.WaitsInside(flat)) // which is refused
		traces := i%2 == 0
		task := &engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true, Finals: true}
		opt := smc.Options{Traces: traces, CheckTraces: traces && pr.Plain}
		want, err := smc.New(opt).Run(context.Background(), task)
		if err != nil {
			t.Fatalf("seed %d, %s, %s: %v", seed, pr.Name, m, err)
		}
		for workers := 2; workers <= 4; workers++ {
			got, err := smc.ExploreTogether(task, opt, workers)
			if err != nil {
				t.Fatalf("seed %d, %s, %s, %d workers: %v", seed, pr.Name, m, workers, err)
			}
			if counted(want) != counted(got) || !slices.Equal(want.Finals, got.Finals) || !slices.Equal(violations(want), violations(got)) {
				t.Fatalf("seed %d, %s, %s, %d workers:\n%s %v, alone\n%s %v\n%s", seed, pr.Name, m, workers,
					counted(got), violations(got), counted(want), violations(want), irtext.Print(flat))
			}
		}
	}
}

// TestWorkersTraces: the executions of several workers are all traces, each once.
func TestWorkersTraces(t *testing.T) {
	for i := range fewer(*programs) {
		seed := uint64(*firstSeed + i)
		p, _ := testkit.Generate(seed, testkit.Profile{Name: "plain", Plain: true, Overlap: seed%2 == 1}).Flat()
		for _, m := range []memory.Model{memory.TSO, memory.PSO} {
			want, ok := testkit.NewTracker(memory.New(p, m, memory.Options{})).Traces(*histories)
			if !ok {
				continue
			}
			task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
			got, err := smc.ExploreTogether(task, smc.Options{Traces: true, CheckTraces: true}, 3)
			if err != nil || got.Stats.FinalStates != int64(len(want)) {
				t.Fatalf("seed %d, %s: %d executions of %d traces, %v\n%s", seed, m, got.Stats.FinalStates, len(want), err, irtext.Print(p))
			}
		}
	}
}
