package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// external reads a declaration of the file.
func (p *parser) external() {
	for p.accept(lex.Semicolon) {
		if p.kind == lex.EOF {
			return
		}
	}
	switch p.key {
	case kAsm:
		p.Asms = append(p.Asms, p.asmStatement())
		return
	case kStaticAssert:
		p.staticAssert()
		return
	}
	if p.kind == lex.EOF {
		return
	}
	p.Starts = append(p.Starts, p.at)
	for p.key == kExtension {
		p.next()
	}
	s := p.specifiers(true)
	if p.kind == lex.Semicolon {
		p.next() // int; declares nothing: gcc only warns
		return
	}
	p.declarators(&s, true)
}

// declarators reads the declarators of a declaration, or a function definition. It returns
// the objects.
func (p *parser) declarators(s *specifiers, file bool) []*Object {
	if s.typ == nil && !s.autoType {
		implicit := s.any && p.kind == lex.Identifier || file && p.kind == lex.Identifier && p.isImplicitFunction()
		if !implicit && !(s.any && p.kind == lex.Star) {
			p.unknownType("a declaration is expected before %s", p.spelled(p.at))
		}
		s.typ = types.Of(types.Int).WithQual(s.qual)
	}
	var objs []*Object
	for first := true; ; first = false {
		base := s.typ
		if s.autoType {
			base = types.Of(types.Int)
		}
		d := p.declarator(base, named)
		if first && p.isDefinition(&d) {
			if !file {
				p.refuse(d.tok, "nested functions are not supported")
			}
			p.definition(s, &d)
			return nil
		}
		objs = append(objs, p.initDeclarator(s, &d))
		if !p.accept(lex.Comma) {
			break
		}
		s.attrs = append(s.attrs[:len(s.attrs):len(s.attrs)], p.attributesHere()...)
	}
	if p.kind != lex.Semicolon {
		if p.kind == lex.Identifier && p.key == noKey && p.at > 0 {
			p.fail(p.at, "';' is expected before %s", p.spelled(p.at))
		}
		p.fail(p.at, "',' or ';' is expected before %s", p.spelled(p.at))
	}
	p.next()
	return objs
}

// isImplicitFunction reports whether a name without a type begins a function: f(...) {
func (p *parser) isImplicitFunction() bool {
	k, _ := p.peek(1)
	return k == lex.LParen
}

// isDefinition reports whether the body of a function, or old-style declarations of its
// parameters, come next.
func (p *parser) isDefinition(d *declarator) bool {
	if d.typ.Kind != types.Function {
		return false
	}
	return p.kind == lex.LBrace || d.names != nil && p.kind != lex.Semicolon && p.kind != lex.Comma && p.kind != lex.Assign && p.startsDeclaration() && p.key != kAttribute ||
		d.typ.OldStyle && len(d.names) > 0 && p.kind == lex.LBrace
}

// definition reads a function definition up to its body, which is skipped.
func (p *parser) definition(s *specifiers, d *declarator) {
	params := d.params
	if len(d.names) > 0 {
		params = p.oldStyleParams(d)
	}
	replaced := p.isReplaceable(d.name)
	o := p.object(s, d, nil)
	o.Params, o.First, o.Last = params, d.first, d.last
	if o.Defined && o.Kind == Function && !replaced {
		p.errorf(d.tok, "function %s is defined twice", p.name(d.name))
	}
	o.Defined = true
	from := p.at
	o.To = p.skipBody()
	o.From = from
}

// isReplaceable reports whether a name is that of a function for inlining only: GNU's extern inline, after which the
// real definition may come.
func (p *parser) isReplaceable(n lex.Name) bool {
	o := p.find(n)
	if o == nil || o.Kind != Function || !o.Inline || o.Storage != Extern {
		return false
	}
	_, gnu := Find(o.Attrs, "gnu_inline")
	return gnu || p.gnuInline
}

// skipBody moves past the body of a function. It returns the number of the closing brace.
func (p *parser) skipBody() int32 {
	open := p.at
	for depth := 0; ; p.next() {
		switch p.kind {
		case lex.LBrace:
			depth++
		case lex.RBrace:
			if depth--; depth == 0 {
				last := p.at
				p.next()
				return last
			}
		case lex.EOF:
			p.fail(open, "'{' has no end")
		}
	}
}

// oldStyleParams reads the declarations of the parameters of an old-style definition.
func (p *parser) oldStyleParams(d *declarator) []*Object {
	params := make([]*Object, len(d.names))
	for i, n := range d.names {
		params[i] = &Object{Kind: Variable, Traits: Traits{Param: true, Defined: true}, Name: n, Text: p.name(n), Tok: d.toks[i], Type: types.Of(types.Int)}
	}
	for p.kind != lex.LBrace {
		s := p.specifiers(true)
		if s.typ == nil {
			p.unknownType("the declaration of a parameter is expected before %s", p.spelled(p.at))
		}
		for p.kind != lex.Semicolon {
			e := p.declarator(s.typ, named)
			e.attrs = append(e.attrs, p.attributesHere()...)
			found := false
			for _, o := range params {
				if o.Name == e.name {
					o.Type, o.Attrs, found = adjustParameter(p.typeAttributes(e.typ, e.attrs)), e.attrs, true
				}
			}
			if !found {
				p.errorf(e.tok, "%s is not a parameter", p.name(e.name))
			}
			if !p.accept(lex.Comma) {
				break
			}
		}
		p.expect(lex.Semicolon)
	}
	return params
}

// initDeclarator reads what stands after a declarator: asm, attributes, an initializer.
func (p *parser) initDeclarator(s *specifiers, d *declarator) *Object {
	asm := ""
	if p.key == kAsm {
		p.next()
		p.expect(lex.LParen)
		asm = p.stringText()
		p.expect(lex.RParen)
	}
	attrs := append(append([]Attribute{}, d.attrs...), p.attributesHere()...)
	if s.autoType {
		return p.autoType(s, d, attrs)
	}
	o := p.object(s, d, attrs)
	if asm != "" {
		o.Asm = asm
	}
	if p.kind == lex.Assign {
		at := p.at
		p.next()
		switch {
		case o.Kind != Variable:
			p.fail(at, "%s is not a variable, and cannot be initialized", p.name(o.Name))
		case p.level > 0 && s.storage == Extern:
			p.errorf(at, "%s is extern, and cannot be initialized in a block", p.name(o.Name))
		}
		o.First, o.Last = d.first, d.last
		o.Init = p.initializerOf(&o.Type, o.Global)
		o.Init.Last = p.last
		o.Defined = true
		if s.storage == Extern {
			o.Storage = NoStorage
		}
	}
	p.checkVariable(o, s)
	p.checkConstexpr(o)
	return o
}

// autoType declares a variable with __auto_type, or with auto in C23.
func (p *parser) autoType(s *specifiers, d *declarator, attrs []Attribute) *Object {
	if p.kind != lex.Assign {
		p.fail(p.at, "a variable without a type needs an initializer")
	}
	p.next()
	e := p.rvalue(p.assignment())
	d.typ = e.Type.Unqualified().WithQual(s.qual)
	o := p.object(s, d, attrs)
	o.Init = &Init{Expr: e, Tok: e.Tok, Last: p.last}
	o.Defined = true
	p.checkConstexpr(o)
	return o
}

// checkVariable checks that a variable has a size, and that only functions have types of variable length.
func (p *parser) checkVariable(o *Object, s *specifiers) {
	if o.Type.Kind == types.Error {
		return
	}
	t := o.Type
	switch {
	case p.level == 0 && (o.Kind == Typedef || o.Kind == Variable && !t.IsVariable()) && t.IsModified():
		p.errorf(o.Tok, "the lengths in the type of %s must be constants", p.name(o.Name))
		o.Type = errorType
	case o.Kind != Variable:
	case t.Kind == types.Void && s.storage != Extern:
		p.errorf(o.Tok, "the variable %s has the type void", p.name(o.Name))
		o.Type = errorType
	case p.level > 0 && s.storage != Extern && !t.IsComplete():
		p.errorf(o.Tok, "the variable %s has an incomplete type: %s", p.name(o.Name), t)
		o.Type = errorType
	case o.Global && t.IsVariable():
		p.errorf(o.Tok, "the size of %s must be a constant", p.name(o.Name))
		o.Type = errorType
	}
}

// object declares the object of a declarator, or finds the one that is declared again.
func (p *parser) object(s *specifiers, d *declarator, attrs []Attribute) *Object {
	all := append(append([]Attribute{}, s.attrs...), attrs...)
	t := p.typeAttributes(d.typ, append(append([]Attribute{}, attrs...), functionOnly(s.attrs)...))
	o := &Object{Name: d.name, Tok: d.tok, First: d.first, Last: d.last, Type: t, Storage: s.storage, Traits: Traits{Thread: s.thread, Inline: s.inline}, Attrs: all}
	o.Align = max(s.align, p.aligned(all))
	switch {
	case s.typedef:
		o.Kind = Typedef
		if t.Kind != types.Error {
			u := *t
			u.Typedef = p.name(d.name)
			if n := p.aligned(all); n != 0 {
				u.Aligned = n
			}
			o.Type = &u
		}
		if _, ok := Find(all, "transparent_union"); ok && t.Kind == types.Union {
			t.Record.Transparent = true
		}
	case t.Kind == types.Function:
		o.Kind = Function
		for _, param := range d.params {
			o.Names = append(o.Names, param.Text)
		}
		if s.noreturn && !t.NoReturn {
			u := *t
			u.NoReturn = true
			o.Type = &u
		}
	default:
		o.Kind = Variable
	}
	p.constexprStorage(s, o)
	o.Global = p.level == 0 || s.storage == Extern || s.storage == Static || o.Kind == Function
	return p.merge(o, s)
}

func functionOnly(attrs []Attribute) []Attribute {
	var out []Attribute
	for _, a := range attrs {
		if a.Name == "noreturn" {
			out = append(out, a)
		}
	}
	return out
}

// merge declares an object, or adds to an earlier declaration.
func (p *parser) merge(o *Object, s *specifiers) *Object {
	old := p.find(o.Name)
	if old != nil && old.Depth != p.level && o.linked() && (s.storage == Extern || o.Kind == Function) { // extern in a block names the object outside
		for old != nil && !old.linked() {
			old = old.Outer
		}
		if old != nil && old.Kind == o.Kind && types.Compatible(old.Type, o.Type) {
			inner := *old
			inner.Tok, inner.Type = o.Tok, types.Composite(old.Type, o.Type)
			p.declare(&inner)
			return old
		}
		old = nil
	}
	if old == nil || old.Depth != p.level {
		p.declare(o)
		if p.level == 0 {
			p.Objects = append(p.Objects, o)
		}
		return o
	}
	name := p.name(o.Name)
	switch {
	case old.Kind == Typedef && o.Kind == Typedef:
		if !types.Compatible(old.Type, o.Type) && old.Type.Kind != types.Error && o.Type.Kind != types.Error {
			p.errorf(o.Tok, "type %s is declared as %s, and was %s before", name, o.Type, old.Type)
		}
		return old
	case old.Kind != o.Kind:
		p.errorf(o.Tok, "%s is declared as another kind of thing", name)
		return o
	case !o.linked() || !old.linked():
		p.errorf(o.Tok, "%s is declared twice", name)
		return o
	case !types.Compatible(old.Type, o.Type):
		if old.Type.Kind != types.Error && o.Type.Kind != types.Error && !p.sameButQualified(old, o) {
			p.errorf(o.Tok, "%s is declared as %s, and was %s before", name, o.Type, old.Type)
			return o
		}
	}
	old.Type = types.Composite(old.Type, o.Type)
	old.Attrs = append(old.Attrs[:len(old.Attrs):len(old.Attrs)], o.Attrs...)
	old.Align = max(old.Align, o.Align)
	old.Inline = old.Inline || o.Inline
	old.Thread = old.Thread || o.Thread
	if old.Storage == Extern && o.Storage != Extern {
		old.Storage, old.First, old.Last = o.Storage, o.First, o.Last
	}
	return old
}

// sameButQualified reports whether two functions differ only in what gcc forgives.
func (p *parser) sameButQualified(a, b *Object) bool {
	if a.Kind != Function {
		return false
	}
	// An old-style definition after a prototype, or before one, with promoted parameters.
	return (a.Type.OldStyle || b.Type.OldStyle) && types.CompatibleUnqualified(a.Type.Elem, b.Type.Elem)
}

// linked reports whether declarations of the name in other scopes are the same object.
func (o *Object) linked() bool {
	return o.Kind == Function || o.Kind == Variable && o.Global && (o.Depth == 0 || o.Storage == Extern) && !o.Param
}

// staticAssert checks _Static_assert.
func (p *parser) staticAssert() {
	at := p.at
	p.next()
	p.expect(lex.LParen)
	e := p.rvalue(p.conditional())
	message := ""
	if p.accept(lex.Comma) {
		message = ": " + p.stringText()
	}
	p.expect(lex.RParen)
	p.expect(lex.Semicolon)
	v, ok := p.fold(e)
	switch {
	case e.Type.Kind == types.Error:
	case !ok || v.Kind != IntValue:
		p.errorf(at, "the condition of a static assertion is not a constant")
	case v.Int.IsZero():
		p.errorf(at, "a static assertion fails%s", message)
	}
}
