// Package word builds expressions of ir over words of 64 bits. Numbers of fewer bits are extended with zeros unless a
// function says otherwise. Package x86 says with them what instructions compute, package lift what vectors hold.
package word

import "fencepost/internal/ir"

// Sub and the others apply an operator to words.
func Sub(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.Sub, ir.U64, x, y) }
func And(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.And, ir.U64, x, y) }
func Or(x, y *ir.Expr) *ir.Expr   { return ir.Binary(ir.Or, ir.U64, x, y) }
func Xor(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.Xor, ir.U64, x, y) }
func Mul(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.Mul, ir.U64, x, y) }
func Eq(x, y *ir.Expr) *ir.Expr   { return ir.Binary(ir.Eq, ir.U64, x, y) }
func Ne(x, y *ir.Expr) *ir.Expr   { return ir.Binary(ir.Ne, ir.U64, x, y) }
func Less(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.Lt, ir.U64, x, y) }
func Left(x, n *ir.Expr) *ir.Expr { return ir.Binary(ir.Shl, ir.U64, x, n) }
func Down(x, n *ir.Expr) *ir.Expr { return ir.Binary(ir.Shr, ir.U64, x, n) }

// Add adds, and keeps constants in one piece so that addresses stay readable.
func Add(x, y *ir.Expr) *ir.Expr {
	if c, ok := y.IsConst(); ok {
		return ir.Plus(x, c)
	}
	if c, ok := x.IsConst(); ok {
		return ir.Plus(y, c)
	}
	return ir.Binary(ir.Add, ir.U64, x, y)
}

// Shl and Shr shift by less than 64.
func Shl(x *ir.Expr, n int) *ir.Expr { return Left(x, ir.Int(int64(n))) }
func Shr(x *ir.Expr, n int) *ir.Expr { return Down(x, ir.Int(int64(n))) }

// Sign is 0 or, for a negative number of 64 bits, -1.
func Sign(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Shr, ir.S64, x, ir.Int(63)) }

// Cut returns the lowest bits of x, extended with zeros.
func Cut(x *ir.Expr, bits int) *ir.Expr {
	if bits == 64 || x.Op == ir.Cast && !x.Type.Signed && int(x.Type.Bits) <= bits || x.Op.IsTruth() {
		return x
	}
	if x.Op == ir.Cast && int(x.Type.Bits) >= bits {
		x = x.X
	}
	if c, ok := x.IsConst(); ok {
		return ir.Int(c & Mask(bits))
	}
	return ir.Unary(ir.Cast, ir.Type{Bits: uint8(bits)}, x)
}

// Extend returns the lowest bits of x, extended with their sign.
func Extend(x *ir.Expr, bits int) *ir.Expr {
	if bits == 64 {
		return x
	}
	if x.Op == ir.Cast && int(x.Type.Bits) >= bits {
		x = x.X
	}
	return ir.Unary(ir.Cast, ir.Type{Bits: uint8(bits), Signed: true}, x)
}

// SignBit is the number whose highest bit of so many is set.
func SignBit(bits int) *ir.Expr { return ir.Int(-1 << 63 >> (64 - bits) & Mask(bits)) }

// Mask is a number whose lowest bits are set.
func Mask(bits int) int64 { return int64(^uint64(0) >> (64 - bits)) }
