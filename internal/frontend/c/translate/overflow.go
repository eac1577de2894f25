package translate

import (
	"math"

	"fencepost/internal/ir"
)

// Overflow. With Options.CheckOverflow what C leaves undefined in arithmetic on
// integers is a property [C11 6.5 p5, 6.5.5 p6, 6.5.7 p3-4]: a signed result that does
// not fit its type, a shift by less than nothing or by the width or more, a shift to
// the left of or into the sign. Without it results wrap and counts are taken modulo the
// width. Conversions are never an error, nor is arithmetic on atomic objects, which C
// defines to wrap.

// checkOverflow asserts that an operation on operands of type t has a defined result.
// The operands of a shift are as they are written; the count has type count.
func (f *Arithmetic) checkOverflow(op ir.ExprOp, t ir.Type, x, y *ir.Expr, count ir.Type) {
	if !f.Opt.CheckOverflow || f.Code.static {
		return
	}
	wraps := f.wraps()
	switch op {
	case ir.Shl, ir.Shr:
		in := ir.Binary(ir.Lt, ir.U64, Cast(y, count, ir.S64), ir.Int(int64(t.Bits)))
		f.Code.Check(in, ir.Overflow, "the count of a shift is negative or not less than the width")
		if op == ir.Shl && t.Signed && !wraps {
			back := ir.Binary(ir.Shr, ir.S64, ir.Binary(ir.Shl, t, x, y), y)
			fits := ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S64, x, ir.Int(0)), ir.Binary(ir.Eq, ir.S64, back, x))
			f.Code.Check(fits, ir.Overflow, "a shift to the left of a negative value, or one that does not fit")
		}
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem:
		if t.Signed && !(wraps && op != ir.Div && op != ir.Rem) {
			f.Code.Check(fitsSigned(op, t, x, y), ir.Overflow, "signed overflow in "+opWord[op])
		}
	}
}

// wraps reports whether the flag -fwrapv defines signed overflow in the file of the
// function: additions, subtractions, multiplications, negations and shifts wrap then.
func (f *Arithmetic) wraps() bool { return f.wrap }

var opWord = map[ir.ExprOp]string{
	ir.Add: "an addition", ir.Sub: "a subtraction", ir.Mul: "a multiplication", ir.Div: "a division", ir.Rem: "a remainder",
}

// checkNegation asserts that -x fits.
func (f *Arithmetic) checkNegation(t ir.Type, x *ir.Expr) {
	if f.Opt.CheckOverflow && !f.Code.static && t.Signed && !f.wraps() {
		f.Code.Check(ir.Binary(ir.Ne, ir.S64, x, ir.Int(lowest(t))), ir.Overflow, "signed overflow in a negation")
	}
}

func lowest(t ir.Type) int64 {
	if t.Bits == 64 {
		return math.MinInt64
	}
	return -1 << (t.Bits - 1)
}

// fitsSigned is whether the result of an operation on signed operands fits type t.
func fitsSigned(op ir.ExprOp, t ir.Type, x, y *ir.Expr) *ir.Expr {
	bin := func(op ir.ExprOp, x, y *ir.Expr) *ir.Expr { return ir.Binary(op, ir.S64, x, y) }
	low, minus := ir.Int(lowest(t)), ir.Int(-1)
	if op == ir.Div || op == ir.Rem {
		return bin(ir.LOr, bin(ir.Ne, x, low), bin(ir.Ne, y, minus))
	}
	r := bin(op, x, y)
	if t.Bits < 64 { // the exact result fits a word
		return bin(ir.Eq, ir.Unary(ir.Cast, t, r), r)
	}
	switch op {
	case ir.Add: // not if the operands have one sign and the result the other
		return bin(ir.Ge, bin(ir.And, bin(ir.Xor, x, r), bin(ir.Xor, y, r)), ir.Int(0))
	case ir.Sub:
		return bin(ir.Ge, bin(ir.And, bin(ir.Xor, x, y), bin(ir.Xor, x, r)), ir.Int(0))
	case ir.Mul:
		exact := bin(ir.LAnd, bin(ir.Eq, bin(ir.Div, r, x), y), bin(ir.LOr, bin(ir.Ne, x, minus), bin(ir.Ne, y, low)))
		return bin(ir.LOr, bin(ir.Eq, x, ir.Int(0)), exact)
	default:
		panic("BUG: no check for " + op.String())
	}
}
