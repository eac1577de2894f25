package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Moves between registers and memory, and the stack.

// move is mov and movzx. Segment, control and debug registers are refused by set and value.
func (l *Lifter) move() bool {
	to, from := l.operand(0), l.operand(1)
	bits := from.bits
	if _, ok := from.arg.(x86asm.Imm); ok {
		bits = to.bits
	}
	l.set(to, l.value(from, bits))
	return true
}

func (l *Lifter) moveSigned() bool {
	to, from := l.operand(0), l.operand(1)
	l.set(to, extend(l.value(from, from.bits), from.bits))
	return true
}

func (l *Lifter) lea() bool {
	m, ok := l.in.Args[1].(x86asm.Mem)
	if !ok || m.Segment == x86asm.FS {
		return false
	}
	to := l.operand(0)
	addr, word := l.address(m)
	if word != nil {
		return false // the address of a word in a table of addresses
	}
	l.set(to, addr)
	return true
}

func (l *Lifter) push() bool {
	from := l.operand(0)
	if _, number := from.arg.(x86asm.Imm); !number && from.bits != 64 || l.in.DataSize == 16 {
		return false
	}
	v := l.value(from, 64)
	if r, ok := from.arg.(x86asm.Reg); ok && r == x86asm.RSP {
		v = l.keep(v)
	}
	l.assign(RSP, add(ir.R(RSP), ir.Int(-8)))
	l.store(ir.R(RSP), 64, v)
	l.out.Push = true
	return true
}

func (l *Lifter) pop() bool {
	to := l.operand(0)
	if to.bits != 64 || to.inMemory() {
		return false
	}
	v := l.load(ir.R(RSP), 64)
	l.assign(RSP, add(ir.R(RSP), ir.Int(8)))
	l.set(to, v)
	l.out.Pop = true
	return true
}

func (l *Lifter) leave() bool {
	l.assign(RSP, ir.R(RBP))
	v := l.load(ir.R(RSP), 64)
	l.assign(RSP, add(ir.R(RSP), ir.Int(8)))
	l.assign(RBP, v)
	l.out.Pop = true
	return l.in.DataSize == 64 || l.in.DataSize == 32 // its operand is 64 bits wide without a prefix
}

func (l *Lifter) swapBytes() bool {
	o := l.operand(0)
	if o.bits < 32 {
		return false
	}
	v := l.keep(l.value(o, o.bits))
	var e *ir.Expr
	for i := 0; i < o.bits; i += 8 {
		b := shl(and(shr(v, i), ir.Int(255)), o.bits-8-i)
		if e == nil {
			e = b
		} else {
			e = or(e, b)
		}
	}
	l.set(o, e)
	return true
}

// widen is cbw, cwde and cdqe.
func widen(from, to int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		v := extend(ir.R(RAX), from)
		if to == 16 {
			l.assign(RAX, or(and(ir.R(RAX), ir.Int(^mask(16))), cut(v, 16)))
		} else {
			l.assign(RAX, cut(v, to))
		}
		return true
	}
}

// signs is cwd, cdq and cqo.
func signs(bits int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		v := ir.Binary(ir.Shr, ir.S64, extend(ir.R(RAX), bits), ir.Int(63))
		if bits == 16 {
			l.assign(RDX, or(and(ir.R(RDX), ir.Int(^mask(16))), cut(v, 16)))
		} else {
			l.assign(RDX, cut(v, bits))
		}
		return true
	}
}

// conditional is jcc, setcc and cmovcc.
func (l *Lifter) conditional(n int) bool {
	if rel, ok := l.in.Args[0].(x86asm.Rel); ok {
		l.branch(rel)
		l.out.End, l.out.Cond = Branch, l.condition(n)
		return true
	}
	to := l.operand(0)
	if l.in.Args[1] == nil { // setcc
		l.set(to, l.condition(n))
		return true
	}
	v := l.value(l.operand(1), to.bits)
	l.set(to, ir.Conditional(l.condition(n), v, cut(l.value(to, to.bits), to.bits)))
	return true
}

// stringStore is stos, with and without rep; the direction is up, as the ABI has it.
func (l *Lifter) stringStore() bool {
	bits := map[x86asm.Op]int{x86asm.STOSB: 8, x86asm.STOSW: 16, x86asm.STOSD: 32, x86asm.STOSQ: 64}[l.in.Op]
	l.store(ir.R(RDI), bits, cut(ir.R(RAX), bits))
	l.assign(RDI, add(ir.R(RDI), ir.Int(int64(bits/8))))
	return l.repeat()
}

// stringMove is movs.
func (l *Lifter) stringMove() bool {
	bits := map[x86asm.Op]int{x86asm.MOVSB: 8, x86asm.MOVSW: 16, x86asm.MOVSD: 32, x86asm.MOVSQ: 64}[l.in.Op]
	l.store(ir.R(RDI), bits, l.load(ir.R(RSI), bits))
	l.assign(RDI, add(ir.R(RDI), ir.Int(int64(bits/8))))
	l.assign(RSI, add(ir.R(RSI), ir.Int(int64(bits/8))))
	return l.repeat()
}

// repeat adds the rounds of a string instruction with a prefix.
func (l *Lifter) repeat() bool {
	if l.has(x86asm.PrefixFS) {
		return false
	}
	if !l.has(x86asm.PrefixREP) && !l.has(x86asm.PrefixREPN) {
		return true
	}
	l.out.Guard = ne(ir.R(RCX), ir.Int(0))
	l.assign(RCX, add(ir.R(RCX), ir.Int(-1)))
	l.out.End = Repeat
	return true
}
