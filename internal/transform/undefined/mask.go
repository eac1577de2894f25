//go:build !fencepost_small

package undefined

import (
	"math"
	"math/bits"

	"fencepost/internal/ir"
)

// Masks of expressions: which bits of a value are undefined, given those of the registers. A bit is undefined if it
// differs between two choices of the undefined bits of the operands, where these are independent of each other. That is
// exact for one operator, and for expressions in which no register occurs twice, with the exceptions below; x ^ x,
// x - x and comparisons of an expression with itself are defined. What is exact and what is not:
//
//   - and, or, xor, not, shifts by a defined number of bits, casts, so also reading and writing bit-fields;
//   - sums and differences: the least and the largest sum differ in all bits that are undefined;
//   - whether a difference is 0: by comparing its operands;
//   - comparisons: equality by the bits that are defined in both, order by least and largest values;
//   - && and ||, and c ? a : b by its arms if the condition is undefined;
//   - unsigned quotients and remainders by a power of two;
//   - not exact: products are undefined from the lowest undefined bit on, remainders of unsigned numbers by another constant in
//     all bits of numbers below it; other quotients and remainders, shifts by an undefined number of bits and floating
//     point as a whole.
//
// Differs from valgrind's memcheck, whose rules for sums and logical operators these are: products by a constant know its trailing zeros, and order is decided by least and largest values.

// masks builds the masks of expressions at a location of a function.
type masks struct {
	// of returns the register with the mask of a register, ir.NoReg if the register is defined.
	of func(ir.Reg) ir.Reg
	// keep returns a register that holds the mask of a part.
	keep func(*ir.Expr) *ir.Expr
}

func or(x, y *ir.Expr) *ir.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return bitwise(ir.Or, x, y)
}

func bitwise(op ir.ExprOp, x, y *ir.Expr) *ir.Expr { return ir.Binary(op, ir.U64, x, y) }

func inverse(x *ir.Expr) *ir.Expr { return ir.Unary(ir.BitNot, ir.U64, x) }

func isZero(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Eq, ir.U64, x, ir.Int(0)) }

func notZero(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Ne, ir.U64, x, ir.Int(0)) }

func andAlso(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.LAnd, ir.S64, x, y) }

// zeroIfNil returns the mask of a defined value for nil.
func zeroIfNil(m *ir.Expr) *ir.Expr {
	if m == nil {
		return ir.Int(0)
	}
	return m
}

// mask returns the undefined bits of an expression, nil if there are none.
func (b *masks) mask(e *ir.Expr) *ir.Expr {
	switch {
	case e.Undef:
		return ir.Int(e.Type.Wrap(-1))
	case e.Op == ir.RegRef:
		if r := b.of(e.Reg); r != ir.NoReg {
			return ir.R(r)
		}
		return nil
	case e.X == nil:
		return nil
	}
	x, y := b.part(e.X), b.part(e.Y)
	if e.Op == ir.Ite {
		return b.conditional(e, x, y, b.part(e.Z))
	}
	if x == nil && y == nil {
		return nil
	}
	if e.Op.IsFloat() {
		all := ir.Int(e.Type.Wrap(-1))
		if e.Op.IsTruth() {
			all = ir.Int(1)
		}
		return ir.Conditional(notZero(or(x, y)), all, ir.Int(0))
	}
	if e.Op.IsUnary() {
		return b.unaryMask(e, x)
	}
	return b.binaryMask(e, x, y)
}

// part returns the mask of a part of an expression, in a register if it is computed.
func (b *masks) part(e *ir.Expr) *ir.Expr {
	if e == nil {
		return nil
	}
	m := b.mask(e)
	if m == nil || m.X == nil {
		return m
	}
	return b.keep(m)
}

// truth returns the mask of whether an expression is not 0, nil if that is defined.
func (b *masks) truth(e *ir.Expr) *ir.Expr {
	m := b.part(e)
	if m == nil || e.Op.IsTruth() {
		return m
	}
	return b.unsure(e, m)
}

// unsure is 1 if it is undefined whether an expression with the mask m is 0. A difference is 0 if its operands are equal,
// which says more than its bits do.
func (b *masks) unsure(e, m *ir.Expr) *ir.Expr {
	x, y := e.X, e.Y
	switch {
	case e.Op == ir.Neg:
		x, y = ir.Int(0), e.X
	case e.Op != ir.Sub || x.Equal(y):
		return unsureZero(e, m)
	}
	m = or(b.part(x), b.part(y))
	if m == nil {
		return ir.Int(0)
	}
	return unsureZero(ir.Unary(ir.Cast, e.Type, bitwise(ir.Xor, x, y)), ir.Unary(ir.Cast, e.Type, m))
}

// unsureZero is 1 if it is undefined whether a value with undefined bits is 0.
func unsureZero(e, m *ir.Expr) *ir.Expr {
	return andAlso(notZero(m), isZero(bitwise(ir.And, e, inverse(m))))
}

func (b *masks) conditional(e *ir.Expr, _, y, z *ir.Expr) *ir.Expr {
	c := b.truth(e.X)
	if c == nil && y == nil && z == nil {
		return nil
	}
	decided := ir.Conditional(e.X, zeroIfNil(y), zeroIfNil(z))
	if c == nil {
		return decided
	}
	either := or(or(y, z), bitwise(ir.Xor, e.Y, e.Z))
	return ir.Conditional(c, either, decided)
}

func (b *masks) unaryMask(e, x *ir.Expr) *ir.Expr {
	switch e.Op {
	case ir.Neg:
		return b.binaryMask(ir.Binary(ir.Sub, e.Type, ir.Int(0), e.X), nil, x)
	case ir.Not:
		return b.unsure(e.X, x)
	default: // BitNot, Cast
		return ir.Unary(ir.Cast, e.Type, x)
	}
}

// binaryMask returns the mask of an operator on integers; one of x and y, the masks of its operands, may be nil.
func (b *masks) binaryMask(e, x, y *ir.Expr) *ir.Expr {
	t, any := e.Type, or(x, y)
	cut := func(m *ir.Expr) *ir.Expr { return ir.Unary(ir.Cast, t, m) }
	if e.X.Equal(e.Y) && (e.Op == ir.Xor || e.Op == ir.Sub || e.Op.IsCompare()) {
		return nil
	}
	switch e.Op {
	case ir.And:
		return cut(or(covered(x, e.Y, y), covered(y, e.X, x)))
	case ir.Or:
		return cut(or(covered(x, inverse(e.Y), y), covered(y, inverse(e.X), x)))
	case ir.Xor:
		return cut(any)
	case ir.Add:
		least := bitwise(ir.Add, low(e.X, x), low(e.Y, y))
		most := bitwise(ir.Add, high(e.X, x), high(e.Y, y))
		return cut(or(any, bitwise(ir.Xor, least, most)))
	case ir.Sub:
		least := bitwise(ir.Sub, low(e.X, x), high(e.Y, y))
		most := bitwise(ir.Sub, high(e.X, x), low(e.Y, y))
		return cut(or(any, bitwise(ir.Xor, least, most)))
	case ir.Mul:
		return cut(productMask(e, x, y))
	case ir.Shl, ir.Shr:
		moved := ir.Int(0)
		if x != nil {
			moved = ir.Binary(e.Op, t, x, e.Y)
		}
		if y == nil {
			return moved
		}
		nothing := isZero(or(e.X, zeroIfNil(x))) // no bits to move
		return ir.Conditional(isZero(y), moved, ir.Conditional(nothing, ir.Int(0), ir.Int(t.Wrap(-1))))
	case ir.Div, ir.Rem:
		return quotientMask(e, x, y)
	case ir.LAnd, ir.LOr:
		return b.logicalMask(e, x, y)
	default:
		return b.compareMask(e, x, y)
	}
}

// covered returns the bits of mask m that show through the other operand of an and: those in which it may be 1.
func covered(m, other, otherMask *ir.Expr) *ir.Expr {
	if m == nil {
		return nil
	}
	return bitwise(ir.And, m, or(other, otherMask))
}

// low and high return a value with all undefined bits 0, or 1.
func low(e, m *ir.Expr) *ir.Expr {
	if m == nil {
		return e
	}
	return bitwise(ir.And, e, inverse(m))
}

func high(e, m *ir.Expr) *ir.Expr {
	if m == nil {
		return e
	}
	return bitwise(ir.Or, e, m)
}

// productMask returns all bits from the lowest undefined one on. A factor that is 0 makes a product defined.
func productMask(e, x, y *ir.Expr) *ir.Expr {
	smear := func(m *ir.Expr) *ir.Expr { return bitwise(ir.Or, m, ir.Unary(ir.Neg, ir.U64, m)) }
	for _, side := range []struct{ factor, mask, m *ir.Expr }{{e.Y, y, x}, {e.X, x, y}} {
		k, known := side.factor.IsConst()
		if !known || side.mask != nil || side.m == nil {
			continue
		}
		if k == 0 {
			return ir.Int(0)
		}
		return smear(bitwise(ir.Mul, side.m, ir.Int(k&-k)))
	}
	zero := ir.Int(0)
	for _, side := range []struct{ v, m *ir.Expr }{{e.X, x}, {e.Y, y}} {
		zero = ir.Binary(ir.LOr, ir.S64, zero, isZero(or(side.v, side.m)))
	}
	return ir.Conditional(zero, ir.Int(0), smear(or(x, y)))
}

// quotientMask returns the mask of a quotient or remainder. A constant divisor of unsigned numbers says more: a power of two
// moves bits, or cuts them off, and a remainder is less than its divisor.
func quotientMask(e, x, y *ir.Expr) *ir.Expr {
	t := e.Type
	k, known := e.Y.IsConst()
	if !known || y != nil || k <= 0 || t.Signed || e.Op == ir.Div && k&(k-1) != 0 {
		return ir.Conditional(notZero(or(x, y)), ir.Int(t.Wrap(-1)), ir.Int(0))
	}
	switch {
	case e.Op == ir.Div:
		x = ir.Binary(ir.Shr, ir.U64, x, ir.Int(int64(bits.TrailingZeros64(uint64(k)))))
	case k&(k-1) == 0:
		x = bitwise(ir.And, x, ir.Int(k-1))
	default:
		x = ir.Conditional(notZero(x), ir.Int(1<<bits.Len64(uint64(k-1))-1), ir.Int(0))
	}
	return ir.Unary(ir.Cast, t, x)
}

// logicalMask returns the mask of && or ||. An operand that is defined and decides alone makes the result defined.
func (b *masks) logicalMask(e, x, y *ir.Expr) *ir.Expr {
	unsure, decided := ir.Int(0), ir.Int(0)
	for _, side := range []struct{ v, m *ir.Expr }{{e.X, x}, {e.Y, y}} {
		u := ir.Int(0)
		if side.m != nil {
			if u = side.m; !side.v.Op.IsTruth() {
				u = b.unsure(side.v, side.m)
			}
		}
		is := isZero(side.v)
		if e.Op == ir.LOr {
			is = notZero(side.v)
		}
		unsure = ir.Binary(ir.LOr, ir.S64, unsure, u)
		decided = ir.Binary(ir.LOr, ir.S64, decided, andAlso(isZero(u), is))
	}
	return andAlso(unsure, isZero(decided))
}

// compareMask returns the mask of a comparison.
func (b *masks) compareMask(e, x, y *ir.Expr) *ir.Expr {
	any := or(x, y)
	if zero, is := e.Y.IsConst(); is && zero == 0 && (e.Op == ir.Eq || e.Op == ir.Ne) {
		return b.unsure(e.X, x)
	}
	if e.Op == ir.Eq || e.Op == ir.Ne {
		differ := bitwise(ir.And, bitwise(ir.Xor, e.X, e.Y), inverse(any))
		return andAlso(notZero(any), isZero(differ))
	}
	// x < y for all choices, or for none?
	lowX, highX := extremes(e.X, x, e.Type)
	lowY, highY := extremes(e.Y, y, e.Type)
	return ir.Binary(ir.Ne, ir.S64, ir.Binary(e.Op, e.Type, highX, lowY), ir.Binary(e.Op, e.Type, lowX, highY))
}

// extremes returns the least and the largest value that an operand of type t can have. If its sign is undefined, the bits from
// the sign of the type on are all the same.
func extremes(e, m *ir.Expr, t ir.Type) (least, most *ir.Expr) {
	if m == nil {
		return e, e
	}
	if !t.Signed {
		return low(e, m), high(e, m)
	}
	undefinedSign := ir.Binary(ir.Shr, ir.S64, m, ir.Int(63)) // all bits, or none
	sign := bitwise(ir.And, bitwise(ir.And, m, undefinedSign), ir.Int(math.MinInt64>>(64-t.Bits)))
	return bitwise(ir.Or, low(e, m), sign), bitwise(ir.And, high(e, m), inverse(sign))
}
