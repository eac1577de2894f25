package elf

import (
	"debug/dwarf"
	"strings"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// layout returns the names of the parts of a variable, from the debug information; nil if there is none that
// fits.
func (p *program) layout(d *datum) *ir.Layout {
	if len(d.parts) > 0 {
		return p.sectionLayout(d)
	}
	t := p.image.Lines.TypeOf(d.name, d.sec.Addr+d.off)
	if t == nil {
		return nil
	}
	l := p.layoutOf(t, 0)
	if l == nil || l.Size() <= 0 || l.Size() > int64(d.size) {
		return nil
	}
	if l.Size() < int64(d.size) { // what follows belongs to the object, too
		l = &ir.Layout{Kind: ir.RecordLayout, Bytes: int64(d.size), Fields: []ir.Field{{Layout: l}}}
	}
	return l
}

// sectionLayout names the variables of a section that is one object.
func (p *program) sectionLayout(d *datum) *ir.Layout {
	out := &ir.Layout{Kind: ir.RecordLayout, Name: d.name, Bytes: int64(d.size)}
	for _, s := range d.parts {
		size := int64(s.Size)
		if size <= 0 || int64(s.Off)+size > int64(d.size) {
			continue
		}
		var l *ir.Layout
		if t := p.image.Lines.TypeOf(s.Name, s.Addr()); t != nil {
			l = p.layoutOf(t, 0)
		}
		if l == nil || l.Size() <= 0 || l.Size() > size {
			unit := ir.Type{Bits: 8, Signed: true}
			if size%4 == 0 {
				unit.Bits = 32
			}
			if size == 2 || size == 8 {
				unit.Bits = uint8(8 * size)
			}
			l = &ir.Layout{Kind: ir.ScalarLayout, Type: unit}
			if n := size / l.Size(); n > 1 {
				l = &ir.Layout{Kind: ir.ArrayLayout, Elem: l, Count: n}
			}
		}
		out.Fields = append(out.Fields, ir.Field{Name: shortName(s.Name), Off: int64(s.Off), Layout: l})
	}
	return out
}

// blockLayout names the parts of a block of the heap that a call allocates: of a structure of that size that pointers
// of the program point to, if there is one; of several in a block that is a multiple of it, for calloc.
func (p *program) blockLayout(s *stub) *ir.Layout {
	size, ok := s.allocates()
	if !ok {
		return nil
	}
	if isNew(s.in.extern) {
		if t := p.image.Lines.Allocated(size, s.in.addr, isLibrary); t != nil {
			return p.layoutOf(t, 0)
		}
	}
	if t := p.image.Lines.Pointee(size); t != nil {
		return p.layoutOf(t, 0)
	}
	return nil
}

// isNew reports whether a function is the operator new of C++ for one object.
func isNew(name string) bool { return strings.HasPrefix(name, "_Znw") }

// maxDepth bounds the nesting of types.
const maxDepth = 16

// layoutOf translates a type; nil: it has no size, or is too deep.
func (p *program) layoutOf(t dwarf.Type, depth int) *ir.Layout {
	opaque := func() *ir.Layout {
		if t.Size() <= 0 || t.Size() > 1<<30 {
			return nil
		}
		return &ir.Layout{Kind: ir.OpaqueLayout, Bytes: t.Size()}
	}
	if depth > maxDepth {
		return opaque()
	}
	scalar := func(signed bool) *ir.Layout {
		it := ir.Type{Bits: uint8(8 * min(t.Size(), 8)), Signed: signed}
		if !it.Valid() || t.Size() > 8 {
			return opaque()
		}
		return &ir.Layout{Kind: ir.ScalarLayout, Type: it}
	}
	switch t := t.(type) {
	case *dwarf.TypedefType:
		return p.layoutOf(t.Type, depth+1)
	case *dwarf.QualType:
		return p.layoutOf(t.Type, depth+1)
	case *dwarf.IntType, *dwarf.CharType, *dwarf.EnumType:
		return scalar(true)
	case *dwarf.UintType, *dwarf.UcharType, *dwarf.BoolType:
		return scalar(false)
	case *dwarf.PtrType:
		return &ir.Layout{Kind: ir.PointerLayout}
	case *dwarf.ArrayType:
		elem := p.layoutOf(t.Type, depth+1)
		if elem == nil || t.Count <= 0 || t.Count > 1<<30 || elem.Size() <= 0 {
			return opaque()
		}
		return &ir.Layout{Kind: ir.ArrayLayout, Elem: elem, Count: t.Count}
	case *dwarf.StructType:
		return p.structLayout(t, depth, opaque)
	}
	return opaque()
}

func (p *program) structLayout(t *dwarf.StructType, depth int, opaque func() *ir.Layout) *ir.Layout {
	if t.ByteSize <= 0 || t.ByteSize > 1<<30 || t.Incomplete {
		return opaque()
	}
	out := &ir.Layout{Kind: ir.RecordLayout, Name: recordName(t.StructName), Bytes: t.ByteSize}
	for _, b := range p.image.Lines.Bases(t) {
		if s, ok := b.Type.(*dwarf.StructType); ok && s.Incomplete && b.Off == 0 && t.ByteSize >= 8 { // it has virtual functions
			out.Fields = append(out.Fields, ir.Field{Name: "_vptr", Layout: &ir.Layout{Kind: ir.PointerLayout}})
			continue
		}
		if l := p.layoutOf(b.Type, depth+1); l != nil && b.Off >= 0 && b.Off+l.Size() <= t.ByteSize {
			out.Fields = append(out.Fields, inherited(l, b.Off)...)
		}
	}
	for _, f := range t.Field {
		l := p.layoutOf(f.Type, depth+1)
		if l == nil || f.BitSize > 0 || f.ByteOffset < 0 || f.ByteOffset+l.Size() > t.ByteSize {
			continue
		}
		out.Fields = append(out.Fields, ir.Field{Name: f.Name, Off: f.ByteOffset, Layout: l})
	}
	if len(out.Fields) == 1 && isLibrary(p.image.Lines.DeclaredIn(t.StructName)) || isWrapper(t.StructName) {
		for _, f := range out.Fields {
			if f.Off == 0 && f.Layout.Size() == t.ByteSize {
				return f.Layout
			}
		}
	}
	return out
}

// recordName returns the name of a structure without the parameters of a template. Structures of C++'s library that only
// hold what the program gives it have the name of what the program asks for.
func recordName(name string) string {
	if i := strings.IndexByte(name, '<'); i > 0 {
		name = name[:i]
	}
	switch {
	case name == "_State_impl":
		return "thread"
	case strings.HasPrefix(name, "_Sp_counted"):
		return "shared_ptr"
	}
	return name
}

// inherited returns the parts that a class has from a base class.
func inherited(base *ir.Layout, off int64) []ir.Field {
	if base.Kind != ir.RecordLayout {
		return []ir.Field{{Off: off, Layout: base}}
	}
	var out []ir.Field
	for _, f := range base.Fields {
		f.Off += off
		out = append(out, f)
	}
	return out
}

// frameLayout names the variables on the stack of a function, which begins at the lowest offset of the frame. Variables
// of a block that share a slot have no names: which of them lives there is not known.
func (p *program) frameLayout(f *function) *ir.Layout {
	base, locals := p.image.Lines.Locals(f.sym.Addr())
	at := int64(8) // the stack pointer before the call
	switch base {
	case object.NoBase:
		return nil
	case object.FramePointer:
		at = -8
	case object.StackPointer:
		at = f.frame.room()
	}
	out := &ir.Layout{Kind: ir.RecordLayout, Bytes: f.frame.high - f.frame.low}
	for i, v := range locals {
		l, off := p.layoutOf(v.Type, 0), v.Off+at-f.frame.low
		if l == nil || l.Size() <= 0 || off < 0 || off+l.Size() > out.Bytes {
			continue
		}
		shared := false
		for j, w := range locals {
			shared = shared || i != j && w.Depth <= v.Depth && v.Off < w.Off+w.Type.Size() && w.Off < v.Off+l.Size() && !(w.Name == v.Name && w.Off == v.Off)
		}
		if !shared {
			out.Fields = append(out.Fields, ir.Field{Name: v.Name, Off: off, Layout: l})
		}
	}
	if len(out.Fields) == 0 {
		return nil
	}
	return out
}

// room returns the stack pointer after a function has made room for its variables: where it is for most instructions.
func (f *frame) room() int64 {
	count, best := map[int64]int{}, int64(0)
	for _, o := range f.before {
		if off, ok := o.of(lift.RSP); ok {
			count[off]++
		}
	}
	for off, n := range count {
		if n > count[best] || n == count[best] && off < best {
			best = off
		}
	}
	return best
}

// isWrapper reports whether a structure of a library only wraps a value: atomics of C++ and Rust.
func isWrapper(name string) bool {
	name, _, _ = strings.Cut(name, "<")
	return strings.HasPrefix(name, "atomic") || strings.HasPrefix(name, "__atomic_base") || strings.HasPrefix(name, "Atomic") || name == "UnsafeCell"
}
