package types

// Sizes and alignments of the System V ABI for x86-64.

var sizes = [...]int64{
	Error: 1, Void: 1, Bool: 1, Char: 1, SChar: 1, UChar: 1, Short: 2, UShort: 2, Int: 4, UInt: 4, Long: 8, ULong: 8, LongLong: 8, ULongLong: 8,
	Int128: 16, UInt128: 16, Float16: 2, Float: 4, Double: 8, LongDouble: 16, Float128: 16,
}

// Size returns the size of a type in bytes; void and functions count 1, as in gcc, and types
// that are not complete or variable 0.
func (t *Type) Size() int64 {
	switch t.Kind {
	case Pointer:
		return 8
	case Function:
		return 1
	case Complex:
		return 2 * t.Elem.Size()
	case Array, Vector:
		if t.Len < 0 {
			return 0
		}
		return t.Len * t.Elem.Size()
	case Struct, Union:
		return t.Record.ByteSize
	case Enum:
		if t.Record.Int == nil {
			return 4
		}
		return t.Record.Int.Size()
	default:
		return sizes[t.Kind]
	}
}

// Align returns the alignment of a type in bytes.
func (t *Type) Align() int64 {
	if t.Aligned != 0 {
		return t.Aligned
	}
	natural := t.natural()
	if t.Qual&Atomic != 0 { // as wide as the object, if one instruction can access it
		if n := t.Size(); n > natural && n <= 16 && n&(n-1) == 0 {
			return n
		}
	}
	return natural
}

func (t *Type) natural() int64 {
	switch t.Kind {
	case Pointer:
		return 8
	case Function:
		return 1
	case Complex:
		return t.Elem.Align()
	case Array: // gcc does not raise the alignment of elements that are _Atomic
		if t.Elem.Aligned != 0 {
			return t.Elem.Aligned
		}
		return t.Elem.natural()
	case Vector:
		return t.Size()
	case Struct, Union:
		return max(1, t.Record.Alignment)
	case Enum:
		if t.Record.Int == nil {
			return 4
		}
		return t.Record.Int.Align()
	default:
		return sizes[t.Kind]
	}
}

// Layout lays out a struct or union: it sets the offsets of its members, its size and its
// alignment. aligned is an alignment that an attribute gives, 0: none; pack the limit of
// #pragma pack, 0: none.
func (r *Record) Layout(union bool, aligned, pack int64) {
	l := layout{r: r, union: union, pack: pack, align: 1}
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Bits >= 0 {
			l.bitField(f)
		} else {
			l.member(f)
		}
	}
	if aligned != 0 {
		l.align = max(l.align, aligned)
	}
	bytes := (l.end + 7) / 8
	r.Alignment = l.align
	r.ByteSize = roundUp(bytes, l.align)
	r.Complete = true
}

// layout is the state of laying out: bits used, and the largest alignment.
type layout struct {
	r     *Record
	union bool
	pack  int64
	at    int64 // in bits
	end   int64
	align int64
}

func roundUp(n, to int64) int64 {
	if to <= 1 {
		return n
	}
	return (n + to - 1) / to * to
}

// fieldAlign returns the alignment of a member.
func (l *layout) fieldAlign(f *Field) int64 {
	align := f.Type.Align()
	if f.Packed || l.r.Packed {
		align = 1
	}
	if f.Aligned != 0 {
		align = max(align, f.Aligned)
	}
	if l.pack != 0 {
		align = min(align, l.pack)
	}
	return align
}

func (l *layout) member(f *Field) {
	align := l.fieldAlign(f)
	if l.union {
		l.at = 0
	}
	l.at = roundUp(roundUp(l.at, 8), align*8)
	f.Offset, f.BitOffset, f.Alignment = l.at/8, l.at, align
	size := f.Type.Size()
	if f.Type.Kind == Array && f.Type.Len < 0 {
		size = 0
	}
	l.at += size * 8
	l.end = max(l.end, l.at)
	l.align = max(l.align, align)
}

// bitField puts a bit-field: it must not span more units of its type than the type has, unless
// it is packed or #pragma pack holds. A named one aligns the struct as its type does; one of
// width 0 ends the unit, whatever is packed. One that is as wide as an integer, and starts where
// such an integer may, is one, with its alignment: that matters where the type has another one.
func (l *layout) bitField(f *Field) {
	if l.union {
		l.at = 0
	}
	unit, align := f.Type.Size()*8, f.Type.Align()
	packed := f.Packed || l.r.Packed
	desired := int64(1) // in bits
	switch {
	case f.Bits == 0:
		desired = max(align, f.Aligned) * 8
	case f.Aligned != 0 && l.pack != 0:
		desired = min(f.Aligned, l.pack) * 8
	case f.Aligned != 0:
		desired = f.Aligned * 8
	}
	whole := wholeNumber(f.Bits) && l.at%f.Bits == 0 && !packed
	switch {
	case whole && l.pack != 0:
		desired = max(desired, min(f.Bits, l.pack*8))
	case whole:
		desired = max(desired, f.Bits)
	}
	l.at = roundUp(l.at, desired)
	if f.Bits > 0 && !whole && !packed && l.pack == 0 && crosses(l.at, f.Bits, align*8, unit) {
		l.at = roundUp(l.at, align*8)
	}
	f.BitOffset = l.at
	f.Offset = l.at / unit * unit / 8
	l.at += f.Bits
	l.end = max(l.end, l.at)
	if f.Name == "" {
		return
	}
	switch {
	case l.pack != 0:
		align = min(align, l.pack)
	case packed:
		align = 1
	}
	l.align = max(l.align, align, desired/8)
}

// wholeNumber reports whether an integer has this many bits.
func wholeNumber(bits int64) bool {
	return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128
}

// crosses reports whether bits from an offset on need more units of a type than the type has.
func crosses(at, bits, align, unit int64) bool {
	first, last := at/align, (at+bits+align-1)/align
	return last-first > unit/align
}
