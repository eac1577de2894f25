package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// GNU C: statement expressions, and conditionals without their middle.

// statementValue is the value of ({ ... }): that of the last statement, if it is an
// expression.
func (f *Expressions) statementValue(x *parse.Expr) Value {
	height := len(f.Code.cleanups)
	v := f.lastValue(x)
	f.stmts.leaveScope(height)
	return v
}

// lastValue runs the statements of a statement expression and returns the value of the last one.
func (f *Expressions) lastValue(x *parse.Expr) Value {
	last := f.statementsBefore(x)
	if last == nil {
		return Value{Void: true, Obj: ir.NoObject}
	}
	if IsVoid(last.Type) {
		f.Effect(last)
		return Value{Void: true, Obj: ir.NoObject}
	}
	return f.Code.Keep(f.anyOperand(last))
}

// statementLvalue is where the struct lies that ({ ... }) gives.
func (f *Expressions) statementLvalue(x *parse.Expr) Lvalue {
	height := len(f.Code.cleanups)
	last := f.statementsBefore(x)
	if len(f.Code.cleanups) > height {
		f.In.Refuse(codeAttribute, x, "the attribute cleanup is not supported here, in an expression whose value is a struct")
	}
	if last == nil || !IsStruct(last.Type) {
		f.In.Refuse(CodeExpr, x, "this is not an object in memory")
	}
	return f.Lvals.designated(last)
}

// statementsBefore runs all statements of a statement expression but the last, if
// that is an expression. The temporaries of the expression around stay in use.
func (f *Expressions) statementsBefore(x *parse.Expr) *parse.Expr {
	if f.Code.static {
		f.In.Refuse(codeInit, x, "the initialiser is not constant")
	}
	pos, floor := f.Code.Pos, f.Code.floor
	f.Code.floor = f.Code.inUse
	defer func() { f.Code.Pos, f.Code.floor = pos, floor }()
	list := x.Body.List
	for i, s := range list {
		if e := lastExpression(s); i == len(list)-1 && e != nil {
			for ; s.Kind == parse.LabelStmt; s = s.Then {
				f.Code.Here(f.stmts.gotoLabel(s.Label))
			}
			return e
		}
		f.stmts.item(s)
	}
	return nil
}

// lastExpression returns the expression that a statement is, perhaps after labels, or nil.
func lastExpression(s *parse.Stmt) *parse.Expr {
	for s.Kind == parse.LabelStmt && !isAsync(s.Label) {
		s = s.Then
	}
	if s.Kind != parse.ExprStmt {
		return nil
	}
	return s.Expr
}

// orElse is x ?: y: x, if that is not zero.
func (f *Expressions) orElse(x *parse.Expr) Value {
	if t, ok := WideType(x.Type); ok {
		return f.orElseWide(x, t)
	}
	if IsVoid(x.Type) {
		f.either(x.A, func() {}, func() { f.Effect(x.C) })
		return Value{Void: true, Obj: ir.NoObject}
	}
	a := f.Operand(x.A)
	if f.Code.static {
		return f.chosen(ir.Conditional(TruthOf(a), f.Arith.Convert(a, x.Type, x).Expr, f.arm(x.C, x)), x)
	}
	r := f.Code.Temp()
	otherwise, end := f.Code.Label(""), f.Code.Label("")
	a = f.Arith.Convert(a, x.Type, x) // what is not zero stays so
	f.Code.Assign(r, a.Expr)
	from := f.Code.Start()
	kept := a
	kept.Expr = ir.R(r)
	f.Code.Assume(from, TruthOf(kept), end)
	f.Code.Assume(from, ir.Negate(TruthOf(kept)), otherwise)
	f.Code.At, f.Code.Fresh = otherwise, false
	f.Code.attempt(func() { f.Code.Assign(r, f.arm(x.C, x)) })
	f.Code.Here(end)
	return f.chosen(ir.R(r), x)
}
