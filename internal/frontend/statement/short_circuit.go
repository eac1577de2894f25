package statement

import "fencepost/internal/ir"

// The idea: a condition of one step reads its cell unless an operand of && || ?:
// that comes before decides. As nothing was read before the first read, what
// decides is over registers only, so whether the cell is read is known before
// the step. The step that reads is then for the one case, and a step that accesses
// no memory for the other.

// unread is when a condition does not read its cell, and its value then.
type unread struct {
	when  *ir.Expr // 0 or 1, over registers
	value *ir.Expr // meaningful where when holds; may mention the new value
}

// unreadIn finds out about n. dst, if any, is the register whose new value the step
// is to find: what it decides is not known before, and the cell counts as read.
func unreadIn(n *node, dst ir.Reg) unread {
	switch {
	case n.Pure != nil:
		return unread{ir.Int(1), n.Pure}
	case n.reading(), n.src.Kind == ExprRMW:
		return unread{ir.Int(0), ir.Int(0)}
	}
	x := unreadIn(n.x, dst)
	if n.src.Kind == ExprUnary {
		return unread{x.when, ir.Unary(n.op, ir.S64, x.value)}
	}
	y := unreadIn(n.y, dst)
	if n.src.Kind == ExprCond {
		return x.choose(y, unreadIn(n.z, dst), dst)
	}
	// A short circuit is a choice whose other way has a known value.
	switch n.op {
	case ir.LAnd:
		return x.choose(y.truth(), unread{ir.Int(1), ir.Int(0)}, dst)
	case ir.LOr:
		return x.choose(unread{ir.Int(1), ir.Int(1)}, y.truth(), dst)
	}
	return unread{conj(x.when, y.when), ir.Binary(n.op, ir.S64, x.value, y.value)}
}

func (u unread) truth() unread { return unread{u.when, truth(u.value)} }

// choose is x ? y : z.
func (x unread) choose(y, z unread, dst ir.Reg) unread {
	when := choice(x.value, y.when, z.when)
	if mentions(x.value, dst) {
		yes, no := surely(x.value, dst)
		when = disj(conj(y.when, z.when), disj(conj(yes, y.when), conj(no, z.when)))
	}
	out := unread{when: conj(x.when, when)}
	switch {
	case isZero(y.when): // not read: z was chosen
		out.value = z.value
	case isZero(z.when):
		out.value = y.value
	default:
		out.value = choice(x.value, y.value, z.value)
	}
	return out
}

// surely is when e holds, and when it does not, whatever dst is.
func surely(e *ir.Expr, dst ir.Reg) (yes, no *ir.Expr) {
	switch {
	case !mentions(e, dst):
		return truth(e), ir.Negate(truth(e))
	case e.Op == ir.Not:
		yes, no = surely(e.X, dst)
		return no, yes
	case e.Op == ir.LAnd || e.Op == ir.LOr:
		yes1, no1 := surely(e.X, dst)
		yes2, no2 := surely(e.Y, dst)
		if e.Op == ir.LAnd {
			return conj(yes1, yes2), disj(no1, no2)
		}
		return disj(yes1, yes2), conj(no1, no2)
	}
	return ir.Int(0), ir.Int(0)
}

func isZero(e *ir.Expr) bool {
	v, ok := e.IsConst()
	return ok && v == 0
}

func isTrue(e *ir.Expr) bool {
	v, ok := e.IsConst()
	return ok && v != 0
}

// conj is x && y, without what constants decide.
func conj(x, y *ir.Expr) *ir.Expr { return joined(ir.LAnd, 0, x, y, isZero, isTrue) }

// disj is x || y, without what constants decide.
func disj(x, y *ir.Expr) *ir.Expr { return joined(ir.LOr, 1, x, y, isTrue, isZero) }

// joined is x op y, where an operand that decides makes the result a constant, and one that is neutral is left out.
func joined(op ir.ExprOp, decided int64, x, y *ir.Expr, decides, neutral func(*ir.Expr) bool) *ir.Expr {
	switch {
	case decides(x) || decides(y):
		return ir.Int(decided)
	case neutral(x):
		return truth(y)
	case neutral(y) || x.Equal(y):
		return truth(x)
	}
	return ir.Binary(op, ir.S64, x, y)
}

// decided is e without operands of && and || that constants decide.
func decided(e *ir.Expr) *ir.Expr {
	switch e.Op {
	case ir.LAnd:
		return conj(decided(e.X), decided(e.Y))
	case ir.LOr:
		return disj(decided(e.X), decided(e.Y))
	}
	return e
}

// choice is c ? x : y, without what constants decide. Conditions stay conjunctions
// and disjunctions, in whose shape bounds are looked for.
func choice(c, x, y *ir.Expr) *ir.Expr {
	isOne := func(e *ir.Expr) bool { return isTrue(e) && e.Value == 1 }
	isTruth := func(e *ir.Expr) bool { return isZero(e) || isOne(e) || truth(e) == e }
	switch {
	case isTrue(c):
		return x
	case isZero(c):
		return y
	case x.Equal(y):
		return x
	case isTruth(x) && isZero(y):
		return conj(c, x)
	case isOne(x) && isTruth(y):
		return disj(c, y)
	case isZero(x) && isTruth(y):
		return conj(ir.Negate(truth(c)), y)
	case isTruth(x) && isOne(y):
		return disj(ir.Negate(truth(c)), x)
	}
	return ir.Conditional(c, x, y)
}
