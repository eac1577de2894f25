package elf

import (
	"encoding/binary"
	"fmt"
	"strings"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// The types of exceptions, and which handlers take them: what __do_catch of the library of C++ decides by what the program
// knows about its types (C++ ABI for Itanium, 2.9.5). A type whose description no file has is known by its name.

// typeKind is a kind of type, as far as it matters for handlers.
type typeKind uint8

const (
	opaqueType typeKind = iota // a class, of whose bases nothing is known
	plainType                  // a number, an enumeration, an array
	functionType
	classType
	pointerType
	memberType // a pointer to a member
)

// typeInfo is a type of C++.
type typeInfo struct {
	key     string // the same for the same type
	name    string
	kind    typeKind
	bases   []baseType
	pointee *typeInfo
	flags   uint64 // of a pointer: its qualifiers
}

// baseType is a direct base class.
type baseType struct {
	t               *typeInfo
	offset          int64
	public, virtual bool
}

const (
	typePrefix  = "_ZTI"
	nullPointer = "_ZTIDn"
	voidType    = "_ZTIv"
	// The qualifiers of what a pointer points to.
	constFlag  = 1
	qualifiers = 7
)

// standardBases are the classes of exceptions of the library, each with its base.
var standardBases = map[string]string{
	"St9exception": "", "St9bad_alloc": "St9exception", "St20bad_array_new_length": "St9bad_alloc", "St8bad_cast": "St9exception",
	"St10bad_typeid": "St9exception", "St13bad_exception": "St9exception", "St17bad_function_call": "St9exception", "St12bad_weak_ptr": "St9exception",
	"St11logic_error": "St9exception", "St12domain_error": "St11logic_error", "St16invalid_argument": "St11logic_error", "St12length_error": "St11logic_error",
	"St12out_of_range": "St11logic_error", "St12future_error": "St11logic_error", "St13runtime_error": "St9exception", "St11range_error": "St13runtime_error",
	"St14overflow_error": "St13runtime_error", "St15underflow_error": "St13runtime_error", "St12system_error": "St13runtime_error",
	"NSt8ios_base7failureB5cxx11E": "St12system_error", "N10__cxxabiv115__forced_unwindE": "", "N10__cxxabiv119__foreign_exceptionE": "",
}

// typeAt returns the type whose description is at an address; nil: it is not known.
func (p *program) typeAt(ref object.Ref) *typeInfo {
	if ref.Sym != nil && ref.Sym.Sec == nil {
		return p.typeNamed(ref.Sym.Name)
	}
	addr, ok := ref.Known()
	if !ok {
		return nil
	}
	s := p.symbolAt(addr, typePrefix)
	if s == nil {
		return nil
	}
	name, _, _ := strings.Cut(s.Name, "@")
	if s.Copied {
		return p.typeNamed(name)
	}
	key := name
	if s.Local {
		key = fmt.Sprintf("%s@%x", name, addr)
	}
	if t := p.types[key]; t != nil {
		return t
	}
	t := &typeInfo{key: key, name: name}
	p.types[key] = t
	p.describe(t, addr)
	return t
}

// symbolAt returns the symbol at an address whose name begins so; nil: there is none.
func (p *program) symbolAt(addr uint64, prefix string) *object.Symbol {
	sec := p.image.Find(addr)
	if sec == nil {
		return nil
	}
	var found *object.Symbol
	for _, s := range p.image.Named(sec, addr-sec.Addr) {
		if strings.HasPrefix(s.Name, prefix) && (found == nil || found.Local && !s.Local) {
			found = s
		}
	}
	return found
}

// describe reads the description of a type.
func (p *program) describe(t *typeInfo, addr uint64) {
	pointer := func(at uint64) *typeInfo {
		if ref, ok := p.image.Word(at); ok {
			return p.typeAt(ref)
		}
		return nil
	}
	switch p.descriptionOf(addr) {
	case "17__class_type_infoE":
		t.kind = classType
	case "20__si_class_type_infoE":
		if base := pointer(addr + 16); base != nil {
			t.kind, t.bases = classType, []baseType{{t: base, public: true}}
		}
	case "21__vmi_class_type_infoE":
		n := p.number(addr+16) >> 32
		for i := uint64(0); i < n && i < 1000; i++ {
			base, flags := pointer(addr+24+16*i), int64(p.number(addr+32+16*i))
			if base == nil {
				return
			}
			t.bases = append(t.bases, baseType{base, flags >> 8, flags&2 != 0, flags&1 != 0})
		}
		t.kind = classType
	case "19__pointer_type_infoE":
		if t.pointee = pointer(addr + 24); t.pointee != nil {
			t.kind, t.flags = pointerType, p.number(addr+16)&0xffffffff
		}
	case "29__pointer_to_member_type_infoE":
		t.kind = memberType
	case "20__function_type_infoE":
		t.kind = functionType
	case "23__fundamental_type_infoE", "16__enum_type_infoE", "17__array_type_infoE":
		t.kind = plainType
	default:
		*t = *p.unknownType(t.key, t.name)
	}
}

// descriptionOf returns the class of the description of a type, by the table of its virtual functions.
func (p *program) descriptionOf(addr uint64) string {
	const tables = "_ZTVN10__cxxabiv1"
	ref, ok := p.image.Word(addr)
	if !ok {
		return ""
	}
	name := ""
	if ref.Sym != nil && ref.Sym.Sec == nil {
		name = ref.Sym.Name
	} else if at, ok := ref.Known(); ok {
		if s := p.symbolAt(at-16, tables); s != nil {
			name = s.Name
		}
	}
	name, _, _ = strings.Cut(name, "@")
	return strings.TrimPrefix(name, tables)
}

// number returns the word at an address of constant data, 0 if there is none.
func (p *program) number(addr uint64) uint64 {
	sec := p.image.Find(addr)
	if sec == nil || sec.Data == nil || sec.Size-(addr-sec.Addr) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(sec.Data[addr-sec.Addr:])
}

// typeNamed returns the type of a description that no file has.
func (p *program) typeNamed(symbol string) *typeInfo {
	symbol, _, _ = strings.Cut(symbol, "@")
	if !strings.HasPrefix(symbol, typePrefix) {
		return nil
	}
	if t := p.types[symbol]; t != nil {
		return t
	}
	t := p.unknownType(symbol, symbol)
	p.types[symbol] = t
	return t
}

// unknownType returns what the name of a type says.
func (p *program) unknownType(key, name string) *typeInfo {
	t := &typeInfo{key: key, name: name}
	short := strings.TrimPrefix(name, typePrefix)
	base, standard := standardBases[short]
	switch {
	case standard:
		t.kind = classType
		if base != "" {
			t.bases = []baseType{{t: p.typeNamed(typePrefix + base), public: true}}
		}
	case len(short) == 1 || len(short) == 2 && short[0] == 'D':
		t.kind = plainType
	case strings.HasPrefix(short, "M"):
		t.kind = memberType
	case strings.HasPrefix(short, "F"):
		t.kind = functionType
	case strings.HasPrefix(short, "P"):
		rest := short[1:]
		for i, letter := range []string{"r", "V", "K"} { // restrict, volatile, const
			if strings.HasPrefix(rest, letter) {
				rest, t.flags = rest[1:], t.flags|4>>i
			}
		}
		t.kind, t.pointee = pointerType, p.typeNamed(typePrefix+rest)
	}
	return t
}

// typeOf returns the type whose description has an address; nil: it is not known.
func (p *program) typeOf(e *ir.Expr) *typeInfo {
	switch {
	case e == nil:
	case e.Op == ir.AddrOf:
		d := p.data[e.Obj]
		if addr := d.sec.Addr + d.off + uint64(e.Value); p.image.Find(addr) == d.sec {
			return p.typeAt(object.Ref{Off: int64(addr)})
		}
	case e.Op == ir.Const:
		if name := p.outsideNames[e.Value]; name != "" {
			return p.typeNamed(name)
		}
	}
	return nil
}

// match says whether a handler takes an exception, and what it gets: the address of the exception or of a part of it;
// or, of a pointer, the pointer.
type match struct {
	is      answer
	offset  int64
	pointer bool
	null    bool // a null pointer
}

// answer is yes, no, or that it is not known.
type answer uint8

const (
	no answer = iota
	yes
	perhaps
)

// catches reports whether a handler of type c takes exceptions of type t.
func catches(c, t *typeInfo) match {
	if c == nil {
		return match{is: perhaps}
	}
	m := catchesAt(c, t, 1)
	if m.is == yes && t.kind == pointerType {
		m.pointer = true
	}
	return m
}

// catchesAt is __do_catch; outer counts pointers in twos, and is odd as long as they all point to constants.
func catchesAt(c, t *typeInfo, outer int) match {
	switch {
	case c.key == t.key:
		return match{is: yes}
	case c.kind == memberType && (t.kind == memberType || t.key == nullPointer):
		return match{is: perhaps}
	case c.kind == pointerType:
		return catchesPointer(c, t, outer)
	case (c.kind == classType || c.kind == opaqueType) && (t.kind == classType || t.kind == opaqueType) && outer < 4:
		return upcast(c, t)
	}
	return match{}
}

func catchesPointer(c, t *typeInfo, outer int) match {
	switch {
	case t.key == nullPointer && outer == 1:
		return match{is: yes, null: true}
	case t.kind != pointerType || outer&1 == 0 || t.flags&^c.flags&qualifiers != 0:
		return match{}
	case (t.flags^c.flags)&^qualifiers != 0: // of functions
		return match{is: perhaps}
	}
	if c.flags&constFlag == 0 {
		outer &^= 1
	}
	if outer < 2 && c.pointee.key == voidType {
		if t.pointee.kind == opaqueType {
			return match{is: perhaps}
		}
		if t.pointee.kind != functionType {
			return match{is: yes}
		}
		return match{}
	}
	return catchesAt(c.pointee, t.pointee, outer+2)
}

// upcast finds a class among the bases of another one: it is a base if it is public, and there only once.
func upcast(c, t *typeInfo) match {
	found := map[int64]bool{} // by offset, whether it is public
	known := true
	var walk func(t *typeInfo, offset int64, public, virtual bool, depth int)
	walk = func(t *typeInfo, offset int64, public, virtual bool, depth int) {
		switch {
		case t.key == c.key:
			found[offset] = found[offset] || public
			known = known && !virtual
			return
		case t.kind == opaqueType || depth > 100:
			known = false
		}
		for _, b := range t.bases {
			walk(b.t, offset+b.offset, public && b.public, virtual || b.virtual, depth+1)
		}
	}
	walk(t, 0, true, false, 0)
	switch {
	case !known:
		return match{is: perhaps}
	case len(found) != 1:
		return match{}
	}
	for offset, public := range found {
		if public {
			return match{is: yes, offset: offset}
		}
	}
	return match{}
}
