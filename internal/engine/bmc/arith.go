package bmc

import (
	"math"

	"fencepost/internal/ir"
)

// Arithmetic on words. Each operation first finds the interval of its results;
// where that does not overflow 64 bits the circuit is as wide as the interval
// needs, and cutting to the operation's type costs nothing if everything fits.

// addInterval, mulInterval and their like are the exact ranges, or false if 64 bits
// overflow.
func addInterval(x, y interval) (interval, bool) {
	lo, hi := x.lo+y.lo, x.hi+y.hi
	if (x.lo < 0) == (y.lo < 0) && (lo < 0) != (x.lo < 0) || (x.hi < 0) == (y.hi < 0) && (hi < 0) != (x.hi < 0) {
		return everything, false
	}
	return interval{lo, hi}, true
}

func negInterval(x interval) (interval, bool) {
	if x.lo == math.MinInt64 {
		return everything, false
	}
	return interval{-x.hi, -x.lo}, true
}

func mulInterval(x, y interval) (interval, bool) {
	out := interval{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			p, ok := mulInt(a, b)
			if !ok {
				return everything, false
			}
			out = out.hull(single(p))
		}
	}
	return out, true
}

func mulInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	if p/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, false
	}
	return p, true
}

// sum adds with a carry, n bits wide.
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
	r, ok := addInterval(x.interval, y.interval)
	n := 64
	if ok {
		n = r.width()
	}
	return c.wrap(t, fit(c.sum(x, y, n, low, false), r))
}

func (c *circuit) sub(t ir.Type, x, y word) word {
	ny, ok := negInterval(y.interval)
	r := everything
	if ok {
		r, ok = addInterval(x.interval, ny)
	}
	n := 64
	if ok {
		n = r.width()
	}
	return c.wrap(t, fit(c.sum(x, y, n, high, true), r))
}

func (c *circuit) mul(t ir.Type, x, y word) word {
	r, ok := mulInterval(x.interval, y.interval)
	n := min(64, r.width())
	if !ok {
		n = int(t.Bits) // the rest is cut off
	}
	if x.isSingle() {
		x, y = y, x
	}
	acc := word{bits: []gate{low}, interval: single(0)}
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
		r = everything
		if n < 64 {
			r = interval{-1 << (n - 1), 1<<(n-1) - 1}
		}
	}
	return c.wrap(t, fit(acc.bits, r))
}

// magnitude is the absolute value; the smallest number stays itself, which as an
// unsigned number is right.
func (c *circuit) magnitude(x word, n int) []gate {
	if x.lo >= 0 {
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

// divide is unsigned division of n-bit numbers by subtracting and shifting.
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

// divRem is division that rounds to zero; by 0 it gives 0.
func (c *circuit) divRem(op ir.ExprOp, t ir.Type, x, y word) word {
	n := max(len(x.bits), len(y.bits)) + 1
	signed := t.Signed || x.lo >= 0 && y.lo >= 0
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
	return c.wrap(t, fit(out, divRange(op, signed, x.interval, y.interval, n)))
}

// divRange holds the results: not larger in size than the dividend, or for
// remainders than the divisor.
func divRange(op ir.ExprOp, signed bool, x, y interval, n int) interval {
	full := everything
	if n < 64 {
		full = interval{-1 << (n - 1), 1<<(n-1) - 1}
	}
	if !signed || x.lo == math.MinInt64 || y.lo == math.MinInt64 {
		return full
	}
	size := max(x.hi, -x.lo)
	if op == ir.Rem {
		size = min(size, max(y.hi, -y.lo))
	}
	r := interval{-size, size}
	if x.lo >= 0 && (y.lo >= 0 || op == ir.Rem) {
		r.lo = 0
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
	return c.wrap(t, fit(out, bitwiseRange(op, x.interval, y.interval)))
}

func bitwiseRange(op ir.ExprOp, x, y interval) interval {
	n := max(x.width(), y.width())
	full := everything
	if n < 64 {
		full = interval{-1 << (n - 1), 1<<(n-1) - 1}
	}
	if x.lo >= 0 && y.lo >= 0 {
		full.lo = 0
	}
	if op == ir.And { // a number that is not negative keeps the result below it
		if x.lo >= 0 {
			full = interval{0, min(full.hi, x.hi)}
		}
		if y.lo >= 0 {
			full = interval{0, min(full.hi, y.hi)}
		}
	}
	return full
}

// shift moves by a count taken modulo the type's width.
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
	r := shiftRange(op, t, x.interval, y.interval)
	if !t.Signed && n < 64 {
		cur = append(cur, low)
	}
	if r.within(typeRange(t)) {
		return fit(cur, r)
	}
	return fit(cur, typeRange(t))
}

// shiftRange is the range of a shift: exact for small counts, else the type's.
func shiftRange(op ir.ExprOp, t ir.Type, x, y interval) interval {
	n := int64(t.Bits)
	switch {
	case op == ir.Shr && x.within(typeRange(t)) && x.lo >= 0:
		if y.lo >= 0 && y.hi < n {
			return interval{x.lo >> y.hi, x.hi >> y.lo}
		}
		return interval{0, x.hi}
	case op == ir.Shr && t.Signed && x.within(typeRange(t)):
		return x.hull(single(0)).hull(single(-1))
	case op == ir.Shl && y.isSingle() && y.lo >= 0 && y.lo < min(n, 63):
		if r, ok := mulInterval(x, single(1<<y.lo)); ok && r.within(typeRange(t)) {
			return r
		}
	}
	return typeRange(t)
}
