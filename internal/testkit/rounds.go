package testkit

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Loops that may go round for ever, and what makes them hard to judge: rounds that read nothing, that store, lock or
// call, loops inside loops, and threads that end early.

// The statements of profile Rounds.
const (
	Still Kind = iota + 64 // while (Reg == Val) {}, with work on registers as Val2 says
	Round                  // do Body while (Reg != Val)
	End                    // if (Reg == Val) the function returns or, if Val2 is not 0, the thread ends
	Call                   // Body, in a function of its own
	Flip                   // Reg = Val - Reg
)

// rounds returns a statement of profile Rounds, and what it counts for.
func (g *generator) rounds(s Stmt, n, depth int) (Stmt, int) {
	switch k := g.r.IntN(10); {
	case k < 2:
		s.Kind, s.Val2 = Still, int64(g.r.IntN(5))
		return s, 1
	case k == 2:
		s.Kind = End
		return s, 1
	case k == 3 && n > 1 && depth < 2:
		s.Kind = Call
		s.Body = g.list(1+g.r.IntN(min(2, n-1)), depth+1)
		return s, 1 + len(s.Body)
	}
	s.Kind = Round
	if n > 2 && depth < 2 {
		s.Body = finite(g.list(1+g.r.IntN(min(2, n-2)), depth+1))
	}
	if g.r.IntN(4) > 0 { // else the round may read nothing
		test := g.statement()
		test.Kind = []Kind{Load, Load, Rmw, TryLock}[g.r.IntN(4)]
		test.Reg, test.RMW = s.Reg, []ir.RMWKind{ir.Cas, ir.Cas, ir.Xchg, ir.FetchOr}[g.r.IntN(4)]
		if test.Kind == TryLock {
			test.Val = 0
		}
		s.Body = append(s.Body, test)
	}
	if g.r.IntN(3) > 0 { // else stores may fill the buffer
		s.Body = append(s.Body, Stmt{Kind: Fence})
	}
	return s, 1 + len(s.Body)
}

// finite replaces statements that count: a loop around them has too many states.
func finite(list []Stmt) []Stmt {
	for i := range list {
		s := &list[i]
		switch {
		case s.Kind == Incr:
			s.Kind = Flip
		case s.Kind == Rmw && s.RMW == ir.FetchAdd:
			s.RMW = ir.Xchg
		}
		finite(s.Body)
		finite(s.Else)
	}
	return list
}

// round builds a statement of profile Rounds.
func (g *build) round(t int, here ir.Loc, s *Stmt) ir.Loc {
	reg := g.regs[s.Reg]
	test := func(from ir.Loc, op ir.ExprOp, to ir.Loc) {
		a := ir.NewOp(ir.Assume)
		a.Val = ir.Binary(op, ir.S64, ir.R(reg), ir.Int(s.Val))
		g.link(t, from, a, to)
	}
	assign := func(from ir.Loc, dst ir.Reg, v *ir.Expr) ir.Loc {
		op := ir.NewOp(ir.Assign)
		op.Dst, op.Val = dst, v
		return g.edge(t, from, op)
	}
	binary := func(op ir.ExprOp, x, y *ir.Expr) *ir.Expr { return ir.Binary(op, ir.S64, x, y) }
	switch s.Kind {
	case Flip:
		return assign(here, reg, binary(ir.Sub, ir.Int(s.Val), ir.R(reg)))
	case Call:
		op := ir.NewOp(ir.Call)
		// The functions of the threads come first.
		op.Call.Func = ir.FuncID(len(g.prog.Threads) + len(g.calls))
		g.calls = append(g.calls, called{t, s.Body})
		return g.edge(t, here, op)
	case End:
		next, over := g.f.Loc("", source.Span{}), g.f.Loc("", source.Span{})
		test(here, ir.Ne, next)
		test(here, ir.Eq, over)
		op := ir.NewOp(ir.Return)
		if s.Val2 != 0 {
			op = ir.NewOp(ir.ThreadExit)
		}
		g.edge(t, over, op)
		return next
	case Round:
		last := g.stmts(t, here, s.Body)
		if last == here {
			last = g.edge(t, here, ir.NewOp(ir.Nop))
		}
		next := g.f.Loc("", source.Span{})
		test(last, ir.Ne, here)
		test(last, ir.Eq, next)
		return next
	case Still:
		next, in := g.f.Loc("", source.Span{}), g.f.Loc("", source.Span{})
		test(here, ir.Ne, next)
		test(here, ir.Eq, in)
		switch s.Val2 {
		case 1:
			in = assign(in, reg, binary(ir.Mul, ir.R(reg), ir.Int(1)))
		case 2:
			other := g.regs[(s.Reg+1)%Regs]
			in = assign(in, other, binary(ir.Sub, ir.Int(1), ir.R(other)))
		case 3: // goes round three times, if the register is 0
			in = assign(in, reg, binary(ir.Mul, ir.R(reg), ir.Int(2)))
			in = assign(in, reg, binary(ir.And, ir.R(reg), ir.Int(7)))
		case 4:
			op := ir.NewOp(ir.Fence)
			op.Fence = ir.FullFence
			in = g.edge(t, in, op)
		}
		g.link(t, in, ir.NewOp(ir.Nop), here)
		return next
	default:
		panic(fmt.Sprintf("BUG: unknown statement %d", s.Kind))
	}
}

// called is the body of a function that a thread calls.
type called struct {
	thread int
	body   []Stmt
}

// functions builds the functions that threads call. They may call others.
func (g *build) functions() {
	for i := 0; i < len(g.calls); i++ {
		c := g.calls[i]
		g.f = g.b.Func(fmt.Sprintf("f%d", i), source.Span{})
		here := g.f.Loc("", source.Span{})
		for r := range Regs {
			g.regs[r] = g.f.Reg(fmt.Sprintf("r%d", r), 0, source.Span{})
		}
		g.edge(c.thread, g.stmts(c.thread, here, c.body), ir.NewOp(ir.Return))
	}
}
