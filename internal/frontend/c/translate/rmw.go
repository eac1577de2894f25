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
func (f *lowering) libRMW(c *libCall) value {
	which, _ := intValue(unparen(c.args[0]))
	bits, _ := intValue(unparen(c.args[1]))
	if which < 0 || int(which) >= len(rmwFunctions) {
		f.refuse(codeArgument, c.args[0], "there is no such function")
	}
	k := rmwFunctions[which]
	l, t := f.atomicPlace(c.args[2])
	if k.kind != ir.Xchg && (isStruct(l.typ) || l.typ.Kind() == cc.Bool) {
		f.refuse(codeAtomic, c.node, "atomic arithmetic on an object of type %s is not supported", l.typ)
	}
	var v value
	if k.kind != ir.Xchg && l.typ.Kind() == cc.Ptr {
		v = f.integerOperand(c.args[3])
		v.t = ir.S64
		if bits&rmwScaled != 0 {
			v.e = scaled(v.e, f.elemSize(elemOf(l.typ), c.node))
		}
	} else {
		v = f.atomicOperand(c.args[3], l.typ, c.node)
	}
	was, is := f.rmw(l, t, k, v, f.order(c.args[4]))
	if bits&rmwAfter != 0 {
		return is
	}
	return was
}

// rmw emits a read-modify-write and gives the values before and after it.
func (f *lowering) rmw(l lvalue, t ir.Type, k rmwFunction, v value, order ir.Order) (was, is value) {
	if k.neg {
		v.e = ir.Unary(ir.Neg, t, v.e)
	}
	if k.kind == ir.RMWUnset {
		v = f.save(v)
		return f.casLoop(l, t, order, func(old value) *ir.Expr {
			e := ir.Binary(k.op, t, old.e, v.e)
			if k.nand {
				e = ir.Unary(ir.BitNot, t, e)
			}
			return e
		})
	}
	op := access(ir.RMW, l, t, order)
	op.RMW, op.Val, op.Dst = k.kind, v.e, f.temp()
	f.emit(op)
	was = value{e: ir.R(op.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
	is = was
	is.e = v.e
	if k.kind != ir.Xchg {
		is.e = ir.Binary(k.op, t, was.e, v.e)
	}
	return was, is
}

// casLoop updates a place by a function of what it holds.
func (f *lowering) casLoop(l lvalue, t ir.Type, order ir.Order, next func(old value) *ir.Expr) (was, is value) {
	read := access(ir.Load, l, t, ir.Relaxed)
	read.Dst = f.temp()
	f.emit(read)
	was = value{e: ir.R(read.Dst), t: t, elem: elemOf(l.typ), obj: ir.NoObject}
	is = was
	again, failed, end := f.label(""), f.label(""), f.label("")
	f.here(again)
	is.e = f.save(integer(next(was), t)).e
	op := access(ir.RMW, l, t, order)
	op.RMW, op.Val, op.Val2, op.Fail = ir.Cas, was.e, is.e, ir.Relaxed
	op.Dst, op.Dst2 = f.temp(), f.temp()
	f.emit(op)
	from := f.start()
	f.assume(from, ir.Binary(ir.Ne, ir.S64, ir.R(op.Dst2), ir.Int(0)), end)
	f.assume(from, ir.Binary(ir.Eq, ir.S64, ir.R(op.Dst2), ir.Int(0)), failed)
	f.at, f.fresh = failed, false
	f.assign(read.Dst, ir.R(op.Dst))
	f.jump(again)
	f.at, f.fresh = end, false
	return was, is
}

// atomicUpdate is a compound assignment to an _Atomic object, or ++ and --.
func (f *lowering) atomicUpdate(l lvalue, op ir.ExprOp, v value, n cc.Node) (was, is value) {
	which := map[ir.ExprOp]int{ir.Add: 1, ir.Sub: 2, ir.And: 3, ir.Or: 4, ir.Xor: 5}[op]
	t := f.scalar(l.typ, n)
	switch {
	case v.elem != nil || l.typ.Kind() == cc.Ptr && op != ir.Add && op != ir.Sub:
		f.refuse(codeAtomic, n, "this update of an atomic object of type %s is not supported", l.typ)
	case l.typ.Kind() == cc.Ptr:
		v = integer(scaled(v.e, f.elemSize(elemOf(l.typ), n)), ir.S64)
	case which == 0 || l.typ.Kind() == cc.Bool:
		l.addr = f.save(integer(l.addr, ir.U64)).e
		v = f.save(v)
		return f.casLoop(l, t, ir.SeqCst, func(old value) *ir.Expr {
			return f.convert(f.combine(op, old, v, n), l.typ, n).e
		})
	default:
		v = integer(cast(v.e, v.t, t), t)
	}
	return f.rmw(l, t, rmwFunctions[which], v, ir.SeqCst)
}
