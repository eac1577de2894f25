package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Multiplication and division.

// upper returns the upper 64 bits of a product of two unsigned words, by schoolbook multiplication of
// their halves.
func (l *Lifter) upper(a, b *ir.Expr) *ir.Expr {
	mul := func(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.Mul, ir.U64, x, y) }
	half := ir.Int(mask(32))
	a0, a1 := l.keep(and(a, half)), l.keep(shr(a, 32))
	b0, b1 := l.keep(and(b, half)), l.keep(shr(b, 32))
	u := l.keep(add(mul(a1, b0), shr(mul(a0, b0), 32)))
	v := l.keep(add(mul(a0, b1), and(u, half)))
	return l.keep(add(add(mul(a1, b1), shr(u, 32)), shr(v, 32)))
}

// upperSigned is upper for signed words.
func (l *Lifter) upperSigned(a, b *ir.Expr) *ir.Expr {
	negative := func(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Shr, ir.S64, x, ir.Int(63)) }
	return l.keep(sub(sub(l.upper(a, b), and(negative(a), b)), and(negative(b), a)))
}

// overflow sets CF and OF, which say whether a product did not fit.
func (l *Lifter) overflow(e *ir.Expr) {
	l.setFlag(CF, e)
	l.setFlag(OF, e)
	l.compared = compared{}
}

// multiplySigned is imul with one, two and three operands.
func (l *Lifter) multiplySigned() bool {
	if l.in.Args[1] == nil {
		return l.multiply()
	}
	to := l.operand(0)
	x, y := to, l.operand(1)
	if l.in.Args[2] != nil {
		x, y = y, l.operand(2)
	}
	bits := to.bits
	a := l.keep(extend(l.value(x, bits), bits))
	b := l.keep(extend(l.value(y, bits), bits))
	p := l.keep(ir.Binary(ir.Mul, ir.S64, a, b))
	if bits == 64 {
		l.overflow(ne(l.upperSigned(a, b), ir.Binary(ir.Shr, ir.S64, p, ir.Int(63))))
	} else {
		l.overflow(ne(p, extend(p, bits)))
	}
	l.set(to, p)
	return true
}

// pair writes the lower and the upper half of a result: to ax, or to rax and rdx.
func (l *Lifter) pair(bits int, low, high *ir.Expr) {
	if bits == 8 {
		l.set(operand{arg: x86asm.AL, bits: 8}, low)
		l.set(operand{arg: x86asm.AH, bits: 8}, high)
		return
	}
	rax, rdx := accumulators(bits)
	l.set(rax, low)
	l.set(rdx, high)
}

// accumulators are the parts of rax and rdx of a width.
func accumulators(bits int) (a, d operand) {
	names := map[int][2]x86asm.Reg{16: {x86asm.AX, x86asm.DX}, 32: {x86asm.EAX, x86asm.EDX}, 64: {x86asm.RAX, x86asm.RDX}}
	n := names[bits]
	return operand{arg: n[0], bits: bits}, operand{arg: n[1], bits: bits}
}

// multiply is mul and imul with one operand.
func (l *Lifter) multiply() bool {
	o := l.operand(0)
	bits := o.bits
	wide := l.in.Op == x86asm.IMUL
	part := func(e *ir.Expr) *ir.Expr {
		if wide {
			return l.keep(extend(e, bits))
		}
		return l.keep(cut(e, bits))
	}
	b := part(l.value(o, bits))
	a := part(ir.R(RAX))
	p := l.keep(ir.Binary(ir.Mul, ir.U64, a, b))
	var high *ir.Expr
	switch {
	case bits < 64:
		high = l.keep(cut(shr(p, bits), bits))
	case wide:
		high = l.upperSigned(a, b)
	default:
		high = l.upper(a, b)
	}
	low := l.keep(cut(p, bits))
	if wide {
		l.overflow(ne(extend(high, bits), ir.Binary(ir.Shr, ir.S64, extend(low, bits), ir.Int(63))))
	} else {
		l.overflow(ne(high, ir.Int(0)))
	}
	l.pair(bits, low, high)
	return true
}

// divide is div and idiv. A divisor of 0 and a quotient that does not fit are errors. A dividend of
// 128 bits is supported only if its upper half is an extension of the lower, as compilers have it.
func (l *Lifter) divide() bool {
	o := l.operand(0)
	bits := o.bits
	wide := l.in.Op == x86asm.IDIV
	t := ir.U64
	d := l.keep(l.value(o, bits))
	if wide {
		t, d = ir.S64, l.keep(extend(d, bits))
	}
	var n *ir.Expr
	switch bits {
	case 8:
		n = cut(ir.R(RAX), 16)
		if wide {
			n = extend(ir.R(RAX), 16)
		}
	case 16, 32:
		n = or(shl(cut(ir.R(RDX), bits), bits), cut(ir.R(RAX), bits))
		if wide {
			n = extend(n, 2*bits)
		}
	default:
		n = ir.R(RAX)
		upper := ir.Int(0)
		if wide {
			upper = ir.Binary(ir.Shr, ir.S64, n, ir.Int(63))
		}
		l.out.Needs = eq(ir.R(RDX), upper)
	}
	n = l.keep(n)
	l.assert(ne(d, ir.Int(0)), ir.DivByZero, "division by zero")
	q := l.keep(ir.Binary(ir.Div, t, n, d))
	r := l.keep(ir.Binary(ir.Rem, t, n, d))
	fits := eq(q, cut(q, bits))
	if wide {
		fits = eq(q, extend(q, bits))
		smallest := ir.Binary(ir.LAnd, ir.S64, eq(n, ir.Int(-1<<63)), eq(d, ir.Int(-1)))
		fits = ir.Binary(ir.LAnd, ir.S64, fits, ir.Negate(smallest))
	}
	if bits < 64 || wide {
		l.assert(fits, ir.Overflow, "the quotient of a division does not fit")
	}
	l.pair(bits, q, r)
	l.compared = compared{}
	return true
}
