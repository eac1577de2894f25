package automaton

import (
	"math"

	"fencepost/internal/ir"
)

// valueRange bounds an expression where its shape or the ranges of its registers
// do. It answers only where no step of the arithmetic can leave 64 bits.

// interval is a range of values, both ends included.
type interval struct{ lo, hi int64 }

func (a interval) within(b interval) bool { return a.lo >= b.lo && a.hi <= b.hi }

// maxRange keeps sums and products of bounds far from overflow.
const maxRange = math.MaxInt32

func valueRange(e *ir.Expr, regs map[ir.Reg][2]int64) (interval, bool) {
	r, ok := rawRange(e, regs)
	return r, ok && r.lo >= -maxRange && r.hi <= maxRange
}

func rawRange(e *ir.Expr, regs map[ir.Reg][2]int64) (interval, bool) {
	switch {
	case e.Op == ir.Const:
		return interval{e.Value, e.Value}, true
	case e.Op == ir.RegRef:
		r, ok := regs[e.Reg]
		return interval{r[0], r[1]}, ok
	case e.Op.IsCompare() || e.Op == ir.Not || e.Op == ir.LAnd || e.Op == ir.LOr:
		return interval{0, 1}, true
	case e.Op == ir.Neg:
		x, ok := valueRange(e.X, regs)
		return interval{-x.hi, -x.lo}, ok
	case e.Op == ir.And:
		if m, ok := e.Y.IsConst(); ok && m >= 0 {
			return interval{0, m}, true
		}
		return interval{}, false
	case e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul:
		x, ok1 := valueRange(e.X, regs)
		y, ok2 := valueRange(e.Y, regs)
		if !ok1 || !ok2 {
			return interval{}, false
		}
		switch e.Op {
		case ir.Add:
			return interval{x.lo + y.lo, x.hi + y.hi}, true
		case ir.Sub:
			return interval{x.lo - y.hi, x.hi - y.lo}, true
		}
		a, b, c, d := x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi
		return interval{min(a, b, c, d), max(a, b, c, d)}, true
	}
	return interval{}, false
}
