package translate

import (
	"math"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// The builtins of compilers that are translated at the place of the call. Those that
// count bits are functions in C (library/builtin.c), some are macros of predefined.h,
// and __builtin_memcpy and its like are the functions without the prefix.

const builtinPrefix = "__builtin_"

func addBuiltins(m map[string]libFunc) {
	for name, fn := range m {
		if !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "pthread_") {
			if _, own := m[builtinPrefix+name]; !own {
				m[builtinPrefix+name] = fn
			}
		}
	}
	m["__ccgo__types_compatible_p"] = libFunc{2, libCompatible} // __builtin_types_compatible_p, as cc wants it
	m["__builtin_constant_p"] = libFunc{1, libConstant}
	m["__builtin_choose_expr"] = libFunc{3, libChoose}
	m["__builtin_prefetch"] = libFunc{-1, libNothing}
	m["__builtin_unreachable"] = libFunc{0, libUnreachable}
	for _, op := range []string{"add", "sub", "mul"} {
		m[builtinPrefix+op+"_overflow"] = libFunc{3, libOverflow}
		for _, width := range []string{"", "l", "ll"} {
			m[builtinPrefix+"s"+op+width+"_overflow"] = libFunc{3, libOverflow}
			m[builtinPrefix+"u"+op+width+"_overflow"] = libFunc{3, libOverflow}
		}
	}
}

// libConstant is whether an expression is a constant. It is not evaluated.
func libConstant(f *lowering, c *libCall) value {
	if v := c.args[0].Value(); v == nil || v == cc.Unknown {
		return zero()
	}
	return integer(ir.Int(1), ir.S32)
}

// libCompatible is whether two types are compatible, which cc knows.
func libCompatible(f *lowering, c *libCall) value {
	v, ok := c.node.Value().(cc.Int64Value)
	if !ok {
		f.in.refuse(codeExpr, c.node, "it is not known whether these types are compatible")
	}
	return integer(ir.Int(int64(v)), ir.S32)
}

// libChoose is one of two expressions, by a constant; the other is not evaluated.
func libChoose(f *lowering, c *libCall) value {
	which, ok := f.data.constant(f.exprs.operand(c.args[0]).e)
	if !ok {
		f.in.refuse(codeExpr, c.args[0], "the choice must be a constant")
	}
	if which != 0 {
		return f.exprs.operand(c.args[1])
	}
	return f.exprs.operand(c.args[2])
}

// libUnreachable is an error where it is reached.
func libUnreachable(f *lowering, c *libCall) value { return libError(f, c) }

// libOverflow computes in unlimited precision, stores the result cut to its type,
// and says whether it did not fit.
func libOverflow(f *lowering, c *libCall) value {
	name := strings.TrimPrefix(c.name, builtinPrefix)
	kind := ir.Add
	switch {
	case strings.Contains(name, "sub"):
		kind = ir.Sub
	case strings.Contains(name, "mul"):
		kind = ir.Mul
	}
	a, b := f.code.keep(f.exprs.integerOperand(c.args[0])), f.code.keep(f.exprs.integerOperand(c.args[1]))
	to := f.lvals.pointee(c.args[2])
	t := f.types.scalar(to.typ, c.args[2])
	if to.typ.Kind() == cc.Bool || to.typ.Kind() == cc.Ptr {
		f.in.refuse(codeArgument, c.args[2], "the result must be of an integer type")
	}
	var result, over *ir.Expr
	if a.t.Bits <= 32 && b.t.Bits <= 32 {
		result, over = narrowOverflow(f, kind, a, b, t)
	} else {
		result, over = wideOverflow(f, kind, a, b, t, c)
	}
	failed := f.code.keep(integer(over, ir.U8))
	f.mem.store(to, f.code.keep(integer(result, t)), c.node)
	return failed
}

// narrowOverflow is for operands of at most 32 bits, whose result fits into 64: signed
// ones, but for the product of two unsigned operands.
func narrowOverflow(f *lowering, kind ir.ExprOp, a, b value, t ir.Type) (result, over *ir.Expr) {
	if kind == ir.Mul && !a.t.Signed && !b.t.Signed {
		exact := f.code.keep(integer(ir.Binary(ir.Mul, ir.U64, a.e, b.e), ir.U64)).e
		if t == ir.U64 {
			return exact, ir.Int(0)
		}
		return cast(exact, ir.U64, t), ir.Binary(ir.Gt, ir.U64, exact, ir.Int(limits(t).Hi))
	}
	exact := f.code.keep(integer(ir.Binary(kind, ir.S64, a.e, b.e), ir.S64)).e
	r := limits(t)
	if t == ir.U64 {
		r.Hi = math.MaxInt64
	}
	over = ir.Int(0)
	if r.Lo > math.MinInt64 {
		over = ir.Binary(ir.Lt, ir.S64, exact, ir.Int(r.Lo))
	}
	if r.Hi < math.MaxInt64 {
		over = ir.Binary(ir.LOr, ir.S64, over, ir.Binary(ir.Gt, ir.S64, exact, ir.Int(r.Hi)))
	}
	return cast(exact, ir.S64, t), over
}

// wideOverflow is for a result of 64 bits to whose type the operands convert without
// change.
func wideOverflow(f *lowering, kind ir.ExprOp, a, b value, t ir.Type, c *libCall) (result, over *ir.Expr) {
	for _, v := range []value{a, b} {
		k, constant := v.e.IsConst()
		fits := v.t.Signed == t.Signed || !v.t.Signed && v.t.Bits < 64 || constant && k >= 0
		if t.Bits < 64 || !fits {
			f.in.refuse(codeArgument, c.node, "%s of operands of 64 bits with a result of a smaller type or another sign is not supported", c.name)
		}
	}
	x, y := a.e, b.e
	r := f.code.keep(integer(ir.Binary(kind, t, x, y), t)).e
	both := func(p, q *ir.Expr) *ir.Expr { // the sign of both
		return ir.Binary(ir.Lt, ir.S64, ir.Binary(ir.And, ir.S64, p, q), ir.Int(0))
	}
	differ := func(p, q *ir.Expr) *ir.Expr { return ir.Binary(ir.Xor, ir.S64, p, q) }
	switch {
	case kind == ir.Mul:
		nonzero := ir.Binary(ir.Ne, ir.S64, x, ir.Int(0))
		back := ir.Binary(ir.Div, t, r, ir.Conditional(nonzero, x, ir.Int(1)))
		over = ir.Binary(ir.LAnd, ir.S64, nonzero, ir.Binary(ir.Ne, ir.S64, back, y))
		if t.Signed { // the smallest number divided by -1 is itself
			smallest := ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, ir.S64, x, ir.Int(-1)), ir.Binary(ir.Eq, ir.S64, y, ir.Int(math.MinInt64)))
			over = ir.Binary(ir.LOr, ir.S64, over, smallest)
		}
	case !t.Signed && kind == ir.Add:
		over = ir.Binary(ir.Lt, ir.U64, r, x)
	case !t.Signed:
		over = ir.Binary(ir.Lt, ir.U64, x, y)
	case kind == ir.Add:
		over = both(differ(x, r), differ(y, r))
	default:
		over = both(differ(x, y), differ(x, r))
	}
	return r, over
}
