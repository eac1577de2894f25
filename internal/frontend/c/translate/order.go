package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Atomics. What an order does to store buffers comes from compilers on the
// machine (docs/languages/c.md has the table): loads are plain moves; a relaxed
// store is a plain move, a release store one with a store-store fence before it, a
// seq_cst store an exchange; every read-modify-write is locked.

// OrderUse is a kind of operation that has a memory order.
type OrderUse struct {
	// cases are the orders that differ in what the operation does to buffers or in what it
	// synchronises with, with their values.
	cases []orderCase
	// rest is the order of every other value. OrderUnset: there is no such operation. The order of a
	// load or of a read-modify-write does nothing to buffers, and compilers take an order that such an
	// operation cannot have for the strongest one.
	rest ir.Order
}

type orderCase struct {
	order  ir.Order
	values []int64
}

// The uses.
var (
	LoadOrder  = &OrderUse{[]orderCase{{ir.Relaxed, []int64{0}}, {ir.Acquire, []int64{1, 2}}}, ir.SeqCst}
	StoreOrder = &OrderUse{[]orderCase{{ir.Relaxed, []int64{0}}, {ir.Release, []int64{3}}, {ir.SeqCst, []int64{5}}}, ir.OrderUnset}
	FenceOrder = &OrderUse{[]orderCase{
		{ir.Relaxed, []int64{0}}, {ir.Acquire, []int64{1, 2}}, {ir.Release, []int64{3}}, {ir.AcqRel, []int64{4}}, {ir.SeqCst, []int64{5}},
	}, ir.OrderUnset}
	UpdateOrder = &OrderUse{[]orderCase{{ir.Relaxed, []int64{0}}, {ir.Acquire, []int64{1, 2}}, {ir.Release, []int64{3}}}, ir.SeqCst}
)

// orderBits is the part of an order that is C11's. The rest are hints about hardware lock elision.
const orderBits = 0xffff

// ByOrder translates an operation whose order is e. An order that is not a constant, such as a
// parameter of an inline function, is evaluated: work is called for each order that makes a difference,
// in a branch of its own. A constant is alone.
func (f *Atomics) ByOrder(e *parse.Expr, use *OrderUse, work func(order ir.Order, alone bool)) {
	v := f.Exprs.IntegerOperand(e)
	if n, ok := f.Data.Constant(v.Expr); ok {
		edges := f.Code.edges()
		order := f.constantOrder(n&orderBits, use, e)
		work(order, true)
		f.sites.noteOrder(e, use, order, edges)
		return
	}
	v = f.Code.Keep(v)
	value := ir.Binary(ir.And, ir.S64, v.Expr, ir.Int(orderBits))
	from, end := f.Code.Start(), f.Code.Label("")
	other := ir.Int(1)
	branch := func(cond *ir.Expr, then func()) {
		at := f.Code.Label("")
		f.Code.Assume(from, cond, at)
		f.Code.At, f.Code.Fresh = at, false
		then()
		f.Code.Jump(end)
	}
	for _, c := range use.cases {
		is := ir.Int(0)
		for i, n := range c.values {
			if one := ir.Binary(ir.Eq, ir.S64, value, ir.Int(n)); i == 0 {
				is = one
			} else {
				is = ir.Binary(ir.LOr, ir.S64, is, one)
			}
		}
		other = ir.Binary(ir.LAnd, ir.S64, other, ir.Negate(is))
		branch(is, func() { work(c.order, false) })
	}
	branch(other, func() {
		if use.rest != ir.OrderUnset {
			work(use.rest, false)
			return
		}
		r := f.In.NotSupported(CodeAtomic, f.In.Span(e), "the operation cannot have this memory order")
		f.Code.unsupported(&r)
	})
	f.Code.Here(end)
}

// constantOrder returns the order with a value.
func (f *Atomics) constantOrder(v int64, use *OrderUse, e *parse.Expr) ir.Order {
	for _, c := range use.cases {
		for _, n := range c.values {
			if n == v {
				return []ir.Order{ir.Relaxed, ir.Consume, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}[v]
			}
		}
	}
	if use.rest == ir.OrderUnset {
		f.In.Refuse(CodeAtomic, e, "the operation cannot have this memory order")
	}
	if v == 4 && use == UpdateOrder {
		return ir.AcqRel
	}
	return use.rest
}

// AtomicLvalue is the object an atomic operation works on.
func (f *Atomics) AtomicLvalue(e *parse.Expr) (Lvalue, ir.Type) {
	f.Lvals.accessedThrough(e)
	l := f.Lvals.Pointee(e)
	if l.misplaced() {
		f.Mem.refuseMisplaced(e)
	}
	return l, f.Mem.atomicWord(l.Type, e)
}

// refuseMisplaced refuses an atomic operation on an object that may not be aligned.
func (f *Accesses) refuseMisplaced(n parse.Node) {
	f.In.Refuse(CodeAtomic, n, "an atomic operation on an object that is not aligned, such as a member of a packed struct, is not supported")
}

// AtomicStore emits a store with an order of C11.
func (f *Accesses) AtomicStore(l Lvalue, t ir.Type, v *ir.Expr, order ir.Order) {
	if order == ir.SeqCst {
		op := Access(ir.RMW, l, t, order)
		op.RMW, op.Val, op.Sync.Marks = ir.Xchg, v, ir.AsStore
		f.Code.Emit(op)
		return
	}
	if order == ir.Release {
		f.StoreFence() // without an order: the store releases, and no fence does
	}
	op := Access(ir.Store, l, t, order)
	op.Val = v
	f.Code.Emit(op)
}

// FullFence emits a full fence.
func (f *Accesses) FullFence() {
	op := ir.NewOp(ir.Fence)
	op.Fence, op.Sync.Order = ir.FullFence, ir.SeqCst
	f.Code.Emit(op)
}
