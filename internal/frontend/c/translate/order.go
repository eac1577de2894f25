package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Atomics. What an order does to store buffers is what compilers make of it on the
// machine (docs/languages/c.md has the table): loads are plain moves; a relaxed
// store is a plain move, a release store one with a store-store fence before it, a
// seq_cst store an exchange; every read-modify-write is locked.

// order is a constant memory order.
func (f *accesses) order(e cc.ExpressionNode) ir.Order {
	v, ok := f.data.constant(f.exprs.operand(e).e)
	if !ok {
		f.in.refuse(codeAtomic, e, "the memory order must be a constant")
	}
	orders := []ir.Order{ir.Relaxed, ir.Consume, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}
	if v < 0 || int(v) >= len(orders) {
		f.in.refuse(codeAtomic, e, "this is not a memory order")
	}
	return orders[v]
}

// atomicPlace is the object an atomic operation works on.
func (f *accesses) atomicPlace(e cc.ExpressionNode) (lvalue, ir.Type) {
	l := f.lvals.pointee(e)
	return l, f.atomicWord(l.typ, e)
}

func (f *accesses) atomicStore(l lvalue, t ir.Type, v *ir.Expr, order ir.Order) {
	if order == ir.SeqCst {
		op := access(ir.RMW, l, t, order)
		op.RMW, op.Val = ir.Xchg, v
		f.code.emit(op)
		return
	}
	if order == ir.Release {
		storeFence(f.lowering) // without an order: the store releases, and no fence does
	}
	op := access(ir.Store, l, t, order)
	op.Val = v
	f.code.emit(op)
}

func libLoad(f *lowering, c *libCall) value {
	l, t := f.mem.atomicPlace(c.args[0])
	order := f.mem.order(c.args[1])
	if order == ir.Release || order == ir.AcqRel {
		f.in.refuse(codeAtomic, c.node, "a load cannot have order %s", order)
	}
	op := access(ir.Load, l, t, order)
	op.Dst = f.code.temp()
	f.code.emit(op)
	return value{e: ir.R(op.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
}

func libStore(f *lowering, c *libCall) value {
	l, t := f.mem.atomicPlace(c.args[0])
	v := f.mem.atomicOperand(c.args[1], l.typ, c.node)
	order := f.mem.order(c.args[2])
	if order == ir.Acquire || order == ir.AcqRel || order == ir.Consume {
		f.in.refuse(codeAtomic, c.node, "a store cannot have order %s", order)
	}
	f.mem.atomicStore(l, t, v.e, order)
	return nothing()
}

// libInit is atomic_init: no atomic access.
func libInit(f *lowering, c *libCall) value {
	l, t := f.mem.atomicPlace(c.args[0])
	f.mem.storeWord(l, t, f.mem.atomicOperand(c.args[1], l.typ, c.node).e)
	return nothing()
}

// libCas is __fp_cas(place, expected, desired, success, failure). What it found is
// written to expected where it fails. A weak one never fails without a reason, as on
// x86.
func libCas(f *lowering, c *libCall) value {
	l, t := f.mem.atomicPlace(c.args[0])
	expected := target(f, c.args[1])
	if expected.typ.Size() != l.typ.Size() || isStruct(expected.typ) != isStruct(l.typ) {
		f.in.refuse(codeAtomic, c.args[1], "what is expected has another size than the object")
	}
	desired := f.mem.atomicOperand(c.args[2], l.typ, c.node)
	var old value
	if isStruct(l.typ) {
		old = integer(f.mem.gather(expected, c.node), t)
	} else {
		old = f.exprs.convert(f.mem.load(expected, c.node), l.typ, c.node)
	}
	success, failure := f.mem.order(c.args[3]), f.mem.order(c.args[4])
	op := access(ir.RMW, l, t, success)
	op.RMW, op.Val, op.Val2, op.Fail = ir.Cas, old.e, desired.e, failure
	op.Dst, op.Dst2 = f.code.temp(), f.code.temp()
	f.code.emit(op)
	found := value{e: ir.R(op.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
	if !isStruct(l.typ) {
		found = f.exprs.convert(found, expected.typ, c.node)
	}
	if expected.reg != ir.NoReg {
		f.code.assign(expected.reg, ir.Conditional(ir.R(op.Dst2), ir.R(expected.reg), found.e))
		return integer(ir.R(op.Dst2), ir.S32)
	}
	failed, end := f.code.label(""), f.code.label("")
	from := f.code.start()
	f.code.assume(from, ir.Binary(ir.Ne, ir.S64, ir.R(op.Dst2), ir.Int(0)), end)
	f.code.assume(from, ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst2), ir.Int(0)), failed)
	f.code.at, f.code.fresh = failed, false
	if isStruct(l.typ) {
		f.mem.scatter(expected, found.e, c.node)
	} else {
		f.mem.store(expected, found, c.node)
	}
	f.code.here(end)
	return integer(ir.R(op.Dst2), ir.S32)
}

// libSyncCas is __fp_casval(whether it wrote is wanted, place, expected, desired).
func libSyncCas(f *lowering, c *libCall) value {
	wrote, _ := intValue(unparen(c.args[0]))
	l, t := f.mem.atomicPlace(c.args[1])
	old := f.mem.atomicOperand(c.args[2], l.typ, c.node)
	desired := f.mem.atomicOperand(c.args[3], l.typ, c.node)
	op := access(ir.RMW, l, t, ir.SeqCst)
	op.RMW, op.Val, op.Val2, op.Fail = ir.Cas, old.e, desired.e, ir.SeqCst
	op.Dst, op.Dst2 = f.code.temp(), f.code.temp()
	f.code.emit(op)
	if wrote != 0 {
		return integer(ir.R(op.Dst2), ir.S32)
	}
	return value{e: ir.R(op.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
}

func (f *accesses) fullFence() {
	op := ir.NewOp(ir.Fence)
	op.Fence, op.Order = ir.FullFence, ir.SeqCst
	f.code.emit(op)
}

func libFence(f *lowering, c *libCall) value {
	switch order := f.mem.order(c.args[0]); order {
	case ir.SeqCst:
		f.mem.fullFence()
	case ir.Release, ir.AcqRel:
		op := ir.NewOp(ir.Fence)
		op.Fence, op.Order = ir.StoreStoreFence, order
		f.code.emit(op)
	default:
		op := ir.NewOp(ir.Nop)
		op.Order = order
		f.code.emit(op)
	}
	return nothing()
}
