package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Expressions. Operands are evaluated from left to right; what has an effect
// becomes edges, the rest stays an expression over registers. A later part of the
// same full expression can change a register an earlier value mentions only where
// C leaves the behaviour undefined: values that cross a sequence point are saved.

// Effect evaluates an expression whose value is not used.
func (f *Expressions) Effect(e *parse.Expr) {
	switch e.Op {
	case parse.Comma:
		f.Effect(e.A)
		f.Effect(e.B)
	case parse.Convert:
		if IsVoid(e.Type) {
			f.Effect(e.A)
			return
		}
		f.other(e)
	case parse.Call, parse.Builtin:
		if e.Op == parse.Builtin && IsStruct(e.Type) {
			f.Lvals.designated(e)
			return
		}
		f.calls.call(e, false)
	case parse.Cond:
		if (IsVoid(e.Type) || IsStruct(e.Type)) && e.B != nil {
			f.conditionalEffect(e)
			return
		}
		f.other(e)
	case parse.Deref:
		if IsVoid(e.Type) {
			f.Effect(e.A)
			return
		}
		f.other(e)
	default:
		f.other(e)
	}
}

// other evaluates any other expression whose value is not used.
func (f *Expressions) other(e *parse.Expr) {
	if IsStruct(e.Type) {
		f.Lvals.Lvalue(e)
		return
	}
	f.expr(e)
}

// IsStruct reports whether t is a struct or a union.
func IsStruct(t *types.Type) bool { return t.IsRecord() }

func (f *Expressions) conditionalEffect(x *parse.Expr) {
	f.either(x.A, func() { f.Effect(x.B) }, func() { f.Effect(x.C) })
}

// binaryOps are the operators with two operands.
var binaryOps = map[parse.Op]ir.ExprOp{
	parse.Mul: ir.Mul, parse.Div: ir.Div, parse.Rem: ir.Rem, parse.Add: ir.Add, parse.Sub: ir.Sub, parse.Shl: ir.Shl, parse.Shr: ir.Shr,
	parse.Less: ir.Lt, parse.Greater: ir.Gt, parse.LessEqual: ir.Le, parse.GreaterEqual: ir.Ge, parse.Equal: ir.Eq, parse.NotEqual: ir.Ne,
	parse.And: ir.And, parse.Xor: ir.Xor, parse.Or: ir.Or,
}

// expr evaluates an expression to a word.
func (f *Expressions) expr(e *parse.Expr) Value {
	switch e.Op {
	case parse.Constant:
		return f.constant(e)
	case parse.Decay:
		f.Lvals.decays(e.A)
		return f.Mem.Load(f.Lvals.Lvalue(e.A), e)
	case parse.Load:
		return f.Mem.Load(f.Lvals.Lvalue(e.A), e)
	case parse.Name, parse.StringConst, parse.Literal, parse.Member, parse.Deref:
		return f.Mem.Load(f.Lvals.Lvalue(e), e)
	case parse.Convert:
		return f.conversion(e)
	case parse.Call, parse.Builtin:
		if v, ok := f.folded(e); ok {
			return v
		}
		return f.calls.call(e, true)
	case parse.PreInc, parse.PostInc:
		return f.Lvals.step(e.A, ir.Add, e.Op == parse.PostInc, e)
	case parse.PreDec, parse.PostDec:
		return f.Lvals.step(e.A, ir.Sub, e.Op == parse.PostDec, e)
	case parse.AndAnd, parse.OrOr:
		return f.logical(e)
	case parse.Cond:
		return f.conditional(e)
	case parse.Assign, parse.AssignOp:
		return f.Lvals.assignment(e)
	case parse.Comma:
		f.Effect(e.A)
		return f.expr(e.B)
	case parse.StmtExpr:
		return f.statementValue(e)
	}
	if op, ok := binaryOps[e.Op]; ok {
		return f.binary(op, e.A, e.B, e)
	}
	return f.unary(e)
}

// constant is a number, or a null pointer.
func (f *Expressions) constant(e *parse.Expr) Value {
	if e.Val.Kind == parse.FloatValue {
		return f.floatConstant(e)
	}
	n := e.Val.Int
	if t, ok := WideType(e.Type); ok {
		return Pair(ir.Int(n.Int64()), ir.Int(int64(n.Hi)), t.Signed)
	}
	t := f.Types.Scalar(e.Type, e)
	v := Integer(ir.Int(t.Wrap(n.Int64())), t)
	v.Elem, v.width = ElemOf(e.Type), uint8(e.Type.Width)
	return v
}

// folded is the value of a call in an initialiser that must be constant, if it has one.
func (f *Expressions) folded(e *parse.Expr) (Value, bool) {
	if !f.Code.static {
		return Value{}, false
	}
	v, ok := f.In.Tree.Fold(e)
	if !ok || v.Kind != parse.IntValue && v.Kind != parse.FloatValue {
		return Value{}, false
	}
	return f.constant(&parse.Expr{Op: parse.Constant, Val: &v, Type: e.Type, Tok: e.Tok, First: e.First, Last: e.Last}), true
}

// conversion is a conversion, which the program writes or not.
func (f *Expressions) conversion(e *parse.Expr) Value {
	if IsVoid(e.Type) {
		f.Effect(e.A)
		return Value{Void: true, Obj: ir.NoObject}
	}
	if t, ok := floatType(e.Type); ok && e.A.Type.Kind == types.LongDouble { // gcc defines DBL_MAX and others in this way
		if v, ok := f.In.Tree.Fold(e); ok && v.Kind == parse.FloatValue {
			return Integer(ir.Float(t, v.Float.Bits64), t)
		}
	}
	if e.A.Type.IsFloat() && e.Type.IsInteger() && e.Type.Size() <= 8 { // gcc folds what is out of range to the nearest value
		if v, ok := f.In.Tree.Fold(e); ok && v.Kind == parse.IntValue {
			t := f.Types.Scalar(e.Type, e)
			return Integer(ir.Int(t.Wrap(v.Int.Int64())), t)
		}
	}
	if !e.Implicit {
		f.lengthsOf(e.Type, e, e)
	}
	return f.Arith.Convert(f.anyOperand(e.A), e.Type, e)
}

func (f *Expressions) unary(e *parse.Expr) Value {
	switch e.Op {
	case parse.AddressOf:
		return f.address(e)
	case parse.Plus, parse.Minus, parse.Complement:
		return f.sign(e)
	case parse.Not:
		v := f.anyOperand(e.A)
		return Integer(ir.Negate(TruthOf(v)), ir.S32)
	case parse.SizeOf:
		return f.variableSize(e)
	case parse.OffsetOf:
		return Integer(f.Lvals.Lvalue(e.A).Addr, ir.U64)
	case parse.LabelAddress:
		return Value{Expr: ir.Int(f.Vars.Syms.labels.address(e.Label)), Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
	case parse.Real, parse.Imag:
		if e.A.Type.Kind == types.Complex || e.A.Type.Kind != types.Complex && e.Op == parse.Imag {
			f.In.Refuse(codeFloat, e, "this operator is not supported")
		}
		return f.expr(e.A)
	}
	f.In.Refuse(CodeExpr, e, "this expression is not supported")
	panic("BUG: unreachable")
}

// sign is the operator +, - or ~.
func (f *Expressions) sign(e *parse.Expr) Value {
	v := f.anyOperand(e.A)
	if v.High != nil {
		return f.Arith.unaryWide(e.Op, v, e)
	}
	if v.Elem != nil || v.Type.Float && e.Op == parse.Complement {
		f.In.Reject(CodeExpr, e.A, "an integer is needed here")
	}
	t := promote(v.Type)
	switch {
	case t.Float && e.Op == parse.Minus:
		return Integer(ir.Unary(ir.FNeg, t, v.Expr), t)
	case t.Float:
		return v
	}
	switch e.Op {
	case parse.Minus:
		f.Arith.checkNegation(t, v.Expr)
		return narrowed(Integer(ir.Unary(ir.Neg, t, v.Expr), t), v)
	case parse.Complement:
		return narrowed(Integer(ir.Unary(ir.BitNot, t, v.Expr), t), v)
	}
	return narrowed(Integer(v.Expr, t), v)
}

// address is &e.
func (f *Expressions) address(x *parse.Expr) Value {
	f.Lvals.addressOnly(x.A)
	l := f.Lvals.Lvalue(x.A)
	if l.Reg != ir.NoReg {
		panic("BUG: the address of a register")
	}
	return Value{Expr: l.Addr, Type: ir.U64, Elem: l.Type, Obj: l.Obj, known: l.known}
}

func (f *Expressions) binary(op ir.ExprOp, left, right *parse.Expr, n parse.Node) Value {
	x := f.anyOperand(left)
	y := f.anyOperand(right)
	return f.Arith.combine(op, x, y, n)
}

// combine applies a binary operator to two values.
func (f *Arithmetic) combine(op ir.ExprOp, x, y Value, n parse.Node) Value {
	if (x.width > 0 || y.width > 0) && isInteger(x) && isInteger(y) {
		return f.combineBits(op, x, y, n)
	}
	switch {
	case x.High != nil || y.High != nil:
		return f.combineWide(op, x, y, n)
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
	small := x.small || x.Type.Bits < t.Bits
	x.Expr, y.Expr = Cast(x.Expr, x.Type, t), Cast(y.Expr, y.Type, t)
	if op == ir.Div || op == ir.Rem {
		y = f.checkDivisor(y, t)
		f.checkQuotient(op, x, y, t, small)
	}
	f.checkOverflow(op, t, x.Expr, y.Expr, t)
	return Integer(ir.Binary(op, t, x.Expr, y.Expr), t)
}

func (f *Arithmetic) checkDivisor(y Value, t ir.Type) Value {
	if v, ok := y.Expr.IsConst(); ok && v != 0 {
		return y
	}
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report = ir.Binary(ir.Ne, t, y.Expr, ir.Int(0)), ir.Report{Class: ir.DivByZero, Msg: "division by zero"}
	f.Code.Emit(op)
	return y
}

// checkQuotient asserts that the quotient of signed operands fits their type: the processor stops at the
// lowest value divided by -1 as it does at a division by zero. If -1 is a constant, compilers negate, and
// the quotient wraps.
func (f *Arithmetic) checkQuotient(op ir.ExprOp, x, y Value, t ir.Type, small bool) {
	if _, known := y.Expr.IsConst(); known || small || !t.Signed || f.Opt.CheckOverflow || f.Code.static {
		return
	}
	if v, known := x.Expr.IsConst(); known && v != lowest(t) {
		return
	}
	f.Code.Check(fitsSigned(op, t, x.Expr, y.Expr), ir.DivByZero, "the quotient of a division does not fit")
}

func (f *Arithmetic) pointerArithmetic(op ir.ExprOp, x, y Value, n parse.Node) Value {
	if x.Elem == nil && op == ir.Add {
		x, y = y, x
	}
	switch {
	case op == ir.Sub && x.Elem != nil && y.Elem != nil:
		return Integer(ir.Binary(ir.Div, ir.S64, ir.Binary(ir.Sub, ir.S64, x.Expr, y.Expr), f.stride(x.Elem, n)), ir.S64)
	case x.Elem == nil || y.Elem != nil || op != ir.Add && op != ir.Sub:
		f.In.Refuse(CodeExpr, n, "this operation on pointers is not supported")
	}
	i := Scaled(y.Expr, f.stride(x.Elem, n))
	if op == ir.Sub {
		i = ir.Unary(ir.Neg, ir.S64, i)
	}
	out := Value{Expr: AddTo(x.Expr, i), Type: ir.U64, Elem: x.Elem, Obj: x.Obj}
	if x.known > 0 {
		out.known = alignedTo(int64(x.known), elementSize(x.Elem))
	}
	return out
}

// stride returns the step of arithmetic on pointers to a type.
func (f *Arithmetic) stride(t *types.Type, n parse.Node) *ir.Expr {
	if t.IsVariable() {
		return f.Code.variableSize(t, n)
	}
	return ir.Int(f.Types.ElemSize(t, n))
}

// logical is && or || where a value is wanted.
func (f *Expressions) logical(e *parse.Expr) Value {
	op := ir.LAnd
	if e.Op == parse.OrOr {
		op = ir.LOr
	}
	if f.Code.static || f.pure(e.B) {
		x := TruthOf(f.anyOperand(e.A))
		return Integer(ir.Binary(op, ir.S64, x, TruthOf(f.anyOperand(e.B))), ir.S32)
	}
	r := f.Code.Temp()
	f.choose(r, e, func() *ir.Expr { return ir.Int(1) }, func() *ir.Expr { return ir.Int(0) })
	return Integer(ir.R(r), ir.S32)
}

func (f *Expressions) conditional(x *parse.Expr) Value {
	if x.B == nil {
		return f.orElse(x)
	}
	if IsVoid(x.Type) {
		f.conditionalEffect(x)
		return Value{Void: true, Obj: ir.NoObject}
	}
	if t, ok := WideType(x.Type); ok {
		return f.conditionalWide(x, t)
	}
	if f.Code.static || f.pure(x.B) && f.pure(x.C) {
		c := TruthOf(f.anyOperand(x.A))
		return f.chosen(ir.Conditional(c, f.arm(x.B, x), f.arm(x.C, x)), x)
	}
	r := f.Code.Temp()
	f.choose(r, x.A, func() *ir.Expr { return f.arm(x.B, x) }, func() *ir.Expr { return f.arm(x.C, x) })
	return f.chosen(ir.R(r), x)
}

// arm evaluates an arm of a conditional.
func (f *Expressions) arm(e, x *parse.Expr) *ir.Expr {
	return f.Arith.Convert(f.Operand(e), x.Type, e).Expr
}

// chosen is the value of a conditional.
func (f *Expressions) chosen(e *ir.Expr, x *parse.Expr) Value {
	return Value{Expr: e, Type: f.Types.Scalar(x.Type, x), Elem: ElemOf(x.Type), Obj: ir.NoObject, width: uint8(x.Type.Width)}
}

// pure reports whether evaluating e neither emits an edge nor changes anything.
func (f *Expressions) pure(e *parse.Expr) bool {
	if known, ok := f.purity[e]; ok {
		return known
	}
	ok := !f.Opt.CheckOverflow // an operation may need a check
	visit := parse.Visitor{Expr: func(x *parse.Expr) bool {
		switch x.Op {
		case parse.Cond:
			// Its arms are asked about again when it is translated.
			if x != e {
				ok = ok && f.pure(x)
				return false
			}
		case parse.Name:
			if x.Obj.Kind == parse.Variable {
				l, local := f.Vars.vars[x.Obj]
				ok = ok && local && l.Reg != ir.NoReg
			}
		case parse.Convert:
			ok = ok && (x.Implicit || !x.Type.IsModified())
		case parse.Constant, parse.StringConst, parse.Load, parse.Decay, parse.Plus, parse.Minus, parse.Complement, parse.Not,
			parse.Mul, parse.Add, parse.Sub, parse.Shl, parse.Shr, parse.Less, parse.Greater, parse.LessEqual, parse.GreaterEqual,
			parse.Equal, parse.NotEqual, parse.And, parse.Xor, parse.Or, parse.AndAnd, parse.OrOr, parse.Comma:
		default:
			ok = false
		}
		return ok
	}}
	visit.Exprs(e)
	f.purity[e] = ok
	return ok
}
