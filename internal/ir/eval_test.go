package ir

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

var allTypes = []Type{S8, S16, S32, S64, U8, U16, U32, U64}

// samples are values of a type: its extremes, what is near zero, and noise.
func samples(t Type, rnd *rand.Rand) []int64 {
	vs := []int64{0, 1, 2, 3, 7, -1, -2, math.MinInt64, math.MaxInt64, 1 << (t.Bits - 1), 1<<(t.Bits-1) - 1, 1<<(t.Bits-1) + 1}
	for range 12 {
		vs = append(vs, int64(rnd.Uint64()))
	}
	for i, v := range vs {
		vs[i] = t.Wrap(v)
	}
	return vs
}

// number returns the number that a word of a type represents.
func number(t Type, v int64) *big.Int {
	if t.Signed {
		return big.NewInt(v)
	}
	return new(big.Int).SetUint64(uint64(v))
}

// cut is the word of a type that stands for n modulo its width.
func cut(t Type, n *big.Int) int64 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	m := new(big.Int).Mod(n, mod) // not negative
	if t.Signed && m.Bit(int(t.Bits)-1) == 1 {
		m.Sub(m, mod)
	}
	if m.IsInt64() {
		return m.Int64()
	}
	return int64(m.Uint64())
}

func truthOf(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// binaryMeaning is the operator over unbounded integers.
func binaryMeaning(op ExprOp, t Type, x, y *big.Int) *big.Int {
	z := new(big.Int)
	count := uint(new(big.Int).Mod(y, big.NewInt(int64(t.Bits))).Uint64())
	switch op {
	case Add:
		return z.Add(x, y)
	case Sub:
		return z.Sub(x, y)
	case Mul:
		return z.Mul(x, y)
	case Div:
		if y.Sign() == 0 {
			return z
		}
		return z.Quo(x, y)
	case Rem:
		if y.Sign() == 0 {
			return z
		}
		return z.Rem(x, y)
	case And:
		return z.And(x, y)
	case Or:
		return z.Or(x, y)
	case Xor:
		return z.Xor(x, y)
	case Shl:
		return z.Lsh(x, count)
	case Shr:
		return z.Rsh(x, count)
	case Eq:
		return truthOf(x.Cmp(y) == 0)
	case Ne:
		return truthOf(x.Cmp(y) != 0)
	case Lt:
		return truthOf(x.Cmp(y) < 0)
	case Le:
		return truthOf(x.Cmp(y) <= 0)
	case Gt:
		return truthOf(x.Cmp(y) > 0)
	case Ge:
		return truthOf(x.Cmp(y) >= 0)
	case LAnd:
		return truthOf(x.Sign() != 0 && y.Sign() != 0)
	case LOr:
		return truthOf(x.Sign() != 0 || y.Sign() != 0)
	}
	panic("BUG: unknown operator " + op.String())
}

func TestEvalBinary(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for _, typ := range allTypes {
		for _, x := range samples(typ, rnd) {
			for _, y := range samples(typ, rnd) {
				for op := Add; op <= LOr; op++ {
					want := binaryMeaning(op, typ, number(typ, x), number(typ, y))
					word := cut(typ, want)
					if op >= Eq {
						word = want.Int64()
					}
					if got := EvalBinary(op, typ, x, y); got != word {
						t.Fatalf("%d %s%s %d = %d, want %d", x, op, typ, y, got, word)
					}
				}
			}
		}
	}
}

func TestEvalUnary(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	for _, typ := range allTypes {
		for _, x := range samples(typ, rnd) {
			n := number(typ, x)
			for _, tt := range []struct {
				op   ExprOp
				want int64
			}{
				{Neg, cut(typ, new(big.Int).Neg(n))},
				{BitNot, cut(typ, new(big.Int).Not(n))},
				{Not, truthOf(x == 0).Int64()},
			} {
				if got := EvalUnary(tt.op, typ, x); got != tt.want {
					t.Errorf("%s%s %d = %d, want %d", tt.op, typ, x, got, tt.want)
				}
			}
			for _, to := range allTypes {
				if got, want := EvalUnary(Cast, to, x), cut(to, n); got != want {
					t.Errorf("(%s)%d of %s = %d, want %d", to, x, typ, got, want)
				}
			}
		}
	}
}

// TestEvalEdges states the cases that the language definition is about.
func TestEvalEdges(t *testing.T) {
	tests := []struct {
		op   ExprOp
		t    Type
		x, y int64
		want int64
	}{
		{Div, S32, math.MinInt32, -1, math.MinInt32},
		{Div, S64, math.MinInt64, -1, math.MinInt64},
		{Rem, S64, math.MinInt64, -1, 0},
		{Div, S64, -7, 2, -3},
		{Rem, S64, -7, 2, -1},
		{Div, U64, -1, 2, math.MaxInt64},
		{Div, S8, 5, 0, 0},
		{Rem, U8, 5, 0, 0},
		{Shl, U32, 1, 32, 1},
		{Shl, S32, 1, 31, math.MinInt32},
		{Shr, S32, -8, 33, -4},
		{Shr, U32, 0xffffffff, 31, 1},
		{Shr, U32, -1, 31, 1},
		{Shr, S64, math.MinInt64, 63, -1},
		{Shl, S64, 1, -1, math.MinInt64},
		{Mul, U32, 0xffffffff, 0xffffffff, 1},
		{Add, S8, 127, 1, -128},
		{Sub, U8, 0, 1, 255},
		{Lt, U64, -1, 0, 0},
		{Lt, S64, -1, 0, 1},
	}
	for _, tt := range tests {
		if got := EvalBinary(tt.op, tt.t, tt.x, tt.y); got != tt.want {
			t.Errorf("%d %s%s %d = %d, want %d", tt.x, tt.op, tt.t, tt.y, got, tt.want)
		}
	}
}
