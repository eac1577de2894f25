package translate

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// An instruction of an assembly statement as package x86 sees it. In AT&T's syntax the operands come in the opposite
// order.

// implicitNames are the registers that instructions use without naming them.
var implicitNames = map[x86.Operand]string{
	x86.RAX: "rax", x86.RCX: "rcx", x86.RDX: "rdx", x86.RBX: "rbx", x86.RSI: "rsi", x86.RDI: "rdi", x86.AtRSI: "rsi", x86.AtRDI: "rdi",
}

// index returns where an operand of the instruction is in its text.
func (in *asmInstruction) index(o x86.Operand) int { return len(in.args) - 1 - int(o) }

// Emit adds an operation.
func (in *asmInstruction) Emit(op ir.Op) { in.Code.Emit(op) }

// Temp returns a new register.
func (in *asmInstruction) Temp() ir.Reg { return in.Code.Temp() }

// Keep holds a value in a register of its own, since its parts may change.
func (in *asmInstruction) Keep(e *ir.Expr) *ir.Expr { return in.Code.Keep(Integer(e, ir.S64)).Expr }

// InMemory reports whether an operand is in memory.
func (in *asmInstruction) InMemory(o x86.Operand) bool {
	return o <= x86.Third && in.args[in.index(o)].memory != nil || in.inMemory(o, ir.U8) != nil
}

// inMemory returns the memory that an instruction uses without naming it, nil if an operand is something else.
func (in *asmInstruction) inMemory(o x86.Operand, t ir.Type) *Lvalue {
	switch o {
	case x86.AfterFirst:
		l := in.Mem.Offset(in.memory(in.index(x86.First)), int64(t.Size()))
		return &l
	case x86.AtRSI, x86.AtRDI:
		return &Lvalue{Reg: ir.NoReg, Addr: ir.R(in.implicit(o)), Obj: ir.NoObject}
	}
	return nil
}

// implicit returns a register that an instruction reads without naming it.
func (in *asmInstruction) implicit(o x86.Operand) ir.Reg {
	r := in.register(implicitNames[o])
	if !in.machine.written[r] {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs a value in %s", in.text, implicitNames[o])
	}
	return r
}

// Read returns the lowest bits of an operand.
func (in *asmInstruction) Read(o x86.Operand, bits int) *ir.Expr {
	t := ir.Type{Bits: uint8(bits)}
	if o <= x86.Third {
		return in.readAs(in.index(o), t)
	}
	if l := in.inMemory(o, t); l != nil {
		return in.loadWord(*l, t)
	}
	return Cast(ir.R(in.implicit(o)), ir.S64, t)
}

// Write writes the lowest bits of a value.
func (in *asmInstruction) Write(o x86.Operand, bits int, e *ir.Expr) {
	t := ir.Type{Bits: uint8(bits)}
	if o <= x86.Third {
		in.writeAs(in.index(o), t, e)
		return
	}
	if l := in.inMemory(o, t); l != nil {
		in.Mem.StoreWord(*l, t, e)
		return
	}
	in.set(in.register(implicitNames[o]), t, false, e)
}

// WriteIf writes a register if a condition holds. One without a value is written in any case: what it holds otherwise is
// undefined.
func (in *asmInstruction) WriteIf(cond *ir.Expr, o x86.Operand, bits int, e *ir.Expr) {
	var r ir.Reg
	if o <= x86.Third {
		in.inRegister(in.index(o))
		r = in.args[in.index(o)].reg
	} else {
		r = in.register(implicitNames[o])
	}
	if !in.machine.written[r] {
		in.Write(o, bits, e)
		return
	}
	old := in.Keep(ir.R(r))
	in.Write(o, bits, e)
	in.Code.Assign(r, ir.Conditional(cond, ir.R(r), old))
}

// Access returns an operation on an operand in memory.
func (in *asmInstruction) Access(o x86.Operand, kind ir.OpKind, bits int) ir.Op {
	return Access(kind, in.memory(in.index(o)), ir.Type{Bits: uint8(bits)}, ir.SeqCst)
}

// Move adds a number of bytes to the address of an operand.
func (in *asmInstruction) Move(o x86.Operand, by *ir.Expr) {
	a := &in.args[in.index(o)]
	a.memory = &Lvalue{Reg: ir.NoReg, Obj: ir.NoObject, Addr: ir.Binary(ir.Add, ir.U64, a.memory.Addr, by)}
}

// Flag returns a flag.
func (in *asmInstruction) Flag(f x86.Flag) *ir.Expr {
	in.needsFlag(f)
	return ir.R(in.machine.flags[f])
}

// Wants reports whether the statement reads a flag.
func (in *asmInstruction) Wants(f x86.Flag) bool { return in.machine.flags[f] != ir.NoReg }

// SetFlags sets the flags that the statement reads. A flag is not known after an instruction that leaves it undefined.
func (in *asmInstruction) SetFlags(f *x86.Flags) {
	m := in.machine
	for n := range x86.FlagCount {
		switch {
		case !in.Wants(n), f.Change[n] == x86.Stays:
			continue
		case f.Change[n] != x86.Defined:
			m.known[n] = false
			continue
		}
		v := f.Value[n]
		switch {
		case f.Unless == nil:
		case m.known[n]:
			v = ir.Conditional(f.Unless, ir.R(m.flags[n]), v)
		default:
			in.Limit(ir.Negate(f.Unless), "a flag is read after a shift by zero, and no instruction before sets it")
		}
		in.Code.Assign(m.flags[n], v)
		m.known[n] = true
	}
}

// Check ends the execution with an error of the program unless a condition holds.
func (in *asmInstruction) Check(cond *ir.Expr, class ir.CheckClass, msg string) {
	in.Code.Check(cond, class, msg)
}

// Limit refuses executions in which a condition does not hold.
func (in *asmInstruction) Limit(cond *ir.Expr, why string) {
	in.Code.OnlyIf(cond, in.stmt, codeAsm, why)
}
