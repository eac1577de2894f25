package library

import (
	"math"
	"strconv"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Floating point: constants, classification, and functions on the bits of a number. What of math.h is
// exact in IEEE 754 and needs no operator of its own is written in C (source/math.c).

// floatTable has the functions on floating point; addBuiltins adds the names that compilers know.
func floatTable() map[string]function {
	m := map[string]function{
		"fabs": {1, libAbsolute}, "fabsf": {1, libAbsolute}, "copysign": {2, libCopySign}, "copysignf": {2, libCopySign},
		"nan": {1, libNaN}, "nanf": {1, libNaN}, "__builtin_nans": {1, libNaN}, "__builtin_nansf": {1, libNaN},
		"__builtin_inf": {0, libInfinity}, "__builtin_inff": {0, libInfinity},
		"__builtin_huge_val": {0, libInfinity}, "__builtin_huge_valf": {0, libInfinity},
		"__builtin_fpclassify": {6, libClassify},
		"__fp_sqrt":            {1, libRoot}, "__fp_sqrtf": {1, libRoot},
		"__fp_bits": {1, libBits}, "__fp_number": {1, libNumber},
	}
	for name := range floatTests {
		m[translate.BuiltinPrefix+name] = function{1, libFloatTest}
	}
	for _, name := range []string{"isnanf", "isinff", "finitef", "signbitf"} {
		m[translate.BuiltinPrefix+name] = function{1, libFloatTest}
	}
	for name := range floatComparisons {
		m[translate.BuiltinPrefix+name] = function{2, libFloatComparison}
	}
	return m
}

// typeNamed returns the type in a function's name, which ends with f for float.
func typeNamed(name string) ir.Type {
	if strings.HasSuffix(name, "f") && name != translate.BuiltinPrefix+"inf" {
		return ir.F32
	}
	return ir.F64
}

// number evaluates an argument as a number of a type.
func number(f *translate.Lowering, e *parse.Expr, t ir.Type) translate.Value {
	v := f.Exprs.Operand(e)
	if v.Elem != nil {
		f.In.Reject(translate.CodeArgument, e, "a number is needed here")
	}
	v = translate.Integer(translate.Cast(v.Expr, v.Type, t), t)
	if _, ok := v.Expr.IsConst(); ok {
		return v
	}
	return f.Code.Save(v)
}

// realArgument evaluates an argument of a function for float and double: of type double if it is an integer.
func realArgument(f *translate.Lowering, e *parse.Expr) translate.Value {
	t := ir.F64
	if e.Type.Kind == types.Float {
		t = ir.F32
	}
	if e.Type.IsFloat() && e.Type.Size() > 8 {
		f.Types.Scalar(e.Type, e) // refuses it
	}
	return number(f, e, t)
}

// word returns the integer type with the bits of t, and signBit its highest bit.
func word(t ir.Type) ir.Type { return ir.Type{Bits: t.Bits} }

func signBit(t ir.Type) int64 { return ir.EvalUnary(ir.FNeg, t, 0) }

// magnitude is the bits of a number without its sign.
func magnitude(v translate.Value) *ir.Expr {
	return ir.Binary(ir.And, word(v.Type), v.Expr, ir.Int(word(v.Type).Wrap(^signBit(v.Type))))
}

func infinity(t ir.Type) *ir.Expr { return ir.Float(t, math.Inf(1)) }

func libAbsolute(f *translate.Lowering, c *translate.Call) translate.Value {
	v := number(f, c.Args[0], typeNamed(c.Name))
	return translate.Integer(magnitude(v), v.Type)
}

func libCopySign(f *translate.Lowering, c *translate.Call) translate.Value {
	x, y := number(f, c.Args[0], typeNamed(c.Name)), number(f, c.Args[1], typeNamed(c.Name))
	sign := ir.Binary(ir.And, word(y.Type), y.Expr, ir.Int(signBit(y.Type)))
	return translate.Integer(ir.Binary(ir.Or, word(x.Type), magnitude(x), sign), x.Type)
}

func libInfinity(_ *translate.Lowering, c *translate.Call) translate.Value {
	t := typeNamed(c.Name)
	return translate.Integer(infinity(t), t)
}

// libNaN is a NaN. Its argument is a constant: the number of the NaN.
func libNaN(f *translate.Lowering, c *translate.Call) translate.Value {
	digits, ok := stringConstant(c.Args[0])
	payload, err := strconv.ParseUint(digits, 0, 64)
	if !ok || digits != "" && err != nil {
		f.In.Refuse(translate.CodeArgument, c.Args[0], "the number of a NaN must be a constant")
	}
	t := typeNamed(strings.Replace(c.Name, "nans", "nan", 1))
	mantissa := int64(1)<<52 - 1
	if t == ir.F32 {
		mantissa = 1<<23 - 1
	}
	bits := int64(payload) & (mantissa >> 1)
	exponent := infinity(t).Value
	switch {
	case !strings.Contains(c.Name, "nans"):
		bits |= mantissa ^ (mantissa >> 1)
	case bits == 0:
		bits = (mantissa ^ (mantissa >> 1)) >> 1
	}
	return translate.Integer(&ir.Expr{Op: ir.Const, Type: t, Value: exponent | bits}, t)
}

// libRoot is the square root alone; sqrt sets errno, too.
func libRoot(f *translate.Lowering, c *translate.Call) translate.Value {
	v := number(f, c.Args[0], typeNamed(c.Name))
	return translate.Integer(ir.Unary(ir.FSqrt, v.Type, v.Expr), v.Type)
}

// libBits is the bits of a double as an integer, libNumber the double with these bits.
func libBits(f *translate.Lowering, c *translate.Call) translate.Value {
	return translate.Integer(number(f, c.Args[0], ir.F64).Expr, ir.U64)
}

func libNumber(f *translate.Lowering, c *translate.Call) translate.Value {
	return translate.Integer(f.Exprs.IntegerOperand(c.Args[0]).Expr, ir.F64)
}

// floatTests are the questions about one number, as expressions of 0 and 1, except that
// isinf_sign has a sign.
var floatTests = map[string]func(v translate.Value) *ir.Expr{
	"isnan":    func(v translate.Value) *ir.Expr { return ir.Binary(ir.FNe, v.Type, v.Expr, v.Expr) },
	"isinf":    isInfinite,
	"isfinite": isFinite,
	"finite":   isFinite,
	"isnormal": func(v translate.Value) *ir.Expr {
		return ir.Binary(ir.LAnd, ir.S64, isFinite(v), ir.Binary(ir.Ge, ir.U64, magnitude(v), smallest(v.Type)))
	},
	"signbit": func(v translate.Value) *ir.Expr {
		return ir.Binary(ir.Ne, ir.U64, ir.Binary(ir.And, word(v.Type), v.Expr, ir.Int(signBit(v.Type))), ir.Int(0))
	},
	"isinf_sign": func(v translate.Value) *ir.Expr {
		negative := ir.Binary(ir.FLt, v.Type, v.Expr, ir.Float(v.Type, 0))
		return ir.Conditional(isInfinite(v), ir.Conditional(negative, ir.Int(-1), ir.Int(1)), ir.Int(0))
	},
}

func isInfinite(v translate.Value) *ir.Expr {
	return ir.Binary(ir.Eq, ir.U64, magnitude(v), ir.Int(infinity(v.Type).Value))
}

func isFinite(v translate.Value) *ir.Expr {
	return ir.Binary(ir.Lt, ir.U64, magnitude(v), ir.Int(infinity(v.Type).Value))
}

// smallest is the bits of the smallest normal number.
func smallest(t ir.Type) *ir.Expr {
	if t == ir.F32 {
		return ir.Int(1 << 23)
	}
	return ir.Int(1 << 52)
}

func libFloatTest(f *translate.Lowering, c *translate.Call) translate.Value {
	name := strings.TrimPrefix(c.Name, translate.BuiltinPrefix)
	test, ok := floatTests[name]
	v := translate.Value{}
	if ok {
		v = realArgument(f, c.Args[0])
	} else {
		test, v = floatTests[strings.TrimSuffix(name, "f")], number(f, c.Args[0], ir.F32)
	}
	return translate.Integer(test(v), ir.S32)
}

// floatComparisons are the comparisons that do not complain about NaNs.
var floatComparisons = map[string][]ir.ExprOp{
	"isgreater": {ir.FGt}, "isgreaterequal": {ir.FGe}, "isless": {ir.FLt}, "islessequal": {ir.FLe}, "islessgreater": {ir.FLt, ir.FGt}, "isunordered": nil,
}

func libFloatComparison(f *translate.Lowering, c *translate.Call) translate.Value {
	x, y := realArgument(f, c.Args[0]), realArgument(f, c.Args[1])
	a, b := translate.Cast(x.Expr, x.Type, ir.F64), translate.Cast(y.Expr, y.Type, ir.F64)
	result := ir.Int(0)
	ops := floatComparisons[strings.TrimPrefix(c.Name, translate.BuiltinPrefix)]
	for _, op := range ops {
		result = ir.Binary(ir.LOr, ir.S64, result, ir.Binary(op, ir.F64, a, b))
	}
	if ops == nil {
		result = ir.Binary(ir.LOr, ir.S64, ir.Binary(ir.FNe, ir.F64, a, a), ir.Binary(ir.FNe, ir.F64, b, b))
	}
	return translate.Integer(result, ir.S32)
}

// libClassify is __builtin_fpclassify(nan, infinite, normal, subnormal, zero, x).
func libClassify(f *translate.Lowering, c *translate.Call) translate.Value {
	var kinds []*ir.Expr
	for _, a := range c.Args[:5] {
		kinds = append(kinds, f.Exprs.IntegerOperand(a).Expr)
	}
	v := realArgument(f, c.Args[5])
	zero := ir.Binary(ir.Eq, ir.U64, magnitude(v), ir.Int(0))
	e := ir.Conditional(zero, kinds[4], kinds[3])
	e = ir.Conditional(floatTests["isnormal"](v), kinds[2], e)
	e = ir.Conditional(isInfinite(v), kinds[1], e)
	return translate.Integer(ir.Conditional(floatTests["isnan"](v), kinds[0], e), ir.S32)
}
