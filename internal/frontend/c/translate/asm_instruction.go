package translate

import (
	"strings"

	"fencepost/internal/ir"
)

// The instructions with operands. A locked one is a read-modify-write of its
// memory operand; xchg with a memory operand is locked without saying so; mov is a
// plain access.

// asmInstruction is one instruction with its operands.
type asmInstruction struct {
	*asmBlock
	text   string
	locked bool
	args   []asmArg
}

func (in *asmInstruction) unsupported() {
	in.In.Refuse(codeAsm, in.stmt, "the instruction %q is not supported", in.text)
}

var asmSuffix = map[byte]ir.Type{'b': ir.U8, 'w': ir.U16, 'l': ir.U32, 'q': ir.U64}

// asmNames are the instructions, without the suffix that says the width, and how
// many operands each has.
var asmNames = map[string]int{
	"add": 2, "sub": 2, "and": 2, "or": 2, "xor": 2, "inc": 1, "dec": 1, "not": 1, "neg": 1,
	"xadd": 2, "cmpxchg": 2, "xchg": 2, "mov": 2, "sete": 1, "setz": 1, "setne": 1, "setnz": 1,
	"cmp": 2, "test": 2, "cmpxchg16b": 1,
}

func (in *asmInstruction) run(word string) {
	name, width := word, ir.Type{}
	if _, ok := asmNames[name]; !ok && len(word) > 1 {
		name, width = word[:len(word)-1], asmSuffix[word[len(word)-1]]
	}
	n, ok := asmNames[name]
	if !ok || n != len(in.args) || name != word && width == (ir.Type{}) {
		in.unsupported()
	}
	switch name {
	case "sete", "setz", "setne", "setnz":
		in.setFlag(name)
	case "mov":
		in.move(width)
	case "cmpxchg16b":
		in.compareExchange16()
	case "cmp", "test":
		in.compare(name, width)
	default:
		in.update(name, width)
	}
}

// memory finds the one memory operand; the other one, if any, is not memory.
func (in *asmInstruction) memory(last bool) (mem *asmOperand, other asmArg) {
	for i, a := range in.args {
		if a.operand != nil && a.operand.memory && mem == nil && (!last || i == len(in.args)-1) {
			mem = a.operand
		} else {
			other = a
		}
	}
	if mem == nil || other.operand != nil && other.operand.memory {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs exactly one memory operand here", in.text)
	}
	return mem, other
}

// value returns the content of an operand, cut to a width.
func (in *asmInstruction) value(a asmArg, t ir.Type) *ir.Expr {
	if a.operand == nil {
		return ir.Int(t.Wrap(a.value))
	}
	if !a.operand.set {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q reads an operand that has no value", in.text)
	}
	return Cast(ir.R(a.operand.reg), ir.S64, t)
}

// result writes a register operand.
func (in *asmInstruction) result(a asmArg, v *ir.Expr) {
	if a.operand == nil || a.operand.memory {
		in.unsupported()
	}
	if in.jumps && !a.operand.set {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q writes an output that has no value, and may not run", in.text)
	}
	if in.zero != nil { // the flag may depend on the register
		in.zero = in.Lvals.Save(Integer(in.zero, ir.S32)).Expr
	}
	in.Code.Assign(a.operand.reg, v)
	in.mark(a.operand.reg)
}

// mark says that a register has a value, for all operands that share it.
func (in *asmInstruction) mark(r ir.Reg) {
	in.setShared(r)
}

// width is the width of the access: the suffix's, or that of the operand.
func (in *asmInstruction) widthOf(mem *asmOperand, suffix ir.Type) ir.Type {
	exact := ir.Type{Bits: mem.typ.Bits}
	if suffix == (ir.Type{}) && mem.indirect {
		in.unsupported()
	}
	if suffix == (ir.Type{}) {
		return exact
	}
	if suffix.Bits > exact.Bits {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q works on more bytes than its operand has", in.text)
	}
	return suffix
}

func (in *asmInstruction) move(suffix ir.Type) {
	if in.locked {
		in.unsupported()
	}
	from, to := in.args[0], in.args[1]
	switch {
	case to.operand != nil && to.operand.memory:
		mem, v := in.memory(true)
		t := in.widthOf(mem, suffix)
		in.Mem.StoreWord(mem.lvalue, t, in.value(v, t))
	case from.operand != nil && from.operand.memory:
		op := Access(ir.Load, from.operand.lvalue, in.widthOf(from.operand, suffix), ir.Plain)
		op.Dst = in.Code.Temp()
		in.Code.Emit(op)
		in.result(to, ir.R(op.Dst))
	case in.copyUnknown(from, to):
	default:
		t := suffix
		if t == (ir.Type{}) {
			t = ir.U64
		}
		in.result(to, in.value(from, t))
	}
}

// setFlag is sete or setne.
func (in *asmInstruction) setFlag(name string) {
	if in.zero == nil || in.locked {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs a locked instruction before it", in.text)
	}
	v := in.zero
	if strings.Contains(name, "n") {
		v = ir.Negate(v)
	}
	in.result(in.args[0], v)
}

// update is a read-modify-write.
func (in *asmInstruction) update(name string, suffix ir.Type) {
	if !in.locked && name != "xchg" {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q is not supported without lock", in.text)
	}
	mem, other := in.memory(name != "xchg")
	t := in.widthOf(mem, suffix)
	op := Access(ir.RMW, mem.lvalue, t, ir.SeqCst)
	op.Dst = in.Code.Temp()
	old := ir.R(op.Dst)
	simple := func(kind ir.RMWKind, expr ir.ExprOp, v *ir.Expr) {
		op.RMW, op.Val = kind, v
		in.Code.Emit(op)
		in.zero = ir.Binary(ir.Eq, t, ir.Binary(expr, t, old, v), ir.Int(0))
	}
	switch name {
	case "add":
		simple(ir.FetchAdd, ir.Add, in.value(other, t))
	case "sub":
		simple(ir.FetchAdd, ir.Add, ir.Unary(ir.Neg, t, in.value(other, t)))
	case "and":
		simple(ir.FetchAnd, ir.And, in.value(other, t))
	case "or":
		simple(ir.FetchOr, ir.Or, in.value(other, t))
	case "xor":
		simple(ir.FetchXor, ir.Xor, in.value(other, t))
	case "inc":
		simple(ir.FetchAdd, ir.Add, ir.Int(1))
	case "dec":
		simple(ir.FetchAdd, ir.Add, ir.Int(t.Wrap(-1)))
	case "not":
		simple(ir.FetchXor, ir.Xor, ir.Int(t.Wrap(-1)))
		in.zero = nil // not sets no flags
	case "xadd":
		simple(ir.FetchAdd, ir.Add, in.value(other, t))
		in.zero = in.Lvals.Save(Integer(in.zero, ir.S32)).Expr // the operand changes now
		in.result(other, old)
	case "xchg":
		op.RMW, op.Val = ir.Xchg, in.value(other, t)
		in.Code.Emit(op)
		in.result(other, old)
	case "cmpxchg":
		in.compareExchange(op, t, other)
	default:
		in.unsupported()
	}
}

// compareExchange compares with the accumulator, which gets what was found.
func (in *asmInstruction) compareExchange(op ir.Op, t ir.Type, other asmArg) {
	var acc *asmOperand
	for _, o := range in.operands {
		if !o.memory && strings.Contains(o.constraint, "a") {
			acc = o
		}
	}
	if acc == nil || !acc.set {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs an operand in the accumulator", in.text)
	}
	op.RMW, op.Fail = ir.Cas, ir.SeqCst
	op.Val, op.Val2, op.Dst2 = Cast(ir.R(acc.reg), ir.S64, t), in.value(other, t), in.Code.Temp()
	in.Code.Emit(op)
	in.Code.Assign(acc.reg, ir.R(op.Dst))
	in.mark(acc.reg)
	in.zero = ir.Binary(ir.Ne, ir.S64, ir.R(op.Dst2), ir.Int(0))
}
