package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// parts is an instruction for package x86, which says what the instruction computes: its operands and the flags.
type parts struct {
	*Lifter
	named [3]operand
}

// parts returns the instruction with its operands.
func (l *Lifter) parts() *parts {
	p := &parts{Lifter: l}
	for i := range p.named {
		if l.in.Args[i] != nil {
			p.named[i] = l.operand(i)
		}
	}
	return p
}

// locks reports whether the instruction is a read-modify-write of memory.
func (p *parts) locks() bool { return p.has(x86asm.PrefixLOCK) && p.named[0].inMemory() }

// bits is the width of the first operand.
func (p *parts) bits() int { return p.named[0].bits }

// implicit are the registers that instructions use without naming them.
var implicit = map[x86.Operand]ir.Reg{x86.RAX: RAX, x86.RCX: RCX, x86.RDX: RDX, x86.RBX: RBX, x86.RSI: RSI, x86.RDI: RDI}

// Emit adds an operation.
func (p *parts) Emit(op ir.Op) { p.emit(op) }

// Temp returns a new register.
func (p *parts) Temp() ir.Reg { return p.temp() }

// Keep holds a value in a new register.
func (p *parts) Keep(e *ir.Expr) *ir.Expr { return p.keep(e) }

// InMemory reports whether an operand is in memory.
func (p *parts) InMemory(o x86.Operand) bool {
	if o <= x86.Third {
		return p.named[o].inMemory()
	}
	return p.addressOf(o) != nil
}

// addressOf returns the address of an operand that the instruction does not name, nil if it is in a register.
func (p *parts) addressOf(o x86.Operand) *ir.Expr {
	switch o {
	case x86.AfterFirst:
		return add(p.named[0].addr, ir.Int(int64(p.named[0].bits/16)))
	case x86.AtRSI:
		return ir.R(RSI)
	case x86.AtRDI:
		return ir.R(RDI)
	}
	return nil
}

// Read returns the lowest bits of an operand.
func (p *parts) Read(o x86.Operand, bits int) *ir.Expr {
	if o <= x86.Third {
		return p.value(p.named[o], bits)
	}
	if at := p.addressOf(o); at != nil {
		return p.load(at, bits)
	}
	return cut(ir.R(implicit[o]), bits)
}

// Write writes the lowest bits of a value.
func (p *parts) Write(o x86.Operand, bits int, e *ir.Expr) {
	if o <= x86.Third {
		to := p.named[o]
		to.bits = bits
		p.set(to, e)
		return
	}
	if at := p.addressOf(o); at != nil {
		p.store(at, bits, cut(e, bits))
		return
	}
	p.assign(implicit[o], merged(implicit[o], bits, 0, e))
}

// WriteIf writes a register if a condition holds.
func (p *parts) WriteIf(cond *ir.Expr, o x86.Operand, bits int, e *ir.Expr) {
	r, shift := implicit[o], 0
	if o <= x86.Third {
		a, _ := p.named[o].arg.(x86asm.Reg)
		var ok bool
		if r, _, shift, ok = general(a); !ok {
			p.err = p.refuse("")
			return
		}
	}
	p.assign(r, ir.Conditional(cond, merged(r, bits, shift, e), ir.R(r)))
}

// merged returns what a register holds after some of its bits were written: 32 clear the rest, fewer leave it.
func merged(r ir.Reg, bits, shift int, e *ir.Expr) *ir.Expr {
	if bits >= 32 {
		return address(e, bits)
	}
	field := cut(e, bits)
	if shift > 0 {
		field = shl(field, shift)
	}
	return or(and(ir.R(r), ir.Int(^(mask(bits)<<shift))), field)
}

// Access returns an operation on an operand in memory.
func (p *parts) Access(o x86.Operand, kind ir.OpKind, bits int) ir.Op {
	return access(kind, p.named[o].addr, bits)
}

// Move adds a number of bytes to the address of an operand.
func (p *parts) Move(o x86.Operand, by *ir.Expr) {
	p.named[o].addr = p.keep(add(p.named[o].addr, by))
}

// Flag returns a flag.
func (p *parts) Flag(f x86.Flag) *ir.Expr { return ir.R(CF + ir.Reg(f)) }

// Wants reports whether code may read a flag.
func (p *parts) Wants(f x86.Flag) bool { return f != x86.PF || !p.NoParity }

// SetFlags assigns the flags. A flag that is undefined keeps its value.
func (p *parts) SetFlags(f *x86.Flags) {
	changed := false
	for n := range x86.FlagCount {
		if f.Change[n] != x86.Stays {
			changed = true
		}
		if f.Change[n] < x86.Doubtful || !p.Wants(n) {
			continue
		}
		v := f.Value[n]
		if f.Unless != nil {
			v = ir.Conditional(f.Unless, p.Flag(n), v)
		}
		p.assign(CF+ir.Reg(n), v)
	}
	if !changed {
		return
	}
	p.compared = compared{f.Source, f.Bits, false}
	if f.Source != x86.OtherSource {
		p.assign(Left, f.Left)
	}
	if f.Source == x86.Difference {
		p.assign(Right, f.Right)
	}
}

// Check ends the execution with an error of the program unless a condition holds.
func (p *parts) Check(cond *ir.Expr, class ir.CheckClass, msg string) { p.assert(cond, class, msg) }

// Limit says when the translation holds.
func (p *parts) Limit(cond *ir.Expr, _ string) { p.out.Needs = cond }
