package testkit

import "fencepost/internal/ir"

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
