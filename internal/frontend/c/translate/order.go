package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Atomics. What an order does to store buffers comes from compilers on the
// machine (docs/languages/c.md has the table): loads are plain moves; a relaxed
// store is a plain move, a release store one with a store-store fence before it, a
// seq_cst store an exchange; every read-modify-write is locked.

// Order is a constant memory order.
func (f *Accesses) Order(e cc.ExpressionNode) ir.Order {
	v, ok := f.Data.Constant(f.Exprs.Operand(e).Expr)
	if !ok {
		f.In.Refuse(CodeAtomic, e, "the memory order must be a constant")
	}
	orders := []ir.Order{ir.Relaxed, ir.Consume, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}
	if v < 0 || int(v) >= len(orders) {
		f.In.Refuse(CodeAtomic, e, "this is not a memory order")
	}
	return orders[v]
}

// AtomicLvalue is the object an atomic operation works on.
func (f *Accesses) AtomicLvalue(e cc.ExpressionNode) (Lvalue, ir.Type) {
	f.Lvals.accessedThrough(e)
	l := f.Lvals.Pointee(e)
	return l, f.atomicWord(l.Type, e)
}

// AtomicStore emits a store with an order of C11.
func (f *Accesses) AtomicStore(l Lvalue, t ir.Type, v *ir.Expr, order ir.Order) {
	if order == ir.SeqCst {
		op := Access(ir.RMW, l, t, order)
		op.RMW, op.Val = ir.Xchg, v
		f.Code.Emit(op)
		return
	}
	if order == ir.Release {
		StoreFence(f.Lowering) // without an order: the store releases, and no fence does
	}
	op := Access(ir.Store, l, t, order)
	op.Val = v
	f.Code.Emit(op)
}

// FullFence emits a full fence.
func (f *Accesses) FullFence() {
	op := ir.NewOp(ir.Fence)
	op.Fence, op.Order = ir.FullFence, ir.SeqCst
	f.Code.Emit(op)
}
