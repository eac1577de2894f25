package statement

import "fencepost/internal/ir"

// Havoc and read abstraction [BEMT18 §2]: a register gets any value that
// satisfies a constraint. The constraint of one step may look at one shared
// cell, as the value the step sees.
//
// Differs from the paper: the values must be bounded, by a range or by the shape
// of the constraint, since engines enumerate them.

// constraint is a condition that one step tests.
type constraint struct {
	cond    *ir.Expr // over registers and the value seen
	cellRef *cellRef // nil: none is read
	addr    *ir.Expr
	skip    unread // when the cell is not read after all
	two     bool   // more than one cell is read
	bad     bool   // an error was reported
}

// constraint turns n into a condition of one step. dst is the register that
// stands for the new value in it, if any.
func (l *Lowerer) constraint(n *node, dst ir.Reg) constraint {
	k := constraint{bad: n.Bad}
	k.cond = l.oneStep(n, &k)
	if k.cellRef != nil && !k.two && !k.bad {
		var index *ir.Expr
		if k.cellRef.index != nil {
			index = k.cellRef.index.Pure
		}
		k.addr = k.cellRef.addr(index)
		if dst != ir.NoReg && mentions(k.addr, dst) {
			l.Compiler.Errorf(codeConstraint, n.src.Start, n.src.End, "the address that the constraint reads cannot depend on the new value")
			k.bad = true
		}
		k.split(unreadIn(n, dst))
	}
	return k
}

// split takes the case out that reads nothing: the condition is for the other one
// then, and where it is not the other one the address is harmless.
func (k *constraint) split(u unread) {
	k.skip = unread{u.when, conj(u.when, u.value)}
	if isZero(u.when) {
		return
	}
	if !isZero(k.skip.value) {
		k.cond = conj(ir.Negate(u.when), k.cond)
	}
	if k.cellRef.index != nil {
		harmless := ir.Int(0)
		if k.cellRef.obj != ir.NoObject {
			harmless = ir.Addr(k.cellRef.obj, 0)
		}
		k.addr = choice(u.when, harmless, k.addr)
	}
}

func (l *Lowerer) oneStep(n *node, k *constraint) *ir.Expr {
	switch {
	case n.Pure != nil:
		return n.Pure
	case n.reading():
		if n.cellRef.index != nil && n.cellRef.index.Pure == nil || k.cellRef != nil && !k.cellRef.same(n.cellRef) {
			k.two = true
		}
		k.cellRef = n.cellRef
		return ir.SeenValue()
	case n.src.Kind == ExprRMW:
		l.Compiler.Errorf(codeConstraint, n.src.Start, n.src.End, "'%s' cannot be part of a condition that is tested in one step", n.src.Name)
		k.bad = true
		return ir.Int(0)
	case n.checksDivisor():
		l.Compiler.Errorf(codeConstraint, n.y.src.Start, n.y.src.End, "the divisor must be constant in a condition that is tested in one step")
		k.bad = true
		return ir.Int(0)
	}
	x := l.oneStep(n.x, k)
	if n.src.Kind == ExprUnary {
		return ir.Unary(n.op, ir.S64, x)
	}
	y := l.oneStep(n.y, k)
	if n.src.Kind == ExprBinary {
		return ir.Binary(n.op, ir.S64, x, y)
	}
	return ir.Conditional(x, y, l.oneStep(n.z, k))
}

func mentions(e *ir.Expr, r ir.Reg) bool {
	found := false
	e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.RegRef && e.Reg == r })
	return found
}

func (l *Lowerer) havoc(s *Stmt, from, next ir.Loc) {
	dst, ok := l.Register(s.X.Name)
	if !ok {
		l.NotRegister(s.X)
		return
	}
	op := ir.NewOp(ir.Havoc)
	op.Dst = dst
	if s.Y != nil && !s.Constraint {
		from = l.bounds(s, &op, from)
		l.Edge(from, op, next, s.Start, s.End)
		return
	}
	if !s.Constraint {
		l.pick(s, op, from, next)
		return
	}
	k := l.constraint(l.Resolve(s.Y), dst)
	switch {
	case k.bad:
	case k.two:
		l.Compiler.Errorf(codeConstraint, s.Start, s.End, "a constraint can read one shared variable, not several")
	case k.cellRef == nil:
		op.Cond = k.cond
		l.pick(s, op, from, next)
	default:
		if !isTrue(k.skip.when) {
			load := l.Compiler.access(ir.AbstractLoad, k.cellRef, k.addr, ir.Plain)
			load.Dst, load.Cond = dst, k.cond
			l.pick(s, load, from, next)
		}
		if isTrue(k.skip.when) || !isZero(k.skip.value) {
			op.Cond = k.skip.value
			l.pick(s, op, from, next)
		}
	}
}

// pick adds the edge of a havoc or abstract load, once its values are bounded.
func (l *Lowerer) pick(s *Stmt, op ir.Op, from, next ir.Loc) {
	if r, ok := l.Ranges[op.Dst]; ok {
		op.Range = ir.Range{Bounded: true, Lo: r.Lo, Hi: r.Hi}
	}
	lower, upper := op.Range.Bounded, op.Range.Bounded
	if op.Cond != nil {
		if op.Cond = decided(op.Cond); isZero(op.Cond) { // there is no value at all
			l.Assume(op.Cond, from, next, s.Start, s.End)
			return
		}
		below, above := bounded(op.Cond, op.Dst)
		lower, upper = lower || below, upper || above
	}
	if !(lower && upper) && l.Compiler.Domain != nil {
		op.Range = ir.Range{Bounded: true, Lo: l.Compiler.Domain[0], Hi: l.Compiler.Domain[1]}
		lower, upper = true, true
	}
	if !(lower && upper) {
		l.unbounded(s, lower, upper)
		return
	}
	l.Edge(from, op, next, s.Start, s.End)
}

// NotRegister reports that a name stands for no register.
func (l *Lowerer) NotRegister(e *Expr) {
	if _, ok := l.Compiler.Declared[e.Name]; ok || e.Name == l.Thread.Decl.Index.Text {
		l.Compiler.Errorf(codeNotRegister, e.Start, e.End, "'%s' is not a register", Clip(e.Name))
		return
	}
	l.undeclared(e)
}

func (l *Lowerer) unbounded(s *Stmt, lower, upper bool) {
	missing := "bounds"
	switch {
	case lower:
		missing = "an upper bound"
	case upper:
		missing = "a lower bound"
	}
	name := Clip(s.X.Name)
	l.Compiler.Errorf(codeUnbounded, s.Start, s.End, "'havoc' needs %s for the values of '%s'", missing, name).
		Note("give a range with 'havoc %s in a..b', 'reg %s in a..b' or 'domain a..b', or bound it in the constraint", name, name)
}

// bounds takes in the range of "havoc r in a..b": as numbers where both are
// constant, as a constraint otherwise.
func (l *Lowerer) bounds(s *Stmt, op *ir.Op, from ir.Loc) ir.Loc {
	lo, hi := l.Resolve(s.Y), l.Resolve(s.Z)
	a, ok1 := lo.isConst()
	b, ok2 := hi.isConst()
	if ok1 && ok2 {
		if a > b {
			l.Compiler.Errorf(codeRange, s.Y.Start, s.Z.End, "the range %d..%d has no values", a, b)
		}
		op.Range = ir.Range{Bounded: true, Lo: a, Hi: b}
		return from
	}
	x, from := l.bound(s, lo, op.Dst, from)
	y, from := l.bound(s, hi, op.Dst, from)
	r := ir.R(op.Dst)
	op.Cond = ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S64, r, x), ir.Binary(ir.Le, ir.S64, r, y))
	return from
}

// bound evaluates a bound. Inside the constraint dst is the new value, so a
// bound over the old one is computed before, by a step of the whole statement: the
// text of the bound alone does not say what happens.
func (l *Lowerer) bound(s *Stmt, n *node, dst ir.Reg, at ir.Loc) (*ir.Expr, ir.Loc) {
	v, at := l.value(n, at)
	if !mentions(v, dst) {
		return v, at
	}
	tmp := l.temp("bound", n)
	to := l.Loc(n.src.End)
	l.Assign(tmp, v, at, to, s.Start, s.End)
	return ir.R(tmp), to
}

// bounded reports whether the shape of a constraint on r bounds it from below
// and from above.
func bounded(e *ir.Expr, r ir.Reg) (below, above bool) {
	if e.Op == ir.LAnd || e.Op == ir.LOr {
		b1, a1 := bounded(e.X, r)
		b2, a2 := bounded(e.Y, r)
		if e.Op == ir.LAnd {
			return b1 || b2, a1 || a2
		}
		return b1 && b2, a1 && a2
	}
	if !e.Op.IsCompare() {
		return false, false
	}
	op := e.Op
	is := func(e *ir.Expr) bool { return e.Op == ir.RegRef && e.Reg == r }
	switch {
	case is(e.X) && !mentions(e.Y, r):
	case is(e.Y) && !mentions(e.X, r):
		op = map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le, ir.Eq: ir.Eq, ir.Ne: ir.Ne}[op]
	default:
		return false, false
	}
	switch op {
	case ir.Eq:
		return true, true
	case ir.Lt, ir.Le:
		return false, true
	case ir.Gt, ir.Ge:
		return true, false
	default:
		return false, false
	}
}
