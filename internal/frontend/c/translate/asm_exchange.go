package translate

import (
	"math/bits"
	"slices"
	"strings"

	"fencepost/internal/ir"
)

// Instructions that exchange values, extend them, or depend on flags.

// exchange is xchg, which is locked with a memory operand in any case.
func (in *asmInstruction) exchange() {
	mem, reg := 1, 0
	if in.args[0].memory != nil {
		mem, reg = 0, 1
	}
	if in.args[mem].memory == nil {
		in.plain()
		a, b := in.keep(in.read(0)), in.keep(in.read(1))
		in.write(0, b)
		in.write(1, a)
		return
	}
	if in.args[reg].reg == ir.NoReg {
		in.unsupported()
	}
	in.write(reg, in.rmw(mem, ir.Xchg, in.read(reg)))
}

// exchangeAdd is xadd.
func (in *asmInstruction) exchangeAdd() {
	if in.args[0].reg == ir.NoReg {
		in.unsupported()
	}
	operand := in.keep(in.read(0))
	if in.locked {
		old := in.rmw(1, ir.FetchAdd, operand)
		in.write(0, old)
		in.arithmeticFlags("add", old, operand, ir.Binary(ir.Add, in.typ, old, operand))
		return
	}
	old := in.keep(in.read(1))
	result := in.keep(ir.Binary(ir.Add, in.typ, old, operand))
	in.write(0, old)
	in.write(1, result)
	in.arithmeticFlags("add", old, operand, result)
}

// compareExchange is cmpxchg: it compares with the accumulator, which gets the value that was found.
func (in *asmInstruction) compareExchange() {
	acc := in.register("rax")
	if !in.machine.written[acc] {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs an operand in the accumulator", in.text)
	}
	wanted, value := in.keep(Cast(ir.R(acc), ir.S64, in.typ)), in.keep(in.read(0))
	found := func(old *ir.Expr) {
		in.set(acc, in.typ, false, old)
		in.arithmeticFlags("cmp", wanted, old, in.keep(ir.Binary(ir.Sub, in.typ, wanted, old)))
	}
	if in.locked {
		op := Access(ir.RMW, in.memory(1), in.typ, ir.SeqCst)
		op.RMW, op.Fail, op.Dst, op.Dst2 = ir.Cas, ir.SeqCst, in.Code.Temp(), in.Code.Temp()
		op.Val, op.Val2 = wanted, value
		in.Code.Emit(op)
		found(ir.R(op.Dst))
		return
	}
	// Without lock it writes in any case, the old value if the comparison fails.
	old := in.keep(in.read(1))
	in.write(1, ir.Conditional(ir.Binary(ir.Eq, in.typ, old, wanted), value, old))
	found(old)
}

// comparePair is cmpxchg16b and cmpxchg8b: two words against rdx:rax, replaced by rcx:rbx.
func (in *asmInstruction) comparePair(name string) {
	word := ir.U64
	if name == "cmpxchg8b" {
		word = ir.U32
	}
	first := in.memory(0)
	second := in.Mem.Offset(first, int64(word.Size()))
	value := func(reg string) *ir.Expr {
		r := in.register(reg)
		if !in.machine.written[r] && (reg == "rax" || reg == "rdx") {
			in.set(r, ir.U64, false, ir.Int(0))
		}
		if !in.machine.written[r] {
			in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs a value in %s", in.text, reg)
		}
		return in.keep(Cast(ir.R(r), ir.S64, word))
	}
	low, high, newLow, newHigh := value("rax"), value("rdx"), value("rbx"), value("rcx")
	load := func(l Lvalue) *ir.Expr {
		op := Access(ir.Load, l, word, ir.SeqCst)
		op.Dst = in.Code.Temp()
		in.Code.Emit(op)
		return ir.R(op.Dst)
	}
	if !in.locked {
		in.unsupported()
	}
	in.Code.Emit(ir.NewOp(ir.AtomicBegin))
	oldLow, oldHigh := load(first), load(second)
	equal := in.keep(ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, word, oldLow, low), ir.Binary(ir.Eq, word, oldHigh, high)))
	in.Mem.StoreWord(first, word, ir.Conditional(equal, newLow, oldLow))
	in.Mem.StoreWord(second, word, ir.Conditional(equal, newHigh, oldHigh))
	in.Code.Emit(ir.NewOp(ir.AtomicEnd))
	in.set(in.register("rax"), word, false, oldLow)
	in.set(in.register("rdx"), word, false, oldHigh)
	in.setFlag(zeroFlag, func() *ir.Expr { return equal })
}

// comparesPairs reports whether the statement compares and exchanges two words. Such a statement can
// load both in one step: it copies registers that have no value, compares with them and writes them
// back. Any value does, since memory stays the same.
func (b *asmBlock) comparesPairs() bool {
	return slices.ContainsFunc(b.lines, func(l asmLine) bool {
		return strings.Contains(l.text, "cmpxchg16b") || strings.Contains(l.text, "cmpxchg8b")
	})
}

// extend is movzbl and the like: the suffixes say from and to which width. It returns false for other
// instructions.
func (in *asmInstruction) extend(word string) bool {
	signed := strings.HasPrefix(word, "movs")
	if !signed && !strings.HasPrefix(word, "movz") || len(word) != 6 || len(in.args) != 2 {
		return false
	}
	from, ok1 := asmSuffix[word[4]]
	to, ok2 := asmSuffix[word[5]]
	if !ok1 || !ok2 || from.Bits >= to.Bits {
		return false
	}
	in.plain()
	from.Signed = signed
	v := ir.Unary(ir.Cast, from, in.readAs(0, ir.Type{Bits: from.Bits}))
	in.writeAs(1, to, v)
	return true
}

// conditional is setz and cmovz with any condition. It returns false for other instructions.
func (in *asmInstruction) conditional(kind, rest string) bool {
	c, ok := asmConditions[rest]
	width := ir.Type{}
	if !ok && kind == "cmov" && rest != "" {
		c, ok = asmConditions[rest[:len(rest)-1]]
		width = asmSuffix[rest[len(rest)-1]]
	}
	switch {
	case !ok:
		return false
	case kind == "set" && len(in.args) == 1:
		in.plain()
		in.writeAs(0, ir.U8, in.condition(c))
	case kind == "cmov" && len(in.args) == 2:
		in.plain()
		in.typ = in.width(width)
		v := in.read(0)
		in.write(1, ir.Conditional(in.condition(c), v, in.read(1)))
	default:
		return false
	}
	return true
}

// bit is bt, bts, btr or btc. A number of a bit in a register can name a bit of the words before and
// after the memory operand.
func (in *asmInstruction) bit(name string) {
	if in.locked && name == "bt" || in.typ.Bits == 8 {
		in.unsupported()
	}
	index := in.keep(in.readAs(0, in.typ))
	if mem := in.args[1].memory; mem != nil && in.args[0].number == nil {
		signed := ir.Type{Bits: in.typ.Bits, Signed: true}
		word := ir.Binary(ir.Shr, ir.S64, ir.Unary(ir.Cast, signed, index), ir.Int(int64(bits.Len8(in.typ.Bits-1))))
		at := Lvalue{Reg: ir.NoReg, Obj: ir.NoObject, Addr: ir.Binary(ir.Add, ir.U64, mem.Addr, ir.Binary(ir.Mul, ir.S64, word, ir.Int(int64(in.typ.Size()))))}
		in.args[1].memory = &at
	}
	n := in.keep(ir.Binary(ir.And, ir.U64, index, ir.Int(int64(in.typ.Bits)-1)))
	mask := in.keep(ir.Binary(ir.Shl, in.typ, ir.Int(1), n))
	var old *ir.Expr
	switch {
	case in.locked && name == "bts":
		old = in.rmw(1, ir.FetchOr, mask)
	case in.locked && name == "btr":
		old = in.rmw(1, ir.FetchAnd, ir.Unary(ir.BitNot, in.typ, mask))
	case in.locked:
		old = in.rmw(1, ir.FetchXor, mask)
	default:
		old = in.keep(in.read(1))
		switch name {
		case "bts":
			in.write(1, ir.Binary(ir.Or, in.typ, old, mask))
		case "btr":
			in.write(1, ir.Binary(ir.And, in.typ, old, ir.Unary(ir.BitNot, in.typ, mask)))
		case "btc":
			in.write(1, ir.Binary(ir.Xor, in.typ, old, mask))
		}
	}
	in.setFlag(carryFlag, func() *ir.Expr { return ir.Binary(ir.And, ir.U64, ir.Binary(ir.Shr, ir.U64, old, n), ir.Int(1)) })
	in.setFlag(signFlag, nil)
	in.setFlag(overflowFlag, nil)
}

// swapBytes is bswap.
func (in *asmInstruction) swapBytes() {
	if in.args[0].reg == ir.NoReg || in.typ.Bits < 32 {
		in.unsupported()
	}
	in.write(0, in.swapped(in.keep(in.read(0))))
}

// swapped returns a number with its bytes in the opposite order.
func (in *asmInstruction) swapped(old *ir.Expr) *ir.Expr {
	result := ir.Int(0)
	for i := range int64(in.typ.Size()) {
		b := ir.Binary(ir.And, ir.U64, ir.Binary(ir.Shr, ir.U64, old, ir.Int(8*i)), ir.Int(255))
		result = ir.Binary(ir.Or, ir.U64, result, ir.Binary(ir.Shl, ir.U64, b, ir.Int(8*(int64(in.typ.Size())-1-i))))
	}
	return result
}
