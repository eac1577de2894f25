package encode

import (
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Bit-vectors as wide as needed. A word has 64 bits, and most words are values of fewer bits, extended. What is computed
// or compared is the same if it is computed or compared without the extension, with half the bits or fewer, which a solver
// does sooner.

// extended is a bit-vector that extends a shorter one. The zero value is none.
type extended struct {
	short  smt.Term
	signed bool // it is extended by its sign
}

// unextended returns what a bit-vector extends. It returns false if it is not of this form.
func unextended(x smt.Term) (extended, bool) {
	short, signed, ok := x.Extension()
	return extended{short, signed}, ok
}

// bits returns the length of the shorter vector.
func (x extended) bits() int { return x.short.Sort().Bits() }

// needs returns the length with which the value is a signed number.
func (x extended) needs() int {
	if x.signed {
		return x.bits()
	}
	return x.bits() + 1
}

// as returns the value as a signed number of some length, which is at least what it needs.
func (x extended) as(bits int) smt.Term {
	if bits == x.bits() {
		return x.short
	}
	return smt.Extend(x.short, bits-x.bits(), x.signed)
}

// wordConstant returns the value of a constant of 64 bits.
func wordConstant(x smt.Term) (int64, bool) {
	v, ok := x.VectorValue()
	return int64(v), ok && x.Sort().Bits() == 64
}

// hasValue reports whether a vector of some bits, extended, can have a value.
func hasValue(bits int, signed bool, v int64) bool {
	if signed {
		return -1<<(bits-1) <= v && v < 1<<(bits-1)
	}
	return 0 <= v && v < 1<<bits
}

// fits reports whether a number is a value that x can have.
func (x extended) fits(v int64) bool { return hasValue(x.bits(), x.signed, v) }

// shorter returns two vectors of one length as shorter ones, with one kind of extension, which are in the same order
// and equal if the two are. It returns false if the two have no such form.
func shorter(x, y smt.Term) (a, b extended, ok bool) {
	a, okA := unextended(x)
	b, okB := unextended(y)
	v, constA := wordConstant(x)
	w, constB := wordConstant(y)
	switch {
	case okA && okB && a.bits() == b.bits() && a.signed == b.signed:
		return a, b, true
	case okA && okB:
		n := max(a.needs(), b.needs())
		return extended{a.as(n), true}, extended{b.as(n), true}, n < x.Sort().Bits()
	case okA && constB && a.fits(w):
		return a, extended{smt.Bits(w, a.bits()), a.signed}, true
	case okB && constA && b.fits(v):
		return extended{smt.Bits(v, b.bits()), b.signed}, b, true
	}
	return extended{}, extended{}, false
}

// unequal reports whether two words are different whatever their constants are: one is a number that the other has no
// bits for.
func unequal(x, y smt.Term) bool {
	a, okA := unextended(x)
	b, okB := unextended(y)
	v, constA := wordConstant(x)
	w, constB := wordConstant(y)
	return okA && constB && !a.fits(w) || okB && constA && !b.fits(v) || constA && constB && v != w
}

// compareVectors returns a comparison of two words of bit-vectors.
func compareVectors(op ir.ExprOp, t ir.Type, x, y smt.Term) smt.Term {
	operators := unsignedCompare
	if t.Signed {
		operators = signedCompare
	}
	if a, b, ok := shorter(x, y); ok {
		if x, y = a.short, b.short; !a.signed {
			operators = unsignedCompare // an extension by the sign keeps both orders; without one, the two orders are the same
		}
	}
	return smt.Apply(operators[op], x, y)
}

// cutVector returns the low bytes of a word.
func cutVector(x smt.Term, size int) smt.Term {
	bits := 8 * size
	if v, ok := wordConstant(x); ok {
		return smt.Bits(v, bits)
	}
	if a, ok := unextended(x); ok {
		if a.bits() <= bits {
			return a.as(bits)
		}
		x = a.short
	}
	return smt.Extract(bits-1, 0, x)
}

// hasType reports whether a word is a value of a type.
func hasType(x smt.Term, t ir.Type) bool {
	if v, ok := wordConstant(x); ok {
		return hasValue(int(t.Bits), t.Signed, v)
	}
	a, ok := unextended(x)
	return ok && (a.signed == t.Signed && a.bits() <= int(t.Bits) || !a.signed && a.bits() < int(t.Bits))
}
