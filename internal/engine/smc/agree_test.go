package smc_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

var compared = flag.Int("fp.programs", 200, "random programs on which engines are compared")

// bySource is source-DPOR.
var bySource = engine.Engine{Name: "smc by source-DPOR", Run: smc.New(smc.Options{SourceDPOR: true}).Run}

// TestAgainstExplicit: with both algorithms the same final states, failing checks and deadlocks as
// the explicit engine on random programs of all kinds, spin loops included, and every witness
// replays.
func TestAgainstExplicit(t *testing.T) {
	problem := func(p *testkit.Program) (what string) {
		defer func() {
			if r := recover(); r != nil {
				what = fmt.Sprint(r)
			}
		}()
		flat, props := p.Flat()
		if smc.Engine.Supports(&engine.Task{Program: flat, Props: props, Model: memory.SC}) != nil {
			props.Goals = nil
		}
		waits := props.Deadlock && engine.WaitsInside(flat)
		for _, m := range testkit.Models {
			props.Deadlock = props.Deadlock && (!waits || m == memory.SC) // which is refused
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", m, err)
			}
			for _, e := range []*engine.Engine{&smc.Engine, &bySource} {
				got, err := testkit.Ask(e, flat, props, m, testkit.How{})
				if e == &bySource && err != nil && strings.Contains(err.Error(), "source-DPOR may miss") {
					continue // it says that it does not know
				}
				if err != nil {
					return fmt.Sprintf("%s, %s: %v", e.Name, m, err)
				}
				if d := testkit.Difference(want, got); d != "" {
					return fmt.Sprintf("%s, %s: %s", e.Name, m, d)
				}
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
			t.Errorf("profile %s, seed %d: %s\nshrunk to:\n%s", pr.Name, seed, problem(small), irtext.Print(flat))
			return
		}
	}
}
