package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Atomic operations on 16 bytes: an atomic section with two accesses of 8 bytes each. On x86-64 stores and
// updates are made of lock cmpxchg16b and drain the store buffer. Loads are plain loads of 16 bytes
// where the processor has AVX, as libatomic makes them, and drain nothing. The memory order makes no difference.

// wideSection runs an operation on an object of 16 bytes in one step. next returns what is written; nil
// for a load.
func (f *Accesses) wideSection(l Lvalue, t ir.Type, next func(was Value) *Value) (was Value) {
	low, high := f.halves(l)
	load := func(l Lvalue) *ir.Expr {
		op := Access(ir.Load, l, ir.U64, ir.SeqCst)
		op.Dst = f.Code.Temp()
		f.Code.Emit(op)
		return ir.R(op.Dst)
	}
	store := func(l Lvalue, e *ir.Expr) {
		op := Access(ir.Store, l, ir.U64, ir.SeqCst)
		op.Val = e
		f.Code.Emit(op)
	}
	begin, end := ir.NewOp(ir.AtomicBegin), ir.NewOp(ir.AtomicEnd)
	begin.Loads, end.Loads = next == nil, next == nil
	f.Code.Emit(begin)
	lowWord := load(low)
	was = Pair(lowWord, load(high), t.Signed)
	if next != nil {
		is := next(was)
		store(low, is.Expr)
		store(high, is.High)
	}
	f.Code.Emit(end)
	return was
}

// LoadSection is an atomic load of 16 bytes.
func (f *Accesses) LoadSection(l Lvalue, t ir.Type) Value { return f.wideSection(l, t, nil) }

// StoreAtomic is an atomic store of any size.
func (f *Accesses) StoreAtomic(l Lvalue, v Value, order ir.Order) {
	if v.High == nil {
		f.AtomicStore(l, v.Type, v.Expr, order)
		return
	}
	v = f.Code.Keep(v)
	f.wideSection(l, v.Type, func(Value) *Value { return &v })
}

// CasSection is a compare-exchange of 16 bytes. wrote is not zero if it succeeded.
func (f *Accesses) CasSection(l Lvalue, t ir.Type, old, desired Value) (was Value, wrote *ir.Expr) {
	old, desired = f.Code.Keep(old), f.Code.Keep(desired)
	was = f.wideSection(l, t, func(was Value) *Value {
		wrote = f.Arith.word(compareWide(ir.Eq, was, old))
		is := Pair(ir.Conditional(wrote, desired.Expr, was.Expr), ir.Conditional(wrote, desired.High, was.High), t.Signed)
		return &is
	})
	return was, wrote
}

// RmwSection is an update of 16 bytes by one of RmwFunctions.
func (f *Accesses) RmwSection(l Lvalue, t ir.Type, k RmwFunction, v Value, n parse.Node) (was, is Value) {
	v = f.Code.Keep(v)
	was = f.wideSection(l, t, func(was Value) *Value {
		switch {
		case k.Kind == ir.Xchg:
			is = v
		case k.neg:
			is = f.Arith.wrapped(ir.Sub, was, v, n)
		default:
			is = f.Arith.wrapped(k.op, was, v, n)
		}
		if k.nand {
			is = f.Code.Keep(Pair(ir.Unary(ir.BitNot, ir.U64, is.Expr), ir.Unary(ir.BitNot, ir.U64, is.High), t.Signed))
		}
		return &is
	})
	return was, is
}

// wrapped applies an operator as atomic operations do, which wrap.
func (f *Arithmetic) wrapped(op ir.ExprOp, x, y Value, n parse.Node) Value {
	signed := x.Type.Signed
	x.Type.Signed, y.Type.Signed = false, false
	v := f.combineWide(op, x, y, n)
	v.Type.Signed = signed
	return v
}

// updateSection is a compound assignment to an _Atomic integer of 128 bits.
func (f *Atomics) updateSection(l Lvalue, t ir.Type, op ir.ExprOp, v Value, n parse.Node) (was, is Value) {
	if op == ir.Div || op == ir.Rem {
		f.In.Refuse(CodeAtomic, n, "the division of an atomic integer of 128 bits is not supported")
	}
	v = f.Code.Keep(v)
	was = f.Mem.wideSection(l, t, func(was Value) *Value {
		is = f.Code.Keep(f.Arith.Convert(f.Arith.combineWide(op, was, v, n), l.Type, n))
		return &is
	})
	return was, is
}
