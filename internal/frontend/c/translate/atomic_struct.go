package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Atomic structs and unions. One of 1, 2, 4 or 8 bytes is accessed as one word; to
// the program it stays a struct, so a word is put together from the members of
// ordinary objects and taken apart into them. Padding is always zero here.

// atomicWord is the word an atomic object of some type is accessed as.
func (f *accesses) atomicWord(t cc.Type, n cc.Node) ir.Type {
	if !isStruct(t) {
		return f.types.scalar(t, n)
	}
	switch t.Size() {
	case 1, 2, 4, 8:
		return ir.Type{Bits: uint8(8 * t.Size())}
	}
	f.in.refuse(codeAtomic, n, "atomic objects of %d bytes are not supported: no instruction accesses them", t.Size())
	panic("BUG: unreachable")
}

// gather reads a struct member by member into a word.
func (f *accesses) gather(l lvalue, n cc.Node) *ir.Expr {
	word := ir.Int(0)
	for _, leaf := range f.layouts.leaves(l.typ, n) {
		op := access(ir.Load, f.offset(l, leaf.off), ir.Type{Bits: leaf.typ.Bits}, ir.Plain)
		op.Dst = f.code.temp()
		f.code.emit(op)
		part := ir.Binary(ir.Shl, ir.U64, ir.R(op.Dst), ir.Int(8*leaf.off))
		word = ir.Binary(ir.Or, ir.U64, word, part)
	}
	return f.lvals.save(integer(word, ir.U64)).e
}

// scatter writes a word to the members of a struct.
func (f *accesses) scatter(l lvalue, word *ir.Expr, n cc.Node) {
	for _, leaf := range f.layouts.leaves(l.typ, n) {
		part := ir.Binary(ir.Shr, ir.U64, word, ir.Int(8*leaf.off))
		f.storeWord(f.offset(l, leaf.off), leaf.typ, ir.Unary(ir.Cast, leaf.typ, part))
	}
}

// atomicOperand is a value that an atomic operation on an object of type t takes.
func (f *accesses) atomicOperand(e cc.ExpressionNode, t cc.Type, n cc.Node) value {
	if !isStruct(t) {
		return f.exprs.convert(f.exprs.operand(e), t, n)
	}
	if !isStruct(e.Type()) {
		f.in.refuse(codeAtomic, e, "a value of type %s is needed here", t)
	}
	from := f.lvals.lvalue(e)
	if from.typ.Size() != t.Size() {
		f.in.refuse(codeAtomic, e, "a value of type %s is needed here", t)
	}
	if from.atomic {
		return integer(f.loadAtomic(from, n), f.atomicWord(t, n))
	}
	return integer(f.gather(from, n), f.atomicWord(t, n))
}

func (f *accesses) loadAtomic(l lvalue, n cc.Node) *ir.Expr {
	op := access(ir.Load, l, f.atomicWord(l.typ, n), ir.SeqCst)
	op.Dst = f.code.temp()
	f.code.emit(op)
	return ir.R(op.Dst)
}

// copyAtomic is an assignment between structs one of which is atomic: its access is
// one of order seq_cst.
func (f *accesses) copyAtomic(to, from lvalue, n cc.Node) {
	var word *ir.Expr
	if from.atomic {
		word = f.loadAtomic(from, n)
	} else {
		word = f.gather(from, n)
	}
	if to.atomic {
		f.atomicStore(to, f.atomicWord(to.typ, n), word, ir.SeqCst)
	} else {
		f.scatter(to, word, n)
	}
}

// atomicResult is the call whose result a macro of stdatomic.h casts to a struct, or
// nil.
func atomicResult(e cc.ExpressionNode) *cc.PostfixExpression {
	x, ok := e.(*cc.CastExpression)
	if !ok || x.Case != cc.CastExpressionCast || !isStruct(x.TypeName.Type()) {
		return nil
	}
	call, ok := unparen(x.CastExpression).(*cc.PostfixExpression)
	if !ok || call.Case != cc.PostfixExpressionCall {
		return nil
	}
	switch calledName(call) {
	case "__fp_load", "__fp_rmw", "__fp_casval":
		return call
	}
	return nil
}

// allocAtomicResults makes the objects that hold structs atomic operations return.
func (f *storage) allocAtomicResults(body cc.Node) {
	inspect(body, func(n cc.Node) bool {
		x, ok := n.(*cc.CastExpression)
		if !ok {
			return true
		}
		if call := atomicResult(x); call != nil {
			f.in.guard(func() { f.literals[call] = f.alloc("value", x.TypeName.Type(), x) })
		}
		return true
	})
}

// atomicValue is the place of a struct an atomic operation returns.
func (f *accesses) atomicValue(e cc.ExpressionNode) (lvalue, bool) {
	call := atomicResult(e)
	if call == nil {
		return lvalue{}, false
	}
	l, ok := f.vars.literals[call]
	if !ok {
		f.in.refuse(codeInit, e, "the initialiser is not constant")
	}
	f.scatter(l, f.calls.call(call, true).e, e)
	return l, true
}
