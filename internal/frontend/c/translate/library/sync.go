package library

import (
	"math"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Semaphores, reader-writer locks, spin locks and pthread_once. Each is one int
// that read-modify-writes work on at the lvalue of the call: one that waits blocks
// until the int is in a range and changes it in the same step, so that noHolder can
// come in between and nothing spins.
//
// A semaphore holds its value; a reader-writer lock the number of its readers, or -1
// for a writer; a spin lock 0 or 1; a once control 0, 1 while the function runs, and
// 2 after it. All fit into the types that glibc has for them, and are zero where its
// static initialisers are.
//
// Every access says how its call synchronises [C11 §7.26]: what waits takes, what lets go
// gives, and a call that fails does neither.

// The error numbers that these functions return, as Linux has them.
const (
	errAgain    = 11
	errNoMemory = 12
	errBusy     = 16
	errTimedOut = 110
)

// mostInSemaphore is the largest initial value of a semaphore: a larger one could overflow, which sem_post reports and the
// models do not.
const mostInSemaphore = math.MaxInt32 - 1<<24

// span32 is a range of the int of a synchronisation object.
type span32 struct{ lo, hi int64 }

var (
	someLeft  = span32{1, math.MaxInt32}
	noWriter  = span32{0, math.MaxInt32 - 1}
	noHolder  = span32{0, 0}
	notBegun  = span32{0, 0}
	completed = int64(2)
)

// holds is whether the value an operation sees is in the range.
func (r span32) holds() *ir.Expr {
	seen := ir.SeenValue()
	if r.lo == r.hi {
		return ir.Binary(ir.Eq, ir.S32, seen, ir.Int(r.lo))
	}
	return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S32, seen, ir.Int(r.lo)), ir.Binary(ir.Le, ir.S32, seen, ir.Int(r.hi)))
}

// addWhen is an addition to the int of a synchronisation object that waits for a
// condition on the value it sees; nil: it does not wait.
func addWhen(l translate.Lvalue, add int64, cond *ir.Expr, sync ir.SyncKind) ir.Op {
	op := translate.Access(ir.RMW, l, ir.S32, ir.SeqCst)
	op.RMW, op.Val, op.Cond, op.Sync.Kind = ir.FetchAdd, ir.Int(add), cond, sync
	return op
}

// taking is how a lock or a semaphore is taken: the range in which its int must be, and
// what is added to it.
type taking struct {
	when span32
	add  int64
	sync ir.SyncKind
	// destroys is the function that destroys such a lock, after which no thread may take it; "" if that is not checked.
	destroys string
}

var (
	semaphore  = taking{someLeft, -1, ir.SyncTake, "sem_destroy"}
	readerLock = taking{noWriter, 1, ir.SyncTakeShared, "pthread_rwlock_destroy"}
	writerLock = taking{noHolder, -1, ir.SyncTake, "pthread_rwlock_destroy"}
	spinLock   = taking{noHolder, 1, ir.SyncTake, "pthread_spin_destroy"}
	onceBegin  = taking{notBegun, 1, ir.SyncTake, ""}
)

// possible says when the step that takes is possible: a destroyed lock can be taken, which is an error.
func (k taking) possible(f *translate.Lowering) *ir.Expr {
	if !f.Syms.Names.Mentioned[k.destroys] {
		return k.when.holds()
	}
	return ir.Binary(ir.LOr, ir.S64, k.when.holds(), ir.Binary(ir.Eq, ir.S32, ir.SeenValue(), ir.Int(destroyedLock)))
}

// op is the step that takes.
func (k taking) op(f *translate.Lowering, l translate.Lvalue) ir.Op {
	op := addWhen(l, k.add, k.possible(f), k.sync)
	if f.Syms.Names.Mentioned[k.destroys] {
		op.Dst = f.Code.Temp()
	}
	return op
}

// taken checks, after the step that takes, that the lock was not destroyed.
func (k taking) taken(f *translate.Lowering, op *ir.Op) {
	if f.Syms.Names.Mentioned[k.destroys] {
		liveLock(f, op.Dst)
	}
}

// refused is the load that finds that it cannot take.
func (k taking) refused(f *translate.Lowering, l translate.Lvalue) ir.Op {
	op := translate.Access(ir.Await, l, ir.S32, ir.Relaxed)
	op.Cond, op.Sync.Kind = ir.Negate(k.possible(f)), ir.SyncInspect
	return op
}

// attempt takes and gives 0, or gives fail if it would have to wait. Then it is a load, and drains
// nothing.
func attempt(f *translate.Lowering, l translate.Lvalue, k taking, fail int64) translate.Value {
	out := f.Code.Temp()
	from, end := f.Code.Start(), f.Code.Label("")
	for _, way := range []struct {
		op     ir.Op
		result int64
	}{{k.op(f, l), 0}, {k.refused(f, l), fail}} {
		at := f.Code.Label("")
		f.Code.Fb.Edge(from, way.op, at, f.Code.Pos)
		f.Code.At, f.Code.Fresh = at, false
		if way.result == 0 {
			k.taken(f, &way.op)
		}
		f.Code.Assign(out, ir.Int(way.result))
		f.Code.Jump(end)
	}
	f.Code.At, f.Code.Fresh = end, false
	return translate.Integer(ir.R(out), ir.S32)
}

// libTake is a function that waits for a lock or a semaphore.
func libTake(f *translate.Lowering, c *translate.Call) translate.Value {
	how, ok := map[string]taking{
		"sem_wait": semaphore, "pthread_rwlock_rdlock": readerLock, "pthread_rwlock_wrlock": writerLock, "pthread_spin_lock": spinLock,
	}[c.Name]
	if !ok {
		panic("BUG: nothing to wait for in " + c.Name)
	}
	op := how.op(f, wordAt(f, c.Args[0]))
	f.Code.Emit(op)
	how.taken(f, &op)
	return zero()
}

// libTryTake is such a function that gives up: at once, or when its time is over. A
// timed one that gets the lock later is one that is called later.
func libTryTake(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	timeLimit(f, c.Args[1:])
	var out translate.Value
	switch c.Name {
	case "sem_trywait":
		out = attempt(f, l, semaphore, -1)
		setErrno(f, out.Expr, errAgain)
	case "sem_timedwait", "sem_clockwait":
		out = attempt(f, l, semaphore, -1)
		setErrno(f, out.Expr, errTimedOut)
	case "pthread_rwlock_tryrdlock":
		out = attempt(f, l, readerLock, errBusy)
	case "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock":
		out = attempt(f, l, readerLock, errTimedOut)
	case "pthread_rwlock_trywrlock":
		out = attempt(f, l, writerLock, errBusy)
	case "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock":
		out = attempt(f, l, writerLock, errTimedOut)
	case "pthread_spin_trylock":
		out = attempt(f, l, spinLock, errBusy)
	default:
		panic("BUG: nothing to try in " + c.Name)
	}
	return out
}

// setErrno writes errno where a call failed, in programs that look at it.
func setErrno(f *translate.Lowering, failed *ir.Expr, number int64) {
	s := f.Syms.InLibrary("__errno_location")
	if s == nil {
		return
	}
	from, set, end := f.Code.Start(), f.Code.Label(""), f.Code.Label("")
	f.Code.Assume(from, ir.Binary(ir.Ne, ir.S32, failed, ir.Int(0)), set)
	f.Code.Assume(from, ir.Binary(ir.Eq, ir.S32, failed, ir.Int(0)), end)
	f.Code.At, f.Code.Fresh = set, false
	where := callOf(f.Syms.Function(s))
	where.Dst = f.Code.Temp()
	f.Code.Emit(where)
	f.Mem.StoreWord(translate.Lvalue{Reg: ir.NoReg, Addr: ir.R(where.Dst), Obj: ir.NoObject}, ir.S32, ir.Int(number))
	f.Code.Here(end)
}

// libSemPost gives one back.
func libSemPost(f *translate.Lowering, c *translate.Call) translate.Value {
	op := addWhen(wordAt(f, c.Args[0]), 1, nil, ir.SyncGive)
	if f.Syms.Names.Mentioned[semaphore.destroys] {
		op.Dst = f.Code.Temp()
	}
	f.Code.Emit(op)
	semaphore.taken(f, &op)
	return zero()
}

func libSemInit(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	used(f, c.Args[1]) // whether processes share it
	v := f.Exprs.IntegerOperand(c.Args[2])
	if n, ok := v.Expr.IsConst(); !ok || n < 0 || n > mostInSemaphore {
		v = f.Code.Keep(v)
		f.Code.OnlyIf(ir.Binary(ir.Le, ir.U64, translate.Cast(v.Expr, v.Type, ir.U32), ir.Int(mostInSemaphore)), c.Args[2], translate.CodeArgument,
			"a semaphore with a value this near to SEM_VALUE_MAX is not supported")
	}
	beginWord(f, l, ir.S32, translate.Cast(v.Expr, v.Type, ir.S32))
	return zero()
}

// libSemValue looks at a semaphore and synchronises with nothing.
func libSemValue(f *translate.Lowering, c *translate.Call) translate.Value {
	v := readSync(f, wordAt(f, c.Args[0]), ir.SyncInspect)
	to := target(f, c.Args[1])
	f.Mem.Store(to, f.Arith.Convert(translate.Integer(v, ir.S32), to.Type, c.Node), c.Node)
	return zero()
}

// libRWUnlock takes away the writer, or one reader.
func libRWUnlock(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	from, end, reader := f.Code.Start(), f.Code.Label(""), f.Code.Label("")
	writing := ir.Binary(ir.Lt, ir.S32, ir.SeenValue(), ir.Int(0))
	up := addWhen(l, 1, writing, ir.SyncGive)
	if f.Syms.Names.Mentioned[readerLock.destroys] {
		writer := f.Code.Label("")
		up.Dst = f.Code.Temp()
		f.Code.Fb.Edge(from, up, writer, f.Code.Pos)
		f.Code.At, f.Code.Fresh = writer, false
		liveLock(f, up.Dst)
		f.Code.Jump(end)
	} else {
		f.Code.Fb.Edge(from, up, end, f.Code.Pos)
	}
	down := addWhen(l, -1, ir.Negate(writing), ir.SyncGiveShared)
	down.Dst = f.Code.Temp()
	f.Code.Fb.Edge(from, down, reader, f.Code.Pos)
	f.Code.At, f.Code.Fresh = reader, false
	f.Code.Check(ir.Binary(ir.Gt, ir.S32, ir.R(down.Dst), ir.Int(0)), ir.BadUnlock, "unlock of a lock that no thread holds")
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = end, false
	return zero()
}

// libLockInit writes the int of a lock that is given with attributes or flags.
func libLockInit(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	if c.Name == "pthread_spin_init" {
		used(f, c.Args[1])
	} else {
		attributes(f, c.Args[1])
	}
	beginWord(f, l, ir.S32, ir.Int(0))
	return zero()
}

// libSpinUnlock drains nothing.
func libSpinUnlock(f *translate.Lowering, c *translate.Call) translate.Value {
	give(f, wordAt(f, c.Args[0]), 0)
	return zero()
}

// readSync reads the int of a synchronisation object.
func readSync(f *translate.Lowering, l translate.Lvalue, sync ir.SyncKind) *ir.Expr {
	op := translate.Access(ir.Load, l, ir.S32, ir.Acquire)
	op.Dst, op.Sync.Kind = f.Code.Temp(), sync
	f.Code.Emit(op)
	return ir.R(op.Dst)
}

// give is a release store to the int of a synchronisation object. It drains nothing.
func give(f *translate.Lowering, l translate.Lvalue, v int64) {
	f.Mem.StoreFence()
	op := translate.Access(ir.Store, l, ir.S32, ir.Release)
	op.Val, op.Sync.Kind = ir.Int(v), ir.SyncGive
	f.Code.Emit(op)
}

// libOnce runs a function the first time. A call that finds it completed is a load.
func libOnce(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	l.Addr = f.Code.Save(translate.Integer(l.Addr, ir.U64)).Expr
	routine := f.Code.Save(startRoutine(f, c.Args[1]))
	state := readSync(f, l, ir.SyncTake)
	from, first, wait, end := f.Code.Start(), f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	done := ir.Binary(ir.Eq, ir.S32, state, ir.Int(completed))
	f.Code.Assume(from, done, end)
	f.Code.Assume(from, ir.Negate(done), first)
	f.Code.At, f.Code.Fresh = first, false
	lost := attempt(f, l, onceBegin, errBusy)
	from, run := f.Code.Start(), f.Code.Label("")
	f.Code.Assume(from, ir.Binary(ir.Eq, ir.S32, lost.Expr, ir.Int(0)), run)
	f.Code.Assume(from, ir.Binary(ir.Ne, ir.S32, lost.Expr, ir.Int(0)), wait)
	f.Code.At, f.Code.Fresh = run, false
	callBack(f, routine, nil, c.Args[1])
	give(f, l, completed)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = wait, false
	op := translate.Access(ir.Await, l, ir.S32, ir.Acquire)
	op.Cond, op.Sync.Kind = ir.Binary(ir.Eq, ir.S32, ir.SeenValue(), ir.Int(completed)), ir.SyncTake
	f.Code.Emit(op)
	f.Code.Here(end)
	if c.Name == "call_once" {
		return nothing()
	}
	return zero()
}

// callBack calls a function that was given as an argument.
func callBack(f *translate.Lowering, routine translate.Value, args []*ir.Expr, at parse.Node) {
	op := ir.NewOp(ir.Call)
	op.Call.Args = args
	if routine.Expr.Op == ir.FuncAddr {
		if !f.Syms.ByID[routine.Expr.Func].HasWords(len(args)) {
			f.In.Reject(translate.CodeArgument, at, "the function must have %d parameters", len(args))
		}
		op.Call.Func = routine.Expr.Func
	} else {
		op.Val = routine.Expr
	}
	f.Code.Emit(op)
}
