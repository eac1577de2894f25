package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// GNU C: statement expressions, and conditionals without their middle.

// statementValue is the value of ({ ... }): that of the last statement, if it is an
// expression.
func (f *Expressions) statementValue(x *cc.PrimaryExpression) Value {
	height := len(f.stmts.cleanups)
	v := f.lastValue(x)
	f.stmts.leaveScope(height)
	return v
}

// lastValue runs the statements of a statement expression and returns the value of the last one.
func (f *Expressions) lastValue(x *cc.PrimaryExpression) Value {
	last := f.statementsBefore(x)
	if last == nil {
		return Value{Void: true, Obj: ir.NoObject}
	}
	if IsVoid(last.Type()) {
		f.Effect(last)
		return Value{Void: true, Obj: ir.NoObject}
	}
	return f.Code.Keep(f.anyOperand(last))
}

// statementLvalue is where the struct lies that ({ ... }) gives.
func (f *Expressions) statementLvalue(x *cc.PrimaryExpression) Lvalue {
	height := len(f.stmts.cleanups)
	last := f.statementsBefore(x)
	if len(f.stmts.cleanups) > height {
		f.In.Refuse(codeAttribute, x, "the attribute cleanup is not supported here, in an expression whose value is a struct")
	}
	if last == nil || !IsStruct(last.Type()) {
		f.In.Refuse(CodeExpr, x, "this is not an object in memory")
	}
	return f.Lvals.designated(last)
}

// statementsBefore runs all statements of a statement expression but the last, if
// that is an expression. The temporaries of the expression around stay in use.
func (f *Expressions) statementsBefore(x *cc.PrimaryExpression) cc.ExpressionNode {
	if f.Code.static {
		f.In.Refuse(codeInit, x, "the initialiser is not constant")
	}
	pos, floor := f.Code.Pos, f.Code.floor
	f.Code.floor = f.Code.inUse
	defer func() { f.Code.Pos, f.Code.floor = pos, floor }()
	for l := x.CompoundStatement.BlockItemList; l != nil; l = l.BlockItemList {
		item := l.BlockItem
		if l.BlockItemList == nil && item.Case == cc.BlockItemStmt && item.Statement.Case == cc.StatementExpr {
			if e := item.Statement.ExpressionStatement.ExpressionList; e != nil {
				return e
			}
		}
		f.stmts.blockItem(item)
	}
	return nil
}

// orElse is x ?: y: x, if that is not zero.
func (f *Expressions) orElse(x *cc.ConditionalExpression) Value {
	if t, ok := WideType(x.Type()); ok {
		return f.pairs.orElseWide(x, t)
	}
	a := f.arm(f.Operand(x.LogicalOrExpression), x)
	if f.Code.static {
		b := f.Operand(x.ConditionalExpression)
		a, b = f.unify(a, b, x)
		return Value{Expr: ir.Conditional(TruthOf(a), a.Expr, b.Expr), Type: a.Type, Elem: a.Elem, Obj: ir.NoObject}
	}
	r := f.Code.Temp()
	otherwise, end := f.Code.Label(""), f.Code.Label("")
	f.Code.Assign(r, a.Expr)
	from := f.Code.Start()
	kept := a
	kept.Expr = ir.R(r)
	f.Code.Assume(from, TruthOf(kept), end)
	f.Code.Assume(from, ir.Negate(TruthOf(kept)), otherwise)
	f.Code.At, f.Code.Fresh = otherwise, false
	var b Value
	f.Code.attempt(func() {
		b = f.arm(f.Operand(x.ConditionalExpression), x)
		f.Code.Assign(r, b.Expr)
	})
	f.Code.Here(end)
	return f.merged(r, a, f.orRefused(b, x), x)
}

// merged is the value of a conditional whose arms left theirs in r. Only both arms
// together give the type; cutting to it is right for a value of either.
func (f *Expressions) merged(r ir.Reg, a, b Value, x *cc.ConditionalExpression) Value {
	t := f.armType(a, b)
	e := ir.R(r)
	if t.Float && (a.Type != t || b.Type != t) {
		f.In.Refuse(codeFloat, x, "a conditional of these types is not supported")
	}
	if Cast(e, a.Type, t) != e || Cast(e, b.Type, t) != e {
		e = ir.Unary(ir.Cast, t, e)
	}
	return Value{Expr: e, Type: t, Elem: f.unified(a, b, x), Obj: ir.NoObject}
}
