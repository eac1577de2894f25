package object

import "debug/dwarf"

// pointee is the type that a pointer type points to.
type pointee struct {
	data *dwarf.Data
	off  dwarf.Offset
}

// Pointee returns the structure of a size that pointers of the program point to, nil if there is none, if there are
// several with other names, or if several of another one have that size: the debug information does not say what a block of the heap holds.
func (l *Lines) Pointee(size int64) *dwarf.StructType {
	if l.sized == nil {
		l.sized = map[int64][]*dwarf.StructType{}
		for _, p := range l.pointees {
			l.addPointee(p)
		}
	}
	for other := range l.sized {
		if other > 8 && other < size && size%other == 0 {
			return nil // it may be an array
		}
	}
	if list := l.sized[size]; len(list) == 1 {
		return list[0]
	}
	return nil
}

func (l *Lines) addPointee(p pointee) {
	defer func() { _ = recover() }() // as in open: a malformed type has no names
	t, err := p.data.Type(p.off)
	if err != nil {
		return
	}
	for range 8 {
		switch u := t.(type) {
		case *dwarf.TypedefType:
			t = u.Type
		case *dwarf.QualType:
			t = u.Type
		}
	}
	s, ok := t.(*dwarf.StructType)
	if !ok || s.Incomplete || s.ByteSize <= 0 || len(s.Field) == 0 || s.StructName == "" {
		return
	}
	for _, other := range l.sized[s.ByteSize] {
		if other.StructName == s.StructName {
			return
		}
	}
	l.sized[s.ByteSize] = append(l.sized[s.ByteSize], s)
}
