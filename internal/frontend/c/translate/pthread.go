package translate

import (
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Threads, mutexes, conditions and barriers.

// isNull reports whether an argument is a null pointer constant.
func isNull(f *lowering, e cc.ExpressionNode) bool {
	switch x := unparen(e).(type) {
	case *cc.CastExpression:
		return x.Case == cc.CastExpressionCast && isNull(f, x.CastExpression)
	case *cc.PrimaryExpression:
		v, ok := intValue(x)
		return ok && v == 0 && x.Case == cc.PrimaryExpressionInt
	}
	return false
}

// target is the place an out argument points to: &x may be a register here.
func target(f *lowering, e cc.ExpressionNode) lvalue {
	if a := addressed(e); a != nil {
		return f.lvals.lvalue(a.CastExpression)
	}
	l := f.lvals.pointee(e)
	l.atomic = f.types.ofExpr(e).inner().isAtomic()
	return l
}

func libCreate(f *lowering, c *libCall) value {
	handle := target(f, c.args[0])
	routine := c.args[len(c.args)-2] // thrd_create has no attributes
	if len(c.args) == 4 && !isNull(f, c.args[1]) {
		f.exprs.effect(c.args[1])
		f.in.diags.Warnf(codeAttr, f.in.span(c.args[1]), "the attributes of the thread are ignored")
	}
	start := startRoutine(f, routine)
	arg := f.exprs.operand(c.args[len(c.args)-1])
	op := ir.NewOp(ir.Spawn)
	op.Dst, op.Args = f.code.temp(), []*ir.Expr{cast(arg.e, arg.t, ir.U64)}
	switch {
	case start.e.Op != ir.FuncAddr:
		op.Val = start.e
	case f.syms.byID[start.e.Func].params() != 1:
		f.in.refuse(codeArgument, routine, "a thread needs a function with one parameter")
	default:
		op.Func = start.e.Func
	}
	endsWithDestructors(f, &op, routine)
	f.code.emit(op)
	f.mem.store(handle, f.exprs.convert(integer(ir.R(op.Dst), ir.U64), handle.typ, c.node), c.node)
	return zero()
}

func libJoin(f *lowering, c *libCall) value {
	op := ir.NewOp(ir.Join)
	op.Val = f.exprs.operand(c.args[0]).e
	if isNull(f, c.args[1]) {
		f.code.emit(op)
		return zero()
	}
	to := target(f, c.args[1])
	if isVoid(to.typ) {
		f.in.refuse(codeArgument, c.args[1], "a join needs the address of a pointer here")
	}
	op.Dst = f.code.temp()
	f.code.emit(op)
	f.mem.store(to, f.exprs.convert(integer(ir.R(op.Dst), ir.U64), to.typ, c.node), c.node)
	return zero()
}

func libThreadExit(f *lowering, c *libCall) value {
	op := ir.NewOp(ir.ThreadExit)
	op.Val = f.lvals.save(f.exprs.operand(c.args[0])).e
	if end := destructors(f.compiler); end != nil {
		f.code.emit(callOf(end))
	}
	f.code.emit(op)
	f.code.at, f.code.fresh = nowhere, false
	return nothing()
}

func libSelf(f *lowering, _ *libCall) value {
	return integer(ir.SelfHandle(), ir.U64)
}

func libEqual(f *lowering, c *libCall) value {
	x, y := f.exprs.operand(c.args[0]), f.exprs.operand(c.args[1])
	return integer(ir.Binary(ir.Eq, ir.U64, x.e, y.e), ir.S32)
}

// syncOp is an operation on the synchronisation object an argument points to.
func syncOp(f *lowering, kind ir.OpKind, e cc.ExpressionNode) ir.Op {
	v := f.exprs.operand(e)
	op := ir.NewOp(kind)
	op.Addr, op.Obj = v.e, v.obj
	return op
}

// libSyncInit writes the word of a condition.
func libSyncInit(f *lowering, c *libCall) value {
	if !isNull(f, c.args[1]) {
		f.in.refuse(codeArgument, c.args[1], "%s is supported without attributes only", c.name)
	}
	f.mem.storeWord(wordAt(f, c.args[0]), ir.U64, ir.Int(0))
	return zero()
}

// wordAt is the word of a synchronisation object.
func wordAt(f *lowering, e cc.ExpressionNode) lvalue {
	v := f.exprs.operand(e)
	return lvalue{reg: ir.NoReg, addr: v.e, obj: v.obj}
}

func libCondWait(f *lowering, c *libCall) value {
	op := syncOp(f, ir.CondWait, c.args[0])
	op.Val2 = f.exprs.operand(c.args[1]).e
	f.code.emit(liveCondition(f, op))
	return zero()
}

func libSignal(f *lowering, c *libCall) value {
	kind := ir.Signal
	if strings.HasSuffix(c.name, "broadcast") {
		kind = ir.Broadcast
	}
	f.code.emit(liveCondition(f, syncOp(f, kind, c.args[0])))
	return zero()
}

func libBarrierInit(f *lowering, c *libCall) value {
	if !isNull(f, c.args[1]) {
		f.in.refuse(codeArgument, c.args[1], "%s is supported without attributes only", c.name)
	}
	to := wordAt(f, c.args[0])
	n := f.exprs.operand(c.args[2])
	f.mem.storeWord(to, ir.U64, cast(n.e, n.t, ir.U32))
	return zero()
}

func libBarrier(f *lowering, c *libCall) value {
	op := syncOp(f, ir.Barrier, c.args[0])
	if !c.want {
		f.code.emit(op)
		return nothing()
	}
	op.Dst = f.code.temp()
	f.code.emit(op)
	return integer(ir.Conditional(ir.R(op.Dst), ir.Int(-1), ir.Int(0)), ir.S32)
}
