package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// System calls by number. They are the numbers of Linux on x86-64. futex is written in C,
// in source/futex.c.

const (
	sysSchedYield = 24
	sysGetpid     = 39
	sysGettid     = 186
	sysFutex      = 202
	sysMembarrier = 324
)

// processID is the number of the process, as getpid in source/system.c has it.
const processID = 1000

// inheritsPriority has the operations of futex that are refused.
var inheritsPriority = map[int64]string{6: "FUTEX_LOCK_PI", 7: "FUTEX_UNLOCK_PI", 8: "FUTEX_TRYLOCK_PI", 11: "FUTEX_WAIT_REQUEUE_PI", 12: "FUTEX_CMP_REQUEUE_PI", 13: "FUTEX_LOCK_PI2"}

// libSyscall makes the system call that its first argument names.
func libSyscall(f *translate.Lowering, c *translate.Call) translate.Value {
	if len(c.Args) == 0 {
		f.In.Refuse(translate.CodeArgument, c.Node, "syscall needs a number")
	}
	given := f.Exprs.Operand(c.Args[0])
	number, ok := f.Data.Constant(given.Expr)
	if !ok {
		return callByNumber(f, c, given)
	}
	rest := &translate.Call{Name: c.Name, Args: c.Args[1:], Node: c.Node, Want: c.Want}
	switch number {
	case sysFutex:
		return libFutex(f, rest)
	case sysMembarrier:
		return callInC(f, "__fp_membarrier", rest, ir.S32)
	case sysSchedYield:
		return translate.Integer(ir.Int(0), ir.S64)
	case sysGetpid:
		return translate.Integer(ir.Int(processID), ir.S64)
	case sysGettid:
		return translate.Integer(kernelID(), ir.S64)
	}
	f.In.Refuse(translate.CodeExtern, c.Args[0], "system call %d is not supported", number)
	return nothing()
}

// callByNumber makes a system call whose number is known when the program runs.
func callByNumber(f *translate.Lowering, c *translate.Call, number translate.Value) translate.Value {
	const name = "__fp_syscall"
	s := f.Syms.InLibrary(name)
	if s == nil {
		panic("BUG: " + name + " has no body")
	}
	if len(c.Args) > 7 {
		f.In.Reject(translate.CodeArgument, c.Node, "a system call takes at most six arguments")
	}
	op := callOf(f.Syms.Function(s))
	op.Call.Args = append(op.Call.Args, f.Code.Save(number).Expr)
	for _, a := range c.Args[1:] {
		op.Call.Args = append(op.Call.Args, f.Code.Save(f.Exprs.Operand(a)).Expr)
	}
	for len(op.Call.Args) < 7 {
		op.Call.Args = append(op.Call.Args, ir.Int(0))
	}
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return translate.Integer(ir.R(op.Dst), ir.S64)
}

// libFutex calls the function in C with the arguments that are given, and 0 for others.
func libFutex(f *translate.Lowering, c *translate.Call) translate.Value {
	s := f.Syms.InLibrary("__fp_futex")
	if s == nil {
		panic("BUG: futex has no body")
	}
	if len(c.Args) < 2 || len(c.Args) > 6 {
		f.In.Refuse(translate.CodeArgument, c.Node, "futex takes two to six arguments")
	}
	op := callOf(f.Syms.Function(s))
	types := []ir.Type{ir.U64, ir.S32, ir.S32, ir.U64, ir.U64, ir.U32}
	for i, t := range types {
		if i >= len(c.Args) {
			op.Call.Args = append(op.Call.Args, ir.Int(0))
			continue
		}
		v := f.Code.Save(f.Exprs.Operand(c.Args[i]))
		if n, known := f.Data.Constant(v.Expr); i == 1 && known && inheritsPriority[n&127] != "" {
			f.In.Refuse(translate.CodeArgument, c.Args[i], "%s is not supported: priorities are not modelled", inheritsPriority[n&127])
		}
		op.Call.Args = append(op.Call.Args, translate.Cast(v.Expr, v.Type, t))
	}
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return translate.Integer(ir.R(op.Dst), ir.S64)
}

// callInC calls a function of source/ with its first arguments, which have the given types.
func callInC(f *translate.Lowering, name string, c *translate.Call, types ...ir.Type) translate.Value {
	s := f.Syms.InLibrary(name)
	if s == nil {
		panic("BUG: " + name + " has no body")
	}
	if len(c.Args) < len(types) {
		f.In.Refuse(translate.CodeArgument, c.Node, "this system call takes %d arguments or more", len(types))
	}
	op := callOf(f.Syms.Function(s))
	for i, a := range c.Args {
		if i >= len(types) {
			f.Exprs.Effect(a)
			continue
		}
		v := f.Code.Save(f.Exprs.Operand(a))
		op.Call.Args = append(op.Call.Args, translate.Cast(v.Expr, v.Type, types[i]))
	}
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return translate.Integer(ir.R(op.Dst), ir.S64)
}

// libGlobalFence waits until the store buffers of all threads are empty.
func libGlobalFence(f *translate.Lowering, _ *translate.Call) translate.Value {
	op := ir.NewOp(ir.Fence)
	op.Fence, op.Sync.Order = ir.GlobalFence, ir.SeqCst
	f.Code.Emit(op)
	return nothing()
}

// notModelled has what functions in C call where they need more than is modelled, and why.
var notModelled = map[string]string{
	"__fp_futex_full":         "more than seven threads wait in futex",
	"__fp_futex_pi":           "operations of futex with priorities are not modelled",
	"__fp_no_system_call":     "this system call is not supported",
	"__fp_format_unsupported": "this conversion of a format is not supported: integers, characters, strings and pointers are",
	"__fp_format_unknown":     "which arguments this call reads is not known, because its format is no constant",
}

// libNotModelled ends an execution.
func libNotModelled(f *translate.Lowering, c *translate.Call) translate.Value {
	op := ir.NewOp(ir.Unsupported)
	op.Report = ir.Report{Code: translate.CodeExtern, Msg: notModelled[c.Name]}
	f.Code.Emit(op)
	f.Code.At, f.Code.Fresh = translate.Nowhere, false
	return nothing()
}
