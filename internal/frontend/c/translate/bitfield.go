package translate

import (
	"slices"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Bit-fields. Where they lie is known from their types.
//
// A bit-field is read by a load of its unit and written by a load and a store of it,
// so writes to neighbours can get lost. The unit is the largest
// aligned word up to the size of the declared type that contains bytes of no other member.
// A packed bit-field may lie in several such words; it is accessed part by part, the lowest first.

// bitRange is where a bit-field lies inside its unit.
type bitRange struct {
	off    int64 // of the unit in the struct
	unit   ir.Type
	shift  uint
	width  uint // of the part in this unit
	signed bool

	total uint       // width of the field
	rest  []bitRange // the parts in further units
}

// mask is the bits of the part, at the bottom of a word.
func (b *bitRange) mask() int64 { return int64(^uint64(0) >> (64 - b.width)) }

// value is a value of the field after promotion [C11 6.3.1.1].
func (b *bitRange) value(e *ir.Expr, declared ir.Type) Value {
	switch {
	case b.total < 32 || b.total == 32 && b.signed:
		return Integer(e, ir.S32)
	case b.total == 32:
		return Integer(e, ir.U32)
	}
	v := Integer(e, declared)
	if b.total < 64 {
		v.width = uint8(b.total)
	}
	return v
}

// parts are all parts of the field, the lowest first, each as a field without sign.
func (b *bitRange) parts() []bitRange {
	first := *b
	first.rest, first.total, first.signed = nil, b.width, false
	return append([]bitRange{first}, b.rest...)
}

// placement is the bit-fields of a struct.
type placement map[*types.Field]*bitRange

// placements finds the bit-fields of a struct or union.
func (c *Layouts) placements(r *types.Record) placement {
	if p := c.placed[r]; p != nil {
		return p
	}
	p := placement{}
	c.placed[r] = p
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Bits > 0 {
			p[f] = chooseUnits(r, f)
		}
	}
	return p
}

// chooseUnits finds the words that a bit-field is accessed by.
func chooseUnits(r *types.Record, f *types.Field) *bitRange {
	t := f.Type
	at := f.BitOffset
	end := at + f.Bits
	var parts []bitRange
	for at < end {
		size := min(8, t.Size())
		for size > 1 && (roundDown(at/8, size)+size > r.ByteSize || overlapsMember(r, roundDown(at/8, size), size)) {
			size /= 2
		}
		off := roundDown(at/8, size)
		b := bitRange{off: off, unit: ir.Type{Bits: uint8(8 * size)}, shift: uint(at - 8*off)}
		b.width = uint(min(end, 8*(off+size)) - at)
		b.total = b.width
		parts = append(parts, b)
		at += int64(b.width)
	}
	out := parts[0]
	out.rest, out.total = parts[1:], uint(f.Bits)
	out.signed = !t.IsUnsigned()
	return &out
}

// overlapsMember reports whether a stretch of a struct holds bytes of a member that
// is no bit-field.
func overlapsMember(r *types.Record, off, size int64) bool {
	if r.Union {
		return false // members overlap anyway
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		if !f.IsBitField() && f.Offset < off+size && off < f.Offset+max(0, f.Type.Size()) {
			return true
		}
	}
	return false
}

func roundDown(n, to int64) int64 { return n / to * to }

// bitField is where a bit-field lies in its struct.
func (c *Layouts) bitField(f *types.Field, n parse.Node) bitRange {
	b := c.placements(f.Of)[f]
	if b == nil || f.Type.Size() > 8 {
		c.In.Refuse(codeBitField, n, "a bit-field of type %s is not supported", f.Type)
	}
	out := *b
	out.rest = slices.Clone(b.rest)
	return out
}

// units are the words that hold the bit-fields of a struct, those inside others
// left out.
func (p placement) units() []Leaf {
	var all []bitRange
	for _, b := range p {
		all = append(all, b.parts()...)
	}
	var out []Leaf
	for _, b := range all {
		keep := true
		for _, other := range all {
			inside := other.off <= b.off && b.off+int64(b.unit.Size()) <= other.off+int64(other.unit.Size())
			keep = keep && (!inside || other.unit == b.unit)
		}
		l := Leaf{b.off, b.unit}
		for _, have := range out {
			keep = keep && have != l
		}
		if keep {
			out = append(out, l)
		}
	}
	return out
}

// extract is the value of a bit-field in its unit.
func (b *bitRange) extract(unit *ir.Expr) *ir.Expr {
	if !b.signed {
		if b.shift > 0 {
			unit = ir.Binary(ir.Shr, b.unit, unit, ir.Int(int64(b.shift)))
		}
		return ir.Binary(ir.And, ir.U64, unit, ir.Int(b.mask()))
	}
	unit = ir.Binary(ir.Shl, ir.S64, unit, ir.Int(int64(64-b.shift-b.width)))
	return ir.Binary(ir.Shr, ir.S64, unit, ir.Int(int64(64-b.width)))
}

// insert is the unit with another value in the field.
func (b *bitRange) insert(unit, v *ir.Expr) *ir.Expr {
	hole := b.unit.Wrap(^(b.mask() << b.shift))
	rest := ir.Binary(ir.And, b.unit, unit, ir.Int(hole))
	return ir.Binary(ir.Or, b.unit, rest, b.positioned(v))
}

// positioned is a value at the lvalue of the field, and zeros around it.
func (b *bitRange) positioned(v *ir.Expr) *ir.Expr {
	v = ir.Binary(ir.And, ir.U64, v, ir.Int(b.mask()))
	if b.shift > 0 {
		v = ir.Binary(ir.Shl, b.unit, v, ir.Int(int64(b.shift)))
	}
	return v
}

// fit cuts a value to what the field can hold.
func (b *bitRange) fit(v Value) Value {
	return b.value(b.extended(v.Expr), v.Type)
}

// extended is the value of the field in the lowest bits of a word.
func (b *bitRange) extended(e *ir.Expr) *ir.Expr {
	low := bitRange{unit: ir.U64, width: b.total, signed: b.signed}
	return low.extract(e)
}

// loadBits reads a bit-field.
func (f *Accesses) loadBits(l Lvalue, n parse.Node) Value {
	declared := f.Types.Scalar(l.Type, n)
	if len(l.bits.rest) == 0 {
		return l.bits.value(l.bits.extract(f.loadUnit(l, l.bits)), declared)
	}
	word, below := ir.Int(0), uint(0)
	for _, b := range l.bits.parts() {
		part := b.extract(f.loadUnit(l, &b))
		word = ir.Binary(ir.Or, ir.U64, word, ir.Binary(ir.Shl, ir.U64, part, ir.Int(int64(below))))
		below += b.width
	}
	return f.Code.Save(l.bits.value(l.bits.extended(word), declared))
}

// loadUnit reads the unit of a part of the bit-field at l.
func (f *Accesses) loadUnit(l Lvalue, b *bitRange) *ir.Expr {
	return f.LoadWord(f.unitAt(l, b), b.unit, ir.Plain)
}

// unitAt is the lvalue of the unit of a part of the bit-field at l.
func (f *Accesses) unitAt(l Lvalue, b *bitRange) Lvalue {
	known := l.known
	if known > 0 {
		known = alignedTo(int64(known), b.off-l.bits.off)
	}
	l = f.Offset(l, b.off-l.bits.off)
	l.known = known
	return l
}

// storeBits writes a bit-field: the rest of its unit is read and written back.
func (f *Accesses) storeBits(l Lvalue, v Value) {
	below := uint(0)
	for _, b := range l.bits.parts() {
		part := v.Expr
		if below > 0 {
			part = ir.Binary(ir.Shr, ir.U64, part, ir.Int(int64(below)))
		}
		unit := f.loadUnit(l, &b)
		f.StoreWord(f.unitAt(l, &b), b.unit, b.insert(unit, part))
		below += b.width
	}
}

// Arithmetic on bit-fields of more than 32 bits and fewer than 64. gcc gives such a bit-field an integer type
// of its width, which takes part in the usual arithmetic conversions: of unsigned long f : 40 the values of
// f + 1 and f << 8 have 40 bits.

// cutTo cuts an integer to the width of a bit-field.
func cutTo(e *ir.Expr, width uint8, signed bool) *ir.Expr {
	low := bitRange{unit: ir.U64, width: uint(width), signed: signed}
	return low.extract(e)
}

// narrowed is a value of type t with the width of an operand.
func narrowed(v, operand Value) Value {
	if operand.width > 0 {
		v.Expr, v.width = cutTo(v.Expr, operand.width, v.Type.Signed), operand.width
	}
	return v
}

func isInteger(v Value) bool { return v.High == nil && v.Elem == nil && !v.Type.Float }

// precision is the number of bits of a value after promotion, and whether it has a sign.
func precision(v Value) (bits uint8, signed bool) {
	t := promote(v.Type)
	if v.width > 0 {
		return v.width, t.Signed
	}
	return t.Bits, t.Signed
}

// commonPrecision is the precision of the type of the usual arithmetic conversions.
func commonPrecision(x, y Value) (bits uint8, signed bool) {
	bits, signed = precision(x)
	switch other, too := precision(y); {
	case other > bits:
		return other, too
	case other == bits:
		signed = signed && too
	}
	return bits, signed
}

// fitted is an integer converted to the type of a bit-field of some width.
func fitted(v Value, t ir.Type, width uint8) Value {
	if v.width == width && v.Type.Signed == t.Signed {
		return v
	}
	out := Integer(cutTo(Cast(v.Expr, v.Type, t), width, t.Signed), t)
	out.width = width
	return out
}

// combineBits applies a binary operator to integers, one of which has the type of a bit-field.
func (f *Arithmetic) combineBits(op ir.ExprOp, x, y Value, n parse.Node) Value {
	plain := func(v Value) Value { v.width = 0; return v }
	if op == ir.Shl || op == ir.Shr {
		return narrowed(f.combine(op, plain(x), plain(y), n), x)
	}
	bits, signed := commonPrecision(x, y)
	if bits == 64 { // the values of the bit-field fit a long
		for _, v := range []*Value{&x, &y} {
			if v.width > 0 {
				v.Type, v.width = ir.S64, 0
			}
		}
		return f.combine(op, x, y, n)
	}
	t := ir.Type{Bits: 64, Signed: signed}
	x.Expr, y.Expr = cutTo(Cast(x.Expr, x.Type, t), bits, signed), cutTo(Cast(y.Expr, y.Type, t), bits, signed)
	out := f.combine(op, Integer(x.Expr, t), Integer(y.Expr, t), n)
	if op.IsCompare() {
		return out
	}
	return narrowed(out, Value{width: bits})
}
