package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// specifiers are the words before a declarator.
type specifiers struct {
	typ       *types.Type // nil: none was given
	storage   Storage
	typedef   bool
	thread    bool
	inline    bool
	noreturn  bool
	autoType  bool
	constexpr bool
	autoWord  bool // auto, which in C23 may stand for a type
	align     int64
	attrs     []Attribute
	tok       int32
	any       bool

	// words of basic types
	qual types.Qualifiers
	typeWords
}

// typeWords are the words of basic types.
type typeWords struct {
	signed, unsigned                   bool
	longs                              int
	short, intWord, char               bool
	double, float, void, boolWord, cpl bool
	special                            *types.Type // another type word
}

// startsType reports whether a token can begin a type name.
func (p *parser) startsType(kind lex.Kind, key keyword, at int32) bool {
	if kind != lex.Identifier {
		return false
	}
	switch key {
	case noKey:
		o := p.find(p.toks[at].Name)
		return o != nil && o.Kind == Typedef || o == nil && p.builtinType(p.toks[at].Name) != nil
	case kChar, kConst, kDouble, kEnum, kFloat, kInt, kLong, kRestrict, kShort, kSigned, kStruct, kUnion, kUnsigned, kVoid, kVolatile, kAtomic,
		kBool, kComplex, kAttribute, kTypeof, kTypeofUnqual, kAutoType, kInt128, kFloat128, kFloat16, kFloat32, kFloat64, kFloat32x, kFloat64x, kAlignas, kRefused:
		return true
	default:
		return false
	}
}

// startsDeclaration reports whether the current token begins a declaration.
func (p *parser) startsDeclaration() bool {
	switch p.key {
	case kAuto, kExtern, kInline, kRegister, kStatic, kTypedef, kNoreturn, kThread, kStaticAssert, kConstexpr:
		return true
	case kExtension:
		at := p.at
		for p.key == kExtension {
			p.next()
		}
		is := p.startsDeclaration()
		p.jump(at)
		return is
	case kAttribute: // before a declaration, or a statement
		return true
	}
	return p.startsType(p.kind, p.key, p.at)
}

// builtinType returns a type that needs no declaration, nil if the name is none.
func (p *parser) builtinType(n lex.Name) *types.Type {
	switch p.name(n) {
	case "__builtin_va_list":
		return p.vaList()
	case "__int128_t":
		return types.Of(types.Int128)
	case "__uint128_t":
		return types.Of(types.UInt128)
	default:
		return nil
	}
}

// vaList returns the type of __builtin_va_list: an array of one struct.
func (p *parser) vaList() *types.Type {
	if p.Unit.vaListType == nil {
		u, ptr := types.Of(types.UInt), types.PointerTo(types.Of(types.Void))
		r := &types.Record{Tag: "__va_list_tag", Fields: []types.Field{
			{Name: "gp_offset", Type: u, Bits: -1}, {Name: "fp_offset", Type: u, Bits: -1},
			{Name: "overflow_arg_area", Type: ptr, Bits: -1}, {Name: "reg_save_area", Type: ptr, Bits: -1},
		}}
		for i := range r.Fields {
			r.Fields[i].ID = uint32(p.Source.Names.Of([]byte(r.Fields[i].Name)))
		}
		r.Layout(false, 0, 0)
		p.Unit.vaListType = types.ArrayOf(&types.Type{Kind: types.Struct, Record: r}, 1)
	}
	return p.Unit.vaListType
}

// specifiers reads declaration specifiers; storage says whether storage classes may be among
// them.
func (p *parser) specifiers(storage bool) specifiers {
	s := specifiers{tok: p.at}
	for p.specifier(&s, storage) {
		s.any = true
	}
	p.finishSpecifiers(&s)
	return s
}

// specifier reads one word. It reports false if there is none.
func (p *parser) specifier(s *specifiers, storage bool) bool {
	if p.kind == lex.LBracket && p.isStandardAttribute() {
		s.attrs = append(s.attrs, p.attributes()...)
		return true
	}
	if p.kind != lex.Identifier {
		return false
	}
	switch p.key {
	case kTypedef, kExtern, kStatic, kAuto, kRegister, kThread, kInline, kNoreturn, kConstexpr:
		if !storage {
			return false
		}
		p.storageWord(s)
	case kConst:
		s.qual |= types.Const
		p.next()
	case kVolatile:
		s.qual |= types.Volatile
		p.next()
	case kRestrict:
		s.qual |= types.Restrict
		p.next()
	case kExtension:
		p.next()
	case kAttribute:
		s.attrs = append(s.attrs, p.attributes()...)
	case kAlignas:
		p.alignas(s)
	case kAtomic:
		p.atomicSpecifier(s)
	case kStruct, kUnion:
		p.setType(s, p.record())
	case kEnum:
		p.setType(s, p.enum())
	case kTypeof, kTypeofUnqual:
		p.setType(s, p.typeof())
	case kAutoType:
		s.autoType = true
		p.next()
	case kRefused:
		p.refuse(p.at, "the type %s is not supported", p.spelled(p.at))
	case noKey:
		return p.typedefName(s)
	default:
		return p.basicWord(s)
	}
	return true
}

func (p *parser) storageWord(s *specifiers) {
	set := func(c Storage) {
		if s.storage != NoStorage && s.storage != c || s.typedef {
			p.errorf(p.at, "there are two storage classes")
		}
		s.storage = c
	}
	switch p.key {
	case kTypedef:
		if s.storage != NoStorage {
			p.errorf(p.at, "there are two storage classes")
		}
		s.typedef = true
	case kExtern:
		set(Extern)
	case kStatic:
		set(Static)
	case kAuto:
		if s.autoWord = true; !p.c23 {
			set(Auto)
		}
	case kConstexpr:
		s.constexpr = true
		s.qual |= types.Const
	case kRegister:
		set(Register)
	case kThread:
		s.thread = true
	case kInline:
		s.inline = true
	case kNoreturn:
		s.noreturn = true
	}
	p.next()
}

// alignas reads _Alignas.
func (p *parser) alignas(s *specifiers) {
	p.next()
	p.expect(lex.LParen)
	var n int64
	if p.startsType(p.kind, p.key, p.at) {
		n = p.typeName().Align()
	} else {
		at := p.at
		n = p.constantInt("an alignment").Int64()
		if n < 0 || n&(n-1) != 0 || n > 1<<28 {
			p.errorf(at, "an alignment must be a power of two")
			n = 0
		}
	}
	s.align = max(s.align, n)
	p.expect(lex.RParen)
}

// atomicSpecifier reads _Atomic, as a qualifier or with a type.
func (p *parser) atomicSpecifier(s *specifiers) {
	p.next()
	if p.kind != lex.LParen {
		s.qual |= types.Atomic
		return
	}
	p.next()
	t := p.typeName()
	p.expect(lex.RParen)
	p.setType(s, t.WithQual(types.Atomic))
}

func (p *parser) setType(s *specifiers, t *types.Type) {
	if s.special != nil || s.basicWords() {
		p.errorf(p.at-1, "there are two types in this declaration")
		return
	}
	s.special = t
}

func (s *specifiers) basicWords() bool {
	return s.signed || s.unsigned || s.longs > 0 || s.short || s.intWord || s.char || s.double || s.float || s.void || s.boolWord
}

// typedefName takes a name as a type, if it is one and none was given.
func (p *parser) typedefName(s *specifiers) bool {
	if s.special != nil || s.basicWords() || s.cpl || s.autoType {
		return false
	}
	o := p.find(p.tok.Name)
	switch {
	case o != nil && o.Kind == Typedef:
		s.special = o.Type
	case o == nil && p.builtinType(p.tok.Name) != nil:
		s.special = p.builtinType(p.tok.Name)
	default:
		return false
	}
	p.next()
	return true
}

// basicWord takes a word of a basic type.
func (p *parser) basicWord(s *specifiers) bool {
	word := func(set *bool) {
		if *set || s.special != nil {
			p.errorf(p.at, "%s cannot stand here: there are two types", p.spelled(p.at))
		}
		*set = true
	}
	special := func(t *types.Type) {
		if s.special != nil {
			p.errorf(p.at, "there are two types in this declaration")
		}
		s.special = t
	}
	switch p.key {
	case kChar:
		word(&s.char)
	case kShort:
		word(&s.short)
	case kInt:
		word(&s.intWord)
	case kSigned:
		word(&s.signed)
	case kUnsigned:
		word(&s.unsigned)
	case kDouble:
		word(&s.double)
	case kFloat:
		word(&s.float)
	case kVoid:
		word(&s.void)
	case kBool:
		word(&s.boolWord)
	case kComplex:
		s.cpl = true
	case kLong:
		if s.longs++; s.longs > 2 || s.special != nil {
			p.errorf(p.at, "long is too long here")
		}
	case kInt128:
		special(types.Of(types.Int128))
	case kFloat128:
		special(types.Of(types.Float128))
	case kFloat16:
		special(types.Of(types.Float16))
	case kFloat32:
		special(floatN("_Float32", types.Float))
	case kFloat64:
		special(floatN("_Float64", types.Double))
	case kFloat32x:
		special(floatN("_Float32x", types.Double))
	case kFloat64x:
		special(floatN("_Float64x", types.LongDouble))
	default:
		return false
	}
	p.next()
	return true
}

// finishSpecifiers makes the type of the words.
func (p *parser) finishSpecifiers(s *specifiers) {
	t := s.special
	switch {
	case t != nil && t.Kind == types.Int128 && s.unsigned && !t.Extended:
		t = types.Of(types.UInt128)
	case t != nil:
	case s.basicWords() || s.cpl:
		t = p.basicType(s)
	}
	if t == nil {
		s.autoType = s.autoType || s.autoWord && p.c23
		return
	}
	if s.cpl {
		if !t.IsArithmetic() {
			p.errorf(s.tok, "%s has no complex type", t)
		}
		t = types.ComplexOf(t)
	}
	if s.qual&types.Restrict != 0 && t.Kind != types.Pointer {
		p.errorf(s.tok, "restrict is for pointers")
		s.qual &^= types.Restrict
	}
	s.typ = t.WithQual(s.qual)
	s.typ = p.typeAttributes(s.typ, s.attrs)
}

func (p *parser) basicType(s *specifiers) *types.Type {
	k := types.Int
	switch {
	case s.void:
		k = types.Void
	case s.boolWord:
		k = types.Bool
	case s.float:
		k = types.Float
	case s.double && s.longs > 0:
		k = types.LongDouble
	case s.double:
		k = types.Double
	case s.char && s.unsigned:
		k = types.UChar
	case s.char && s.signed:
		k = types.SChar
	case s.char:
		k = types.Char
	case s.short:
		k = types.Short
	case s.longs == 1:
		k = types.Long
	case s.longs == 2:
		k = types.LongLong
	case s.cpl && !s.intWord && !s.signed && !s.unsigned:
		k = types.Double
	}
	if s.unsigned && (k == types.Short || k == types.Int || k == types.Long || k == types.LongLong) {
		k++
	}
	bad := s.signed && s.unsigned || (s.void || s.boolWord || s.float) && (s.signed || s.unsigned || s.longs > 0 || s.short || s.intWord || s.char || s.double) ||
		s.double && (s.signed || s.unsigned || s.short || s.intWord || s.char || s.longs > 1) || s.char && (s.short || s.longs > 0 || s.intWord) || s.short && s.longs > 0
	if bad {
		p.errorf(s.tok, "these words do not make a type")
	}
	if k == types.Char {
		return p.charType()
	}
	return types.Of(k)
}

// charType returns char, which has no negative values with -funsigned-char.
func (p *parser) charType() *types.Type {
	if p.unsigned {
		return unsignedChar
	}
	return types.Of(types.Char)
}

var unsignedChar = &types.Type{Kind: types.Char, Unsigned: true}

// typeof reads typeof(...).
func (p *parser) typeof() *types.Type {
	bare := p.key == kTypeofUnqual
	p.next()
	p.expect(lex.LParen)
	var t *types.Type
	if p.startsType(p.kind, p.key, p.at) {
		t = p.typeName()
	} else {
		e := p.expression()
		t = e.Type
		if e.Bits > 0 && e.LValue {
			p.errorf(p.at, "typeof cannot be applied to a bit-field")
		}
	}
	p.expect(lex.RParen)
	if bare {
		return t.Unqualified()
	}
	return t
}

// typeName reads the name of a type.
func (p *parser) typeName() *types.Type {
	s := p.specifiers(false)
	if s.typ == nil {
		p.fail(p.at, "a type is expected before %s", p.spelled(p.at))
	}
	d := p.declarator(s.typ, abstractOnly)
	return d.typ
}
