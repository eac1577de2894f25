package smc_test

import (
	"errors"
	"flag"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/testkit"
)

var compared = flag.Int("fp.programs", 400, "random programs on which engines are compared")

// TestAgainstExplicit: the same final states, failing checks and deadlocks as the
// explicit engine on random programs of all kinds, spin loops included, and every
// witness replays.
func TestAgainstExplicit(t *testing.T) {
	problem := func(p *testkit.Program) (what string) {
		defer func() {
			if r := recover(); r != nil {
				what = fmt.Sprint(r)
			}
		}()
		flat, props := p.Flat()
		if smc.Engine.Supports(&engine.Task{Program: flat, Props: props}) != nil {
			props.Goals = nil
		}
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", m, err)
			}
			got, err := testkit.Ask(&smc.Engine, flat, props, m, testkit.How{})
			if err != nil {
				return fmt.Sprintf("%s: %v", m, err)
			}
			if d := testkit.Difference(want, got); d != "" {
				return fmt.Sprintf("%s: %s", m, d)
			}
		}
		return ""
	}
	for i := range fewer(*compared) {
		seed := uint64(*firstSeed + i)
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		p := testkit.Generate(seed, pr)
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Errorf("profile %s, seed %d: %s\nshrunk to:\n%s", pr.Name, seed, problem(small), ir.Print(flat))
			return
		}
	}
}
