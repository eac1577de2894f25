package translate

import (
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// The instructions with operands, in AT&T syntax: the source comes first. What they compute is in package x86, whose
// view of an instruction is in asm_parts.go.

// asmInstruction is one instruction with its operands.
type asmInstruction struct {
	*asmBlock
	text     string
	locked   bool
	repeated bool // it has the prefix rep
	args     []asmArg
	typ      ir.Type // the width that it works at
}

func (in *asmInstruction) unsupported() {
	in.In.Refuse(codeAsm, in.stmt, "the instruction %q is not supported", in.text)
}

var asmSuffix = map[byte]ir.Type{'b': ir.U8, 'w': ir.U16, 'l': ir.U32, 'q': ir.U64}

// asmNames are instructions, without the suffix that says the width, and how many operands each has. Arithmetic, shifts
// and imul are apart.
var asmNames = map[string]int{
	"xadd": 2, "cmpxchg": 2, "xchg": 2, "mov": 2, "movabs": 2, "lea": 2, "bswap": 1, "mul": 1, "div": 1, "idiv": 1,
	"shld": 3, "shrd": 3, "push": 1, "pop": 1, "crc32": 2, "movbe": 2,
	"bt": 2, "bts": 2, "btr": 2, "btc": 2, "cmpxchg8b": 1, "cmpxchg16b": 1,
}

// takes reports whether an instruction can have that many operands.
func takes(name string, n int) bool {
	switch {
	case x86.OpNamed(name) != 0:
		return n == x86.OpNamed(name).Operands()
	case x86.Combinations[name] != 0:
		return n == x86.Combinations[name]
	case x86.Counts[name]:
		return n == 2
	case name == "imul":
		return n >= 1 && n <= 3
	case x86.Shifts[name]: // without a count it is 1
		return n == 1 || n == 2
	}
	operands, known := asmNames[name]
	return known && operands == n
}

// withoutOperands translates an instruction without operands. It returns false for others.
func withoutOperands(in *asmInstruction, word string) bool {
	rep := strings.HasPrefix(word, "rep ")
	if kind := strings.TrimPrefix(word, "rep "); asmBlocks[kind].Bits != 0 {
		in.plain()
		moveBlock(in, kind, rep)
		return true
	}
	switch _, extends := asmExtensions[word]; {
	case in.locked:
		return false
	case extends:
		extendAccumulator(in, word)
	case word == "clc", word == "stc", word == "cmc":
		x86.Carry(in, word)
	case word == "syscall":
		makeSystemCall(in)
	case word == "cpuid":
		in.In.Refuse(codeAsm, in.stmt, "cpuid is not supported: which processor runs the program is not modelled")
	case word == "rdtsc", word == "rdtscp":
		readTimeStamp(in, word)
	case word == "ud2", word == "int3", word == "hlt":
		in.Code.Check(ir.Int(0), ir.ReachError, word+" is reached")
		in.Code.Emit(ir.NewOp(ir.Exit))
		in.Code.At, in.Code.Fresh = Nowhere, false
	default:
		return false
	}
	return true
}

// run translates the instruction with a name.
func (in *asmInstruction) run(word string) {
	if len(in.args) == 0 && withoutOperands(in, word) {
		return
	}
	if in.readsStack() && (strings.TrimRight(word, "bwlq") != "mov" || in.locked || !in.Code.Opt.Undefined()) {
		in.unsupported()
	}
	for _, kind := range []string{"set", "cmov"} {
		if rest, ok := strings.CutPrefix(word, kind); ok && in.conditional(kind, rest) {
			return
		}
	}
	if in.extend(word) || extendTo(in, word) {
		return
	}
	name, width := word, ir.Type{}
	if !takes(name, len(in.args)) && len(word) > 1 {
		name, width = word[:len(word)-1], asmSuffix[word[len(word)-1]]
	}
	if !takes(name, len(in.args)) || name != word && width == (ir.Type{}) {
		in.unsupported()
	}
	if len(in.args) == 2 && in.args[0].memory != nil && in.args[1].memory != nil {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q has two memory operands", in.text)
	}
	if strings.HasPrefix(name, "cmpxchg") && name != "cmpxchg" {
		in.comparePair(name)
		return
	}
	if name == "push" || name == "pop" {
		in.plain()
		pushOrPop(in, name)
		return
	}
	if name == "crc32" && width == (ir.Type{}) { // the width is that of its source
		width = in.args[0].typ
	}
	in.typ = in.width(width)
	in.byName(name)
}

// lockable are the instructions that may have a lock, beside arithmetic.
var lockable = map[string]bool{"xchg": true, "xadd": true, "cmpxchg": true, "bts": true, "btr": true, "btc": true}

// readsStack reports whether an operand is memory at the stack pointer. A plain load of it, which some programs take
// for a barrier of the compiler, has a value that is not defined.
func (in *asmInstruction) readsStack() bool {
	return slices.ContainsFunc(in.args, func(a asmArg) bool { return a.stack })
}

// byName translates the instruction with a name without suffix, whose width is known.
func (in *asmInstruction) byName(name string) {
	bits, op := int(in.typ.Bits), x86.OpNamed(name)
	if in.locked && !lockable[name] && (op == 0 || !op.Writes()) {
		in.unsupported()
	}
	if in.locked && name != "xchg" {
		in.memory(len(in.args) - 1)
	}
	switch {
	case op != 0:
		in.zeroed(name)
		x86.Arithmetic(in, op, bits, in.locked)
	case x86.Combinations[name] != 0:
		in.atLeast(32)
		x86.Combine(in, name, bits)
	case x86.Shifts[name], name == "shld", name == "shrd":
		in.shift(name)
	case x86.Counts[name]:
		in.atLeast(16)
		in.countBits(name)
	default:
		in.other(name, bits)
	}
}

// other translates the rest of the instructions.
func (in *asmInstruction) other(name string, bits int) {
	switch name {
	case "mov", "movabs":
		in.write(1, in.read(0))
	case "lea":
		if in.args[0].memory == nil {
			in.unsupported()
		}
		in.write(1, in.args[0].memory.Addr)
	case "bswap":
		in.atLeast(32)
		in.inRegister(0)
		x86.ReverseBytes(in, x86.First, bits)
	case "movbe":
		x86.ReverseBytes(in, x86.Second, bits)
	case "xchg":
		in.exchange()
	case "cmpxchg":
		x86.CompareExchange(in, bits, in.locked)
	case "xadd":
		in.inRegister(0)
		x86.ExchangeAdd(in, bits, in.locked)
	case "mul":
		x86.Multiply(in, bits, false)
	case "div", "idiv":
		x86.Divide(in, bits, name == "idiv")
	case "crc32":
		x86.Checksum(in, bits)
	case "imul":
		switch len(in.args) {
		case 1:
			x86.Multiply(in, bits, true)
		case 2:
			x86.MultiplyTo(in, x86.First, x86.Second, bits)
		default:
			x86.MultiplyTo(in, x86.Second, x86.Third, bits)
		}
	default: // bt, bts, btr, btc
		in.atLeast(16)
		x86.Bit(in, name, bits, in.locked)
	}
}

// atLeast refuses a width that the instruction does not have.
func (in *asmInstruction) atLeast(bits uint8) {
	if in.typ.Bits < bits {
		in.unsupported()
	}
}

// inRegister refuses an operand that is not in a register.
func (in *asmInstruction) inRegister(i int) {
	if in.args[i].reg == ir.NoReg {
		in.unsupported()
	}
}

// zeroed gives a register a value that an instruction combines with itself: xor %eax, %eax is zero, whatever eax holds.
func (in *asmInstruction) zeroed(name string) {
	if name != "xor" && name != "sub" && name != "sbb" {
		return
	}
	if r := in.args[0].reg; r != ir.NoReg && r == in.args[1].reg && !in.machine.written[r] {
		in.set(r, ir.U64, false, ir.Int(0))
	}
}

// exchange is xchg, which is locked with a memory operand in any case.
func (in *asmInstruction) exchange() {
	if in.args[0].memory != nil {
		slices.Reverse(in.args)
	}
	in.inRegister(0)
	if in.args[1].memory == nil {
		in.plain()
	}
	x86.Exchange(in, int(in.typ.Bits))
}

// shift is a shift or rotation, by a constant or by %cl.
func (in *asmInstruction) shift(name string) {
	count := ir.Int(1) // shl %eax
	if len(in.args) > 1 {
		if a := &in.args[0]; a.number != nil {
			count = ir.Int(*a.number)
		} else {
			in.inRegister(0)
			if a.view.high {
				in.unsupported()
			}
			count = in.readAs(0, ir.U8)
		}
	}
	if len(in.args) == 3 {
		in.atLeast(32)
		x86.ShiftPair(in, name == "shrd", int(in.typ.Bits), count)
		return
	}
	x86.Shift(in, name, int(in.typ.Bits), count)
}

// countBits is one of x86.Counts.
func (in *asmInstruction) countBits(name string) {
	if in.repeated {
		from := in.Keep(in.read(0))
		in.Limit(ir.Binary(ir.Ne, ir.U64, from, ir.Int(0)), "rep bsf of zero, which is tzcnt for some processors and bsf for others, is not supported")
	}
	x86.Count(in, name, int(in.typ.Bits))
}

// plain refuses a lock.
func (in *asmInstruction) plain() {
	if in.locked {
		in.unsupported()
	}
}

// width returns the width of the instruction: its suffix's, or that of its operands.
func (in *asmInstruction) width(suffix ir.Type) ir.Type {
	t := suffix
	for i := len(in.args) - 1; i >= 0 && t == (ir.Type{}); i-- { // registers tell the width, then memory
		if a := &in.args[i]; a.reg != ir.NoReg {
			t = a.typ
		}
	}
	for i := len(in.args) - 1; i >= 0 && t == (ir.Type{}); i-- {
		t = in.args[i].typ
	}
	if t == (ir.Type{}) {
		in.In.Refuse(codeAsm, in.stmt, "the width of the instruction %q is not known", in.text)
	}
	for _, a := range in.args {
		if a.memory != nil && a.of != nil && t.Bits > a.typ.Bits {
			in.In.Refuse(codeAsm, in.stmt, "the instruction %q works on more bytes than its operand has", in.text)
		}
	}
	return t
}

// read returns the value of an operand, cut to the width.
func (in *asmInstruction) read(i int) *ir.Expr { return in.readAs(i, in.typ) }

func (in *asmInstruction) readAs(i int, t ir.Type) *ir.Expr {
	a := &in.args[i]
	switch {
	case a.number != nil:
		return ir.Int(t.Wrap(*a.number))
	case a.stack:
		return ir.Undefined(t)
	case a.memory != nil:
		return in.loadWord(*a.memory, t)
	}
	if !in.machine.written[a.reg] && a.of == nil && in.comparesPairs() {
		in.set(a.reg, ir.U64, false, ir.Int(0))
	}
	if !in.machine.written[a.reg] {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q reads an operand that has no value", in.text)
	}
	v := ir.R(a.reg)
	if a.view.high {
		v = ir.Binary(ir.Shr, ir.U64, v, ir.Int(8))
	}
	return Cast(v, ir.S64, t)
}

// loadWord loads a number.
func (in *asmInstruction) loadWord(l Lvalue, t ir.Type) *ir.Expr {
	op := Access(ir.Load, l, t, l.order())
	op.Dst = in.Code.Temp()
	in.Code.Emit(op)
	return ir.R(op.Dst)
}

// write writes the result to an operand.
func (in *asmInstruction) write(i int, v *ir.Expr) { in.writeAs(i, in.typ, v) }

func (in *asmInstruction) writeAs(i int, t ir.Type, v *ir.Expr) {
	a := &in.args[i]
	switch {
	case a.memory != nil:
		in.Mem.StoreWord(*a.memory, t, v)
		return
	case a.reg == ir.NoReg:
		in.unsupported()
	}
	in.set(a.reg, t, a.view.high, v)
}

// set writes a part of a register.
func (in *asmInstruction) set(r ir.Reg, t ir.Type, high bool, v *ir.Expr) {
	switch {
	case t.Bits >= 32:
		v = Cast(v, ir.S64, t)
	case !in.machine.written[r] && !high: // the rest has no value yet
		v = Cast(v, ir.S64, t)
	default:
		shift, mask := int64(0), int64(1)<<t.Bits-1
		if high {
			shift = 8
		}
		part := ir.Binary(ir.And, ir.U64, v, ir.Int(mask))
		if high {
			part = ir.Binary(ir.Shl, ir.U64, part, ir.Int(shift))
		}
		v = ir.Binary(ir.Or, ir.U64, ir.Binary(ir.And, ir.U64, ir.R(r), ir.Int(^(mask<<shift))), part)
	}
	in.Code.Assign(r, v)
	in.machine.written[r] = true
}

// memory returns the memory operand of an instruction that changes memory in one step.
func (in *asmInstruction) memory(i int) Lvalue {
	if in.args[i].memory == nil {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs a memory operand here", in.text)
	}
	return *in.args[i].memory
}
