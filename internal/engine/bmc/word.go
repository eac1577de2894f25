package bmc

import (
	"math/bits"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/solver/sat"
)

// Words. A word represents a 64-bit number of package ir with as many bits as its values need:
// two's complement, with the last bit repeated up to bit 63. Every word has an interval that
// contains all its values and is computed with it. So widths are determined by the program, and no
// value is truncated.

type word struct {
	bits []gate
	analysis.Interval
}

// rangeWidth returns how many bits hold all numbers of an interval.
func rangeWidth(x analysis.Interval) int { return max(width(x.Lo), width(x.Hi)) }

func width(v int64) int {
	if v < 0 {
		v = ^v
	}
	return bits.Len64(uint64(v)) + 1
}

// constWord returns the word of a known number.
func constWord(v int64) word {
	w := word{Interval: analysis.Single(v)}
	for i := range width(v) {
		w.bits = append(w.bits, gate(v>>i&1))
	}
	return w
}

// bit returns bit i, with the last bit repeated.
func (w word) bit(i int) gate {
	if i >= len(w.bits) {
		return w.bits[len(w.bits)-1]
	}
	return w.bits[i]
}

func (w word) sign() gate { return w.bits[len(w.bits)-1] }

// fit returns the word of bits whose values are known to be in an interval.
func fit(bits []gate, x analysis.Interval) word {
	if x.IsSingle() {
		return constWord(x.Lo)
	}
	if n := rangeWidth(x); n < len(bits) {
		bits = bits[:n]
	}
	if x.Lo >= 0 { // the sign is known
		bits = append(append([]gate(nil), bits[:len(bits)-1]...), low)
		if n := rangeWidth(x); len(bits) < n {
			bits = append(bits, low)
		}
	} else if x.Hi < 0 {
		bits = append(append([]gate(nil), bits[:len(bits)-1]...), high)
	}
	return word{bits: bits, Interval: x}
}

// inputWord returns a new word with free bits for all numbers of an interval. Clauses exclude the
// numbers outside, up to the next power of two.
func (c *circuit) inputWord(x analysis.Interval) word {
	if x.IsSingle() {
		return constWord(x.Lo)
	}
	n := rangeWidth(x)
	w := word{Interval: x}
	for i := range n {
		switch {
		case i < n-1:
			w.bits = append(w.bits, c.input())
		case x.Lo >= 0:
			w.bits = append(w.bits, low)
		case x.Hi < 0:
			w.bits = append(w.bits, high)
		default:
			w.bits = append(w.bits, c.input())
		}
	}
	full := analysis.Between(-1<<(n-1), 1<<(n-1)-1)
	free := word{bits: w.bits, Interval: full}
	if x.Lo > 0 || x.Lo < 0 && x.Lo > full.Lo {
		c.assert(c.less(free, constWord(x.Lo)).not())
	}
	if x.Hi < full.Hi && x.Hi != -1 {
		c.assert(c.less(constWord(x.Hi), free).not())
	}
	return w
}

// truthWord returns the word of a gate: 0 or 1.
func truthWord(g gate) word {
	if g.constant() {
		return constWord(int64(g))
	}
	return word{bits: []gate{g, low}, Interval: analysis.Between(0, 1)}
}

// nonzero returns the gate that says that a word is not 0.
func (c *circuit) nonzero(w word) gate {
	if w.Lo > 0 || w.Hi < 0 {
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
		return word{bits: x.bits, Interval: x.Hull(y.Interval)}
	}
	n := max(len(x.bits), len(y.bits))
	out := make([]gate, n)
	for i := range n {
		out[i] = c.mux(s, x.bit(i), y.bit(i))
	}
	return fit(out, x.Hull(y.Interval))
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
	if x.Hi < y.Lo || y.Hi < x.Lo {
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
	case x.Hi < y.Lo:
		return high
	case x.Lo >= y.Hi:
		return low
	}
	n := max(len(x.bits), len(y.bits))
	out := low
	for i := range n {
		a, b := x.bit(i), y.bit(i)
		if i == n-1 { // the sign bit has the opposite order
			a, b = b, a
		}
		out = c.mux(c.xor(a, b), b, out)
	}
	return out
}

// lessUnsigned compares as unsigned 64-bit numbers.
func (c *circuit) lessUnsigned(x, y word) gate {
	if x.Lo >= 0 && y.Lo >= 0 {
		return c.less(x, y)
	}
	// With equal signs the order is the signed one; otherwise the negative number is larger.
	return c.mux(c.xor(x.sign(), y.sign()), y.sign(), c.less(x, y))
}

// wrap converts a word to a type.
func (c *circuit) wrap(t ir.Type, w word) word {
	x := analysis.TypeRange(t)
	if w.SubsetOf(x) {
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

// number returns the value of a word in a model.
func (c *circuit) number(model func(sat.Lit) bool, w word, memo map[gate]bool) int64 {
	var v int64
	for i := range 64 {
		if c.value(model, w.bit(i), memo) {
			v |= 1 << i
		}
	}
	return v
}
