package library

import (
	"strings"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// C11's threads.h, by what pthread.h has, and the timed waits of both.

// The results of functions of threads.h.
const (
	thrdBusy     = 1
	thrdError    = 2
	thrdTimedOut = 4
)

// c11 turns an error number into a result of threads.h.
func c11(v translate.Value, timed bool) translate.Value {
	if v.Void {
		return v
	}
	busy := int64(thrdBusy)
	if timed {
		busy = thrdTimedOut
	}
	is := func(n int64) *ir.Expr { return ir.Binary(ir.Eq, ir.S32, v.Expr, ir.Int(n)) }
	return translate.Integer(ir.Conditional(is(0), ir.Int(0), ir.Conditional(is(errBusy), ir.Int(busy), ir.Int(thrdError))), ir.S32)
}

// libMtx is mtx_lock and its kin.
func libMtx(f *translate.Lowering, c *translate.Call) translate.Value {
	kind := map[string]ir.OpKind{
		"mtx_lock": ir.Lock, "mtx_trylock": ir.TryLock, "mtx_unlock": ir.Unlock,
	}[c.Name]
	m := f.Exprs.Accessed(c.Args[0])
	if c.Name == "mtx_timedlock" {
		return c11(timedLock(f, m, c.Args[1:])(), true)
	}
	return c11(mutexOp(f, kind, m, c.Want), false)
}

// mtxRecursive is the bit of mtx_init's type that asks for a recursive mutex.
const mtxRecursive = 1

func libMtxInit(f *translate.Lowering, c *translate.Call) translate.Value {
	m := wordAt(f, c.Args[0])
	kind := f.Exprs.IntegerOperand(c.Args[1])
	beginWord(f, m, ir.U64, ir.Int(0))
	if speaksOfKinds(f) {
		f.Mem.StoreWord(f.Mem.Offset(m, kindOffset), ir.S32, ir.Binary(ir.And, ir.S32, kind.Expr, ir.Int(mtxRecursive)))
	}
	return zero()
}

// libMutexTimed is pthread_mutex_timedlock: the lock is got, or it is held by
// another thread when the time is over.
func libMutexTimed(f *translate.Lowering, c *translate.Call) translate.Value {
	m := f.Code.Save(f.Exprs.Accessed(c.Args[0]))
	lock := timedLock(f, m, c.Args[1:])
	if !c.Want || !speaksOfKinds(f) {
		return timedOut(lock())
	}
	out := f.Code.Temp()
	again := locksAgain(f, m)
	from, deadlock, others, end := f.Code.Start(), f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Assume(from, again, deadlock)
	f.Code.Assume(from, ir.Negate(again), others)
	f.Code.At, f.Code.Fresh = deadlock, false
	f.Code.Assign(out, ir.Int(ir.EDEADLK))
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = others, false
	f.Code.Assign(out, timedOut(lock()).Expr)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = end, false
	return translate.Integer(ir.R(out), ir.S32)
}

// timedOut is the result of a lock whose time is over if the mutex was busy.
func timedOut(v translate.Value) translate.Value {
	if !v.Void {
		v.Expr = ir.Conditional(ir.Binary(ir.Eq, ir.S32, v.Expr, ir.Int(errBusy)), ir.Int(errTimedOut), v.Expr)
	}
	return v
}

// locksAgain reports whether a mutex is an error-checking one that the thread has: it then gets EDEADLK, however much
// time there is. Only the thread itself can change that. It reads the mutex, and drains nothing.
func locksAgain(f *translate.Lowering, m translate.Value) *ir.Expr {
	at := translate.Lvalue{Reg: ir.NoReg, Addr: m.Expr, Obj: m.Obj}
	kind := f.Mem.LoadWord(f.Mem.Offset(at, kindOffset), ir.S32, ir.Plain)
	owner := translate.Access(ir.Load, at, ir.U32, ir.Relaxed) // the low half is the thread plus one
	owner.Dst, owner.Sync.Kind = f.Code.Temp(), ir.SyncInspect
	f.Code.Emit(owner)
	return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, ir.S32, kind, ir.Int(kindErrorCheck)), ir.Binary(ir.Eq, ir.S64, ir.R(owner.Dst), threadID(ir.SelfHandle())))
}

// libTimedWait waits for a condition for some time, and says that it was woken or
// that the time was over. There are two ways. Without a signal: it gives up the mutex
// and gets it again at any later time. With one, which then wakes no other thread: it
// waits like every other thread; if no signal comes, the execution is one of the first kind
// and counts there, and so no thread is in a deadlock because of it. Either way it may
// say either: time can be over in the moment the signal comes, and waking without a
// signal is allowed.
func libTimedWait(f *translate.Lowering, c *translate.Call) translate.Value {
	wait := syncOp(f, ir.CondWait, c.Args[0])
	m := f.Code.Save(f.Exprs.Operand(c.Args[1]))
	timeLimit(f, c.Args[2:])
	wait.Val2, wait.Timed = m.Expr, true
	wait = liveCondition(f, wait)
	if f.Syms.Names.Mentioned["pthread_cond_signal"] || f.Syms.Names.Mentioned["cnd_signal"] {
		way := ir.NewOp(ir.Havoc)
		way.Dst, way.Range = f.Code.Temp(), ir.Range{Bounded: true, Lo: 0, Hi: 1}
		f.Code.Emit(way)
		from, signalled, alone, end := f.Code.Start(), f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
		is := ir.Binary(ir.Ne, ir.S32, ir.R(way.Dst), ir.Int(0))
		f.Code.Assume(from, is, signalled)
		f.Code.Assume(from, ir.Negate(is), alone)
		f.Code.At, f.Code.Fresh = signalled, false
		f.Code.Emit(wait)
		f.Code.Jump(end)
		f.Code.At, f.Code.Fresh = alone, false
		mutexOp(f, ir.Unlock, m, false)
		mutexOp(f, ir.Lock, m, false)
		f.Code.Here(end)
	} else {
		mutexOp(f, ir.Unlock, m, false)
		mutexOp(f, ir.Lock, m, false)
	}
	if !c.Want {
		return nothing()
	}
	late := int64(errTimedOut)
	if c.Name == "cnd_timedwait" {
		late = thrdTimedOut
	}
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.Range = f.Code.Temp(), ir.Range{Bounded: true, Lo: 0, Hi: 1}
	f.Code.Emit(op)
	return translate.Integer(ir.Binary(ir.Mul, ir.S32, ir.R(op.Dst), ir.Int(late)), ir.S32)
}

// addSync enters the functions of pthread.h, semaphore.h and threads.h that this file
// and sync.go have.
func addSync(m map[string]function) {
	for names, lower := range map[string]function{
		"sem_wait pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_spin_lock": {1, libTake},
		"sem_trywait pthread_rwlock_tryrdlock pthread_rwlock_trywrlock":          {1, libTryTake},
		"pthread_spin_trylock": {1, libTryTake},
		"sem_timedwait pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock": {2, libTryTake},
		"sem_clockwait pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock": {3, libTryTake},
		"sem_post":                              {1, libSemPost},
		"sem_init":                              {3, libSemInit},
		"sem_getvalue":                          {2, libSemValue},
		"pthread_rwlock_unlock":                 {1, libRWUnlock},
		"pthread_spin_unlock":                   {1, libSpinUnlock},
		"pthread_rwlock_init pthread_spin_init": {2, libLockInit},
		"sem_destroy":                           {1, libSemDestroy},
		"pthread_rwlock_destroy pthread_spin_destroy": {1, libLockDestroy},
		"pthread_once call_once":                      {2, libOnce},
		"pthread_mutex_timedlock":                     {2, libMutexTimed},
		"pthread_mutex_clocklock":                     {3, libMutexTimed},
		"pthread_cond_timedwait cnd_timedwait":        {3, libTimedWait},
		"pthread_cond_clockwait":                      {4, libTimedWait},
		"thrd_create":                                 {3, libCreate},
		"thrd_join":                                   {2, libJoin},
		"thrd_exit":                                   {1, libThreadExit},
		"thrd_current":                                {0, libSelf},
		"thrd_equal":                                  {2, libEqual},
		"thrd_detach":                                 {1, libDetach},
		"thrd_sleep":                                  {2, libSleep},
		"thrd_yield":                                  {0, libNothing},
		"mtx_lock mtx_trylock mtx_unlock":             {1, libMtx},
		"mtx_timedlock":                               {2, libMtx},
		"mtx_init":                                    {2, libMtxInit},
		"mtx_destroy":                                 {1, libMutexDestroy},
		"cnd_destroy":                                 {1, libCondDestroy},
		"cnd_init":                                    {1, libCndInit},
		"cnd_wait":                                    {2, libCondWait},
		"cnd_signal cnd_broadcast":                    {1, libSignal},
	} {
		for _, name := range strings.Fields(names) {
			m[name] = lower
		}
	}
}

func libCndInit(f *translate.Lowering, c *translate.Call) translate.Value {
	beginWord(f, wordAt(f, c.Args[0]), ir.U64, ir.Int(0))
	return zero()
}
