package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// Initializers. A list is read along the type of the object: a cursor stands on the part
// that the next value sets. Values without braces go to the first scalar parts in order, or
// to a whole struct of their type; designators move the cursor.

// initializerOf reads the initializer of an object, and completes the type of an array.
func (p *parser) initializerOf(t **types.Type, static bool) *Init {
	typ := *t
	in := &Init{Tok: p.at}
	if typ.Kind == types.Error {
		p.skipInitializer()
		return in
	}
	if typ.IsVariable() && typ.Kind == types.Array {
		k, _ := p.peek(1)
		if p.kind != lex.LBrace || k != lex.RBrace {
			p.errorf(p.at, "an array of variable size cannot be initialized")
		}
		p.skipInitializer()
		return in
	}
	if !typ.IsComplete() && !(typ.Kind == types.Array && typ.Len == types.Incomplete) {
		p.errorf(p.at, "an object of the incomplete type %s cannot be initialized", typ)
		p.skipInitializer()
		*t = errorType
		return in
	}
	f := &filler{p: p, in: in, static: static}
	length := f.top(typ)
	if typ.Kind == types.Array && typ.Len == types.Incomplete {
		c := *typ
		c.Len = length
		*t = &c
	}
	return in
}

// skipInitializer moves past an initializer.
func (p *parser) skipInitializer() {
	if p.kind == lex.LBrace {
		p.skipBalanced()
		return
	}
	p.assignment()
}

// filler fills an object.
type filler struct {
	p      *parser
	in     *Init
	static bool
	chosen map[unionAt]*types.Field // the member of each union that was set last
}

// unionAt is a union in the object.
type unionAt struct {
	record *types.Record
	offset int64
}

// top reads the initializer of the whole object. It returns the length of an array.
func (f *filler) top(t *types.Type) int64 {
	p := f.p
	if p.kind != lex.LBrace {
		at := p.at
		e := p.assignment()
		if t.Kind == types.Array {
			if n, ok := f.stringInto(t, 0, e); ok {
				return n
			}
			if e.Op == Literal && e.Type.Kind == types.Array && types.CompatibleUnqualified(t, e.Type) { // gcc: an array from a compound literal
				f.add(0, nil, e.Type, e)
				return e.Type.Len
			}
			if !isBad(e) {
				p.errorf(at, "an array needs a list in braces")
			}
			return 1
		}
		v := p.assignable(e, t.Unqualified(), at, "assigned")
		f.check(v)
		f.in.Expr = v
		return 0
	}
	f.in.List = true
	return f.list(t, nil, 0)
}

// add records that a part is set.
func (f *filler) add(offset int64, field *types.Field, t *types.Type, e *Expr) {
	f.in.Items = append(f.in.Items, Item{Offset: offset, Field: field, Type: t, Expr: e, Count: 1})
}

// check demands a constant for objects with static storage.
func (f *filler) check(e *Expr) {
	if !f.static || isBad(e) {
		return
	}
	if !f.isConstant(e) {
		f.p.errorf(e.Tok, "the initializer of an object with static storage must be a constant")
	}
}

// isConstant reports whether gcc takes an expression for a constant initializer.
func (f *filler) isConstant(e *Expr) bool {
	if _, ok := f.p.fold(e); ok {
		return true
	}
	switch e.Op {
	case Literal:
		return true
	case Load: // gcc takes the value of a const object with a constant initializer
		if e.A.Op == Literal {
			return true
		}
		o := e.A.Obj
		return e.A.Op == Name && o.Type.Quals()&types.Const != 0 && o.Init != nil
	case Convert:
		return f.isConstant(e.A)
	case Sub, Add, Mul, Div, Rem, Shl, Shr, And, Or, Xor: // folded later, such as differences of labels
		return f.isConstant(e.A) && f.isConstant(e.B)
	case Minus, Plus, Complement, Not:
		return f.isConstant(e.A)
	case Cond:
		return f.isConstant(e.A) && (e.B == nil || f.isConstant(e.B)) && f.isConstant(e.C)
	case Call, Builtin:
		return e.Op == Builtin || e.A.Op == Decay && e.A.A.Op == Name && e.A.A.Obj.Tok < 0
	case Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual, AndAnd, OrOr:
		return f.isConstant(e.A) && f.isConstant(e.B)
	case Real, Imag:
		return f.isConstant(e.A)
	}
	return e.Type.Kind == types.Complex && (e.Op == Add || e.Op == Sub)
}

// stringInto initializes an array of characters with a string.
func (f *filler) stringInto(t *types.Type, offset int64, e *Expr) (int64, bool) {
	if e.Op != StringConst || t.Kind != types.Array || !t.Elem.IsInteger() || t.Elem.Size() != int64(e.Val.Width.Bytes()) {
		return 0, false
	}
	n := int64(len(e.Val.Units)) + 1
	if t.Len >= 0 && n > t.Len {
		n = t.Len
	}
	f.clear(t, offset)
	f.add(offset, nil, types.ArrayOf(t.Elem, n), e)
	if t.Len >= 0 {
		return t.Len, true
	}
	return n, true
}

// list reads a list in braces for an object at an offset. It returns the length of an array.
func (f *filler) list(t *types.Type, field *types.Field, offset int64) int64 {
	p := f.p
	p.enter()
	defer p.leave()
	p.expect(lex.LBrace)
	length := int64(0)
	switch {
	case isAggregate(t):
		f.clear(t, offset)
		length = f.elements(t, offset, true, nil)
	case p.kind == lex.RBrace: // {} is zero
		zero := &Expr{Op: Constant, Tok: p.at, Val: &Value{Kind: IntValue}, Type: types.Of(types.Int)}
		if t.IsArithmetic() && t.Kind != types.Complex {
			f.add(offset, field, t, p.convert(zero, t.Unqualified()))
		} else {
			f.clear(t, offset)
		}
		p.next()
		return 0
	default:
		f.value(t, field, offset, nil)
		if p.accept(lex.Comma) && p.kind != lex.RBrace {
			for p.kind != lex.RBrace { // gcc warns about more values
				f.discardValue()
				if !p.accept(lex.Comma) {
					break
				}
			}
		}
	}
	p.expect(lex.RBrace)
	return length
}

// discardValue reads a value for which there is no part.
func (f *filler) discardValue() {
	for f.p.kind == lex.Dot || f.p.kind == lex.LBracket {
		f.p.fail(f.p.at, "there is nothing that this could initialize")
	}
	f.p.skipInitializer()
}

// isAggregate reports whether a type has parts that are initialized one by one.
func isAggregate(t *types.Type) bool {
	return t.Kind == types.Array || t.Kind == types.Vector || t.IsRecord()
}

// elements reads values for the parts of an aggregate. braces: it ends with }, and designators
// may stand in it; else it takes what the aggregate needs, and the first value may be given.
func (f *filler) elements(t *types.Type, offset int64, braces bool, given *Expr) (length int64) {
	p := f.p
	if t.Kind == types.Array && braces && p.kind == lex.String { // { "abc" }
		at := p.at
		e := p.stringLiteral()
		if p.kind == lex.Comma || p.kind == lex.RBrace {
			if n, ok := f.stringInto(t, offset, e); ok {
				p.accept(lex.Comma)
				return n
			}
		}
		p.jump(at)
	}
	index := int64(0)
	for first := true; given != nil || p.kind != lex.RBrace && p.kind != lex.EOF; first = false {
		if !first && !braces && (f.isFull(t, index) || p.designator()) {
			return length
		}
		switch {
		case given == nil && braces && p.designator():
			index = f.designated(t, offset)
		case f.isFull(t, index):
			if !braces {
				return length
			}
			f.discardValue()
		default:
			field, elem, at := f.part(t, index, offset)
			f.value(elem, field, at, given)
			given = nil
			index++
		}
		length = max(length, index)
		if !braces && f.isFull(t, index) {
			return length
		}
		if p.kind != lex.Comma {
			return length
		}
		if k, _ := p.peek(1); !braces && k == lex.RBrace {
			return length
		}
		if !braces && p.peekDesignator() {
			return length
		}
		p.next()
	}
	return length
}

// peekDesignator reports whether a designator stands after the current token.
func (p *parser) peekDesignator() bool {
	k, _ := p.peek(1)
	return k == lex.Dot || k == lex.LBracket
}

// designator reports whether a designator begins here: .name, [n], or GNU's name:
func (p *parser) designator() bool {
	if p.kind == lex.Dot || p.kind == lex.LBracket {
		return true
	}
	k, _ := p.peek(1)
	return p.kind == lex.Identifier && p.key == noKey && k == lex.Colon
}

// value reads the value of a part; given is the expression, if it was read already. A part
// that is empty takes a value, and drops it, as in gcc.
func (f *filler) value(t *types.Type, field *types.Field, offset int64, given *Expr) {
	p := f.p
	p.enter()
	defer p.leave()
	if field != nil && field.Bits < 0 {
		field = nil
	}
	if given == nil && p.kind == lex.LBrace {
		f.list(t, field, offset)
		return
	}
	at := p.at
	if given == nil && t.Kind == types.Array && p.kind == lex.String {
		e := p.stringLiteral()
		if p.kind == lex.Comma || p.kind == lex.RBrace {
			if _, ok := f.stringInto(t, offset, e); ok {
				return
			}
		}
		p.jump(at)
	}
	if given == nil && t.Kind != types.Array {
		given = p.assignment()
	}
	if !isAggregate(t) {
		e := p.assignable(given, t.Unqualified(), at, "assigned")
		f.check(e)
		f.add(offset, field, t, e)
		return
	}
	// A whole struct, or its first part.
	if t.Kind != types.Array {
		if isBad(given) {
			return
		}
		if v := p.rvalue(given); types.CompatibleUnqualified(v.Type, t) {
			f.check(v)
			f.add(offset, nil, t, v)
			return
		}
	}
	if given != nil && given.Op == StringConst {
		if _, ok := f.stringInto(t, offset, given); ok {
			return
		}
	}
	if f.isFull(t, 0) {
		if given == nil {
			p.assignment()
		}
		return
	}
	f.elements(t, offset, false, given)
}

// designated reads a designator of a part of t and the value after it, and goes on with the
// parts after the one that was named. It returns the number of the part of t after that.
func (f *filler) designated(t *types.Type, offset int64) int64 {
	p := f.p
	p.enter()
	defer p.leave()
	from := len(f.in.Items)
	if p.kind == lex.LBracket {
		if t.Kind != types.Array {
			p.fail(p.at, "[ ] names a part of %s, which is no array", t)
		}
		low, high := f.index(t)
		if k, _ := p.peek(1); high > low && p.kind == lex.Assign && isAggregate(t.Elem) && (k == lex.LBrace || k == lex.String) {
			f.clear(types.ArrayOf(t.Elem, high-low+1), offset+low*t.Elem.Size())
			from = len(f.in.Items)
		}
		f.designatedPart(t.Elem, nil, offset+low*t.Elem.Size())
		if high > low {
			for i := from; i < len(f.in.Items); i++ {
				f.in.Items[i].Count, f.in.Items[i].Stride = high-low+1, t.Elem.Size()
			}
		}
		return high + 1
	}
	p.accept(lex.Dot)
	if p.kind != lex.Identifier {
		p.fail(p.at, "the name of a member is expected before %s", p.spelled(p.at))
	}
	n := p.tok.Name
	if !t.IsRecord() {
		p.fail(p.at, "%s names a member of %s, which has none", p.spelled(p.at), t)
	}
	path := findMember(t, uint32(n))
	if path == nil {
		note := p.suggest(p.name(n), func(yield func(string)) { eachMember(t, yield) })
		p.report(p.at, lex.Syntax, note, "%s has no member %s", t, p.name(n))
		panic(bail{})
	}
	p.next()
	if t.Kind == types.Union {
		f.choose(t, path[0], offset)
	}
	f.designatedPath(path, offset)
	return f.numberOf(t, path[0]) + 1
}

// designatedPath initializes a member that stands in members without a name.
func (f *filler) designatedPath(path []*types.Field, offset int64) {
	fd := path[0]
	if len(path) == 1 {
		f.designatedPart(fd.Type, fd, offset+fd.Offset)
		return
	}
	if fd.Type.Kind == types.Union {
		f.choose(fd.Type, path[1], offset+fd.Offset)
	}
	f.designatedPath(path[1:], offset+fd.Offset)
	f.rest(fd.Type, offset+fd.Offset, f.numberOf(fd.Type, path[1])+1)
}

// designatedPart initializes a part that designators name, perhaps with more designators.
func (f *filler) designatedPart(t *types.Type, fd *types.Field, offset int64) {
	p := f.p
	if p.kind == lex.Dot || p.kind == lex.LBracket {
		f.rest(t, offset, f.designated(t, offset))
		return
	}
	if p.kind == lex.Assign || p.kind == lex.Colon {
		p.next()
	}
	f.value(t, fd, offset, nil)
}

// rest goes on with the parts of an aggregate from a number on, as long as values without
// designators follow.
func (f *filler) rest(t *types.Type, offset, index int64) {
	p := f.p
	if t.Kind == types.Union {
		return
	}
	for p.kind == lex.Comma && !f.isFull(t, index) {
		at := p.at
		p.next()
		if p.kind == lex.RBrace || p.designator() {
			p.jump(at)
			return
		}
		field, elem, where := f.part(t, index, offset)
		f.value(elem, field, where, nil)
		index++
	}
}
