package library

import (
	"math"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Destroying mutexes, conditions, barriers, reader-writer locks and spin locks. The word of a mutex or condition then
// holds a mark. Operations on mutexes know it, and so do locks of a mutex that a wait
// takes again. Conditions have no operation that looks at their word: in programs that
// destroy any, those who use one look first. A barrier that is destroyed waits for
// no thread, which is an error as it is. A reader-writer lock or spin lock that is destroyed can be taken and given
// back in programs that destroy any, and the call then looks at what it found.
//
// What is written here are relaxed stores, as in glibc: nothing drains.

// libMutexDestroy is pthread_mutex_destroy or mtx_destroy.
func libMutexDestroy(f *translate.Lowering, c *translate.Call) translate.Value {
	m := wordAt(f, c.Args[0])
	m.Addr = f.Code.Save(translate.Integer(m.Addr, ir.U64)).Expr
	word := translate.Access(ir.Load, m, ir.U64, ir.Relaxed)
	word.Dst = f.Code.Temp()
	f.Code.Emit(word)
	f.Code.Check(ir.Binary(ir.Eq, ir.U64, ir.R(word.Dst), ir.Int(0)), ir.BadDestroy, "the mutex is locked, or was destroyed before")
	markWord(f, m, ir.DestroyedMutex)
	return zero()
}

// libCondDestroy is pthread_cond_destroy or cnd_destroy.
func libCondDestroy(f *translate.Lowering, c *translate.Call) translate.Value {
	markWord(f, wordAt(f, c.Args[0]), ir.DestroyedMutex)
	return zero()
}

func libBarrierDestroy(f *translate.Lowering, c *translate.Call) translate.Value {
	markWord(f, wordAt(f, c.Args[0]), 0)
	return zero()
}

// destroyedLock is the int of a reader-writer lock or spin lock that was destroyed.
const destroyedLock = math.MinInt32

// libLockDestroy is pthread_rwlock_destroy or pthread_spin_destroy. A lock for which a thread waits is held.
func libLockDestroy(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	l.Addr = f.Code.Save(translate.Integer(l.Addr, ir.U64)).Expr
	word := translate.Access(ir.Load, l, ir.S32, ir.Relaxed)
	word.Dst, word.Sync.Kind = f.Code.Temp(), ir.SyncInspect
	f.Code.Emit(word)
	f.Code.Check(ir.Binary(ir.Eq, ir.S32, ir.R(word.Dst), ir.Int(0)), ir.BadDestroy, "the lock is held, or was destroyed before")
	l.Marks = ir.Destroys
	op := translate.Access(ir.Store, l, ir.S32, ir.Relaxed)
	op.Val = ir.Int(destroyedLock)
	f.Code.Emit(op)
	return zero()
}

// libSemDestroy is sem_destroy. A thread that waits for the semaphore finds it destroyed, which is an error.
func libSemDestroy(f *translate.Lowering, c *translate.Call) translate.Value {
	l := wordAt(f, c.Args[0])
	l.Addr, l.Marks = f.Code.Save(translate.Integer(l.Addr, ir.U64)).Expr, ir.Destroys
	word := translate.Access(ir.Load, l, ir.S32, ir.Relaxed)
	word.Dst, word.Sync.Kind, word.Sync.Marks = f.Code.Temp(), ir.SyncInspect, 0
	f.Code.Emit(word)
	f.Code.Check(ir.Binary(ir.Ne, ir.S32, ir.R(word.Dst), ir.Int(destroyedLock)), ir.BadDestroy, "the semaphore was destroyed before")
	op := translate.Access(ir.Store, l, ir.S32, ir.Relaxed)
	op.Val = ir.Int(destroyedLock)
	f.Code.Emit(op)
	return zero()
}

// liveLock checks that a lock was not destroyed, after a step that has seen its int.
func liveLock(f *translate.Lowering, seen ir.Reg) {
	f.Code.Check(ir.Binary(ir.Ne, ir.S32, ir.R(seen), ir.Int(destroyedLock)), ir.Destroyed, "the lock or semaphore has been destroyed")
}

func markWord(f *translate.Lowering, l translate.Lvalue, word int64) {
	l.Marks = ir.Destroys
	op := translate.Access(ir.Store, l, ir.U64, ir.Relaxed)
	op.Val = ir.Int(word)
	f.Code.Emit(op)
}

// liveCondition checks that a condition has not been destroyed, in programs that
// destroy any.
func liveCondition(f *translate.Lowering, op ir.Op) ir.Op {
	if !f.Syms.Names.Mentioned["pthread_cond_destroy"] && !f.Syms.Names.Mentioned["cnd_destroy"] {
		return op
	}
	op.Addr = f.Code.Save(translate.Integer(op.Addr, ir.U64)).Expr
	word := translate.Access(ir.Load, translate.Lvalue{Reg: ir.NoReg, Addr: op.Addr, Obj: op.Obj}, ir.U64, ir.Relaxed)
	word.Dst = f.Code.Temp()
	f.Code.Emit(word)
	f.Code.Check(ir.Binary(ir.Ne, ir.S64, ir.R(word.Dst), ir.Int(ir.DestroyedMutex)), ir.Destroyed, "the condition has been destroyed")
	return op
}
