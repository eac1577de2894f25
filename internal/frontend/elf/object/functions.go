package object

import (
	"debug/dwarf"
	"strings"
)

// What functions are called, and where they are declared. A function with which objects are called, operator() of C++, has
// the name of its class, and that of a lambda is called so.

// class is a class as the debug information has it.
type class struct {
	name string // "": that of a lambda
	line int
}

// addMethod notes the class of a function with which objects are called, and of one that allocates.
func (l *Lines) addMethod(d *dwarf.Data, e *dwarf.Entry, c class) {
	if name, _ := e.Val(dwarf.AttrName).(string); name != callOperator && name != allocate {
		return
	}
	if l.classes == nil {
		l.classes = map[debugEntry]class{}
	}
	if strings.HasPrefix(c.name, "<lambda") || strings.HasPrefix(c.name, "(lambda") {
		c.name = ""
	}
	l.classes[debugEntry{d, e.Offset}] = c
}

// DeclaredIn returns the file in which a structure is declared, by its name; "": it is not known.
func (l *Lines) DeclaredIn(structure string) string { return l.structAt[structure] }

// addStruct notes the file in which a structure is declared.
func (l *Lines) addStruct(e *dwarf.Entry) {
	name, _ := e.Val(dwarf.AttrName).(string)
	n, ok := e.Val(dwarf.AttrDeclFile).(int64)
	if name == "" || !ok || n < 0 || int(n) >= len(l.files) || l.files[n] == nil {
		return
	}
	if l.structAt == nil {
		l.structAt = map[string]string{}
	}
	l.structAt[name] = l.nameFor(l.files[n].Name, l.dir)
}

// callOperator is the name of the functions with which objects are called, lambda what those of lambdas are called here,
// and allocate the name of the function of allocators that allocates.
const (
	callOperator = "operator()"
	lambda       = "lambda"
	allocate     = "allocate"
)

// declared returns the name of a function as people say it, and the line of its declaration, which may stand at another
// entry. A function with which objects are called has the name of the class.
func (l *Lines) declared(d *dwarf.Data, e *dwarf.Entry, depth int) (name string, line int) {
	at, _ := e.Val(dwarf.AttrDeclLine).(int64)
	line = int(at)
	if name, _ = e.Val(dwarf.AttrName).(string); name == callOperator {
		switch c, known := l.classes[debugEntry{d, e.Offset}]; {
		case known && c.name != "":
			name = c.name
		case known:
			name = lambda
			if line == 0 {
				line = c.line
			}
		}
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		off, ok := e.Val(attr).(dwarf.Offset)
		if !ok || depth > 8 || name != "" && line > 0 {
			continue
		}
		r := d.Reader()
		r.Seek(off)
		if other, err := r.Next(); err == nil && other != nil {
			more, first := l.declared(d, other, depth+1)
			if name == "" {
				name = more
			}
			if line == 0 {
				line = first
			}
		}
	}
	return name, line
}

// Function returns the name of the function that begins at an address, and the line of its declaration.
func (l *Lines) Function(addr uint64) (name string, line int) {
	defer func() {
		if recover() != nil { // as in open
			name, line = "", 0
		}
	}()
	at, ok := l.functions[addr]
	if !ok {
		return "", 0
	}
	e := at.read()
	if e == nil {
		return "", 0
	}
	return l.declared(at.data, e, 0)
}

// frame returns a function that was put into its caller.
func (l *Lines) frame(c *inlined) Frame {
	out := Frame{Func: c.name, Call: c.call, Decl: c.decl}
	if c.entry.data == nil {
		return out
	}
	if c.name == callOperator {
		if e := c.entry.read(); e != nil {
			c.name, c.decl = l.declared(c.entry.data, e, 0)
			out.Func, out.Decl = c.name, c.decl
		}
		return out
	}
	out.Class = l.classOf(c.entry, 0)
	return out
}

// read reads an entry; nil: it is malformed.
func (at debugEntry) read() *dwarf.Entry {
	r := at.data.Reader()
	r.Seek(at.off)
	e, err := r.Next()
	if err != nil {
		return nil
	}
	return e
}

// classOf returns the class of a method that addMethod has noted, which may be another entry.
func (l *Lines) classOf(at debugEntry, depth int) string {
	if c, ok := l.classes[at]; ok && c.name != "" {
		return c.name
	}
	e := at.read()
	if e == nil || depth > 8 {
		return ""
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if off, ok := e.Val(attr).(dwarf.Offset); ok {
			if class := l.classOf(debugEntry{at.data, off}, depth+1); class != "" {
				return class
			}
		}
	}
	return ""
}
