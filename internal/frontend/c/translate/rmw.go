package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Atomic updates. An update for which the processor has a locked instruction is one
// read-modify-write. The others (nand, multiplication, arithmetic on _Bool) become a load
// and a loop around a compare-exchange, as in compilers.

// RmwFunction is the function of an update.
type RmwFunction struct {
	Kind ir.RMWKind // RMWUnset: needs a loop
	op   ir.ExprOp  // what is written, from the old value and the operand
	neg  bool       // the operand is negated
	nand bool       // the result is inverted
}

// RmwFunctions are the functions of updates.
var RmwFunctions = []RmwFunction{
	{Kind: ir.Xchg}, {Kind: ir.FetchAdd, op: ir.Add}, {Kind: ir.FetchAdd, op: ir.Add, neg: true},
	{Kind: ir.FetchAnd, op: ir.And}, {Kind: ir.FetchOr, op: ir.Or}, {Kind: ir.FetchXor, op: ir.Xor},
	{op: ir.And, nand: true},
}

// The bits of an update.
const (
	RmwAfter  = 1 // the new value is wanted
	RmwScaled = 2 // an operand added to a pointer counts elements, as in C11
)

// Rmw emits a read-modify-write and gives the values before and after it.
func (f *Accesses) Rmw(l Lvalue, t ir.Type, k RmwFunction, v Value, order ir.Order) (was, is Value) {
	if k.neg {
		v.Expr = ir.Unary(ir.Neg, t, v.Expr)
	}
	if k.Kind == ir.RMWUnset {
		v = f.Code.Save(v)
		return f.casLoop(l, t, order, func(old Value) *ir.Expr {
			e := ir.Binary(k.op, t, old.Expr, v.Expr)
			if k.nand {
				e = ir.Unary(ir.BitNot, t, e)
			}
			return e
		})
	}
	op := Access(ir.RMW, l, t, order)
	op.RMW, op.Val, op.Dst = k.Kind, v.Expr, f.Code.Temp()
	f.Code.Emit(op)
	was = Value{Expr: ir.R(op.Dst), Type: t, Elem: ElemOf(l.Type), Obj: ir.NoObject}
	is = was
	is.Expr = v.Expr
	if k.Kind != ir.Xchg {
		is.Expr = ir.Binary(k.op, t, was.Expr, v.Expr)
	}
	return was, is
}

// casLoop updates an lvalue by a function of what it holds.
func (f *Accesses) casLoop(l Lvalue, t ir.Type, order ir.Order, next func(old Value) *ir.Expr) (was, is Value) {
	read := Access(ir.Load, l, t, ir.Relaxed)
	read.Dst = f.Code.Temp()
	f.Code.Emit(read)
	was = Value{Expr: ir.R(read.Dst), Type: t, Elem: ElemOf(l.Type), Obj: ir.NoObject}
	is = was
	again, failed, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Here(again)
	is.Expr = f.Code.Save(Integer(next(was), t)).Expr
	op := Access(ir.RMW, l, t, order)
	op.RMW, op.Val, op.Val2, op.Sync.Fail = ir.Cas, was.Expr, is.Expr, ir.Relaxed
	op.Dst, op.Dst2 = f.Code.Temp(), f.Code.Temp()
	f.Code.Emit(op)
	from := f.Code.Start()
	f.Code.Assume(from, ir.Binary(ir.Ne, ir.S64, ir.R(op.Dst2), ir.Int(0)), end)
	f.Code.Assume(from, ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst2), ir.Int(0)), failed)
	f.Code.At, f.Code.Fresh = failed, false
	f.Code.Assign(read.Dst, ir.R(op.Dst))
	f.Code.Jump(again)
	f.Code.At, f.Code.Fresh = end, false
	return was, is
}

// atomicUpdate is a compound assignment to an _Atomic object, or ++ and --.
func (f *Atomics) atomicUpdate(l Lvalue, op ir.ExprOp, v Value, n parse.Node) (was, is Value) {
	edges := f.Code.edges()
	defer func() { f.sites.noteOperator(n, ir.UpdateAccess, edges) }()
	if wide, ok := WideType(l.Type); ok {
		return f.updateSection(l, wide, op, v, n)
	}
	f.Arith.oneWord(v, n)
	which := map[ir.ExprOp]int{ir.Add: 1, ir.Sub: 2, ir.And: 3, ir.Or: 4, ir.Xor: 5}[op]
	t := f.Types.Scalar(l.Type, n)
	switch {
	case v.Elem != nil || l.Type.Kind == types.Pointer && op != ir.Add && op != ir.Sub:
		f.In.Refuse(CodeAtomic, n, "this update of an atomic object of type %s is not supported", l.Type)
	case l.Type.Kind == types.Pointer:
		v = Integer(Scaled(v.Expr, ir.Int(f.Types.ElemSize(ElemOf(l.Type), n))), ir.S64)
	case which == 0 || l.Type.Kind == types.Bool || t.Float || v.Type.Float:
		l.Addr = f.Code.Save(Integer(l.Addr, ir.U64)).Expr
		v = f.Code.Save(v)
		return f.Mem.casLoop(l, t, ir.SeqCst, func(old Value) *ir.Expr {
			return f.Arith.Convert(f.Arith.combine(op, old, v, n), l.Type, n).Expr
		})
	default:
		v = Integer(Cast(v.Expr, v.Type, t), t)
	}
	return f.Mem.Rmw(l, t, RmwFunctions[which], v, ir.SeqCst)
}
