package smt

import (
	"math/big"
	"strconv"
	"strings"
)

// Terms. A term is made by a constructor from its parts, and a constructor refuses parts of the wrong sort: a term that
// exists is one that a solver can read. The text of a term is made with it, and tells whether two terms are the same. What a term
// is made of is read from the term and never from its text.

// Term is a term. The zero value is none.
type Term struct {
	_ [0]func() // terms are compared by Equal
	n *node
}

// node has the parts of a term.
type node struct {
	form  form
	sort  Sort
	text  string
	parts []Term
	value uint64 // of a bit-vector
}

// form says how a term is made, as far as it matters later. The zero value is unset.
type form uint8

const (
	_ form = iota
	applied
	symbol
	literal
	signExtended
	zeroExtended
)

// String returns the term as SMT-LIB has it.
func (t Term) String() string {
	if t.n == nil {
		return ""
	}
	return t.n.text
}

// Sort returns the sort of the term.
func (t Term) Sort() Sort { return t.n.sort }

// IsNone reports whether there is no term.
func (t Term) IsNone() bool { return t.n == nil }

// Equal reports whether two terms are the same.
func (t Term) Equal(u Term) bool {
	return t.n == u.n || t.n != nil && u.n != nil && t.n.text == u.n.text
}

// Same reports whether two lists have the same terms.
func Same(x, y []Term) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !x[i].Equal(y[i]) {
			return false
		}
	}
	return true
}

// True and False are the conditions without parts.
var (
	True  = Term{n: &node{form: literal, sort: Bool, text: "true"}}
	False = Term{n: &node{form: literal, sort: Bool, text: "false"}}
)

// IsTrue reports whether the term is True. A term that always holds may be another one.
func (t Term) IsTrue() bool { return t.Equal(True) }

// IsFalse reports whether the term is False.
func (t Term) IsFalse() bool { return t.Equal(False) }

// Constant returns a constant that a question declares, or has defined.
func Constant(name string, sort Sort) Term {
	return Term{n: &node{form: symbol, sort: sort, text: name}}
}

// Number returns an integer or a real number.
func Number(v int64, sort Sort) Term {
	if sort.kind != intSort && sort.kind != realSort {
		panic("BUG: a number of the sort " + sort.String())
	}
	text := strconv.FormatInt(v, 10)
	if v < 0 {
		text = "(- " + text[1:] + ")"
	}
	return Term{n: &node{form: literal, sort: sort, text: text}}
}

// Unsigned returns an integer that is not negative.
func Unsigned(v uint64) Term {
	return Term{n: &node{form: literal, sort: Integer, text: strconv.FormatUint(v, 10)}}
}

// PowerOfTwo returns two to the power of n as an integer.
func PowerOfTwo(n int) Term {
	return Term{n: &node{form: literal, sort: Integer, text: new(big.Int).Lsh(big.NewInt(1), uint(n)).String()}}
}

// Bits returns the bit-vector with the low bits of a number.
func Bits(v int64, bits int) Term {
	u := uint64(v)
	if bits < 64 {
		u &= 1<<bits - 1
	}
	prefix, base, length := "#b", 2, bits
	if bits%4 == 0 {
		prefix, base, length = "#x", 16, bits/4
	}
	digits := strconv.FormatUint(u, base)
	text := prefix + strings.Repeat("0", length-len(digits)) + digits
	return Term{n: &node{form: literal, sort: Vector(bits), text: text, value: u}}
}

// VectorValue returns the bits of a literal bit-vector. It returns false for other terms.
func (t Term) VectorValue() (uint64, bool) {
	return t.n.value, t.n.form == literal && t.n.sort.kind == vectorSort
}

// Extension returns the bit-vector that a longer one extends, by its sign or by zeros. It returns false for other terms.
func (t Term) Extension() (short Term, signed, ok bool) {
	if t.n.form != signExtended && t.n.form != zeroExtended {
		return Term{}, false, false
	}
	return t.n.parts[0], t.n.form == signExtended, true
}

// Symbols calls f with the name of every constant in the term, maybe several times.
func (t Term) Symbols(f func(name string)) { t.symbols(map[*node]bool{}, f) }

func (t Term) symbols(seen map[*node]bool, f func(name string)) {
	if seen[t.n] {
		return
	}
	seen[t.n] = true
	if t.n.form == symbol {
		f(t.n.text)
	}
	for _, x := range t.n.parts {
		x.symbols(seen, f)
	}
}

// construct returns a term with an operator. ok says that the sorts fit.
func construct(form form, operator string, sort Sort, ok bool, parts ...Term) Term {
	size := len(operator) + 2
	for _, x := range parts {
		size += len(x.n.text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString("(" + operator)
	for _, x := range parts {
		b.WriteString(" " + x.n.text)
	}
	b.WriteString(")")
	if !ok {
		panic("BUG: a term of wrong sorts: " + b.String())
	}
	return Term{n: &node{form: form, sort: sort, text: b.String(), parts: parts}}
}

// allOf reports whether terms have a sort.
func allOf(sort Sort, list []Term) bool {
	for _, x := range list {
		if !x.n.sort.equal(sort) {
			return false
		}
	}
	return true
}

// Apply returns an operator applied to terms of one sort.
func Apply(op Operator, args ...Term) Term {
	sort, ok := op.result(args[0].n.sort)
	return construct(applied, op.String(), sort, ok && allOf(args[0].n.sort, args), args...)
}

// And returns the conjunction of conditions.
func And(list ...Term) Term { return connect("and", True, list) }

// Or returns the disjunction of conditions.
func Or(list ...Term) Term { return connect("or", False, list) }

func connect(operator string, unit Term, list []Term) Term {
	switch len(list) {
	case 0:
		return unit
	case 1:
		return list[0]
	}
	return construct(applied, operator, Bool, allOf(Bool, list), list...)
}

// Not returns the negation of a condition.
func Not(x Term) Term {
	switch {
	case x.IsTrue():
		return False
	case x.IsFalse():
		return True
	}
	return construct(applied, "not", Bool, allOf(Bool, []Term{x}), x)
}

// Implies returns the condition that y holds if x does.
func Implies(x, y Term) Term {
	if x.IsTrue() || y.IsTrue() {
		return y
	}
	return construct(applied, "=>", Bool, allOf(Bool, []Term{x, y}), x, y)
}

// Equals returns the condition that two terms of one sort have the same value.
func Equals(x, y Term) Term {
	return construct(applied, "=", Bool, x.n.sort.equal(y.n.sort), x, y)
}

// If returns x if a condition holds, and y otherwise.
func If(cond, x, y Term) Term {
	return construct(applied, "ite", x.n.sort, cond.n.sort.equal(Bool) && x.n.sort.equal(y.n.sort), cond, x, y)
}

// Select returns the value of an array at an index.
func Select(array, index Term) Term {
	s := array.n.sort
	if s.kind != arraySort {
		panic("BUG: no array: " + array.String())
	}
	return construct(applied, "select", *s.values, index.n.sort.equal(*s.indices), array, index)
}

// Store returns an array with another value at an index.
func Store(array, index, value Term) Term {
	s := array.n.sort
	ok := s.kind == arraySort && index.n.sort.equal(*s.indices) && value.n.sort.equal(*s.values)
	return construct(applied, "store", s, ok, array, index, value)
}

// Filled returns the array that has a value at every index.
func Filled(sort Sort, value Term) Term {
	return construct(applied, "(as const "+sort.String()+")", sort, sort.kind == arraySort && value.n.sort.equal(*sort.values), value)
}

// Concatenate returns bit-vectors after each other, the most significant first.
func Concatenate(list ...Term) Term {
	bits, ok := 0, true
	for _, x := range list {
		bits, ok = bits+x.n.sort.bits, ok && x.n.sort.kind == vectorSort
	}
	return construct(applied, "concat", Vector(bits), ok, list...)
}

// Extract returns the bits from high down to low of a bit-vector.
func Extract(high, low int, x Term) Term {
	ok := x.n.sort.kind == vectorSort && 0 <= low && low <= high && high < x.n.sort.bits
	return construct(applied, "(_ extract "+strconv.Itoa(high)+" "+strconv.Itoa(low)+")", Vector(high-low+1), ok, x)
}

// Extend returns a bit-vector with more bits, which repeat its sign or are zeros.
func Extend(x Term, more int, signed bool) Term {
	form, name := zeroExtended, "zero"
	if signed {
		form, name = signExtended, "sign"
	}
	return construct(form, "(_ "+name+"_extend "+strconv.Itoa(more)+")", Vector(x.n.sort.bits+more), x.n.sort.kind == vectorSort, x)
}
