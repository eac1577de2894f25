package library

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Atomic operations: the builtins of compilers, of which stdatomic.h is made.

// atomicTable has the atomic operations.
func atomicTable() map[string]function {
	m := map[string]function{
		"__atomic_load_n":              {2, libLoad},
		"__atomic_load":                {3, libLoadTo},
		"__atomic_store_n":             {3, libStore},
		"__atomic_store":               {3, libStoreFrom},
		"__atomic_exchange_n":          {3, update(0, 0)},
		"__atomic_exchange":            {4, libExchange},
		"__atomic_compare_exchange_n":  {6, libCas},
		"__atomic_compare_exchange":    {6, libCas},
		"__atomic_test_and_set":        {2, libTestAndSet},
		"__atomic_clear":               {2, libClear},
		"__atomic_thread_fence":        {1, libFence},
		"__atomic_signal_fence":        {1, libNothing},
		"__sync_synchronize":           {-1, libFullFence},
		"__sync_lock_test_and_set":     {-1, syncUpdate(0, 0, 2)},
		"__sync_lock_release":          {-1, libLockRelease},
		"__sync_bool_compare_and_swap": {-1, libSyncCas},
		"__sync_val_compare_and_swap":  {-1, libSyncCas},
		"__fp_init":                    {2, libInit},
		"__fp_order_fence":             {1, libOrderFence},
		"__fp_fetch_add":               {3, update(1, translate.RmwScaled)},
		"__fp_fetch_sub":               {3, update(2, translate.RmwScaled)},
	}
	for i, op := range []string{"add", "sub", "and", "or", "xor", "nand"} {
		m["__atomic_fetch_"+op] = function{3, update(i+1, 0)}
		m["__atomic_"+op+"_fetch"] = function{3, update(i+1, translate.RmwAfter)}
		m["__sync_fetch_and_"+op] = function{-1, syncUpdate(i+1, 0, 5)}
		m["__sync_"+op+"_and_fetch"] = function{-1, syncUpdate(i+1, translate.RmwAfter, 5)}
	}
	return m
}

// pointee is the object that a pointer points to, as an expression.
func pointee(e *parse.Expr) *parse.Expr {
	if e.Type.Kind != types.Pointer {
		return e // refused where it is used
	}
	first, last := e.Tokens()
	object := &parse.Expr{Op: parse.Deref, A: e, Type: e.Type.Elem, LValue: true, Tok: e.Tok, First: first, Last: last}
	return &parse.Expr{Op: parse.Load, A: object, Type: e.Type.Elem.Unqualified(), Tok: e.Tok, Implicit: true}
}

// number is a constant, as an expression at the position of another.
func numberAt(n int64, at *parse.Expr) *parse.Expr {
	first, last := at.Tokens()
	return &parse.Expr{
		Op: parse.Constant, Val: &parse.Value{Kind: parse.IntValue, Int: parse.IntOf(n)}, Type: types.Of(types.Int), Tok: at.Tok, First: first, Last: last,
	}
}

func libLoad(f *translate.Lowering, c *translate.Call) translate.Value {
	v, _ := load(f, c.Args[0], c.Args[1])
	return v
}

// load is an atomic load.
func load(f *translate.Lowering, p, order *parse.Expr) (translate.Value, translate.Lvalue) {
	l, t := f.Atomics.AtomicLvalue(p)
	if t.Bits == 128 {
		f.Exprs.Effect(order)
		return f.Mem.LoadSection(l, t), l
	}
	op := translate.Access(ir.Load, l, t, ir.Relaxed)
	op.Dst = f.Code.Temp()
	f.Atomics.ByOrder(order, translate.LoadOrder, func(order ir.Order, _ bool) {
		op.Sync.Order = order
		f.Code.Emit(op)
	})
	return translate.Value{Expr: ir.R(op.Dst), Type: t, Elem: translate.ElemOf(l.Type), Obj: ir.NoObject}, l
}

// libLoadTo is __atomic_load(object, result, order).
func libLoadTo(f *translate.Lowering, c *translate.Call) translate.Value {
	to := f.Lvals.Pointee(c.Args[1])
	v, l := load(f, c.Args[0], c.Args[2])
	put(f, c, to, l, v)
	return nothing()
}

// put writes what was read from an atomic object to an object of the same type.
func put(f *translate.Lowering, c *translate.Call, to, from translate.Lvalue, v translate.Value) {
	if translate.IsStruct(from.Type) {
		f.Mem.Scatter(to, v, c.Node)
		return
	}
	f.Mem.Store(to, f.Arith.Convert(f.Arith.Convert(v, from.Type, c.Node), to.Type, c.Node), c.Node)
}

func libStore(f *translate.Lowering, c *translate.Call) translate.Value {
	return store(f, c, c.Args[0], c.Args[1], c.Args[2])
}

// libStoreFrom is __atomic_store(object, value, order), which takes the address of the value.
func libStoreFrom(f *translate.Lowering, c *translate.Call) translate.Value {
	return store(f, c, c.Args[0], pointee(c.Args[1]), c.Args[2])
}

// store is an atomic store.
func store(f *translate.Lowering, c *translate.Call, p, value, order *parse.Expr) translate.Value {
	l, t := f.Atomics.AtomicLvalue(p)
	v := f.Atomics.AtomicOperand(value, l.Type, c.Node)
	f.Atomics.ByOrder(order, translate.StoreOrder, func(order ir.Order, _ bool) {
		v.Type = t
		f.Mem.StoreAtomic(l, v, order)
	})
	return nothing()
}

// libLockRelease is __sync_lock_release: a release store of 0.
func libLockRelease(f *translate.Lowering, c *translate.Call) translate.Value {
	return store(f, c, c.Args[0], numberAt(0, c.Node), numberAt(3, c.Node))
}

// flag is the byte that __atomic_test_and_set and __atomic_clear work on.
func flag(f *translate.Lowering, e *parse.Expr) translate.Lvalue {
	l := f.Lvals.Pointee(e)
	l.Type = types.Of(types.Bool)
	return l
}

func libClear(f *translate.Lowering, c *translate.Call) translate.Value {
	l := flag(f, c.Args[0])
	f.Atomics.ByOrder(c.Args[1], translate.StoreOrder, func(order ir.Order, _ bool) {
		f.Mem.StoreAtomic(l, translate.Integer(ir.Int(0), ir.U8), order)
	})
	return nothing()
}

func libTestAndSet(f *translate.Lowering, c *translate.Call) translate.Value {
	l := flag(f, c.Args[0])
	was, _ := rmwByOrder(f, l, ir.U8, translate.RmwFunctions[0], translate.Integer(ir.Int(1), ir.U8), c.Args[1])
	return f.Arith.Convert(was, l.Type, c.Node)
}

func libFullFence(f *translate.Lowering, c *translate.Call) translate.Value {
	for _, a := range c.Args {
		f.Exprs.Effect(a)
	}
	f.Mem.FullFence()
	return nothing()
}

// libInit is atomic_init: no atomic access.
func libInit(f *translate.Lowering, c *translate.Call) translate.Value {
	l, t := f.Atomics.AtomicLvalue(c.Args[0])
	v := f.Atomics.AtomicOperand(c.Args[1], l.Type, c.Node)
	if t.Bits == 128 {
		f.Mem.StoreWord(l, ir.U64, v.Expr)
		l, t, v.Expr = f.Mem.Offset(l, 8), ir.U64, v.High
	}
	f.Mem.StoreWord(l, t, v.Expr)
	return nothing()
}

// libCas is __atomic_compare_exchange_n(lvalue, expected, desired, weak, success, failure), or the same with the
// address of what is desired. What it found is
// written to expected where it fails. A weak one is marked: it fails without a reason under c11 only, never
// on x86.
func libCas(f *translate.Lowering, c *translate.Call) translate.Value {
	l, t := f.Atomics.AtomicLvalue(c.Args[0])
	expected := target(f, c.Args[1])
	if translate.IsVoid(expected.Type) { // a cast to void *, as in GLib
		expected.Type = l.Type.Unqualified()
	}
	if expected.Type.IsFloat() != l.Type.IsFloat() {
		f.In.Refuse(translate.CodeAtomic, c.Args[1], "the expected value and the object have different types")
	}
	if expected.Type.Size() != l.Type.Size() || translate.IsStruct(expected.Type) != translate.IsStruct(l.Type) {
		f.In.Refuse(translate.CodeAtomic, c.Args[1], "the expected value and the object have different sizes")
	}
	value := c.Args[2]
	if c.Name == "__atomic_compare_exchange" {
		value = pointee(value)
	}
	desired := f.Atomics.AtomicOperand(value, l.Type, c.Node)
	var old translate.Value
	if translate.IsStruct(l.Type) {
		old = f.Mem.Gather(expected, c.Node)
	} else {
		old = f.Arith.Convert(f.Mem.Load(expected, c.Node), l.Type, c.Node)
	}
	if t.Bits == 128 {
		for _, a := range c.Args[3:] {
			f.Exprs.Effect(a)
		}
		found, wrote := f.Mem.CasSection(l, t, old, desired)
		return writeFound(f, c, l, expected, found, wrote)
	}
	op := translate.Access(ir.RMW, l, t, ir.Relaxed)
	op.RMW, op.Val, op.Val2 = ir.Cas, old.Expr, desired.Expr
	op.Dst, op.Dst2 = f.Code.Temp(), f.Code.Temp()
	if weak, ok := f.Data.Constant(f.Exprs.IntegerOperand(c.Args[3]).Expr); !ok || weak != 0 {
		op.Sync.Marks |= ir.Weak
	}
	f.Atomics.ByOrder(c.Args[4], translate.UpdateOrder, func(success ir.Order, _ bool) {
		f.Atomics.ByOrder(c.Args[5], translate.LoadOrder, func(failure ir.Order, _ bool) {
			op.Sync.Order, op.Sync.Fail = success, failure
			f.Code.Emit(op)
		})
	})
	found := translate.Value{Expr: ir.R(op.Dst), Type: t, Elem: translate.ElemOf(l.Type), Obj: ir.NoObject}
	return writeFound(f, c, l, expected, found, ir.R(op.Dst2))
}

// writeFound writes what a compare-exchange found to expected, if it failed, and returns whether it
// wrote.
func writeFound(f *translate.Lowering, c *translate.Call, l, expected translate.Lvalue, found translate.Value, wrote *ir.Expr) translate.Value {
	if !translate.IsStruct(l.Type) {
		found = f.Arith.Convert(found, expected.Type, c.Node)
	}
	if expected.Reg != ir.NoReg {
		f.Code.Assign(expected.Reg, ir.Conditional(wrote, ir.R(expected.Reg), found.Expr))
		return translate.Integer(wrote, ir.S32)
	}
	failed, end := f.Code.Label(""), f.Code.Label("")
	from := f.Code.Start()
	f.Code.Assume(from, ir.Binary(ir.Ne, ir.S64, wrote, ir.Int(0)), end)
	f.Code.Assume(from, ir.Binary(ir.Eq, ir.S64, wrote, ir.Int(0)), failed)
	f.Code.At, f.Code.Fresh = failed, false
	if translate.IsStruct(l.Type) {
		f.Mem.Scatter(expected, found, c.Node)
	} else {
		f.Mem.Store(expected, found, c.Node)
	}
	f.Code.Here(end)
	return translate.Integer(wrote, ir.S32)
}

// libSyncCas is __sync_val_compare_and_swap(lvalue, expected, desired), which returns what it found, or the same
// with bool, which returns whether it wrote.
func libSyncCas(f *translate.Lowering, c *translate.Call) translate.Value {
	if len(c.Args) < 3 {
		f.In.Reject(translate.CodeArgument, c.Node, "%s takes 3 arguments", c.Name)
	}
	wrote := c.Name == "__sync_bool_compare_and_swap"
	l, t := f.Atomics.AtomicLvalue(c.Args[0])
	old := f.Atomics.AtomicOperand(c.Args[1], l.Type, c.Node)
	desired := f.Atomics.AtomicOperand(c.Args[2], l.Type, c.Node)
	if t.Bits == 128 {
		found, success := f.Mem.CasSection(l, t, old, desired)
		if wrote {
			return translate.Integer(success, ir.S32)
		}
		return found
	}
	op := translate.Access(ir.RMW, l, t, ir.SeqCst)
	op.RMW, op.Val, op.Val2, op.Sync.Fail = ir.Cas, old.Expr, desired.Expr, ir.SeqCst
	op.Dst, op.Dst2 = f.Code.Temp(), f.Code.Temp()
	f.Code.Emit(op)
	if wrote {
		return translate.Integer(ir.R(op.Dst2), ir.S32)
	}
	return translate.Value{Expr: ir.R(op.Dst), Type: t, Elem: translate.ElemOf(l.Type), Obj: ir.NoObject}
}

func libFence(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Atomics.ByOrder(c.Args[0], translate.FenceOrder, func(order ir.Order, _ bool) { fence(f, order) })
	return nothing()
}

// libOrderFence is a fence of C11's model that is no instruction.
func libOrderFence(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Atomics.ByOrder(c.Args[0], translate.FenceOrder, func(order ir.Order, _ bool) {
		op := ir.NewOp(ir.Nop)
		op.Sync.Order = order
		f.Code.Emit(op)
	})
	return nothing()
}

// fence emits the fence of an order.
func fence(f *translate.Lowering, order ir.Order) {
	switch order {
	case ir.SeqCst:
		f.Mem.FullFence()
	case ir.Release, ir.AcqRel:
		op := ir.NewOp(ir.Fence)
		op.Fence, op.Sync.Order = ir.StoreStoreFence, order
		f.Code.Emit(op)
	default:
		op := ir.NewOp(ir.Nop)
		op.Sync.Order = order
		f.Code.Emit(op)
	}
}

// update is an update (object, operand, order) by a function of RmwFunctions, with the bits of RmwAfter.
func update(which int, bits int64) func(f *translate.Lowering, c *translate.Call) translate.Value {
	return func(f *translate.Lowering, c *translate.Call) translate.Value {
		v, _ := rmw(f, c, which, bits, c.Args[1], c.Args[2])
		return v
	}
}

// syncUpdate is an update (object, operand) with a fixed order.
func syncUpdate(which int, bits, order int64) func(f *translate.Lowering, c *translate.Call) translate.Value {
	return func(f *translate.Lowering, c *translate.Call) translate.Value {
		if len(c.Args) < 2 {
			f.In.Reject(translate.CodeArgument, c.Node, "%s takes 2 arguments", c.Name)
		}
		v, _ := rmw(f, c, which, bits, c.Args[1], numberAt(order, c.Node))
		return v
	}
}

// libExchange is __atomic_exchange(object, value, result, order).
func libExchange(f *translate.Lowering, c *translate.Call) translate.Value {
	to := f.Lvals.Pointee(c.Args[2])
	v, l := rmw(f, c, 0, 0, pointee(c.Args[1]), c.Args[3])
	put(f, c, to, l, v)
	return nothing()
}

// rmw is an update of the object that the first argument points to.
func rmw(f *translate.Lowering, c *translate.Call, which int, bits int64, operand, order *parse.Expr) (translate.Value, translate.Lvalue) {
	k := translate.RmwFunctions[which]
	l, t := f.Atomics.AtomicLvalue(c.Args[0])
	if k.Kind != ir.Xchg && (translate.IsStruct(l.Type) || l.Type.Kind == types.Bool) {
		f.In.Refuse(translate.CodeAtomic, c.Node, "atomic arithmetic on an object of type %s is not supported", l.Type)
	}
	var v translate.Value
	if k.Kind != ir.Xchg && l.Type.Kind == types.Pointer {
		v = f.Exprs.IntegerOperand(operand)
		v.Type = ir.S64
		if bits&translate.RmwScaled != 0 {
			v.Expr = translate.Scaled(v.Expr, ir.Int(f.Types.ElemSize(translate.ElemOf(l.Type), c.Node)))
		}
	} else {
		v = f.Atomics.AtomicOperand(operand, l.Type, c.Node)
	}
	var was, is translate.Value
	if t.Bits == 128 {
		f.Exprs.Effect(order)
		was, is = f.Mem.RmwSection(l, t, k, v, c.Node)
	} else {
		was, is = rmwByOrder(f, l, t, k, v, order)
	}
	if bits&translate.RmwAfter != 0 {
		return is, l
	}
	return was, l
}

// rmwByOrder emits a read-modify-write, once for each order that makes a difference.
func rmwByOrder(f *translate.Lowering, l translate.Lvalue, t ir.Type, k translate.RmwFunction, v translate.Value, order *parse.Expr) (was, is translate.Value) {
	result := [2]ir.Reg{ir.NoReg, ir.NoReg}
	f.Atomics.ByOrder(order, translate.UpdateOrder, func(o ir.Order, alone bool) {
		was, is = f.Mem.Rmw(l, t, k, v, o)
		if alone {
			return
		}
		for i, e := range []*ir.Expr{was.Expr, is.Expr} {
			if result[i] == ir.NoReg {
				result[i] = f.Code.Fb.Reg("t", 0, f.Code.Pos)
			}
			f.Code.Assign(result[i], e)
		}
		was.Expr, is.Expr = ir.R(result[0]), ir.R(result[1])
	})
	return was, is
}
