package object

import (
	"debug/dwarf"
	"strings"
)

// What blocks of the heap hold: the debug information does not say it, and a wrong name is worse than none. So a block
// has names if the program has pointers to one structure of its size, and to nothing else that the block may hold.

// typeRef is a type of a file.
type typeRef struct {
	data *dwarf.Data
	off  dwarf.Offset
}

// pointees has what the types of a program refer to, as they are read.
type pointees struct {
	used   []typeRef           // the types of variables, members and parameters
	target map[typeRef]typeRef // of types that are made of another one
	points map[typeRef]bool    // pointer types
}

// add reads an entry of the debug information.
func (p *pointees) add(d *dwarf.Data, entry *dwarf.Entry) {
	off, ok := entry.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return
	}
	to, from := typeRef{d, off}, typeRef{d, entry.Offset}
	switch entry.Tag {
	case dwarf.TagVariable, dwarf.TagMember, dwarf.TagFormalParameter, dwarf.TagSubprogram, dwarf.TagInheritance:
		p.used = append(p.used, to)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		if p.points == nil {
			p.points = map[typeRef]bool{}
		}
		p.points[from] = true
		fallthrough
	case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType, dwarf.TagArrayType:
		if p.target == nil {
			p.target = map[typeRef]typeRef{}
		}
		p.target[from] = to
	}
}

// each calls f with every type that a pointer of the program points to.
func (p *pointees) each(f func(typeRef)) {
	seen := map[typeRef]bool{}
	for _, t := range p.used {
		for !seen[t] {
			seen[t] = true
			to, ok := p.target[t]
			if !ok {
				break
			}
			if p.points[t] {
				f(to)
			}
			t = to
		}
	}
}

// Pointee returns the structure that a block of a size holds: pointers of the program point to it, and to nothing else
// of that size, or of which an array has that size. It returns nil if there is none, or if it is not certain.
func (l *Lines) Pointee(size int64) *dwarf.StructType {
	if l.sized == nil {
		l.sized, l.others = map[int64][]*dwarf.StructType{}, map[int64]bool{}
		l.pointees.each(l.addPointee)
	}
	for other := range l.sized {
		if other < size && size%other == 0 {
			return nil // it may be an array
		}
	}
	for other := range l.others {
		if size%other == 0 {
			return nil
		}
	}
	if list := l.sized[size]; len(list) == 1 {
		return list[0]
	}
	return nil
}

// Allocated returns the structure that a block holds which the code at an address allocates with operator new of C++: that
// of the allocator that calls it there, or the only one of that size that is declared where the code is, in a library or
// outside it. It returns nil if there is none, or if it is not certain.
func (l *Lines) Allocated(size int64, addr uint64, isLibrary func(file string) bool) *dwarf.StructType {
	if size <= 0 {
		return nil
	}
	l.Pointee(size) // reads them
	frames := l.Inlined(addr)
	for i := len(frames) - 1; i >= 0; i-- {
		_, held, ok := strings.Cut(frames[i].Class, "<")
		if !ok {
			continue
		}
		held = unqualified(strings.TrimSpace(strings.TrimSuffix(held, ">")))
		for n, list := range l.sized {
			for _, s := range list {
				if s.StructName == held && size%n == 0 {
					return s
				}
			}
		}
		return nil
	}
	if l.others[size] {
		return nil
	}
	library := isLibrary(l.At(addr).File)
	var found *dwarf.StructType
	for _, s := range l.sized[size] {
		if isLibrary(l.structAt[s.StructName]) != library {
			continue
		}
		if found != nil {
			return nil
		}
		found = s
	}
	return found
}

// unqualified returns the name of a type without the namespaces and classes that it is in.
func unqualified(name string) string {
	depth, from := 0, 0
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ':':
			if depth == 0 {
				from = i + 1
			}
		}
	}
	return name[from:]
}

func (l *Lines) addPointee(p typeRef) {
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
	if !ok {
		_, void := t.(*dwarf.VoidType)
		_, code := t.(*dwarf.FuncType)
		if n := t.Size(); n > 0 && !void && !code {
			l.others[n] = true
		}
		return
	}
	if s.Incomplete || s.ByteSize <= 0 || len(s.Field) == 0 {
		return
	}
	if s.StructName == "" {
		l.others[s.ByteSize] = true
		return
	}
	for _, other := range l.sized[s.ByteSize] {
		if other.StructName == s.StructName {
			return
		}
	}
	l.sized[s.ByteSize] = append(l.sized[s.ByteSize], s)
}
