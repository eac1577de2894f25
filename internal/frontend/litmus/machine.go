package litmus

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86"
	"fencepost/internal/x86/word"
)

// An instruction as package x86 sees it, which says what it computes.

// flagNames are the names of the flags' registers.
var flagNames = [x86.FlagCount]string{"cf", "pf", "zf", "sf", "of"}

// Emit adds an operation.
func (t *thread) Emit(op ir.Op) { t.emit(op) }

// Temp returns a register for a value inside the instruction.
func (t *thread) Temp() ir.Reg { return t.temp() }

// Keep holds a value in a register.
func (t *thread) Keep(e *ir.Expr) *ir.Expr {
	if _, ok := e.IsConst(); ok || e.Op == ir.AddrOf {
		return e
	}
	tmp := t.temp()
	t.assign(tmp, e)
	return ir.R(tmp)
}

// accumulator is the operand rax.
var accumulator = &operand{kind: isRegister, reg: register{num: regAX}}

func (t *thread) operandFor(o x86.Operand) *operand {
	switch {
	case int(o) < len(t.args):
		return t.args[o]
	case o == x86.RAX:
		return accumulator
	default:
		panic("BUG: no such operand")
	}
}

// partFor is the register of an operand at a width.
func partFor(at *operand, bits int) register {
	if at != accumulator {
		return at.reg
	}
	p := part64
	for n := bits; n < 64; n *= 2 {
		p++
	}
	return register{regAX, p}
}

// InMemory reports whether an operand is in memory.
func (t *thread) InMemory(o x86.Operand) bool { return t.operandFor(o).kind == isMemory }

// Read returns the lowest bits of an operand.
func (t *thread) Read(o x86.Operand, bits int) *ir.Expr {
	switch at := t.operandFor(o); at.kind {
	case isRegister:
		return t.read(partFor(at, bits), t.c.integer(bits/8, false))
	case isImmediate:
		if at.sym != "" {
			return t.immediate(at)
		}
		return ir.Int(at.num & word.Mask(bits))
	default:
		return word.Cut(t.value(at), bits)
	}
}

// Write writes the lowest bits of a value.
func (t *thread) Write(o x86.Operand, bits int, e *ir.Expr) {
	at := t.operandFor(o)
	if at.kind == isMemory {
		t.store(at, e)
		return
	}
	t.assign(t.reg(at.reg.num), t.merged(partFor(at, bits), e))
}

// WriteIf writes a register if a condition holds.
func (t *thread) WriteIf(cond *ir.Expr, o x86.Operand, bits int, e *ir.Expr) {
	at := t.operandFor(o)
	r := t.reg(at.reg.num)
	t.assign(r, ir.Conditional(cond, t.merged(partFor(at, bits), e), ir.R(r)))
}

// Access returns an operation on an operand in memory.
func (t *thread) Access(o x86.Operand, kind ir.OpKind, bits int) ir.Op {
	return t.access(kind, t.operandFor(o), t.c.integer(bits/8, false))
}

// Move adds to the address of an operand, which no instruction here does.
func (t *thread) Move(x86.Operand, *ir.Expr) { panic("BUG: no instruction moves an operand") }

// Flag returns a flag.
func (t *thread) Flag(f x86.Flag) *ir.Expr { return ir.R(t.flags[f]) }

// Wants reports whether the thread reads a flag.
func (t *thread) Wants(f x86.Flag) bool { return t.flags[f] != ir.NoReg }

// SetFlags sets the flags that the thread reads.
func (t *thread) SetFlags(f *x86.Flags) {
	for n, reg := range t.flags {
		if reg != ir.NoReg && f.Change[n] == x86.Defined {
			t.assign(reg, f.Value[n])
		}
	}
}

// Check and Limit belong to divisions, which tests do not have.
func (t *thread) Check(*ir.Expr, ir.CheckClass, string) { panic("BUG: no instruction checks") }
func (t *thread) Limit(*ir.Expr, string)                { panic("BUG: no instruction has limits") }
