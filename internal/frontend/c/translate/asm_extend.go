package translate

import (
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// Instructions that extend values, depend on flags, or work on two words.

// comparePair is cmpxchg16b and cmpxchg8b.
func (in *asmInstruction) comparePair(name string) {
	in.typ = ir.U64
	if name == "cmpxchg8b" {
		in.typ = ir.U32
	}
	in.memory(0)
	if !in.locked {
		in.unsupported()
	}
	for _, reg := range []string{"rax", "rdx"} {
		if r := in.register(reg); !in.machine.written[r] {
			in.set(r, ir.U64, false, ir.Int(0))
		}
	}
	x86.CompareExchangePair(in, int(in.typ.Bits))
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
	c, ok := x86.ConditionNamed(rest)
	width := ir.Type{}
	if !ok && kind == "cmov" && rest != "" {
		c, ok = x86.ConditionNamed(rest[:len(rest)-1])
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
		x86.MoveIf(in, int(in.typ.Bits), func() *ir.Expr { return in.condition(c) })
	default:
		return false
	}
	return true
}

// asmExtensions are the instructions that extend the accumulator, by their names in both syntaxes: the
// width from which, and whether the upper half goes to rdx.
var asmExtensions = map[string]struct {
	bits  uint8
	upper bool
}{
	"cbtw": {8, false}, "cbw": {8, false}, "cwtl": {16, false}, "cwde": {16, false}, "cltq": {32, false}, "cdqe": {32, false},
	"cwtd": {16, true}, "cwd": {16, true}, "cltd": {32, true}, "cdq": {32, true}, "cqto": {64, true}, "cqo": {64, true},
}

// extendAccumulator is one of asmExtensions.
func extendAccumulator(in *asmInstruction, name string) {
	e := asmExtensions[name]
	if e.upper {
		x86.Signs(in, int(e.bits))
		return
	}
	x86.Widen(in, int(e.bits))
}

// extendTo is movzx and movsx, which take the widths from their operands. It returns false for other
// instructions.
func extendTo(in *asmInstruction, word string) bool {
	if word != "movzx" && word != "movsx" && word != "movsxd" || len(in.args) != 2 {
		return false
	}
	from, to := in.args[0].typ, in.args[1].typ
	if from.Bits == 0 || from.Bits >= to.Bits || in.locked {
		in.unsupported()
	}
	from.Signed = strings.HasPrefix(word, "movs")
	in.writeAs(1, to, ir.Unary(ir.Cast, from, in.readAs(0, ir.Type{Bits: from.Bits})))
	return true
}
