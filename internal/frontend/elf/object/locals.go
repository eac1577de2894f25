package object

import (
	"debug/dwarf"
	"encoding/binary"
)

// What the debug information says about the variables on the stack of a function, and about base classes, which package
// debug/dwarf leaves out.

// FrameBase says what the offsets of variables on the stack are relative to.
type FrameBase uint8

// The bases. Zero: the debug information does not say it, or in a way that is not known here.
const (
	NoBase       FrameBase = iota
	CallFrame              // the stack pointer before the call
	FramePointer           // rbp after the function has set it
	StackPointer           // rsp after the function has made room
)

// Local is a variable on the stack of a function.
type Local struct {
	Name  string
	Off   int64
	Type  dwarf.Type
	Depth int // how many blocks and functions it is in
}

// Locals returns the variables on the stack of the function at an address.
func (l *Lines) Locals(addr uint64) (base FrameBase, out []Local) {
	defer func() {
		if recover() != nil { // as in open: malformed types
			base, out = NoBase, nil
		}
	}()
	at, ok := l.functions[addr]
	if !ok {
		return NoBase, nil
	}
	r := at.data.Reader()
	r.Seek(at.off)
	f, err := r.Next()
	if err != nil || f == nil || !f.Children {
		return NoBase, nil
	}
	loc, _ := f.Val(dwarf.AttrFrameBase).([]byte)
	if len(loc) != 1 {
		return NoBase, nil
	}
	base = map[byte]FrameBase{0x9c: CallFrame, 0x56: FramePointer, 0x57: StackPointer}[loc[0]]
	for depth := 1; depth > 0 && base != NoBase; {
		e, err := r.Next()
		switch {
		case err != nil || e == nil:
			return base, out
		case e.Tag == 0:
			depth--
			continue
		case e.Tag == dwarf.TagVariable, e.Tag == dwarf.TagFormalParameter:
			if off, ok := frameOffset(e); ok {
				name, t := l.nameOf(at.data, e, 0), l.typeOf(at.data, e, 0)
				if name != "" && t != nil && t.Size() > 0 {
					out = append(out, Local{name, off, t, depth})
				}
			}
		}
		if e.Children {
			depth++
		}
	}
	return base, out
}

// frameOffset returns the offset of a variable whose slot on the stack is the same everywhere.
func frameOffset(e *dwarf.Entry) (int64, bool) {
	const relative = 0x91 // DW_OP_fbreg
	loc, _ := e.Val(dwarf.AttrLocation).([]byte)
	if len(loc) < 2 || loc[0] != relative {
		return 0, false
	}
	var v int64
	for i, b := range loc[1:] {
		if v |= int64(b&0x7f) << (7 * i); b&0x80 != 0 {
			continue
		}
		if shift := 7 * (i + 1); b&0x40 != 0 && shift < 64 {
			v |= -1 << shift
		}
		return v, i == len(loc)-2
	}
	return 0, false
}

// typeOf returns the type of a variable, which may stand at another entry.
func (l *Lines) typeOf(d *dwarf.Data, e *dwarf.Entry, depth int) dwarf.Type {
	if off, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
		if t, err := d.Type(off); err == nil {
			return t
		}
	}
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && depth < 8 {
		r := d.Reader()
		r.Seek(off)
		if other, err := r.Next(); err == nil && other != nil {
			return l.typeOf(d, other, depth+1)
		}
	}
	return nil
}

// Base is a class that another one is derived from.
type Base struct {
	Type dwarf.Type
	Off  int64
}

// derivation is a base class as the debug information has it.
type derivation struct {
	data      *dwarf.Data
	from, off dwarf.Offset
	at        int64
}

// addBase notes a base class of the class at an offset.
func (l *Lines) addBase(d *dwarf.Data, class dwarf.Offset, e *dwarf.Entry) {
	from, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok || e.Val(dwarf.AttrVirtuality) != nil {
		return
	}
	at := int64(0)
	switch v := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case int64:
		at = v
	case []byte: // DW_OP_plus_uconst, in older versions
		if len(v) < 2 || v[0] != 0x23 {
			return
		}
		n, _ := binary.Uvarint(v[1:])
		at = int64(n)
	}
	l.derived = append(l.derived, derivation{d, from, class, at})
}

// Bases returns the base classes of a class.
func (l *Lines) Bases(t *dwarf.StructType) []Base {
	if l.bases == nil {
		l.bases = map[*dwarf.StructType][]Base{}
		for _, b := range l.derived {
			l.enterBase(b)
		}
	}
	return l.bases[t]
}

func (l *Lines) enterBase(b derivation) {
	defer func() { _ = recover() }() // as in open: a malformed type has no names
	class, err := b.data.Type(b.off)
	if err != nil {
		return
	}
	from, err := b.data.Type(b.from)
	if s, ok := class.(*dwarf.StructType); ok && err == nil {
		l.bases[s] = append(l.bases[s], Base{from, b.at})
	}
}
