package parse

import (
	"strings"

	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// isStandardAttribute reports whether [[ begins at the current token.
func (p *parser) isStandardAttribute() bool {
	k, _ := p.peek(1)
	return p.kind == lex.LBracket && k == lex.LBracket
}

// attributesHere reads attributes, if there are some.
func (p *parser) attributesHere() []Attribute {
	var all []Attribute
	for p.key == kAttribute || p.kind == lex.LBracket && p.isStandardAttribute() {
		all = append(all, p.attributes()...)
	}
	return all
}

// attributes reads one __attribute__((...)) or [[...]].
func (p *parser) attributes() []Attribute {
	closing := lex.RParen
	if p.kind == lex.LBracket {
		closing = lex.RBracket
		p.next()
		p.next()
	} else {
		p.next()
		p.expect(lex.LParen)
		p.expect(lex.LParen)
	}
	var all []Attribute
	for p.kind != closing {
		if p.accept(lex.Comma) {
			continue
		}
		if p.kind != lex.Identifier {
			p.fail(p.at, "the name of an attribute is expected before %s", p.spelled(p.at))
		}
		a := Attribute{Name: bareName(p.text(p.at)), Tok: p.at}
		p.next()
		if p.kind == lex.Scope || p.kind == lex.Colon {
			if p.kind == lex.Colon {
				p.next()
			}
			p.next()
			if a.Name != "gnu" {
				a.Name += "::"
			} else {
				a.Name = ""
			}
			a.Name += bareName(p.text(p.at))
			p.next()
		}
		if p.kind == lex.LParen {
			a.From = p.at + 1
			p.skipBalanced()
			a.To = p.at - 1
		}
		all = append(all, a)
	}
	p.expect(closing)
	p.expect(closing)
	return all
}

// bareName returns the name of an attribute without the underscores around it.
func bareName(name string) string {
	if len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return name[2 : len(name)-2]
	}
	return name
}

// Find returns an attribute by its name.
func Find(attrs []Attribute, name string) (Attribute, bool) {
	for _, a := range attrs {
		if a.Name == name {
			return a, true
		}
	}
	return Attribute{}, false
}

// attributeInt parses the first argument of an attribute as a constant.
func (p *parser) attributeInt(a Attribute) (int64, bool) {
	if a.From >= a.To {
		return 0, false
	}
	at := p.at
	p.jump(a.From)
	v, ok := p.fold(p.rvalue(p.assignment()))
	p.jump(at)
	if !ok || v.Kind != IntValue {
		p.errorf(a.From, "the argument of this attribute must be a constant")
		return 0, false
	}
	return v.Int.Int64(), true
}

// aligned returns the alignment that attributes give, 0: none.
func (p *parser) aligned(attrs []Attribute) int64 {
	n := int64(0)
	for _, a := range attrs {
		if a.Name != "aligned" {
			continue
		}
		v, ok := int64(16), true
		if a.From < a.To {
			v, ok = p.attributeInt(a)
		}
		if ok && (v <= 0 || v&(v-1) != 0 || v > 1<<28) {
			p.errorf(a.Tok, "an alignment must be a power of two")
			continue
		}
		n = max(n, v)
	}
	return n
}

// typeAttributes returns a type as attributes after its specifiers or declarator change it.
func (p *parser) typeAttributes(t *types.Type, attrs []Attribute) *types.Type {
	for _, a := range attrs {
		switch a.Name {
		case "mode":
			t = p.mode(t, a)
		case "vector_size":
			if n, ok := p.attributeInt(a); ok {
				t = p.vector(t, n, a)
			}
		case "ms_struct":
			p.refuse(a.Tok, "the attribute ms_struct is not supported")
		case "scalar_storage_order":
			p.refuse(a.Tok, "the attribute scalar_storage_order is not supported")
		case "noreturn":
			if t.Kind == types.Function && !t.NoReturn {
				u := *t
				u.NoReturn = true
				t = &u
			}
		}
	}
	return t
}

// vector returns a vector type.
func (p *parser) vector(t *types.Type, n int64, a Attribute) *types.Type {
	base := t
	if !base.IsReal() || base.Size() == 0 || n <= 0 || n%base.Size() != 0 || n&(n-1) != 0 {
		p.errorf(a.Tok, "this is not the size of a vector of %s", t)
		return t
	}
	return &types.Type{Kind: types.Vector, Elem: base.Unqualified(), Len: n / base.Size(), Qual: t.Qual}
}

// mode returns the type that a machine mode gives.
func (p *parser) mode(t *types.Type, a Attribute) *types.Type {
	if a.From >= a.To {
		return t
	}
	var k types.Kind
	switch bareName(p.text(a.From)) {
	case "QI", "byte":
		k = types.SChar
	case "HI":
		k = types.Short
	case "SI":
		k = types.Int
	case "DI", "word", "pointer", "unwind_word", "libgcc_cmp_return", "libgcc_shift_count":
		k = types.Long
	case "TI":
		k = types.Int128
	case "SF":
		return types.Of(types.Float).WithQual(t.Qual)
	case "DF":
		return types.Of(types.Double).WithQual(t.Qual)
	case "XF":
		return types.Of(types.LongDouble).WithQual(t.Qual)
	case "TF":
		return types.Of(types.Float128).WithQual(t.Qual)
	default:
		p.refuse(a.From, "the mode %s is not supported", p.spelled(a.From))
	}
	if t.IsUnsigned() {
		k++
	}
	return types.Of(k).WithQual(t.Qual)
}
