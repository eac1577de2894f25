package translate

import (
	"fmt"
	"math"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"
)

// Floating point: float and double, which are held as their bits and computed as SSE2 does, each
// operation rounded to its type (FLT_EVAL_METHOD is 0) and none fused with another. Constants are
// rounded once, from their text. long double and complex numbers have a layout and no values.

// floatType returns how values of a type of floating point are held. ok is false for all others.
func floatType(t *types.Type) (it ir.Type, ok bool) {
	switch t.Kind {
	case types.Float:
		return ir.F32, true
	case types.Double:
		return ir.F64, true
	}
	return ir.Type{}, false
}

// ScalarType returns how values of a scalar type are held: those of IntType, and floating point.
func ScalarType(t *types.Type) (it ir.Type, ok bool) {
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
func (f *Arithmetic) combineFloat(op ir.ExprOp, t ir.Type, x, y Value, n parse.Node) Value {
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
func (f *Arithmetic) checkConversion(v Value, to *types.Type, t ir.Type, n parse.Node) {
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

// floatConstant is a constant of floating point.
func (f *Expressions) floatConstant(e *parse.Expr) Value {
	t, ok := floatType(e.Type)
	switch {
	case e.Type.Kind == types.LongDouble && !e.Implicit:
		f.In.Refuse(codeFloat, e, "long double is not supported")
	case e.Implicit:
		f.Types.Scalar(e.Type, e)
	case !ok:
		f.In.Refuse(codeFloat, e, "this constant is not supported")
	}
	return Integer(ir.Float(t, e.Val.Float.Bits64), t)
}

// IntegerOrPointer translates an operand that must not be a number of floating point.
func (f *Expressions) IntegerOrPointer(e *parse.Expr) Value {
	v := f.Operand(e)
	if v.Type.Float {
		f.In.Refuse(codeFloat, e, "floating point is not supported here")
	}
	return v
}
