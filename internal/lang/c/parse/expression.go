package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// expression reads an expression, with commas.
func (p *parser) expression() *Expr {
	start := p.at
	e := p.assignment()
	for p.kind == lex.Comma {
		at := p.at
		p.next()
		b := p.rvalue(p.assignment())
		e = p.spanned(start, &Expr{Op: Comma, Tok: at, A: p.discard(e), B: b, Type: b.Type, Bits: b.Bits})
	}
	return e
}

// assignment reads an assignment expression.
func (p *parser) assignment() *Expr {
	p.enter()
	defer p.leave()
	start := p.at
	a := p.conditional()
	if assignOp(p.kind) == Bad {
		return a
	}
	at, k := p.at, p.kind
	p.next()
	b := p.assignment()
	return p.spanned(start, p.assign(at, k, a, b))
}

// conditional reads a conditional expression.
func (p *parser) conditional() *Expr {
	start := p.at
	c := p.binaryExpr(1)
	if p.kind != lex.Question {
		return c
	}
	p.enter()
	defer p.leave()
	at := p.at
	p.next()
	var a *Expr
	if p.kind != lex.Colon {
		a = p.expression()
	}
	p.expect(lex.Colon)
	b := p.conditional()
	return p.spanned(start, p.conditionalOf(at, c, a, b))
}

// binaryExpr reads binary operators of at least a precedence.
func (p *parser) binaryExpr(least int) *Expr {
	start := p.at
	a := p.cast()
	for {
		op, prec := binaryOp(p.kind)
		if prec == 0 || prec < least {
			return a
		}
		at := p.at
		p.next()
		b := p.binaryExpr(prec + 1)
		a = p.spanned(start, p.binary(op, at, a, b))
	}
}

// cast reads a cast expression.
func (p *parser) cast() *Expr {
	if p.kind != lex.LParen {
		return p.unary()
	}
	k, key := p.peek(1)
	if p.c23 && (key == kStatic || key == kConstexpr || key == kRegister || key == kThread) {
		return p.storedLiteral()
	}
	if !p.startsType(k, key, p.nextIndex(p.at)) {
		return p.unary()
	}
	p.enter()
	defer p.leave()
	at := p.at
	p.next()
	t := p.typeName()
	p.expect(lex.RParen)
	if p.kind == lex.LBrace {
		return p.postfix(p.compoundLiteral(at, t, &specifiers{}))
	}
	e := p.cast()
	return p.spanned(at, p.castTo(at, t, e))
}

// castTo makes a cast.
func (p *parser) castTo(at int32, t *types.Type, e *Expr) *Expr {
	if isBad(e) || t.Kind == types.Error {
		return p.bad(at)
	}
	if t.Kind == types.Void {
		return &Expr{Op: Convert, Tok: at, A: p.discard(e), Type: types.Of(types.Void)}
	}
	if t.Kind == types.Union && !types.CompatibleUnqualified(t, e.Type) {
		v := p.rvalue(e)
		for i := range t.Record.Fields {
			if f := &t.Record.Fields[i]; types.CompatibleUnqualified(f.Type, v.Type) {
				return &Expr{Op: Convert, Tok: at, A: v, Type: t.Unqualified(), Field: f}
			}
		}
	}
	e = p.rvalue(e)
	t = t.Unqualified()
	s := e.Type
	ok := t.IsScalar() && s.IsScalar() && !(t.Kind == types.Pointer && (s.IsFloat() || s.Kind == types.Complex)) && !(s.Kind == types.Pointer && (t.IsFloat() || t.Kind == types.Complex)) ||
		t.IsRecord() && types.CompatibleUnqualified(t, s) || (t.Kind == types.Vector || s.Kind == types.Vector) && t.Size() == s.Size() && (t.IsScalar() || t.Kind == types.Vector)
	if !ok {
		p.errorf(at, "a value of type %s cannot be cast to %s", s, t)
		return p.bad(at)
	}
	return &Expr{Op: Convert, Tok: at, A: e, Type: t}
}

// storedLiteral reads a compound literal with a storage class, which C23 has.
func (p *parser) storedLiteral() *Expr {
	p.enter()
	defer p.leave()
	at := p.at
	p.next()
	s := p.specifiers(true)
	if s.typ == nil {
		p.fail(p.at, "a type is expected before %s", p.spelled(p.at))
	}
	if s.thread {
		p.refuse(at, "compound literals with thread_local are not supported")
	}
	d := p.declarator(s.typ, abstractOnly)
	p.expect(lex.RParen)
	if p.kind != lex.LBrace {
		p.fail(p.at, "'{' is expected before %s", p.spelled(p.at))
	}
	return p.postfix(p.compoundLiteral(at, d.typ, &s))
}

// compoundLiteral reads the list of a compound literal.
func (p *parser) compoundLiteral(at int32, t *types.Type, s *specifiers) *Expr {
	o := &Object{Kind: Variable, Tok: at, Type: t, Traits: Traits{Global: p.level == 0 || p.function == nil || s.storage == Static, Defined: true, Literal: true}, Depth: p.level}
	o.Constexpr = s.constexpr
	o.Init = p.initializerOf(&o.Type, o.Global)
	if o.Type.Kind == types.Error {
		return p.bad(at)
	}
	p.checkConstexpr(o)
	return p.spanned(at, &Expr{Op: Literal, Tok: at, Obj: o, Type: o.Type, LValue: true})
}

// spanned notes the tokens of an expression, which end with the one that was read last.
func (p *parser) spanned(first int32, e *Expr) *Expr {
	e.First, e.Last = first, p.last
	return e
}

// unary reads a unary expression.
func (p *parser) unary() *Expr {
	p.enter()
	defer p.leave()
	start := p.at
	return p.spanned(start, p.unaryRest())
}

func (p *parser) unaryRest() *Expr {
	at, k := p.at, p.kind
	switch k {
	case lex.And, lex.Star, lex.Plus, lex.Minus, lex.Tilde, lex.Not:
		p.next()
		return p.unaryOf(k, at, p.cast())
	case lex.Inc:
		p.next()
		return p.increment(PreInc, at, p.unary())
	case lex.Dec:
		p.next()
		return p.increment(PreDec, at, p.unary())
	case lex.AndAnd:
		p.next()
		if p.function == nil {
			p.fail(at, "the address of a label is taken outside of a function")
		}
		l := p.label()
		l.Taken = true
		return &Expr{Op: LabelAddress, Tok: at, Label: l, Type: types.PointerTo(types.Of(types.Void))}
	}
	switch p.key {
	case kSizeof, kAlignof:
		return p.sizeof()
	case kExtension:
		p.next()
		return p.cast()
	case kReal, kImag:
		return p.complexPart()
	}
	e := p.primary()
	return p.postfix(p.spanned(at, e))
}

func (p *parser) complexPart() *Expr {
	at, op := p.at, Real
	if p.key == kImag {
		op = Imag
	}
	p.next()
	a := p.cast()
	if isBad(a) {
		return a
	}
	if !a.Type.IsArithmetic() {
		p.errorf(at, "this operator needs a number, and gets %s", a.Type)
		return p.bad(at)
	}
	t := a.Type
	if t.Kind == types.Complex {
		return &Expr{Op: op, Tok: at, A: a, Type: t.Elem.WithQual(t.Qual), LValue: a.LValue}
	}
	a = p.rvalue(a)
	return &Expr{Op: op, Tok: at, A: a, Type: a.Type}
}

// sizeof reads sizeof and _Alignof.
func (p *parser) sizeof() *Expr {
	at, align := p.at, p.key == kAlignof
	p.next()
	var t *types.Type
	var e *Expr
	k, key := p.peek(1)
	if p.kind == lex.LParen && p.startsType(k, key, p.nextIndex(p.at)) {
		open := p.at
		p.next()
		t = p.typeName()
		p.expect(lex.RParen)
		if p.kind == lex.LBrace {
			e = p.postfix(p.compoundLiteral(open, t, &specifiers{}))
			t = e.Type
		}
	} else {
		e = p.unary()
		if t = e.Type; e.Bits > 0 {
			p.errorf(at, "a bit-field has no size of its own")
			return p.bad(at)
		}
	}
	size := types.Of(types.ULong)
	switch {
	case t.Kind == types.Error:
		return p.bad(at)
	case align:
		n := t.Align()
		if e != nil {
			n = alignOfExpr(e)
		}
		return p.intConst(at, IntOf(n), size)
	case !t.IsComplete() && t.Kind != types.Void && t.Kind != types.Function:
		p.errorf(at, "the size of the incomplete type %s is not known", t)
		return p.bad(at)
	case t.IsVariable():
		return &Expr{Op: SizeOf, Tok: at, A: e, Of: t, Type: size}
	}
	c := p.intConst(at, IntOf(t.Size()), size)
	c.Of = t
	return c
}

// alignOfExpr returns the alignment of an object.
func alignOfExpr(e *Expr) int64 {
	switch {
	case e.Op == Name && e.Obj.Align != 0:
		return max(e.Obj.Align, e.Type.Align())
	case e.Op == Member:
		return max(1, e.Field.Alignment)
	default:
		return e.Type.Align()
	}
}

func (p *parser) intConst(at int32, v Int, t *types.Type) *Expr {
	return &Expr{Op: Constant, Tok: at, Val: &Value{Kind: IntValue, Int: v.fit(t)}, Type: t}
}

// postfix reads what stands after a primary expression.
func (p *parser) postfix(e *Expr) *Expr {
	start := e.First
	for ; ; p.spanned(start, e) {
		at := p.at
		switch p.kind {
		case lex.LBracket:
			p.next()
			i := p.expression()
			p.expect(lex.RBracket)
			if e.Type.Kind == types.Vector || i.Type.Kind == types.Vector {
				p.refuse(at, "operations on vectors are not supported")
			}
			if !isBad(e, i) && (p.rvalue(e).Type.Kind == types.Pointer) == (p.rvalue(i).Type.Kind == types.Pointer) {
				p.errorf(at, "neither side of [ is an array or a pointer: %s and %s", e.Type, i.Type)
				e = p.bad(at)
				continue
			}
			sum := p.binary(Add, at, e, i)
			if e = sum; !isBad(sum) {
				e = p.deref(at, sum)
			}
		case lex.LParen:
			e = p.call(e)
		case lex.Dot:
			p.next()
			e = p.memberOf(at, e)
		case lex.Arrow:
			p.next()
			if e = p.rvalue(e); !isBad(e) {
				e = p.deref(at, e)
			}
			e = p.memberOf(at, e)
		case lex.Inc:
			p.next()
			e = p.increment(PostInc, at, e)
		case lex.Dec:
			p.next()
			e = p.increment(PostDec, at, e)
		default:
			return e
		}
	}
}

// memberOf reads the name of a member.
func (p *parser) memberOf(at int32, e *Expr) *Expr {
	if p.kind != lex.Identifier {
		p.fail(p.at, "the name of a member is expected before %s", p.spelled(p.at))
	}
	name, tok := p.tok.Name, p.at
	p.next()
	if isBad(e) {
		return p.bad(at)
	}
	if !e.Type.IsRecord() {
		p.errorf(at, "%s needs a struct or union, and gets %s", p.spelled(at), e.Type)
		return p.bad(at)
	}
	if !e.Type.Record.Complete {
		p.errorf(at, "the members of %s are not known here", e.Type)
		return p.bad(at)
	}
	path := findMember(e.Type, uint32(name))
	if path == nil {
		note := p.suggest(p.name(name), func(yield func(string)) { eachMember(e.Type, yield) })
		p.report(tok, lex.Syntax, note, "%s has no member %s", e.Type, p.name(name))
		return p.bad(at)
	}
	for _, f := range path {
		e = memberExpr(tok, e, f)
	}
	return e
}

func memberExpr(at int32, e *Expr, f *types.Field) *Expr {
	m := &Expr{Op: Member, Tok: at, A: e, Field: f, Type: f.Type.WithQual(e.Type.Qual &^ types.Atomic), LValue: e.LValue}
	if f.Bits > 0 {
		m.Bits = int32(f.Bits)
	}
	return m
}

// findMember returns the way to a member, through members without a name.
func findMember(t *types.Type, id uint32) []*types.Field {
	for i := range t.Record.Fields {
		f := &t.Record.Fields[i]
		if f.ID == id {
			return []*types.Field{f}
		}
		if f.ID == 0 && f.Type.IsRecord() {
			if path := findMember(f.Type, id); path != nil {
				return append([]*types.Field{f}, path...)
			}
		}
	}
	return nil
}

func eachMember(t *types.Type, yield func(string)) {
	for i := range t.Record.Fields {
		f := &t.Record.Fields[i]
		if f.Name != "" {
			yield(f.Name)
		} else if f.Type.IsRecord() {
			eachMember(f.Type, yield)
		}
	}
}
