package parse

import (
	"math"
	"math/big"
	"strings"

	"fencepost/internal/lang/c/types"
)

// Floating constants. float and double are computed by Go, which rounds as IEEE 754 says;
// long double and _Float128 with 64 and 113 bits, as long as their exponents are in range.

// Float is a floating value of a type.
type Float struct {
	Bits64 float64    // of float and double
	Big    *big.Float // of wider types, nil: Bits64 counts
	NaN    bool       // of wider types
}

func precisionOf(t *types.Type) uint {
	switch t.Kind {
	case types.LongDouble:
		return 64
	case types.Float128:
		return 113
	case types.Double:
		return 53
	case types.Float:
		return 24
	default:
		return 11
	}
}

func isWide(t *types.Type) bool { return t.Kind == types.LongDouble || t.Kind == types.Float128 }

// quietNaN is the NaN of gcc's constants; that of package math has another number.
var quietNaN = math.Float64frombits(0x7ff8 << 48)

// exact returns a float as a number of any precision, false for NaN.
func (f Float) exact() (*big.Float, bool) {
	if f.Big != nil {
		return f.Big, true
	}
	if f.NaN || math.IsNaN(f.Bits64) {
		return nil, false
	}
	return big.NewFloat(f.Bits64), true
}

// to converts to a floating type. It reports false where the result is not known exactly.
func (f Float) to(t *types.Type) (Float, bool) {
	switch t.Kind {
	case types.Double:
		return f.narrow(64), true
	case types.Float:
		return f.narrow(32), true
	case types.LongDouble, types.Float128:
		x, ok := f.exact()
		if !ok {
			return Float{NaN: true}, true
		}
		if x.IsInf() {
			return Float{Big: x}, true
		}
		r := new(big.Float).SetPrec(precisionOf(t)).Set(x)
		return Float{Big: r}, inRange(r)
	default:
		return Float{}, false
	}
}

func inRange(x *big.Float) bool {
	e := x.MantExp(nil)
	return x.Sign() == 0 || x.IsInf() || e >= -16381 && e <= 16384 // 0.5 <= mantissa < 1
}

func (f Float) narrow(bits int) Float {
	switch {
	case f.NaN:
		return Float{Bits64: quietNaN}
	case f.Big != nil && bits == 64:
		v, _ := f.Big.Float64()
		return Float{Bits64: v}
	case f.Big != nil:
		v, _ := f.Big.Float32()
		return Float{Bits64: float64(v)}
	case bits == 32:
		return Float{Bits64: float64(float32(f.Bits64))}
	default:
		return Float{Bits64: f.Bits64}
	}
}

// IsZero reports whether a float is 0.
func (f Float) IsZero() bool {
	if f.Big != nil {
		return f.Big.Sign() == 0
	}
	return f.Bits64 == 0 && !f.NaN
}

// ofInt converts an integer to a floating type.
func ofInt(a Int, unsigned bool, t *types.Type) (Float, bool) {
	x := new(big.Float).SetPrec(128).SetInt(a.big(unsigned))
	if isWide(t) {
		return Float{Big: new(big.Float).SetPrec(precisionOf(t)).Set(x)}, true
	}
	return Float{Big: x}.to(t)
}

// toInt converts to an integer type, towards zero. Values that do not fit become the nearest
// one that does, as gcc folds them.
func (f Float) toInt(t *types.Type) Int {
	x, ok := f.exact()
	if !ok {
		return Int{}
	}
	if t.Kind == types.Bool {
		return Int{Lo: uint64(b2i(x.Sign() != 0))}
	}
	low, high := limits(t)
	if x.IsInf() {
		if x.Sign() < 0 {
			return fromBig(low)
		}
		return fromBig(high)
	}
	if x.MantExp(nil) > 200 {
		if x.Sign() < 0 {
			return fromBig(low)
		}
		return fromBig(high)
	}
	v, _ := x.Int(nil)
	if v.Cmp(low) < 0 {
		v = low
	}
	if v.Cmp(high) > 0 {
		v = high
	}
	return fromBig(v)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// limits returns the smallest and the largest value of an integer type.
func limits(t *types.Type) (low, high *big.Int) {
	n := uint(t.Bits())
	one := big.NewInt(1)
	if t.IsUnsigned() {
		high = new(big.Int).Lsh(one, n)
		return new(big.Int), high.Sub(high, one)
	}
	high = new(big.Int).Lsh(one, n-1)
	return new(big.Int).Neg(high), new(big.Int).Sub(high, one)
}

// arith computes a binary operation in a type. It reports false if the operator is none, or
// the result is not known exactly.
func (f Float) arith(op Op, g Float, t *types.Type) (Float, bool) {
	if !isWide(t) {
		a, b := f.Bits64, g.Bits64
		var r float64
		switch op {
		case Add:
			r = a + b
		case Sub:
			r = a - b
		case Mul:
			r = a * b
		case Div:
			if b == 0 {
				return Float{}, false // gcc leaves it to run time
			}
			r = a / b
		default:
			return Float{}, false
		}
		if t.Kind == types.Float {
			r = float64(float32(r))
		}
		return Float{Bits64: r}, true
	}
	a, ok1 := f.exact()
	b, ok2 := g.exact()
	if !ok1 || !ok2 || a.IsInf() || b.IsInf() {
		return Float{}, false
	}
	r := new(big.Float).SetPrec(precisionOf(t))
	switch op {
	case Add:
		r.Add(a, b)
	case Sub:
		r.Sub(a, b)
	case Mul:
		r.Mul(a, b)
	case Div:
		if b.Sign() == 0 {
			return Float{}, false
		}
		r.Quo(a, b)
	default:
		return Float{}, false
	}
	return Float{Big: r}, inRange(r)
}

func (f Float) negate() Float {
	if f.Big != nil {
		return Float{Big: new(big.Float).SetPrec(f.Big.Prec()).Neg(f.Big)}
	}
	return Float{Bits64: -f.Bits64, NaN: f.NaN}
}

// compare returns -1, 0 or 1; false if one is NaN.
func (f Float) compare(g Float) (int, bool) {
	a, ok1 := f.exact()
	b, ok2 := g.exact()
	if !ok1 || !ok2 {
		return 0, false
	}
	return a.Cmp(b), true
}

// parseFloat returns the value and the type of a floating constant.
func parseFloat(text string) (v Float, t *types.Type, imag, ok bool) {
	body := strings.ReplaceAll(text, "'", "")
	hex := strings.HasPrefix(body, "0x") || strings.HasPrefix(body, "0X")
	end := len(body)
	for end > 0 {
		c := body[end-1]
		if c >= '0' && c <= '9' || c == '.' || hex && strings.IndexByte("abcdefABCDEF", c) >= 0 && !strings.ContainsAny(body[:end-1], "pP") {
			break
		}
		end--
	}
	suffix := strings.ToLower(body[end:])
	if i := strings.LastIndexAny(body, "fF"); !hex && i > 0 { // _Float32 and its like: f32
		if s := strings.ToLower(body[i:]); s == "f32" || s == "f64" || s == "f128" || s == "f32x" || s == "f64x" || s == "f16" {
			end, suffix = i, s
		}
	}
	if strings.ContainsAny(suffix, "ij") {
		imag = true
		suffix = strings.NewReplacer("i", "", "j", "").Replace(suffix)
	}
	t = floatSuffix(suffix)
	if t == nil {
		return v, nil, false, false
	}
	x, _, err := big.ParseFloat(body[:end], 0, 2200, big.ToNearestEven)
	if err != nil {
		return v, nil, false, false
	}
	v, ok = Float{Big: x}.to(t)
	return v, t, imag, ok || t.Kind == types.Float16
}

func floatSuffix(s string) *types.Type {
	switch s {
	case "", "d":
		return types.Of(types.Double)
	case "f":
		return types.Of(types.Float)
	case "l":
		return types.Of(types.LongDouble)
	case "q":
		return types.Of(types.Float128)
	case "f128":
		return types.Of(types.Float128)
	case "f32":
		return floatN("_Float32", types.Float)
	case "f64":
		return floatN("_Float64", types.Double)
	case "f32x":
		return floatN("_Float32x", types.Double)
	case "f64x":
		return floatN("_Float64x", types.LongDouble)
	case "f16":
		return types.Of(types.Float16)
	case "w":
		return types.Of(types.LongDouble)
	default:
		return nil
	}
}

// floatN returns a type of its own with the values of another.
func floatN(name string, k types.Kind) *types.Type {
	return &types.Type{Kind: k, Extended: true, Name: name}
}
