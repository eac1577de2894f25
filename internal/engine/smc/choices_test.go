package smc_test

import (
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestChoices: programs of choices have one execution for every order of events, and the failing checks and deadlocks
// that the explicit engine finds.
func TestChoices(t *testing.T) {
	total, skipped, failing := 0, 0, 0
	for i := range fewer(4 * *programs) {
		seed := uint64(*firstSeed + i)
		p, diags := irtext.Parse("choices.ir", []byte(testkit.ChoiceProgram(seed)))
		if diags.HasErrors() {
			t.Fatal(diags.All, testkit.ChoiceProgram(seed))
		}
		p = transform.SplitFailures(p)
		m := testkit.Models[i%3]
		task := &engine.Task{Program: p, Props: &property.Set{Checks: true, Deadlock: true}, Model: m, KeepGoing: true}
		if smc.Engine.Supports(task) != nil {
			skipped++
			continue
		}
		n, ok := countOrders(t, task, smc.Options{})
		if total += n; !ok {
			skipped++
		}
		want, err := testkit.Ask(testkit.Explicit, p, task.Props, m, testkit.How{})
		if err != nil {
			t.Fatalf("seed %d, %s: explicit: %v", seed, m, err)
		}
		got, err := testkit.Ask(&smc.Engine, p, task.Props, m, testkit.How{})
		if err != nil {
			t.Errorf("smc: %v", err)
		} else if d := testkit.Difference(want, got); d != "" {
			t.Error(d)
		}
		failing += bit(len(want.Checks) > 0 || want.Deadlock)
		if t.Failed() {
			t.Fatalf("seed %d, %s\n%s", seed, m, irtext.Print(p))
		}
	}
	t.Logf("%d orders, %d programs skipped, %d with violations", total, skipped, failing)
	if failing == 0 {
		t.Error("no program has violations")
	}
}
