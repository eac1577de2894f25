package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Clocks. Nothing here takes time, and no clock goes on by itself. What programs do with a
// time is to compare it with another one: so each time that a clock is read it shows
// either its first time, which is 0, or a time so late that every limit has passed.
// Both outcomes of a comparison with a limit are thus possible, in any order.

// late is the later of the two times.
const late = 1 << 40

// anyTime is a time: 0 or late.
func anyTime(f *translate.Lowering, c *translate.Call) *ir.Expr {
	if !read.IsLibrary(f.Unit.Name) { // a function of ours warns where it is called
		translate.WarnClock(f, c.Node)
	}
	op := ir.NewOp(ir.Havoc)
	op.Dst, op.HasRange, op.Lo, op.Hi = f.Code.Temp(), true, 0, 1
	f.Code.Emit(op)
	return ir.Binary(ir.Mul, ir.S64, ir.R(op.Dst), ir.Int(late))
}

// libClock stores a time in seconds and nanoseconds.
func libClock(f *translate.Lowering, c *translate.Call) translate.Value {
	at := 1
	if c.Name == "timespec_get" {
		at = 0
	}
	f.Exprs.Effect(c.Args[1-at])
	to := wordAt(f, c.Args[at])
	to.Addr = f.Lvals.Save(translate.Integer(to.Addr, ir.U64)).Expr
	f.Mem.StoreWord(to, ir.S64, anyTime(f, c))
	f.Mem.StoreWord(f.Mem.Offset(to, 8), ir.S64, ir.Int(0))
	if at == 0 { // timespec_get returns its base
		return translate.Integer(ir.Int(1), ir.S32)
	}
	return zero()
}

// libTime returns a time.
func libTime(f *translate.Lowering, c *translate.Call) translate.Value {
	return translate.Integer(anyTime(f, c), ir.U64)
}

// libEnvironment is getenv: no variable is set.
func libEnvironment(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Exprs.Effect(c.Args[0])
	f.In.Warnf(translate.CodeEnv, f.In.Span(c.Node), "the environment is empty here, so %s returns a null pointer", c.Name)
	return translate.Value{Expr: ir.Int(0), Type: ir.U64, Elem: f.Unit.Ast.Char, Obj: ir.NoObject}
}

// libPoll sleeps: without files, poll waits for the time only.
func libPoll(f *translate.Lowering, c *translate.Call) translate.Value {
	n := f.Exprs.Operand(c.Args[1])
	if v, ok := f.Data.Constant(n.Expr); !ok || v != 0 {
		f.In.Refuse(translate.CodeArgument, c.Args[1], "%s is supported without files only", c.Name)
	}
	f.Exprs.Effect(c.Args[0])
	for _, a := range c.Args[2:] {
		f.Exprs.Effect(a)
	}
	return zero()
}
