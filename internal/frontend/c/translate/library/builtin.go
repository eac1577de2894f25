package library

import (
	"math"
	"strings"

	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// The builtins of compilers that are translated where they are called. Builtins that
// count bits are functions in C (library/builtin.c), some are macros of predefined.h,
// and __builtin_memcpy and its like are the functions without the prefix.

func addBuiltins(m map[string]function) {
	for name, fn := range m {
		if !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "pthread_") {
			if _, taken := m[translate.BuiltinPrefix+name]; !taken {
				m[translate.BuiltinPrefix+name] = fn
			}
		}
	}
	m["__builtin_constant_p"] = function{1, libConstant}
	m["__builtin_prefetch"] = function{-1, libNothing}
	m["__builtin_unreachable"] = function{0, libUnreachable}
	for _, op := range []string{"add", "sub", "mul"} {
		m[translate.BuiltinPrefix+op+"_overflow"] = function{3, libOverflow}
		m[translate.BuiltinPrefix+op+"_overflow_p"] = function{3, libOverflow}
		for _, width := range []string{"", "l", "ll"} {
			m[translate.BuiltinPrefix+"s"+op+width+"_overflow"] = function{3, libOverflow}
			m[translate.BuiltinPrefix+"u"+op+width+"_overflow"] = function{3, libOverflow}
		}
	}
}

// libConstant is whether an expression is a constant. It is not evaluated.
func libConstant(f *translate.Lowering, c *translate.Call) translate.Value {
	v, ok := f.In.Tree.Fold(c.Node)
	if !ok {
		return zero()
	}
	return translate.Integer(ir.Int(v.Int.Int64()), ir.S32)
}

// libUnreachable is an error where it is reached.
func libUnreachable(f *translate.Lowering, c *translate.Call) translate.Value { return libError(f, c) }

// libOverflow computes in unlimited precision, stores the result cut to its type,
// and says whether it did not fit.
func libOverflow(f *translate.Lowering, c *translate.Call) translate.Value {
	name := strings.TrimPrefix(c.Name, translate.BuiltinPrefix)
	kind := ir.Add
	switch {
	case strings.Contains(name, "sub"):
		kind = ir.Sub
	case strings.Contains(name, "mul"):
		kind = ir.Mul
	}
	a, b := f.Code.Keep(f.Exprs.IntegerOperand(c.Args[0])), f.Code.Keep(f.Exprs.IntegerOperand(c.Args[1]))
	asks := strings.HasSuffix(name, "_p") // the third argument has the type of the result, and is not evaluated
	to := translate.Lvalue{Type: c.Args[2].Type}
	if !asks {
		to = f.Lvals.Pointee(c.Args[2])
	}
	t := f.Types.Scalar(to.Type, c.Args[2])
	if to.Type.Kind == types.Bool || to.Type.Kind == types.Pointer || t.Float {
		f.In.Reject(translate.CodeArgument, c.Args[2], "the result must be of an integer type")
	}
	var result, over *ir.Expr
	switch {
	case a.Type.Bits <= 32 && b.Type.Bits <= 32:
		result, over = narrowOverflow(f, kind, a, b, t)
	case t.Bits == 64 && converts(a, t) && converts(b, t):
		result, over = wideOverflow(f, kind, a, b, t)
	default:
		result, over = f.Arith.Exact(kind, a, b, t, c.Node)
	}
	failed := f.Code.Keep(translate.Integer(over, ir.U8))
	if asks {
		return failed
	}
	f.Mem.Store(to, f.Code.Keep(translate.Integer(result, t)), c.Node)
	return failed
}

// narrowOverflow is for operands of at most 32 bits, whose result fits into 64: signed
// ones, but for the product of two unsigned operands.
func narrowOverflow(f *translate.Lowering, kind ir.ExprOp, a, b translate.Value, t ir.Type) (result, over *ir.Expr) {
	if kind == ir.Mul && !a.Type.Signed && !b.Type.Signed {
		exact := f.Code.Keep(translate.Integer(ir.Binary(ir.Mul, ir.U64, a.Expr, b.Expr), ir.U64)).Expr
		if t == ir.U64 {
			return exact, ir.Int(0)
		}
		return translate.Cast(exact, ir.U64, t), ir.Binary(ir.Gt, ir.U64, exact, ir.Int(limits(t).Hi))
	}
	exact := f.Code.Keep(translate.Integer(ir.Binary(kind, ir.S64, a.Expr, b.Expr), ir.S64)).Expr
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
	return translate.Cast(exact, ir.S64, t), over
}

// converts reports whether an operand converts without change to a type of 64 bits.
func converts(v translate.Value, t ir.Type) bool {
	k, constant := v.Expr.IsConst()
	return v.Type.Signed == t.Signed || !v.Type.Signed && v.Type.Bits < 64 || constant && k >= 0 && v.Type.Signed
}

// wideOverflow is for a result of 64 bits to whose type the operands convert without
// change.
func wideOverflow(f *translate.Lowering, kind ir.ExprOp, a, b translate.Value, t ir.Type) (result, over *ir.Expr) {
	x, y := a.Expr, b.Expr
	r := f.Code.Keep(translate.Integer(ir.Binary(kind, t, x, y), t)).Expr
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
