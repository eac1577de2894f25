package transform

import "fencepost/internal/ir"

// What auxiliary memory says, as expressions (shadow.go has the encoding).

// word is how auxiliary memory of an operation's size speaks.
func (s *shadow) word(op *ir.Op) word { return word{sizeOf(op), s.bytes} }

type word struct {
	size  int
	bytes bool
}

func (w word) typ() ir.Type { return ir.Type{Bits: uint8(8 * w.size), Signed: !w.bytes} }

// repeat is k in every byte, or once if bytes do not matter.
func (w word) repeat(k int64) int64 {
	if !w.bytes {
		return k
	}
	return w.typ().Wrap(k * 0x0101_0101_0101_0101)
}

// Levels of access; stored includes loaded.
func (w word) loaded() *ir.Expr { return ir.Int(w.repeat(1)) }
func (w word) stored() *ir.Expr { return ir.Int(w.repeat(3)) }

// isAccessed and isStored test the highest level.
func (w word) isAccessed(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Ne, w.typ(), x, ir.Int(0)) }

func (w word) isStored(x *ir.Expr) *ir.Expr {
	return ir.Binary(ir.Ne, w.typ(), ir.Binary(ir.And, w.typ(), x, ir.Int(w.repeat(2))), ir.Int(0))
}

// entry is what a delayed store leaves: all bits of each byte.
func (w word) entry() *ir.Expr { return ir.Int(w.repeat(w.present())) }

// present is what the entry of one byte is.
func (w word) present() int64 {
	if !w.bytes {
		return 1
	}
	return 0xff
}

// isCovered is the condition that all of the bytes have entries.
func (w word) isCovered(x *ir.Expr) *ir.Expr {
	if !w.bytes {
		return w.isAccessed(x)
	}
	return ir.Binary(ir.Eq, w.typ(), x, w.entry())
}

// mixed is a value of memory with the delayed bytes over it; entries and values are in
// registers.
func (w word) mixed(entries, values ir.Reg, v *ir.Expr) *ir.Expr {
	t := w.typ()
	own := ir.Binary(ir.And, t, ir.R(values), ir.R(entries))
	return ir.Binary(ir.Or, t, own, ir.Binary(ir.And, t, v, ir.Unary(ir.BitNot, t, ir.R(entries))))
}

// others is 1 in the bytes whose mark is not k, or 0 or 1 as a whole.
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

// marked is marks with k where no level is.
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
