package translate

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
)

// Floating point: float and double, which are held as their bits and computed as SSE2 does, each
// operation rounded to its type (FLT_EVAL_METHOD is 0) and none fused with another. Constants are
// rounded once, from their text. long double and complex numbers have a layout and no values.

// floatType returns how values of a type of floating point are held. ok is false for all others.
func floatType(t cc.Type) (it ir.Type, ok bool) {
	switch t.Kind() {
	case cc.Float, cc.Float32:
		return ir.F32, true
	case cc.Double, cc.Float64, cc.Float32x:
		return ir.F64, true
	}
	return ir.Type{}, false
}

// ScalarType returns how values of a scalar type are held: those of IntType, and floating point.
func ScalarType(t cc.Type) (it ir.Type, ok bool) {
	if it, ok := floatType(t); ok {
		return it, true
	}
	return IntType(t)
}

// floatOps are the operators on floating point, by those on integers.
var floatOps = map[ir.ExprOp]ir.ExprOp{
	ir.Add: ir.FAdd, ir.Sub: ir.FSub, ir.Mul: ir.FMul, ir.Div: ir.FDiv,
	ir.Eq: ir.FEq, ir.Ne: ir.FNe, ir.Lt: ir.FLt, ir.Le: ir.FLe, ir.Gt: ir.FGt, ir.Ge: ir.FGe,
}

// castFloat is Cast where one of the types is one of floating point.
func castFloat(e *ir.Expr, from, to ir.Type) *ir.Expr {
	switch {
	case from == to:
		return e
	case from.Float && to.Float:
		return ir.Unary(ir.FloatToFloat, to, e)
	case from.Float:
		return ir.Unary(ir.FloatToInt, to, castFloat(e, from, ir.F64))
	case from == ir.U64:
		return ir.Unary(ir.UintToFloat, to, e)
	default:
		return ir.Unary(ir.IntToFloat, to, e)
	}
}

// combineFloat applies a binary operator to two numbers at a type of floating point.
func (f *Expressions) combineFloat(op ir.ExprOp, t ir.Type, x, y Value, n cc.Node) Value {
	float, ok := floatOps[op]
	if !ok || x.Elem != nil || y.Elem != nil {
		f.In.Reject(read.CodeType, n, "%s does not take floating point", operatorWord(op, x, y))
	}
	e := ir.Binary(float, t, Cast(x.Expr, x.Type, t), Cast(y.Expr, y.Type, t))
	if op.IsCompare() {
		return Integer(e, ir.S32)
	}
	return Integer(e, t)
}

// operatorWord names an operator with its operands.
func operatorWord(op ir.ExprOp, x, y Value) string {
	if x.Elem != nil || y.Elem != nil {
		return fmt.Sprintf("the operator %s with a pointer", op)
	}
	return fmt.Sprintf("the operator %s", op)
}

// checkConversion rejects conversions between pointers and floating point, and with
// Options.CheckOverflow asserts that a number fits the integer type that it is converted to: else C
// leaves the result undefined [C11 6.3.1.4 p1].
func (f *Expressions) checkConversion(v Value, to cc.Type, t ir.Type, n cc.Node) {
	switch {
	case v.Type.Float && ElemOf(to) != nil, t.Float && v.Elem != nil:
		f.In.Reject(read.CodeType, n, "there is no conversion between floating point and pointers")
	case v.Type.Float && !t.Float && f.Opt.CheckOverflow && !f.Code.static:
		x := Cast(v.Expr, v.Type, ir.F64)
		low, strict := -math.Ldexp(1, int(t.Bits)-1), ir.FGe
		high := math.Ldexp(1, int(t.Bits)-1)
		switch {
		case !t.Signed:
			low, high, strict = -1, math.Ldexp(1, int(t.Bits)), ir.FGt
		case t.Bits < 64: // what lies between low-1 and low is cut off
			low, strict = low-1, ir.FGt
		}
		in := ir.Binary(ir.LAnd, ir.S64, ir.Binary(strict, ir.F64, x, ir.Float(ir.F64, low)), ir.Binary(ir.FLt, ir.F64, x, ir.Float(ir.F64, high)))
		f.Code.Check(in, ir.Overflow, fmt.Sprintf("a number that does not fit %s is converted to it", to))
	}
}

// floatLiteral is a constant of floating point.
func (f *Expressions) floatLiteral(x *cc.PrimaryExpression) Value {
	text, suffix := splitLiteral(x.Token.SrcStr())
	var t ir.Type
	switch suffix {
	case "f", "f32":
		t = ir.F32
	case "", "f64", "f32x":
		t = ir.F64
	case "l":
		f.In.Refuse(codeFloat, x, "long double is not supported")
	default:
		f.In.Refuse(codeFloat, x, "this constant is not supported")
	}
	v, err := strconv.ParseFloat(text, int(t.Bits))
	if err != nil && !math.IsInf(v, 0) { // one that is too large is infinite
		f.In.Reject(CodeExpr, x, "%s is not a number", x.Token.SrcStr())
	}
	return Integer(ir.Float(t, v), t)
}

// numberText matches a constant of floating point: digits, and a suffix.
var numberText = lazyregexp.New(`^(0x[0-9a-f]*\.?[0-9a-f]*p[+-]?\d+|\d*\.?\d*(?:e[+-]?\d+)?)(.*)$`)

// splitLiteral returns the number and the suffix of a constant, in small letters.
func splitLiteral(text string) (number, suffix string) {
	m := numberText.FindStringSubmatch(strings.ToLower(text))
	return m[1], m[2]
}

// longLiteral returns the value of a constant of type long double, which may have a sign: it can be
// converted to float and double. gcc defines DBL_MAX and others in this way.
func longLiteral(e cc.ExpressionNode) (*big.Float, bool) {
	switch x := Unparen(e).(type) {
	case *cc.PrimaryExpression:
		if x.Case != cc.PrimaryExpressionFloat {
			return nil, false
		}
		text, suffix := splitLiteral(x.Token.SrcStr())
		v, _, err := big.ParseFloat(text, 0, 64, big.ToNearestEven)
		return v, suffix == "l" && err == nil
	case *cc.UnaryExpression:
		v, ok := longLiteral(x.CastExpression)
		if !ok || x.Case != cc.UnaryExpressionMinus {
			return nil, false
		}
		return v.Neg(v), true
	}
	return nil, false
}

// castLongLiteral converts a constant of type long double to a type of floating point.
func castLongLiteral(e cc.ExpressionNode, to cc.Type) (Value, bool) {
	t, ok := floatType(to)
	v, long := longLiteral(e)
	if !ok || !long {
		return Value{}, false
	}
	if t == ir.F32 {
		short, _ := v.Float32()
		return Integer(ir.Float(t, float64(short)), t), true
	}
	double, _ := v.Float64()
	return Integer(ir.Float(t, double), t), true
}

// arm brings an arm of a conditional whose value is of floating point to its type.
func (f *Expressions) arm(v Value, x *cc.ConditionalExpression) Value {
	if _, ok := floatType(x.Type()); ok {
		return f.Convert(v, x.Type(), x)
	}
	return v
}

// refuseFloats refuses numbers of floating point for parameters that are integers: the functions that
// are translated where they are called take their arguments as they are.
func (f *Calls) refuseFloats(args []cc.ExpressionNode, x *cc.PostfixExpression) {
	t := x.PostfixExpression.Type()
	if p, ok := t.(*cc.PointerType); ok {
		t = p.Elem()
	}
	ft, ok := t.(*cc.FunctionType)
	if !ok {
		return
	}
	for i, p := range typesOf(ft) {
		if i < len(args) && cc.IsFloatingPointType(args[i].Type()) && !cc.IsFloatingPointType(p) {
			f.In.Refuse(codeFloat, args[i], "floating point is not supported here")
		}
	}
}

// IntegerOrPointer translates an operand that must not be a number of floating point.
func (f *Expressions) IntegerOrPointer(e cc.ExpressionNode) Value {
	v := f.Operand(e)
	if v.Type.Float {
		f.In.Refuse(codeFloat, e, "floating point is not supported here")
	}
	return v
}
