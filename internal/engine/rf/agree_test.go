package rf_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

var compared = flag.Int("fp.programs", 200, "random programs on which engines are compared")

// TestAgainstExplicit: the same final states, failing checks, goals and deadlocks as the explicit engine
// on random programs of all kinds, spin loops included, and every witness replays.
func TestAgainstExplicit(t *testing.T) {
	taken := 0
	problem := func(p *testkit.Program) (what string) {
		defer func() {
			if r := recover(); r != nil {
				what = fmt.Sprint(r)
			}
		}()
		flat, props := p.Flat()
		if flat2 := (&engine.Task{Program: flat, Props: props, Model: memory.SC}); flat2.GoalsByLocation("rf") != nil {
			props.Goals = nil
		}
		for _, m := range testkit.Models {
			if rf.Engine.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
				return ""
			}
			got, err := testkit.Ask(&rf.Engine, flat, props, m, testkit.How{})
			if err != nil && strings.Contains(err.Error(), "rf does not take") {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: %v", m, err)
			}
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", m, err)
			}
			if d := testkit.Difference(want, got); d != "" {
				return fmt.Sprintf("%s: %s", m, d)
			}
		}
		taken++
		return ""
	}
	profiles := slices.Concat([]testkit.Profile{{Name: "spins", Spins: true}, {Name: "loops", Spins: true, Goal: true}}, testkit.Rare, testkit.Profiles)
	for i := range fewer(*compared) {
		seed := uint64(*firstSeed + i)
		pr := profiles[seed%uint64(len(profiles))]
		p := testkit.Generate(seed, pr)
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Errorf("profile %s, seed %d: %s\nshrunk to:\n%s", pr.Name, seed, problem(small), irtext.Print(flat))
			return
		}
	}
	t.Logf("%d of %d programs compared", taken, *compared)
}
