package library

import (
	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

func libLoad(f *translate.Lowering, c *translate.Call) translate.Value {
	l, t := f.Mem.AtomicLvalue(c.Args[0])
	if t.Bits == 128 {
		f.Exprs.Effect(c.Args[1])
		return f.Mem.LoadSection(l, t)
	}
	op := translate.Access(ir.Load, l, t, ir.Relaxed)
	op.Dst = f.Code.Temp()
	f.Mem.ByOrder(c.Args[1], translate.LoadOrder, func(order ir.Order, _ bool) {
		op.Order = order
		f.Code.Emit(op)
	})
	return translate.Value{Expr: ir.R(op.Dst), Type: t, Elem: translate.ElemOf(l.Type), Obj: ir.NoObject}
}

func libStore(f *translate.Lowering, c *translate.Call) translate.Value {
	l, t := f.Mem.AtomicLvalue(c.Args[0])
	v := f.Mem.AtomicOperand(c.Args[1], l.Type, c.Node)
	f.Mem.ByOrder(c.Args[2], translate.StoreOrder, func(order ir.Order, _ bool) {
		v.Type = t
		f.Mem.StoreAtomic(l, v, order)
	})
	return nothing()
}

// libInit is atomic_init: no atomic access.
func libInit(f *translate.Lowering, c *translate.Call) translate.Value {
	l, t := f.Mem.AtomicLvalue(c.Args[0])
	v := f.Mem.AtomicOperand(c.Args[1], l.Type, c.Node)
	if t.Bits == 128 {
		f.Mem.StoreWord(l, ir.U64, v.Expr)
		l, t, v.Expr = f.Mem.Offset(l, 8), ir.U64, v.High
	}
	f.Mem.StoreWord(l, t, v.Expr)
	return nothing()
}

// libCas is __fp_cas(lvalue, expected, desired, success, failure). What it found is
// written to expected where it fails. A weak one never fails without a reason, as on
// x86.
func libCas(f *translate.Lowering, c *translate.Call) translate.Value {
	l, t := f.Mem.AtomicLvalue(c.Args[0])
	expected := target(f, c.Args[1])
	if cc.IsFloatingPointType(expected.Type) != cc.IsFloatingPointType(l.Type) {
		f.In.Refuse(translate.CodeAtomic, c.Args[1], "the expected value and the object have different types")
	}
	if expected.Type.Size() != l.Type.Size() || translate.IsStruct(expected.Type) != translate.IsStruct(l.Type) {
		f.In.Refuse(translate.CodeAtomic, c.Args[1], "the expected value and the object have different sizes")
	}
	desired := f.Mem.AtomicOperand(c.Args[2], l.Type, c.Node)
	var old translate.Value
	if translate.IsStruct(l.Type) {
		old = f.Mem.Gather(expected, c.Node)
	} else {
		old = f.Exprs.Convert(f.Mem.Load(expected, c.Node), l.Type, c.Node)
	}
	if t.Bits == 128 {
		f.Exprs.Effect(c.Args[3])
		f.Exprs.Effect(c.Args[4])
		found, wrote := f.Mem.CasSection(l, t, old, desired)
		return writeFound(f, c, l, expected, found, wrote)
	}
	op := translate.Access(ir.RMW, l, t, ir.Relaxed)
	op.RMW, op.Val, op.Val2 = ir.Cas, old.Expr, desired.Expr
	op.Dst, op.Dst2 = f.Code.Temp(), f.Code.Temp()
	f.Mem.ByOrder(c.Args[3], translate.UpdateOrder, func(success ir.Order, _ bool) {
		f.Mem.ByOrder(c.Args[4], translate.LoadOrder, func(failure ir.Order, _ bool) {
			op.Order, op.Fail = success, failure
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
		found = f.Exprs.Convert(found, expected.Type, c.Node)
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

// libSyncCas is __fp_casval(whether it wrote is wanted, lvalue, expected, desired).
func libSyncCas(f *translate.Lowering, c *translate.Call) translate.Value {
	wrote, _ := translate.IntValue(translate.Unparen(c.Args[0]))
	l, t := f.Mem.AtomicLvalue(c.Args[1])
	old := f.Mem.AtomicOperand(c.Args[2], l.Type, c.Node)
	desired := f.Mem.AtomicOperand(c.Args[3], l.Type, c.Node)
	if t.Bits == 128 {
		found, success := f.Mem.CasSection(l, t, old, desired)
		if wrote != 0 {
			return translate.Integer(success, ir.S32)
		}
		return found
	}
	op := translate.Access(ir.RMW, l, t, ir.SeqCst)
	op.RMW, op.Val, op.Val2, op.Fail = ir.Cas, old.Expr, desired.Expr, ir.SeqCst
	op.Dst, op.Dst2 = f.Code.Temp(), f.Code.Temp()
	f.Code.Emit(op)
	if wrote != 0 {
		return translate.Integer(ir.R(op.Dst2), ir.S32)
	}
	return translate.Value{Expr: ir.R(op.Dst), Type: t, Elem: translate.ElemOf(l.Type), Obj: ir.NoObject}
}

func libFence(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Mem.ByOrder(c.Args[0], translate.FenceOrder, func(order ir.Order, _ bool) { fence(f, order) })
	return nothing()
}

// fence emits the fence of an order.
func fence(f *translate.Lowering, order ir.Order) {
	switch order {
	case ir.SeqCst:
		f.Mem.FullFence()
	case ir.Release, ir.AcqRel:
		op := ir.NewOp(ir.Fence)
		op.Fence, op.Order = ir.StoreStoreFence, order
		f.Code.Emit(op)
	default:
		op := ir.NewOp(ir.Nop)
		op.Order = order
		f.Code.Emit(op)
	}
}

// libRMW is __fp_rmw(function, bits, lvalue, operand, order).
func libRMW(f *translate.Lowering, c *translate.Call) translate.Value {
	which, _ := translate.IntValue(translate.Unparen(c.Args[0]))
	bits, _ := translate.IntValue(translate.Unparen(c.Args[1]))
	if which < 0 || int(which) >= len(translate.RmwFunctions) {
		f.In.Reject(translate.CodeArgument, c.Args[0], "there is no such function")
	}
	k := translate.RmwFunctions[which]
	l, t := f.Mem.AtomicLvalue(c.Args[2])
	if k.Kind != ir.Xchg && (translate.IsStruct(l.Type) || l.Type.Kind() == cc.Bool) {
		f.In.Refuse(translate.CodeAtomic, c.Node, "atomic arithmetic on an object of type %s is not supported", l.Type)
	}
	var v translate.Value
	if k.Kind != ir.Xchg && l.Type.Kind() == cc.Ptr {
		v = f.Exprs.IntegerOperand(c.Args[3])
		v.Type = ir.S64
		if bits&translate.RmwScaled != 0 {
			v.Expr = translate.Scaled(v.Expr, f.Types.ElemSize(translate.ElemOf(l.Type), c.Node))
		}
	} else {
		v = f.Mem.AtomicOperand(c.Args[3], l.Type, c.Node)
	}
	var was, is translate.Value
	if t.Bits == 128 {
		f.Exprs.Effect(c.Args[4])
		was, is = f.Mem.RmwSection(l, t, k, v, c.Node)
	} else {
		was, is = rmwByOrder(f, l, t, k, v, c.Args[4])
	}
	if bits&translate.RmwAfter != 0 {
		return is
	}
	return was
}

// rmwByOrder emits a read-modify-write, once for each order that makes a difference.
func rmwByOrder(f *translate.Lowering, l translate.Lvalue, t ir.Type, k translate.RmwFunction, v translate.Value, order cc.ExpressionNode) (was, is translate.Value) {
	result := [2]ir.Reg{ir.NoReg, ir.NoReg}
	f.Mem.ByOrder(order, translate.UpdateOrder, func(o ir.Order, alone bool) {
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
