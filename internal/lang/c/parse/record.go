package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// tag reads the attributes and the tag after struct, union or enum. Without a tag, name is 0 and at the token before.
func (p *parser) tag() (attrs []Attribute, name lex.Name, at int32) {
	at = p.at
	p.next()
	attrs = p.attributesHere()
	if p.kind == lex.Identifier && p.key == noKey {
		name, at = p.tok.Name, p.at
		p.next()
	}
	return attrs, name, at
}

// record reads a struct or union.
func (p *parser) record() *types.Type {
	kind := types.Struct
	if p.key == kUnion {
		kind = types.Union
	}
	attrs, name, at := p.tag()
	if p.kind != lex.LBrace {
		if name == 0 {
			p.fail(p.at, "a tag or members are expected before %s", p.spelled(p.at))
		}
		return p.taggedType(kind, name, at, p.kind == lex.Semicolon)
	}
	t := p.newTag(kind, name, at)
	p.next()
	var fields []types.Field
	for !p.accept(lex.RBrace) {
		if p.kind == lex.EOF {
			p.fail(at, "this %s has no end", kind)
		}
		p.members(&fields)
	}
	attrs = append(attrs, p.attributesHere()...)
	r := t.Record
	r.Fields, r.Union = fields, kind == types.Union
	_, r.Packed = Find(attrs, "packed")
	_, r.Transparent = Find(attrs, "transparent_union")
	p.typeAttributes(t, onlyRefused(attrs))
	for i := range fields {
		f := &fields[i]
		f.Of = r
		if f.Type.Kind == types.Array && f.Type.Len == types.Incomplete {
			if kind == types.Struct && i == len(fields)-1 {
				r.Flexible = true
			} else if kind == types.Struct {
				p.errorf(f.Tok, "only the last member can be an array without a length")
			}
		}
		if f.Type.IsRecord() && f.Type.Record.Flexible && i == len(fields)-1 {
			r.Flexible = kind == types.Struct || r.Flexible
		}
		r.VarSize = r.VarSize || f.Type.IsVariable()
	}
	r.Layout(kind == types.Union, p.aligned(attrs), p.pack)
	p.atLeast(r, attrs)
	p.checkMembers(t, map[uint32]bool{})
	return t
}

// atLeast obeys the attribute __fp_size of our headers: the struct is at least so large, though nothing
// is known about the rest of it.
func (p *parser) atLeast(r *types.Record, attrs []Attribute) {
	if a, ok := Find(attrs, "__fp_size"); ok {
		if n, ok := p.attributeInt(a); ok {
			r.ByteSize = max(r.ByteSize, n)
		}
	}
}

func onlyRefused(attrs []Attribute) []Attribute {
	var out []Attribute
	for _, a := range attrs {
		if a.Name == "ms_struct" || a.Name == "scalar_storage_order" {
			out = append(out, a)
		}
	}
	return out
}

// checkMembers finds members with the same name.
func (p *parser) checkMembers(t *types.Type, seen map[uint32]bool) {
	for i := range t.Record.Fields {
		f := &t.Record.Fields[i]
		switch {
		case f.ID == 0 && f.Type.IsRecord():
			p.checkMembers(f.Type, seen)
		case f.ID == 0:
		case seen[f.ID]:
			p.errorf(f.Tok, "there are two members %s", f.Name)
		default:
			seen[f.ID] = true
		}
	}
}

// taggedType returns the type of a tag that is used, and declares it if it is new.
func (p *parser) taggedType(kind types.Kind, name lex.Name, at int32, declares bool) *types.Type {
	if t := p.findTag(name, declares); t != nil {
		if t.typ.Kind != kind {
			p.errorf(at, "%s is the tag of a %s", p.name(name), t.typ.Kind)
			return errorType
		}
		return t.typ
	}
	return p.newTag(kind, name, at)
}

// newTag returns the type of a tag that is defined or declared here.
func (p *parser) newTag(kind types.Kind, name lex.Name, at int32) *types.Type {
	if name != 0 {
		if t := p.findTag(name, true); t != nil {
			switch {
			case t.typ.Kind != kind:
				p.errorf(at, "%s is the tag of a %s", p.name(name), t.typ.Kind)
			case t.typ.Record.Complete:
				p.errorf(at, "%s %s is defined twice", kind, p.name(name))
			default:
				return t.typ
			}
		}
	}
	p.Unit.records++
	t := &types.Type{Kind: kind, Record: &types.Record{Number: p.Unit.records}}
	if name != 0 {
		t.Record.Tag = p.name(name)
		p.declareTag(name, t, at)
	}
	return t
}

// members reads a declaration in a struct or union.
func (p *parser) members(fields *[]types.Field) {
	if p.accept(lex.Semicolon) {
		return
	}
	if p.key == kStaticAssert {
		p.staticAssert()
		return
	}
	s := p.specifiers(false)
	if s.typ == nil {
		p.unknownType("the type of a member is expected before %s", p.spelled(p.at))
	}
	if p.kind == lex.Semicolon {
		if s.typ.IsRecord() && s.typ.Record.Tag == "" && s.typ.Typedef == "" { // others declare no member
			*fields = append(*fields, p.member(&s, declarator{typ: s.typ, tok: s.tok}, -1, nil))
		}
		p.next()
		return
	}
	for {
		d := declarator{typ: s.typ, tok: p.at}
		if p.kind != lex.Colon {
			d = p.declarator(s.typ, named)
		}
		bits := int64(-1)
		if p.accept(lex.Colon) {
			bits = p.bitWidth(&d)
		}
		attrs := append(append([]Attribute{}, d.attrs...), p.attributesHere()...)
		*fields = append(*fields, p.member(&s, d, bits, attrs))
		if !p.accept(lex.Comma) {
			break
		}
		s.attrs = append(s.attrs, p.attributesHere()...)
	}
	p.expect(lex.Semicolon)
}

// bitWidth reads the width of a bit-field.
func (p *parser) bitWidth(d *declarator) int64 {
	at := p.at
	n := p.constantIntOf(p.conditional(), "the width of a bit-field").Int64()
	switch {
	case d.typ.Kind == types.Error:
		return 1
	case !d.typ.IsInteger():
		p.errorf(at, "a bit-field must be an integer, and is %s", d.typ)
		return 1
	case n < 0:
		p.errorf(at, "the width of a bit-field is negative")
		return 1
	case n > int64(d.typ.Bits()):
		p.errorf(at, "the bit-field is wider than its type")
		return 1
	case n == 0 && d.name != 0:
		p.errorf(at, "a bit-field with a name has the width 0")
		return 1
	}
	return n
}

// maxMember bounds the sizes of members, so that offsets in bits have no overflow.
const maxMember = 1 << 56

// member makes a member of a declarator.
func (p *parser) member(s *specifiers, d declarator, bits int64, attrs []Attribute) types.Field {
	t := p.typeAttributes(d.typ, attrs)
	f := types.Field{Type: t, Bits: bits, Tok: d.tok, ID: uint32(d.name)}
	if d.name != 0 {
		f.Name = p.name(d.name)
	}
	all := append(append([]Attribute{}, s.attrs...), attrs...)
	_, f.Packed = Find(all, "packed")
	f.Aligned = max(p.aligned(all), s.align)
	switch {
	case t.Kind == types.Function:
		p.errorf(d.tok, "the member %s is a function", f.Name)
		f.Type = errorType
	case t.Kind == types.Array && t.Len == types.Incomplete:
	case t.Size() > maxMember:
		p.refuse(d.tok, "the member %s has more than 2^56 bytes", f.Name)
	case t.IsVariable() && p.function == nil:
		p.errorf(d.tok, "the size of %s must be a constant", f.Name)
		f.Type = errorType
	case t.IsVariable():
		p.refuse(d.tok, "arrays of variable length in structs are not supported")
	case t.Kind != types.Error && !t.IsComplete():
		p.errorf(d.tok, "the member %s has an incomplete type: %s", f.Name, t)
		f.Type = errorType
	}
	return f
}

// enum reads an enum.
func (p *parser) enum() *types.Type {
	attrs, name, at := p.tag()
	fixed := p.enumBase()
	if p.kind != lex.LBrace {
		if name == 0 {
			p.fail(p.at, "a tag or constants are expected before %s", p.spelled(p.at))
		}
		t := p.taggedType(types.Enum, name, at, p.kind == lex.Semicolon)
		p.fixEnum(t, fixed, at)
		return t
	}
	t := p.newEnum(name, at, fixed)
	p.next()
	made, low, high := p.enumConstants(t, fixed)
	p.expect(lex.RBrace)
	attrs = append(attrs, p.attributesHere()...)
	if fixed != nil {
		return t
	}
	_, packed := Find(attrs, "packed")
	t.Record.Int = p.enumType(low, high, packed || p.short)
	t.Record.Complete = true
	t.Record.ByteSize = t.Record.Int.Size()
	for _, o := range made {
		if t.Record.Int.Size() > 4 { // gcc gives all constants the type of the enum
			o.Type = t.Record.Int
		}
		if o.Type.Kind != types.Int && t.Record.Int.Size() <= 4 {
			o.Type = t.Record.Int
		}
		if fitsInt(o.Value.Int, false) && t.Record.Int.Size() <= 4 {
			o.Type = types.Of(types.Int)
		}
	}
	return t
}

// enumBase reads the type after a colon that C23 allows in an enum, nil if there is none. A bit-field without a name
// has a number there.
func (p *parser) enumBase() *types.Type {
	if p.kind != lex.Colon {
		return nil
	}
	k, key := p.peek(1)
	if !p.startsType(k, key, p.nextIndex(p.at)) {
		return nil
	}
	p.next()
	at := p.at
	s := p.specifiers(false)
	switch {
	case s.typ == nil || !s.typ.IsInteger() || s.typ.Kind == types.Enum && s.typ.Record.Int == nil:
		p.errorf(at, "the type of an enum must be an integer")
		return types.Of(types.Int)
	case s.typ.Kind == types.Bool:
		p.refuse(at, "enums of the type bool are not supported")
	}
	t := s.typ.Unqualified()
	for t.Kind == types.Enum {
		t = t.Record.Int
	}
	return t
}

// newEnum returns the type of an enum that is defined here. One with a type of its own may be declared before.
func (p *parser) newEnum(name lex.Name, at int32, fixed *types.Type) *types.Type {
	if fixed != nil && name != 0 {
		if t := p.findTag(name, true); t != nil && t.typ.Kind == types.Enum && t.typ.Record.Fixed && !t.typ.Record.Listed {
			p.fixEnum(t.typ, fixed, at)
			t.typ.Record.Listed = true
			return t.typ
		}
	}
	t := p.newTag(types.Enum, name, at)
	p.fixEnum(t, fixed, at)
	t.Record.Listed = true
	return t
}

// fixEnum gives an enum the type that a declaration names.
func (p *parser) fixEnum(t *types.Type, fixed *types.Type, at int32) {
	if fixed == nil || t.Kind != types.Enum {
		return
	}
	if r := t.Record; r.Int != nil && (!r.Fixed || r.Int.Kind != fixed.Kind) {
		p.errorf(at, "%s has another type elsewhere", t)
		return
	}
	t.Record.Int, t.Record.Fixed, t.Record.Complete, t.Record.ByteSize = fixed, true, true, fixed.Size()
}

// enumConstants reads the constants of an enum. It returns them with their least and greatest values, for an enum
// without a type of its own.
func (p *parser) enumConstants(t, fixed *types.Type) (made []*Object, low, high Int) {
	next, nextType := Int{}, types.Of(types.Int)
	for p.kind != lex.RBrace {
		if p.kind != lex.Identifier || p.key != noKey {
			p.fail(p.at, "the name of a constant is expected before %s", p.spelled(p.at))
		}
		o := &Object{Kind: EnumConstant, Name: p.tok.Name, Tok: p.at, Traits: Traits{Defined: true}}
		p.next()
		o.Attrs = p.attributesHere()
		if p.accept(lex.Assign) {
			e := p.rvalue(p.conditional())
			next = p.constantIntOf(e, "the value of a constant")
			if e.Type.IsInteger() {
				nextType = e.Type.Promote()
			}
		}
		switch {
		case fixed != nil:
			if next.fit(fixed) != next || fixed.IsUnsigned() && next.Negative() && !nextType.IsUnsigned() {
				p.errorf(o.Tok, "the value of %s does not fit %s", p.name(o.Name), fixed)
			}
			o.Type = t
		case !fitsInt(next, nextType.IsUnsigned()):
			o.Type = nextType
		default:
			o.Type = types.Of(types.Int)
		}
		if next.Negative() && !nextType.IsUnsigned() {
			if next.less(low, false) {
				low = next
			}
		} else if high.less(next, true) {
			high = next
		}
		o.Value = &Value{Kind: IntValue, Int: next}
		if old := p.find(o.Name); old != nil && old.Depth == p.level && (p.level > 0 || old.Kind != NoObject) {
			p.errorf(o.Tok, "%s is declared twice", p.name(o.Name))
		}
		p.declare(o)
		made = append(made, o)
		next = next.add(Int{Lo: 1})
		if nextType.Kind == types.Int && !fitsInt(next, false) { // the next value does not fit
			nextType = types.Of(types.Long)
			if !next.Negative() {
				nextType = types.Of(types.UInt)
			}
		}
		if !p.accept(lex.Comma) {
			break
		}
	}
	return made, low, high
}

func fitsInt(v Int, unsigned bool) bool {
	if unsigned {
		return v.Hi == 0 && v.Lo < 1<<31
	}
	return v == IntOf(int64(int32(v.Lo)))
}

// enumType returns the integer type of an enum with some values.
func (p *parser) enumType(low, high Int, short bool) *types.Type {
	signed := low.Negative()
	kinds := []types.Kind{types.UInt, types.ULong, types.UInt128}
	if short {
		kinds = []types.Kind{types.UChar, types.UShort, types.UInt, types.ULong, types.UInt128}
	}
	for _, k := range kinds {
		if signed {
			k--
			if k == types.Char { // before unsigned char stands signed char
				k = types.SChar
			}
		}
		t := types.Of(k)
		if low.fit(t) == low && high.fit(t) == high && (!signed || !high.fit(t).Negative()) {
			return t
		}
	}
	return types.Of(types.Int128)
}
