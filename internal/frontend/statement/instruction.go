package statement

import "fencepost/internal/ir"

// Simple translates a statement without statements inside.
func (l *Lowerer) Simple(s *Stmt, from, next ir.Loc) {
	switch s.Kind {
	case StmtAssign:
		l.assignment(s, from, next)
	case StmtFence:
		l.fence(s.Fence, s.Order, from, next, s.Start, s.End)
	case StmtSkip:
		l.nop(from, next, s.Start, s.End)
	case StmtMark:
		l.mark(s, from, next)
	case StmtAssume:
		n := l.Resolve(s.X)
		if n.lazy() {
			l.branch(n, from, next, nowhere, s.Start, s.End)
			return
		}
		v, at := l.value(n, from)
		l.Assume(v, at, next, s.Start, s.End)
	case StmtAssert:
		op := ir.NewOp(ir.Assert)
		op.Report = ir.Report{Class: ir.Assertion, Msg: s.Name.Text}
		if op.Report.Msg == "" {
			op.Report.Msg = l.Compiler.Text(s.X.Start, s.X.End)
		}
		v, at := l.value(l.Resolve(s.X), from)
		op.Val = v
		l.Edge(at, op, next, s.Start, s.End)
	case StmtAwait:
		l.await(s, from, next)
	case StmtHavoc:
		l.havoc(s, from, next)
	case StmtRMW:
		if n := l.Resolve(s.X); n.Pure == nil {
			l.rmw(n, ir.NoReg, from, next, s.Start, s.End)
		}
	default:
		if s.Kind < StmtLanguage || l.Compiler.Other == nil {
			panic("BUG: unknown statement")
		}
		l.Compiler.Other(l, s, from, next)
	}
}

// fence makes a fence. One with an order that does nothing to store buffers is no fence for models that have them.
func (l *Lowerer) fence(kind ir.FenceKind, order ir.Order, from, next ir.Loc, start, end int) {
	op := ir.NewOp(ir.Fence)
	op.Fence, op.Sync.Order = kind, order
	if kind == ir.FenceUnset {
		op.Kind = ir.Nop
	}
	l.Edge(from, op, next, start, end)
}

// assignment translates stores, loads and local assignments.
func (l *Lowerer) assignment(s *Stmt, from, next ir.Loc) {
	if s.Order == ir.Plain && s.X.Kind == ExprName && s.X.Order == ir.OrderUnset {
		if r, ok := l.Register(s.X.Name); ok {
			l.into(l.Resolve(s.Y), r, from, next, s.Start, s.End)
			return
		}
		if _, ok := l.lookup(s.X); ok {
			l.Compiler.Errorf(codeNotAssignable, s.X.Start, s.X.End, "'%s' is a constant and cannot be assigned to", Clip(s.X.Name))
			return
		}
	}
	p, n := l.Scope.cellRef(s.X), l.Resolve(s.Y)
	if p == nil {
		return
	}
	addr, at := l.addr(p, from)
	v, at := l.value(n, at)
	op := l.Compiler.access(ir.Store, p, addr, s.Order)
	op.Val = v
	switch s.Order {
	case ir.Plain, ir.Relaxed:
	case ir.Release:
		to := l.Loc(s.Start)
		l.fence(ir.StoreStoreFence, ir.OrderUnset, at, to, s.Start, s.End)
		at = to
	case ir.SeqCst:
		op.Kind, op.RMW, op.Sync.Marks = ir.RMW, ir.Xchg, ir.AsStore
	case ir.Acquire, ir.AcqRel: // an error was reported
	default:
		panic("BUG: unknown order of a store")
	}
	l.Edge(at, op, next, s.Start, s.End)
}

// await translates the wait for a condition on one shared variable.
func (l *Lowerer) await(s *Stmt, from, next ir.Loc) {
	k := l.constraint(l.Resolve(s.X), ir.NoReg)
	switch {
	case k.bad:
		return
	case k.cellRef == nil:
		l.Compiler.Errorf(codeAwait, s.Start, s.End, "'await' must read a shared variable").
			Note("use 'assume' for a condition on registers")
		return
	case k.two:
		l.Compiler.Errorf(codeAwait, s.Start, s.End, "'await' must read one shared variable, not several")
		return
	}
	if !isTrue(k.skip.when) {
		op := l.Compiler.access(ir.Await, k.cellRef, k.addr, ir.Plain)
		op.Cond = k.cond
		l.Edge(from, op, next, s.Start, s.End)
	}
	if isTrue(k.skip.when) || !isZero(k.skip.value) {
		l.Assume(k.skip.value, from, next, s.Start, s.End)
	}
}
