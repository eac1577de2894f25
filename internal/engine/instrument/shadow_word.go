package instrument

import "fencepost/internal/ir"

// Expressions over the contents of auxiliary memory (shadow.go has the encoding).

// word returns the encoding of auxiliary memory for the size of an operation.
func (s *shadow) word(op *ir.Op) word { return word{op.AccessSize(), s.bytes} }

// word is the encoding of auxiliary memory for accesses of one size.
type word struct {
	size  int
	bytes bool // there is one entry per byte
}

// typ returns the type of an access to auxiliary memory.
func (w word) typ() ir.Type { return ir.Type{Bits: uint8(8 * w.size), Signed: !w.bytes} }

// repeat returns a number with k in every byte, or k if there is only one entry.
func (w word) repeat(k int64) int64 {
	if !w.bytes {
		return k
	}
	return w.typ().Wrap(k * 0x0101_0101_0101_0101)
}

// loaded returns the level of a load.
func (w word) loaded() *ir.Expr { return ir.Int(w.repeat(1)) }

// stored returns the level of a store, which includes the bits of loaded.
func (w word) stored() *ir.Expr { return ir.Int(w.repeat(3)) }

// isAccessed returns the condition that some byte of x has an entry.
func (w word) isAccessed(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Ne, w.typ(), x, ir.Int(0)) }

// isStored returns the condition that some byte of level x was stored.
func (w word) isStored(x *ir.Expr) *ir.Expr {
	return ir.Binary(ir.Ne, w.typ(), ir.Binary(ir.And, w.typ(), x, ir.Int(w.repeat(2))), ir.Int(0))
}

// entry returns the entries of all bytes that a delayed store writes.
func (w word) entry() *ir.Expr { return ir.Int(w.repeat(w.present())) }

// present returns the entry of one delayed byte.
func (w word) present() int64 {
	if !w.bytes {
		return 1
	}
	return 0xff
}

// isCovered returns the condition that all bytes of x have entries.
func (w word) isCovered(x *ir.Expr) *ir.Expr {
	if !w.bytes {
		return w.isAccessed(x)
	}
	return ir.Binary(ir.Eq, w.typ(), x, w.entry())
}

// mixed returns the value v of memory with the delayed bytes in it, given the registers
// that hold their entries and values.
func (w word) mixed(entries, values ir.Reg, v *ir.Expr) *ir.Expr {
	t := w.typ()
	newer := ir.Binary(ir.And, t, ir.R(values), ir.R(entries))
	return ir.Binary(ir.Or, t, newer, ir.Binary(ir.And, t, v, ir.Unary(ir.BitNot, t, ir.R(entries))))
}

// others returns a number with 1 in each byte whose mark is not k, or 0 or 1 if there is
// only one entry.
func (w word) others(marks *ir.Expr, k int64) *ir.Expr {
	t := w.typ()
	if !w.bytes {
		return ir.Binary(ir.Ne, t, marks, ir.Int(k))
	}
	x := ir.Binary(ir.Xor, t, marks, ir.Int(w.repeat(k)))
	low := ir.Int(w.repeat(0x7f))
	some := ir.Binary(ir.Or, t, ir.Binary(ir.Add, t, ir.Binary(ir.And, t, x, low), low), x)
	return ir.Binary(ir.And, t, ir.Binary(ir.Shr, t, some, ir.Int(7)), ir.Int(w.repeat(1)))
}

// marked returns the marks with k in each byte whose level is 0.
func (w word) marked(marks, levels *ir.Expr, k int64) *ir.Expr {
	t := w.typ()
	if !w.bytes {
		return ir.Conditional(ir.Binary(ir.Eq, t, levels, ir.Int(0)), ir.Int(k), marks)
	}
	none := ir.Binary(ir.And, t, ir.Unary(ir.BitNot, t, levels), ir.Int(w.repeat(1)))
	all := ir.Binary(ir.Mul, t, none, ir.Int(0xff))
	keep := ir.Binary(ir.And, t, marks, ir.Unary(ir.BitNot, t, all))
	return ir.Binary(ir.Or, t, keep, ir.Binary(ir.And, t, ir.Int(w.repeat(k)), all))
}
