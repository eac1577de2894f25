package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Integers of 128 bits and floating point. The conversions are functions of the library, in C.

// The functions of the library that convert.
const (
	wideToDouble = "__fp_wide_to_double"
	wideToFloat  = "__fp_wide_to_float"
	doubleToWide = "__fp_double_to_wide"
)

// wideFunctions are the functions of the library that programs with integers of 128 bits may need.
var wideFunctions = []string{divideName, wideToDouble, wideToFloat, doubleToWide}

// inLibrary calls a function of the library and returns its result.
func (f *Arithmetic) inLibrary(name string, args ...*ir.Expr) *ir.Expr {
	s := f.Syms.InLibrary(name)
	if s == nil {
		panic("BUG: the library has no " + name)
	}
	op := ir.NewOp(ir.Call)
	op.Call.Func, op.Call.Args, op.Dst = f.Syms.Function(s).ID, args, f.Code.Temp()
	f.Code.Emit(op)
	return ir.R(op.Dst)
}

// toFloat converts to floating point: the absolute value, and then its sign.
func (f *Arithmetic) toFloat(v Value, t ir.Type, n parse.Node) Value {
	if f.Code.static {
		f.In.Refuse(codeInit, n, "a conversion of __int128 to floating point is not supported here")
	}
	v = f.kept(v)
	negative := ir.Int(0)
	if v.Type.Signed {
		negative = f.word(ir.Binary(ir.Lt, ir.S64, v.High, ir.Int(0)))
		v = f.negatedIf(negative, v)
	}
	name := wideToDouble
	if t == ir.F32 {
		name = wideToFloat
	}
	x := f.inLibrary(name, v.Expr, v.High)
	if v.Type.Signed {
		x = ir.Conditional(negative, ir.Unary(ir.FNeg, t, x), x)
	}
	return f.Code.Keep(Integer(x, t))
}

// fromFloat converts from floating point, numbers with a sign by their absolute values.
func (f *Arithmetic) fromFloat(v Value, signed bool, n parse.Node) Value {
	if f.Code.static {
		f.In.Refuse(codeInit, n, "a conversion of floating point to __int128 is not supported here")
	}
	f.noOverflowCheck(ir.Type{Signed: true}, n)
	x := f.Code.Keep(Integer(Cast(v.Expr, v.Type, ir.F64), ir.F64)).Expr
	negative := ir.Int(0)
	if signed {
		negative = f.word(ir.Binary(ir.FLt, ir.F64, x, ir.Float(ir.F64, 0)))
		x = f.Code.Keep(Integer(ir.Conditional(negative, ir.Unary(ir.FNeg, ir.F64, x), x), ir.F64)).Expr
	}
	out := Pair(f.inLibrary(doubleToWide, x, ir.Int(0)), f.inLibrary(doubleToWide, x, ir.Int(1)), signed)
	if !signed {
		return out
	}
	return f.negatedIf(negative, out)
}

// combineWideFloat applies a binary operator to an integer of 128 bits and a number of floating point.
func (f *Arithmetic) combineWideFloat(op ir.ExprOp, x, y Value, n parse.Node) Value {
	t := ir.F32
	if x.Type == ir.F64 || y.Type == ir.F64 {
		t = ir.F64
	}
	for _, v := range []*Value{&x, &y} {
		if v.High != nil {
			*v = f.toFloat(*v, t, n)
		}
	}
	return f.combineFloat(op, t, x, y, n)
}
