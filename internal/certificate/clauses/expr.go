package clauses

import "fencepost/internal/ir"

// values has the program, the registers and the value of memory that an expression refers to.
type values struct {
	p    *ir.Program
	regs []word
	seen word
}

// eval returns the value of an expression, as ir.Eval defines it.
func (c *circuit) eval(e *ir.Expr, in values) word {
	switch e.Op {
	case ir.Const:
		return number(e.Value)
	case ir.RegRef:
		return in.regs[e.Reg]
	case ir.Seen:
		return in.seen
	case ir.AddrOf:
		return number(int64(in.p.Objects[e.Obj].Addr) + e.Value)
	case ir.FuncAddr:
		return number(ir.FuncAddress(e.Func))
	case ir.Ite:
		return c.chooseWord(c.nonzero(c.eval(e.X, in)), c.eval(e.Y, in), c.eval(e.Z, in))
	}
	if e.Op.IsFloat() {
		refuse("floating point")
	}
	x := c.eval(e.X, in)
	if e.Op.IsUnary() {
		return c.unary(e, x)
	}
	y := c.eval(e.Y, in)
	if v, ok := x.known(); ok {
		if w, ok := y.known(); ok {
			return number(ir.EvalBinary(e.Op, e.Type, v, w))
		}
	}
	return c.binary(e.Op, e.Type, x, y)
}

func (c *circuit) unary(e *ir.Expr, x word) word {
	switch e.Op {
	case ir.Neg:
		return wrap(e.Type, c.negate(x))
	case ir.BitNot:
		return wrap(e.Type, not(x))
	case ir.Not:
		return truth(-c.nonzero(x))
	case ir.Cast:
		return wrap(e.Type, x)
	}
	refuse("the operator " + e.Op.String())
	return word{}
}

func (c *circuit) binary(op ir.ExprOp, t ir.Type, x, y word) word {
	switch op {
	case ir.Add:
		return wrap(t, c.add(x, y, no))
	case ir.Sub:
		return wrap(t, c.sub(x, y))
	case ir.Mul:
		return wrap(t, c.mul(t, x, y))
	case ir.Div:
		q, _ := c.divideOf(t, x, y)
		return wrap(t, q)
	case ir.Rem:
		_, r := c.divideOf(t, x, y)
		return wrap(t, r)
	case ir.And:
		return wrap(t, c.bitwise(x, y, c.and))
	case ir.Or:
		return wrap(t, c.bitwise(x, y, c.or))
	case ir.Xor:
		return wrap(t, c.bitwise(x, y, c.xor))
	case ir.Shl:
		return wrap(t, c.shift(x, y, int(t.Bits), false, no))
	case ir.Shr:
		x = wrap(t, x)
		fill := no
		if t.Signed {
			fill = x[63]
		}
		return wrap(t, c.shift(x, y, int(t.Bits), true, fill))
	case ir.Eq:
		return truth(c.equal(x, y))
	case ir.Ne:
		return truth(-c.equal(x, y))
	case ir.Lt:
		return truth(c.less(t.Signed, x, y))
	case ir.Le:
		return truth(-c.less(t.Signed, y, x))
	case ir.Gt:
		return truth(c.less(t.Signed, y, x))
	case ir.Ge:
		return truth(-c.less(t.Signed, x, y))
	case ir.LAnd:
		return truth(c.and(c.nonzero(x), c.nonzero(y)))
	case ir.LOr:
		return truth(c.or(c.nonzero(x), c.nonzero(y)))
	}
	refuse("the operator " + op.String())
	return word{}
}
