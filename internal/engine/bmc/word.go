package bmc

import (
	"math"
	"math/bits"

	"fencepost/internal/ir"
	"fencepost/internal/solver/sat"
)

// Words. A word stands for a 64-bit number of ir with as many bits as its values
// can need: two's complement, the last bit repeated up to bit 63. Every word
// carries an interval that holds all its values, computed along with it, so that
// widths follow from the program and nothing is ever cut off that matters.

type word struct {
	bits []gate
	interval
}

// interval is a range of numbers; lo <= hi.
type interval struct{ lo, hi int64 }

var everything = interval{math.MinInt64, math.MaxInt64}

func single(v int64) interval { return interval{v, v} }

func (x interval) isSingle() bool { return x.lo == x.hi }

func (x interval) within(y interval) bool { return x.lo >= y.lo && x.hi <= y.hi }

func (x interval) hull(y interval) interval { return interval{min(x.lo, y.lo), max(x.hi, y.hi)} }

// width is how many bits hold all numbers of the interval.
func (x interval) width() int { return max(width(x.lo), width(x.hi)) }

func width(v int64) int {
	if v < 0 {
		v = ^v
	}
	return bits.Len64(uint64(v)) + 1
}

// typeRange is what a type's values are as 64-bit numbers.
func typeRange(t ir.Type) interval {
	switch {
	case t.Bits == 64:
		return everything
	case t.Signed:
		return interval{-1 << (t.Bits - 1), 1<<(t.Bits-1) - 1}
	}
	return interval{0, 1<<t.Bits - 1}
}

// constWord is a known number.
func constWord(v int64) word {
	w := word{interval: single(v)}
	for i := range width(v) {
		w.bits = append(w.bits, gate(v>>i&1))
	}
	return w
}

// bit i, with the last bit repeated.
func (w word) bit(i int) gate {
	if i >= len(w.bits) {
		return w.bits[len(w.bits)-1]
	}
	return w.bits[i]
}

func (w word) sign() gate { return w.bits[len(w.bits)-1] }

// fit makes a word of bits whose values are known to lie in an interval.
func fit(bits []gate, x interval) word {
	if x.isSingle() {
		return constWord(x.lo)
	}
	if n := x.width(); n < len(bits) {
		bits = bits[:n]
	}
	if x.lo >= 0 { // the sign is known
		bits = append(append([]gate(nil), bits[:len(bits)-1]...), low)
		if n := x.width(); len(bits) < n {
			bits = append(bits, low)
		}
	} else if x.hi < 0 {
		bits = append(append([]gate(nil), bits[:len(bits)-1]...), high)
	}
	return word{bits: bits, interval: x}
}

// inputWord is a new word with free bits for all numbers of an interval. Those
// outside, up to the next power of two, are excluded by clauses.
func (c *circuit) inputWord(x interval) word {
	if x.isSingle() {
		return constWord(x.lo)
	}
	n := x.width()
	w := word{interval: x}
	for i := range n {
		switch {
		case i < n-1:
			w.bits = append(w.bits, c.input())
		case x.lo >= 0:
			w.bits = append(w.bits, low)
		case x.hi < 0:
			w.bits = append(w.bits, high)
		default:
			w.bits = append(w.bits, c.input())
		}
	}
	full := interval{-1 << (n - 1), 1<<(n-1) - 1}
	free := word{bits: w.bits, interval: full}
	if x.lo > 0 || x.lo < 0 && x.lo > full.lo {
		c.assert(c.less(free, constWord(x.lo)).not())
	}
	if x.hi < full.hi && x.hi != -1 {
		c.assert(c.less(constWord(x.hi), free).not())
	}
	return w
}

// truthWord is 0 or 1.
func truthWord(g gate) word {
	if g.constant() {
		return constWord(int64(g))
	}
	return word{bits: []gate{g, low}, interval: interval{0, 1}}
}

// nonzero is the gate that says that a word is not 0.
func (c *circuit) nonzero(w word) gate {
	if w.lo > 0 || w.hi < 0 {
		return high
	}
	return c.any(w.bits...)
}

func (c *circuit) muxWord(s gate, x, y word) word {
	switch s {
	case high:
		return x
	case low:
		return y
	}
	if sameBits(x, y) {
		return word{bits: x.bits, interval: x.hull(y.interval)}
	}
	n := max(len(x.bits), len(y.bits))
	out := make([]gate, n)
	for i := range n {
		out[i] = c.mux(s, x.bit(i), y.bit(i))
	}
	return fit(out, x.hull(y.interval))
}

func sameBits(x, y word) bool {
	if len(x.bits) != len(y.bits) {
		return false
	}
	for i := range x.bits {
		if x.bits[i] != y.bits[i] {
			return false
		}
	}
	return true
}

// equal compares two words.
func (c *circuit) equal(x, y word) gate {
	if x.hi < y.lo || y.hi < x.lo {
		return low
	}
	out := high
	for i := range max(len(x.bits), len(y.bits)) {
		out = c.and(out, c.same(x.bit(i), y.bit(i)))
	}
	return out
}

// less compares as signed numbers.
func (c *circuit) less(x, y word) gate {
	switch {
	case x.hi < y.lo:
		return high
	case x.lo >= y.hi:
		return low
	}
	n := max(len(x.bits), len(y.bits))
	out := low
	for i := range n {
		a, b := x.bit(i), y.bit(i)
		if i == n-1 { // the sign counts the other way
			a, b = b, a
		}
		out = c.mux(c.xor(a, b), b, out)
	}
	return out
}

// lessUnsigned compares as unsigned 64-bit numbers.
func (c *circuit) lessUnsigned(x, y word) gate {
	if x.lo >= 0 && y.lo >= 0 {
		return c.less(x, y)
	}
	// With equal signs the order is the signed one; otherwise the negative number is larger.
	return c.mux(c.xor(x.sign(), y.sign()), y.sign(), c.less(x, y))
}

// wrap cuts a word to a type.
func (c *circuit) wrap(t ir.Type, w word) word {
	x := typeRange(t)
	if w.within(x) {
		return w
	}
	n := int(t.Bits)
	out := make([]gate, 0, n+1)
	for i := range n {
		out = append(out, w.bit(i))
	}
	if !t.Signed && n < 64 {
		out = append(out, low)
	}
	return fit(out, x)
}

// demandEqual demands that two words are equal where the guards hold.
func (c *circuit) demandEqual(x, y word, guards ...gate) {
	clause := make([]gate, 0, len(guards)+2)
	for _, g := range guards {
		clause = append(clause, g.not())
	}
	for i := range max(len(x.bits), len(y.bits)) {
		a, b := x.bit(i), y.bit(i)
		c.assert(append(clause, a.not(), b)...)
		c.assert(append(clause, a, b.not())...)
	}
}

// demand demands a gate where the guards hold.
func (c *circuit) demand(what gate, guards ...gate) {
	clause := []gate{what}
	for _, g := range guards {
		clause = append(clause, g.not())
	}
	c.assert(clause...)
}

// number is the value of a word in a model.
func (c *circuit) number(model func(sat.Lit) bool, w word, memo map[gate]bool) int64 {
	var v int64
	for i := range 64 {
		if c.value(model, w.bit(i), memo) {
			v |= 1 << i
		}
	}
	return v
}
