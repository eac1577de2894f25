package rf_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// ordered returns a program in which every access has an order that a seed picks, or is seq_cst.
func ordered(flat *ir.Program, rng *rand.Rand) *ir.Program {
	out := *transform.C11(flat, true)
	out.Funcs = slices.Clone(out.Funcs)
	for i, f := range out.Funcs {
		g := *f
		g.Edges = slices.Clone(f.Edges)
		for k := range g.Edges {
			op := &g.Edges[k].Op
			if !op.Accesses() || op.Sync.Kind != ir.SyncUnset || op.Sync.Order == ir.OrderUnset {
				continue
			}
			op.Sync.Order, op.Sync.Fail = ir.SeqCst, ir.OrderUnset
			if rng != nil {
				op.Sync.Order = map[bool][]ir.Order{
					true: {ir.Relaxed, ir.Acquire, ir.SeqCst}, false: {ir.Relaxed, ir.Release, ir.SeqCst},
				}[op.Kind != ir.Store][rng.IntN(3)]
			}
		}
		out.Funcs[i] = &g
	}
	out.Seal()
	return &out
}

// c11Profiles are kinds of programs: threads that start others, locks of all kinds, barriers, semaphores, conditions, blocks.
func c11Profiles() []testkit.Profile {
	return slices.Concat([]testkit.Profile{{Name: "spins", Spins: true}, {Name: "goal", Goal: true}, {Name: "heap", Heap: true}}, testkit.Rare, testkit.Profiles)
}

// TestC11Parts: under c11, too, an exploration that is divided at random points finds exactly what one run finds.
func TestC11Parts(t *testing.T) {
	total, taken := 0, 0
	profiles := c11Profiles()
	for i := range fewer(*divided) {
		seed := uint64(*firstSeed + i)
		pr := profiles[seed%uint64(len(profiles))]
		flat, props := testkit.Generate(seed, pr).Flat()
		flat = ordered(flat, rand.New(rand.NewPCG(seed, 47)))
		if (&engine.Task{Program: flat, Props: props, Model: memory.SC}).GoalsByLocation("rf") != nil {
			props.Goals = nil
		}
		task := &engine.Task{Program: flat, Props: props, Model: memory.C11, KeepGoing: true, Finals: seed%2 == 0, Limits: engine.Limits{Unroll: 2}}
		if rf.Engine.Supports(task) != nil {
			continue
		}
		what, portions := compare(t, task, rand.New(rand.NewPCG(seed, 1)))
		if what != "" {
			t.Fatalf("profile %s, seed %d: %s\n%s", pr.Name, seed, what, irtext.Print(flat))
		}
		total += portions
		taken++
	}
	t.Logf("%d portions of %d explorations", total, taken)
}
