package translate

import (
	"slices"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Calls: of functions with a body, of functions we model, through pointers.

// call translates a call; want says whether its result is used.
func (f *Calls) call(x *parse.Expr, want bool) Value {
	args := x.Args
	d := VariableOf(x.A)
	if x.Op == parse.Builtin {
		v := f.external(d.Text, args, x, want)
		if v.Void || IsStruct(x.Type) {
			return v
		}
		return f.Arith.Convert(v, x.Type, x)
	}
	if d == nil || d.Kind != parse.Function {
		return f.callPointer(x, args, want)
	}
	s := f.Syms.Find(f.Unit, d)
	if s == nil || s.Def == nil {
		return f.external(d.Text, args, x, want)
	}
	t := s.Decl.Type
	op := ir.NewOp(ir.Call)
	op.Call.Args = f.callArgs(s.parameters(), t, args, x)
	op.Call.Func = f.Syms.Function(s).ID
	f.noteDestructor(s, op.Call.Args)
	section := strings.HasPrefix(d.Text, "__VERIFIER_atomic_")
	if section {
		f.Code.Emit(ir.NewOp(ir.AtomicBegin))
	}
	v := f.finishCall(op, t, want, x)
	if section {
		f.Code.Emit(ir.NewOp(ir.AtomicEnd))
	}
	return v
}

// callArgs evaluates arguments and converts them to the types of the parameters.
func (f *Calls) callArgs(params []*types.Type, t *types.Type, args []*parse.Expr, x *parse.Expr) []*ir.Expr {
	switch {
	case len(args) < len(params) && t.OldStyle:
		f.In.Refuse(CodeArgument, x, "%d arguments for %d parameters", len(args), len(params))
	case len(args) < len(params) || len(args) > len(params) && !t.Variadic && !t.OldStyle:
		f.In.Reject(CodeArgument, x, "%d arguments for %d parameters", len(args), len(params))
	}
	var out []*ir.Expr
	if inWords(t.Elem) {
		l, ok := f.Vars.literals[x]
		if !ok {
			f.Vars.missing(x)
		}
		out = append(out, l.Addr)
	}
	if t.Variadic {
		out = append(out, f.variableArgs(x, args[len(params):]))
	}
	for i, p := range params {
		out = append(out, f.Lvals.argumentWords(args[i], p)...)
	}
	if !t.Variadic { // a function without a prototype does not see further arguments
		for _, a := range args[len(params):] {
			f.Exprs.Effect(a)
		}
	}
	return out
}

func (f *Calls) finishCall(op ir.Op, t *types.Type, want bool, x *parse.Expr) Value {
	if IsVoid(t.Elem) {
		f.Code.Emit(op)
		return Value{Void: true, Obj: ir.NoObject}
	}
	if IsStruct(t.Elem) {
		f.Code.Emit(op)
		return Value{Void: true, Obj: ir.NoObject}
	}
	if wide, ok := WideType(t.Elem); ok {
		f.Code.Emit(op)
		if !want {
			return Value{Void: true, Obj: ir.NoObject}
		}
		return f.Mem.loadPair(f.Vars.literals[x], wide)
	}
	it := f.Types.Scalar(t.Elem, x)
	if !want {
		f.Code.Emit(op)
		return Value{Void: true, Obj: ir.NoObject}
	}
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return Value{Expr: ir.R(op.Dst), Type: it, Elem: ElemOf(t.Elem), Obj: ir.NoObject}
}

// callPointer calls through a pointer to a function.
func (f *Calls) callPointer(x *parse.Expr, args []*parse.Expr, want bool) Value {
	v := f.Exprs.Operand(x.A)
	t := v.Elem
	if t == nil || t.Kind != types.Function {
		f.In.Reject(CodeExpr, x, "this is not a function")
	}
	op := ir.NewOp(ir.Call)
	op.Val = v.Expr
	op.Call.Args = f.callArgs(pointerParams(t, args), t, args, x)
	if v.Expr.Op == ir.FuncAddr && f.Syms.ByID[v.Expr.Func].HasWords(len(op.Call.Args)) { // *f or &f of a function we know
		op.Call.Func, op.Val = v.Expr.Func, nil
	} else {
		op.Call.Type = functionType(t)
	}
	return f.finishCall(op, t, want, x)
}

// pointerParams returns the types of the parameters of a call through a pointer. Without a prototype the types
// of the arguments count.
func pointerParams(t *types.Type, args []*parse.Expr) []*types.Type {
	if !t.OldStyle {
		return t.Params
	}
	var out []*types.Type
	for _, a := range args {
		out = append(out, a.Type)
	}
	return out
}

// plainArguments are the arguments of a function of the library, without the conversions of pointers that
// the program does not write: what a pointer points to matters.
func plainArguments(args []*parse.Expr) []*parse.Expr {
	out := slices.Clone(args)
	for i, e := range out {
		for e.Op == parse.Convert && e.Implicit && e.Type.Kind == types.Pointer && e.A.Type.Kind == types.Pointer {
			e = e.A
		}
		out[i] = e
	}
	return out
}

// external is a call of a function without a body.
func (f *Calls) external(name string, args []*parse.Expr, x *parse.Expr, want bool) Value {
	if m, ok := f.library.Functions[name]; ok {
		if m.Args >= 0 && m.Args != len(args) {
			f.In.Reject(CodeArgument, x, "%s takes %d arguments", name, m.Args)
		}
		args = plainArguments(args)
		f.checkSyncObject(name, args)
		if _, plain := f.library.Functions[strings.TrimPrefix(name, BuiltinPrefix)]; plain {
			name = strings.TrimPrefix(name, BuiltinPrefix)
		}
		return m.Lower(f.whole, &Call{Name: name, Args: args, Node: x, Want: want})
	}
	if s := f.Syms.builtin(name); s != nil {
		t := s.Decl.Type
		op := ir.NewOp(ir.Call)
		op.Call.Args, op.Call.Func = f.callArgs(s.parameters(), t, args, x), f.Syms.Function(s).ID
		return f.finishCall(op, t, want, x)
	}
	fence := slices.Contains(f.Opt.ExternFence, name)
	if !fence && !slices.Contains(f.Opt.ExternPure, name) {
		if why := refused[name]; why != "" {
			f.In.Refuse(CodeExtern, x, "%s is not supported: %s", name, why)
		}
		r := f.In.NotSupported(CodeExtern, f.In.Span(x), "%s has no body, and what it does is not known", name)
		r.Diag.Note("also give the file that defines it, or declare it with --extern-pure %s if it does nothing that matters, or with --extern-fence %s if it is a full fence", name, name)
		panic(r)
	}
	for _, a := range args {
		f.Exprs.Effect(a)
	}
	if fence {
		f.Mem.FullFence()
	}
	if want {
		f.In.Refuse(CodeResult, x, "the result of %s is used, but it is not known", name)
	}
	return Value{Void: true, Obj: ir.NoObject}
}
