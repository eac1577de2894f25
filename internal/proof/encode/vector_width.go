package encode

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// Bit-vectors as wide as needed. A word has 64 bits, and most words are values of fewer bits, extended. What is computed
// or compared is the same if it is computed or compared without the extension, with half the bits or fewer, which a solver
// does sooner.

// extended is a word that is a shorter vector, extended. The zero value is none.
type extended struct {
	text   string // the shorter vector
	bits   int    // its length
	signed bool   // it is extended by its sign
}

// unextended returns the vector that a word extends. It returns false if the word is not of this form.
func unextended(x string) (extended, bool) {
	rest, signed := strings.CutPrefix(x, "((_ sign_extend ")
	if !signed {
		var ok bool
		if rest, ok = strings.CutPrefix(x, "((_ zero_extend "); !ok {
			return extended{}, false
		}
	}
	by, inner, _ := strings.Cut(rest, ") ")
	n, err := strconv.Atoi(by)
	if err != nil {
		panic("BUG: not an extension: " + x)
	}
	return extended{strings.TrimSuffix(inner, ")"), 64 - n, signed}, true
}

// needs returns the length with which the value is a signed number.
func (x extended) needs() int {
	if x.signed {
		return x.bits
	}
	return x.bits + 1
}

// as returns the value as a signed number of some length, which is at least what it needs.
func (x extended) as(bits int) string {
	switch {
	case bits == x.bits:
		return x.text
	case x.signed:
		return fmt.Sprintf("((_ sign_extend %d) %s)", bits-x.bits, x.text)
	}
	return fmt.Sprintf("((_ zero_extend %d) %s)", bits-x.bits, x.text)
}

// wordConstant returns the value of a constant of 64 bits.
func wordConstant(x string) (int64, bool) {
	digits, ok := strings.CutPrefix(x, "#x")
	if !ok || len(digits) != 16 {
		return 0, false
	}
	v, err := strconv.ParseUint(digits, 16, 64)
	return int64(v), err == nil
}

// fits reports whether a number is a value that x can have.
func (x extended) fits(v int64) bool {
	if x.signed {
		return -1<<(x.bits-1) <= v && v < 1<<(x.bits-1)
	}
	return 0 <= v && v < 1<<x.bits
}

// vector returns a constant of some bits.
func vector(v int64, bits int) string {
	u := uint64(v)
	if bits < 64 {
		u &= 1<<bits - 1
	}
	if bits%4 == 0 {
		return fmt.Sprintf("#x%0*x", bits/4, u)
	}
	return fmt.Sprintf("#b%0*b", bits, u)
}

// shorter returns two words as vectors of one length with one kind of extension, which are in the same order as the words
// and equal if the words are. It returns false if the words have no such form.
func shorter(x, y string) (a, b extended, ok bool) {
	a, okA := unextended(x)
	b, okB := unextended(y)
	v, constA := wordConstant(x)
	w, constB := wordConstant(y)
	switch {
	case okA && okB && a.bits == b.bits && a.signed == b.signed:
		return a, b, true
	case okA && okB:
		n := max(a.needs(), b.needs())
		return extended{a.as(n), n, true}, extended{b.as(n), n, true}, n < 64
	case okA && constB && a.fits(w):
		return a, extended{vector(w, a.bits), a.bits, a.signed}, true
	case okB && constA && b.fits(v):
		return extended{vector(v, b.bits), b.bits, b.signed}, b, true
	}
	return extended{}, extended{}, false
}

// word returns the word.
func (x extended) word() string { return x.as(64) }

// unequal reports whether two words are different whatever their constants are: one is a number that the other has no
// bits for.
func unequal(x, y string) bool {
	a, okA := unextended(x)
	b, okB := unextended(y)
	v, constA := wordConstant(x)
	w, constB := wordConstant(y)
	return okA && constB && !a.fits(w) || okB && constA && !b.fits(v) || constA && constB && v != w
}

// compareVectors returns a comparison of two words of bit-vectors.
func compareVectors(op ir.ExprOp, t ir.Type, x, y string) string {
	sign := "bvu"
	if t.Signed {
		sign = "bvs"
	}
	if a, b, ok := shorter(x, y); ok {
		if x, y = a.text, b.text; !a.signed {
			sign = "bvu" // an extension by the sign keeps both orders; without one, the two orders are the same
		}
	}
	return Apply(sign+bvCompare[op], x, y)
}

// cutVector returns the low bytes of a word.
func cutVector(x string, size int) string {
	bits := 8 * size
	if v, ok := wordConstant(x); ok {
		return vector(v, bits)
	}
	if a, ok := unextended(x); ok {
		switch {
		case a.bits <= bits:
			return a.as(bits)
		case a.bits > bits:
			x = a.text
		}
	}
	return fmt.Sprintf("((_ extract %d 0) %s)", bits-1, x)
}

// hasType reports whether a word is a value of a type.
func hasType(x string, t ir.Type) bool {
	of := extended{bits: int(t.Bits), signed: t.Signed}
	if v, ok := wordConstant(x); ok {
		return of.fits(v)
	}
	a, ok := unextended(x)
	return ok && (a.signed == t.Signed && a.bits <= int(t.Bits) || !a.signed && a.bits < int(t.Bits))
}
