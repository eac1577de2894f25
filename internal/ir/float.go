package ir

import (
	"math"
	"strconv"
	"strings"
)

// Floating point: what SSE2's scalar instructions compute with the default control word, that is
// IEEE 754 with rounding to nearest, ties to even, subnormal numbers, and no exceptions. A value is
// held as its bit pattern, extended by zeros. Go computes the same numbers on every processor as
// long as each result is converted explicitly, which keeps it from being fused with the next
// operation. NaNs are treated here, since Go leaves their bits open (Intel SDM vol. 1, §4.8.3.5
// and table 4-7).

// evalFloat applies a binary operator to two numbers of type t.
func evalFloat(op ExprOp, t Type, x, y int64) int64 {
	a, b := toFloat(t, x), toFloat(t, y)
	switch {
	case op.isFloatCompare():
		return truth(compareFloat(op, a, b))
	case a != a || b != b:
		return pickNaN(t, x, y, a != a)
	case t.Bits == 32:
		if r := compute(op, float32(a), float32(b)); r == r {
			return int64(math.Float32bits(r))
		}
	default:
		if r := compute(op, a, b); r == r {
			return int64(math.Float64bits(r))
		}
	}
	return defaultNaN(t)
}

func compute[F float32 | float64](op ExprOp, a, b F) F {
	switch op {
	case FAdd:
		return F(a + b)
	case FSub:
		return F(a - b)
	case FMul:
		return F(a * b)
	case FDiv:
		return F(a / b)
	default:
		panic("BUG: not an operator on floating point: " + op.String())
	}
}

// compareFloat compares; all comparisons with a NaN are false but !=.
func compareFloat(op ExprOp, a, b float64) bool {
	switch op {
	case FEq:
		return a == b
	case FNe:
		return a != b
	case FLt:
		return a < b
	case FLe:
		return a <= b
	case FGt:
		return a > b
	case FGe:
		return a >= b
	default:
		panic("BUG: not a comparison of floating point: " + op.String())
	}
}

// evalFloatUnary applies a unary operator whose operand or result is a number of floating point.
func evalFloatUnary(op ExprOp, t Type, x int64) int64 {
	switch op {
	case FNeg:
		return t.Wrap(x ^ 1<<(t.Bits-1))
	case FSqrt:
		return squareRoot(t, x)
	case IntToFloat:
		if t.Bits == 32 {
			return int64(math.Float32bits(float32(x)))
		}
		return int64(math.Float64bits(float64(x)))
	case UintToFloat:
		if t.Bits == 32 {
			return int64(math.Float32bits(float32(uint64(x))))
		}
		return int64(math.Float64bits(float64(uint64(x))))
	case FloatToFloat:
		return resizeFloat(t, x)
	case FloatToInt:
		return floatToInt(t, math.Float64frombits(uint64(x)))
	default:
		panic("BUG: not an operator on floating point: " + op.String())
	}
}

func squareRoot(t Type, x int64) int64 {
	v := toFloat(t, x)
	switch {
	case v != v:
		return quiet(t, x)
	case v < 0:
		return defaultNaN(t)
	case t.Bits == 32: // 53 digits are enough for the rounding to 24 to be right
		return int64(math.Float32bits(float32(math.Sqrt(v))))
	default:
		return int64(math.Float64bits(math.Sqrt(v)))
	}
}

// resizeFloat converts a number of the other type of floating point to t. A NaN keeps its sign and
// the leading bits of its payload.
func resizeFloat(t Type, x int64) int64 {
	if t.Bits == 64 {
		if v := math.Float32frombits(uint32(x)); v == v {
			return int64(math.Float64bits(float64(v)))
		}
		return quiet(F64, x>>31&1<<63|0x7ff<<52|(x&(1<<23-1))<<29)
	}
	if v := math.Float64frombits(uint64(x)); v == v {
		return int64(math.Float32bits(float32(v)))
	}
	return quiet(F32, int64(uint64(x)>>63<<31)|0xff<<23|x>>29&(1<<23-1))
}

// floatToInt converts to an integer, towards zero. What does not fit is undefined in C; the result
// here is that of the code that compilers make for x86: cvttsd2si gives the smallest number of 32 or
// 64 bits then, and types without an instruction of their own use that of a larger one.
func floatToInt(t Type, v float64) int64 {
	switch {
	case t.Bits == 64 && !t.Signed && v >= 1<<63:
		return truncate(v-1<<63, 64) ^ math.MinInt64
	case t.Bits == 64 || t.Bits == 32 && !t.Signed:
		return t.Wrap(truncate(v, 64))
	default:
		return t.Wrap(truncate(v, 32))
	}
}

// truncate is cvttsd2si with a result of some bits.
func truncate(v float64, bits uint) int64 {
	limit := math.Ldexp(1, int(bits)-1)
	if r := math.Trunc(v); r >= -limit && r < limit {
		return int64(r)
	}
	return -1 << (bits - 1)
}

// pickNaN returns the result of an operator with a NaN among its operands: the first one.
func pickNaN(t Type, x, y int64, first bool) int64 {
	if first {
		return quiet(t, x)
	}
	return quiet(t, y)
}

// quiet makes a NaN a quiet one.
func quiet(t Type, x int64) int64 {
	if t.Bits == 32 {
		return t.Wrap(x | 1<<22)
	}
	return x | 1<<51
}

// defaultNaN is the result of an invalid operation on numbers.
func defaultNaN(t Type) int64 {
	if t.Bits == 32 {
		return 0xffc0_0000
	}
	return -1 << 51
}

func toFloat(t Type, v int64) float64 {
	if t.Bits == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(uint64(v))
}

// FloatText returns the number of type t with a bit pattern as people write it: 1.5, -0.0, 1e+300,
// inf, nan. It has just as many digits as tell the number from its neighbours.
func FloatText(t Type, bits int64) string {
	v := toFloat(t, bits)
	switch {
	case v != v && toSign(t, bits):
		return "-nan"
	case v != v:
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	}
	text := strconv.FormatFloat(v, 'g', -1, int(t.Bits))
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func toSign(t Type, bits int64) bool { return bits>>(t.Bits-1)&1 != 0 }

// Float returns the constant v of type t. It is rounded if it does not fit.
func Float(t Type, v float64) *Expr {
	bits := int64(math.Float64bits(v))
	if t.Bits == 32 {
		bits = resizeFloat(F32, bits)
	}
	return &Expr{Op: Const, Type: t, Value: bits}
}

// Floats reports whether the operation computes with floating point. To move such numbers does not
// count.
func (op *Op) Floats() bool {
	found := false
	for _, e := range append([]*Expr{op.Addr, op.Val, op.Val2, op.Cond}, op.Call.Args...) {
		e.Walk(func(e *Expr) { found = found || e.Op.IsFloat() })
	}
	return found
}

// FloatingPoint returns the first edge that computes with floating point, nil if there is none.
func (p *Program) FloatingPoint() *Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Floats() {
				return &f.Edges[i]
			}
		}
	}
	return nil
}
