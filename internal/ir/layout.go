package ir

import (
	"fmt"
)

// LayoutKind is the kind of a layout. The zero value is unset.
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

// Layout gives the names that people use for the parts of an object: node.next, q.slot[3]. It
// only names: the effect of an access depends on addresses alone.
type Layout struct {
	Kind   LayoutKind
	Name   string // of a record, such as node for struct node; "" if it has none
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

// Size returns how many bytes the layout describes.
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

// Part returns the name of the bytes at off, to be put after the name of the object: .next,
// [3].val, or .bytes[1..2] for bytes that are no part by themselves. It also returns the layout
// of the part, nil if the bytes are no part.
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

// BytesName returns the name of size bytes at an offset, to be put after the name of the thing
// they belong to.
func BytesName(off, size int64) string {
	if size == 1 {
		return fmt.Sprintf(".byte[%d]", off)
	}
	return fmt.Sprintf(".bytes[%d..%d]", off, off+size-1)
}

// At returns the name of the outermost part that begins at off.
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

// Pointee returns the name of what an address points to that is off bytes after the beginning: as At, but
// the beginning of an array is its first element.
func (l *Layout) Pointee(off int64) string {
	if off == 0 && l.Kind == ArrayLayout && l.Count > 0 {
		return "[0]"
	}
	return l.At(off)
}

// joinPart returns the name of a part of a member. A member without a name is transparent.
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
	if l.Kind != m.Kind || l.Name != m.Name || l.Type != m.Type || l.Count != m.Count || l.Bytes != m.Bytes || len(l.Fields) != len(m.Fields) {
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

// problem returns what is wrong with a layout, or "".
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
