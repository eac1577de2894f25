package object

import "debug/dwarf"

// What the debug information says about the parameters of functions.

// debugEntry is an entry of the debug information of a file.
type debugEntry struct {
	data *dwarf.Data
	off  dwarf.Offset
}

// addFunction enters a function that has code.
func (l *Lines) addFunction(d *dwarf.Data, e *dwarf.Entry) {
	low, ok := e.Val(dwarf.AttrLowpc).(uint64)
	if ranges, err := d.Ranges(e); !ok && err == nil && len(ranges) > 0 { // what is seldom executed lies elsewhere
		low, ok = ranges[0][0], true
	}
	if !ok {
		return
	}
	if l.functions == nil {
		l.functions = map[uint64]debugEntry{}
	}
	l.functions[low] = debugEntry{d, e.Offset}
}

// StackParams returns how many bytes of parameters the source of the function at an address has that do not fit into
// registers. known is false without debug information, and for functions with a variable number of arguments.
func (l *Lines) StackParams(addr uint64) (bytes int64, known bool) {
	at, ok := l.functions[addr]
	if !ok {
		return 0, false
	}
	params, known := at.params(0)
	if !known {
		return 0, false
	}
	free := int64(6) // registers
	for _, t := range params {
		size, words := t.Size(), (t.Size()+7)/8
		switch {
		case size < 0:
			return 0, false
		case isFloat(t) && size <= 8:
		case words <= 2 && !isFloat(t) && !isPacked(t) && words <= free:
			free -= words
		default:
			if bytes%16 != 0 && size >= 16 { // it may be aligned to 16 bytes
				bytes += 8
			}
			bytes += 8 * words
		}
	}
	return bytes, true
}

// params returns the types of the parameters of a function.
func (e debugEntry) params(depth int) (out []dwarf.Type, known bool) {
	r := e.data.Reader()
	r.Seek(e.off)
	f, err := r.Next()
	if err != nil || f == nil || depth > 8 {
		return nil, false
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} { // there stands what the source says
		if off, ok := f.Val(attr).(dwarf.Offset); ok {
			return debugEntry{e.data, off}.params(depth + 1)
		}
	}
	for f.Children {
		c, err := r.Next()
		switch {
		case err != nil || c == nil:
			return nil, false
		case c.Tag == 0:
			return out, true
		case c.Tag == dwarf.TagUnspecifiedParameters:
			return nil, false
		case c.Tag == dwarf.TagFormalParameter:
			off, ok := c.Val(dwarf.AttrType).(dwarf.Offset)
			if !ok {
				return nil, false
			}
			t, err := e.data.Type(off)
			if err != nil {
				return nil, false
			}
			out = append(out, t)
		}
		if c.Children {
			r.SkipChildren()
		}
	}
	return out, true
}

// maxNames bounds the names and qualifiers of a type.
const maxNames = 64

// Bare returns a type without qualifiers and names.
func Bare(t dwarf.Type) dwarf.Type {
	for range maxNames {
		switch u := t.(type) {
		case *dwarf.TypedefType:
			t = u.Type
		case *dwarf.QualType:
			t = u.Type
		default:
			return t
		}
	}
	return t
}

func isFloat(t dwarf.Type) bool {
	switch Bare(t).(type) {
	case *dwarf.FloatType, *dwarf.ComplexType:
		return true
	}
	return false
}

// isPacked reports whether a structure has members at addresses that do not suit them: the ABI puts it on the stack.
func isPacked(t dwarf.Type) bool {
	s, ok := Bare(t).(*dwarf.StructType)
	if !ok {
		return false
	}
	for _, f := range s.Field {
		if size := f.Type.Size(); size > 1 && size <= 8 && size&(size-1) == 0 && f.BitSize == 0 && f.ByteOffset%size != 0 || isPacked(f.Type) {
			return true
		}
	}
	return false
}
