package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Vectors as lists of parts: comparisons, interleaving, shifts of all parts by one number.

func init() {
	for op, bits := range map[x86asm.Op]int{x86asm.PCMPGTB: 8, x86asm.PCMPGTW: 16, x86asm.PCMPGTD: 32} {
		table[op] = eachPart(bits, greater(bits))
	}
	for _, op := range []x86asm.Op{x86asm.PANDN, x86asm.ANDNPS, x86asm.ANDNPD} {
		table[op] = eachPart(64, func(x, y *ir.Expr) *ir.Expr { return and(xor(x, ir.Int(-1)), y) })
	}
	table[x86asm.PMULUDQ] = eachPart(64, func(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.Mul, ir.U64, cut(x, 32), cut(y, 32)) })
	table[x86asm.PMULLW] = eachPart(16, func(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.Mul, ir.U64, x, y) })
	for op, bits := range map[x86asm.Op]int{x86asm.PUNPCKLBW: 8, x86asm.PUNPCKLWD: 16} {
		table[op] = interleave(bits, false)
	}
	for op, bits := range map[x86asm.Op]int{x86asm.PUNPCKHBW: 8, x86asm.PUNPCKHWD: 16, x86asm.PUNPCKHDQ: 32, x86asm.UNPCKHPS: 32} {
		table[op] = interleave(bits, true)
	}
	for op, bits := range map[x86asm.Op]int{
		x86asm.PSLLW: 16, x86asm.PSLLD: 32, x86asm.PSLLQ: 64, x86asm.PSRLW: 16, x86asm.PSRLD: 32, x86asm.PSRLQ: 64, x86asm.PSRAW: 16, x86asm.PSRAD: 32,
	} {
		table[op] = shiftParts(bits)
	}
	table[x86asm.PSHUFLW], table[x86asm.PSHUFHW] = (*Lifter).shuffleShort, (*Lifter).shuffleShort
	table[x86asm.PEXTRW], table[x86asm.PINSRW] = (*Lifter).extractWord, (*Lifter).insertWord
	table[x86asm.PACKUSWB] = (*Lifter).packBytes
	table[x86asm.PMINUB] = eachPart(8, func(x, y *ir.Expr) *ir.Expr { return lesser(cut(x, 8), cut(y, 8)) })
	table[x86asm.PMAXUB] = eachPart(8, func(x, y *ir.Expr) *ir.Expr {
		return ir.Conditional(ir.Binary(ir.Lt, ir.S64, cut(x, 8), cut(y, 8)), cut(y, 8), cut(x, 8))
	})
	table[x86asm.PMOVMSKB], table[x86asm.MOVMSKPS], table[x86asm.MOVMSKPD] = signBits(8), signBits(32), signBits(64)
	table[x86asm.SHUFPS], table[x86asm.SHUFPD] = shuffleTwo(32), shuffleTwo(64)
}

func lesser(x, y *ir.Expr) *ir.Expr { return ir.Conditional(ir.Binary(ir.Lt, ir.S64, x, y), x, y) }

// signBits gathers the highest bits of all parts of some bits in a register.
func signBits(bits int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		to, from := l.operand(0), l.operand(1)
		if !isVector(from.arg) || isVector(to.arg) {
			return false // MMX
		}
		lo, hi, _ := l.halves(from)
		var e *ir.Expr = ir.Int(0)
		n := 64 / bits // of a half
		for i := range n {
			for j, half := range []*ir.Expr{lo, hi} {
				e = or(e, shl(and(shr(half, bits*(i+1)-1), ir.Int(1)), i+j*n))
			}
		}
		l.set(to, e)
		return true
	}
}

// shuffleTwo is shufps and shufpd: the lower half gets parts of the first operand, the upper one parts of the second.
func shuffleTwo(bits int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		to, from := l.operand(0), l.operand(1)
		imm, isImm := l.in.Args[2].(x86asm.Imm)
		b0, b1, ok := l.halves(from)
		if !isVector(to.arg) || !isImm || !ok {
			return false
		}
		a0, a1, _ := l.halves(to)
		n := 64 / bits
		choose := func(x, y *ir.Expr, choice int) *ir.Expr {
			var e *ir.Expr = ir.Int(0)
			for i := range n {
				which := choice % (2 * n)
				choice /= 2 * n
				half := []*ir.Expr{x, y}[which/n]
				e = or(e, shl(cut(shr(half, bits*(which%n)), bits), bits*i))
			}
			return e
		}
		choices := int(uint8(imm))
		lo, hi := l.keep(choose(a0, a1, choices)), l.keep(choose(b0, b1, choices>>(n*n))) // n numbers of n bits each
		return l.setHalves(to, lo, hi)
	}
}

// greater compares two signed parts of some bits: all bits of the result are the answer.
func greater(bits int) func(x, y *ir.Expr) *ir.Expr {
	return func(x, y *ir.Expr) *ir.Expr {
		return ir.Unary(ir.Neg, ir.U64, ir.Binary(ir.Lt, ir.S64, extend(y, bits), extend(x, bits)))
	}
}

// interleave puts the parts of the lower or the upper halves of two vectors side by side.
func interleave(bits int, upper bool) func(*Lifter) bool {
	return func(l *Lifter) bool {
		to, all, with, ok := l.vectorPair()
		if !ok {
			return false
		}
		a, b := all[0], with[0]
		if upper {
			a, b = all[1], with[1]
		}
		half := func(first int) *ir.Expr {
			var e *ir.Expr = ir.Int(0)
			for i := range 32 / bits {
				at := first + i*bits
				pair := or(cut(shr(a, at), bits), shl(cut(shr(b, at), bits), bits))
				e = or(e, shl(pair, 2*i*bits))
			}
			return e
		}
		lo, hi := l.keep(half(0)), l.keep(half(32))
		return l.setHalves(to, lo, hi)
	}
}

// shuffleShort is pshuflw and pshufhw: each word of 16 bits of one half is one of the operand's.
func (l *Lifter) shuffleShort() bool {
	to, from := l.operand(0), l.operand(1)
	imm, isImm := l.in.Args[2].(x86asm.Imm)
	lo, hi, ok := l.halves(from)
	if !isVector(to.arg) || !isImm || !ok {
		return false
	}
	half := lo
	if l.in.Op == x86asm.PSHUFHW {
		half = hi
	}
	var e *ir.Expr = ir.Int(0)
	for i := range 4 {
		e = or(e, shl(cut(shr(half, 16*(int(imm)>>(2*i)&3)), 16), 16*i))
	}
	e = l.keep(e)
	if l.in.Op == x86asm.PSHUFHW {
		return l.setHalves(to, lo, e)
	}
	return l.setHalves(to, e, l.keep(hi))
}

// extractWord is pextrw: one word of 16 bits of a vector.
func (l *Lifter) extractWord() bool {
	to, from := l.operand(0), l.operand(1)
	imm, isImm := l.in.Args[2].(x86asm.Imm)
	if !isVector(from.arg) || !isImm || to.inMemory() {
		return false
	}
	lo, hi, _ := l.halves(from)
	half := []*ir.Expr{lo, hi}[int(imm)>>2&1]
	l.set(to, cut(shr(half, 16*(int(imm)&3)), 16))
	return true
}

// insertWord is pinsrw: one word of 16 bits of a vector changes.
func (l *Lifter) insertWord() bool {
	to, from := l.operand(0), l.operand(1)
	imm, isImm := l.in.Args[2].(x86asm.Imm)
	if !isVector(to.arg) || !isImm || isVector(from.arg) {
		return false
	}
	v := l.value(from, 16)
	r, at := to.arg.(x86asm.Reg), 16*(int(imm)&3)
	half := low(r)
	if int(imm)>>2&1 == 1 {
		half = high(r)
	}
	l.assign(half, or(and(ir.R(half), ir.Int(^(mask(16)<<at))), shl(v, at)))
	return true
}

// packBytes is packuswb: words of 16 bits become bytes; a number that does not fit becomes the nearest one.
func (l *Lifter) packBytes() bool {
	to, from := l.operand(0), l.operand(1)
	b0, b1, ok := l.halves(from)
	if !isVector(to.arg) || !ok {
		return false
	}
	a0, a1, _ := l.halves(to)
	pack := func(x, y *ir.Expr) *ir.Expr {
		var e *ir.Expr = ir.Int(0)
		for i := range 8 {
			half := x
			if i >= 4 {
				half = y
			}
			word := extend(shr(half, 16*(i%4)), 16)
			low := ir.Conditional(ir.Binary(ir.Lt, ir.S64, word, ir.Int(0)), ir.Int(0), word)
			e = or(e, shl(ir.Conditional(ir.Binary(ir.Lt, ir.S64, ir.Int(255), word), ir.Int(255), low), 8*i))
		}
		return e
	}
	lo, hi := l.keep(pack(a0, a1)), l.keep(pack(b0, b1))
	return l.setHalves(to, lo, hi)
}

// shiftParts shifts all parts of some bits by an immediate number.
func shiftParts(bits int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		to := l.operand(0)
		imm, isImm := l.in.Args[1].(x86asm.Imm)
		if !isVector(to.arg) || !isImm {
			return false
		}
		n := int(uint8(imm))
		part := func(x *ir.Expr) *ir.Expr {
			switch l.in.Op {
			case x86asm.PSRAW, x86asm.PSRAD:
				return ir.Binary(ir.Shr, ir.S64, extend(x, bits), ir.Int(int64(min(n, bits-1))))
			}
			if n >= bits {
				return ir.Int(0)
			}
			switch l.in.Op {
			case x86asm.PSLLW, x86asm.PSLLD, x86asm.PSLLQ:
				return shl(x, n)
			}
			return shr(cut(x, bits), n)
		}
		half := func(x *ir.Expr) *ir.Expr {
			if bits == 64 {
				return part(x)
			}
			var e *ir.Expr = ir.Int(0)
			for i := 0; i < 64; i += bits {
				e = or(e, shl(cut(part(shr(x, i)), bits), i))
			}
			return e
		}
		lo, hi, _ := l.halves(to)
		a, b := l.keep(half(lo)), l.keep(half(hi))
		return l.setHalves(to, a, b)
	}
}
