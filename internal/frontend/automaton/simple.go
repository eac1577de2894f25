package automaton

import (
	"fencepost/internal/ir"
)

// simple translates a statement without statements inside.
func (l *lowerer) simple(s *stmt, from, next ir.Loc) {
	switch s.kind {
	case sAssign:
		l.assignment(s, from, next)
	case sFence:
		l.fence(s.fence, from, next, s.start, s.end)
	case sSkip:
		l.nop(from, next, s.start, s.end)
	case sMark:
		l.mark(s, from, next)
	case sAssume:
		n := l.resolve(s.x)
		if n.lazy() {
			l.branch(n, from, next, nowhere, s.start, s.end)
			return
		}
		v, at := l.value(n, from)
		l.assume(v, at, next, s.start, s.end)
	case sAssert:
		op := ir.NewOp(ir.Assert)
		op.Class, op.Msg = ir.Assertion, s.name.text
		if op.Msg == "" {
			op.Msg = l.c.text(s.x.start, s.x.end)
		}
		v, at := l.value(l.resolve(s.x), from)
		op.Val = v
		l.edge(at, op, next, s.start, s.end)
	case sAwait:
		l.await(s, from, next)
	case sHavoc:
		l.havoc(s, from, next)
	case sRMW:
		if n := l.resolve(s.x); n.pure == nil {
			l.rmw(n, ir.NoReg, from, next, s.start, s.end)
		}
	case sPut, sFetch, sSeen, sWrite, sLocked, sSwap:
		l.inDomains(s, from, next)
	default:
		panic("BUG: unknown statement")
	}
}

func (l *lowerer) fence(kind ir.FenceKind, from, next ir.Loc, start, end int) {
	op := ir.NewOp(ir.Fence)
	op.Fence = kind
	l.edge(from, op, next, start, end)
}

// assignment translates stores, loads and local assignments.
func (l *lowerer) assignment(s *stmt, from, next ir.Loc) {
	if s.order == ir.Plain && s.x.kind == eName {
		if r, ok := l.register(s.x.name); ok {
			l.into(l.resolve(s.y), r, from, next, s.start, s.end)
			return
		}
		if _, ok := l.lookup(s.x); ok {
			l.c.errorf(codeNotAssignable, s.x.start, s.x.end, "'%s' is a constant and cannot be assigned to", clip(s.x.name))
			return
		}
	}
	p, n := l.scope.place(s.x), l.resolve(s.y)
	if p == nil {
		return
	}
	addr, at := l.addr(p, from)
	v, at := l.value(n, at)
	op := l.c.access(ir.Store, p, addr, s.order)
	op.Val = v
	switch s.order {
	case ir.Plain:
	case ir.Release:
		to := l.loc(s.start)
		l.fence(ir.StoreStoreFence, at, to, s.start, s.end)
		at = to
	case ir.SeqCst:
		op.Kind, op.RMW = ir.RMW, ir.Xchg
	default:
		panic("BUG: unknown order of a store")
	}
	l.edge(at, op, next, s.start, s.end)
}

// await translates the wait for a condition on one shared place.
func (l *lowerer) await(s *stmt, from, next ir.Loc) {
	k := l.constraint(l.resolve(s.x), ir.NoReg)
	switch {
	case k.bad:
		return
	case k.place == nil:
		l.c.errorf(codeAwait, s.start, s.end, "'await' must read a shared place").
			Note("'assume' is the same for registers")
		return
	case k.two:
		l.c.errorf(codeAwait, s.start, s.end, "'await' must read one shared place, not several")
		return
	}
	if !isTrue(k.skip.when) {
		op := l.c.access(ir.Await, k.place, k.addr, ir.Plain)
		op.Cond = k.cond
		l.edge(from, op, next, s.start, s.end)
	}
	if isTrue(k.skip.when) || !isZero(k.skip.value) {
		l.assume(k.skip.value, from, next, s.start, s.end)
	}
}
