package library

import (
	"math"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/types"
)

// Functions that read a clock (translate/clock.go), the environment, and functions that wait for time
// to pass.

// libClock stores a time in seconds and parts of a second.
func libClock(f *translate.Lowering, c *translate.Call) translate.Value {
	at, parts := 0, int64(1e9)
	switch c.Name {
	case "clock_gettime":
		at = 1
	case "gettimeofday":
		parts = 1e6
	}
	f.Exprs.Effect(c.Args[1-at])
	to := wordAt(f, c.Args[at])
	to.Addr = f.Code.Save(translate.Integer(to.Addr, ir.U64)).Expr
	f.Mem.StoreWord(to, ir.S64, f.Code.AnyTime(c.Node, math.MaxInt64))
	part := ir.Int(0)
	if f.Opt.Inputs() != nil {
		part = f.Code.AnyTime(c.Node, parts-1)
	}
	f.Mem.StoreWord(f.Mem.Offset(to, 8), ir.S64, part)
	if c.Name == "timespec_get" { // returns its base
		return translate.Integer(ir.Int(1), ir.S32)
	}
	return zero()
}

// libTicks is a clock that returns a number.
func libTicks(f *translate.Lowering, c *translate.Call) translate.Value {
	t := ir.S64
	if c.Name == "__fp_clock" {
		t = ir.U64
	}
	return translate.Integer(f.Code.AnyTime(c.Node, math.MaxInt64), t)
}

// libTime is time, which returns a time and also stores it, unless the address is null.
func libTime(f *translate.Lowering, c *translate.Call) translate.Value {
	to := wordAt(f, c.Args[0])
	t := f.Code.Keep(translate.Integer(f.Code.AnyTime(c.Node, math.MaxInt64), ir.S64))
	if v, ok := to.Addr.IsConst(); ok && v == 0 {
		return t
	}
	to.Addr = f.Code.Save(translate.Integer(to.Addr, ir.U64)).Expr
	unlessNull(f, c.Args[0], to.Addr, func() { f.Mem.StoreWord(to, ir.S64, t.Expr) })
	return t
}

// libEnvironment is getenv: no variable is set.
func libEnvironment(f *translate.Lowering, c *translate.Call) translate.Value {
	f.Exprs.Effect(c.Args[0])
	f.In.Warnf(translate.CodeEnv, f.In.Span(c.Node), "the environment is empty here, so %s returns a null pointer", c.Name)
	return translate.Value{Expr: ir.Int(0), Type: ir.U64, Elem: types.Of(types.Char), Obj: ir.NoObject}
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
