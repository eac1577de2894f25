package testkit

import (
	"fmt"
	"math/rand/v2"

	"fencepost/internal/ir"
)

// WithUnsupported returns a copy of a flat program in which some locations lead to operations that are
// not supported: always, by a free choice, or if a register holds a value.
func WithUnsupported(p *ir.Program, seed uint64) *ir.Program {
	r := rand.New(rand.NewPCG(seed, 21))
	out := *p
	out.Funcs = append([]*ir.Func(nil), p.Funcs...)
	for id, f := range p.Funcs {
		c := *f
		c.Edges, c.Locs = append([]ir.Edge(nil), f.Edges...), append([]ir.Location(nil), f.Locs...)
		newLoc := func() ir.Loc {
			c.Locs = append(c.Locs, ir.Location{Name: fmt.Sprintf("U%d", len(c.Locs))})
			return ir.Loc(len(c.Locs) - 1)
		}
		step := func(from ir.Loc, op ir.Op, to ir.Loc) {
			c.Edges = append(c.Edges, ir.Edge{ID: out.NextEdge, Origin: out.NextEdge, From: from, To: to, Op: op, Pos: at(id, int(out.NextEdge)+1)})
			out.NextEdge++
		}
		stop := ir.NewOp(ir.Unsupported)
		stop.Report = ir.Report{Code: "C0101", Msg: "a random construct is not supported"}
		for i := range f.Edges {
			if r.IntN(10) != 0 || c.Edges[i].Op.Terminal() || c.Edges[i].Op.Kind == ir.Spawn {
				continue
			}
			switch r.IntN(4) {
			case 0:
				c.Edges[i].Op = stop
			case 1:
				step(f.Edges[i].From, stop, newLoc())
			default:
				if len(f.Regs) == 0 {
					continue
				}
				test := ir.NewOp(ir.Assume)
				test.Val = ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(r.IntN(len(f.Regs)))), ir.Int(int64(r.IntN(3))))
				from := newLoc()
				step(f.Edges[i].To, test, from)
				step(from, stop, newLoc())
			}
		}
		out.Funcs[id] = &c
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the program with unsupported operations is not valid: %v", errs[0]))
	}
	return &out
}
