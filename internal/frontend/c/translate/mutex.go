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
func speaksOfKinds(c *compiler) bool {
	for _, name := range []string{
		"pthread_mutexattr_settype", "mtx_recursive", "PTHREAD_MUTEX_RECURSIVE_NP", "PTHREAD_MUTEX_ERRORCHECK_NP",
		"PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK",
	} {
		if c.syms.mentioned[name] {
			return true
		}
	}
	return false
}

// libMutexInit writes the word of a mutex, and its kind.
func libMutexInit(f *lowering, c *libCall) value {
	m := wordAt(f, c.args[0])
	kind := ir.Int(kindNormal)
	if !isNull(f, c.args[1]) {
		attr := access(ir.Load, wordAt(f, c.args[1]), ir.S32, ir.Plain)
		attr.Dst = f.code.temp()
		f.code.emit(attr)
		kind = ir.R(attr.Dst)
	}
	f.mem.storeWord(m, ir.U64, ir.Int(0))
	if speaksOfKinds(f.compiler) {
		f.mem.storeWord(f.mem.offset(m, kindOffset), ir.S32, kind)
	}
	return zero()
}

func libMutexAttrInit(f *lowering, c *libCall) value {
	f.mem.storeWord(wordAt(f, c.args[0]), ir.S32, ir.Int(kindNormal))
	return zero()
}

func libMutexAttrType(f *lowering, c *libCall) value {
	to := wordAt(f, c.args[0])
	kind := f.exprs.integerOperand(c.args[1])
	if v, ok := kind.e.IsConst(); ok && (v < kindNormal || v > kindErrorCheck) {
		f.in.refuse(codeArgument, c.args[1], "this kind of mutex is not supported")
	}
	f.mem.storeWord(to, ir.S32, kind.e)
	return zero()
}

// libMutex is lock, trylock or unlock.
func libMutex(f *lowering, c *libCall) value {
	kind := map[string]ir.OpKind{
		"pthread_mutex_lock": ir.Lock, "pthread_mutex_trylock": ir.TryLock, "pthread_mutex_unlock": ir.Unlock,
	}[c.name]
	return mutexOp(f, kind, f.exprs.operand(c.args[0]), c.want)
}

// mutexOp locks or unlocks the mutex at an address; want says whether the result is
// used.
func mutexOp(f *lowering, kind ir.OpKind, at value, want bool) value {
	op := ir.NewOp(kind)
	op.Addr, op.Obj = at.e, at.obj
	out := nothing()
	if want {
		op.Dst = f.code.temp()
		out = integer(ir.R(op.Dst), ir.S32)
	}
	if !speaksOfKinds(f.compiler) {
		op.Mutex = ir.NormalMutex
		f.code.emit(op)
		return out
	}
	op.Addr = f.lvals.save(integer(op.Addr, ir.U64)).e
	m := lvalue{reg: ir.NoReg, addr: op.Addr, obj: op.Obj}
	read := access(ir.Load, f.mem.offset(m, kindOffset), ir.S32, ir.Plain)
	read.Dst = f.code.temp()
	f.code.emit(read)
	from, end := f.code.start(), f.code.label("")
	for k, mutex := range []ir.MutexKind{ir.NormalMutex, ir.RecursiveMutex, ir.ErrorCheckMutex} {
		at := f.code.label("")
		f.code.assume(from, ir.Binary(ir.Eq, ir.S32, ir.R(read.Dst), ir.Int(int64(k))), at)
		f.code.at, f.code.fresh = at, false
		op.Mutex = mutex
		f.code.emit(op)
		f.code.jump(end)
	}
	f.code.at, f.code.fresh = end, false
	return out
}
