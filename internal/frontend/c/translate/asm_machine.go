package translate

import (
	"strconv"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/x86"
)

// The machine of an assembly statement: its registers, its flags, and the operands of its
// instructions. A register is 64 bits wide. Writing 32 bits of it clears the rest, and writing 8 or
// 16 bits keeps the rest, as on the processor. Of the flags, only those are computed that an
// instruction of the statement reads.

// asmRegisters are the names of the registers, by their name of 64 bits.
var asmRegisters = func() map[string]asmView {
	out := map[string]asmView{}
	add := func(name, of string, bits uint8) { out[name] = asmView{name: of, typ: ir.Type{Bits: bits}} }
	for _, r := range []string{"a", "b", "c", "d"} {
		add("r"+r+"x", "r"+r+"x", 64)
		add("e"+r+"x", "r"+r+"x", 32)
		add(r+"x", "r"+r+"x", 16)
		add(r+"l", "r"+r+"x", 8)
		out[r+"h"] = asmView{name: "r" + r + "x", typ: ir.U8, high: true}
	}
	for _, r := range []string{"si", "di", "bp", "sp"} {
		add("r"+r, "r"+r, 64)
		add("e"+r, "r"+r, 32)
		add(r, "r"+r, 16)
		add(r+"l", "r"+r, 8)
	}
	for i := 8; i < 16; i++ {
		r := "r" + strconv.Itoa(i)
		add(r, r, 64)
		add(r+"d", r, 32)
		add(r+"w", r, 16)
		add(r+"b", r, 8)
	}
	return out
}()

// asmView is a part of a register.
type asmView struct {
	name string
	typ  ir.Type
	high bool // bits 8 to 15
}

// asmLetters are the constraints that name a register.
var asmLetters = map[rune]string{'a': "rax", 'b': "rbx", 'c': "rcx", 'd': "rdx", 'S': "rsi", 'D': "rdi"}

// asmMachine is the state of the processor, as far as a statement has a part in it.
type asmMachine struct {
	registers map[string]ir.Reg
	written   map[ir.Reg]bool // registers that have a value
	flags     [x86.FlagCount]ir.Reg
	known     [x86.FlagCount]bool // the flag has a value
}

func newAsmMachine() *asmMachine {
	m := &asmMachine{registers: map[string]ir.Reg{}, written: map[ir.Reg]bool{}}
	for i := range m.flags {
		m.flags[i] = ir.NoReg
	}
	return m
}

// register returns the register with a name of 64 bits.
func (b *asmBlock) register(name string) ir.Reg {
	r, ok := b.machine.registers[name]
	if !ok {
		r = b.Code.Temp()
		b.machine.registers[name] = r
	}
	return r
}

// needsFlag refuses to read a flag that has no value.
func (b *asmBlock) needsFlag(f x86.Flag) {
	if !b.machine.known[f] {
		b.In.Refuse(codeAsm, b.stmt, "a flag is read that no instruction before it sets")
	}
}

// condition returns whether a condition holds.
func (b *asmBlock) condition(c x86.Condition) *ir.Expr {
	return c.Holds(func(f x86.Flag) *ir.Expr {
		b.needsFlag(f)
		return ir.R(b.machine.flags[f])
	})
}

// asmArg is an operand of one instruction.
type asmArg struct {
	number *int64      // a constant
	stack  bool        // the memory that the stack pointer points to, where the compiler puts what it likes
	memory *Lvalue     // memory
	reg    ir.Reg      // otherwise
	view   asmView     // of reg
	typ    ir.Type     // the width if the instruction does not say it; zero: not known
	of     *asmOperand // the operand of the statement, if it is one
}

var (
	asmReference = lazyregexp.New(`^%([bwkqhza]?)(\d+|\[\w+\])$`)
	asmNumber    = lazyregexp.New(`%[cp](\d+|\[\w+\])`)
	asmAddress   = lazyregexp.New(`^(-?\w*)\(([^,()]*)(?:,([^,()]*))?(?:,([1248]))?\)$`)
)

// argument reads %0, %b0, %[name], %%eax, $5 or 8(%0).
func (b *asmBlock) argument(text, instruction string) asmArg {
	text = strings.TrimSpace(text)
	if num, ok := strings.CutPrefix(text, "$"); ok {
		if v, err := strconv.ParseInt(num, 0, 64); err == nil {
			return asmArg{number: &v, reg: ir.NoReg}
		}
		if v, err := strconv.ParseUint(num, 0, 64); err == nil {
			n := int64(v)
			return asmArg{number: &n, reg: ir.NoReg}
		}
	}
	if m := asmReference.FindStringSubmatch(text); m != nil {
		if o := b.named(m[2]); o != nil {
			return b.operandArg(o, m[1])
		}
	}
	if v, ok := asmRegisters[strings.TrimPrefix(text, "%%")]; ok && strings.HasPrefix(text, "%%") && v.name != "rsp" {
		return asmArg{reg: b.register(v.name), view: v, typ: v.typ}
	}
	if m := asmAddress.FindStringSubmatch(text); m != nil {
		if m[2] == "%%rsp" && m[3] == "" {
			return asmArg{stack: true, reg: ir.NoReg}
		}
		if l, ok := b.address(m, instruction); ok {
			return asmArg{memory: &l, reg: ir.NoReg}
		}
	}
	b.In.Refuse(codeAsm, b.stmt, "the operand %q of the instruction %q is not supported", text, instruction)
	panic("BUG: unreachable")
}

// numbers writes the constants that %c0 and %P0 stand for into the text of an instruction.
func (b *asmBlock) numbers(text string) string {
	return asmNumber.ReplaceAllStringFunc(text, func(ref string) string {
		if o := b.named(ref[2:]); o != nil && o.constant != nil {
			return strconv.FormatInt(*o.constant, 10)
		}
		return ref
	})
}

// named returns the operand of the statement with a number or [name], nil if there is none.
func (b *asmBlock) named(ref string) *asmOperand {
	if name, ok := strings.CutPrefix(ref, "["); ok {
		name = strings.TrimSuffix(name, "]")
		for _, o := range b.operands {
			if o.name != "" && strings.EqualFold(o.name, name) {
				return o
			}
		}
		return nil
	}
	n, err := strconv.Atoi(ref)
	if err != nil || n >= len(b.operands) {
		return nil
	}
	return b.operands[n]
}

// operandArg returns an operand of the statement as an operand of an instruction.
func (b *asmBlock) operandArg(o *asmOperand, modifier string) asmArg {
	widths := map[string]ir.Type{"b": ir.U8, "w": ir.U16, "k": ir.U32, "q": ir.U64, "h": ir.U8}
	t, modified := widths[modifier]
	if !modified {
		t = ir.Type{Bits: o.typ.Bits}
	}
	switch {
	case o.memory:
		return asmArg{memory: &o.lvalue, reg: ir.NoReg, typ: ir.Type{Bits: o.typ.Bits}, of: o}
	}
	return asmArg{reg: o.reg, view: asmView{typ: t, high: modifier == "h"}, typ: t, of: o}
}

// address returns the memory that disp(base,index,scale) names.
func (b *asmBlock) address(m []string, instruction string) (Lvalue, bool) {
	addr := ir.Int(0)
	part := func(text string, scale int64) bool {
		if text = strings.TrimSpace(text); text == "" {
			return true
		}
		a := b.argument(text, instruction)
		if a.reg == ir.NoReg || a.view.high || a.typ.Bits != 64 || a.view.name == "rsp" {
			return false
		}
		if !b.machine.written[a.reg] {
			b.In.Refuse(codeAsm, b.stmt, "the instruction %q reads an operand that has no value", instruction)
		}
		v := ir.R(a.reg)
		if scale > 1 {
			v = ir.Binary(ir.Mul, ir.U64, v, ir.Int(scale))
		}
		addr = ir.Binary(ir.Add, ir.U64, addr, v)
		return true
	}
	disp, scale := int64(0), int64(1)
	if m[1] != "" {
		var err error
		if disp, err = strconv.ParseInt(m[1], 0, 64); err != nil {
			return Lvalue{}, false
		}
	}
	if m[4] != "" {
		scale = int64(m[4][0] - '0')
	}
	if m[2] == "" && m[3] == "" || !part(m[2], 1) || !part(m[3], scale) {
		return Lvalue{}, false
	}
	return Lvalue{Reg: ir.NoReg, Addr: AddTo(simplified(addr), ir.Int(disp)), Obj: ir.NoObject}, true
}

// simplified drops a zero that sums begin with.
func simplified(e *ir.Expr) *ir.Expr {
	if e.Op == ir.Add {
		if k, ok := e.X.IsConst(); ok && k == 0 {
			return e.Y
		}
		return ir.Binary(ir.Add, e.Type, simplified(e.X), e.Y)
	}
	return e
}
