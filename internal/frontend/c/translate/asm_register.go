package translate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// Registers by name, memory at an address in a register, and cmpxchg16b, which needs both. An operand
// whose constraint names a register is that register, and so are all others with this constraint.

// asmRegisters are the letters of the registers in constraints.
var asmRegisters = map[string]string{"rax": "a", "rbx": "b", "rcx": "c", "rdx": "d", "rsi": "S", "rdi": "D"}

// boundTo returns the letter of the register that a constraint names, "" if the compiler chooses.
func boundTo(constraint string) string {
	letter := strings.Trim(constraint, "=+&%")
	for _, l := range asmRegisters {
		if l == letter {
			return l
		}
	}
	return ""
}

// bound returns the operand that is a register, nil if there is none.
func (b *asmBlock) bound(letter string) *asmOperand {
	is := func(o *asmOperand) bool { return !o.memory && o.reg != ir.NoReg && boundTo(o.constraint) == letter }
	for _, list := range [][]*asmOperand{b.operands, b.scratch} {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return list[i]
		}
	}
	return nil
}

// share gives an operand the register of another one that is bound to the same register.
func (b *asmBlock) share(o *asmOperand) bool {
	letter := boundTo(o.constraint)
	if letter == "" {
		return false
	}
	other := b.bound(letter)
	if other == nil {
		return false
	}
	o.reg = other.reg
	return true
}

// named returns the register that %%rax names. Where no operand is bound to it, it has no value at first.
func (b *asmBlock) named(text string) *asmOperand {
	letter, ok := asmRegisters[strings.TrimPrefix(text, "%%")]
	if !ok || !strings.HasPrefix(text, "%%") {
		return nil
	}
	if o := b.bound(letter); o != nil {
		return o
	}
	o := &asmOperand{constraint: letter, reg: b.Code.Fb.Reg("t", 0, b.Code.Pos), typ: ir.U64}
	b.scratch = append(b.scratch, o)
	return o
}

var asmIndirect = regexp.MustCompile(`^(-?(?:0x[0-9a-f]+|\d+))?\((%[^%,()]+)\)$`)

// indirect returns the memory that 8(%1) names, nil if the text has another form.
func (b *asmBlock) indirect(text, instruction string) *asmOperand {
	m := asmIndirect.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	base := b.argument(m[2], instruction).operand
	if base == nil || base.memory || !base.set || base.typ.Bits != 64 {
		return nil
	}
	off := int64(0)
	if m[1] != "" {
		n, err := strconv.ParseInt(m[1], 0, 32)
		if err != nil {
			return nil
		}
		off = n
	}
	at := b.Lvals.Save(Integer(AddTo(ir.R(base.reg), ir.Int(off)), ir.U64))
	return &asmOperand{memory: true, indirect: true, lvalue: Lvalue{Reg: ir.NoReg, Addr: at.Expr, Obj: ir.NoObject}, reg: ir.NoReg, typ: ir.U64}
}

// copyUnknown notes that a register gets the value of another one that has none, as before a cmpxchg16b
// that is only to read.
func (in *asmInstruction) copyUnknown(from, to asmArg) bool {
	if from.operand == nil || from.operand.memory || from.operand.set || boundTo(from.operand.constraint) == "" ||
		to.operand == nil || to.operand.memory || to.operand.set {
		return false
	}
	if in.copies == nil {
		in.asmBlock.copies = map[ir.Reg]ir.Reg{}
	}
	in.copies[to.operand.reg] = from.operand.reg
	return true
}

// compareExchange16 compares 16 bytes with rdx:rax and writes rcx:rbx if they are equal. It is a section
// of two accesses of 8 bytes each, as the locked instruction is indivisible and drains the buffer.
func (in *asmInstruction) compareExchange16() {
	mem := in.args[0].operand
	lo, hi, newLo, newHi := in.bound("a"), in.bound("d"), in.bound("b"), in.bound("c")
	if !in.locked || mem == nil || !mem.memory || lo == nil || hi == nil || newLo == nil || newHi == nil {
		in.unsupported()
	}
	// With the same unknown values for comparison and writing nothing changes.
	from := func(to, old *asmOperand) bool { r, ok := in.copies[to.reg]; return ok && r == old.reg && !old.set }
	reads := from(newLo, lo) && from(newHi, hi)
	if !reads && !(lo.set && hi.set && newLo.set && newHi.set) {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q reads a register that has no value", in.text)
	}
	at := mem.lvalue
	at.Addr = in.Lvals.Save(Integer(at.Addr, ir.U64)).Expr
	words := []Lvalue{at, in.Mem.Offset(at, 8)}
	in.Code.Emit(ir.NewOp(ir.AtomicBegin))
	var found [2]*ir.Expr
	for i, w := range words {
		op := Access(ir.Load, w, ir.U64, ir.SeqCst)
		op.Dst = in.Code.Temp()
		in.Code.Emit(op)
		found[i] = ir.R(op.Dst)
	}
	in.zero = nil
	if !reads {
		same := ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, ir.U64, found[0], ir.R(lo.reg)), ir.Binary(ir.Eq, ir.U64, found[1], ir.R(hi.reg)))
		in.zero = in.Lvals.Save(Integer(same, ir.S32)).Expr
		start, write, end := in.Code.Start(), in.Code.Label(""), in.Code.Label("")
		in.Code.Assume(start, in.zero, write)
		in.Code.Assume(start, ir.Negate(in.zero), end)
		in.Code.At, in.Code.Fresh = write, false
		for i, v := range []*asmOperand{newLo, newHi} {
			op := Access(ir.Store, words[i], ir.U64, ir.SeqCst)
			op.Val = ir.R(v.reg)
			in.Code.Emit(op)
		}
		in.Code.Here(end)
	}
	in.Code.Emit(ir.NewOp(ir.AtomicEnd))
	for i, o := range []*asmOperand{lo, hi} {
		in.Code.Assign(o.reg, found[i])
		in.mark(o.reg)
	}
}
