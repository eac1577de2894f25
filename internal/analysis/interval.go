package analysis

import (
	"math"

	"fencepost/internal/ir"
)

// Interval is a range of 64-bit numbers, both ends included. It is empty if Lo > Hi.
type Interval struct{ Lo, Hi int64 }

// AllNumbers is the interval of all 64-bit numbers.
var AllNumbers = Interval{math.MinInt64, math.MaxInt64}

// Between returns the interval from lo to hi.
func Between(lo, hi int64) Interval { return Interval{lo, hi} }

// Single returns the interval that contains v alone.
func Single(v int64) Interval { return Interval{v, v} }

// TypeRange returns the values of a type as 64-bit numbers.
func TypeRange(t ir.Type) Interval {
	switch {
	case t.Bits == 64:
		return AllNumbers
	case t.Signed:
		return Interval{-1 << (t.Bits - 1), 1<<(t.Bits-1) - 1}
	}
	return Interval{0, 1<<t.Bits - 1}
}

// IsSingle reports whether the interval contains one number.
func (x Interval) IsSingle() bool { return x.Lo == x.Hi }

// Empty reports whether the interval contains no number.
func (x Interval) Empty() bool { return x.Lo > x.Hi }

// SubsetOf reports whether y contains all numbers of x.
func (x Interval) SubsetOf(y Interval) bool { return x.Lo >= y.Lo && x.Hi <= y.Hi }

// Hull returns the smallest interval that contains two intervals that are not empty.
func (x Interval) Hull(y Interval) Interval { return Interval{min(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// Intersect returns the numbers that both intervals contain.
func (x Interval) Intersect(y Interval) Interval {
	return Interval{max(x.Lo, y.Lo), min(x.Hi, y.Hi)}
}

// Add returns the sums of a number of x and a number of y. It returns AllNumbers and false
// if some sum overflows 64 bits.
func (x Interval) Add(y Interval) (Interval, bool) {
	lo, ok1 := addInt(x.Lo, y.Lo)
	hi, ok2 := addInt(x.Hi, y.Hi)
	if !ok1 || !ok2 {
		return AllNumbers, false
	}
	return Interval{lo, hi}, true
}

// Neg returns the negated numbers of x. It returns AllNumbers and false on overflow.
func (x Interval) Neg() (Interval, bool) {
	if x.Lo == math.MinInt64 {
		return AllNumbers, false
	}
	return Interval{-x.Hi, -x.Lo}, true
}

// Sub returns the differences of a number of x and a number of y. It returns AllNumbers and
// false if some difference, or the negation of some number of y, overflows 64 bits.
func (x Interval) Sub(y Interval) (Interval, bool) {
	n, ok := y.Neg()
	if !ok {
		return AllNumbers, false
	}
	return x.Add(n)
}

// Mul returns an interval that contains the products of a number of x and a number of y. It
// returns AllNumbers and false if some product overflows 64 bits.
func (x Interval) Mul(y Interval) (Interval, bool) {
	out := Interval{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{x.Lo, x.Hi} {
		for _, b := range []int64{y.Lo, y.Hi} {
			v, ok := mulInt(a, b)
			if !ok {
				return AllNumbers, false
			}
			out = out.Hull(Single(v))
		}
	}
	return out, true
}

// addInt adds and reports whether the sum fits 64 bits.
func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// mulInt multiplies and reports whether the product fits 64 bits.
func mulInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	if c/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, false
	}
	return c, true
}

// RangeOf returns an interval that contains every value of the expression e of program p,
// whatever the registers hold. It returns false where it finds none that is better than all
// numbers.
func RangeOf(p *ir.Program, e *ir.Expr) (Interval, bool) {
	return rangeOf(func(e *ir.Expr) (Interval, bool) {
		if e.Op == ir.AddrOf {
			return Single(int64(p.Objects[e.Obj].Addr) + e.Value), true
		}
		return Interval{}, false
	}, e)
}

// RangeIn is RangeOf where the registers in regs hold values of their intervals. It needs no
// program, and knows no addresses: a front end asks before objects have any.
func RangeIn(regs map[ir.Reg]Interval, e *ir.Expr) (Interval, bool) {
	return rangeOf(func(e *ir.Expr) (Interval, bool) {
		if e.Op == ir.RegRef {
			r, ok := regs[e.Reg]
			return r, ok
		}
		return Interval{}, false
	}, e)
}

// rangeOf bounds e. leaf bounds the registers, addresses and values read by an await.
func rangeOf(leaf func(*ir.Expr) (Interval, bool), e *ir.Expr) (Interval, bool) {
	switch {
	case e.Op == ir.Const:
		return Single(e.Value), true
	case e.Op == ir.Neg:
		x, ok := rangeOf(leaf, e.X)
		if !ok {
			return Interval{}, false
		}
		n, ok := x.Neg()
		return n, ok && n.SubsetOf(TypeRange(e.Type))
	case e.Op.IsTruth():
		return Interval{0, 1}, true
	case e.Op == ir.Ite:
		y, ok1 := rangeOf(leaf, e.Y)
		z, ok2 := rangeOf(leaf, e.Z)
		return y.Hull(z), ok1 && ok2
	case e.Op == ir.Cast:
		x, ok := rangeOf(leaf, e.X)
		if ok && x.SubsetOf(TypeRange(e.Type)) {
			return x, true
		}
		return TypeRange(e.Type), e.Type.Bits < 64
	case e.Op.IsBinary():
		x, ok1 := rangeOf(leaf, e.X)
		y, ok2 := rangeOf(leaf, e.Y)
		out, ok := binaryRange(e, x, y, ok1, ok2)
		return out, ok && out.SubsetOf(TypeRange(e.Type))
	}
	return leaf(e)
}

// binaryRange bounds the result of a binary operator before it is cut to its type. okX and
// okY report whether x and y are known.
func binaryRange(e *ir.Expr, x, y Interval, okX, okY bool) (Interval, bool) {
	switch {
	case e.Op == ir.And && okY && y.Lo >= 0:
		return Interval{0, y.Hi}, true
	case e.Op == ir.And && okX && x.Lo >= 0:
		return Interval{0, x.Hi}, true
	case e.Op == ir.Rem && okY && y.IsSingle() && y.Lo > 0 && (!e.Type.Signed || okX && x.Lo >= 0):
		return Interval{0, y.Lo - 1}, true
	case !okX || !okY:
		return Interval{}, false
	}
	switch e.Op {
	case ir.Add:
		return x.Add(y)
	case ir.Sub:
		return x.Sub(y)
	case ir.Shl:
		if !y.IsSingle() || y.Lo < 0 || y.Lo >= min(62, int64(e.Type.Bits)) {
			return Interval{}, false
		}
		return x.Mul(Single(1 << y.Lo))
	case ir.Mul:
		return x.Mul(y)
	}
	return Interval{}, false
}
