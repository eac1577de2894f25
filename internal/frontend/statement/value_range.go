package statement

import (
	"math"

	"fencepost/internal/ir"
)

// valueRange bounds an expression where its shape or the ranges of its registers
// do. It answers only where no step of the arithmetic can leave 64 bits.

// Interval is a range of values, both ends included.
type Interval struct{ Lo, Hi int64 }

// Inside reports whether a lies in b.
func (a Interval) Inside(b Interval) bool { return a.Lo >= b.Lo && a.Hi <= b.Hi }

// maxRange keeps sums and products of bounds far from overflow.
const maxRange = math.MaxInt32

// ValueRange bounds the value of an expression. It fails where the bounds may leave 64 bits.
func ValueRange(e *ir.Expr, regs map[ir.Reg][2]int64) (Interval, bool) {
	r, ok := rawRange(e, regs)
	return r, ok && r.Lo >= -maxRange && r.Hi <= maxRange
}

func rawRange(e *ir.Expr, regs map[ir.Reg][2]int64) (Interval, bool) {
	switch {
	case e.Op == ir.Const:
		return Interval{e.Value, e.Value}, true
	case e.Op == ir.RegRef:
		r, ok := regs[e.Reg]
		return Interval{r[0], r[1]}, ok
	case e.Op.IsCompare() || e.Op == ir.Not || e.Op == ir.LAnd || e.Op == ir.LOr:
		return Interval{0, 1}, true
	case e.Op == ir.Neg:
		x, ok := ValueRange(e.X, regs)
		return Interval{-x.Hi, -x.Lo}, ok
	case e.Op == ir.And:
		if m, ok := e.Y.IsConst(); ok && m >= 0 {
			return Interval{0, m}, true
		}
		return Interval{}, false
	case e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul:
		x, ok1 := ValueRange(e.X, regs)
		y, ok2 := ValueRange(e.Y, regs)
		if !ok1 || !ok2 {
			return Interval{}, false
		}
		switch e.Op {
		case ir.Add:
			return Interval{x.Lo + y.Lo, x.Hi + y.Hi}, true
		case ir.Sub:
			return Interval{x.Lo - y.Hi, x.Hi - y.Lo}, true
		}
		a, b, c, d := x.Lo*y.Lo, x.Lo*y.Hi, x.Hi*y.Lo, x.Hi*y.Hi
		return Interval{min(a, b, c, d), max(a, b, c, d)}, true
	}
	return Interval{}, false
}
