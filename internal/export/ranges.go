package export

// What the ranges of an expression's operands say about its value.

import (
	"math"

	"fencepost/internal/ir"
)

// Fits reports whether a number fits into an int.
func Fits(v int64) bool { return v >= math.MinInt32 && v <= math.MaxInt32 }

// span is a range of values, with both ends.
type span struct{ lo, hi int64 }

var anything = span{math.MinInt64, math.MaxInt64}

// Decide returns the value of a comparison if the ranges of its operands determine it.
// Front ends guard addresses by comparisons with numbers that do not fit into an int.
func Decide(p *ir.Program, e *ir.Expr) (int64, bool) {
	if !e.Op.IsCompare() {
		return 0, false
	}
	x, y := spanOf(p, e.X), spanOf(p, e.Y)
	if !e.Type.Signed && (x.lo < 0 || y.lo < 0) {
		return 0, false
	}
	truth := func(always, never bool) (int64, bool) {
		if always {
			return 1, true
		}
		return 0, never
	}
	switch e.Op {
	case ir.Lt:
		return truth(x.hi < y.lo, x.lo >= y.hi)
	case ir.Le:
		return truth(x.hi <= y.lo, x.lo > y.hi)
	case ir.Gt:
		return truth(x.lo > y.hi, x.hi <= y.lo)
	case ir.Ge:
		return truth(x.lo >= y.hi, x.hi < y.lo)
	default:
		return 0, false
	}
}

// spanOf returns the range of an expression if registers hold ints.
func spanOf(p *ir.Program, e *ir.Expr) span {
	if IsConstant(e) {
		v := e.Eval(ir.Env{Prog: p})
		return span{v, v}
	}
	switch e.Op {
	case ir.RegRef, ir.Seen:
		return span{math.MinInt32, math.MaxInt32}
	case ir.Add, ir.Sub:
		x, y := spanOf(p, e.X), spanOf(p, e.Y)
		const far = 1 << 61 // sums of smaller numbers do not overflow
		if e.Type.Bits != 64 || x.lo < -far || x.hi > far || y.lo < -far || y.hi > far {
			return anything
		}
		if e.Op == ir.Sub {
			return span{x.lo - y.hi, x.hi - y.lo}
		}
		return span{x.lo + y.lo, x.hi + y.hi}
	case ir.Mul:
		// A product of ints is an int, or the program traps where it is computed.
		x, y := spanOf(p, e.X), spanOf(p, e.Y)
		if e.Type.Bits != 64 || !Fits(x.lo) || !Fits(x.hi) || !Fits(y.lo) || !Fits(y.hi) {
			return anything
		}
		return span{math.MinInt32, math.MaxInt32}
	default:
		return anything
	}
}
