package translate

import (
	"fencepost/internal/ir"
)

// Destroying mutexes, conditions and barriers. The word of a mutex or condition then
// holds a mark. Operations on mutexes know it, and so do locks of a mutex that a wait
// takes again. Conditions have no operation that looks at their word: in programs that
// destroy any, those who use one look first. A barrier that is destroyed waits for
// nobody, which is an error as it is.
//
// What is written here are relaxed stores, as in glibc: nothing drains.

// libMutexDestroy is pthread_mutex_destroy or mtx_destroy.
func libMutexDestroy(f *lowering, c *libCall) value {
	m := wordAt(f, c.args[0])
	m.addr = f.lvals.save(integer(m.addr, ir.U64)).e
	word := access(ir.Load, m, ir.U64, ir.Relaxed)
	word.Dst = f.code.temp()
	f.code.emit(word)
	f.code.check(ir.Binary(ir.Eq, ir.U64, ir.R(word.Dst), ir.Int(0)), ir.BadDestroy, "the mutex is locked, or was destroyed before")
	markWord(f, m, ir.DestroyedMutex)
	return zero()
}

// libCondDestroy is pthread_cond_destroy or cnd_destroy.
func libCondDestroy(f *lowering, c *libCall) value {
	markWord(f, wordAt(f, c.args[0]), ir.DestroyedMutex)
	return zero()
}

func libBarrierDestroy(f *lowering, c *libCall) value {
	markWord(f, wordAt(f, c.args[0]), 0)
	return zero()
}

func markWord(f *lowering, l lvalue, word int64) {
	op := access(ir.Store, l, ir.U64, ir.Relaxed)
	op.Val = ir.Int(word)
	f.code.emit(op)
}

// liveCondition checks that a condition has not been destroyed, in programs that
// destroy any.
func liveCondition(f *lowering, op ir.Op) ir.Op {
	if !f.syms.mentioned["pthread_cond_destroy"] && !f.syms.mentioned["cnd_destroy"] {
		return op
	}
	op.Addr = f.lvals.save(integer(op.Addr, ir.U64)).e
	word := access(ir.Load, lvalue{reg: ir.NoReg, addr: op.Addr, obj: op.Obj}, ir.U64, ir.Relaxed)
	word.Dst = f.code.temp()
	f.code.emit(word)
	f.code.check(ir.Binary(ir.Ne, ir.S64, ir.R(word.Dst), ir.Int(ir.DestroyedMutex)), ir.Destroyed, "the condition has been destroyed")
	return op
}
