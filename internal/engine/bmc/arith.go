package bmc

import (
	"math"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Arithmetic on words. Each operation first finds the interval of its results. If that does not
// overflow 64 bits, the circuit is as wide as the interval needs, and wrapping to the operation's
// type costs no gates if all results fit.

// sum returns the sum of two words and a carry, n bits wide.
func (c *circuit) sum(x, y word, n int, carry gate, negateY bool) []gate {
	out := make([]gate, n)
	for i := range n {
		a, b := x.bit(i), y.bit(i)
		if negateY {
			b = b.not()
		}
		axb := c.xor(a, b)
		out[i] = c.xor(axb, carry)
		carry = c.mux(axb, carry, a)
	}
	return out
}

func (c *circuit) add(t ir.Type, x, y word) word {
	r, ok := x.Interval.Add(y.Interval)
	n := 64
	if ok {
		n = rangeWidth(r)
	}
	return c.wrap(t, fit(c.sum(x, y, n, low, false), r))
}

func (c *circuit) sub(t ir.Type, x, y word) word {
	ny, ok := y.Interval.Neg()
	r := analysis.AllNumbers
	if ok {
		r, ok = x.Interval.Add(ny)
	}
	n := 64
	if ok {
		n = rangeWidth(r)
	}
	return c.wrap(t, fit(c.sum(x, y, n, high, true), r))
}

func (c *circuit) mul(t ir.Type, x, y word) word {
	r, ok := x.Interval.Mul(y.Interval)
	n := min(64, rangeWidth(r))
	if !ok {
		n = int(t.Bits) // the rest is cut off
	}
	if x.IsSingle() {
		x, y = y, x
	}
	acc := word{bits: []gate{low}, Interval: analysis.Single(0)}
	for i := range n {
		b := y.bit(i)
		if b == low {
			continue
		}
		part := make([]gate, n)
		for j := range n {
			part[j] = low
			if j >= i {
				part[j] = c.and(b, x.bit(j-i))
			}
		}
		acc = word{bits: c.sum(acc, word{bits: part}, n, low, false)}
	}
	if !ok {
		r = analysis.AllNumbers
		if n < 64 {
			r = analysis.Between(-1<<(n-1), 1<<(n-1)-1)
		}
	}
	return c.wrap(t, fit(acc.bits, r))
}

// magnitude returns the absolute value. The smallest number stays the same, which is right as an
// unsigned number.
func (c *circuit) magnitude(x word, n int) []gate {
	if x.Lo >= 0 {
		out := make([]gate, n)
		for i := range n {
			out[i] = x.bit(i)
		}
		return out
	}
	flipped := word{bits: make([]gate, n)}
	for i := range n {
		flipped.bits[i] = c.xor(x.bit(i), x.sign())
	}
	return c.sum(flipped, constWord(0), n, x.sign(), false)
}

// divide divides unsigned n-bit numbers by subtracting and shifting.
func (c *circuit) divide(a, b []gate) (quotient, rest []gate) {
	n := len(a)
	quotient = make([]gate, n)
	r := make([]gate, n+1)
	for i := range r {
		r[i] = low
	}
	wide := word{bits: append(append([]gate(nil), b...), low)}
	for i := n - 1; i >= 0; i-- {
		r = append([]gate{a[i]}, r[:n]...)
		d := c.sum(word{bits: append(append([]gate(nil), r...), low)}, wide, n+2, high, true)
		fits := d[n+1].not()
		quotient[i] = fits
		for j := range r {
			r[j] = c.mux(fits, d[j], r[j])
		}
	}
	return quotient, r[:n]
}

// divRem returns the quotient, rounded to zero, or the remainder. Division by 0 returns 0.
func (c *circuit) divRem(op ir.ExprOp, t ir.Type, x, y word) word {
	n := max(len(x.bits), len(y.bits)) + 1
	signed := t.Signed || x.Lo >= 0 && y.Lo >= 0
	if !signed {
		n = 64
	}
	n = min(n, 64)
	var a, b []gate
	if signed {
		a, b = c.magnitude(x, n), c.magnitude(y, n)
	} else {
		for i := range n {
			a, b = append(a, x.bit(i)), append(b, y.bit(i))
		}
	}
	q, r := c.divide(a, b)
	out, negative := q, c.xor(x.sign(), y.sign())
	if op == ir.Rem {
		out, negative = r, x.sign()
	}
	if signed {
		flipped := word{bits: make([]gate, n)}
		for i := range n {
			flipped.bits[i] = c.xor(out[i], negative)
		}
		out = c.sum(flipped, constWord(0), n, negative, false)
	}
	zero := c.nonzero(y).not()
	for i := range out {
		out[i] = c.and(out[i], zero.not())
	}
	return c.wrap(t, fit(out, divRange(op, signed, x.Interval, y.Interval, n)))
}

// divRange returns the interval of a division: results are not larger in size than the dividend, or
// for remainders than the divisor.
func divRange(op ir.ExprOp, signed bool, x, y analysis.Interval, n int) analysis.Interval {
	full := analysis.AllNumbers
	if n < 64 {
		full = analysis.Between(-1<<(n-1), 1<<(n-1)-1)
	}
	if !signed || x.Lo == math.MinInt64 || y.Lo == math.MinInt64 {
		return full
	}
	size := max(x.Hi, -x.Lo)
	if op == ir.Rem {
		size = min(size, max(y.Hi, -y.Lo))
	}
	r := analysis.Between(-size, size)
	if x.Lo >= 0 && (y.Lo >= 0 || op == ir.Rem) {
		r.Lo = 0
	}
	return r
}

func (c *circuit) bitwise(op ir.ExprOp, t ir.Type, x, y word) word {
	n := max(len(x.bits), len(y.bits))
	out := make([]gate, n)
	for i := range n {
		a, b := x.bit(i), y.bit(i)
		switch op {
		case ir.And:
			out[i] = c.and(a, b)
		case ir.Or:
			out[i] = c.or(a, b)
		default:
			out[i] = c.xor(a, b)
		}
	}
	return c.wrap(t, fit(out, bitwiseRange(op, x.Interval, y.Interval)))
}

func bitwiseRange(op ir.ExprOp, x, y analysis.Interval) analysis.Interval {
	n := max(rangeWidth(x), rangeWidth(y))
	full := analysis.AllNumbers
	if n < 64 {
		full = analysis.Between(-1<<(n-1), 1<<(n-1)-1)
	}
	if x.Lo >= 0 && y.Lo >= 0 {
		full.Lo = 0
	}
	if op == ir.And { // the result is not above an operand that is not negative
		if x.Lo >= 0 {
			full = analysis.Between(0, min(full.Hi, x.Hi))
		}
		if y.Lo >= 0 {
			full = analysis.Between(0, min(full.Hi, y.Hi))
		}
	}
	return full
}

// shift shifts by a count modulo the type's width.
func (c *circuit) shift(op ir.ExprOp, t ir.Type, x, y word) word {
	n := int(t.Bits)
	if op == ir.Shr {
		x = c.wrap(t, x)
	}
	cur := make([]gate, n)
	for i := range n {
		cur[i] = x.bit(i)
	}
	fill := low
	if op == ir.Shr && t.Signed {
		fill = cur[n-1]
	}
	for k := 0; 1<<k < n; k++ {
		s, d := y.bit(k), 1<<k
		if s == low {
			continue
		}
		next := make([]gate, n)
		for i := range n {
			from := fill
			if op == ir.Shl {
				from = low
				if i >= d {
					from = cur[i-d]
				}
			} else if i+d < n {
				from = cur[i+d]
			}
			next[i] = c.mux(s, from, cur[i])
		}
		cur = next
	}
	r := shiftRange(op, t, x.Interval, y.Interval)
	if !t.Signed && n < 64 {
		cur = append(cur, low)
	}
	if r.SubsetOf(analysis.TypeRange(t)) {
		return fit(cur, r)
	}
	return fit(cur, analysis.TypeRange(t))
}

// shiftRange returns the range of a shift: exact for small counts, otherwise that of the type.
func shiftRange(op ir.ExprOp, t ir.Type, x, y analysis.Interval) analysis.Interval {
	n := int64(t.Bits)
	switch {
	case op == ir.Shr && x.SubsetOf(analysis.TypeRange(t)) && x.Lo >= 0:
		if y.Lo >= 0 && y.Hi < n {
			return analysis.Between(x.Lo>>y.Hi, x.Hi>>y.Lo)
		}
		return analysis.Between(0, x.Hi)
	case op == ir.Shr && t.Signed && x.SubsetOf(analysis.TypeRange(t)):
		return x.Hull(analysis.Single(0)).Hull(analysis.Single(-1))
	case op == ir.Shl && y.IsSingle() && y.Lo >= 0 && y.Lo < min(n, 63):
		if r, ok := x.Mul(analysis.Single(1 << y.Lo)); ok && r.SubsetOf(analysis.TypeRange(t)) {
			return r
		}
	}
	return analysis.TypeRange(t)
}
