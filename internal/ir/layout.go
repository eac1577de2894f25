package ir

import (
	"fmt"
	"strings"
)

// LayoutKind tells layouts apart. The zero value is unset.
type LayoutKind uint8

// The kinds of layouts.
const (
	LayoutUnset   LayoutKind = iota
	ScalarLayout             // an integer of Type
	PointerLayout            // an address
	ArrayLayout              // Count times Elem
	RecordLayout             // Fields, which may overlap, in Bytes bytes
	OpaqueLayout             // Bytes bytes whose parts have no names, such as a mutex
)

// Layout says what people call the parts of an object: node.next, q.slot[3]. It
// names and nothing else: what an access does depends on addresses alone.
type Layout struct {
	Kind   LayoutKind
	Type   Type
	Elem   *Layout
	Count  int64
	Fields []Field
	Bytes  int64
}

// Field is a member of a record.
type Field struct {
	Name   string
	Off    int64
	Layout *Layout
}

// Layout names the parts of an object.
func (b *Builder) Layout(o ObjectID, l *Layout) { b.p.Objects[o].Layout = l }

// Size is how many bytes the layout describes.
func (l *Layout) Size() int64 {
	switch l.Kind {
	case ScalarLayout:
		return int64(l.Type.Size())
	case PointerLayout:
		return 8
	case ArrayLayout:
		return l.Count * l.Elem.Size()
	case RecordLayout, OpaqueLayout:
		return l.Bytes
	default:
		panic(fmt.Sprintf("BUG: unknown layout %d", l.Kind))
	}
}

// Part is the name of the bytes at off, as it follows the object's: .next, [3].val,
// .bytes[1..2] for what is no part by itself. The layout is that of the part, nil
// where it is none.
func (l *Layout) Part(off, size int64) (string, *Layout) {
	if l.Kind == OpaqueLayout || off == 0 && size == l.Size() && l.Kind != ArrayLayout && l.Kind != RecordLayout {
		return "", l
	}
	switch {
	case l.Kind == ArrayLayout && l.Elem.Size() > 0:
		unit := l.Elem.Size()
		if i := off / unit; i < l.Count && off%unit+size <= unit {
			name, part := l.Elem.Part(off%unit, size)
			return fmt.Sprintf("[%d]%s", i, name), part
		}
	case l.Kind == RecordLayout:
		var rest string // inside a member, but no part of it
		for _, f := range l.Fields {
			if off < f.Off || off+size > f.Off+f.Layout.Size() {
				continue
			}
			name, part := f.Layout.Part(off-f.Off, size)
			name = joinPart(f.Name, name)
			if part != nil {
				return name, part
			}
			if rest == "" {
				rest = name
			}
		}
		if rest != "" {
			return rest, nil
		}
	}
	return BytesName(off, size), nil
}

// BytesName is the name of size bytes at an offset, behind the name of what they are in.
func BytesName(off, size int64) string {
	if size == 1 {
		return fmt.Sprintf(".byte[%d]", off)
	}
	return fmt.Sprintf(".bytes[%d..%d]", off, off+size-1)
}

// At is the name of the outermost part that begins at off.
func (l *Layout) At(off int64) string {
	switch {
	case off == 0:
		return ""
	case l.Kind == ArrayLayout && l.Elem.Size() > 0 && off/l.Elem.Size() < l.Count:
		return fmt.Sprintf("[%d]%s", off/l.Elem.Size(), l.Elem.At(off%l.Elem.Size()))
	case l.Kind == RecordLayout:
		for _, f := range l.Fields {
			if off >= f.Off && off < f.Off+f.Layout.Size() {
				return joinPart(f.Name, f.Layout.At(off-f.Off))
			}
		}
	}
	return fmt.Sprintf(".bytes[%d]", off)
}

// joinPart is the name of a part of a member; members without a name are
// transparent.
func joinPart(field, part string) string {
	if field == "" {
		return part
	}
	return "." + field + part
}

// Equal reports whether two layouts are the same.
func (l *Layout) Equal(m *Layout) bool {
	if l == nil || m == nil {
		return l == m
	}
	if l.Kind != m.Kind || l.Type != m.Type || l.Count != m.Count || l.Bytes != m.Bytes || len(l.Fields) != len(m.Fields) {
		return false
	}
	for i, f := range l.Fields {
		if g := m.Fields[i]; f.Name != g.Name || f.Off != g.Off || !f.Layout.Equal(g.Layout) {
			return false
		}
	}
	return l.Elem.Equal(m.Elem)
}

// maxLayout bounds the bytes of a layout, so that sizes do not overflow.
const maxLayout = 1 << 40

// problem says what is wrong with a layout, or "".
func (l *Layout) problem() string {
	switch l.Kind {
	case ScalarLayout:
		if !l.Type.Valid() {
			return fmt.Sprintf("the layout has a scalar of %d bits", l.Type.Bits)
		}
	case PointerLayout:
	case ArrayLayout:
		if l.Elem == nil || l.Count < 0 {
			return "the layout has a broken array"
		}
		if p := l.Elem.problem(); p != "" {
			return p
		}
		if n := l.Elem.Size(); n > 0 && l.Count > maxLayout/n {
			return "the layout has a huge array"
		}
	case RecordLayout, OpaqueLayout:
		if l.Bytes < 0 || l.Bytes > maxLayout {
			return "the layout has a size that cannot be"
		}
		for _, f := range l.Fields {
			if f.Layout == nil {
				return "the layout has a member without a layout"
			}
			if p := f.Layout.problem(); p != "" {
				return p
			}
			if f.Off < 0 || f.Off+f.Layout.Size() > l.Bytes {
				return fmt.Sprintf("the member %s is outside its record", f.Name)
			}
		}
	default:
		return fmt.Sprintf("unknown layout %d", l.Kind)
	}
	return ""
}

// The words of the printed form. It is read back by parser.layoutOf:
//
//	u32   ptr   array 4 u8   record 16 { next 0 ptr, v 8 s32 }   opaque 16
const (
	layoutWord  = "layout"
	pointerWord = "ptr"
	arrayWord   = "array"
	recordWord  = "record"
	opaqueWord  = "opaque"
)

func (l *Layout) String() string {
	switch l.Kind {
	case ScalarLayout:
		return l.Type.String()
	case PointerLayout:
		return pointerWord
	case ArrayLayout:
		return fmt.Sprintf("%s %d %s", arrayWord, l.Count, l.Elem)
	case OpaqueLayout:
		return fmt.Sprintf("%s %d", opaqueWord, l.Bytes)
	case RecordLayout:
		var fields []string
		for _, f := range l.Fields {
			fields = append(fields, fmt.Sprintf("%s %d %s", quoteName(f.Name), f.Off, f.Layout))
		}
		return fmt.Sprintf("%s %d { %s }", recordWord, l.Bytes, strings.Join(fields, ", "))
	default:
		return fmt.Sprintf("layout(%d)", l.Kind)
	}
}

// layoutOf reads a layout.
func (ps *parser) layoutOf() *Layout {
	ps.nesting++
	defer func() { ps.nesting-- }()
	if ps.nesting > maxNesting {
		ps.fail(codeSyntax, "the layout is nested too deeply")
		return &Layout{Kind: OpaqueLayout}
	}
	switch {
	case ps.word(pointerWord):
		return &Layout{Kind: PointerLayout}
	case ps.word(opaqueWord):
		return &Layout{Kind: OpaqueLayout, Bytes: ps.integer()}
	case ps.word(arrayWord):
		n := ps.integer()
		return &Layout{Kind: ArrayLayout, Count: n, Elem: ps.layoutOf()}
	case ps.word(recordWord):
		l := &Layout{Kind: RecordLayout, Bytes: ps.integer()}
		ps.expect("{")
		for more := !ps.isPunct("}"); more && !ps.bad; more = ps.accept(",") {
			f := Field{Name: ps.name("the name of a member")}
			f.Off = ps.integer()
			f.Layout = ps.layoutOf()
			l.Fields = append(l.Fields, f)
		}
		ps.expect("}")
		return l
	}
	return &Layout{Kind: ScalarLayout, Type: ps.typ()}
}
