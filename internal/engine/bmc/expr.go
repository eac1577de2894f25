package bmc

import "fencepost/internal/ir"

// scope has the values that an expression is evaluated with.
type scope struct {
	prog *ir.Program
	regs table[word]
	seen word
}

// eval returns the circuit of an expression. It computes what ir.Expr.Eval computes.
func (c *circuit) eval(s scope, e *ir.Expr) word {
	switch e.Op {
	case ir.Const:
		return constWord(e.Value)
	case ir.RegRef:
		return s.regs.at(int(e.Reg))
	case ir.Seen:
		return s.seen
	case ir.AddrOf:
		return constWord(int64(s.prog.Objects[e.Obj].Addr) + e.Value)
	case ir.FuncAddr:
		return constWord(ir.FuncAddress(e.Func))
	case ir.LAnd, ir.LOr, ir.Not, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		return truthWord(c.truth(s, e))
	case ir.Ite:
		return c.muxWord(c.truth(s, e.X), c.eval(s, e.Y), c.eval(s, e.Z))
	case ir.Neg:
		return c.sub(e.Type, constWord(0), c.eval(s, e.X))
	case ir.BitNot:
		return c.sub(e.Type, constWord(-1), c.eval(s, e.X))
	case ir.Cast:
		return c.wrap(e.Type, c.eval(s, e.X))
	}
	return c.binary(e.Op, e.Type, c.eval(s, e.X), c.eval(s, e.Y))
}

func (c *circuit) binary(op ir.ExprOp, t ir.Type, x, y word) word {
	if x.IsSingle() && y.IsSingle() {
		return constWord(ir.EvalBinary(op, t, x.Lo, y.Lo))
	}
	switch op {
	case ir.Add:
		return c.add(t, x, y)
	case ir.Sub:
		return c.sub(t, x, y)
	case ir.Mul:
		return c.mul(t, x, y)
	case ir.Div, ir.Rem:
		return c.divRem(op, t, x, y)
	case ir.And, ir.Or, ir.Xor:
		return c.bitwise(op, t, x, y)
	case ir.Shl, ir.Shr:
		return c.shift(op, t, x, y)
	default:
		panic("BUG: not a binary operator: " + op.String())
	}
}

// truth returns the gate that says that an expression is not 0.
func (c *circuit) truth(s scope, e *ir.Expr) gate {
	switch e.Op {
	case ir.LAnd:
		return c.and(c.truth(s, e.X), c.truth(s, e.Y))
	case ir.LOr:
		return c.or(c.truth(s, e.X), c.truth(s, e.Y))
	case ir.Not:
		return c.truth(s, e.X).not()
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		return c.compare(e.Op, e.Type, c.eval(s, e.X), c.eval(s, e.Y))
	}
	return c.nonzero(c.eval(s, e))
}

func (c *circuit) compare(op ir.ExprOp, t ir.Type, x, y word) gate {
	less := c.less
	if !t.Signed {
		less = c.lessUnsigned
	}
	switch op {
	case ir.Eq:
		return c.equal(x, y)
	case ir.Ne:
		return c.equal(x, y).not()
	case ir.Lt:
		return less(x, y)
	case ir.Ge:
		return less(x, y).not()
	case ir.Gt:
		return less(y, x)
	default:
		return less(y, x).not()
	}
}
