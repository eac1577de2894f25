package translate

import (
	"strings"

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
func c11(v value, timed bool) value {
	if v.void {
		return v
	}
	busy := int64(thrdBusy)
	if timed {
		busy = thrdTimedOut
	}
	is := func(n int64) *ir.Expr { return ir.Binary(ir.Eq, ir.S32, v.e, ir.Int(n)) }
	return integer(ir.Conditional(is(0), ir.Int(0), ir.Conditional(is(errBusy), ir.Int(busy), ir.Int(thrdError))), ir.S32)
}

// libMtx is mtx_lock and its kin.
func (f *lowering) libMtx(c *libCall) value {
	kind := map[string]ir.OpKind{
		"mtx_lock": ir.Lock, "mtx_trylock": ir.TryLock, "mtx_timedlock": ir.TryLock, "mtx_unlock": ir.Unlock,
	}[c.name]
	m := f.operand(c.args[0])
	for _, a := range c.args[1:] {
		f.effect(a)
	}
	return c11(f.mutexOp(kind, m, c.want), c.name == "mtx_timedlock")
}

// mtxRecursive is the bit of mtx_init's type that asks for a recursive mutex.
const mtxRecursive = 1

func (f *lowering) libMtxInit(c *libCall) value {
	m := f.wordAt(c.args[0])
	kind := f.integerOperand(c.args[1])
	f.storeWord(m, ir.U64, ir.Int(0))
	if f.speaksOfKinds() {
		f.storeWord(f.offset(m, kindOffset), ir.S32, ir.Binary(ir.And, ir.S32, kind.e, ir.Int(mtxRecursive)))
	}
	return zero()
}

// libMutexTimed is pthread_mutex_timedlock: the lock is got, or it is held by
// somebody when the time is over.
func (f *lowering) libMutexTimed(c *libCall) value {
	m := f.operand(c.args[0])
	for _, a := range c.args[1:] {
		f.effect(a)
	}
	v := f.mutexOp(ir.TryLock, m, c.want)
	if v.void {
		return v
	}
	v.e = ir.Conditional(ir.Binary(ir.Eq, ir.S32, v.e, ir.Int(errBusy)), ir.Int(errTimedOut), v.e)
	return v
}

// libTimedWait waits for a condition for some time, and says that it was woken or
// that the time was over. There are two ways. Without a signal: it gives up the mutex
// and gets it again at any later time. With one, which then wakes nobody else: it
// waits like everybody; if no signal comes, the execution is one of the first kind
// and counts there, and so nobody is in a deadlock because of it. Either way it may
// say either: time can be over in the moment the signal comes, and waking without a
// signal is allowed.
func (f *lowering) libTimedWait(c *libCall) value {
	wait := f.syncOp(ir.CondWait, c.args[0])
	m := f.save(f.operand(c.args[1]))
	for _, a := range c.args[2:] {
		f.effect(a)
	}
	wait.Val2, wait.Timed = m.e, true
	wait = f.liveCondition(wait)
	if f.mentioned["pthread_cond_signal"] || f.mentioned["cnd_signal"] {
		way := ir.NewOp(ir.Havoc)
		way.Dst, way.HasRange, way.Lo, way.Hi = f.temp(), true, 0, 1
		f.emit(way)
		from, signalled, alone, end := f.start(), f.label(""), f.label(""), f.label("")
		is := ir.Binary(ir.Ne, ir.S32, ir.R(way.Dst), ir.Int(0))
		f.assume(from, is, signalled)
		f.assume(from, ir.Negate(is), alone)
		f.at, f.fresh = signalled, false
		f.emit(wait)
		f.jump(end)
		f.at, f.fresh = alone, false
		f.mutexOp(ir.Unlock, m, false)
		f.mutexOp(ir.Lock, m, false)
		f.here(end)
	} else {
		f.mutexOp(ir.Unlock, m, false)
		f.mutexOp(ir.Lock, m, false)
	}
	if !c.want {
		return nothing()
	}
	late := int64(errTimedOut)
	if c.name == "cnd_timedwait" {
		late = thrdTimedOut
	}
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.HasRange, op.Lo, op.Hi = f.temp(), true, 0, 1
	f.emit(op)
	return integer(ir.Binary(ir.Mul, ir.S32, ir.R(op.Dst), ir.Int(late)), ir.S32)
}

// addSync enters the functions of pthread.h, semaphore.h and threads.h that this file
// and sync.go have.
func addSync(m map[string]libFunc) {
	for names, lower := range map[string]libFunc{
		"sem_wait pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_spin_lock": {1, (*lowering).libTake},
		"sem_trywait pthread_rwlock_tryrdlock pthread_rwlock_trywrlock":          {1, (*lowering).libTryTake},
		"pthread_spin_trylock": {1, (*lowering).libTryTake},
		"sem_timedwait pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock": {2, (*lowering).libTryTake},
		"sem_clockwait pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock": {3, (*lowering).libTryTake},
		"sem_post":                              {1, (*lowering).libSemPost},
		"sem_init":                              {3, (*lowering).libSemInit},
		"sem_getvalue":                          {2, (*lowering).libSemValue},
		"pthread_rwlock_unlock":                 {1, (*lowering).libRWUnlock},
		"pthread_spin_unlock":                   {1, (*lowering).libSpinUnlock},
		"pthread_rwlock_init pthread_spin_init": {2, (*lowering).libLockInit},
		"sem_destroy pthread_rwlock_destroy pthread_spin_destroy": {1, (*lowering).libZero},
		"pthread_once call_once":                                  {2, (*lowering).libOnce},
		"pthread_mutex_timedlock":                                 {2, (*lowering).libMutexTimed},
		"pthread_mutex_clocklock":                                 {3, (*lowering).libMutexTimed},
		"pthread_cond_timedwait cnd_timedwait":                    {3, (*lowering).libTimedWait},
		"pthread_cond_clockwait":                                  {4, (*lowering).libTimedWait},
		"thrd_create":                                             {3, (*lowering).libCreate},
		"thrd_join":                                               {2, (*lowering).libJoin},
		"thrd_exit":                                               {1, (*lowering).libThreadExit},
		"thrd_current":                                            {0, (*lowering).libSelf},
		"thrd_equal":                                              {2, (*lowering).libEqual},
		"thrd_detach":                                             {1, (*lowering).libZero},
		"thrd_sleep":                                              {2, (*lowering).libZero},
		"thrd_yield":                                              {0, (*lowering).libNothing},
		"mtx_lock mtx_trylock mtx_unlock":                         {1, (*lowering).libMtx},
		"mtx_timedlock":                                           {2, (*lowering).libMtx},
		"mtx_init":                                                {2, (*lowering).libMtxInit},
		"mtx_destroy":                                             {1, (*lowering).libMutexDestroy},
		"cnd_destroy":                                             {1, (*lowering).libCondDestroy},
		"cnd_init":                                                {1, (*lowering).libCndInit},
		"cnd_wait":                                                {2, (*lowering).libCondWait},
		"cnd_signal cnd_broadcast":                                {1, (*lowering).libSignal},
	} {
		for _, name := range strings.Fields(names) {
			m[name] = lower
		}
	}
}

func (f *lowering) libCndInit(c *libCall) value {
	f.storeWord(f.wordAt(c.args[0]), ir.U64, ir.Int(0))
	return zero()
}
