package litmus

import (
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
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
	kArith // an arithmetic instruction
	kLea
	kFence // and what does nothing
	kJump  // with a condition or without
	kSet
	kCmov
)

// opcode is a decoded mnemonic.
type opcode struct {
	kind     opKind
	alu      x86.Op
	cond     x86.Condition
	when     bool         // cond is set
	fence    ir.FenceKind // ir.FenceUnset: it does nothing
	size     int          // of the operation in bytes, 0: by the operands
	from     int          // kExtend: size of the source, 0: by the operand
	signed   bool         // kExtend
	operands int
}

// named is an instruction with its name.
type named struct {
	name string
	opcode
}

// find returns the instruction with a name.
func find(list []named, name string) (opcode, bool) {
	for i := range list {
		if list[i].name == name {
			return list[i].opcode, true
		}
	}
	return opcode{}, false
}

// plainCodes have no size suffix.
var plainCodes = []named{
	{"jmp", opcode{kind: kJump, operands: 1}},
	{"movzx", opcode{kind: kExtend, operands: 2}}, {"movsx", opcode{kind: kExtend, signed: true, operands: 2}},
	{"movsxd", opcode{kind: kExtend, from: 4, signed: true, operands: 2}},
	{"movslq", opcode{kind: kExtend, size: 8, from: 4, signed: true, operands: 2}},
}

// sizedCodes may have a suffix b, w, l or q.
var sizedCodes = []named{
	{"mov", opcode{kind: kMove, operands: 2}}, {"movabs", opcode{kind: kMove, operands: 2}},
	{"xchg", opcode{kind: kSwap, operands: 2}}, {"uxch", opcode{kind: kUnlocked, operands: 2}},
	{"xadd", opcode{kind: kXadd, operands: 2}}, {"cmpxchg", opcode{kind: kCmpxchg, operands: 2}},
	{"lea", opcode{kind: kLea, operands: 2}},
}

// suffixSize is the size that a suffix means, 0 if it means none.
func suffixSize(c byte) int { return 1 << (strings.IndexByte("bwlq", c) + 1) / 2 }

// decode finds the instruction a mnemonic names.
func decode(a arch, mnemonic string) (opcode, bool) {
	if len(mnemonic) > 12 {
		return opcode{}, false
	}
	oc, ok := lookup(strings.ToLower(mnemonic))
	if a == arch32 && oc.size == 8 {
		// As herd, which takes MOVQ for MOV where registers have 32 bits.
		oc.size = 4
	}
	return oc, ok
}

func lookup(m string) (opcode, bool) {
	if kind, ok := x86.FenceNamed(m); ok {
		return opcode{kind: kFence, fence: kind}, true
	}
	if oc, ok := find(plainCodes, m); ok {
		return oc, true
	}
	if oc, ok := sized(m); ok {
		return oc, true
	}
	if len(m) < 2 {
		return opcode{}, false
	}
	stem, size := m[:len(m)-1], suffixSize(m[len(m)-1])
	if oc, ok := sized(stem); ok && size > 0 {
		oc.size = size
		return oc, true
	}
	if c, ok := suffixCondition(m, "j"); ok {
		return opcode{kind: kJump, cond: c, when: true, operands: 1}, true
	}
	if c, ok := suffixCondition(m, "set"); ok {
		return opcode{kind: kSet, cond: c, when: true, operands: 1}, true
	}
	if c, ok := suffixCondition(m, "cmov"); ok {
		return opcode{kind: kCmov, cond: c, when: true, operands: 2}, true
	}
	if c, ok := suffixCondition(stem, "cmov"); ok && size > 1 {
		return opcode{kind: kCmov, cond: c, when: true, size: size, operands: 2}, true
	}
	return extension(m)
}

// sized returns an instruction that may have a suffix.
func sized(m string) (opcode, bool) {
	if op := x86.OpNamed(m); op != 0 && op != x86.Adc && op != x86.Sbb {
		return opcode{kind: kArith, alu: op, operands: op.Operands()}, true
	}
	return find(sizedCodes, m)
}

// suffixCondition returns the condition that a mnemonic ends with. lt and gt are herd's.
func suffixCondition(m, begins string) (x86.Condition, bool) {
	name, ok := strings.CutPrefix(m, begins)
	if !ok {
		return 0, false
	}
	if name == "lt" || name == "gt" {
		name = name[:1]
	}
	return x86.ConditionNamed(name)
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
	oc := opcode{kind: kExtend, from: suffixSize(rest[0]), signed: !zero, operands: 2}
	if len(rest) == 2 {
		oc.size = suffixSize(rest[1])
		if oc.size <= oc.from {
			return opcode{}, false
		}
	}
	return oc, true
}
