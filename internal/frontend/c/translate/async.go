package translate

import (
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Labels that start a thread: in the convention of CBMC the statement after
// __CPROVER_ASYNC_n: runs in a thread of its own.

const asyncPrefix = "__CPROVER_ASYNC_"

func isAsync(s *cc.LabeledStatement) bool {
	return s.Case == cc.LabeledStatementLabel && strings.HasPrefix(s.Token.SrcStr(), asyncPrefix)
}

// async starts the thread of a label. Only a call can stand after it, with
// arguments that read no memory: the thread would read it, not its parent.
func (f *Statements) async(s *cc.LabeledStatement) {
	f.begin(s)
	call := f.asyncCall(s)
	d := VariableOf(call.PostfixExpression)
	if d == nil || d.Type().Kind() != cc.Function {
		f.In.Refuse(codeStatement, s, "a label that starts a thread needs the call of a named function after it")
	}
	sym := f.Syms.Find(f.Unit, d)
	if sym == nil || sym.Def == nil {
		f.In.Refuse(CodeExtern, s, "%s has no body, and cannot run as a thread", d.Name())
	}
	f.Code.Here(f.gotoLabel(s.Token.SrcStr()))
	op := ir.NewOp(ir.Spawn)
	op.Args = f.asyncArgs(sym.Decl.Type().(*cc.FunctionType), call)
	op.Func = f.Syms.Function(sym).ID
	f.Code.Emit(op)
}

func (f *Statements) asyncCall(s *cc.LabeledStatement) *cc.PostfixExpression {
	if st := s.Statement; st != nil && st.Case == cc.StatementExpr && st.ExpressionStatement.ExpressionList != nil {
		if x, ok := Unparen(st.ExpressionStatement.ExpressionList).(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall {
			return x
		}
	}
	f.In.Refuse(codeStatement, s, "a label that starts a thread needs the call of a function after it")
	panic("BUG: unreachable")
}

// asyncArgs are the arguments of a thread: scalars, as many as there are parameters.
func (f *Statements) asyncArgs(t *cc.FunctionType, call *cc.PostfixExpression) []*ir.Expr {
	var params []cc.Type
	for _, p := range t.Parameters() {
		if !IsVoid(p.Type()) {
			params = append(params, p.Type())
		}
	}
	args := arguments(call)
	if len(args) != len(params) || t.IsVariadic() || inWords(t.Result()) {
		f.In.Refuse(CodeArgument, call, "a thread needs a function that takes exactly these %d arguments and returns no struct", len(args))
	}
	var out []*ir.Expr
	for i, a := range args {
		if !f.Exprs.pure(a) {
			f.In.Refuse(codeStatement, a, "the arguments of a call that starts a thread must not read memory")
		}
		f.Types.Scalar(params[i], a)
		out = append(out, f.Exprs.Convert(f.Exprs.Operand(a), params[i], a).Expr)
	}
	return out
}
