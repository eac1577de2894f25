package translate

import (
	"math"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Semaphores, reader-writer locks, spin locks and pthread_once. Each is one int
// that read-modify-writes work on at the place of the call: one that waits blocks
// until the int is in a range and changes it in the same step, so that nobody can
// come in between and nothing spins.
//
// A semaphore holds its value; a reader-writer lock the number of its readers, or -1
// for a writer; a spin lock 0 or 1; a once control 0, 1 while the function runs, and
// 2 behind it. All fit into the types that glibc has for them, and are zero where its
// static initialisers are.
//
// Every access says how its call synchronises [C11 §7.26]: what waits takes, what lets go
// gives, and a call that fails does neither.

// The error numbers that these functions return, as Linux has them.
const (
	errAgain    = 11
	errBusy     = 16
	errTimedOut = 110
)

// span32 is a range of the int of a synchronisation object.
type span32 struct{ lo, hi int64 }

var (
	someLeft  = span32{1, math.MaxInt32}
	noWriter  = span32{0, math.MaxInt32 - 1}
	nobody    = span32{0, 0}
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
func addWhen(l lvalue, add int64, cond *ir.Expr, sync ir.SyncKind) ir.Op {
	op := access(ir.RMW, l, ir.S32, ir.SeqCst)
	op.RMW, op.Val, op.Cond, op.Sync = ir.FetchAdd, ir.Int(add), cond, sync
	return op
}

// taking is how a lock or a semaphore is taken: the range in which its int must be, and
// what is added to it.
type taking struct {
	when span32
	add  int64
	sync ir.SyncKind
}

var (
	semaphore  = taking{someLeft, -1, ir.SyncTake}
	readerLock = taking{noWriter, 1, ir.SyncTakeShared}
	writerLock = taking{nobody, -1, ir.SyncTake}
	spinLock   = taking{nobody, 1, ir.SyncTake}
	onceBegin  = taking{notBegun, 1, ir.SyncTake}
)

// op is the step that takes.
func (k taking) op(l lvalue) ir.Op { return addWhen(l, k.add, k.when.holds(), k.sync) }

// attempt takes and gives 0, or gives fail if it would have to wait. It drains in both
// cases.
func attempt(f *lowering, l lvalue, k taking, fail int64) value {
	out := f.code.temp()
	from, end := f.code.start(), f.code.label("")
	for _, way := range []struct {
		op     ir.Op
		result int64
	}{{k.op(l), 0}, {addWhen(l, 0, ir.Negate(k.when.holds()), ir.SyncLook), fail}} {
		at := f.code.label("")
		f.code.fb.Edge(from, way.op, at, f.code.pos)
		f.code.at, f.code.fresh = at, false
		f.code.assign(out, ir.Int(way.result))
		f.code.jump(end)
	}
	f.code.at, f.code.fresh = end, false
	return integer(ir.R(out), ir.S32)
}

// libTake is a function that waits for a lock or a semaphore.
func libTake(f *lowering, c *libCall) value {
	how, ok := map[string]taking{
		"sem_wait": semaphore, "pthread_rwlock_rdlock": readerLock, "pthread_rwlock_wrlock": writerLock, "pthread_spin_lock": spinLock,
	}[c.name]
	if !ok {
		panic("BUG: nothing to wait for in " + c.name)
	}
	f.code.emit(how.op(wordAt(f, c.args[0])))
	return zero()
}

// libTryTake is such a function that gives up: at once, or when its time is over. A
// timed one that gets the lock later is one that is called later.
func libTryTake(f *lowering, c *libCall) value {
	l := wordAt(f, c.args[0])
	for _, a := range c.args[1:] {
		f.exprs.effect(a)
	}
	var out value
	switch c.name {
	case "sem_trywait":
		out = attempt(f, l, semaphore, -1)
		setErrno(f, out.e, errAgain)
	case "sem_timedwait", "sem_clockwait":
		out = attempt(f, l, semaphore, -1)
		setErrno(f, out.e, errTimedOut)
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
		panic("BUG: nothing to try in " + c.name)
	}
	return out
}

// setErrno writes errno where a call failed, in programs that look at it.
func setErrno(f *lowering, failed *ir.Expr, number int64) {
	s := f.syms.linked["__errno_location"]
	if s == nil || s.def == nil {
		return
	}
	from, set, end := f.code.start(), f.code.label(""), f.code.label("")
	f.code.assume(from, ir.Binary(ir.Ne, ir.S32, failed, ir.Int(0)), set)
	f.code.assume(from, ir.Binary(ir.Eq, ir.S32, failed, ir.Int(0)), end)
	f.code.at, f.code.fresh = set, false
	where := callOf(f.syms.function(s))
	where.Dst = f.code.temp()
	f.code.emit(where)
	f.mem.storeWord(lvalue{reg: ir.NoReg, addr: ir.R(where.Dst), obj: ir.NoObject}, ir.S32, ir.Int(number))
	f.code.here(end)
}

// libSemPost gives one back.
func libSemPost(f *lowering, c *libCall) value {
	f.code.emit(addWhen(wordAt(f, c.args[0]), 1, nil, ir.SyncGive))
	return zero()
}

func libSemInit(f *lowering, c *libCall) value {
	l := wordAt(f, c.args[0])
	if v, ok := f.data.constant(f.exprs.operand(c.args[1]).e); !ok || v != 0 {
		f.in.refuse(codeArgument, c.args[1], "a semaphore that processes share is not supported")
	}
	v := f.exprs.integerOperand(c.args[2])
	f.mem.storeWord(l, ir.S32, cast(v.e, v.t, ir.S32))
	return zero()
}

// libSemValue looks at a semaphore and synchronises with nothing.
func libSemValue(f *lowering, c *libCall) value {
	v := look(f, wordAt(f, c.args[0]), ir.SyncLook)
	to := target(f, c.args[1])
	f.mem.store(to, f.exprs.convert(integer(v, ir.S32), to.typ, c.node), c.node)
	return zero()
}

// libRWUnlock takes away the writer, or one reader.
func libRWUnlock(f *lowering, c *libCall) value {
	l := wordAt(f, c.args[0])
	from, end, reader := f.code.start(), f.code.label(""), f.code.label("")
	writing := ir.Binary(ir.Lt, ir.S32, ir.SeenValue(), ir.Int(0))
	f.code.fb.Edge(from, addWhen(l, 1, writing, ir.SyncGive), end, f.code.pos)
	down := addWhen(l, -1, ir.Negate(writing), ir.SyncGiveShared)
	down.Dst = f.code.temp()
	f.code.fb.Edge(from, down, reader, f.code.pos)
	f.code.at, f.code.fresh = reader, false
	f.code.check(ir.Binary(ir.Gt, ir.S32, ir.R(down.Dst), ir.Int(0)), ir.BadUnlock, "unlock of a lock that nobody holds")
	f.code.jump(end)
	f.code.at, f.code.fresh = end, false
	return zero()
}

// libLockInit writes the int of a lock that is given with attributes or flags.
func libLockInit(f *lowering, c *libCall) value {
	if c.name == "pthread_rwlock_init" && !isNull(f, c.args[1]) {
		f.in.refuse(codeArgument, c.args[1], "%s is supported without attributes only", c.name)
	}
	l := wordAt(f, c.args[0])
	f.exprs.effect(c.args[1])
	f.mem.storeWord(l, ir.S32, ir.Int(0))
	return zero()
}

// libSpinUnlock drains nothing.
func libSpinUnlock(f *lowering, c *libCall) value {
	give(f, wordAt(f, c.args[0]), 0)
	return zero()
}

// look reads the int of a synchronisation object.
func look(f *lowering, l lvalue, sync ir.SyncKind) *ir.Expr {
	op := access(ir.Load, l, ir.S32, ir.Acquire)
	op.Dst, op.Sync = f.code.temp(), sync
	f.code.emit(op)
	return ir.R(op.Dst)
}

// give is a release store to the int of a synchronisation object. It drains nothing.
func give(f *lowering, l lvalue, v int64) {
	storeFence(f)
	op := access(ir.Store, l, ir.S32, ir.Release)
	op.Val, op.Sync = ir.Int(v), ir.SyncGive
	f.code.emit(op)
}

// libOnce runs a function the first time. A call that finds it completed is a load.
func libOnce(f *lowering, c *libCall) value {
	l := wordAt(f, c.args[0])
	l.addr = f.lvals.save(integer(l.addr, ir.U64)).e
	routine := f.lvals.save(startRoutine(f, c.args[1]))
	state := look(f, l, ir.SyncTake)
	from, first, wait, end := f.code.start(), f.code.label(""), f.code.label(""), f.code.label("")
	done := ir.Binary(ir.Eq, ir.S32, state, ir.Int(completed))
	f.code.assume(from, done, end)
	f.code.assume(from, ir.Negate(done), first)
	f.code.at, f.code.fresh = first, false
	lost := attempt(f, l, onceBegin, errBusy)
	from, run := f.code.start(), f.code.label("")
	f.code.assume(from, ir.Binary(ir.Eq, ir.S32, lost.e, ir.Int(0)), run)
	f.code.assume(from, ir.Binary(ir.Ne, ir.S32, lost.e, ir.Int(0)), wait)
	f.code.at, f.code.fresh = run, false
	callBack(f, routine, nil, c.args[1])
	give(f, l, completed)
	f.code.jump(end)
	f.code.at, f.code.fresh = wait, false
	op := access(ir.Await, l, ir.S32, ir.Acquire)
	op.Cond, op.Sync = ir.Binary(ir.Eq, ir.S32, ir.SeenValue(), ir.Int(completed)), ir.SyncTake
	f.code.emit(op)
	f.code.here(end)
	if c.name == "call_once" {
		return nothing()
	}
	return zero()
}

// callBack calls a function that was given as an argument.
func callBack(f *lowering, routine value, args []*ir.Expr, at cc.Node) {
	op := ir.NewOp(ir.Call)
	op.Args = args
	if routine.e.Op == ir.FuncAddr {
		if !f.syms.byID[routine.e.Func].hasWords(f.compiler, len(args)) {
			f.in.refuse(codeArgument, at, "the function must have %d parameters", len(args))
		}
		op.Func = routine.e.Func
	} else {
		op.Val = routine.e
	}
	f.code.emit(op)
}
