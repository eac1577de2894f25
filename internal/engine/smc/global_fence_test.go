package smc_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
)

// TestGlobalFences: the same final states, failing checks, goals and deadlocks as the explicit engine on
// random programs with fences that wait for the buffers of all threads.
func TestGlobalFences(t *testing.T) {
	profiles := []testkit.Profile{
		{Name: "core", FenceAll: true}, {Name: "goal", FenceAll: true, Goal: true}, {Name: "sync", FenceAll: true, Sync: true},
		{Name: "heap", FenceAll: true, Heap: true}, {Name: "mixed", FenceAll: true, Mixed: true}, {Name: "spawn", FenceAll: true, Spawn: true},
	}
	asked := 0
	for i := range fewer(*compared) {
		seed := uint64(*firstSeed + i)
		pr := profiles[i%len(profiles)]
		flat, props := testkit.Generate(seed, pr).Flat()
		flat = withGlobalFences(flat, rand.New(rand.NewPCG(seed, 1)))
		if engine.GlobalFenceInside(flat) != nil || smc.Engine.Supports(&engine.Task{Program: flat, Props: props}) != nil {
			continue
		}
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			asked++
			got, err := testkit.Ask(&smc.Engine, flat, props, m, testkit.How{})
			what := fmt.Sprint(err)
			if err == nil {
				what = testkit.Difference(want, got)
			}
			if what != "" {
				t.Fatalf("profile %s, seed %d, %s: %s\n%s", pr.Name, seed, m, what, irtext.Print(flat))
			}
		}
	}
	t.Logf("%d questions", asked)
}

// withGlobalFences makes a third of the full fences global and removes the others.
func withGlobalFences(p *ir.Program, r *rand.Rand) *ir.Program {
	out := *p
	out.Funcs = make([]*ir.Func, len(p.Funcs))
	for i, f := range p.Funcs {
		c := *f
		c.Edges = append([]ir.Edge(nil), f.Edges...)
		for k := range c.Edges {
			switch op := &c.Edges[k].Op; {
			case op.Kind != ir.Fence || op.Fence != ir.FullFence:
			case r.IntN(3) == 0:
				op.Fence = ir.GlobalFence
			default:
				*op = ir.NewOp(ir.Nop)
			}
		}
		out.Funcs[i] = &c
	}
	out.Seal()
	return &out
}
