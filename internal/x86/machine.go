package x86

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Operand names an operand: one that the instruction has, in Intel's order with the destination first, or one that it
// has without naming it.
type Operand uint8

// The operands.
const (
	First Operand = iota
	Second
	Third
	// AfterFirst is the word in memory after the first operand.
	AfterFirst
	RAX
	RCX
	RDX
	RBX
	RSI
	RDI
	// AtRSI and AtRDI are the memory that the registers point to.
	AtRSI
	AtRDI
)

// Flag is a flag of the processor. The flag AF is not modelled: no instruction here depends on it.
type Flag uint8

// The flags.
const (
	CF Flag = iota
	PF
	ZF
	SF
	OF
	FlagCount
)

// Machine reads and writes the operands of an instruction for a caller.
type Machine interface {
	// Emit adds an operation, Temp returns a new register and Keep holds a value in one, since its parts may change.
	Emit(op ir.Op)
	Temp() ir.Reg
	Keep(e *ir.Expr) *ir.Expr

	// InMemory reports whether an operand is in memory.
	InMemory(o Operand) bool
	// Read returns the lowest bits of an operand, extended with zeros. An operand in memory is loaded.
	Read(o Operand, bits int) *ir.Expr
	// Write writes the lowest bits of a value. In a register, 32 bits clear the rest and fewer leave it alone.
	Write(o Operand, bits int, e *ir.Expr)
	// WriteIf writes if a condition holds, and leaves all of the register alone otherwise.
	WriteIf(cond *ir.Expr, o Operand, bits int, e *ir.Expr)
	// Access returns an operation on an operand in memory, without its values.
	Access(o Operand, kind ir.OpKind, bits int) ir.Op
	// Move adds a number of bytes to the address of an operand in memory.
	Move(o Operand, by *ir.Expr)

	// Flag returns a flag as 0 or 1, Wants reports whether anything may read the flag, and SetFlags takes what an
	// instruction does to all of them.
	Flag(f Flag) *ir.Expr
	Wants(f Flag) bool
	SetFlags(f *Flags)

	// Check ends the execution with an error of the program unless a condition holds.
	Check(cond *ir.Expr, class ir.CheckClass, msg string)
	// Limit says that the translation holds only under a condition on what operands hold before the instruction.
	Limit(cond *ir.Expr, why string)
}

// Change says how an instruction changes a flag.
type Change uint8

// The changes. Zero: the flag stays as it is.
const (
	Stays Change = iota
	Undefined
	// Doubtful flags are undefined for most operands and have the value given for the rest.
	Doubtful
	Defined
)

// Source says what flags were made of, so that a condition after it can compare numbers.
type Source uint8

// The sources.
const (
	OtherSource Source = iota
	Difference         // Left - Right
	Logical            // Left is the result, CF and OF are 0
	Result             // Left is the result, from which ZF and SF come
)

// Flags says how an instruction changes the flags.
type Flags struct {
	Change [FlagCount]Change
	// Value has the flags that are defined or doubtful, as 0 or 1.
	Value [FlagCount]*ir.Expr
	// Unless says when all flags stay, nil: never.
	Unless *ir.Expr
	// Source, Left, Right and Bits say what the flags were made of.
	Source      Source
	Left, Right *ir.Expr
	Bits        int
}

func (f *Flags) set(n Flag, value *ir.Expr) { f.Change[n], f.Value[n] = Defined, value }

// undefined takes the value of flags away.
func (f *Flags) undefined(list ...Flag) {
	for _, n := range list {
		f.Change[n] = Undefined
	}
}

// result sets ZF, SF and PF from a result.
func (f *Flags) result(r *ir.Expr, bits int, source Source) {
	f.set(ZF, word.Eq(r, ir.Int(0)))
	f.set(SF, word.Ne(word.And(r, word.SignBit(bits)), ir.Int(0)))
	f.set(PF, evenParity(r))
	f.Source, f.Left, f.Bits = source, r, bits
}

// evenParity is 1 if the lowest byte has an even number of bits.
func evenParity(r *ir.Expr) *ir.Expr {
	half := word.And(word.Xor(r, word.Shr(r, 4)), ir.Int(15))
	return word.Eq(word.And(word.Down(ir.Int(0x6996), half), ir.Int(1)), ir.Int(0))
}

// wanted reports whether anything may read a flag.
func wanted(m Machine) bool {
	return m.Wants(CF) || m.Wants(PF) || m.Wants(ZF) || m.Wants(SF) || m.Wants(OF)
}

// rmw emits a read-modify-write of an operand and returns its old value.
func rmw(m Machine, o Operand, kind ir.RMWKind, bits int, v *ir.Expr) *ir.Expr {
	op := m.Access(o, ir.RMW, bits)
	op.RMW, op.Val, op.Sync.Order, op.Dst = kind, v, ir.SeqCst, m.Temp()
	m.Emit(op)
	return ir.R(op.Dst)
}

// locked encloses a load and a store in an atomic section, if the instruction is locked.
func locked(m Machine, lock bool, body func()) {
	if lock {
		m.Emit(ir.NewOp(ir.AtomicBegin))
	}
	body()
	if lock {
		m.Emit(ir.NewOp(ir.AtomicEnd))
	}
}
