package testkit

import (
	"slices"

	"fencepost/internal/ir"
)

// block builds the statements that allocate a block and free one.
func (g *build) block(t int, here ir.Loc, s *Stmt) ir.Loc {
	here = g.stmt(t, here, &Stmt{Kind: Alloc, Reg: s.Reg, Val: varSize})
	if s.Kind == Scratch {
		here = g.stmts(t, here, s.Body)
		return g.stmt(t, here, &Stmt{Kind: Free, Reg: s.Reg})
	}
	here = g.stmt(t, here, &Stmt{Kind: Deref, Reg: s.Reg, Val: s.Val})
	op := g.access(ir.RMW, s)
	op.RMW, op.Val, op.Dst, op.Order = ir.Xchg, ir.R(g.regs[s.Reg]), g.regs[s.Reg], ir.SeqCst
	here = g.edge(t, here, op)
	use := []Stmt{{Kind: LoadAt, Reg: (s.Reg + 1) % Regs, Reg2: s.Reg}, {Kind: Free, Reg: s.Reg}}
	return g.stmt(t, here, &Stmt{Kind: If, Reg: s.Reg, Else: use})
}

// join builds the statements that join a thread by its number, which may not have started.
func (g *build) join(t int, here ir.Loc, s *Stmt) ir.Loc {
	op := ir.NewOp(ir.Join)
	op.Val = ir.Int(s.Val)
	to := g.edge(t, here, op)
	if s.Kind == JoinOr {
		other := g.access(ir.Store, s)
		other.Val = ir.Int(1)
		if s.Reg != 0 {
			other = ir.NewOp(ir.Join)
			other.Val = ir.Int(s.Val2)
		}
		g.link(t, here, other, to)
	}
	return to
}

// shareStarts lets every spawn start either of the first two threads that spawns start. There are no others.
func shareStarts(p *ir.Program) {
	var all []ir.ThreadID
	for pass := range 2 {
		for t := range p.Threads {
			f := p.ThreadFunc(ir.ThreadID(t))
			for i := range f.Edges {
				if op := &f.Edges[i].Op; op.Kind == ir.Spawn && pass == 0 {
					all = append(all, op.Threads...)
				} else if op.Kind == ir.Spawn {
					op.Threads = slices.Clone(all)
				}
			}
		}
		slices.Sort(all)
		all = all[:min(2, len(all))]
	}
	if len(all) == 2 {
		p.Threads = p.Threads[:all[1]+1]
	}
}
