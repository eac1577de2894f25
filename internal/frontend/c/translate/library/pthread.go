package library

import (
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Threads, mutexes, conditions and barriers.

// isNull reports whether an argument is a null pointer constant.
func isNull(f *translate.Lowering, e *parse.Expr) bool {
	for e.Op == parse.Convert {
		e = e.A
	}
	return e.Op == parse.Constant && e.Obj == nil && e.Of == nil && e.Val.Kind == parse.IntValue && e.Val.Int.IsZero()
}

// target is the lvalue an out argument points to: &x may be a register here.
func target(f *translate.Lowering, e *parse.Expr) translate.Lvalue {
	if a := translate.Addressed(e); a != nil {
		return f.Lvals.Lvalue(a.A)
	}
	l := f.Lvals.Pointee(e)
	l.Atomic = e.Type.Elem.Qual&types.Atomic != 0
	return l
}

func libCreate(f *translate.Lowering, c *translate.Call) translate.Value {
	handle := target(f, c.Args[0])
	routine := c.Args[len(c.Args)-2] // thrd_create has no attributes
	maybeDetached := len(c.Args) == 4 && !isNull(f, c.Args[1])
	if maybeDetached {
		attributes(f, c.Args[1])
		f.In.Diags.Warnf(translate.CodeAttr, f.In.Span(c.Args[1]), "the attributes of the thread are ignored")
	}
	start := startRoutine(f, routine)
	arg := f.Exprs.Operand(c.Args[len(c.Args)-1])
	op := ir.NewOp(ir.Spawn)
	op.Dst, op.Call.Args = f.Code.Temp(), []*ir.Expr{translate.Cast(arg.Expr, arg.Type, ir.U64)}
	switch {
	case start.Expr.Op != ir.FuncAddr:
		op.Val = start.Expr
	case f.Syms.ByID[start.Expr.Func].Params() == 0: // the argument goes to a register that it does not read
		op.Call.Func, op.Call.Args = start.Expr.Func, nil
	case f.Syms.ByID[start.Expr.Func].Params() != 1:
		f.In.Refuse(translate.CodeArgument, routine, "a thread needs a function with at most one parameter")
	default:
		op.Call.Func = start.Expr.Func
	}
	endsWithDestructors(f, &op, routine)
	if maybeDetached {
		op.Sync.Marks = ir.Detaches
	}
	f.Code.Emit(op)
	f.Mem.Store(handle, f.Arith.Convert(translate.Integer(threadID(ir.R(op.Dst)), ir.U64), handle.Type, c.Node), c.Node)
	return zero()
}

// libDetach is pthread_detach or thrd_detach. It changes nothing but which threads need not be joined.
func libDetach(f *translate.Lowering, c *translate.Call) translate.Value {
	thread := f.Exprs.Operand(c.Args[0])
	f.Code.Use(thread)
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = f.Code.Temp(), ir.Binary(ir.Sub, ir.S64, thread.Expr, ir.Int(1))
	op.Sync.Marks = ir.Detaches
	f.Code.Emit(op)
	return zero()
}

func libJoin(f *translate.Lowering, c *translate.Call) translate.Value {
	op := ir.NewOp(ir.Join)
	op.Val = ir.Binary(ir.Sub, ir.S64, f.Exprs.Operand(c.Args[0]).Expr, ir.Int(1))
	if isNull(f, c.Args[1]) {
		f.Code.Emit(op)
		return zero()
	}
	to := target(f, c.Args[1])
	if translate.IsVoid(to.Type) {
		f.In.Reject(translate.CodeArgument, c.Args[1], "a join needs the address of a pointer here")
	}
	op.Dst = f.Code.Temp()
	store := func() {
		f.Mem.Store(to, f.Arith.Convert(translate.Integer(ir.R(op.Dst), ir.U64), to.Type, c.Node), c.Node)
	}
	if translate.Addressed(c.Args[1]) != nil {
		f.Code.Emit(op)
		store()
		return zero()
	}
	to.Addr = f.Code.Save(translate.Integer(to.Addr, ir.U64)).Expr
	f.Code.Emit(op)
	unlessNull(f, c.Args[1], to.Addr, store)
	return zero()
}

func libThreadExit(f *translate.Lowering, c *translate.Call) translate.Value {
	op := ir.NewOp(ir.ThreadExit)
	op.Val = f.Code.Save(f.Exprs.Operand(c.Args[0])).Expr
	if run := cleanups(f); run != nil {
		f.Code.Emit(callOf(run))
	}
	if end := destructors(f); end != nil {
		f.Code.Emit(callOf(end))
	}
	if asks, always := f.Syms.EndsLate(); asks != nil || always {
		refuseMainExit(f, asks, always)
	}
	f.Code.Emit(op)
	f.Code.At, f.Code.Fresh = translate.Nowhere, false
	return nothing()
}

// refuseMainExit ends an execution in which main ends by pthread_exit while functions are to run at
// the end of the program: the thread that ends last would run them.
func refuseMainExit(f *translate.Lowering, asks *ir.FuncBuilder, always bool) {
	runs := ir.Binary(ir.Eq, ir.S64, ir.SelfHandle(), ir.Int(0))
	if !always {
		call := callOf(asks)
		call.Dst = f.Code.Temp()
		f.Code.Emit(call)
		runs = ir.Binary(ir.LAnd, ir.S64, ir.R(call.Dst), runs)
	}
	from, end, stop := f.Code.Start(), f.Code.Label(""), f.Code.Label("")
	f.Code.Assume(from, runs, stop)
	f.Code.Assume(from, ir.Negate(runs), end)
	f.Code.At, f.Code.Fresh = stop, false
	op := ir.NewOp(ir.Unsupported)
	op.Report = ir.Report{Code: translate.CodeExtern, Msg: "functions at the end of the program after pthread_exit in main are not modelled"}
	f.Code.Emit(op)
	f.Code.At, f.Code.Fresh = end, false
}

// threadID returns the pthread_t of a thread: one more than its handle, since programs take 0 for no
// thread.
func threadID(handle *ir.Expr) *ir.Expr { return ir.Binary(ir.Add, ir.S64, handle, ir.Int(1)) }

// kernelID returns what gettid returns: that of main is the number of the process.
func kernelID() *ir.Expr { return ir.Binary(ir.Add, ir.S64, ir.SelfHandle(), ir.Int(processID)) }

// libThreadNumber is gettid.
func libThreadNumber(*translate.Lowering, *translate.Call) translate.Value {
	return translate.Integer(kernelID(), ir.S32)
}

func libSelf(f *translate.Lowering, _ *translate.Call) translate.Value {
	return translate.Integer(threadID(ir.SelfHandle()), ir.U64)
}

func libEqual(f *translate.Lowering, c *translate.Call) translate.Value {
	x, y := f.Exprs.Operand(c.Args[0]), f.Exprs.Operand(c.Args[1])
	return translate.Integer(ir.Binary(ir.Eq, ir.U64, x.Expr, y.Expr), ir.S32)
}

// syncOp is an operation on the synchronisation object an argument points to.
func syncOp(f *translate.Lowering, kind ir.OpKind, e *parse.Expr) ir.Op {
	v := f.Exprs.Accessed(e)
	op := ir.NewOp(kind)
	op.Addr, op.Obj = v.Expr, v.Obj
	return op
}

// libSyncInit writes the word of a condition. Its attributes are the clock of timed waits, which may time
// out at any time, and whether processes share it.
func libSyncInit(f *translate.Lowering, c *translate.Call) translate.Value {
	to := wordAt(f, c.Args[0])
	attributes(f, c.Args[1])
	beginWord(f, to, ir.U64, ir.Int(0))
	return zero()
}

// beginWord writes the word of a synchronisation object that a call initialises.
func beginWord(f *translate.Lowering, l translate.Lvalue, t ir.Type, v *ir.Expr) {
	l.Marks = ir.Initialises
	f.Mem.StoreWord(l, t, v)
}

// wordAt is the word of a synchronisation object.
func wordAt(f *translate.Lowering, e *parse.Expr) translate.Lvalue {
	v := f.Exprs.Accessed(e)
	return translate.Lvalue{Reg: ir.NoReg, Addr: v.Expr, Obj: v.Obj}
}

func libCondWait(f *translate.Lowering, c *translate.Call) translate.Value {
	op := syncOp(f, ir.CondWait, c.Args[0])
	op.Val2 = f.Exprs.Operand(c.Args[1]).Expr
	f.Code.Emit(liveCondition(f, op))
	return zero()
}

func libSignal(f *translate.Lowering, c *translate.Call) translate.Value {
	kind := ir.Signal
	if strings.HasSuffix(c.Name, "broadcast") {
		kind = ir.Broadcast
	}
	f.Code.Emit(liveCondition(f, syncOp(f, kind, c.Args[0])))
	return zero()
}

func libBarrierInit(f *translate.Lowering, c *translate.Call) translate.Value {
	to := wordAt(f, c.Args[0])
	attributes(f, c.Args[1]) // whether processes share it
	n := f.Exprs.Operand(c.Args[2])
	f.Code.Use(n)
	count := f.Code.Keep(translate.Integer(translate.Cast(n.Expr, n.Type, ir.U32), ir.U32)).Expr
	beginWord(f, to, ir.U64, count) // one of no threads is one that is not initialised
	return translate.Integer(ir.Conditional(ir.Binary(ir.Ne, ir.U32, count, ir.Int(0)), ir.Int(0), ir.Int(invalidArgument)), ir.S32)
}

func libBarrier(f *translate.Lowering, c *translate.Call) translate.Value {
	op := syncOp(f, ir.Barrier, c.Args[0])
	if !c.Want {
		f.Code.Emit(op)
		return nothing()
	}
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return translate.Integer(ir.Conditional(ir.R(op.Dst), ir.Int(-1), ir.Int(0)), ir.S32)
}
