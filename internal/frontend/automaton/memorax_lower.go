package automaton

import (
	"fencepost/internal/ir"
)

// Statements whose places and registers have domains. A value outside its domain
// blocks: for what is computed by an assume before the step, which is left out
// where the domains of the registers show that it holds; for what is read by a
// condition of the reading step itself, since a read that blocks must not have
// happened. A pointer [E] is a choice among the global variables, each behind an
// assume that E is its number.

// target is a variable that a place may be.
type target struct {
	sharedVar
	guard *ir.Expr // nil: certainly this one
}

func (l *lowerer) inDomains(s *stmt, from, next ir.Loc) {
	if s.kind == sPut {
		r, ok := l.register(s.x.name)
		if !ok {
			l.notRegister(s.x)
			return
		}
		v := l.resolve(s.y).pure
		at := l.guarded(l.member(v, l.domain(r), s.y), s, from)
		l.assign(r, v, at, next, s.start, s.end)
		return
	}
	place := s.x
	if s.kind == sFetch {
		place = s.y
	}
	for _, t := range l.targets(place) {
		if l.c.full {
			return
		}
		switch s.kind {
		case sFetch:
			l.fetch(s, t, from, next)
		case sSeen:
			op := cellOp(ir.Await, t.obj)
			op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), l.resolve(s.y).pure)
			l.edge(l.guarded(t.guard, s, from), op, next, s.start, s.end)
		case sWrite, sLocked:
			op := cellOp(ir.Store, t.obj)
			if s.kind == sLocked {
				op = cellOp(ir.RMW, t.obj)
				op.RMW = ir.Xchg
			}
			op.Val = l.resolve(s.y).pure
			at := l.guarded(both(t.guard, l.member(op.Val, t.dom, s.y)), s, from)
			l.edge(at, op, next, s.start, s.end)
		case sSwap:
			op := cellOp(ir.RMW, t.obj)
			op.RMW, op.Fail = ir.Cas, ir.SeqCst
			op.Val, op.Val2 = l.resolve(s.y).pure, l.resolve(s.z).pure
			op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), op.Val)
			at := l.guarded(both(t.guard, l.member(op.Val2, t.dom, s.z)), s, from)
			l.edge(at, op, next, s.start, s.end)
		default:
			panic("BUG: unknown statement")
		}
	}
}

// fetch reads a variable into a register.
func (l *lowerer) fetch(s *stmt, t target, from, next ir.Loc) {
	r, ok := l.register(s.x.name)
	if !ok {
		l.notRegister(s.x)
		return
	}
	op := cellOp(ir.Load, t.obj)
	if dom := l.domain(r); dom != nil && (t.dom == nil || !t.dom.within(*dom)) {
		op.Kind, op.Cond = ir.Await, within(ir.SeenValue(), *dom)
	}
	op.Dst = r
	l.edge(l.guarded(t.guard, s, from), op, next, s.start, s.end)
}

// domain is the domain of a register; nil: all integers.
func (l *lowerer) domain(r ir.Reg) *interval {
	if d, ok := l.ranges[r]; ok {
		return &interval{d[0], d[1]}
	}
	return nil
}

// member is the condition that v lies in the domain; nil: it certainly does.
func (l *lowerer) member(v *ir.Expr, dom *interval, src *expr) *ir.Expr {
	if dom == nil {
		return nil
	}
	r, ok := valueRange(v, l.ranges)
	switch {
	case ok && r.within(*dom):
		return nil
	case ok && (r.hi < dom.lo || r.lo > dom.hi):
		l.c.warnf(codeMBlocks, src.start, src.end, "no value of this lies in [%d:%d]: it always blocks", dom.lo, dom.hi)
	}
	return within(v, *dom)
}

func within(v *ir.Expr, dom interval) *ir.Expr {
	return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S64, v, ir.Int(dom.lo)), ir.Binary(ir.Le, ir.S64, v, ir.Int(dom.hi)))
}

// both is the conjunction of two conditions, either of which may be absent.
func both(a, b *ir.Expr) *ir.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return ir.Binary(ir.LAnd, ir.S64, a, b)
}

// guarded is where control is after an assume, if there is one to make.
func (l *lowerer) guarded(cond *ir.Expr, s *stmt, from ir.Loc) ir.Loc {
	if cond == nil {
		return from
	}
	at := l.loc(s.start)
	l.assume(cond, from, at, s.start, s.end)
	return at
}

// targets is what a place may be; none after an error.
func (l *lowerer) targets(e *expr) []target {
	m := l.c.memorax
	switch e.kind {
	case eName:
		i, ok := m.byName[e.name]
		if !ok {
			suggest(l.c.errorf(codeUndeclared, e.start, e.end, "there is no global variable '%s'", clip(e.name)), e.name, m.byName)
			return nil
		}
		return []target{{sharedVar: m.globals[i]}}
	case eOwn:
		return l.ownedBy(e)
	case eMem:
		return l.pointees(e)
	default:
		panic("BUG: not a place")
	}
}

// ownedBy finds name[my] and name[k], where k counts the processes without the
// one that says it.
func (l *lowerer) ownedBy(e *expr) []target {
	m := l.c.memorax
	owner := e.val
	switch {
	case owner < 0:
		owner = l.instance
	case owner >= l.instance:
		owner++
	}
	if owner >= m.count {
		l.c.errorf(codeMOwner, e.start, e.end, "P%d has no neighbour %d: there are %d processes", l.instance, e.val, m.count)
		return nil
	}
	v, ok := m.owned[owned{int(owner), e.name}]
	if !ok {
		l.c.errorf(codeMOwner, e.start, e.end, "process %d has no variable '%s'", owner, clip(e.name))
		return nil
	}
	return []target{{sharedVar: v}}
}

// pointees finds what [E] may be.
func (l *lowerer) pointees(e *expr) []target {
	m := l.c.memorax
	n := l.resolve(e.x)
	if n.bad {
		return nil
	}
	var list []target
	r, known := valueRange(n.pure, l.ranges)
	for i, v := range m.globals {
		if i := int64(i); known && (i < r.lo || i > r.hi) {
			continue
		}
		t := target{sharedVar: v}
		if !known || r.lo < r.hi {
			t.guard = ir.Binary(ir.Eq, ir.S64, n.pure, ir.Int(int64(i)))
		}
		list = append(list, t)
	}
	if len(list) == 0 {
		l.c.errorf(codeMPointer, e.start, e.end, "this points to none of the %d global variables", len(m.globals))
	}
	return list
}
