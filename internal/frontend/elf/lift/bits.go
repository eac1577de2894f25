package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Single bits.

// bit is bt, bts, btr and btc. CF gets the bit; the other flags stay or are undefined.
func (l *Lifter) bit() bool {
	o := l.operand(0)
	bits := o.bits
	var n *ir.Expr
	switch c := l.in.Args[1].(type) {
	case x86asm.Imm:
		n = ir.Int(int64(c) & int64(bits-1))
	case x86asm.Reg:
		index := l.keep(extend(l.value(l.operand(1), bits), bits))
		if o.inMemory() { // the bit may lie in another word
			word := ir.Binary(ir.Shr, ir.S64, index, ir.Int(int64(map[int]int{16: 4, 32: 5, 64: 6}[bits])))
			o.addr = l.keep(add(o.addr, ir.Binary(ir.Mul, ir.U64, word, ir.Int(int64(bits/8)))))
		}
		n = l.keep(and(index, ir.Int(int64(bits-1))))
	default:
		return false
	}
	one := l.keep(ir.Binary(ir.Shl, ir.U64, ir.Int(1), n))
	rest := xor(one, ir.Int(mask(bits)))
	var a *ir.Expr
	if l.locked(&o) {
		switch l.in.Op {
		case x86asm.BTS:
			a = l.rmw(ir.FetchOr, &o, one)
		case x86asm.BTR:
			a = l.rmw(ir.FetchAnd, &o, rest)
		default:
			a = l.rmw(ir.FetchXor, &o, one)
		}
	} else {
		a = l.keep(l.value(o, bits))
		switch l.in.Op {
		case x86asm.BTS:
			l.set(o, or(a, one))
		case x86asm.BTR:
			l.set(o, and(a, rest))
		case x86asm.BTC:
			l.set(o, xor(a, one))
		}
	}
	l.setFlag(CF, and(ir.Binary(ir.Shr, ir.U64, a, n), ir.Int(1)))
	l.compared = compared{}
	return true
}

// scan is bsf, bsr and tzcnt: the position of the first or last bit, by halving.
func (l *Lifter) scan() bool {
	to := l.operand(0)
	bits := to.bits
	x := l.keep(l.value(l.operand(1), bits))
	var n *ir.Expr = ir.Int(0)
	rest := x
	for half := bits / 2; half > 0; half /= 2 {
		var none *ir.Expr // the bit is in the other half
		if l.in.Op == x86asm.BSR {
			none = l.keep(ne(shr(rest, half), ir.Int(0)))
			rest = l.keep(ir.Conditional(none, shr(rest, half), rest))
		} else {
			none = l.keep(eq(and(rest, ir.Int(mask(half))), ir.Int(0)))
			rest = l.keep(ir.Conditional(none, shr(rest, half), rest))
		}
		n = l.keep(add(n, ir.Conditional(none, ir.Int(int64(half)), ir.Int(0))))
	}
	zero := eq(x, ir.Int(0))
	if l.in.Op == x86asm.TZCNT {
		n = l.keep(ir.Conditional(zero, ir.Int(int64(bits)), n))
		l.set(to, n)
		l.setFlag(CF, zero)
		l.setFlag(ZF, eq(n, ir.Int(0)))
	} else {
		// Of 0, the processors leave the register as it is: all 64 bits of it.
		r, _, _, _ := general(to.arg.(x86asm.Reg))
		if bits == 16 {
			l.set(to, ir.Conditional(zero, l.value(to, 16), n))
		} else {
			l.assign(r, ir.Conditional(zero, ir.R(r), n))
		}
		l.setFlag(ZF, zero)
	}
	l.compared = compared{}
	return true
}

// population is popcnt, by adding neighbouring fields of bits.
func (l *Lifter) population() bool {
	to := l.operand(0)
	x := l.keep(l.value(l.operand(1), to.bits))
	v := x
	for i, m := range []int64{0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f} {
		v = l.keep(add(and(v, ir.Int(m)), and(shr(v, 1<<i), ir.Int(m))))
	}
	n := l.keep(shr(ir.Binary(ir.Mul, ir.U64, v, ir.Int(0x0101010101010101)), 56))
	l.set(to, n)
	for _, f := range []ir.Reg{CF, OF, SF, PF} {
		l.setFlag(f, ir.Int(0))
	}
	l.setFlag(ZF, eq(x, ir.Int(0)))
	l.compared = compared{}
	return true
}
