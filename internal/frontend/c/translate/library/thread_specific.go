package library

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// The ends of threads in programs that have keys (pthread_key_create, tss_create):
// before a thread ends it runs the destructors of its values, which library/keys.c
// does. Threads then start in a function around the program's own.

// Which functions are destructors is known from the calls that make keys, where all
// of them name a function or none: ends of threads then lead to those and to no other
// function whose address is taken. Most of the others are start routines, which end
// threads themselves.

// libDestroy calls a destructor.
func libDestroy(f *translate.Lowering, c *translate.Call) translate.Value {
	routine, arg := f.Code.Save(f.Exprs.Operand(c.Args[0])), f.Code.Save(f.Exprs.Operand(c.Args[1]))
	args := []*ir.Expr{arg.Expr}
	if destructorsUnknown(f) {
		callBack(f, routine, args, c.Node)
		return nothing()
	}
	any := ir.Int(0)
	for i, d := range f.Ends.Funcs {
		is := isFunction(f, routine, d)
		if any = ir.Binary(ir.LOr, ir.S64, any, is); i == 0 {
			any = is
		}
	}
	f.Code.Check(any, ir.BadAddress, "call through a pointer that is no destructor")
	from, end := f.Code.Start(), f.Code.Label("")
	for _, d := range f.Ends.Funcs {
		at := f.Code.Label("")
		f.Code.Assume(from, isFunction(f, routine, d), at)
		f.Code.At, f.Code.Fresh = at, false
		callBack(f, translate.Value{Expr: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: d}, Type: ir.U64, Obj: ir.NoObject}, args, c.Node)
		f.Code.Jump(end)
	}
	f.Code.At, f.Code.Fresh = end, false
	return nothing()
}

func isFunction(f *translate.Lowering, v translate.Value, d ir.FuncID) *ir.Expr {
	return ir.Binary(ir.Eq, ir.U64, v.Expr, &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: d})
}

// destructorsUnknown reports whether a key may be made elsewhere than in a call that
// was seen.
func destructorsUnknown(f *translate.Lowering) bool {
	for _, name := range []string{"pthread_key_create", "tss_create"} {
		if s := f.Syms.InLibrary(name); s != nil && s.Fb != nil && s.Fb.F.Pointer {
			return true
		}
	}
	return f.Ends.Unknown
}

// startRoutine is a function that is given to one we model. The name of a function needs
// no pointer: calls through pointers do not lead to it for that.
func startRoutine(f *translate.Lowering, e *parse.Expr) translate.Value {
	at := e.Bare()
	for at.Op == parse.Convert {
		at = at.A.Bare()
	}
	if a := translate.Addressed(at); a != nil {
		at = a.A
	}
	d := translate.VariableOf(at)
	if d == nil || d.Kind != parse.Function {
		return f.Exprs.Operand(e)
	}
	s := f.Syms.Find(f.Unit, d)
	if s == nil || s.Def == nil {
		return f.Exprs.Operand(e) // refused there
	}
	return translate.Value{Expr: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.Syms.Function(s).ID}, Type: ir.U64, Elem: s.Decl.Type, Obj: ir.NoObject}
}

// destructors is the function that runs destructors; nil: the program has no keys.
func destructors(f *translate.Lowering) *ir.FuncBuilder {
	if !f.Syms.Names.Mentioned["pthread_key_create"] && !f.Syms.Names.Mentioned["tss_create"] {
		return nil
	}
	s := f.Syms.InLibrary(translate.ThreadEnd)
	if s == nil { // the program has keys of its own making
		return nil
	}
	return f.Syms.Function(s)
}

// cleanups is the function that runs the cleanup handlers of a thread; nil: the program has none.
func cleanups(f *translate.Lowering) *ir.FuncBuilder {
	s := f.Syms.InLibrary("__fp_cleanup_all")
	if s == nil || !f.Syms.Names.Mentioned["__fp_cleanup_push"] {
		return nil
	}
	return f.Syms.Function(s)
}

// callOf is a call of a function without parameters.
func callOf(fb *ir.FuncBuilder) ir.Op {
	op := ir.NewOp(ir.Call)
	op.Call.Func = fb.ID
	return op
}

// endsWithDestructors makes a new thread run destructors when it ends.
func endsWithDestructors(f *translate.Lowering, spawn *ir.Op, at parse.Node) {
	end := destructors(f)
	if end == nil {
		return
	}
	if spawn.Call.Func != ir.NoFunc {
		s := f.Syms.ByID[spawn.Call.Func]
		if f.Ends.Wrapped[s] == nil {
			f.Ends.Wrapped[s] = wrapThread(f, s.Name, end, spawn.Call.Func, at)
		}
		spawn.Call.Func = f.Ends.Wrapped[s].ID
		return
	}
	if f.Ends.Wrapped[nil] == nil {
		f.Ends.Wrapped[nil] = wrapThread(f, "thread", end, ir.NoFunc, at)
	}
	spawn.Call.Args = append([]*ir.Expr{spawn.Val}, spawn.Call.Args...)
	spawn.Call.Func, spawn.Val = f.Ends.Wrapped[nil].ID, nil
}

// wrapThread makes a function that calls a start routine, the one given or the one its
// first parameter points to, and runs destructors.
func wrapThread(c *translate.Lowering, name string, end *ir.FuncBuilder, routine ir.FuncID, at parse.Node) *ir.FuncBuilder {
	pos := c.In.Span(at)
	fb := c.B.Func(name, pos)
	call := ir.NewOp(ir.Call)
	if call.Call.Func = routine; routine == ir.NoFunc {
		call.Val = ir.R(fb.Param("start", pos))
	}
	call.Call.Args = []*ir.Expr{ir.R(fb.Param("arg", pos))}
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
