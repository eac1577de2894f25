package ir

import (
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
)

// floatSamples are numbers of a type as bits: zeros, subnormal numbers, the extremes, halfway cases
// and noise. There is no NaN among them.
var floatTypes = []Type{F32, F64}

func floatSamples(t Type, rnd *rand.Rand) []int64 {
	one, least, huge := int64(0x3f80_0000), int64(1), int64(0x7f7f_ffff)
	inf, mantissa := int64(0x7f80_0000), int64(1<<23-1)
	if t == F64 {
		one, huge = 0x3ff0_0000_0000_0000, 0x7fef_ffff_ffff_ffff
		inf, mantissa = 0x7ff0_0000_0000_0000, 1<<52-1
	}
	vs := []int64{0, one, one + 1, least, least + 2, mantissa, mantissa + 1, huge, huge - 1, inf}
	for range 12 {
		v := t.Wrap(int64(rnd.Uint64())) &^ (1 << (t.Bits - 1))
		if v > inf {
			v &= one | mantissa
		}
		vs = append(vs, v, one+rnd.Int63()&mantissa) // two of similar size
	}
	for _, v := range vs[:len(vs):len(vs)] {
		vs = append(vs, t.Wrap(v|1<<(t.Bits-1)))
	}
	return vs
}

// nearest returns the bits of the number of type t that is nearest to r.
func nearest(t Type, r *big.Rat) int64 {
	if t == F32 {
		v, _ := r.Float32()
		return int64(math.Float32bits(v))
	}
	v, _ := r.Float64()
	return int64(math.Float64bits(v))
}

// rational returns a finite number.
func rational(t Type, bits int64) *big.Rat { return new(big.Rat).SetFloat64(toFloat(t, bits)) }

func finite(t Type, bits ...int64) bool {
	for _, b := range bits {
		if v := toFloat(t, b); math.IsInf(v, 0) || v != v {
			return false
		}
	}
	return true
}

// TestEvalFloat compares with exact arithmetic on fractions, rounded once.
func TestEvalFloat(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for _, typ := range floatTypes {
		for _, x := range floatSamples(typ, rnd) {
			for _, y := range floatSamples(typ, rnd) {
				if !finite(typ, x, y) {
					continue
				}
				a, b := rational(typ, x), rational(typ, y)
				for op, exact := range map[ExprOp]func(z, a, b *big.Rat) *big.Rat{
					FAdd: (*big.Rat).Add, FSub: (*big.Rat).Sub, FMul: (*big.Rat).Mul, FDiv: (*big.Rat).Quo,
				} {
					if op == FDiv && b.Sign() == 0 {
						continue
					}
					r := exact(new(big.Rat), a, b)
					got := EvalBinary(op, typ, x, y)
					if want := nearest(typ, r); got<<(64-typ.Bits+1) != want<<(64-typ.Bits+1) || r.Sign() != 0 && got != want {
						t.Fatalf("%s %s%s %s = %s, want %s", FloatText(typ, x), op, typ, FloatText(typ, y), FloatText(typ, got), FloatText(typ, want))
					}
				}
				for op := FEq; op <= FGe; op++ {
					ints := Eq + op - FEq
					if got, want := EvalBinary(op, typ, x, y), EvalBinary(ints, S64, int64(a.Cmp(b)), 0); got != want {
						t.Fatalf("%s %s%s %s = %d", FloatText(typ, x), op, typ, FloatText(typ, y), got)
					}
				}
			}
		}
	}
}

// TestEvalFloatUnary compares conversions and square roots with arithmetic of many digits.
func TestEvalFloatUnary(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	for _, typ := range floatTypes {
		for _, x := range floatSamples(typ, rnd) {
			if !finite(typ, x) {
				continue
			}
			other := floatTypes[1-(typ.Bits/64)]
			if got, want := EvalUnary(FloatToFloat, other, x), nearest(other, rational(typ, x)); got != want && rational(typ, x).Sign() != 0 {
				t.Errorf("(%s)%s = %s, want %s", other, FloatText(typ, x), FloatText(other, got), FloatText(other, want))
			}
			if v := rational(typ, x); v.Sign() > 0 {
				root, _ := new(big.Float).SetPrec(300).Sqrt(new(big.Float).SetPrec(300).SetRat(v)).Rat(nil)
				if got, want := EvalUnary(FSqrt, typ, x), nearest(typ, root); got != want {
					t.Errorf("sqrt(%s) = %s, want %s", FloatText(typ, x), FloatText(typ, got), FloatText(typ, want))
				}
			}
			for _, to := range allTypes {
				wide := x
				if typ == F32 {
					wide = EvalUnary(FloatToFloat, F64, x)
				}
				v := rational(typ, x)
				n := new(big.Int).Quo(v.Num(), v.Denom())
				if word := cut(to, n); number(to, word).Cmp(n) == 0 {
					if got := EvalUnary(FloatToInt, to, wide); got != word {
						t.Errorf("(%s)%s = %d, want %d", to, FloatText(typ, x), got, word)
					}
				}
			}
		}
		for _, v := range samples(S64, rnd) {
			if got, want := EvalUnary(IntToFloat, typ, v), nearest(typ, new(big.Rat).SetInt64(v)); got != want {
				t.Errorf("(%s)%d = %s, want %s", typ, v, FloatText(typ, got), FloatText(typ, want))
			}
			if got, want := EvalUnary(UintToFloat, typ, v), nearest(typ, new(big.Rat).SetUint64(uint64(v))); got != want {
				t.Errorf("(%s)%du = %s, want %s", typ, uint64(v), FloatText(typ, got), FloatText(typ, want))
			}
		}
	}
}

// TestEvalFloatEdges states the cases of IEEE 754 and of SSE2 that are no rounding: signed zeros,
// infinities, NaNs, and integers that do not fit.
func TestEvalFloatEdges(t *testing.T) {
	const (
		inf, minusInf   = 0x7ff0_0000_0000_0000, -1 << 52
		zero, minusZero = 0, math.MinInt64
		one             = 0x3ff0_0000_0000_0000
		indefinite      = -1 << 51
		quietNaN        = 0x7ff8_0000_0000_0abc
		signallingNaN   = 0x7ff0_0000_0000_0def
	)
	for _, tt := range []struct {
		op         ExprOp
		x, y, want int64
	}{
		{FAdd, minusZero, minusZero, minusZero}, {FAdd, minusZero, zero, zero}, {FSub, one, one, zero}, {FMul, minusZero, one, minusZero},
		{FDiv, one, zero, inf}, {FDiv, one, minusZero, minusInf}, {FDiv, zero, zero, indefinite}, {FSub, inf, inf, indefinite}, {FMul, zero, inf, indefinite},
		{FAdd, quietNaN, one, quietNaN}, {FAdd, one, quietNaN, quietNaN}, {FAdd, signallingNaN, quietNaN, signallingNaN | 1<<51}, {FAdd, quietNaN, signallingNaN, quietNaN},
		{FEq, zero, minusZero, 1}, {FNe, quietNaN, quietNaN, 1}, {FEq, quietNaN, quietNaN, 0}, {FLt, quietNaN, one, 0}, {FGe, quietNaN, one, 0},
		{FLe, one, quietNaN, 0}, {FGt, one, quietNaN, 0}, {FLt, minusInf, inf, 1},
	} {
		if got := EvalBinary(tt.op, F64, tt.x, tt.y); got != tt.want {
			t.Errorf("%x %s %x = %x, want %x", uint64(tt.x), tt.op, uint64(tt.y), uint64(got), uint64(tt.want))
		}
	}
	bits := func(v float64) int64 { return int64(math.Float64bits(v)) }
	for _, tt := range []struct {
		op      ExprOp
		t       Type
		x, want int64
	}{
		{FNeg, F64, zero, minusZero}, {FNeg, F64, quietNaN, quietNaN | math.MinInt64}, {FNeg, F32, 0x3f80_0000, 0xbf80_0000},
		{FSqrt, F64, minusZero, minusZero}, {FSqrt, F64, minusInf, indefinite}, {FSqrt, F64, inf, inf}, {FSqrt, F32, 0xbf80_0000, 0xffc0_0000},
		{FSqrt, F64, signallingNaN, signallingNaN | 1<<51},
		{FloatToFloat, F32, quietNaN, 0x7fc0_0000}, {FloatToFloat, F64, 0xffa0_0001, -1<<52 | 0xc_0000_2000_0000}, {FloatToFloat, F32, bits(1e300), 0x7f80_0000},
		{FloatToFloat, F32, minusZero, 0x8000_0000},
		{FloatToInt, S32, bits(2147483648), math.MinInt32}, {FloatToInt, S32, bits(-2147483648.9), math.MinInt32}, {FloatToInt, S32, quietNaN, math.MinInt32},
		{FloatToInt, S64, inf, math.MinInt64}, {FloatToInt, S64, bits(-9223372036854775808), math.MinInt64}, {FloatToInt, U32, bits(-1), math.MaxUint32},
		{FloatToInt, U64, bits(18446744073709549568), -2048}, {FloatToInt, U64, bits(-1), -1}, {FloatToInt, U64, inf, 0},
		{FloatToInt, U8, bits(300), 44}, {FloatToInt, U8, bits(1e10), 0}, {FloatToInt, S8, bits(-0.99), 0},
		{IntToFloat, F32, 16777217, 0x4b80_0000}, {IntToFloat, F32, 1<<60 + 1<<36 + 1, 0x5d80_0001}, {UintToFloat, F64, -1, bits(18446744073709551616)},
	} {
		if got := EvalUnary(tt.op, tt.t, tt.x); got != tt.want {
			t.Errorf("%s at %s of %x = %x, want %x", tt.op, tt.t, uint64(tt.x), uint64(got), uint64(tt.want))
		}
	}
}

func TestFloatText(t *testing.T) {
	for want, v := range map[string]float64{
		"1.5": 1.5, "-0.0": math.Copysign(0, -1), "100.0": 100, "1e-07": 1e-7, "1e+300": 1e300, "inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN(),
	} {
		if got := FloatText(F64, int64(math.Float64bits(v))); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if got := FloatText(F32, int64(math.Float32bits(0.1))); got != "0.1" {
		t.Errorf("0.1f is written %s", got)
	}
	if got := FloatText(F64, defaultNaN(F64)); got != "-nan" {
		t.Errorf("the default NaN is written %s", got)
	}
}

// TestVerifyFloat gives operators types that they do not work at.
func TestVerifyFloat(t *testing.T) {
	for _, e := range []*Expr{
		{Op: Add, Type: F64, X: R(0), Y: R(0)}, {Op: FAdd, Type: S64, X: R(0), Y: R(0)}, {Op: FEq, Type: U32, X: R(0), Y: R(0)},
		{Op: FloatToInt, Type: F64, X: R(0)}, {Op: Ite, Type: F64, X: R(0), Y: R(0), Z: R(0)},
	} {
		p := &Program{}
		if problem := p.exprProblem(&Func{Regs: make([]Register, 1)}, e, false); !strings.Contains(problem, "does not work at") {
			t.Errorf("%s at %s: %q", e.Op, e.Type, problem)
		}
	}
	op := NewOp(RMW)
	op.RMW, op.Type, op.Sync.Order, op.Addr, op.Val = FetchAdd, F64, SeqCst, Int(0), Int(0)
	if problems := op.FieldProblems(); len(problems) != 1 || !strings.Contains(problems[0], "computes with integers") {
		t.Errorf("an addition of floating point in one RMW: %v", problems)
	}
}
