package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Expressions. Operands are evaluated from left to right; what has an effect
// becomes edges, the rest stays an expression over registers. A later part of the
// same full expression can change a register an earlier value mentions only where
// C leaves the behaviour undefined: values that cross a sequence point are saved.

// Effect evaluates an expression whose value is not used.
func (f *Expressions) Effect(e cc.ExpressionNode) {
	switch x := Unparen(e).(type) {
	case *cc.ExpressionList:
		for ; x != nil; x = x.ExpressionList {
			f.Effect(x.AssignmentExpression)
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast && IsVoid(x.Type()) {
			f.Effect(x.CastExpression)
			return
		}
		if atomicResult(x) != nil {
			f.Lvals.designated(x)
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
		if x.Case == cc.AssignmentExpressionAssign && IsStruct(x.UnaryExpression.Type()) {
			f.Lvals.structLvalue(x)
			return
		}
		f.expr(x)
	case *cc.ConditionalExpression:
		if (IsVoid(x.Type()) || IsStruct(x.Type())) && x.ExpressionList != nil {
			f.conditionalEffect(x)
			return
		}
		f.expr(x)
	default:
		if IsStruct(e.Type()) {
			f.Lvals.Lvalue(e)
			return
		}
		f.expr(e)
	}
}

// IsStruct reports whether t is a struct or a union.
func IsStruct(t cc.Type) bool { return t.Kind() == cc.Struct || t.Kind() == cc.Union }

func (f *Expressions) conditionalEffect(x *cc.ConditionalExpression) {
	f.stmts.either(x.LogicalOrExpression, func() { f.Effect(x.ExpressionList) }, func() { f.Effect(x.ConditionalExpression) })
}

// expr evaluates an expression to a word.
func (f *Expressions) expr(e cc.ExpressionNode) Value {
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		return f.primary(x)
	case *cc.PostfixExpression:
		return f.Lvals.postfix(x)
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
		return f.Lvals.assignment(x)
	case *cc.ExpressionList:
		for ; x.ExpressionList != nil; x = x.ExpressionList {
			f.Effect(x.AssignmentExpression)
		}
		return f.expr(x.AssignmentExpression)
	case *cc.ConstantExpression:
		return f.expr(x.ConditionalExpression)
	}
	f.In.Refuse(CodeExpr, e, "this expression is not supported")
	panic("BUG: unreachable")
}

func (f *Expressions) primary(x *cc.PrimaryExpression) Value {
	switch x.Case {
	case cc.PrimaryExpressionIdent:
		if n, ok := x.ResolvedTo().(*cc.Enumerator); ok {
			return f.enumerator(n, x)
		}
		return f.Mem.Load(f.Lvals.Lvalue(x), x)
	case cc.PrimaryExpressionInt, cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
		v, ok := IntValue(x)
		if !ok {
			f.In.Refuse(CodeExpr, x, "this constant is not supported")
		}
		t := f.Types.Scalar(x.Type(), x)
		return Integer(ir.Int(t.Wrap(v)), t)
	case cc.PrimaryExpressionString, cc.PrimaryExpressionLString, cc.PrimaryExpressionExpr:
		if x.Case == cc.PrimaryExpressionExpr {
			return f.expr(x.ExpressionList)
		}
		return f.Mem.Load(f.Lvals.Lvalue(x), x)
	case cc.PrimaryExpressionFloat:
		return f.floatLiteral(x)
	case cc.PrimaryExpressionStmt:
		return f.statementValue(x)
	case cc.PrimaryExpressionGeneric:
		if a := x.GenericSelection.Associated(); a != nil && a.AssignmentExpression != nil {
			return f.expr(a.AssignmentExpression)
		}
	}
	f.In.Refuse(CodeExpr, x, "this expression is not supported")
	panic("BUG: unreachable")
}

func (f *Expressions) enumerator(n *cc.Enumerator, at cc.Node) Value {
	var v int64
	switch x := n.Value().(type) {
	case cc.Int64Value:
		v = int64(x)
	case cc.UInt64Value:
		v = int64(x)
	default:
		f.In.Refuse(CodeExpr, at, "the value of this enumerator is not known")
	}
	if ir.S32.Wrap(v) == v {
		return Integer(ir.Int(v), ir.S32)
	}
	t := f.Types.Scalar(n.Type(), at) // GNU C: that of the enumeration
	return Integer(ir.Int(t.Wrap(v)), t)
}

func (f *Expressions) castExpr(x *cc.CastExpression) Value {
	if x.Case != cc.CastExpressionCast {
		return f.expr(x.UnaryExpression)
	}
	to := x.TypeName.Type()
	if IsVoid(to) {
		f.Effect(x.CastExpression)
		return Value{Void: true, Obj: ir.NoObject}
	}
	if v, ok := castLongLiteral(x.CastExpression, to); ok {
		return v
	}
	return f.Convert(f.expr(x.CastExpression), to, x)
}

func (f *Expressions) unary(x *cc.UnaryExpression) Value {
	switch x.Case {
	case cc.UnaryExpressionInc:
		return f.Lvals.step(x.UnaryExpression, ir.Add, false, x)
	case cc.UnaryExpressionDec:
		return f.Lvals.step(x.UnaryExpression, ir.Sub, false, x)
	case cc.UnaryExpressionAddrof:
		return f.address(x)
	case cc.UnaryExpressionDeref:
		return f.Mem.Load(f.Lvals.Lvalue(x), x)
	case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl:
		v := f.anyOperand(x.CastExpression)
		if v.High != nil {
			return f.pairs.unaryWide(x.Case, v, x)
		}
		if v.Elem != nil || v.Type.Float && x.Case == cc.UnaryExpressionCpl {
			f.In.Reject(CodeExpr, x.CastExpression, "an integer is needed here")
		}
		t := promote(v.Type)
		switch {
		case t.Float && x.Case == cc.UnaryExpressionMinus:
			return Integer(ir.Unary(ir.FNeg, t, v.Expr), t)
		case t.Float:
			return v
		}
		switch x.Case {
		case cc.UnaryExpressionMinus:
			f.checkNegation(t, v.Expr)
			return narrowed(Integer(ir.Unary(ir.Neg, t, v.Expr), t), v)
		case cc.UnaryExpressionCpl:
			return narrowed(Integer(ir.Unary(ir.BitNot, t, v.Expr), t), v)
		}
		return narrowed(Integer(v.Expr, t), v)
	case cc.UnaryExpressionNot:
		v := f.anyOperand(x.CastExpression)
		return Integer(ir.Negate(TruthOf(v)), ir.S32)
	case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType:
		if n, ok := read.MemberAlign(x); ok {
			return Integer(ir.Int(n), ir.U64)
		}
		if v, ok := f.Vars.variableSize(x); ok {
			return v
		}
		v, ok := IntValue(x)
		if !ok {
			f.In.Refuse(codeVLA, x, "this size is not constant")
		}
		return Integer(ir.Int(v), ir.U64)
	case cc.UnaryExpressionLabelAddr:
		f.In.Refuse(codeJump, x, "labels as values are not supported")
	}
	f.In.Refuse(codeFloat, x, "this operator is not supported")
	panic("BUG: unreachable")
}

// address is &e.
func (f *Expressions) address(x *cc.UnaryExpression) Value {
	f.Lvals.addressOnly(x.CastExpression)
	l := f.Lvals.Lvalue(x.CastExpression)
	if l.Reg != ir.NoReg {
		panic("BUG: the address of a register")
	}
	return Value{Expr: l.Addr, Type: ir.U64, Elem: l.Type, Obj: l.Obj, known: l.known}
}

func (f *Expressions) binary(op ir.ExprOp, left, right cc.ExpressionNode, n cc.Node) Value {
	x := f.anyOperand(left)
	y := f.anyOperand(right)
	return f.combine(op, x, y, n)
}

// combine applies a binary operator to two values.
func (f *Expressions) combine(op ir.ExprOp, x, y Value, n cc.Node) Value {
	if (x.width > 0 || y.width > 0) && isInteger(x) && isInteger(y) {
		return f.combineBits(op, x, y, n)
	}
	switch {
	case x.High != nil || y.High != nil:
		return f.pairs.combineWide(op, x, y, n)
	case x.Type.Float || y.Type.Float:
		return f.combineFloat(op, common(x.Type, y.Type), x, y, n)
	case op.IsCompare():
		t := ir.U64
		if x.Elem == nil && y.Elem == nil {
			t = common(x.Type, y.Type)
			x.Expr, y.Expr = Cast(x.Expr, x.Type, t), Cast(y.Expr, y.Type, t)
		}
		return Integer(ir.Binary(op, t, x.Expr, y.Expr), ir.S32)
	case x.Elem != nil || y.Elem != nil:
		return f.pointerArithmetic(op, x, y, n)
	case op == ir.Shl || op == ir.Shr:
		t := promote(x.Type)
		f.checkOverflow(op, t, x.Expr, y.Expr, promote(y.Type))
		return Integer(ir.Binary(op, t, x.Expr, y.Expr), t)
	}
	t := common(x.Type, y.Type)
	f.narrowInput(op, x, y)
	small := x.Type.Bits < t.Bits
	x.Expr, y.Expr = Cast(x.Expr, x.Type, t), Cast(y.Expr, y.Type, t)
	if op == ir.Div || op == ir.Rem {
		y = f.checkDivisor(y, t)
		f.checkQuotient(op, x, y, t, small)
	}
	f.checkOverflow(op, t, x.Expr, y.Expr, t)
	return Integer(ir.Binary(op, t, x.Expr, y.Expr), t)
}

func (f *Expressions) checkDivisor(y Value, t ir.Type) Value {
	if v, ok := y.Expr.IsConst(); ok && v != 0 {
		return y
	}
	op := ir.NewOp(ir.Assert)
	op.Val, op.Class, op.Msg = ir.Binary(ir.Ne, t, y.Expr, ir.Int(0)), ir.DivByZero, "division by zero"
	f.Code.Emit(op)
	return y
}

// checkQuotient asserts that the quotient of signed operands fits their type: the processor stops at the
// lowest value divided by -1 as it does at a division by zero. If -1 is a constant, compilers negate, and
// the quotient wraps.
func (f *Expressions) checkQuotient(op ir.ExprOp, x, y Value, t ir.Type, small bool) {
	if _, known := y.Expr.IsConst(); known || small || !t.Signed || f.Opt.CheckOverflow || f.Code.static {
		return
	}
	if v, known := x.Expr.IsConst(); known && v != lowest(t) {
		return
	}
	f.Code.Check(fitsSigned(op, t, x.Expr, y.Expr), ir.DivByZero, "the quotient of a division does not fit")
}

func (f *Expressions) pointerArithmetic(op ir.ExprOp, x, y Value, n cc.Node) Value {
	if x.Elem == nil && op == ir.Add {
		x, y = y, x
	}
	switch {
	case op == ir.Sub && x.Elem != nil && y.Elem != nil:
		size := f.Types.ElemSize(x.Elem, n)
		return Integer(ir.Binary(ir.Div, ir.S64, ir.Binary(ir.Sub, ir.S64, x.Expr, y.Expr), ir.Int(size)), ir.S64)
	case x.Elem == nil || y.Elem != nil || op != ir.Add && op != ir.Sub:
		f.In.Refuse(CodeExpr, n, "this operation on pointers is not supported")
	}
	i := Scaled(y.Expr, f.Types.ElemSize(x.Elem, n))
	if op == ir.Sub {
		i = ir.Unary(ir.Neg, ir.S64, i)
	}
	out := Value{Expr: AddTo(x.Expr, i), Type: ir.U64, Elem: x.Elem, Obj: x.Obj}
	if x.known > 0 {
		out.known = alignedTo(int64(x.known), f.Types.ElemSize(x.Elem, n))
	}
	return out
}

// logical is && or || where a value is wanted.
func (f *Expressions) logical(e cc.ExpressionNode) Value {
	var left, right cc.ExpressionNode
	op := ir.LAnd
	switch x := e.(type) {
	case *cc.LogicalAndExpression:
		left, right = x.LogicalAndExpression, x.InclusiveOrExpression
	case *cc.LogicalOrExpression:
		left, right, op = x.LogicalOrExpression, x.LogicalAndExpression, ir.LOr
	}
	if f.Code.static || f.pure(right) {
		x := TruthOf(f.anyOperand(left))
		return Integer(ir.Binary(op, ir.S64, x, TruthOf(f.anyOperand(right))), ir.S32)
	}
	r := f.Code.Temp()
	f.stmts.choose(r, e, func() *ir.Expr { return ir.Int(1) }, func() *ir.Expr { return ir.Int(0) })
	return Integer(ir.R(r), ir.S32)
}

func (f *Expressions) conditional(x *cc.ConditionalExpression) Value {
	if x.Case != cc.ConditionalExpressionCond {
		return f.expr(x.LogicalOrExpression)
	}
	if x.ExpressionList == nil {
		return f.orElse(x)
	}
	if IsVoid(x.Type()) {
		f.conditionalEffect(x)
		return Value{Void: true, Obj: ir.NoObject}
	}
	if t, ok := WideType(x.Type()); ok {
		return f.pairs.conditionalWide(x, t)
	}
	if f.Code.static || f.pure(x.ExpressionList) && f.pure(x.ConditionalExpression) {
		c := TruthOf(f.anyOperand(x.LogicalOrExpression))
		a, b := f.Operand(x.ExpressionList), f.Operand(x.ConditionalExpression)
		first, second := f.unify(a, b, x)
		v := Value{Expr: ir.Conditional(c, first.Expr, second.Expr), Type: first.Type, Elem: first.Elem, Obj: ir.NoObject}
		return eitherBits(v, a, b)
	}
	r := f.Code.Temp()
	var a, b Value
	f.stmts.choose(r, x.LogicalOrExpression,
		func() *ir.Expr { a = f.arm(f.Operand(x.ExpressionList), x); return a.Expr },
		func() *ir.Expr { b = f.arm(f.Operand(x.ConditionalExpression), x); return b.Expr })
	a, b = f.orRefused(a, x), f.orRefused(b, x)
	return eitherBits(f.merged(r, a, b, x), a, b)
}

// orRefused returns the value of an arm of a conditional. An arm that is not supported has no value, but
// the conditional has its type.
func (f *Expressions) orRefused(arm Value, x *cc.ConditionalExpression) Value {
	if arm.Expr != nil {
		return arm
	}
	t := x.Type().Decay()
	return Value{Expr: ir.Int(0), Type: f.Types.Scalar(t, x), Elem: ElemOf(t), Obj: ir.NoObject}
}

func (f *Expressions) armType(a, b Value) ir.Type {
	if a.Elem != nil || b.Elem != nil {
		return ir.U64
	}
	return common(a.Type, b.Type)
}

// unify brings the arms of a conditional to one type.
func (f *Expressions) unify(a, b Value, x *cc.ConditionalExpression) (Value, Value) {
	t := f.armType(a, b)
	elem := f.unified(a, b, x)
	a.Expr, b.Expr = Cast(a.Expr, a.Type, t), Cast(b.Expr, b.Type, t)
	a.Type, b.Type, a.Elem, b.Elem = t, t, elem, elem
	return a, b
}

// unified returns the type that the pointer of a conditional points to. A null pointer
// constant takes the type of the other arm, so cc is asked.
func (f *Expressions) unified(a, b Value, x *cc.ConditionalExpression) cc.Type {
	if a.Elem == nil && b.Elem == nil {
		return nil
	}
	if t := ElemOf(x.Type().Decay()); t != nil {
		return t
	}
	if a.Elem != nil {
		return a.Elem
	}
	return b.Elem
}

// pure reports whether evaluating e neither emits an edge nor changes anything.
func (f *Expressions) pure(e cc.ExpressionNode) bool {
	if known, ok := f.purity[e]; ok {
		return known
	}
	ok := !f.Opt.CheckOverflow // an operation may need a check
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
					l, local := f.Vars.vars[d]
					ok = ok && (local && l.Reg != ir.NoReg)
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
