package testkit

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Sections of profile Inside: they never wait, and have everything else that is allowed inside a section.

// mixture returns n statements for an atomic section of profile Inside.
func (g *generator) mixture(n, depth int) []Stmt {
	var out []Stmt
	for range n {
		s := g.statement()
		k := g.r.IntN(100)
		switch {
		case g.pr.Sync && k < 35:
			s.Val = int64(g.r.IntN(2))
			s.Kind = []Kind{Signal, Signal, Bcast, TryLock}[g.r.IntN(4)]
			if s.Kind == TryLock && depth == 0 {
				s.Body = g.mixture(g.r.IntN(2), 1)
			}
		case g.pr.Heap && k < 50:
			s = g.heap()
		case g.pr.Reuse && k < 40 && depth == 0:
			s, _ = g.reuse(2)
		case g.pr.Loops && k < 60 && depth == 0:
			s.Kind, s.Body = []Kind{Loop, Times}[g.r.IntN(2)], g.mixture(1+g.r.IntN(2), 1)
		case k < 85:
			s.Kind = []Kind{Store, Load, Load, StoreReg, Load, Rmw}[g.r.IntN(6)]
			s.RMW = []ir.RMWKind{ir.Xchg, ir.FetchAdd, ir.Cas}[g.r.IntN(3)]
		case k < 94 && depth == 0:
			s.Kind = []Kind{If, Choose}[g.r.IntN(2)]
			s.Body, s.Else = g.mixture(1, 1), g.mixture(g.r.IntN(2), 1)
		default:
			s.Kind = []Kind{Incr, Assert, Havoc, ALoad, Assume, Fence}[g.r.IntN(6)]
			if s.Kind == Havoc {
				s.Val = 1
			}
		}
		out = append(out, s)
	}
	return out
}

// times adds a counted loop, and returns the location after it.
func (g *build) times(t int, here ir.Loc, s *Stmt) ir.Loc {
	count := g.f.Reg(fmt.Sprintf("c%d", len(g.f.F.Regs)), 0, source.Span{})
	zero, next := ir.NewOp(ir.Assign), ir.NewOp(ir.Assign)
	zero.Dst, zero.Val = count, ir.Int(0)
	next.Dst, next.Val = count, ir.Binary(ir.Add, ir.S64, ir.R(count), ir.Int(1))
	again, over := ir.NewOp(ir.Assume), ir.NewOp(ir.Assume)
	again.Val = ir.Binary(ir.Le, ir.S64, ir.R(count), ir.Int(s.Val2))
	over.Val = ir.Binary(ir.Gt, ir.S64, ir.R(count), ir.Int(s.Val2))
	head := g.edge(t, here, zero)
	g.link(t, g.stmts(t, g.edge(t, head, again), s.Body), next, head)
	return g.edge(t, head, over)
}
