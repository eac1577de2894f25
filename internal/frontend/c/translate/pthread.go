package translate

import (
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Threads, mutexes, conditions and barriers.

// isNull reports whether an argument is a null pointer constant.
func (f *lowering) isNull(e cc.ExpressionNode) bool {
	switch x := unparen(e).(type) {
	case *cc.CastExpression:
		return x.Case == cc.CastExpressionCast && f.isNull(x.CastExpression)
	case *cc.PrimaryExpression:
		v, ok := intValue(x)
		return ok && v == 0 && x.Case == cc.PrimaryExpressionInt
	}
	return false
}

// target is the place an out argument points to: &x may be a register here.
func (f *lowering) target(e cc.ExpressionNode) lvalue {
	if a := addressed(e); a != nil {
		return f.lvalue(a.CastExpression)
	}
	l := f.pointee(e)
	l.atomic = f.ofExpr(e).inner().isAtomic()
	return l
}

func (f *lowering) libCreate(c *libCall) value {
	handle := f.target(c.args[0])
	routine := c.args[len(c.args)-2] // thrd_create has no attributes
	if len(c.args) == 4 && !f.isNull(c.args[1]) {
		f.effect(c.args[1])
		f.diags.Warnf(codeAttr, f.span(c.args[1]), "the attributes of the thread are ignored")
	}
	start := f.routine(routine)
	arg := f.operand(c.args[len(c.args)-1])
	op := ir.NewOp(ir.Spawn)
	op.Dst, op.Args = f.temp(), []*ir.Expr{cast(arg.e, arg.t, ir.U64)}
	switch {
	case start.e.Op != ir.FuncAddr:
		op.Val = start.e
	case f.byID[start.e.Func].params() != 1:
		f.refuse(codeArgument, routine, "a thread needs a function with one parameter")
	default:
		op.Func = start.e.Func
	}
	f.endsWithDestructors(&op, routine)
	f.emit(op)
	f.store(handle, f.convert(integer(ir.R(op.Dst), ir.U64), handle.typ, c.node), c.node)
	return zero()
}

func (f *lowering) libJoin(c *libCall) value {
	op := ir.NewOp(ir.Join)
	op.Val = f.operand(c.args[0]).e
	if f.isNull(c.args[1]) {
		f.emit(op)
		return zero()
	}
	to := f.target(c.args[1])
	if isVoid(to.typ) {
		f.refuse(codeArgument, c.args[1], "a join needs the address of a pointer here")
	}
	op.Dst = f.temp()
	f.emit(op)
	f.store(to, f.convert(integer(ir.R(op.Dst), ir.U64), to.typ, c.node), c.node)
	return zero()
}

func (f *lowering) libThreadExit(c *libCall) value {
	op := ir.NewOp(ir.ThreadExit)
	op.Val = f.save(f.operand(c.args[0])).e
	if end := f.destructors(); end != nil {
		f.emit(callOf(end))
	}
	f.emit(op)
	f.at, f.fresh = nowhere, false
	return nothing()
}

func (f *lowering) libSelf(*libCall) value {
	return integer(ir.SelfHandle(), ir.U64)
}

func (f *lowering) libEqual(c *libCall) value {
	x, y := f.operand(c.args[0]), f.operand(c.args[1])
	return integer(ir.Binary(ir.Eq, ir.U64, x.e, y.e), ir.S32)
}

// syncOp is an operation on the synchronisation object an argument points to.
func (f *lowering) syncOp(kind ir.OpKind, e cc.ExpressionNode) ir.Op {
	v := f.operand(e)
	op := ir.NewOp(kind)
	op.Addr, op.Obj = v.e, v.obj
	return op
}

// libSyncInit writes the word of a condition.
func (f *lowering) libSyncInit(c *libCall) value {
	if !f.isNull(c.args[1]) {
		f.refuse(codeArgument, c.args[1], "%s is supported without attributes only", c.name)
	}
	f.storeWord(f.wordAt(c.args[0]), ir.U64, ir.Int(0))
	return zero()
}

// wordAt is the word of a synchronisation object.
func (f *lowering) wordAt(e cc.ExpressionNode) lvalue {
	v := f.operand(e)
	return lvalue{reg: ir.NoReg, addr: v.e, obj: v.obj}
}

func (f *lowering) libCondWait(c *libCall) value {
	op := f.syncOp(ir.CondWait, c.args[0])
	op.Val2 = f.operand(c.args[1]).e
	f.emit(f.liveCondition(op))
	return zero()
}

func (f *lowering) libSignal(c *libCall) value {
	kind := ir.Signal
	if strings.HasSuffix(c.name, "broadcast") {
		kind = ir.Broadcast
	}
	f.emit(f.liveCondition(f.syncOp(kind, c.args[0])))
	return zero()
}

func (f *lowering) libBarrierInit(c *libCall) value {
	if !f.isNull(c.args[1]) {
		f.refuse(codeArgument, c.args[1], "%s is supported without attributes only", c.name)
	}
	to := f.wordAt(c.args[0])
	n := f.operand(c.args[2])
	f.storeWord(to, ir.U64, cast(n.e, n.t, ir.U32))
	return zero()
}

func (f *lowering) libBarrier(c *libCall) value {
	op := f.syncOp(ir.Barrier, c.args[0])
	if !c.want {
		f.emit(op)
		return nothing()
	}
	op.Dst = f.temp()
	f.emit(op)
	return integer(ir.Conditional(ir.R(op.Dst), ir.Int(-1), ir.Int(0)), ir.S32)
}
