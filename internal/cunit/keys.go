package cunit

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// The ends of threads in programs that have keys (pthread_key_create, tss_create):
// before a thread ends it runs the destructors of its values, which library/keys.c
// does. Threads then start in a function around the program's own.

// destructors is the function that runs destructors; nil: the program has no keys.
func (c *compiler) destructors() *ir.FuncBuilder {
	if !c.mentioned["pthread_key_create"] && !c.mentioned["tss_create"] {
		return nil
	}
	s := c.linked["__fp_thread_end"]
	if s == nil || s.def == nil { // the program has keys of its own making
		return nil
	}
	return c.function(s)
}

// callOf is a call of a function without parameters.
func callOf(fb *ir.FuncBuilder) ir.Op {
	op := ir.NewOp(ir.Call)
	op.Func = fb.ID
	return op
}

// endsWithDestructors makes a new thread run destructors when it ends.
func (f *lowering) endsWithDestructors(spawn *ir.Op, at cc.Node) {
	end := f.destructors()
	if end == nil {
		return
	}
	if spawn.Func != ir.NoFunc {
		s := f.byID[spawn.Func]
		if f.wrapped[s] == nil {
			f.wrapped[s] = f.wrap(s.name, end, spawn.Func, at)
		}
		spawn.Func = f.wrapped[s].ID
		return
	}
	if f.wrapped[nil] == nil {
		f.wrapped[nil] = f.wrap("thread", end, ir.NoFunc, at)
	}
	spawn.Args = append([]*ir.Expr{spawn.Val}, spawn.Args...)
	spawn.Func, spawn.Val = f.wrapped[nil].ID, nil
}

// wrap makes a function that calls a start routine, the one given or the one its
// first parameter points to, and runs destructors.
func (c *compiler) wrap(name string, end *ir.FuncBuilder, routine ir.FuncID, at cc.Node) *ir.FuncBuilder {
	pos := c.span(at)
	fb := c.b.Func(name, pos)
	call := ir.NewOp(ir.Call)
	if call.Func = routine; routine == ir.NoFunc {
		call.Val = ir.R(fb.Param("start", pos))
	}
	call.Args = []*ir.Expr{ir.R(fb.Param("arg", pos))}
	call.Dst = fb.Reg("result", 0, pos)
	ret := ir.NewOp(ir.Return)
	ret.Val = ir.R(call.Dst)
	from := fb.Loc("", pos)
	fb.Entry(from)
	for _, op := range []ir.Op{call, callOf(end), ret} {
		to := fb.Loc("", pos)
		fb.Edge(from, op, to, pos)
		from = to
	}
	return fb
}
