package explicit_test

import (
	"flag"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
)

var keyPrograms = flag.Int("fp.keys", 300, "random programs whose keys are compared")

// spreadBlocks makes blocks large enough for several pieces, and lets accesses through pointers reach all of these. Zeros
// at the end of the first two sizes are the same string, where pieces have 16 bytes or more.
func spreadBlocks(p *ir.Program) {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			switch op := &f.Edges[i].Op; {
			case op.Kind == ir.Alloc:
				op.Val = ir.Int([]int64{40, 33, 16}[i%3])
			case (op.Kind == ir.Load || op.Kind == ir.Store || op.Kind == ir.RMW) && op.Addr.Op == ir.RegRef:
				op.Addr = ir.Binary(ir.Add, ir.S64, op.Addr, ir.Int(int64(8*(i%5))))
			}
		}
	}
}

// TestKeys: a key that is made from the key before equals the key of the whole state, in searches of random programs of all
// kinds under all models, with states stored whole and in parts, with symmetric threads and without.
func TestKeys(t *testing.T) {
	profiles := slices.Concat(testkit.Profiles, testkit.Rare)
	states, groups := 0, 0
	for n := range *keyPrograms {
		seed := *seedFlag + uint64(n)
		p := testkit.Generate(seed, profiles[seed%uint64(len(profiles))])
		if n%3 == 0 { // some threads are symmetric
			p.Threads = append(p.Threads[:min(2, len(p.Threads))], p.Threads[0])
		}
		flat, props := p.Flat()
		if n%2 == 0 {
			spreadBlocks(flat)
		}
		if n%3 == 0 {
			props.Final, props.Goals = nil, nil
		}
		for m, model := range testkit.Models {
			task := &engine.Task{Program: flat, Props: props, Model: model, NoReduction: (n+m)%7 == 0, Limits: engine.Limits{Buffer: n % 3, Workers: 1}}
			groups += explicit.Groups(task)
			restore := explicit.InternPieces([]int{0, 1 << 20}[(n+m)%2], 3+n/2%2)
			k, err := explicit.CheckKeys(task, 150)
			restore()
			states += k
			if err != nil {
				t.Fatalf("%v\nreproduce: go test ./internal/engine/explicit -run TestKeys -fp.keys=%d -fp.seed=%d\n%s, seed %d:\n%s", err, n+1, *seedFlag, model, seed, irtext.Print(flat))
			}
		}
	}
	if states < 10**keyPrograms || groups < *keyPrograms/10 {
		t.Errorf("only %d states and %d groups of symmetric threads in %d programs", states, groups, *keyPrograms)
	}
}
