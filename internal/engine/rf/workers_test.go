package rf_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestWorkers: two to four workers explore as many classes of every kind as one does.
func TestWorkers(t *testing.T) {
	total := int64(0)
	for i := range fewer(*compared / 4) {
		seed := uint64(*firstSeed + i)
		profiles := slices.Concat(testkit.Profiles, testkit.Rare)
		pr := profiles[seed%uint64(len(profiles))]
		p, _ := testkit.Generate(seed, pr).Flat()
		flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true}
			if rf.Engine.Supports(task) != nil {
				continue
			}
			one, err := rf.New(rf.Options{Traces: true}).Run(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(one.Unknown, "rf does not take") {
				continue
			}
			task.Limits.Workers = 2 + i%3
			several, err := rf.New(rf.Options{Traces: true}).Run(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			if one.Stats.Executions != several.Stats.Executions || one.Stats.FinalStates != several.Stats.FinalStates || one.Stats.Blocked != several.Stats.Blocked ||
				one.Failed != several.Failed || several.Unknown != "" || one.Coverage.Exhaustive != several.Coverage.Exhaustive || len(one.Violations) != len(several.Violations) {
				t.Fatalf("profile %s, seed %d, %s: %d classes with one worker, %d with %d (%+v, %+v)", pr.Name, seed, m, one.Stats.Executions, several.Stats.Executions, task.Limits.Workers, one, several)
			}
			total += one.Stats.Executions
		}
	}
	if total < 100 && !testing.Short() {
		t.Errorf("only %d classes", total)
	}
}
