package lift

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// The instructions whose meaning is in package x86.

// name is the mnemonic as package x86 has it.
func (l *Lifter) name() string { return strings.ToLower(l.in.Op.String()) }

func (l *Lifter) arithmetic() bool {
	p, op := l.parts(), x86.OpNamed(l.name())
	reg, _ := l.in.Args[0].(x86asm.Reg)
	if imm, ok := l.in.Args[1].(x86asm.Imm); reg != 0 && (op == x86.Xor && l.in.Args[0] == l.in.Args[1] ||
		ok && (op == x86.Or && imm == -1 || op == x86.And && imm == 0)) { // sets all bits or none, whatever was in it
		x86.Constant(p, p.bits(), int64(imm))
		return true
	}
	x86.Arithmetic(p, op, p.bits(), p.locks())
	return true
}

func (l *Lifter) exchange() bool {
	p := l.parts()
	if p.named[1].inMemory() {
		p.named[0], p.named[1] = p.named[1], p.named[0]
	}
	x86.Exchange(p, p.bits())
	return true
}

func (l *Lifter) exchangeAdd() bool {
	p := l.parts()
	x86.ExchangeAdd(p, p.bits(), p.locks())
	return true
}

func (l *Lifter) compareExchange() bool {
	p := l.parts()
	x86.CompareExchange(p, p.bits(), p.locks())
	return p.named[0].inMemory()
}

func (l *Lifter) compareExchangePair() bool {
	p := l.parts()
	if !p.locks() {
		return false
	}
	if a := p.named[0].addr; a.Op != ir.AddrOf {
		p.named[0].addr = l.keep(a)
	}
	x86.CompareExchangePair(p, p.bits()/2)
	return true
}

// count returns the count of a shift, which is the operand with that number: an immediate number or cl.
func (l *Lifter) count(i int) (*ir.Expr, bool) {
	if l.has(x86asm.PrefixLOCK) {
		return nil, false
	}
	switch c := l.in.Args[i].(type) {
	case x86asm.Imm:
		return ir.Int(int64(c)), true
	case x86asm.Reg:
		return ir.R(RCX), c == x86asm.CL
	}
	return nil, false
}

func (l *Lifter) shift() bool {
	count, ok := l.count(1)
	if ok && l.in.Args[2] == nil {
		p := l.parts()
		x86.Shift(p, l.name(), p.bits(), count)
		return true
	}
	return false
}

func (l *Lifter) shiftPair() bool {
	count, ok := l.count(2)
	if p := l.parts(); ok && p.bits() >= 32 {
		x86.ShiftPair(p, l.in.Op == x86asm.SHRD, p.bits(), count)
		return true
	}
	return false
}

func (l *Lifter) bit() bool {
	p := l.parts()
	x86.Bit(p, l.name(), p.bits(), p.locks())
	return true
}

func (l *Lifter) countBits() bool {
	p := l.parts()
	x86.Count(p, l.name(), p.bits())
	return true
}

func (l *Lifter) checksum() bool {
	p := l.parts()
	x86.Checksum(p, p.named[1].bits)
	return true
}

func (l *Lifter) reverseBytes() bool {
	p := l.parts()
	from := x86.First
	if l.in.Op == x86asm.MOVBE {
		for _, p := range l.in.Prefix {
			if p&0xff == x86asm.PrefixREP&0xff { // no instruction, but the disassembler ignores the prefix
				return false
			}
		}
		from = x86.Second
	} else if p.bits() < 32 {
		return false
	}
	x86.ReverseBytes(p, from, p.bits())
	return true
}

// multiplySigned is imul with one, two and three operands.
func (l *Lifter) multiplySigned() bool {
	p := l.parts()
	switch {
	case l.in.Args[1] == nil:
		x86.Multiply(p, p.bits(), true)
	case l.in.Args[2] == nil:
		x86.MultiplyTo(p, x86.First, x86.Second, p.bits())
	default:
		x86.MultiplyTo(p, x86.Second, x86.Third, p.bits())
	}
	return true
}

func (l *Lifter) multiply() bool {
	p := l.parts()
	x86.Multiply(p, p.bits(), false)
	return true
}

func (l *Lifter) divide() bool {
	p := l.parts()
	x86.Divide(p, p.bits(), l.in.Op == x86asm.IDIV)
	return true
}

func (l *Lifter) carry() bool {
	x86.Carry(l.parts(), l.name())
	return true
}

func widen(from int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		x86.Widen(l.parts(), from)
		return true
	}
}

func signs(bits int) func(*Lifter) bool {
	return func(l *Lifter) bool {
		x86.Signs(l.parts(), bits)
		return true
	}
}

// stringWidths are the instructions on strings, with their widths.
var stringWidths = map[x86asm.Op]int{
	x86asm.STOSB: 8, x86asm.STOSW: 16, x86asm.STOSD: 32, x86asm.STOSQ: 64,
	x86asm.MOVSB: 8, x86asm.MOVSW: 16, x86asm.MOVSD: 32, x86asm.MOVSQ: 64,
}

// stringStep is stos and movs; rep adds the rounds.
func (l *Lifter) stringStep() bool {
	if l.has(x86asm.PrefixFS) {
		return false
	}
	x86.String(l.parts(), stringWidths[l.in.Op], strings.HasPrefix(l.name(), "mov"))
	if l.has(x86asm.PrefixREP) || l.has(x86asm.PrefixREPN) {
		l.out.Guard = ne(ir.R(RCX), ir.Int(0))
		l.assign(RCX, add(ir.R(RCX), ir.Int(-1)))
		l.out.End = Repeat
	}
	return true
}
