package testkit_test

import (
	"errors"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/testkit"
)

// TestEndlessAgainstDefinition: the engines report loops that no thread can end exactly where the graph of
// all states has a state from which memory never changes and no execution ends. They may report more, for
// rounds that write and take it back, but only where no execution ends.
func TestEndlessAgainstDefinition(t *testing.T) {
	compared, endless := 0, 0
	problem := func(p *testkit.Program) string {
		flat, props := p.Flat()
		props.Goals, props.Final, props.Endless = nil, nil, true
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(flat, props, m)
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: enumerator: %v", m, err)
			}
			compared++
			if want.Endless {
				endless++
			}
			for _, e := range []struct {
				engine *engine.Engine
				how    testkit.How
			}{{testkit.Explicit, testkit.How{}}, {testkit.Explicit, testkit.How{NoReduction: true}}, {&smc.Engine, testkit.How{}}} {
				if e.engine.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
					continue
				}
				got, err := testkit.Ask(e.engine, flat, props, m, e.how)
				switch {
				case err != nil:
					return fmt.Sprintf("%s: %s: %v", m, e.engine.Name, err)
				case got.Endless && !want.NeverEnds:
					return fmt.Sprintf("%s: %s reports endless loops, but every state has an execution that ends", m, e.engine.Name)
				case want.Endless && !got.Endless:
					return fmt.Sprintf("%s: %s misses endless loops (%+v)", m, e.engine.Name, e.how)
				}
			}
		}
		return ""
	}
	n := *programs / 2
	for i := range n {
		seed := uint64(*firstSeed) + uint64(i)
		p := testkit.Generate(seed, testkit.Profile{Name: "spins", Spins: true, Sync: i%4 == 3, Spawn: i%8 == 1})
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Fatalf("seed %d: %s\nshrunk to:\n%s", seed, problem(small), ir.Print(flat))
		}
	}
	t.Logf("%d comparisons, %d with endless loops", compared, endless)
	if endless < n/10 {
		t.Errorf("only %d of %d comparisons had endless loops", endless, compared)
	}
}
