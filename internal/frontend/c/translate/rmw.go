package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Atomic updates. What the processor has a locked instruction for is one
// read-modify-write; the rest (nand, multiplication, arithmetic on _Bool) is what
// compilers make of it: a load and a loop around a compare-exchange.

// rmwFunction is what an update computes.
type rmwFunction struct {
	kind ir.RMWKind // RMWUnset: needs a loop
	op   ir.ExprOp  // what is written, from the old value and the operand
	neg  bool       // the operand is negated
	nand bool       // the result is inverted
}

// The functions of __fp_rmw, in the order of its first argument.
var rmwFunctions = []rmwFunction{
	{kind: ir.Xchg}, {kind: ir.FetchAdd, op: ir.Add}, {kind: ir.FetchAdd, op: ir.Add, neg: true},
	{kind: ir.FetchAnd, op: ir.And}, {kind: ir.FetchOr, op: ir.Or}, {kind: ir.FetchXor, op: ir.Xor},
	{op: ir.And, nand: true},
}

// The bits of the second argument of __fp_rmw.
const (
	rmwAfter  = 1 // the new value is wanted
	rmwScaled = 2 // an operand added to a pointer counts elements, as in C11
)

// libRMW is __fp_rmw(function, bits, place, operand, order).
func libRMW(f *lowering, c *libCall) value {
	which, _ := intValue(unparen(c.args[0]))
	bits, _ := intValue(unparen(c.args[1]))
	if which < 0 || int(which) >= len(rmwFunctions) {
		f.in.refuse(codeArgument, c.args[0], "there is no such function")
	}
	k := rmwFunctions[which]
	l, t := f.mem.atomicPlace(c.args[2])
	if k.kind != ir.Xchg && (isStruct(l.typ) || l.typ.Kind() == cc.Bool) {
		f.in.refuse(codeAtomic, c.node, "atomic arithmetic on an object of type %s is not supported", l.typ)
	}
	var v value
	if k.kind != ir.Xchg && l.typ.Kind() == cc.Ptr {
		v = f.exprs.integerOperand(c.args[3])
		v.t = ir.S64
		if bits&rmwScaled != 0 {
			v.e = scaled(v.e, f.types.elemSize(elemOf(l.typ), c.node))
		}
	} else {
		v = f.mem.atomicOperand(c.args[3], l.typ, c.node)
	}
	was, is := f.mem.rmw(l, t, k, v, f.mem.order(c.args[4]))
	if bits&rmwAfter != 0 {
		return is
	}
	return was
}

// rmw emits a read-modify-write and gives the values before and after it.
func (f *accesses) rmw(l lvalue, t ir.Type, k rmwFunction, v value, order ir.Order) (was, is value) {
	if k.neg {
		v.e = ir.Unary(ir.Neg, t, v.e)
	}
	if k.kind == ir.RMWUnset {
		v = f.lvals.save(v)
		return f.casLoop(l, t, order, func(old value) *ir.Expr {
			e := ir.Binary(k.op, t, old.e, v.e)
			if k.nand {
				e = ir.Unary(ir.BitNot, t, e)
			}
			return e
		})
	}
	op := access(ir.RMW, l, t, order)
	op.RMW, op.Val, op.Dst = k.kind, v.e, f.code.temp()
	f.code.emit(op)
	was = value{e: ir.R(op.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
	is = was
	is.e = v.e
	if k.kind != ir.Xchg {
		is.e = ir.Binary(k.op, t, was.e, v.e)
	}
	return was, is
}

// casLoop updates a place by a function of what it holds.
func (f *accesses) casLoop(l lvalue, t ir.Type, order ir.Order, next func(old value) *ir.Expr) (was, is value) {
	read := access(ir.Load, l, t, ir.Relaxed)
	read.Dst = f.code.temp()
	f.code.emit(read)
	was = value{e: ir.R(read.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
	is = was
	again, failed, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.code.here(again)
	is.e = f.lvals.save(integer(next(was), t)).e
	op := access(ir.RMW, l, t, order)
	op.RMW, op.Val, op.Val2, op.Fail = ir.Cas, was.e, is.e, ir.Relaxed
	op.Dst, op.Dst2 = f.code.temp(), f.code.temp()
	f.code.emit(op)
	from := f.code.start()
	f.code.assume(from, ir.Binary(ir.Ne, ir.S64, ir.R(op.Dst2), ir.Int(0)), end)
	f.code.assume(from, ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst2), ir.Int(0)), failed)
	f.code.at, f.code.fresh = failed, false
	f.code.assign(read.Dst, ir.R(op.Dst))
	f.code.jump(again)
	f.code.at, f.code.fresh = end, false
	return was, is
}

// atomicUpdate is a compound assignment to an _Atomic object, or ++ and --.
func (f *accesses) atomicUpdate(l lvalue, op ir.ExprOp, v value, n cc.Node) (was, is value) {
	which := map[ir.ExprOp]int{ir.Add: 1, ir.Sub: 2, ir.And: 3, ir.Or: 4, ir.Xor: 5}[op]
	t := f.types.scalar(l.typ, n)
	switch {
	case v.elem != nil || l.typ.Kind() == cc.Ptr && op != ir.Add && op != ir.Sub:
		f.in.refuse(codeAtomic, n, "this update of an atomic object of type %s is not supported", l.typ)
	case l.typ.Kind() == cc.Ptr:
		v = integer(scaled(v.e, f.types.elemSize(elemOf(l.typ), n)), ir.S64)
	case which == 0 || l.typ.Kind() == cc.Bool:
		l.addr = f.lvals.save(integer(l.addr, ir.U64)).e
		v = f.lvals.save(v)
		return f.casLoop(l, t, ir.SeqCst, func(old value) *ir.Expr {
			return f.exprs.convert(f.exprs.combine(op, old, v, n), l.typ, n).e
		})
	default:
		v = integer(cast(v.e, v.t, t), t)
	}
	return f.rmw(l, t, rmwFunctions[which], v, ir.SeqCst)
}
