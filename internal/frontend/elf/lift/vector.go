package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Vector registers, as compilers use them for integers: moves, and arithmetic on their parts. A move
// of 16 bytes is two accesses, the lower half first. An address that is not aligned as movaps needs
// it is not noticed.

// halves returns both halves of an operand of 16 bytes.
func (l *Lifter) halves(o operand) (*ir.Expr, *ir.Expr, bool) {
	switch {
	case isVector(o.arg):
		r := o.arg.(x86asm.Reg)
		return ir.R(low(r)), ir.R(high(r)), true
	case o.inMemory():
		a := l.load(o.addr, 64)
		return a, l.load(add(o.addr, ir.Int(8)), 64), true
	}
	return nil, nil, false
}

// vectorPair returns the halves of the two vectors that an instruction puts together, and its first operand.
func (l *Lifter) vectorPair() (to operand, a, b [2]*ir.Expr, ok bool) {
	to = l.operand(0)
	from := l.operand(1)
	if !isVector(to.arg) {
		return to, a, b, false
	}
	b[0], b[1], ok = l.halves(from)
	if ok {
		a[0], a[1], _ = l.halves(to)
	}
	return to, a, b, ok
}

func (l *Lifter) setHalves(o operand, lo, hi *ir.Expr) bool {
	switch {
	case isVector(o.arg):
		r := o.arg.(x86asm.Reg)
		l.assign(low(r), lo)
		l.assign(high(r), hi)
		return true
	case o.inMemory():
		l.store(o.addr, 64, lo)
		l.store(add(o.addr, ir.Int(8)), 64, hi)
		return true
	}
	return false
}

func (l *Lifter) moveVector() bool {
	to, from := l.operand(0), l.operand(1)
	lo, hi, ok := l.halves(from)
	return ok && l.setHalves(to, lo, hi)
}

// moveHalf is the moves of 4 and 8 bytes from and to vector registers.
func (l *Lifter) moveHalf() bool {
	to, from := l.operand(0), l.operand(1)
	bits := map[x86asm.Op]int{x86asm.MOVD: 32, x86asm.MOVSS: 32}[l.in.Op]
	if bits == 0 {
		bits = 64
	}
	if (l.in.Op == x86asm.MOVD || l.in.Op == x86asm.MOVQ) && (to.bits == 64 || from.bits == 64) {
		bits = 64 // movq between registers has both names
	}
	switch {
	case isVector(to.arg) && isVector(from.arg):
		return l.moveBetween(to.arg.(x86asm.Reg), from.arg.(x86asm.Reg))
	case isVector(to.arg):
		r := to.arg.(x86asm.Reg)
		v := l.value(from, bits)
		switch l.in.Op {
		case x86asm.MOVHPS, x86asm.MOVHPD:
			l.assign(high(r), v)
		case x86asm.MOVLPS, x86asm.MOVLPD:
			l.assign(low(r), v)
		default:
			l.assign(low(r), v)
			l.assign(high(r), ir.Int(0))
		}
		return true
	case isVector(from.arg):
		r := from.arg.(x86asm.Reg)
		v := ir.R(low(r))
		if l.in.Op == x86asm.MOVHPS || l.in.Op == x86asm.MOVHPD {
			v = ir.R(high(r))
		}
		if to.inMemory() {
			l.store(to.addr, bits, cut(v, bits))
		} else {
			l.set(to, cut(v, bits))
		}
		return true
	}
	return false // MMX
}

// moveBetween is the moves of parts between vector registers.
func (l *Lifter) moveBetween(to, from x86asm.Reg) bool {
	switch l.in.Op {
	case x86asm.MOVQ:
		l.assign(low(to), ir.R(low(from)))
		l.assign(high(to), ir.Int(0))
	case x86asm.MOVSD_XMM:
		l.assign(low(to), ir.R(low(from)))
	case x86asm.MOVSS:
		l.assign(low(to), or(and(ir.R(low(to)), ir.Int(^mask(32))), cut(ir.R(low(from)), 32)))
	case x86asm.MOVLHPS:
		l.assign(high(to), ir.R(low(from)))
	case x86asm.MOVHLPS:
		l.assign(low(to), ir.R(high(from)))
	default:
		return false
	}
	return true
}

// vectorTable has arithmetic on vectors: of the whole halves, and of parts of some bits.
var vectorTable = map[x86asm.Op]func(*Lifter) bool{
	x86asm.PXOR: eachHalf(xor), x86asm.XORPS: eachHalf(xor), x86asm.XORPD: eachHalf(xor),
	x86asm.PAND: eachHalf(and), x86asm.ANDPS: eachHalf(and), x86asm.ANDPD: eachHalf(and),
	x86asm.POR: eachHalf(or), x86asm.ORPS: eachHalf(or), x86asm.ORPD: eachHalf(or),
	x86asm.PADDQ: eachPart(64, add), x86asm.PADDD: eachPart(32, add), x86asm.PADDW: eachPart(16, add), x86asm.PADDB: eachPart(8, add),
	x86asm.PSUBQ: eachPart(64, sub), x86asm.PSUBD: eachPart(32, sub), x86asm.PSUBW: eachPart(16, sub), x86asm.PSUBB: eachPart(8, sub),
	x86asm.PCMPEQD: eachPart(32, same(32)), x86asm.PCMPEQW: eachPart(16, same(16)), x86asm.PCMPEQB: eachPart(8, same(8)),
	x86asm.PUNPCKLQDQ: (*Lifter).unpack, x86asm.PUNPCKHQDQ: (*Lifter).unpack, x86asm.UNPCKLPD: (*Lifter).unpack,
	x86asm.PUNPCKLDQ: (*Lifter).unpackWords, x86asm.UNPCKLPS: (*Lifter).unpackWords, x86asm.PSHUFD: (*Lifter).shuffle,
	x86asm.PSRLDQ: (*Lifter).shiftBytes, x86asm.PSLLDQ: (*Lifter).shiftBytes,
}

// eachHalf applies an operator to both halves.
func eachHalf(f func(x, y *ir.Expr) *ir.Expr) func(*Lifter) bool { return eachPart(64, f) }

// same compares two parts of some bits: all bits of the result are the answer.
func same(bits int) func(x, y *ir.Expr) *ir.Expr {
	return func(x, y *ir.Expr) *ir.Expr {
		return ir.Unary(ir.Neg, ir.U64, eq(cut(x, bits), cut(y, bits)))
	}
}

// constants are the results of operators on twice the same register, which are no use of the register.
var constants = map[x86asm.Op]int64{
	x86asm.PXOR: 0, x86asm.XORPS: 0, x86asm.XORPD: 0, x86asm.PCMPEQD: -1, x86asm.PCMPEQW: -1, x86asm.PCMPEQB: -1,
}

// eachPart applies an operator to all parts of some bits.
func eachPart(bits int, f func(x, y *ir.Expr) *ir.Expr) func(*Lifter) bool {
	return func(l *Lifter) bool {
		to, from := l.operand(0), l.operand(1)
		if !isVector(to.arg) {
			return false // MMX
		}
		if c, ok := constants[l.in.Op]; ok && l.in.Args[0] == l.in.Args[1] {
			return l.setHalves(to, ir.Int(c), ir.Int(c))
		}
		b0, b1, ok := l.halves(from)
		if !ok {
			return false
		}
		a0, a1, _ := l.halves(to)
		half := func(a, b *ir.Expr) *ir.Expr {
			if bits == 64 {
				return f(a, b)
			}
			var e *ir.Expr
			for i := 0; i < 64; i += bits {
				part := shl(cut(f(shr(a, i), shr(b, i)), bits), i)
				if e == nil {
					e = part
				} else {
					e = or(e, part)
				}
			}
			return e
		}
		lo, hi := l.keep(half(a0, b0)), l.keep(half(a1, b1))
		return l.setHalves(to, lo, hi)
	}
}

// unpack puts the lower or the upper halves of two vectors together.
func (l *Lifter) unpack() bool {
	to, a, b, ok := l.vectorPair()
	if !ok {
		return false
	}
	half := 0
	if l.in.Op == x86asm.PUNPCKHQDQ {
		half = 1
	}
	kept := l.keep(b[half])
	return l.setHalves(to, a[half], kept)
}

// unpackWords interleaves the lower words of 32 bits.
func (l *Lifter) unpackWords() bool {
	to, a, b, ok := l.vectorPair()
	if !ok {
		return false
	}
	lo := l.keep(or(cut(a[0], 32), shl(cut(b[0], 32), 32)))
	hi := l.keep(or(shr(a[0], 32), shl(shr(b[0], 32), 32)))
	return l.setHalves(to, lo, hi)
}

// shuffle is pshufd: each word of 32 bits is one of the operand's.
func (l *Lifter) shuffle() bool {
	to, from := l.operand(0), l.operand(1)
	imm, isImm := l.in.Args[2].(x86asm.Imm)
	if !isVector(to.arg) || !isImm {
		return false
	}
	a, b, ok := l.halves(from)
	if !ok {
		return false
	}
	word := func(i int) *ir.Expr {
		n := int(imm) >> (2 * i) & 3
		half := []*ir.Expr{a, b}[n/2]
		if n%2 == 1 {
			return shr(half, 32)
		}
		return cut(half, 32)
	}
	lo := l.keep(or(word(0), shl(word(1), 32)))
	hi := l.keep(or(word(2), shl(word(3), 32)))
	return l.setHalves(to, lo, hi)
}

// shiftBytes shifts a whole vector by some bytes.
func (l *Lifter) shiftBytes() bool {
	to := l.operand(0)
	imm, isImm := l.in.Args[1].(x86asm.Imm)
	if !isVector(to.arg) || !isImm {
		return false
	}
	lo, hi, _ := l.halves(to)
	n := 8 * int(uint8(imm))
	// one is the half that the other moves into
	move := func(one, other *ir.Expr, in, out func(*ir.Expr, int) *ir.Expr) (*ir.Expr, *ir.Expr) {
		switch {
		case n == 0:
			return one, other
		case n < 64:
			return or(in(one, n), out(other, 64-n)), in(other, n)
		case n < 128:
			return in(other, n-64), ir.Int(0)
		}
		return ir.Int(0), ir.Int(0)
	}
	if l.in.Op == x86asm.PSRLDQ {
		lo, hi = move(lo, hi, shr, shl)
	} else {
		hi, lo = move(hi, lo, shl, shr)
	}
	a, b := l.keep(lo), l.keep(hi)
	return l.setHalves(to, a, b)
}
