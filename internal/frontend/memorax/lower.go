package memorax

import (
	"fencepost/internal/analysis"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
)

// Statements whose variables and registers have domains. A value outside its domain
// blocks: for what is computed by an assume before the step, which is left out
// where the domains of the registers show that it holds; for what is read by a
// condition of the reading step itself, since a read that blocks must not have
// happened. A pointer [E] is a choice among the global variables, each after an
// assume that E is its number.

// domainLowerer translates such statements of one process.
type domainLowerer struct {
	low *statement.Lowerer
	m   *compiler
}

// target is a variable that a variable may be.
type target struct {
	sharedVar
	guard *ir.Expr // nil: certainly this one
}

func (l *domainLowerer) inDomains(s *statement.Stmt, from, next ir.Loc) {
	if s.Kind == sPut {
		r, ok := l.low.Register(s.X.Name)
		if !ok {
			l.low.NotRegister(s.X)
			return
		}
		v := l.low.Resolve(s.Y).Pure
		at := l.guarded(l.member(v, l.domain(r), s.Y), s, from)
		l.low.Assign(r, v, at, next, s.Start, s.End)
		return
	}
	variable := s.X
	if s.Kind == sFetch {
		variable = s.Y
	}
	for _, t := range l.targets(variable) {
		if l.low.Compiler.Full {
			return
		}
		switch s.Kind {
		case sFetch:
			l.fetch(s, t, from, next)
		case sSeen:
			op := cellOp(ir.Await, t.obj)
			op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), l.low.Resolve(s.Y).Pure)
			l.low.Edge(l.guarded(t.guard, s, from), op, next, s.Start, s.End)
		case sWrite, sLocked:
			op := cellOp(ir.Store, t.obj)
			if s.Kind == sLocked {
				op = cellOp(ir.RMW, t.obj)
				op.RMW = ir.Xchg
			}
			op.Val = l.low.Resolve(s.Y).Pure
			at := l.guarded(both(t.guard, l.member(op.Val, t.dom, s.Y)), s, from)
			l.low.Edge(at, op, next, s.Start, s.End)
		case sSwap:
			op := cellOp(ir.RMW, t.obj)
			op.RMW, op.Sync.Fail = ir.Cas, ir.SeqCst
			op.Val, op.Val2 = l.low.Resolve(s.Y).Pure, l.low.Resolve(s.Z).Pure
			op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), op.Val)
			at := l.guarded(both(t.guard, l.member(op.Val2, t.dom, s.Z)), s, from)
			l.low.Edge(at, op, next, s.Start, s.End)
		default:
			panic("BUG: unknown statement")
		}
	}
}

// fetch reads a variable into a register.
func (l *domainLowerer) fetch(s *statement.Stmt, t target, from, next ir.Loc) {
	r, ok := l.low.Register(s.X.Name)
	if !ok {
		l.low.NotRegister(s.X)
		return
	}
	op := cellOp(ir.Load, t.obj)
	if dom := l.domain(r); dom != nil && (t.dom == nil || !t.dom.SubsetOf(*dom)) {
		op.Kind, op.Cond = ir.Await, inDomain(ir.SeenValue(), *dom)
	}
	op.Dst = r
	l.low.Edge(l.guarded(t.guard, s, from), op, next, s.Start, s.End)
}

// domain is the domain of a register; nil: all integers.
func (l *domainLowerer) domain(r ir.Reg) *analysis.Interval {
	if d, ok := l.low.Ranges[r]; ok {
		return &d
	}
	return nil
}

// member is the condition that v lies in the domain; nil: it certainly does.
func (l *domainLowerer) member(v *ir.Expr, dom *analysis.Interval, src *statement.Expr) *ir.Expr {
	if dom == nil {
		return nil
	}
	r, ok := analysis.RangeIn(l.low.Ranges, v)
	switch {
	case ok && r.SubsetOf(*dom):
		return nil
	case ok && (r.Hi < dom.Lo || r.Lo > dom.Hi):
		l.low.Compiler.Warnf(codeMBlocks, src.Start, src.End, "no value of this expression is in [%d:%d], so the statement always blocks", dom.Lo, dom.Hi)
	}
	return inDomain(v, *dom)
}

func inDomain(v *ir.Expr, dom analysis.Interval) *ir.Expr {
	return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S64, v, ir.Int(dom.Lo)), ir.Binary(ir.Le, ir.S64, v, ir.Int(dom.Hi)))
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
func (l *domainLowerer) guarded(cond *ir.Expr, s *statement.Stmt, from ir.Loc) ir.Loc {
	if cond == nil {
		return from
	}
	at := l.low.Loc(s.Start)
	l.low.Assume(cond, from, at, s.Start, s.End)
	return at
}

// targets returns the variables that an expression may designate; none after an error.
func (l *domainLowerer) targets(e *statement.Expr) []target {
	m := l.m
	switch e.Kind {
	case statement.ExprName:
		i, ok := m.byName[e.Name]
		if !ok {
			statement.Suggest(l.low.Compiler.Errorf(statement.CodeUndeclared, e.Start, e.End, "there is no global variable '%s'", statement.Clip(e.Name)), e.Name, m.byName)
			return nil
		}
		return []target{{sharedVar: m.globals[i]}}
	case statement.ExprOfProcess:
		return l.ofProcess(e)
	case statement.ExprMem:
		return l.pointees(e)
	default:
		panic("BUG: not a variable")
	}
}

// ofProcess finds name[my] and name[k], where k counts the processes without the
// one that says it.
func (l *domainLowerer) ofProcess(e *statement.Expr) []target {
	m := l.m
	owner := e.Val
	switch {
	case owner < 0:
		owner = l.low.Instance
	case owner >= l.low.Instance:
		owner++
	}
	if owner >= m.count {
		l.low.Compiler.Errorf(codeMOwner, e.Start, e.End, "P%d has no neighbour %d: there are %d processes", l.low.Instance, e.Val, m.count)
		return nil
	}
	v, ok := m.private[processVar{int(owner), e.Name}]
	if !ok {
		l.low.Compiler.Errorf(codeMOwner, e.Start, e.End, "process %d has no variable '%s'", owner, statement.Clip(e.Name))
		return nil
	}
	return []target{{sharedVar: v}}
}

// pointees finds what [E] may be.
func (l *domainLowerer) pointees(e *statement.Expr) []target {
	m := l.m
	n := l.low.Resolve(e.X)
	if n.Bad {
		return nil
	}
	var list []target
	r, known := analysis.RangeIn(l.low.Ranges, n.Pure)
	for i, v := range m.globals {
		if i := int64(i); known && (i < r.Lo || i > r.Hi) {
			continue
		}
		t := target{sharedVar: v}
		if !known || r.Lo < r.Hi {
			t.guard = ir.Binary(ir.Eq, ir.S64, n.Pure, ir.Int(int64(i)))
		}
		list = append(list, t)
	}
	if len(list) == 0 {
		l.low.Compiler.Errorf(codeMPointer, e.Start, e.End, "this points to none of the %d global variables", len(m.globals))
	}
	return list
}
