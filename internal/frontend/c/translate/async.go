package translate

import (
	"strings"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Labels that start a thread: in the convention of CBMC the statement after
// __CPROVER_ASYNC_n: runs in a thread of its own.

const asyncPrefix = "__CPROVER_ASYNC_"

func isAsync(l *parse.Label) bool { return strings.HasPrefix(l.Text, asyncPrefix) }

// async starts the thread of a label. Only a call can stand after it, with
// arguments that read no memory: the thread would read it, not its parent.
func (f *Statements) async(s *parse.Stmt) {
	f.Code.begin(s)
	call := f.asyncCall(s)
	d := VariableOf(call.A)
	if d == nil || d.Kind != parse.Function {
		f.In.Refuse(codeStatement, s, "a label that starts a thread needs the call of a named function after it")
	}
	sym := f.Syms.Find(f.Unit, d)
	if sym == nil || sym.Def == nil {
		f.In.Refuse(CodeExtern, s, "%s has no body, and cannot run as a thread", d.Text)
	}
	f.Code.Here(f.gotoLabel(s.Label))
	op := ir.NewOp(ir.Spawn)
	op.Call.Args = f.asyncArgs(sym, call)
	op.Call.Func = f.Syms.Function(sym).ID
	f.Code.Emit(op)
}

func (f *Statements) asyncCall(s *parse.Stmt) *parse.Expr {
	if st := s.Then; st != nil && st.Kind == parse.ExprStmt && st.Expr.Op == parse.Call {
		return st.Expr
	}
	f.In.Refuse(codeStatement, s, "a label that starts a thread needs the call of a function after it")
	panic("BUG: unreachable")
}

// asyncArgs are the arguments of a thread: scalars, as many as there are parameters.
func (f *Statements) asyncArgs(s *symbol, call *parse.Expr) []*ir.Expr {
	params, args, t := s.parameters(), call.Args, s.Decl.Type
	if len(args) != len(params) || t.Variadic || inWords(t.Elem) {
		f.In.Refuse(CodeArgument, call, "a thread needs a function that takes exactly these %d arguments and returns no struct", len(args))
	}
	var out []*ir.Expr
	for i, a := range args {
		if !f.Exprs.pure(a) {
			f.In.Refuse(codeStatement, a, "the arguments of a call that starts a thread must not read memory")
		}
		f.Types.Scalar(params[i], a)
		out = append(out, f.Arith.Convert(f.Exprs.Operand(a), params[i], a).Expr)
	}
	return out
}
