package x86

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Multiplication and division.

// upper returns the upper 64 bits of a product of two words, by schoolbook multiplication of their halves.
func upper(m Machine, a, b *ir.Expr, signed bool) *ir.Expr {
	half := ir.Int(word.Mask(32))
	a0, a1 := m.Keep(word.And(a, half)), m.Keep(word.Shr(a, 32))
	b0, b1 := m.Keep(word.And(b, half)), m.Keep(word.Shr(b, 32))
	u := m.Keep(word.Add(word.Mul(a1, b0), word.Shr(word.Mul(a0, b0), 32)))
	v := m.Keep(word.Add(word.Mul(a0, b1), word.And(u, half)))
	high := m.Keep(word.Add(word.Add(word.Mul(a1, b1), word.Shr(u, 32)), word.Shr(v, 32)))
	if signed {
		high = m.Keep(word.Sub(word.Sub(high, word.And(word.Sign(a), b)), word.And(word.Sign(b), a)))
	}
	return high
}

// productFlags sets CF and OF, which say whether a product did not fit.
func productFlags(m Machine, more func() *ir.Expr) {
	f := &Flags{}
	if m.Wants(CF) || m.Wants(OF) {
		e := more()
		f.set(CF, e)
		f.set(OF, e)
	}
	f.undefined(ZF, SF, PF)
	m.SetFlags(f)
}

// MultiplyTo is imul with a result of the width of its operands, of which the first is the destination.
func MultiplyTo(m Machine, x, y Operand, bits int) {
	a := m.Keep(word.Extend(m.Read(x, bits), bits))
	b := m.Keep(word.Extend(m.Read(y, bits), bits))
	p := m.Keep(ir.Binary(ir.Mul, ir.S64, a, b))
	m.Write(First, bits, p)
	productFlags(m, func() *ir.Expr {
		if bits == 64 {
			return word.Ne(upper(m, a, b, true), word.Sign(p))
		}
		return word.Ne(p, word.Extend(p, bits))
	})
}

// Multiply is mul and, signed, imul with one operand: the product has twice the width.
func Multiply(m Machine, bits int, signed bool) {
	part := func(o Operand) *ir.Expr {
		if signed {
			return m.Keep(word.Extend(m.Read(o, bits), bits))
		}
		return m.Keep(m.Read(o, bits))
	}
	b, a := part(First), part(RAX)
	p := m.Keep(word.Mul(a, b))
	var high *ir.Expr
	if bits == 64 {
		high = upper(m, a, b, signed)
	} else {
		high = m.Keep(word.Cut(word.Shr(p, bits), bits))
	}
	low := m.Keep(word.Cut(p, bits))
	pair(m, bits, low, high)
	productFlags(m, func() *ir.Expr {
		if signed {
			return word.Ne(word.Extend(high, bits), word.Sign(word.Extend(low, bits)))
		}
		return word.Ne(high, ir.Int(0))
	})
}

// pair writes the lower and the upper half of a result: to ax, or to rax and rdx.
func pair(m Machine, bits int, low, high *ir.Expr) {
	if bits == 8 {
		m.Write(RAX, 16, word.Or(word.Cut(low, 8), word.Shl(word.Cut(high, 8), 8)))
		return
	}
	m.Write(RAX, bits, low)
	m.Write(RDX, bits, high)
}

// Divide is div and, signed, idiv. A divisor of 0 and a quotient that does not fit are errors. A dividend of 128 bits
// is supported only if its upper half is an extension of the lower, as compilers have it.
func Divide(m Machine, bits int, signed bool) {
	t, extend := ir.U64, word.Cut
	if signed {
		t, extend = ir.S64, word.Extend
	}
	d := m.Keep(extend(m.Read(First, bits), bits))
	var n *ir.Expr
	switch bits {
	case 8:
		n = extend(m.Read(RAX, 16), 16)
	case 64:
		n = m.Read(RAX, 64)
		high := ir.Int(0)
		if signed {
			high = word.Sign(n)
		}
		m.Limit(word.Eq(m.Read(RDX, 64), high), "a division of more than 64 bits is not supported")
	default:
		n = extend(word.Or(word.Shl(m.Read(RDX, bits), bits), m.Read(RAX, bits)), 2*bits)
	}
	n = m.Keep(n)
	m.Check(word.Ne(d, ir.Int(0)), ir.DivByZero, "division by zero")
	q, r := m.Keep(ir.Binary(ir.Div, t, n, d)), m.Keep(ir.Binary(ir.Rem, t, n, d))
	fits := word.Eq(q, extend(q, bits))
	if signed {
		smallest := ir.Binary(ir.LAnd, ir.S64, word.Eq(n, ir.Int(-1<<63)), word.Eq(d, ir.Int(-1)))
		fits = ir.Binary(ir.LAnd, ir.S64, fits, ir.Negate(smallest))
	}
	if bits < 64 || signed {
		m.Check(fits, ir.Overflow, "the quotient of a division does not fit")
	}
	pair(m, bits, q, r)
	f := &Flags{}
	f.undefined(CF, PF, ZF, SF, OF)
	m.SetFlags(f)
}
