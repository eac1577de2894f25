package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// GNU C: statement expressions, and conditionals without their middle.

// statementValue is the value of ({ ... }): that of the last statement, if it is an
// expression.
func (f *expressions) statementValue(x *cc.PrimaryExpression) value {
	last := f.statementsBefore(x)
	if last == nil {
		return value{void: true, obj: ir.NoObject}
	}
	if isVoid(last.Type()) {
		f.effect(last)
		return value{void: true, obj: ir.NoObject}
	}
	return f.code.keep(f.operand(last))
}

// statementPlace is where the struct lies that ({ ... }) gives.
func (f *expressions) statementPlace(x *cc.PrimaryExpression) lvalue {
	last := f.statementsBefore(x)
	if last == nil || !isStruct(last.Type()) {
		f.in.refuse(codeExpr, x, "this is not a place in memory")
	}
	return f.lvals.place(last)
}

// statementsBefore runs all statements of a statement expression but the last, if
// that is an expression. The temporaries of the expression around stay in use.
func (f *expressions) statementsBefore(x *cc.PrimaryExpression) cc.ExpressionNode {
	if f.code.static {
		f.in.refuse(codeInit, x, "the initialiser is not constant")
	}
	pos, floor := f.code.pos, f.code.floor
	f.code.floor = f.code.inUse
	defer func() { f.code.pos, f.code.floor = pos, floor }()
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
func (f *expressions) orElse(x *cc.ConditionalExpression) value {
	a := f.operand(x.LogicalOrExpression)
	if f.code.static {
		b := f.operand(x.ConditionalExpression)
		a, b = f.unify(a, b, x)
		return value{e: ir.Conditional(truthOf(a), a.e, b.e), t: a.t, elem: a.elem, obj: ir.NoObject}
	}
	r := f.code.temp()
	otherwise, end := f.code.label(""), f.code.label("")
	f.code.assign(r, a.e)
	from := f.code.start()
	kept := a
	kept.e = ir.R(r)
	f.code.assume(from, truthOf(kept), end)
	f.code.assume(from, ir.Negate(truthOf(kept)), otherwise)
	f.code.at, f.code.fresh = otherwise, false
	b := f.operand(x.ConditionalExpression)
	f.code.assign(r, b.e)
	f.code.here(end)
	return f.merged(r, a, b, x)
}

// merged is the value of a conditional whose arms left theirs in r. Only both arms
// together give the type; cutting to it is right for a value of either.
func (f *expressions) merged(r ir.Reg, a, b value, x *cc.ConditionalExpression) value {
	t := f.armType(a, b)
	e := ir.R(r)
	if cast(e, a.t, t) != e || cast(e, b.t, t) != e {
		e = ir.Unary(ir.Cast, t, e)
	}
	return value{e: e, t: t, elem: f.unified(a, b, x), obj: ir.NoObject}
}
