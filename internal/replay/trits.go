package replay

import (
	"math/bits"

	"fencepost/internal/ir"
)

// Values with undefined bits, bit by bit.

// trit is a bit that is 0, 1 or undefined: whether it can be 0, and whether it can be 1.
type trit struct{ zero, one bool }

func known(b uint64) trit { return trit{b == 0, b != 0} }

func (t trit) isKnown() bool { return t.zero != t.one }

// trits is a word of trits, the lowest first.
type trits [64]trit

func tritsOf(value int64, mask uint64) trits {
	var w trits
	for i := range w {
		if mask>>i&1 != 0 {
			w[i] = trit{true, true}
		} else {
			w[i] = known(uint64(value) >> i & 1)
		}
	}
	return w
}

func (w trits) unknown() uint64 {
	var m uint64
	for i, t := range w {
		if !t.isKnown() {
			m |= 1 << i
		}
	}
	return m
}

// combine returns the trit of a function of bits, by trying all values of its arguments.
func combine(f func(bits []uint64) uint64, args ...trit) trit {
	var out trit
	values := make([]uint64, len(args))
	for pick := range 1 << len(args) {
		possible := true
		for i, a := range args {
			values[i] = uint64(pick >> i & 1)
			possible = possible && (values[i] == 0 && a.zero || values[i] == 1 && a.one)
		}
		if possible {
			r := f(values)
			out.zero, out.one = out.zero || r == 0, out.one || r != 0
		}
	}
	return out
}

// extended cuts a word to a type and extends it.
func (w trits) extended(t ir.Type) trits {
	for i := int(t.Bits); i < 64; i++ {
		w[i] = known(0)
		if t.Signed {
			w[i] = w[t.Bits-1]
		}
	}
	return w
}

// truthTrit says whether a word can be 0 and whether it can be something else.
func (w trits) truthTrit() trit {
	t := trit{true, false}
	for _, b := range w {
		t.zero, t.one = t.zero && b.zero, t.one || b.one
	}
	return t
}

func asWord(t trit) trits {
	w := tritsOf(0, 0)
	w[0] = t
	return w
}

// trits evaluates an expression bit by bit.
func (c *turn) trits(e *ir.Expr) trits {
	value := func() trits { return tritsOf(e.Eval(c.env()), 0) }
	switch {
	case e.Undef:
		return tritsOf(0, uint64(e.Type.Wrap(-1)))
	case e.Op == ir.RegRef:
		return tritsOf(c.regs[e.Reg], c.th.maskOf(e.Reg))
	case e.Op == ir.Seen:
		return tritsOf(0, 0)
	}
	if e.X == nil {
		return value()
	}
	if e.Op == ir.Ite {
		return c.chosen(c.truth(e.X), c.trits(e.Y), c.trits(e.Z))
	}
	if zero, is := e.Y.IsConst(); is && zero == 0 && (e.Op == ir.Eq || e.Op == ir.Ne) {
		t := c.truth(e.X)
		if e.Op == ir.Eq {
			t = trit{t.one, t.zero}
		}
		return asWord(t)
	}
	x := c.trits(e.X)
	y := tritsOf(0, 0)
	if e.Y != nil {
		y = c.trits(e.Y)
	}
	if x.unknown() == 0 && y.unknown() == 0 {
		return value()
	}
	switch {
	case e.Op.IsFloat() && e.Op.IsTruth():
		return asWord(trit{true, true})
	case e.Op.IsFloat():
		return tritsOf(0, uint64(e.Type.Wrap(-1)))
	}
	switch e.Op {
	case ir.Neg:
		return difference(tritsOf(0, 0), x).extended(e.Type)
	case ir.BitNot:
		for i := range x {
			x[i] = trit{x[i].one, x[i].zero}
		}
		return x.extended(e.Type)
	case ir.Cast:
		return x.extended(e.Type)
	case ir.Not:
		t := c.truth(e.X)
		return asWord(trit{t.one, t.zero})
	case ir.LAnd:
		return asWord(combine(func(b []uint64) uint64 { return b[0] & b[1] }, c.truth(e.X), c.truth(e.Y)))
	case ir.LOr:
		return asWord(combine(func(b []uint64) uint64 { return b[0] | b[1] }, c.truth(e.X), c.truth(e.Y)))
	}
	return binaryTrits(e, x, y)
}

// truth says whether an expression can be 0, and whether it can be something else. A difference is 0 if its operands are
// equal, which says more than its bits do.
func (c *turn) truth(e *ir.Expr) trit {
	switch {
	case e.Op == ir.Neg:
		return c.truth(&ir.Expr{Op: ir.Sub, Type: e.Type, X: ir.Int(0), Y: e.X})
	case e.Op == ir.Sub && !e.X.Equal(e.Y):
		x, y := c.trits(e.X), c.trits(e.Y)
		for i := range x {
			x[i] = combine(func(b []uint64) uint64 { return b[0] ^ b[1] }, x[i], y[i])
		}
		return x.extended(e.Type).truthTrit()
	}
	return c.trits(e).truthTrit()
}

// chosen is the value of a conditional.
func (c *turn) chosen(cond trit, y, z trits) trits {
	if !cond.zero {
		return y
	}
	if !cond.one {
		return z
	}
	for i := range y {
		y[i] = trit{y[i].zero || z[i].zero, y[i].one || z[i].one}
	}
	return y
}

func binaryTrits(e *ir.Expr, x, y trits) trits {
	same := e.X.Equal(e.Y)
	bitwise := func(f func([]uint64) uint64) trits {
		for i := range x {
			x[i] = combine(f, x[i], y[i])
		}
		return x.extended(e.Type)
	}
	switch e.Op {
	case ir.And:
		return bitwise(func(b []uint64) uint64 { return b[0] & b[1] })
	case ir.Or:
		return bitwise(func(b []uint64) uint64 { return b[0] | b[1] })
	case ir.Xor:
		if same {
			return tritsOf(0, 0)
		}
		return bitwise(func(b []uint64) uint64 { return b[0] ^ b[1] })
	case ir.Add:
		return sum(x, y, known(0)).extended(e.Type)
	case ir.Sub:
		if same {
			return tritsOf(0, 0)
		}
		return difference(x, y).extended(e.Type)
	case ir.Shl, ir.Shr:
		return shifted(e, x, y)
	case ir.Mul:
		return product(e, x, y)
	case ir.Div, ir.Rem:
		return quotient(e, x)
	}
	if same {
		return tritsOf(ir.EvalBinary(e.Op, e.Type, 0, 0), 0)
	}
	less, equal, greater := order(x, y, e.Type, e.Op == ir.Eq || e.Op == ir.Ne)
	can := func(l, q, g bool) trit { // whether the result can be 1 and 0, given which orders make it 1
		return trit{less && !l || equal && !q || greater && !g, less && l || equal && q || greater && g}
	}
	switch e.Op {
	case ir.Eq:
		return asWord(can(false, true, false))
	case ir.Ne:
		return asWord(can(true, false, true))
	case ir.Lt:
		return asWord(can(true, false, false))
	case ir.Le:
		return asWord(can(true, true, false))
	case ir.Gt:
		return asWord(can(false, false, true))
	case ir.Ge:
		return asWord(can(false, true, true))
	default:
		panic("BUG: unknown operator " + e.Op.String())
	}
}

// sum adds bit by bit.
func sum(x, y trits, carry trit) trits {
	var out trits
	for i := range out {
		out[i] = combine(func(b []uint64) uint64 { return b[0] ^ b[1] ^ b[2] }, x[i], y[i], carry)
		carry = combine(func(b []uint64) uint64 { return uint64((b[0] + b[1] + b[2]) / 2) }, x[i], y[i], carry)
	}
	return out
}

func difference(x, y trits) trits {
	for i := range y {
		y[i] = trit{y[i].one, y[i].zero}
	}
	return sum(x, y, known(1))
}

// number returns the value of a word without undefined bits.
func (w trits) number() uint64 {
	var v uint64
	for i, t := range w {
		if t.one && !t.zero {
			v |= 1 << i
		}
	}
	return v
}

func shifted(e *ir.Expr, x, count trits) trits {
	if count.unknown() != 0 {
		if !x.truthTrit().one {
			return tritsOf(0, 0)
		}
		return tritsOf(0, uint64(e.Type.Wrap(-1)))
	}
	n := int(count.number() % uint64(e.Type.Bits))
	var out trits
	if e.Op == ir.Shr {
		x = x.extended(e.Type)
	}
	for i := range out {
		from := i - n
		if e.Op == ir.Shr {
			from = i + n
		}
		switch {
		case from >= 0 && from < 64:
			out[i] = x[from]
		case from >= 64 && e.Type.Signed:
			out[i] = x[63]
		default:
			out[i] = known(0)
		}
	}
	return out.extended(e.Type)
}

// product is undefined from the lowest bit on that is. A constant factor moves that bit by its trailing zeros, and a
// factor that is 0 makes the product 0.
func product(e *ir.Expr, x, y trits) trits {
	if !x.truthTrit().one || !y.truthTrit().one {
		return tritsOf(0, 0)
	}
	lowest := bits.TrailingZeros64(x.unknown() | y.unknown())
	for _, factor := range []*ir.Expr{e.X, e.Y} {
		if k, is := factor.IsConst(); is {
			lowest += bits.TrailingZeros64(uint64(k))
		}
	}
	v := tritsOf(int64(x.number()*y.number()), 0)
	for i := lowest; i < 64; i++ {
		v[i] = trit{true, true}
	}
	return v.extended(e.Type)
}

// quotient is undefined as a whole, but for unsigned numbers and a constant: divided by a power of two, they are moved or
// cut, and other remainders have as many bits as numbers below the divisor.
func quotient(e *ir.Expr, x trits) trits {
	k, is := e.Y.IsConst()
	if !is || k <= 0 || e.Type.Signed {
		return tritsOf(0, uint64(e.Type.Wrap(-1)))
	}
	power := bits.OnesCount64(uint64(k)) == 1
	out := tritsOf(0, 0)
	for i := range out {
		switch from := i + bits.TrailingZeros64(uint64(k)); {
		case e.Op == ir.Rem && power && k>>i > 1:
			out[i] = x[i]
		case e.Op == ir.Rem && !power && k>>i > 0, e.Op == ir.Div && !power:
			out[i] = trit{true, true}
		case e.Op == ir.Div && from < 64:
			out[i] = x[from]
		}
	}
	return out.extended(e.Type)
}

// order says which orders of two words are possible.
func order(x, y trits, t ir.Type, equality bool) (less, equal, greater bool) {
	equal = true
	for i := range x {
		equal = equal && (x[i].zero && y[i].zero || x[i].one && y[i].one)
	}
	if equality {
		return !equal || x.unknown()|y.unknown() != 0, equal, false
	}
	leastX, mostX := x.extremes(t)
	leastY, mostY := y.extremes(t)
	if t.Signed {
		return int64(leastX) < int64(mostY), equal, int64(mostX) > int64(leastY)
	}
	return leastX < mostY, equal, mostX > leastY
}

// extremes returns the least and the largest number that a word of type t can be. Where its sign is undefined, the bits
// above the width of the type repeat it.
func (w trits) extremes(t ir.Type) (least, most uint64) {
	for i, b := range w {
		sign := t.Signed && !w[63].isKnown() && i >= int(t.Bits)-1
		if b.one && (!b.zero || sign) {
			least |= 1 << i
		}
		if b.one && (!b.zero || !sign) {
			most |= 1 << i
		}
	}
	return least, most
}
