package testkit

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// block builds the statements about blocks.
func (g *build) block(t int, here ir.Loc, s *Stmt) ir.Loc {
	reg := ir.R(g.regs[s.Reg])
	switch s.Kind {
	case Alloc:
		op := ir.NewOp(ir.Alloc)
		op.Dst, op.Val = g.regs[s.Reg], ir.Int(s.Val)
		return g.edge(t, here, op)
	case Deref:
		op := ir.NewOp(ir.Store)
		op.Type, op.Sync.Order, op.Addr, op.Val = ir.S64, ir.Plain, reg, ir.Int(s.Val)
		return g.edge(t, here, op)
	case LoadAt:
		op := ir.NewOp(ir.Load)
		op.Type, op.Sync.Order, op.Addr, op.Dst = ir.S64, ir.Plain, ir.R(g.regs[s.Reg2]), g.regs[s.Reg]
		return g.edge(t, here, op)
	case Free:
		op := ir.NewOp(ir.Free)
		op.Addr = reg
		return g.edge(t, here, op)
	}
	here = g.stmt(t, here, &Stmt{Kind: Alloc, Reg: s.Reg, Val: varSize})
	if s.Kind == Scratch {
		here = g.stmts(t, here, s.Body)
		return g.stmt(t, here, &Stmt{Kind: Free, Reg: s.Reg})
	}
	here = g.stmt(t, here, &Stmt{Kind: Deref, Reg: s.Reg, Val: s.Val})
	op := g.access(ir.RMW, s)
	op.RMW, op.Val, op.Dst, op.Sync.Order = ir.Xchg, reg, g.regs[s.Reg], ir.SeqCst
	here = g.edge(t, here, op)
	use := []Stmt{{Kind: LoadAt, Reg: (s.Reg + 1) % Regs, Reg2: s.Reg}, {Kind: Free, Reg: s.Reg}}
	return g.stmt(t, here, &Stmt{Kind: If, Reg: s.Reg, Else: use})
}

// join builds the statements that start the last thread, or join a thread by its number, which may not have started.
func (g *build) join(t int, here ir.Loc, s *Stmt) ir.Loc {
	if s.Kind == Start {
		if t == len(g.prog.Threads)-1 {
			return here
		}
		op := ir.NewOp(ir.Spawn)
		op.Call.Func, op.Dst = g.f.ID+ir.FuncID(len(g.prog.Threads)-1-t), g.regs[s.Reg]
		return g.edge(t, here, op)
	}
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
					all = append(all, op.Call.Threads...)
				} else if op.Kind == ir.Spawn {
					op.Call.Threads = slices.Clone(all)
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

// spawnOthers lets thread 0 start the others.
func (g *build) spawnOthers(here ir.Loc) ir.Loc {
	// The functions of the other threads come next, in order.
	inside := false
	for j := 1; j < len(g.prog.Threads); j++ {
		if g.prog.SpawnInside && (j == 2 || len(g.prog.Threads) == 2) {
			here = g.edge(0, here, ir.NewOp(ir.AtomicBegin))
			here = g.stmt(0, here, &Stmt{Kind: Rmw, RMW: ir.FetchAdd, Var: Vars - 1, Size: varSize, Val: 1})
			inside = true
		}
		op := ir.NewOp(ir.Spawn)
		op.Call.Func = g.f.ID + ir.FuncID(j)
		op.Dst = g.f.Reg(fmt.Sprintf("h%d", j), 0, source.Span{})
		g.handles = append(g.handles, op.Dst)
		here = g.edge(0, here, op)
	}
	if inside {
		here = g.edge(0, here, ir.NewOp(ir.AtomicEnd))
	}
	return here
}

func (g *build) abstractLoad(t int, here ir.Loc, s *Stmt) ir.Loc {
	reg := ir.R(g.regs[s.Reg])
	op := g.access(ir.AbstractLoad, s)
	op.Dst = g.regs[s.Reg]
	between := ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S64, reg, ir.Int(0)), ir.Binary(ir.Le, ir.S64, reg, ir.SeenValue()))
	op.Cond = ir.Binary(ir.LOr, ir.S64, between, ir.Binary(ir.Eq, ir.S64, ir.Int(s.Val), reg))
	op.Range = ir.Range{Bounded: true, Lo: -1, Hi: 3}
	to := g.edge(t, here, op)
	if s.Kind == ALoadOr {
		other := g.access(ir.Load, &Stmt{Var: (s.Var + 1) % Vars, Size: varSize})
		other.Dst = g.regs[s.Reg2]
		g.link(t, here, other, to)
	}
	return to
}
