package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
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
	x86.MoveIf(l.parts(), to.bits, func() *ir.Expr { return l.condition(n) })
	return true
}
