package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Atomic structs and unions. One of 1, 2, 4 or 8 bytes is accessed as one word, one of 16 bytes as two
// words in an atomic section (atomic_wide.go); to
// the program it stays a struct, so a word is put together from the members of
// ordinary objects and taken apart into them. Padding is always zero here.

// atomicWord is the word an atomic object of some type is accessed as.
func (f *Accesses) atomicWord(t *types.Type, n parse.Node) ir.Type {
	if wide, ok := WideType(t); ok {
		return wide
	}
	if !IsStruct(t) {
		return f.Types.Scalar(t, n)
	}
	switch t.Size() {
	case 1, 2, 4, 8, 16:
		return ir.Type{Bits: uint8(8 * t.Size())}
	}
	f.In.Refuse(CodeAtomic, n, "atomic objects of %d bytes are not supported: no instruction accesses them", t.Size())
	panic("BUG: unreachable")
}

// Gather reads a struct member by member into a word, or two.
func (f *Accesses) Gather(l Lvalue, n parse.Node) Value {
	words := [2]*ir.Expr{ir.Int(0), ir.Int(0)}
	add := func(i int, part *ir.Expr) { words[i] = ir.Binary(ir.Or, ir.U64, words[i], part) }
	for _, leaf := range f.Layouts.Leaves(l.Type, n) {
		part := f.LoadWord(f.leaf(l, leaf), ir.Type{Bits: leaf.Typ.Bits}, ir.Plain)
		i, shift := int(leaf.Off/8), 8*(leaf.Off%8)
		add(i, ir.Binary(ir.Shl, ir.U64, part, ir.Int(shift)))
		if shift+int64(leaf.Typ.Bits) > 64 { // a packed member in both words
			add(1, ir.Binary(ir.Shr, ir.U64, part, ir.Int(64-shift)))
		}
	}
	if l.Type.Size() == 16 {
		return f.Code.Keep(Pair(words[0], words[1], false))
	}
	return f.Code.Save(Integer(words[0], ir.Type{Bits: uint8(8 * l.Type.Size())}))
}

// Scatter writes one word or two to the members of a struct.
func (f *Accesses) Scatter(l Lvalue, v Value, n parse.Node) {
	for _, leaf := range f.Layouts.Leaves(l.Type, n) {
		word, shift := v.Expr, 8*(leaf.Off%8)
		if leaf.Off >= 8 {
			word = v.High
		}
		part := ir.Binary(ir.Shr, ir.U64, word, ir.Int(shift))
		if shift+int64(leaf.Typ.Bits) > 64 {
			part = ir.Binary(ir.Or, ir.U64, part, ir.Binary(ir.Shl, ir.U64, v.High, ir.Int(64-shift)))
		}
		bits := leaf.Typ
		if bits.Float {
			bits = ir.Type{Bits: bits.Bits}
		}
		f.StoreWord(f.leaf(l, leaf), leaf.Typ, ir.Unary(ir.Cast, bits, part))
	}
}

// AtomicOperand is a value that an atomic operation on an object of type t takes.
func (f *Atomics) AtomicOperand(e *parse.Expr, t *types.Type, n parse.Node) Value {
	if !IsStruct(t) {
		return f.Arith.Convert(f.Exprs.anyOperand(e), t, n)
	}
	if !IsStruct(e.Type) {
		f.In.Reject(CodeAtomic, e, "a value of type %s is needed here", t)
	}
	from := f.Lvals.Lvalue(e)
	if from.Type.Size() != t.Size() {
		f.In.Reject(CodeAtomic, e, "a value of type %s is needed here", t)
	}
	if from.Atomic {
		return f.Mem.loadAtomic(from, n)
	}
	return f.Mem.Gather(from, n)
}

func (f *Accesses) loadAtomic(l Lvalue, n parse.Node) Value {
	t := f.atomicWord(l.Type, n)
	if t.Bits == 128 {
		return f.LoadSection(l, t)
	}
	op := Access(ir.Load, l, t, ir.SeqCst)
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return Integer(ir.R(op.Dst), t)
}

// copyAtomic is an assignment between structs one of which is atomic: its access is
// one of order seq_cst.
func (f *Accesses) copyAtomic(to, from Lvalue, n parse.Node) {
	var v Value
	if from.Atomic {
		v = f.loadAtomic(from, n)
	} else {
		v = f.Gather(from, n)
	}
	if to.Atomic {
		f.StoreAtomic(to, v, ir.SeqCst)
	} else {
		f.Scatter(to, v, n)
	}
}

// atomicValue is the lvalue of a struct an atomic operation returns.
func (f *Atomics) atomicValue(e *parse.Expr) Lvalue {
	l, ok := f.Vars.literals[e]
	if !ok && f.Code.static {
		f.In.Refuse(codeInit, e, "the initialiser is not constant")
	} else if !ok {
		f.Vars.missing(e)
	}
	f.Mem.Scatter(l, f.calls.call(e, true), e)
	return l
}
