package translate

import (
	"strings"

	"fencepost/internal/ir"
)

// The instructions with operands, in AT&T syntax: the source comes first. A locked one is a
// read-modify-write of its memory operand; xchg with memory is locked without saying so. Without
// lock, an instruction loads from memory, computes, and stores. What ir has no read-modify-write for
// becomes an atomic section of a load and a store, which drains the buffer as the lock does.

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

// asmNames are the instructions, without the suffix that says the width, and how many operands each has;
// asmShifts and imul may have others.
var asmNames = map[string]int{
	"add": 2, "sub": 2, "and": 2, "or": 2, "xor": 2, "adc": 2, "sbb": 2, "cmp": 2, "test": 2, "inc": 1, "dec": 1, "not": 1, "neg": 1,
	"xadd": 2, "cmpxchg": 2, "xchg": 2, "mov": 2, "movabs": 2, "lea": 2, "bswap": 1, "imul": 2, "mul": 1, "div": 1, "idiv": 1,
	"shl": 2, "sal": 2, "shr": 2, "sar": 2, "rol": 2, "ror": 2, "rcl": 2, "rcr": 2, "shld": 3, "shrd": 3, "push": 1, "pop": 1,
	"popcnt": 2, "crc32": 2, "bsf": 2, "bsr": 2, "tzcnt": 2, "lzcnt": 2, "movbe": 2,
	"bt": 2, "bts": 2, "btr": 2, "btc": 2, "cmpxchg8b": 1, "cmpxchg16b": 1,
}

// asmShifts may be written without a count, which is 1 then.
var asmShifts = map[string]bool{"shl": true, "sal": true, "shr": true, "sar": true, "rol": true, "ror": true, "rcl": true, "rcr": true}

// takes reports whether an instruction can have that many operands.
func takes(name string, n int) bool {
	switch {
	case asmCombine[name] != 0:
		return n == asmCombine[name]
	case name == "imul":
		return n >= 1 && n <= 3
	case asmShifts[name] && n == 1:
		return true
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
	case word == "clc", word == "stc":
		in.setFlag(carryFlag, func() *ir.Expr {
			if word == "stc" {
				return ir.Int(1)
			}
			return ir.Int(0)
		})
	case word == "cmc":
		in.setFlag(carryFlag, func() *ir.Expr { return ir.Negate(in.condition(asmConditions["c"])) })
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
	if asmCombine[name] != 0 {
		in.plain()
		combineBits(in, name)
		return
	}
	in.byName(name)
}

// byName translates the instruction with a name without suffix, whose width is known.
func (in *asmInstruction) byName(name string) {
	switch name {
	case "mov", "movabs":
		in.plain()
		in.write(1, in.read(0))
	case "lea":
		in.plain()
		if in.args[0].memory == nil {
			in.unsupported()
		}
		in.write(1, in.args[0].memory.Addr)
	case "bswap":
		in.plain()
		in.swapBytes()
	case "xchg":
		in.exchange()
	case "cmpxchg":
		in.compareExchange()
	case "xadd":
		in.exchangeAdd()
	case "shl", "sal", "shr", "sar", "rol", "ror", "shld", "shrd":
		in.plain()
		shiftBits(in, name)
	case "mul", "div", "idiv":
		in.plain()
		if name == "mul" {
			multiplyWide(in, false)
		} else {
			divideWide(in, name == "idiv")
		}
	case "rcl", "rcr":
		in.plain()
		rotateCarry(in, name)
	case "crc32":
		in.plain()
		checksum(in)
	case "popcnt", "bsf", "bsr", "tzcnt", "lzcnt":
		in.plain()
		countBits(in, name)
	case "movbe":
		in.plain()
		in.write(1, in.swapped(in.keep(in.read(0))))
	case "imul":
		multiplication(in)
	case "bt", "bts", "btr", "btc":
		in.bit(name)
	default:
		in.arithmetic(name)
	}
}

// multiplication is imul.
func multiplication(in *asmInstruction) {
	in.plain()
	switch len(in.args) {
	case 1:
		multiplyWide(in, true)
	case 2:
		in.arithmetic("imul")
	default:
		multiplyThree(in)
	}
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
	case a.memory != nil:
		op := Access(ir.Load, *a.memory, t, ir.Plain)
		op.Dst = in.Code.Temp()
		in.Code.Emit(op)
		return ir.R(op.Dst)
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

// keep holds a value in a register of its own, since its parts may change.
func (in *asmInstruction) keep(v *ir.Expr) *ir.Expr { return in.Code.Keep(Integer(v, ir.S64)).Expr }

// memory returns the memory operand of an instruction that changes memory in one step.
func (in *asmInstruction) memory(i int) Lvalue {
	if in.args[i].memory == nil {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs a memory operand here", in.text)
	}
	return *in.args[i].memory
}

// rmw emits a read-modify-write and returns the value from before.
func (in *asmInstruction) rmw(i int, kind ir.RMWKind, v *ir.Expr) *ir.Expr {
	op := Access(ir.RMW, in.memory(i), in.typ, ir.SeqCst)
	op.Dst, op.RMW, op.Val = in.Code.Temp(), kind, v
	in.Code.Emit(op)
	return ir.R(op.Dst)
}

// locks encloses a load and a store of a locked instruction that ir has no read-modify-write for.
func (in *asmInstruction) locks(body func()) {
	if !in.locked {
		body()
		return
	}
	in.Code.Emit(ir.NewOp(ir.AtomicBegin))
	body()
	in.Code.Emit(ir.NewOp(ir.AtomicEnd))
}

// asmUpdates are the operations that a locked instruction does in one step.
var asmUpdates = map[string]struct {
	rmw  ir.RMWKind
	expr ir.ExprOp
}{
	"add": {ir.FetchAdd, ir.Add}, "sub": {ir.FetchAdd, ir.Sub}, "and": {ir.FetchAnd, ir.And}, "or": {ir.FetchOr, ir.Or}, "xor": {ir.FetchXor, ir.Xor},
	"inc": {ir.FetchAdd, ir.Add}, "dec": {ir.FetchAdd, ir.Sub}, "not": {ir.FetchXor, ir.Xor},
}

// arithmetic is an instruction that computes from its operands, with flags.
func (in *asmInstruction) arithmetic(name string) {
	to := len(in.args) - 1
	if name == "xor" || name == "sub" || name == "sbb" { // xor %eax, %eax is zero, whatever eax holds
		if r := in.args[0].reg; r != ir.NoReg && r == in.args[1].reg && !in.machine.written[r] {
			in.set(r, ir.U64, false, ir.Int(0))
		}
	}
	var operand *ir.Expr
	switch name {
	case "inc", "dec":
		operand = ir.Int(1)
	case "not":
		operand = ir.Int(in.typ.Wrap(-1))
	case "neg":
		operand = ir.Int(0)
	default:
		operand = in.keep(in.read(0))
	}
	if u, ok := asmUpdates[name]; ok && in.locked {
		v := operand
		if u.rmw == ir.FetchAdd && u.expr == ir.Sub {
			v = ir.Unary(ir.Neg, in.typ, operand)
		}
		old := in.rmw(to, u.rmw, v)
		in.arithmeticFlags(name, old, operand, ir.Binary(u.expr, in.typ, old, operand))
		return
	}
	if in.locked && (name == "cmp" || name == "test" || name == "imul" || in.args[to].memory == nil) {
		in.unsupported()
	}
	in.locks(func() {
		old := in.keep(in.read(to))
		carry := func() *ir.Expr { return in.condition(asmConditions["c"]) }
		var result *ir.Expr
		switch name {
		case "adc":
			result = ir.Binary(ir.Add, in.typ, ir.Binary(ir.Add, in.typ, old, operand), carry())
		case "sbb":
			result = ir.Binary(ir.Sub, in.typ, ir.Binary(ir.Sub, in.typ, old, operand), carry())
		case "cmp":
			result = ir.Binary(ir.Sub, in.typ, old, operand)
		case "test":
			result = ir.Binary(ir.And, in.typ, old, operand)
		case "neg":
			result = ir.Unary(ir.Neg, in.typ, old)
		case "imul":
			result = ir.Binary(ir.Mul, in.typ, old, operand)
		default:
			result = ir.Binary(asmUpdates[name].expr, in.typ, old, operand)
		}
		result = in.keep(result)
		if name != "cmp" && name != "test" {
			in.write(to, result)
		}
		in.arithmeticFlags(name, old, operand, result)
	})
}

// arithmeticFlags sets the flags of an operation on old and operand.
func (in *asmInstruction) arithmeticFlags(name string, old, operand, result *ir.Expr) {
	t := in.typ
	carries := func(e func() *ir.Expr) { in.setFlag(carryFlag, e) }
	overflows := func(e func() *ir.Expr) { in.setFlag(overflowFlag, e) }
	xor := func(a, b *ir.Expr) *ir.Expr { return ir.Binary(ir.Xor, ir.U64, a, b) }
	and := func(a, b *ir.Expr) *ir.Expr { return ir.Binary(ir.And, ir.U64, a, b) }
	sum := func() *ir.Expr { return negative(t, and(xor(old, result), xor(operand, result))) }
	difference := func() *ir.Expr { return negative(t, and(xor(old, operand), xor(old, result))) }
	zero := func() *ir.Expr { return ir.Int(0) }
	switch name {
	case "not":
		return // not sets no flags
	case "add":
		carries(func() *ir.Expr { return ir.Binary(ir.Lt, t, result, old) })
		overflows(sum)
	case "inc":
		overflows(sum)
	case "dec":
		overflows(difference)
	case "sub", "cmp":
		carries(func() *ir.Expr { return ir.Binary(ir.Lt, t, old, operand) })
		overflows(difference)
	case "adc": // with the carry from before: the sum of 65 bits
		carries(func() *ir.Expr {
			more := ir.Binary(ir.Lt, t, result, old)
			equal := ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, t, result, old), ir.Binary(ir.Ne, t, operand, ir.Int(0)))
			return ir.Binary(ir.LOr, ir.S64, more, equal)
		})
		overflows(sum)
	case "sbb":
		carries(func() *ir.Expr {
			less := ir.Binary(ir.Lt, t, old, operand)
			equal := ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, t, old, operand), ir.Binary(ir.Ne, t, result, ir.Int(0)))
			return ir.Binary(ir.LOr, ir.S64, less, equal)
		})
		overflows(difference)
	case "neg":
		carries(func() *ir.Expr { return ir.Binary(ir.Ne, t, old, ir.Int(0)) })
		overflows(func() *ir.Expr { return negative(t, and(old, result)) })
	case "imul":
		signedProductFlags(in, old, operand, result)
		return
	default: // and, or, xor, test
		carries(zero)
		overflows(zero)
	}
	in.resultFlags(t, result)
}
