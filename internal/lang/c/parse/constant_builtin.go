package parse

import (
	"math"
	"math/bits"

	"fencepost/internal/lang/c/lex"
)

// foldCall returns the value of a function of the compiler with constant arguments.
func (p *parser) foldCall(e *Expr) (Value, bool) {
	f := e.A
	if f.Op == Decay {
		f = f.A
	}
	if f.Op != Name || f.Obj.Tok >= 0 {
		return Value{}, false
	}
	word := p.name(f.Obj.Name)
	number := func(n int) (Value, bool) { return Value{Kind: IntValue, Int: IntOf(int64(n))}, true }
	if word == "__builtin_constant_p" {
		v, ok := p.fold(e.Args[0])
		return number(b2i(ok && v.Kind != AddressValue || ok && v.Kind == AddressValue && v.Base.Op == StringConst && v.Offset == 0))
	}
	if len(e.Args) == 0 {
		switch word {
		case "__builtin_inf", "__builtin_inff", "__builtin_huge_val", "__builtin_huge_valf":
			return Value{Kind: FloatValue, Float: Float{Bits64: math.Inf(1)}}, true
		}
		return Value{}, false
	}
	v, ok := p.fold(e.Args[0])
	if !ok {
		return v, false
	}
	switch word {
	case "__builtin_expect", "__builtin_expect_with_probability":
		return v, true
	case "__builtin_nan", "__builtin_nanf":
		if v.Kind == AddressValue && v.Base.Op == StringConst && len(v.Base.Val.Units) == 0 {
			return Value{Kind: FloatValue, Float: Float{Bits64: quietNaN}}, true
		}
		return Value{}, false
	case "__builtin_strlen":
		if v.Kind != AddressValue || v.Base.Op != StringConst || v.Base.Val.Width != lex.Narrow || v.Offset < 0 || v.Offset > int64(len(v.Base.Val.Units)) {
			return Value{}, false
		}
		n := 0
		for _, u := range v.Base.Val.Units[v.Offset:] {
			if u == 0 {
				break
			}
			n++
		}
		return number(n)
	}
	return foldBits(e, word, v)
}

// foldBits returns the value of a function on the bits of an integer.
func foldBits(e *Expr, word string, v Value) (Value, bool) {
	if v.Kind != IntValue {
		return Value{}, false
	}
	x := v.Int.Lo
	number := func(n int) (Value, bool) { return Value{Kind: IntValue, Int: IntOf(int64(n))}, true }
	switch word {
	case "__builtin_popcount":
		return number(bits.OnesCount32(uint32(x)))
	case "__builtin_popcountl", "__builtin_popcountll":
		return number(bits.OnesCount64(x))
	case "__builtin_parity", "__builtin_parityl", "__builtin_parityll":
		if word == "__builtin_parity" {
			x = uint64(uint32(x))
		}
		return number(bits.OnesCount64(x) & 1)
	case "__builtin_ffs":
		return number((bits.TrailingZeros32(uint32(x)) + 1) * b2i(uint32(x) != 0))
	case "__builtin_ffsl", "__builtin_ffsll":
		return number((bits.TrailingZeros64(x) + 1) * b2i(x != 0))
	case "__builtin_clz":
		return Value{Kind: IntValue, Int: IntOf(int64(bits.LeadingZeros32(uint32(x))))}, uint32(x) != 0
	case "__builtin_clzl", "__builtin_clzll":
		return Value{Kind: IntValue, Int: IntOf(int64(bits.LeadingZeros64(x)))}, x != 0
	case "__builtin_ctz":
		return Value{Kind: IntValue, Int: IntOf(int64(bits.TrailingZeros32(uint32(x))))}, uint32(x) != 0
	case "__builtin_ctzl", "__builtin_ctzll":
		return Value{Kind: IntValue, Int: IntOf(int64(bits.TrailingZeros64(x)))}, x != 0
	case "__builtin_bswap16":
		return Value{Kind: IntValue, Int: Int{Lo: uint64(bits.ReverseBytes16(uint16(x)))}}, true
	case "__builtin_bswap32":
		return Value{Kind: IntValue, Int: Int{Lo: uint64(bits.ReverseBytes32(uint32(x)))}}, true
	case "__builtin_bswap64":
		return Value{Kind: IntValue, Int: Int{Lo: bits.ReverseBytes64(x)}}, true
	case "__builtin_abs", "__builtin_labs", "__builtin_llabs":
		if v.Int.Negative() {
			return intValue(v.Int.neg(), e.Type)
		}
		return v, true
	}
	return Value{}, false
}
