package translate

import (
	"slices"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// The ends of threads in programs that have keys (pthread_key_create, tss_create):
// before a thread ends it runs the destructors of its values, which library/keys.c
// does. Threads then start in a function around the program's own.

// Which functions are destructors is known from the calls that make keys, where all
// of them name a function or none: ends of threads then lead to those and to no other
// function whose address is taken. Most of the others are start routines, which end
// threads themselves.

// threadEnd is the function of library/keys.c that runs destructors.
const threadEnd = "__fp_thread_end"

// keyEnds is what is known about destructors.
type keyEnds struct {
	funcs   []ir.FuncID // in the order of the text
	unknown bool        // there may be others
	runs    *symbol     // threadEnd, until it is translated: last of all
}

// makesKey reports whether a function makes keys.
func makesKey(s *symbol) bool {
	return (s.name == "pthread_key_create" || s.name == "tss_create") && s.unit != nil && isLibrary(s.unit.name)
}

// noteDestructor looks at the arguments of a call that may make a key.
func noteDestructor(f *lowering, callee *symbol, args []*ir.Expr) {
	if !makesKey(callee) || isLibrary(f.unit.name) || len(args) != 2 {
		return
	}
	null, known := args[1].IsConst()
	switch {
	case known && null == 0:
	case args[1].Op != ir.FuncAddr:
		f.keyEnds.unknown = true
	case !slices.Contains(f.keyEnds.funcs, args[1].Func):
		f.keyEnds.funcs = append(f.keyEnds.funcs, args[1].Func)
	}
}

// libDestroy calls a destructor.
func libDestroy(f *lowering, c *libCall) value {
	routine, arg := f.lvals.save(f.exprs.operand(c.args[0])), f.lvals.save(f.exprs.operand(c.args[1]))
	args := []*ir.Expr{arg.e}
	if destructorsUnknown(f.compiler) {
		callBack(f, routine, args, c.node)
		return nothing()
	}
	any := ir.Int(0)
	for i, d := range f.keyEnds.funcs {
		is := isFunction(f, routine, d)
		if any = ir.Binary(ir.LOr, ir.S64, any, is); i == 0 {
			any = is
		}
	}
	f.code.check(any, ir.BadAddress, "call through a pointer that is no destructor")
	from, end := f.code.start(), f.code.label("")
	for _, d := range f.keyEnds.funcs {
		at := f.code.label("")
		f.code.assume(from, isFunction(f, routine, d), at)
		f.code.at, f.code.fresh = at, false
		callBack(f, value{e: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: d}, t: ir.U64, obj: ir.NoObject}, args, c.node)
		f.code.jump(end)
	}
	f.code.at, f.code.fresh = end, false
	return nothing()
}

func isFunction(f *lowering, v value, d ir.FuncID) *ir.Expr {
	return ir.Binary(ir.Eq, ir.U64, v.e, &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: d})
}

// destructorsUnknown reports whether a key may be made elsewhere than in a call that
// was seen.
func destructorsUnknown(c *compiler) bool {
	for _, name := range []string{"pthread_key_create", "tss_create"} {
		if s := c.syms.linked[name]; s != nil && s.fb != nil && s.fb.F.Pointer {
			return true
		}
	}
	return c.keyEnds.unknown
}

// startRoutine is a function that is given to one we model. The name of a function needs
// no pointer: calls through pointers do not lead to it for that.
func startRoutine(f *lowering, e cc.ExpressionNode) value {
	at := unparen(e)
	for x, ok := at.(*cc.CastExpression); ok && x.Case == cc.CastExpressionCast; x, ok = at.(*cc.CastExpression) {
		at = unparen(x.CastExpression)
	}
	if a := addressed(at); a != nil {
		at = unparen(a.CastExpression)
	}
	d := variable(at)
	if d == nil || d.Type().Kind() != cc.Function {
		return f.exprs.operand(e)
	}
	s := f.syms.find(f.unit, d)
	if s == nil || s.def == nil {
		return f.exprs.operand(e) // refused there
	}
	return value{e: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: f.syms.function(s).ID}, t: ir.U64, elem: s.decl.Type(), obj: ir.NoObject}
}

// destructors is the function that runs destructors; nil: the program has no keys.
func destructors(c *compiler) *ir.FuncBuilder {
	if !c.syms.mentioned["pthread_key_create"] && !c.syms.mentioned["tss_create"] {
		return nil
	}
	s := c.syms.linked[threadEnd]
	if s == nil || s.def == nil { // the program has keys of its own making
		return nil
	}
	return c.syms.function(s)
}

// callOf is a call of a function without parameters.
func callOf(fb *ir.FuncBuilder) ir.Op {
	op := ir.NewOp(ir.Call)
	op.Func = fb.ID
	return op
}

// endsWithDestructors makes a new thread run destructors when it ends.
func endsWithDestructors(f *lowering, spawn *ir.Op, at cc.Node) {
	end := destructors(f.compiler)
	if end == nil {
		return
	}
	if spawn.Func != ir.NoFunc {
		s := f.syms.byID[spawn.Func]
		if f.wrapped[s] == nil {
			f.wrapped[s] = wrapThread(f.compiler, s.name, end, spawn.Func, at)
		}
		spawn.Func = f.wrapped[s].ID
		return
	}
	if f.wrapped[nil] == nil {
		f.wrapped[nil] = wrapThread(f.compiler, "thread", end, ir.NoFunc, at)
	}
	spawn.Args = append([]*ir.Expr{spawn.Val}, spawn.Args...)
	spawn.Func, spawn.Val = f.wrapped[nil].ID, nil
}

// wrapThread makes a function that calls a start routine, the one given or the one its
// first parameter points to, and runs destructors.
func wrapThread(c *compiler, name string, end *ir.FuncBuilder, routine ir.FuncID, at cc.Node) *ir.FuncBuilder {
	pos := c.in.span(at)
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
