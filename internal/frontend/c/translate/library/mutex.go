package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Mutexes. A mutex is a word and, after it, its kind as POSIX numbers them. The
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
	kindAdaptive
)

// speaksOfKinds reports whether any mutex of the program may be other than normal.
func speaksOfKinds(f *translate.Lowering) bool {
	for _, name := range []string{
		"pthread_mutexattr_settype", "mtx_recursive", "PTHREAD_MUTEX_RECURSIVE_NP", "PTHREAD_MUTEX_ERRORCHECK_NP",
		"PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK",
	} {
		if f.Syms.Names.Mentioned[name] {
			return true
		}
	}
	return false
}

// libMutexInit writes the word of a mutex, and its kind.
func libMutexInit(f *translate.Lowering, c *translate.Call) translate.Value {
	m := wordAt(f, c.Args[0])
	kind := attributes(f, c.Args[1])
	beginWord(f, m, ir.U64, ir.Int(0))
	if speaksOfKinds(f) {
		f.Mem.StoreWord(f.Mem.Offset(m, kindOffset), ir.S32, kind)
	}
	return zero()
}

func libMutexAttrInit(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Mem.StoreWord(wordAt(f, c.Args[0]), ir.S32, ir.Int(kindNormal))
	return zero()
}

func libMutexAttrType(f *translate.Lowering, c *translate.Call) translate.Value {
	to := wordAt(f, c.Args[0])
	to.Addr = f.Code.Save(translate.Integer(to.Addr, ir.U64)).Expr
	f.Code.Use(translate.Integer(f.Mem.LoadWord(to, ir.S32, ir.Plain), ir.S32))
	kind := f.Exprs.IntegerOperand(c.Args[1])
	switch v, ok := kind.Expr.IsConst(); {
	case ok && v == kindAdaptive: // a normal one that spins at first
		kind.Expr = ir.Int(kindNormal)
	case ok && (v < kindNormal || v > kindAdaptive):
		return translate.Integer(ir.Int(invalidArgument), ir.S32)
	case !ok:
		kind.Expr = f.Code.Keep(kind).Expr
		f.Code.OnlyIf(ir.Binary(ir.Le, ir.U64, kind.Expr, ir.Int(kindErrorCheck)), c.Args[1], translate.CodeArgument, "this kind of mutex is not supported")
	}
	f.Mem.StoreWord(to, ir.S32, kind.Expr)
	return zero()
}

func libMutexAttrGetType(f *translate.Lowering, c *translate.Call) translate.Value {
	from, to := wordAt(f, c.Args[0]), target(f, c.Args[1])
	f.Mem.Store(to, f.Arith.Convert(translate.Integer(f.Mem.LoadWord(from, ir.S32, ir.Plain), ir.S32), to.Type, c.Node), c.Node)
	return zero()
}

// libMutex is lock, trylock or unlock.
func libMutex(f *translate.Lowering, c *translate.Call) translate.Value {
	kind := map[string]ir.OpKind{
		"pthread_mutex_lock": ir.Lock, "pthread_mutex_trylock": ir.TryLock, "pthread_mutex_unlock": ir.Unlock,
	}[c.Name]
	return mutexOp(f, kind, f.Exprs.Accessed(c.Args[0]), c.Want)
}

// mutexOp locks or unlocks the mutex at an address; want says whether the result is
// used.
func mutexOp(f *translate.Lowering, kind ir.OpKind, at translate.Value, want bool) translate.Value {
	op := ir.NewOp(kind)
	op.Addr, op.Obj = at.Expr, at.Obj
	out := nothing()
	if want {
		op.Dst = f.Code.Temp()
		out = translate.Integer(ir.R(op.Dst), ir.S32)
	}
	if !speaksOfKinds(f) {
		op.Mutex.Kind = ir.NormalMutex
		f.Code.Emit(op)
		return out
	}
	op.Addr = f.Code.Save(translate.Integer(op.Addr, ir.U64)).Expr
	m := translate.Lvalue{Reg: ir.NoReg, Addr: op.Addr, Obj: op.Obj}
	read := translate.Access(ir.Load, f.Mem.Offset(m, kindOffset), ir.S32, ir.Plain)
	read.Dst = f.Code.Temp()
	f.Code.Emit(read)
	from, end := f.Code.Start(), f.Code.Label("")
	for k, mutex := range []ir.MutexKind{ir.NormalMutex, ir.RecursiveMutex, ir.ErrorCheckMutex, ir.NormalMutex} {
		at := f.Code.Label("")
		f.Code.Assume(from, ir.Binary(ir.Eq, ir.S32, ir.R(read.Dst), ir.Int(int64(k))), at)
		f.Code.At, f.Code.Fresh = at, false
		op.Mutex.Kind = mutex
		f.Code.Emit(op)
		f.Code.Jump(end)
	}
	other := f.Code.Label("")
	f.Code.Assume(from, ir.Binary(ir.Gt, ir.U32, ir.R(read.Dst), ir.Int(kindAdaptive)), other)
	f.Code.At, f.Code.Fresh = other, false
	bad := ir.NewOp(ir.Unsupported)
	bad.Report = ir.Report{Code: translate.CodeArgument, Msg: "this kind of mutex is not supported"}
	f.Code.Emit(bad)
	f.Code.At, f.Code.Fresh = end, false
	return out
}
