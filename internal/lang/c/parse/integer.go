package parse

import (
	"math/big"
	"math/bits"

	"fencepost/internal/lang/c/types"
)

// Int is an integer of 128 bits. A value of a narrower type is extended as its type says.
type Int struct{ Lo, Hi uint64 }

// IntOf returns a signed number.
func IntOf(v int64) Int { return Int{uint64(v), uint64(v >> 63)} }

// Int64 returns the lowest 64 bits.
func (a Int) Int64() int64 { return int64(a.Lo) }

// IsZero reports whether all bits are 0.
func (a Int) IsZero() bool { return a.Lo|a.Hi == 0 }

// Negative reports whether the number is negative, if it is signed.
func (a Int) Negative() bool { return int64(a.Hi) < 0 }

// fit cuts a number to a type, and extends it again.
func (a Int) fit(t *types.Type) Int {
	if t.Kind == types.Bool {
		if a.IsZero() {
			return a
		}
		return Int{Lo: 1}
	}
	return a.fitBits(t.Bits(), t.IsUnsigned())
}

func (a Int) fitBits(n int, unsigned bool) Int {
	switch {
	case n >= 128:
		return a
	case n == 64 && unsigned:
		return Int{Lo: a.Lo}
	case n == 64:
		return IntOf(int64(a.Lo))
	case n > 64:
		return a
	case unsigned:
		return Int{Lo: a.Lo & (1<<n - 1)}
	default:
		return IntOf(int64(a.Lo<<(64-n)) >> (64 - n))
	}
}

func (a Int) add(b Int) Int {
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(a.Hi, b.Hi, c)
	return Int{lo, hi}
}

func (a Int) neg() Int { return Int{^a.Lo, ^a.Hi}.add(Int{Lo: 1}) }

func (a Int) sub(b Int) Int { return a.add(b.neg()) }

func (a Int) mul(b Int) Int {
	hi, lo := bits.Mul64(a.Lo, b.Lo)
	return Int{lo, hi + a.Hi*b.Lo + a.Lo*b.Hi}
}

func (a Int) shl(n uint) Int {
	switch {
	case n >= 128:
		return Int{}
	case n >= 64:
		return Int{0, a.Lo << (n - 64)}
	case n == 0:
		return a
	default:
		return Int{a.Lo << n, a.Hi<<n | a.Lo>>(64-n)}
	}
}

// shr shifts right, and keeps the sign.
func (a Int) shr(n uint) Int {
	sign := uint64(int64(a.Hi) >> 63)
	switch {
	case n >= 128:
		return Int{sign, sign}
	case n >= 64:
		return Int{uint64(int64(a.Hi) >> (n - 64)), sign}
	case n == 0:
		return a
	default:
		return Int{a.Lo>>n | a.Hi<<(64-n), uint64(int64(a.Hi) >> n)}
	}
}

func (a Int) lshr(n uint) Int {
	switch {
	case n >= 128:
		return Int{}
	case n >= 64:
		return Int{a.Hi >> (n - 64), 0}
	case n == 0:
		return a
	default:
		return Int{a.Lo>>n | a.Hi<<(64-n), a.Hi >> n}
	}
}

// less compares; unsigned: as numbers without a sign.
func (a Int) less(b Int, unsigned bool) bool {
	if a.Hi != b.Hi {
		if unsigned {
			return a.Hi < b.Hi
		}
		return int64(a.Hi) < int64(b.Hi)
	}
	return a.Lo < b.Lo
}

// big returns the number for package big.
func (a Int) big(unsigned bool) *big.Int {
	negative := !unsigned && a.Negative()
	if negative {
		a = a.neg()
	}
	v := new(big.Int).SetUint64(a.Hi)
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(a.Lo))
	if negative {
		v.Neg(v)
	}
	return v
}

func fromBig(v *big.Int) Int {
	mask := new(big.Int).SetUint64(^uint64(0))
	abs := new(big.Int).Abs(v)
	lo := new(big.Int).And(abs, mask).Uint64()
	hi := new(big.Int).And(new(big.Int).Rsh(abs, 64), mask).Uint64()
	n := Int{lo, hi}
	if v.Sign() < 0 {
		n = n.neg()
	}
	return n
}

// divide divides towards zero. b is not 0.
func (a Int) divide(b Int, unsigned bool) (q, r Int) {
	x, y := a.big(unsigned), b.big(unsigned)
	bq, br := new(big.Int).QuoRem(x, y, new(big.Int))
	return fromBig(bq), fromBig(br)
}
