package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Expressions. Operands are evaluated from left to right; what has an effect
// becomes edges, the rest stays an expression over registers. A later part of the
// same full expression can change a register an earlier value mentions only where
// C leaves the behaviour undefined: values that cross a sequence point are saved.

// effect evaluates an expression whose value nobody wants.
func (f *expressions) effect(e cc.ExpressionNode) {
	switch x := unparen(e).(type) {
	case *cc.ExpressionList:
		for ; x != nil; x = x.ExpressionList {
			f.effect(x.AssignmentExpression)
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast && isVoid(x.Type()) {
			f.effect(x.CastExpression)
			return
		}
		if atomicResult(x) != nil {
			f.lvals.place(x)
			return
		}
		f.expr(x)
	case *cc.PostfixExpression:
		if x.Case == cc.PostfixExpressionCall {
			f.calls.call(x, false)
			return
		}
		f.expr(x)
	case *cc.AssignmentExpression:
		if x.Case == cc.AssignmentExpressionAssign && isStruct(x.UnaryExpression.Type()) {
			f.lvals.structPlace(x)
			return
		}
		f.expr(x)
	case *cc.ConditionalExpression:
		if (isVoid(x.Type()) || isStruct(x.Type())) && x.ExpressionList != nil {
			f.conditionalEffect(x)
			return
		}
		f.expr(x)
	default:
		if isStruct(e.Type()) {
			f.lvals.lvalue(e)
			return
		}
		f.expr(e)
	}
}

func isStruct(t cc.Type) bool { return t.Kind() == cc.Struct || t.Kind() == cc.Union }

func (f *expressions) conditionalEffect(x *cc.ConditionalExpression) {
	then, otherwise, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.stmts.branch(x.LogicalOrExpression, then, otherwise)
	f.code.at, f.code.fresh = then, false
	f.effect(x.ExpressionList)
	f.code.jump(end)
	f.code.at, f.code.fresh = otherwise, false
	f.effect(x.ConditionalExpression)
	f.code.here(end)
}

// expr evaluates an expression to a word.
func (f *expressions) expr(e cc.ExpressionNode) value {
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		return f.primary(x)
	case *cc.PostfixExpression:
		return f.lvals.postfix(x)
	case *cc.UnaryExpression:
		return f.unary(x)
	case *cc.CastExpression:
		return f.castExpr(x)
	case *cc.MultiplicativeExpression:
		op := map[cc.MultiplicativeExpressionCase]ir.ExprOp{
			cc.MultiplicativeExpressionMul: ir.Mul, cc.MultiplicativeExpressionDiv: ir.Div, cc.MultiplicativeExpressionMod: ir.Rem,
		}[x.Case]
		return f.binary(op, x.MultiplicativeExpression, x.CastExpression, x)
	case *cc.AdditiveExpression:
		op := ir.Add
		if x.Case == cc.AdditiveExpressionSub {
			op = ir.Sub
		}
		return f.binary(op, x.AdditiveExpression, x.MultiplicativeExpression, x)
	case *cc.ShiftExpression:
		op := ir.Shl
		if x.Case == cc.ShiftExpressionRsh {
			op = ir.Shr
		}
		return f.binary(op, x.ShiftExpression, x.AdditiveExpression, x)
	case *cc.RelationalExpression:
		op := map[cc.RelationalExpressionCase]ir.ExprOp{
			cc.RelationalExpressionLt: ir.Lt, cc.RelationalExpressionGt: ir.Gt,
			cc.RelationalExpressionLeq: ir.Le, cc.RelationalExpressionGeq: ir.Ge,
		}[x.Case]
		return f.binary(op, x.RelationalExpression, x.ShiftExpression, x)
	case *cc.EqualityExpression:
		op := ir.Eq
		if x.Case == cc.EqualityExpressionNeq {
			op = ir.Ne
		}
		return f.binary(op, x.EqualityExpression, x.RelationalExpression, x)
	case *cc.AndExpression:
		return f.binary(ir.And, x.AndExpression, x.EqualityExpression, x)
	case *cc.ExclusiveOrExpression:
		return f.binary(ir.Xor, x.ExclusiveOrExpression, x.AndExpression, x)
	case *cc.InclusiveOrExpression:
		return f.binary(ir.Or, x.InclusiveOrExpression, x.ExclusiveOrExpression, x)
	case *cc.LogicalAndExpression, *cc.LogicalOrExpression:
		return f.logical(e)
	case *cc.ConditionalExpression:
		return f.conditional(x)
	case *cc.AssignmentExpression:
		return f.lvals.assignment(x)
	case *cc.ExpressionList:
		for ; x.ExpressionList != nil; x = x.ExpressionList {
			f.effect(x.AssignmentExpression)
		}
		return f.expr(x.AssignmentExpression)
	case *cc.ConstantExpression:
		return f.expr(x.ConditionalExpression)
	}
	f.in.refuse(codeExpr, e, "this expression is not supported")
	panic("BUG: unreachable")
}

func (f *expressions) primary(x *cc.PrimaryExpression) value {
	switch x.Case {
	case cc.PrimaryExpressionIdent:
		if n, ok := x.ResolvedTo().(*cc.Enumerator); ok {
			return f.enumerator(n, x)
		}
		return f.mem.load(f.lvals.lvalue(x), x)
	case cc.PrimaryExpressionInt, cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
		v, ok := intValue(x)
		if !ok {
			f.in.refuse(codeExpr, x, "this constant is not supported")
		}
		t := f.types.scalar(x.Type(), x)
		return integer(ir.Int(t.Wrap(v)), t)
	case cc.PrimaryExpressionString, cc.PrimaryExpressionExpr:
		if x.Case == cc.PrimaryExpressionExpr {
			return f.expr(x.ExpressionList)
		}
		return f.mem.load(f.lvals.lvalue(x), x)
	case cc.PrimaryExpressionFloat:
		f.in.refuse(codeFloat, x, "floating point is not supported")
	case cc.PrimaryExpressionStmt:
		return f.statementValue(x)
	case cc.PrimaryExpressionGeneric:
		if a := x.GenericSelection.Associated(); a != nil && a.AssignmentExpression != nil {
			return f.expr(a.AssignmentExpression)
		}
	}
	f.in.refuse(codeExpr, x, "this expression is not supported")
	panic("BUG: unreachable")
}

func (f *expressions) enumerator(n *cc.Enumerator, at cc.Node) value {
	var v int64
	switch x := n.Value().(type) {
	case cc.Int64Value:
		v = int64(x)
	case cc.UInt64Value:
		v = int64(x)
	default:
		f.in.refuse(codeExpr, at, "the value of this enumerator is not known")
	}
	if ir.S32.Wrap(v) == v {
		return integer(ir.Int(v), ir.S32)
	}
	t := f.types.scalar(n.Type(), at) // GNU C: that of the enumeration
	return integer(ir.Int(t.Wrap(v)), t)
}

func (f *expressions) castExpr(x *cc.CastExpression) value {
	if x.Case != cc.CastExpressionCast {
		return f.expr(x.UnaryExpression)
	}
	to := x.TypeName.Type()
	if isVoid(to) {
		f.effect(x.CastExpression)
		return value{void: true, obj: ir.NoObject}
	}
	return f.convert(f.expr(x.CastExpression), to, x)
}

func (f *expressions) unary(x *cc.UnaryExpression) value {
	switch x.Case {
	case cc.UnaryExpressionInc:
		return f.lvals.step(x.UnaryExpression, ir.Add, false, x)
	case cc.UnaryExpressionDec:
		return f.lvals.step(x.UnaryExpression, ir.Sub, false, x)
	case cc.UnaryExpressionAddrof:
		return f.address(x)
	case cc.UnaryExpressionDeref:
		return f.mem.load(f.lvals.lvalue(x), x)
	case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl:
		v := f.integerOperand(x.CastExpression)
		t := promote(v.t)
		switch x.Case {
		case cc.UnaryExpressionMinus:
			f.checkNegation(t, v.e)
			return integer(ir.Unary(ir.Neg, t, v.e), t)
		case cc.UnaryExpressionCpl:
			return integer(ir.Unary(ir.BitNot, t, v.e), t)
		}
		return integer(v.e, t)
	case cc.UnaryExpressionNot:
		v := f.operand(x.CastExpression)
		return integer(ir.Negate(truthOf(v)), ir.S32)
	case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType:
		if v, ok := f.vars.variableSize(x); ok {
			return v
		}
		v, ok := intValue(x)
		if !ok {
			f.in.refuse(codeVLA, x, "this size is not constant")
		}
		return integer(ir.Int(v), ir.U64)
	case cc.UnaryExpressionLabelAddr:
		f.in.refuse(codeJump, x, "labels as values are not supported")
	}
	f.in.refuse(codeFloat, x, "this operator is not supported")
	panic("BUG: unreachable")
}

// address is &e.
func (f *expressions) address(x *cc.UnaryExpression) value {
	f.lvals.addressOnly(x.CastExpression)
	l := f.lvals.lvalue(x.CastExpression)
	if l.reg != ir.NoReg {
		panic("BUG: the address of a register")
	}
	return value{e: l.addr, t: ir.U64, elem: l.typ, obj: l.obj}
}

// operand is a scalar that must have a value.
func (f *expressions) operand(e cc.ExpressionNode) value {
	mark := f.code.inUse
	v := f.expr(e)
	if v.void {
		f.in.refuse(codeExpr, e, "a value is needed here")
	}
	return f.shorten(v, mark)
}

// maxDepth is how deep an expression of the ir gets.
const maxDepth = 64

// shorten keeps a deep integer expression in a register. The temporaries from mark on,
// which only the expression mentions, are free again: however long a sum is, few
// registers are in use at a time.
func (f *expressions) shorten(v value, mark int) value {
	if f.code.static || v.elem != nil || v.obj != ir.NoObject || !deeper(v.e, maxDepth) {
		return v
	}
	f.code.inUse = mark
	r := f.code.temp()
	f.code.assign(r, v.e)
	v.e = ir.R(r)
	return v
}

// deeper reports whether an expression has more than n levels.
func deeper(e *ir.Expr, n int) bool {
	return e != nil && (n == 0 || deeper(e.X, n-1) || deeper(e.Y, n-1) || deeper(e.Z, n-1))
}

func (f *expressions) integerOperand(e cc.ExpressionNode) value {
	v := f.operand(e)
	if v.elem != nil {
		f.in.refuse(codeExpr, e, "an integer is needed here")
	}
	return v
}

func (f *expressions) binary(op ir.ExprOp, left, right cc.ExpressionNode, n cc.Node) value {
	x := f.operand(left)
	y := f.operand(right)
	return f.combine(op, x, y, n)
}

// combine applies a binary operator to two values.
func (f *expressions) combine(op ir.ExprOp, x, y value, n cc.Node) value {
	switch {
	case op.IsCompare():
		t := ir.U64
		if x.elem == nil && y.elem == nil {
			t = common(x.t, y.t)
			x.e, y.e = cast(x.e, x.t, t), cast(y.e, y.t, t)
		}
		return integer(ir.Binary(op, t, x.e, y.e), ir.S32)
	case x.elem != nil || y.elem != nil:
		return f.pointerArithmetic(op, x, y, n)
	case op == ir.Shl || op == ir.Shr:
		t := promote(x.t)
		f.checkOverflow(op, t, x.e, y.e, promote(y.t))
		return integer(ir.Binary(op, t, x.e, y.e), t)
	}
	t := common(x.t, y.t)
	x.e, y.e = cast(x.e, x.t, t), cast(y.e, y.t, t)
	if op == ir.Div || op == ir.Rem {
		y = f.checkDivisor(y, t)
	}
	f.checkOverflow(op, t, x.e, y.e, t)
	return integer(ir.Binary(op, t, x.e, y.e), t)
}

func (f *expressions) checkDivisor(y value, t ir.Type) value {
	if v, ok := y.e.IsConst(); ok && v != 0 {
		return y
	}
	op := ir.NewOp(ir.Assert)
	op.Val, op.Class, op.Msg = ir.Binary(ir.Ne, t, y.e, ir.Int(0)), ir.DivByZero, "division by zero"
	f.code.emit(op)
	return y
}

func (f *expressions) pointerArithmetic(op ir.ExprOp, x, y value, n cc.Node) value {
	if x.elem == nil && op == ir.Add {
		x, y = y, x
	}
	switch {
	case op == ir.Sub && x.elem != nil && y.elem != nil:
		size := f.types.elemSize(x.elem, n)
		return integer(ir.Binary(ir.Div, ir.S64, ir.Binary(ir.Sub, ir.S64, x.e, y.e), ir.Int(size)), ir.S64)
	case x.elem == nil || y.elem != nil || op != ir.Add && op != ir.Sub:
		f.in.refuse(codeExpr, n, "this operation on pointers is not supported")
	}
	i := scaled(y.e, f.types.elemSize(x.elem, n))
	if op == ir.Sub {
		i = ir.Unary(ir.Neg, ir.S64, i)
	}
	return value{e: addTo(x.e, i), t: ir.U64, elem: x.elem, obj: x.obj}
}

// logical is && or || where a value is wanted.
func (f *expressions) logical(e cc.ExpressionNode) value {
	var left, right cc.ExpressionNode
	op := ir.LAnd
	switch x := e.(type) {
	case *cc.LogicalAndExpression:
		left, right = x.LogicalAndExpression, x.InclusiveOrExpression
	case *cc.LogicalOrExpression:
		left, right, op = x.LogicalOrExpression, x.LogicalAndExpression, ir.LOr
	}
	if f.code.static || f.pure(right) {
		x := truthOf(f.operand(left))
		return integer(ir.Binary(op, ir.S64, x, truthOf(f.operand(right))), ir.S32)
	}
	r := f.code.temp()
	yes, no, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.stmts.branch(e, yes, no)
	f.code.at, f.code.fresh = yes, false
	f.code.assign(r, ir.Int(1))
	f.code.jump(end)
	f.code.at, f.code.fresh = no, false
	f.code.assign(r, ir.Int(0))
	f.code.here(end)
	return integer(ir.R(r), ir.S32)
}

func (f *expressions) conditional(x *cc.ConditionalExpression) value {
	if x.Case != cc.ConditionalExpressionCond {
		return f.expr(x.LogicalOrExpression)
	}
	if x.ExpressionList == nil {
		return f.orElse(x)
	}
	if isVoid(x.Type()) {
		f.conditionalEffect(x)
		return value{void: true, obj: ir.NoObject}
	}
	if f.code.static || f.pure(x.ExpressionList) && f.pure(x.ConditionalExpression) {
		c := truthOf(f.operand(x.LogicalOrExpression))
		a, b := f.operand(x.ExpressionList), f.operand(x.ConditionalExpression)
		a, b = f.unify(a, b, x)
		return value{e: ir.Conditional(c, a.e, b.e), t: a.t, elem: a.elem, obj: ir.NoObject}
	}
	r := f.code.temp()
	then, otherwise, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.stmts.branch(x.LogicalOrExpression, then, otherwise)
	f.code.at, f.code.fresh = then, false
	a := f.operand(x.ExpressionList)
	f.code.assign(r, a.e)
	f.code.jump(end)
	f.code.at, f.code.fresh = otherwise, false
	b := f.operand(x.ConditionalExpression)
	f.code.assign(r, b.e)
	f.code.here(end)
	return f.merged(r, a, b, x)
}

func (f *expressions) armType(a, b value) ir.Type {
	if a.elem != nil || b.elem != nil {
		return ir.U64
	}
	return common(a.t, b.t)
}

// unify brings the arms of a conditional to one type.
func (f *expressions) unify(a, b value, x *cc.ConditionalExpression) (value, value) {
	t := f.armType(a, b)
	elem := f.unified(a, b, x)
	a.e, b.e = cast(a.e, a.t, t), cast(b.e, b.t, t)
	a.t, b.t, a.elem, b.elem = t, t, elem, elem
	return a, b
}

// unified is what the pointer a conditional gives points to. A null pointer
// constant takes the type of the other arm, so cc is asked.
func (f *expressions) unified(a, b value, x *cc.ConditionalExpression) cc.Type {
	if a.elem == nil && b.elem == nil {
		return nil
	}
	if t := elemOf(x.Type().Decay()); t != nil {
		return t
	}
	if a.elem != nil {
		return a.elem
	}
	return b.elem
}

// pure reports whether evaluating e neither emits an edge nor changes anything.
func (f *expressions) pure(e cc.ExpressionNode) bool {
	if known, ok := f.purity[e]; ok {
		return known
	}
	ok := !f.opt.CheckOverflow // an operation may need a check
	inspect(e, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.ConditionalExpression:
			// Its arms are asked about again when it is translated.
			if x.Case == cc.ConditionalExpressionCond && cc.ExpressionNode(x) != e {
				ok = ok && f.pure(x)
				return false
			}
		case *cc.PrimaryExpression:
			switch x.Case {
			case cc.PrimaryExpressionIdent:
				if d, is := x.ResolvedTo().(*cc.Declarator); is && d.Type().Kind() != cc.Function {
					l, local := f.vars.vars[d]
					ok = ok && (local && l.reg != ir.NoReg)
				}
			case cc.PrimaryExpressionStmt, cc.PrimaryExpressionGeneric:
				ok = false
			}
		case *cc.PostfixExpression:
			ok = ok && x.Case == cc.PostfixExpressionPrimary
		case *cc.UnaryExpression:
			switch x.Case {
			case cc.UnaryExpressionInc, cc.UnaryExpressionDec, cc.UnaryExpressionDeref, cc.UnaryExpressionAddrof:
				ok = false
			case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType:
				return false
			}
		case *cc.MultiplicativeExpression:
			ok = ok && x.Case == cc.MultiplicativeExpressionMul
		case *cc.AssignmentExpression:
			ok = false
		}
		return ok
	})
	f.purity[e] = ok
	return ok
}
