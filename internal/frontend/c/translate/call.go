package translate

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Calls: of functions with a body, of functions we model, through pointers.

func arguments(x *cc.PostfixExpression) []cc.ExpressionNode {
	var out []cc.ExpressionNode
	for l := x.ArgumentExpressionList; l != nil; l = l.ArgumentExpressionList {
		if l.AssignmentExpression != nil {
			out = append(out, l.AssignmentExpression)
		}
	}
	return out
}

// call translates a call; want says whether its result is used.
func (f *calls) call(x *cc.PostfixExpression, want bool) value {
	args := arguments(x)
	name := calledName(x)
	if d := variable(x.PostfixExpression); d == nil || d.Type().Kind() != cc.Function {
		if name != "" && d == nil {
			return f.external(name, args, x, want)
		}
		return f.callPointer(x, args, want)
	}
	d := variable(x.PostfixExpression)
	s := f.syms.find(f.unit, d)
	if s == nil || s.def == nil {
		return f.external(name, args, x, want)
	}
	t := s.decl.Type().(*cc.FunctionType)
	op := ir.NewOp(ir.Call)
	op.Args = f.callArgs(s.parameters(), t, args, x)
	op.Func = f.syms.function(s).ID
	noteDestructor(f.lowering, s, op.Args)
	section := strings.HasPrefix(name, "__VERIFIER_atomic_")
	if section {
		f.code.emit(ir.NewOp(ir.AtomicBegin))
	}
	v := f.finishCall(op, t, want, x)
	if section {
		f.code.emit(ir.NewOp(ir.AtomicEnd))
	}
	return v
}

// callArgs evaluates arguments and converts them to the types of the parameters.
func (f *calls) callArgs(params []cc.Type, t *cc.FunctionType, args []cc.ExpressionNode, x *cc.PostfixExpression) []*ir.Expr {
	if len(params) > len(args) || len(params) < len(args) && !t.IsVariadic() {
		f.in.refuse(codeArgument, x, "%d arguments for %d parameters", len(args), len(params))
	}
	var out []*ir.Expr
	if isStruct(t.Result()) {
		l, ok := f.vars.literals[x]
		if !ok {
			panic(refusal{})
		}
		out = append(out, l.addr)
	}
	if t.IsVariadic() {
		out = append(out, f.variableArgs(x, args[len(params):]))
	}
	for i, p := range params {
		out = append(out, f.lvals.argumentWords(args[i], p)...)
	}
	return out
}

func (f *calls) finishCall(op ir.Op, t *cc.FunctionType, want bool, x cc.Node) value {
	if isVoid(t.Result()) {
		f.code.emit(op)
		return value{void: true, obj: ir.NoObject}
	}
	if isStruct(t.Result()) {
		f.code.emit(op)
		return value{void: true, obj: ir.NoObject}
	}
	it := f.types.scalar(t.Result(), x)
	if !want {
		f.code.emit(op)
		return value{void: true, obj: ir.NoObject}
	}
	op.Dst = f.code.temp()
	f.code.emit(op)
	return value{e: ir.R(op.Dst), t: it, elem: elemOf(t.Result()), obj: ir.NoObject}
}

// callPointer calls through a pointer to a function.
func (f *calls) callPointer(x *cc.PostfixExpression, args []cc.ExpressionNode, want bool) value {
	v := f.exprs.operand(x.PostfixExpression)
	t, ok := v.elem.(*cc.FunctionType)
	if !ok {
		f.in.refuse(codeExpr, x, "this is not a function")
	}
	op := ir.NewOp(ir.Call)
	op.Val = v.e
	op.Args = f.callArgs(typesOf(t), t, args, x)
	if v.e.Op == ir.FuncAddr && f.syms.byID[v.e.Func].hasWords(f.compiler, len(op.Args)) { // *f or &f of a function we know
		op.Func, op.Val = v.e.Func, nil
	}
	return f.finishCall(op, t, want, x)
}

// external is a call of a function without a body.
func (f *calls) external(name string, args []cc.ExpressionNode, x *cc.PostfixExpression, want bool) value {
	if m, ok := f.library[name]; ok {
		if m.args >= 0 && m.args != len(args) {
			f.in.refuse(codeArgument, x, "%s takes %d arguments", name, m.args)
		}
		if _, plain := f.library[strings.TrimPrefix(name, builtinPrefix)]; plain {
			name = strings.TrimPrefix(name, builtinPrefix)
		}
		return m.lower(f.lowering, &libCall{name: name, args: args, node: x, want: want})
	}
	fence := slices.Contains(f.opt.ExternFence, name)
	if !fence && !slices.Contains(f.opt.ExternPure, name) {
		if why := refused[name]; why != "" {
			f.in.refuse(codeExtern, x, "%s is not supported: %s", name, why)
		}
		d := f.in.errorf(codeExtern, f.in.span(x), "%s has no body, and what it does is not known", name)
		d.Note("declare it with --extern-pure %s if it does nothing that matters, or with --extern-fence %s if it is a full fence", name, name)
		panic(refusal{})
	}
	for _, a := range args {
		f.exprs.effect(a)
	}
	if fence {
		f.mem.fullFence()
	}
	if want {
		f.in.refuse(codeResult, x, "the result of %s is used, and what it is is not known", name)
	}
	return value{void: true, obj: ir.NoObject}
}
