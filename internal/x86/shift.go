package x86

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Shifts and rotations. The processor takes the count modulo 32, or modulo 64 for operands of 64 bits. With a count of
// 0 all flags stay. OF is defined for a count of 1 only.

// Shifts are the names of shifts and rotations with two operands.
var Shifts = map[string]bool{"shl": true, "sal": true, "shr": true, "sar": true, "rol": true, "ror": true, "rcl": true, "rcr": true}

// Shift is one of Shifts, of the first operand by a count that is not cut yet.
func Shift(m Machine, name string, bits int, count *ir.Expr) {
	count = cutCount(m, bits, count)
	if none(m, bits, count) {
		return
	}
	switch name {
	case "rol", "ror":
		rotate(m, name == "ror", bits, count)
	case "rcl", "rcr":
		rotateCarry(m, name == "rcr", bits, count)
	default:
		shift(m, name, bits, count)
	}
}

func cutCount(m Machine, bits int, count *ir.Expr) *ir.Expr {
	mask := int64(31)
	if bits == 64 {
		mask = 63
	}
	if n, ok := count.IsConst(); ok {
		return ir.Int(n & mask)
	}
	return m.Keep(word.And(count, ir.Int(mask)))
}

// none reports whether a count is 0. The operand is written then as it was.
func none(m Machine, bits int, count *ir.Expr) bool {
	n, ok := count.IsConst()
	if !ok || n != 0 {
		return false
	}
	m.Write(First, bits, m.Read(First, bits))
	return true
}

// unless makes flags stay if a count is 0.
func unless(f *Flags, count *ir.Expr) {
	if _, ok := count.IsConst(); !ok {
		f.Unless = word.Eq(count, ir.Int(0))
		f.Source = OtherSource
	}
}

// doubtful sets OF, which is defined for a count of 1 only.
func doubtful(f *Flags, count *ir.Expr, value *ir.Expr) {
	f.set(OF, value)
	if n, ok := count.IsConst(); !ok || n != 1 {
		f.Change[OF] = Doubtful
	}
}

func bit(x *ir.Expr, n int) *ir.Expr { return word.And(word.Shr(x, n), ir.Int(1)) }

func shift(m Machine, name string, bits int, count *ir.Expr) {
	a := m.Keep(m.Read(First, bits))
	before := word.Sub(count, ir.Int(1)) // the last bit that goes out is at the end after one shift less
	if n, ok := count.IsConst(); ok {
		before = ir.Int(n - 1)
	}
	var r, out, of *ir.Expr
	switch name {
	case "shr":
		r, out, of = word.Down(a, count), word.And(word.Down(a, before), ir.Int(1)), bit(a, bits-1)
	case "sar":
		s := word.Extend(a, bits)
		r = word.Cut(ir.Binary(ir.Shr, ir.S64, s, count), bits)
		out, of = word.And(ir.Binary(ir.Shr, ir.S64, s, before), ir.Int(1)), ir.Int(0)
	default:
		r = word.Cut(word.Left(a, count), bits)
		out = word.And(word.Down(word.Left(a, before), ir.Int(int64(bits-1))), ir.Int(1))
	}
	r = m.Keep(r)
	if of == nil {
		of = word.Xor(bit(r, bits-1), out)
	}
	m.Write(First, bits, r)
	f := &Flags{}
	f.set(CF, out)
	doubtful(f, count, of)
	f.result(r, bits, Result)
	unless(f, count)
	m.SetFlags(f)
}

// rotate is rol and ror: only CF and OF change.
func rotate(m Machine, right bool, bits int, count *ir.Expr) {
	a := m.Keep(m.Read(First, bits))
	n := m.Keep(word.And(count, ir.Int(int64(bits-1))))
	up, down := n, word.And(word.Sub(ir.Int(int64(bits)), n), ir.Int(int64(bits-1)))
	if right {
		up, down = down, up
	}
	r := m.Keep(word.Cut(word.Or(word.Left(a, up), word.Down(a, down)), bits))
	m.Write(First, bits, r)
	f := &Flags{}
	if right {
		f.set(CF, bit(r, bits-1))
		doubtful(f, count, word.Xor(bit(r, bits-1), bit(r, bits-2)))
	} else {
		f.set(CF, word.And(r, ir.Int(1)))
		doubtful(f, count, word.Xor(bit(r, bits-1), word.And(r, ir.Int(1))))
	}
	unless(f, count)
	m.SetFlags(f)
}

// rotateCarry is rcl and rcr: a rotation of the operand and the carry together, which are one bit more.
func rotateCarry(m Machine, right bool, bits int, count *ir.Expr) {
	n := m.Keep(ir.Binary(ir.Rem, ir.U64, count, ir.Int(int64(bits+1))))
	old, c := m.Keep(m.Read(First, bits)), m.Keep(m.Flag(CF))
	rest, before := m.Keep(word.Sub(ir.Int(int64(bits)), n)), word.Sub(n, ir.Int(1))
	var rotated, next *ir.Expr
	if right {
		over := word.Left(word.Shl(old, 1), rest) // by one more than rest
		rotated = word.Or(word.Or(word.Down(old, n), over), word.Left(c, rest))
		next = word.And(word.Down(old, before), ir.Int(1))
	} else {
		over := word.Down(word.Shr(old, 1), rest)
		rotated = word.Or(word.Or(word.Left(old, n), over), word.Left(c, before))
		next = word.And(word.Down(old, rest), ir.Int(1))
	}
	stays := m.Keep(word.Eq(n, ir.Int(0)))
	r := m.Keep(word.Cut(ir.Conditional(stays, old, rotated), bits))
	m.Write(First, bits, r)
	out := m.Keep(ir.Conditional(stays, c, next))
	f := &Flags{}
	f.set(CF, out)
	if right {
		doubtful(f, count, word.Xor(bit(r, bits-1), bit(r, bits-2)))
	} else {
		doubtful(f, count, word.Xor(bit(r, bits-1), out))
	}
	unless(f, count)
	m.SetFlags(f)
}

// ShiftPair is shld and shrd with operands of 32 and 64 bits: bits of the second operand come in. By more than 15 the
// result of 16 bits is undefined.
func ShiftPair(m Machine, right bool, bits int, count *ir.Expr) {
	count = cutCount(m, bits, count)
	if none(m, bits, count) {
		return
	}
	old, from := m.Keep(m.Read(First, bits)), m.Keep(m.Read(Second, bits))
	rest, some := word.Sub(ir.Int(int64(bits)), count), word.Ne(count, ir.Int(0))
	shifted, out := word.Or(word.Left(old, count), word.Down(from, rest)), rest
	if right {
		shifted, out = word.Or(word.Down(old, count), word.Left(from, rest)), word.Sub(count, ir.Int(1))
	}
	r := m.Keep(word.Cut(ir.Conditional(some, shifted, old), bits))
	m.Write(First, bits, r)
	f := &Flags{}
	f.set(CF, word.And(word.Down(old, out), ir.Int(1)))
	doubtful(f, count, bit(word.Xor(old, r), bits-1))
	f.result(r, bits, Result)
	unless(f, count)
	m.SetFlags(f)
}
