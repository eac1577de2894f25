package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Bit-fields. Where they lie is computed here, as compilers for x86-64 do: a field
// goes after the one before it unless it would cross a boundary of its type's
// size, and then to the next such boundary. cc lays out everything else; a struct of
// which it makes something else than compilers do is refused.
//
// A bit-field is read by a load of its unit and written by a load and a store of it,
// so writes to neighbours can get lost. The unit is the largest
// aligned word up to the size of the declared type that contains bytes of no other member.

// bitRange is where a bit-field lies inside its unit.
type bitRange struct {
	off    int64 // of the unit in the struct
	unit   ir.Type
	shift  uint
	width  uint
	signed bool
}

// mask is the bits of the field, at the bottom of a word.
func (b *bitRange) mask() int64 { return int64(^uint64(0) >> (64 - b.width)) }

// valueType is the type of the field's values after promotion [C11 6.3.1.1].
func (b *bitRange) valueType(declared ir.Type) ir.Type {
	if b.width < 32 || b.width == 32 && b.signed {
		return ir.S32
	}
	return declared
}

// structure has the methods that structs and unions of cc have in common.
type structure interface {
	cc.Type
	NumFields() int
	FieldByIndex(int) *cc.Field
}

// placement is the bit-fields of a struct, by index of the field.
type placement struct {
	bits map[int]*bitRange
	ok   bool // cc agrees on everything else
}

// placements finds the bit-fields of a struct or union.
func (c *Layouts) placements(s structure) *placement {
	first := s.FieldByIndex(0)
	if p := c.placed[first]; p != nil {
		return p
	}
	p := &placement{bits: map[int]*bitRange{}, ok: true}
	c.placed[first] = p
	at, align := int64(0), int64(1)
	for i := range s.NumFields() {
		f := s.FieldByIndex(i)
		t := f.Type()
		if s.Kind() == cc.Union {
			at = 0
		}
		if !f.IsBitfield() {
			align = max(align, int64(t.Align()))
			if i > 0 && s.FieldByIndex(i-1).IsBitfield() { // cc and gcc can differ there
				at = roundUp(at, 8*int64(t.Align()))
			} else {
				at = alignedAt(at, int64(t.Align()), 8*f.Offset())
			}
			p.ok = p.ok && f.Offset()*8 == at
			if !f.IsFlexibleArrayMember() {
				at += 8 * max(0, t.Size())
			}
			continue
		}
		unit, width := 8*t.Size(), f.ValueBits()
		if width == 0 {
			at = roundUp(at, unit)
			continue
		}
		if at/unit != (at+width-1)/unit {
			at = roundUp(at, unit)
		}
		if f.Name() != "" {
			align = max(align, int64(t.Align()))
		}
		p.bits[i] = &bitRange{off: at, width: uint(width)} // in bits, until the units are known
		at += width
	}
	if s.Kind() == cc.Struct {
		align = max(align, int64(s.Align())) // members can have an attribute aligned
		p.ok = p.ok && s.Size() == roundUp(at, 8*align)/8
	}
	for i, b := range p.bits {
		c.chooseUnit(s, i, b, p)
	}
	return p
}

// alignedAt returns where a member begins, in bits, after at. If an attribute aligns the member more than
// its type does, its offset says how much.
func alignedAt(at, align, offset int64) int64 {
	for a := align; a <= 1<<12; a *= 2 {
		if roundUp(at, 8*a) == offset {
			return offset
		}
	}
	return roundUp(at, 8*align)
}

// chooseUnit finds the word a bit-field is accessed by.
func (c *Layouts) chooseUnit(s structure, index int, b *bitRange, p *placement) {
	t := s.FieldByIndex(index).Type()
	at := b.off
	b.signed = cc.IsSignedInteger(t)
	if it, ok := IntType(t); ok {
		b.signed = it.Signed && t.Kind() != cc.Bool
	}
	for size := t.Size(); size > 0; size /= 2 {
		off := at / (8 * size) * size
		if at+int64(b.width) > 8*(off+size) {
			break
		}
		if off+size > s.Size() || overlapsMember(s, off, size) {
			continue
		}
		b.off, b.shift = off, uint(at-8*off)
		b.unit = ir.Type{Bits: uint8(8 * size)}
		return
	}
	p.ok = false
}

// overlapsMember reports whether a stretch of a struct holds bytes of a member that
// is no bit-field.
func overlapsMember(s structure, off, size int64) bool {
	if s.Kind() == cc.Union {
		return false // members overlap anyway
	}
	for i := range s.NumFields() {
		f := s.FieldByIndex(i)
		if !f.IsBitfield() && f.Offset() < off+size && off < f.Offset()+max(0, f.Type().Size()) {
			return true
		}
	}
	return false
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// bitField is where a bit-field of a struct lies, relative to the struct that f's
// own offset is relative to.
func (c *Layouts) bitField(f *cc.Field, n cc.Node) bitRange {
	s, ok := f.ParentType().(structure)
	if !ok {
		c.In.Refuse(codeBitField, n, "this bit-field is not supported")
	}
	p := c.placements(s)
	b := p.bits[f.Index()]
	if b == nil || !p.ok || !b.unit.Valid() {
		c.refuseLayout(n, s)
	}
	out := *b
	out.off += f.Offset() - s.FieldByIndex(f.Index()).Offset() // of anonymous structs around
	return out
}

func (c *Layouts) refuseLayout(n cc.Node, s structure) {
	r := c.In.NotSupported(codeBitField, c.In.Span(n), "the layout of %s with its bit-fields is not supported", s)
	r.Diag.Note("a bit-field cannot share a word of its type with other members; let the bit-fields begin at such a word")
	panic(r)
}

// checkLayout refuses types with bit-fields that cc lays out in another way than
// compilers.
func (c *Layouts) checkLayout(t cc.Type, n cc.Node) {
	switch t.Kind() {
	case cc.Array:
		c.checkLayout(t.(*cc.ArrayType).Elem(), n)
	case cc.Struct, cc.Union:
		s := t.(structure)
		for i := range s.NumFields() {
			f := s.FieldByIndex(i)
			if !f.IsBitfield() {
				c.checkLayout(f.Type(), n)
			} else if !c.placements(s).ok {
				c.refuseLayout(n, s)
			}
		}
	}
}

// units are the words that hold the bit-fields of a struct, those inside others
// left out.
func (p *placement) units() []Leaf {
	var out []Leaf
	for _, b := range p.bits {
		keep := true
		for _, other := range p.bits {
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
	low := bitRange{unit: ir.U64, width: b.width, signed: b.signed}
	v.Expr = low.extract(v.Expr)
	v.Type = b.valueType(v.Type)
	return v
}

// loadBits reads a bit-field.
func (f *Accesses) loadBits(l Lvalue, n cc.Node) Value {
	declared := f.Types.Scalar(l.Type, n)
	op := Access(ir.Load, l, l.bits.unit, ir.Plain)
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return Integer(l.bits.extract(ir.R(op.Dst)), l.bits.valueType(declared))
}

// storeBits writes a bit-field: the rest of its unit is read and written back.
func (f *Accesses) storeBits(l Lvalue, v Value) {
	op := Access(ir.Load, l, l.bits.unit, ir.Plain)
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	f.StoreWord(l, l.bits.unit, l.bits.insert(ir.R(op.Dst), v.Expr))
}
