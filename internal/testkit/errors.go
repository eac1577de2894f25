package testkit

import (
	"fmt"
	"math/rand/v2"

	"fencepost/internal/ir"
)

// ErrorProfiles has the profiles of programs that WithErrors can change.
var ErrorProfiles = []Profile{
	{Name: "heap", Heap: true}, {Name: "sync", Sync: true, Spawn: true}, {Name: "waits", Sync: true, Waits: true}, {Name: "spawn", Spawn: true},
}

// WithErrors returns a copy of a flat program with memory errors in it: blocks without
// bytes, frees that confuse automatic storage with the heap, destroyed mutexes, threads
// that are joined twice, read-only objects, a main thread that ends before the others.
func WithErrors(p *ir.Program, seed uint64) *ir.Program {
	r := rand.New(rand.NewPCG(seed, 18))
	out := *p
	out.Objects = append([]ir.Object(nil), p.Objects...)
	out.Funcs = append([]*ir.Func(nil), p.Funcs...)
	one := func(n int) bool { return r.IntN(n) == 0 }
	if one(3) {
		out.Objects[r.IntN(len(out.Objects))].ReadOnly = true
	}
	if one(2) && len(out.Threads) > 0 {
		out.Main = 0
	}
	var mutex *ir.Expr
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Lock {
				mutex = f.Edges[i].Op.Addr
			}
		}
	}
	for id, f := range p.Funcs {
		c := *f
		c.Edges, c.Locs = append([]ir.Edge(nil), f.Edges...), append([]ir.Location(nil), f.Locs...)
		inside, err := ir.SectionLocs(f)
		if err != nil {
			panic(err)
		}
		step := func(from ir.Loc, op ir.Op, to ir.Loc) {
			c.Edges = append(c.Edges, ir.Edge{ID: out.NextEdge, Origin: out.NextEdge, From: from, To: to, Op: op})
			out.NextEdge++
		}
		newLoc := func() ir.Loc {
			c.Locs = append(c.Locs, ir.Location{Name: fmt.Sprintf("E%d", len(c.Locs))})
			return ir.Loc(len(c.Locs) - 1)
		}
		after := func(i int, op ir.Op) {
			to := c.Edges[i].To
			c.Edges[i].To = newLoc()
			step(c.Edges[i].To, op, to)
		}
		for i := range f.Edges {
			switch op := &c.Edges[i].Op; {
			case op.Kind == ir.Alloc && one(3):
				op.Val = ir.Int(0)
			case op.Kind == ir.Alloc && one(4):
				op.Block.Stack = true
			case op.Kind == ir.Free && one(4):
				op.Block.Stack = true
			case op.Kind == ir.Join && one(6):
				after(i, *op)
			case mutex != nil && one(20) && !inside[f.Edges[i].From] && !inside[f.Edges[i].To]:
				destroy := ir.NewOp(ir.Store)
				destroy.Type, destroy.Sync.Order, destroy.Addr, destroy.Val = ir.U64, ir.Relaxed, mutex, ir.Int(ir.DestroyedMutex)
				after(i, destroy)
			}
		}
		if ir.FuncID(id) == out.Threads[0].Func && one(2) {
			for l := range f.Locs {
				if f.Ends(ir.Loc(l)) {
					step(ir.Loc(l), ir.NewOp(ir.ThreadExit), newLoc())
				}
			}
		}
		out.Funcs[id] = &c
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the program with errors is not valid: %v", errs[0]))
	}
	return &out
}
