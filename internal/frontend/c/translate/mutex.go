package translate

import (
	"fencepost/internal/ir"
)

// Mutexes. A mutex is a word and, behind it, its kind as POSIX numbers them. The
// kind is read where it is locked, but only in programs that speak of kinds at
// all: everywhere else all mutexes are normal ones and the word is all there is.

// kindOffset is where a mutex keeps its kind: where glibc has it too, so that its
// static initialisers mean the same here.
const kindOffset = 16

// The kinds, as pthread.h numbers them.
const (
	kindNormal = iota
	kindRecursive
	kindErrorCheck
)

// speaksOfKinds reports whether any mutex of the program may be other than normal.
func (c *compiler) speaksOfKinds() bool {
	for _, name := range []string{
		"pthread_mutexattr_settype", "mtx_recursive", "PTHREAD_MUTEX_RECURSIVE_NP", "PTHREAD_MUTEX_ERRORCHECK_NP",
		"PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK",
	} {
		if c.mentioned[name] {
			return true
		}
	}
	return false
}

// libMutexInit writes the word of a mutex, and its kind.
func (f *lowering) libMutexInit(c *libCall) value {
	m := f.wordAt(c.args[0])
	kind := ir.Int(kindNormal)
	if !f.isNull(c.args[1]) {
		attr := access(ir.Load, f.wordAt(c.args[1]), ir.S32, ir.Plain)
		attr.Dst = f.temp()
		f.emit(attr)
		kind = ir.R(attr.Dst)
	}
	f.storeWord(m, ir.U64, ir.Int(0))
	if f.speaksOfKinds() {
		f.storeWord(f.offset(m, kindOffset), ir.S32, kind)
	}
	return zero()
}

func (f *lowering) libMutexAttrInit(c *libCall) value {
	f.storeWord(f.wordAt(c.args[0]), ir.S32, ir.Int(kindNormal))
	return zero()
}

func (f *lowering) libMutexAttrType(c *libCall) value {
	to := f.wordAt(c.args[0])
	kind := f.integerOperand(c.args[1])
	if v, ok := kind.e.IsConst(); ok && (v < kindNormal || v > kindErrorCheck) {
		f.refuse(codeArgument, c.args[1], "this kind of mutex is not supported")
	}
	f.storeWord(to, ir.S32, kind.e)
	return zero()
}

// libMutex is lock, trylock or unlock.
func (f *lowering) libMutex(c *libCall) value {
	kind := map[string]ir.OpKind{
		"pthread_mutex_lock": ir.Lock, "pthread_mutex_trylock": ir.TryLock, "pthread_mutex_unlock": ir.Unlock,
	}[c.name]
	return f.mutexOp(kind, f.operand(c.args[0]), c.want)
}

// mutexOp locks or unlocks the mutex at an address; want says whether the result is
// used.
func (f *lowering) mutexOp(kind ir.OpKind, at value, want bool) value {
	op := ir.NewOp(kind)
	op.Addr, op.Obj = at.e, at.obj
	out := nothing()
	if want {
		op.Dst = f.temp()
		out = integer(ir.R(op.Dst), ir.S32)
	}
	if !f.speaksOfKinds() {
		op.Mutex = ir.NormalMutex
		f.emit(op)
		return out
	}
	op.Addr = f.save(integer(op.Addr, ir.U64)).e
	m := lvalue{reg: ir.NoReg, addr: op.Addr, obj: op.Obj}
	read := access(ir.Load, f.offset(m, kindOffset), ir.S32, ir.Plain)
	read.Dst = f.temp()
	f.emit(read)
	from, end := f.start(), f.label("")
	for k, mutex := range []ir.MutexKind{ir.NormalMutex, ir.RecursiveMutex, ir.ErrorCheckMutex} {
		at := f.label("")
		f.assume(from, ir.Binary(ir.Eq, ir.S32, ir.R(read.Dst), ir.Int(int64(k))), at)
		f.at, f.fresh = at, false
		op.Mutex = mutex
		f.emit(op)
		f.jump(end)
	}
	f.at, f.fresh = end, false
	return out
}
