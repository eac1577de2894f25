package testkit_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/testkit"
)

// TestMemoryErrors holds the engines against the enumerator on random programs into
// which errors of memory are put: blocks without bytes, automatic storage that is
// freed and blocks of the heap that end like it, mutexes that are destroyed, threads
// that are joined twice, objects that are read-only, a main thread that ends by itself.
func TestMemoryErrors(t *testing.T) {
	var tooBig, found atomic.Int64
	classes := map[ir.CheckClass]*atomic.Int64{}
	for _, c := range []ir.CheckClass{ir.OutOfBounds, ir.InvalidFree, ir.Destroyed, ir.BadJoin, ir.ReadOnly} {
		classes[c] = new(atomic.Int64)
	}
	n := (*programs + 7) / 8
	inParallel(n, func(i int) {
		seed := *firstSeed + uint64(i)
		p := testkit.Generate(seed, []testkit.Profile{
			{Name: "heap", Heap: true}, {Name: "sync", Sync: true, Spawn: true}, {Name: "waits", Sync: true, Waits: true}, {Name: "spawn", Spawn: true},
		}[seed%4])
		flat, props := p.Flat()
		flat = withErrors(flat, rand.New(rand.NewPCG(seed, 18)))
		props.Deadlock = true
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(flat, props, m)
			if errors.Is(err, testkit.ErrTooBig) {
				tooBig.Add(1)
				continue
			}
			if err != nil {
				t.Errorf("seed %d, %s: enumerator: %v", seed, m, err)
				return
			}
			for _, c := range want.Checks {
				found.Add(1)
				for class, n := range classes {
					if len(c) > len(class.String()) && c[:len(class.String())+1] == class.String()+"@" {
						n.Add(1)
					}
				}
			}
			for _, e := range []struct {
				*engine.Engine
				how testkit.How
			}{{&explicit.Engine, testkit.How{}}, {&explicit.Engine, testkit.How{NoReduction: true}}, {&smc.Engine, testkit.How{First: true}}} {
				if err := e.Supports(&engine.Task{Program: flat, Props: props, Model: m}); err != nil {
					continue
				}
				got, err := testkit.Ask(e.Engine, flat, props, m, e.how)
				problem := ""
				switch {
				case err != nil:
					problem = err.Error()
				case e.how.First && want.Found() != got.Found():
					problem = fmt.Sprintf("violation: want %v, got %v", want.Found(), got.Found())
				case !e.how.First:
					problem = testkit.Difference(want, got)
				}
				if problem != "" {
					t.Errorf("seed %d, %s, %s: %s\nreproduce: go test ./internal/testkit -run TestMemoryErrors -fp.programs=1 -fp.seed=%d\n%s", seed, e.Name, m, problem, seed, ir.Print(flat))
					return
				}
			}
		}
	})
	t.Logf("%d programs, 3 models each: %d violations; %d questions too big for the oracle", n, found.Load(), tooBig.Load())
	for c, hits := range classes {
		if n >= 100 && hits.Load() == 0 {
			t.Errorf("no program has the error %s", c)
		}
	}
}

// withErrors puts errors into a flat program.
func withErrors(p *ir.Program, r *rand.Rand) *ir.Program {
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
		place := func() ir.Loc {
			c.Locs = append(c.Locs, ir.Location{Name: fmt.Sprintf("E%d", len(c.Locs))})
			return ir.Loc(len(c.Locs) - 1)
		}
		after := func(i int, op ir.Op) {
			to := c.Edges[i].To
			c.Edges[i].To = place()
			step(c.Edges[i].To, op, to)
		}
		for i := range f.Edges {
			switch op := &c.Edges[i].Op; {
			case op.Kind == ir.Alloc && one(3):
				op.Val = ir.Int(0)
			case op.Kind == ir.Alloc && one(4):
				op.Stack = true
			case op.Kind == ir.Free && one(4):
				op.Stack = true
			case op.Kind == ir.Join && one(6):
				after(i, *op)
			case mutex != nil && one(20) && !inside[f.Edges[i].From] && !inside[f.Edges[i].To]:
				destroy := ir.NewOp(ir.Store)
				destroy.Type, destroy.Order, destroy.Addr, destroy.Val = ir.U64, ir.Relaxed, mutex, ir.Int(ir.DestroyedMutex)
				after(i, destroy)
			}
		}
		if ir.FuncID(id) == out.Threads[0].Func && one(2) {
			for l := range f.Locs {
				if f.Ends(ir.Loc(l)) {
					step(ir.Loc(l), ir.NewOp(ir.ThreadExit), place())
				}
			}
		}
		out.Funcs[id] = &c
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the program with errors is broken: %v", errs[0]))
	}
	return &out
}
