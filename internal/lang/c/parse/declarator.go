package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// form says whether a declarator has a name.
type form uint8

const (
	named form = iota
	maybeNamed
	abstractOnly
)

func (f form) String() string { return [...]string{"named", "maybe named", "abstract"}[f] }

// declarator is a name with its type.
type declarator struct {
	typ    *types.Type
	name   lex.Name
	tok    int32
	first  int32
	last   int32
	attrs  []Attribute
	params []*Object // of the innermost function
	names  []lex.Name
	toks   []int32
	isFunc bool
	wrap   func(*types.Type) *types.Type
}

// declarator reads a declarator around a type.
func (p *parser) declarator(base *types.Type, f form) declarator {
	p.enter()
	defer p.leave()
	d := declarator{tok: p.at, first: p.at}
	p.inner(&d, f)
	d.last = p.last
	d.typ = d.wrap(base)
	return d
}

// inner reads pointers, the name and what stands after it. d.wrap then makes a type of the
// type before it.
func (p *parser) inner(d *declarator, f form) {
	p.enter()
	defer p.leave()
	type pointer struct {
		qual  types.Qualifiers
		attrs []Attribute
	}
	var pointers []pointer
	for {
		d.attrs = append(d.attrs, p.attributesHere()...)
		if p.kind == lex.Xor {
			p.refuse(p.at, "blocks are not supported")
		}
		if !p.accept(lex.Star) {
			break
		}
		var ptr pointer
	quals:
		for {
			switch {
			case p.key == kConst:
				ptr.qual |= types.Const
			case p.key == kVolatile:
				ptr.qual |= types.Volatile
			case p.key == kRestrict:
				ptr.qual |= types.Restrict
			case p.key == kAtomic:
				ptr.qual |= types.Atomic
			case p.key == kAttribute || p.kind == lex.LBracket && p.isStandardAttribute():
				ptr.attrs = append(ptr.attrs, p.attributes()...)
				continue
			case p.key == kExtension:
			default:
				break quals
			}
			p.next()
		}
		pointers = append(pointers, ptr)
	}
	var nested declarator
	isNested := false
	switch {
	case p.kind == lex.LParen && p.isNested(f):
		p.next()
		nested.tok = p.at
		p.inner(&nested, f)
		p.expect(lex.RParen)
		isNested = true
		d.name, d.tok = nested.name, nested.tok
		d.attrs = append(d.attrs, nested.attrs...)
	case p.kind == lex.Identifier && p.key == noKey && f != abstractOnly:
		d.name, d.tok = p.tok.Name, p.at
		p.next()
	case f == named:
		p.fail(p.at, "a name is expected before %s", p.spelled(p.at))
	}
	suffix := p.suffixes(d)
	d.wrap = func(t *types.Type) *types.Type {
		for _, ptr := range pointers {
			t = &types.Type{Kind: types.Pointer, Elem: t, Qual: ptr.qual}
			t = p.typeAttributes(t, ptr.attrs)
		}
		t = suffix(t)
		if isNested {
			t = nested.wrap(t)
		}
		return t
	}
	if isNested && (nested.isFunc || nested.params != nil || nested.names != nil) {
		d.params, d.names, d.toks, d.isFunc = nested.params, nested.names, nested.toks, nested.isFunc
	}
}

// isNested reports whether a parenthesis begins a declarator in parentheses, and not
// parameters.
func (p *parser) isNested(f form) bool {
	kind, key := p.peek(1)
	switch {
	case f == named:
		return true
	case kind == lex.Star || kind == lex.LParen || kind == lex.LBracket || key == kAttribute:
		at := p.nextIndex(p.at)
		if key == kAttribute { // (__attribute__((x)) *f)
			return true
		}
		if kind == lex.LParen && f == abstractOnly {
			return !p.startsParameters(at)
		}
		return true
	case kind == lex.Identifier && f == maybeNamed:
		return !p.startsParameters(p.at) && key == noKey
	default:
		return false
	}
}

func (p *parser) nextIndex(at int32) int32 {
	for at++; p.toks[at].Kind == lex.Pragma; at++ {
	}
	return at
}

// startsParameters reports whether the parenthesis at a token is followed by parameters.
func (p *parser) startsParameters(at int32) bool {
	at = p.nextIndex(at)
	t := &p.toks[at]
	if t.Kind == lex.RParen || t.Kind == lex.Ellipsis {
		return true
	}
	var key keyword
	if t.Kind == lex.Identifier && int(t.Name) < len(p.keys) {
		key = p.keys[t.Name]
	}
	return p.startsType(t.Kind, key, at) || key == kRegister
}

// suffixes reads the arrays and parameters after a name.
func (p *parser) suffixes(d *declarator) func(*types.Type) *types.Type {
	var made []func(*types.Type) *types.Type
	first := true
	for {
		switch {
		case p.kind == lex.LBracket && p.isStandardAttribute():
			d.attrs = append(d.attrs, p.attributes()...)
			continue
		case p.kind == lex.LBracket:
			made = append(made, p.arraySuffix())
		case p.kind == lex.LParen:
			fn := p.functionSuffix(d, first)
			d.isFunc = d.isFunc || first
			made = append(made, fn)
		default:
			return func(t *types.Type) *types.Type {
				for i := len(made) - 1; i >= 0; i-- {
					t = made[i](t)
				}
				return t
			}
		}
		first = false
	}
}

// arraySuffix reads [n].
func (p *parser) arraySuffix() func(*types.Type) *types.Type {
	at := p.at
	p.next()
	var qual types.Qualifiers
	for {
		switch p.key {
		case kStatic:
		case kConst:
			qual |= types.Const
		case kVolatile:
			qual |= types.Volatile
		case kRestrict:
			qual |= types.Restrict
		case kAtomic:
			qual |= types.Atomic
		case kAttribute:
			p.attributes()
			continue
		default:
			goto length
		}
		p.next()
	}
length:
	n := int64(types.Incomplete)
	var size *Expr
	if k, _ := p.peek(1); p.kind == lex.Star && k == lex.RBracket {
		p.next()
		n = types.Variable
	} else if p.kind != lex.RBracket {
		size = p.rvalue(p.assignment())
		n = p.arrayLength(size, at)
	}
	p.expect(lex.RBracket)
	return func(t *types.Type) *types.Type {
		switch {
		case t.Kind == types.Error:
			return t
		case t.Kind == types.Function:
			p.errorf(at, "an array cannot have functions as elements")
			return errorType
		case t.Kind == types.Void, !t.IsComplete():
			p.errorf(at, "the elements of this array have an incomplete type: %s", t)
			return errorType
		}
		if n > 0 && t.Size() > 0 && n > (1<<63-1)/t.Size() {
			p.errorf(at, "the array is too large")
			return errorType
		}
		if !t.IsVariable() && t.Size()%t.Align() != 0 {
			p.errorf(at, "the size of the elements of this array is no multiple of their alignment")
			return errorType
		}
		a := &types.Type{Kind: types.Array, Elem: t, Len: n}
		if size != nil && n == types.Variable {
			a.Length = size
		}
		if qual != 0 {
			a.Length = arrayQual{qual, size}
		}
		return a
	}
}

// arrayQual are the qualifiers in the brackets of a parameter.
type arrayQual struct {
	qual types.Qualifiers
	size *Expr
}

// arrayLength returns the length of an array.
func (p *parser) arrayLength(size *Expr, at int32) int64 {
	if size.Type.Kind == types.Error {
		return 1
	}
	if !size.Type.IsInteger() {
		p.errorf(at, "the length of an array must be an integer, and is %s", size.Type)
		return 1
	}
	v, ok := p.fold(size)
	if !ok || v.Kind != IntValue {
		return types.Variable
	}
	if v.Int.Negative() && !size.Type.IsUnsigned() {
		p.errorf(at, "the length of the array is negative")
		return 1
	}
	if v.Int.Hi != 0 || int64(v.Int.Lo) < 0 {
		p.errorf(at, "the array is too large")
		return 1
	}
	return int64(v.Int.Lo)
}

// functionSuffix reads the parameters of a function.
func (p *parser) functionSuffix(d *declarator, outermost bool) func(*types.Type) *types.Type {
	at := p.at
	p.next()
	f := &types.Type{Kind: types.Function}
	var params []*Object
	p.push()
	switch {
	case p.kind == lex.RParen:
		f.OldStyle = !p.c23
	case p.kind == lex.Identifier && p.key == noKey && !p.startsType(p.kind, p.key, p.at):
		f.OldStyle = true
		for {
			if p.kind != lex.Identifier {
				p.fail(p.at, "the name of a parameter is expected before %s", p.spelled(p.at))
			}
			if outermost {
				d.names, d.toks = append(d.names, p.tok.Name), append(d.toks, p.at)
			}
			p.next()
			if !p.accept(lex.Comma) {
				break
			}
		}
	default:
		params = p.parameters(f)
	}
	p.pop()
	p.expect(lex.RParen)
	if outermost && d.params == nil {
		d.params = params
	}
	return func(t *types.Type) *types.Type {
		switch t.Kind {
		case types.Function, types.Array:
			p.errorf(at, "a function cannot return a value of type %s", t)
			return errorType
		case types.Error:
			return t
		}
		g := *f
		g.Elem = t
		return &g
	}
}

// parameters reads a list of parameters with types.
func (p *parser) parameters(f *types.Type) []*Object {
	var params []*Object
	for {
		if p.accept(lex.Ellipsis) {
			f.Variadic = true
			return params
		}
		s := p.specifiers(true)
		if s.typ == nil {
			if !s.any {
				p.unknownType("the type of a parameter is expected before %s", p.spelled(p.at))
			}
			s.typ = types.Of(types.Int)
		}
		at := p.at
		d := p.declarator(s.typ, maybeNamed)
		attrs := append(s.attrs, append(d.attrs, p.attributesHere()...)...)
		t := p.typeAttributes(d.typ, append(d.attrs, attrs...))
		if t.Kind == types.Void && d.name == 0 && len(params) == 0 && p.kind == lex.RParen && t.Qual == 0 {
			return nil
		}
		if t.Kind == types.Void {
			p.errorf(at, "a parameter has the type void")
			t = errorType
		}
		o := &Object{Kind: Variable, Traits: Traits{Param: true, Defined: true}, Name: d.name, Tok: d.tok, First: d.first, Last: d.last, Storage: s.storage, Attrs: attrs, Type: adjustParameter(t)}
		if t.Kind == types.Array {
			o.Length = LengthOf(t)
		}
		params = append(params, o)
		f.Params = append(f.Params, o.Type)
		if d.name != 0 {
			if old := p.find(d.name); old != nil && old.Depth == p.level && old.Depth > 0 {
				p.errorf(d.tok, "there are two parameters %s", p.name(d.name))
			}
			p.declare(o)
		}
		if !p.accept(lex.Comma) {
			return params
		}
	}
}

// adjustParameter returns the type of a parameter: arrays and functions become pointers.
func adjustParameter(t *types.Type) *types.Type {
	switch t.Kind {
	case types.Array:
		ptr := types.PointerTo(t.Elem)
		if q, ok := t.Length.(arrayQual); ok {
			ptr.Qual = q.qual
		}
		return ptr
	case types.Function:
		return types.PointerTo(t)
	default:
		return t
	}
}

// unknownType reports a name where a type must stand.
func (p *parser) unknownType(format string, args ...any) {
	if p.kind == lex.Identifier && p.key == noKey {
		word := p.text(p.at)
		note := p.suggest(word, func(yield func(string)) {
			for _, o := range p.objects {
				if o != nil && o.Kind == Typedef {
					yield(p.name(o.Name))
				}
			}
		})
		p.report(p.at, lex.Syntax, note, "there is no type %s", word)
		panic(bail{})
	}
	p.fail(p.at, format, args...)
}
