package litmus

import (
	"strings"

	"fencepost/internal/ir"
)

// opKind is a family of instructions. The zero value is unset.
type opKind uint8

const (
	_         opKind = iota
	kMove            // mov
	kExtend          // movzx, movsx and their AT&T names
	kSwap            // xchg; with memory always locked
	kUnlocked        // uxch: herd's exchange without the lock
	kXadd
	kCmpxchg
	kArith   // add, sub, and, or, xor
	kCompare // cmp, test: kArith without a result
	kUnary   // inc, dec, not, neg
	kLea
	kNop
	kFence
	kJump // with a condition or without
	kSet
	kCmov
)

// alu is the function of an arithmetic instruction. The zero value is unset.
type alu uint8

const (
	_ alu = iota
	aluAdd
	aluSub
	aluAnd
	aluOr
	aluXor
	aluInc
	aluDec
	aluNot
	aluNeg
)

// expr is the operator of the ir.
func (a alu) expr() ir.ExprOp {
	switch a {
	case aluAdd, aluInc:
		return ir.Add
	case aluSub, aluDec:
		return ir.Sub
	case aluAnd:
		return ir.And
	case aluOr:
		return ir.Or
	case aluXor:
		return ir.Xor
	default:
		panic("BUG: no binary operation")
	}
}

// condition is when a jump is taken. The zero value is unset: always.
type condition uint8

const (
	_ condition = iota
	condE
	condNE
	condL
	condGE
	condLE
	condG
	condB
	condAE
	condBE
	condA
	condS
	condNS
	condO
	condNO
)

// conditions maps the suffixes of jcc, setcc and cmovcc. lt and gt are herd's.
var conditions = map[string]condition{
	"e": condE, "z": condE, "ne": condNE, "nz": condNE,
	"l": condL, "nge": condL, "lt": condL, "ge": condGE, "nl": condGE,
	"le": condLE, "ng": condLE, "g": condG, "nle": condG, "gt": condG,
	"b": condB, "c": condB, "nae": condB, "ae": condAE, "nb": condAE, "nc": condAE,
	"be": condBE, "na": condBE, "a": condA, "nbe": condA,
	"s": condS, "ns": condNS, "o": condO, "no": condNO,
}

// opcode is a decoded mnemonic.
type opcode struct {
	kind     opKind
	alu      alu
	cond     condition
	fence    ir.FenceKind
	size     int  // of the operation in bytes, 0: by the operands
	from     int  // kExtend: size of the source, 0: by the operand
	signed   bool // kExtend
	operands int
}

// plainCodes have no size suffix.
var plainCodes = map[string]opcode{
	"nop": {kind: kNop}, "pause": {kind: kNop}, "lfence": {kind: kNop},
	"mfence": {kind: kFence, fence: ir.FullFence}, "sfence": {kind: kFence, fence: ir.StoreStoreFence},
	"jmp":   {kind: kJump, operands: 1},
	"movzx": {kind: kExtend, operands: 2}, "movsx": {kind: kExtend, signed: true, operands: 2},
	"movsxd": {kind: kExtend, from: 4, signed: true, operands: 2},
	"movslq": {kind: kExtend, size: 8, from: 4, signed: true, operands: 2},
}

// sizedCodes may have a suffix b, w, l or q.
var sizedCodes = map[string]opcode{
	"mov": {kind: kMove, operands: 2}, "movabs": {kind: kMove, operands: 2},
	"xchg": {kind: kSwap, operands: 2}, "uxch": {kind: kUnlocked, operands: 2},
	"xadd": {kind: kXadd, operands: 2}, "cmpxchg": {kind: kCmpxchg, operands: 2},
	"add": {kind: kArith, alu: aluAdd, operands: 2}, "sub": {kind: kArith, alu: aluSub, operands: 2},
	"and": {kind: kArith, alu: aluAnd, operands: 2}, "or": {kind: kArith, alu: aluOr, operands: 2},
	"xor": {kind: kArith, alu: aluXor, operands: 2},
	"cmp": {kind: kCompare, alu: aluSub, operands: 2}, "test": {kind: kCompare, alu: aluAnd, operands: 2},
	"inc": {kind: kUnary, alu: aluInc, operands: 1}, "dec": {kind: kUnary, alu: aluDec, operands: 1},
	"not": {kind: kUnary, alu: aluNot, operands: 1}, "neg": {kind: kUnary, alu: aluNeg, operands: 1},
	"lea": {kind: kLea, operands: 2},
}

var suffixSize = map[byte]int{'b': 1, 'w': 2, 'l': 4, 'q': 8}

// decode finds the instruction a mnemonic names.
func decode(a arch, mnemonic string) (opcode, bool) {
	if len(mnemonic) > 12 {
		return opcode{}, false
	}
	oc, ok := lookup(strings.ToLower(mnemonic))
	if a == x86 && oc.size == 8 {
		// As herd, which takes MOVQ for MOV where registers have 32 bits.
		oc.size = 4
	}
	return oc, ok
}

func lookup(m string) (opcode, bool) {
	if oc, ok := plainCodes[m]; ok {
		return oc, true
	}
	if oc, ok := sizedCodes[m]; ok {
		return oc, true
	}
	if len(m) < 2 {
		return opcode{}, false
	}
	stem, size := m[:len(m)-1], suffixSize[m[len(m)-1]]
	if oc, ok := sizedCodes[stem]; ok && size > 0 {
		oc.size = size
		return oc, true
	}
	if cc, ok := strings.CutPrefix(m, "j"); ok && conditions[cc] != 0 {
		return opcode{kind: kJump, cond: conditions[cc], operands: 1}, true
	}
	if cc, ok := strings.CutPrefix(m, "set"); ok && conditions[cc] != 0 {
		return opcode{kind: kSet, cond: conditions[cc], operands: 1}, true
	}
	if cc, ok := strings.CutPrefix(m, "cmov"); ok {
		if c := conditions[cc]; c != 0 {
			return opcode{kind: kCmov, cond: c, operands: 2}, true
		}
		if c := conditions[strings.TrimPrefix(stem, "cmov")]; c != 0 && size > 1 {
			return opcode{kind: kCmov, cond: c, size: size, operands: 2}, true
		}
	}
	return extension(m)
}

// extension decodes AT&T's movzbl, movswq, movzb and so on.
func extension(m string) (opcode, bool) {
	rest, zero := strings.CutPrefix(m, "movz")
	if !zero {
		var sign bool
		if rest, sign = strings.CutPrefix(m, "movs"); !sign {
			return opcode{}, false
		}
	}
	if len(rest) < 1 || len(rest) > 2 || rest[0] != 'b' && rest[0] != 'w' {
		return opcode{}, false
	}
	oc := opcode{kind: kExtend, from: suffixSize[rest[0]], signed: !zero, operands: 2}
	if len(rest) == 2 {
		oc.size = suffixSize[rest[1]]
		if oc.size <= oc.from {
			return opcode{}, false
		}
	}
	return oc, true
}
