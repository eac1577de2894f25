package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// primary reads a primary expression.
func (p *parser) primary() *Expr {
	at := p.at
	switch p.kind {
	case lex.Number:
		return p.number()
	case lex.Char:
		return p.character()
	case lex.String:
		return p.stringLiteral()
	case lex.LParen:
		p.next()
		if p.kind == lex.LBrace {
			return p.stmtExpr(at)
		}
		e := p.expression()
		p.expect(lex.RParen)
		e.Paren = true
		return e
	case lex.Identifier:
		if p.key == noKey {
			return p.identifier()
		}
	}
	switch p.key {
	case kGeneric:
		return p.generic()
	case kVaArg:
		return p.vaArg()
	case kOffsetof:
		return p.offsetof()
	case kCompatible:
		return p.typesCompatible()
	case kChoose:
		return p.choose()
	case kFunctionName:
		return p.functionName()
	case kComplexOf, kHasAttribute, kShuffle:
		p.refuse(at, "%s is not supported", p.spelled(at))
	case kTrue, kFalse:
		p.next()
		return p.intConst(at, IntOf(int64(b2i(p.text(at) == "true"))), types.Of(types.Bool))
	case kNullptr:
		p.next()
		return &Expr{Op: Constant, Tok: at, Val: &Value{Kind: IntValue}, Type: types.PointerTo(types.Of(types.Void)), Of: types.Of(types.Int)}
	}
	p.fail(at, "an expression is expected before %s", p.spelled(at))
	return nil
}

// identifier reads a name.
func (p *parser) identifier() *Expr {
	at, n := p.at, p.tok.Name
	o := p.find(n)
	if o == nil {
		return p.unknownName()
	}
	switch o.Kind {
	case EnumConstant:
		p.next()
		return &Expr{Op: Constant, Tok: at, Val: o.Value, Type: o.Type, Obj: o}
	case Typedef:
		p.fail(at, "the type %s cannot stand here", p.name(n))
	}
	p.next()
	return &Expr{Op: Name, Tok: at, Obj: o, Type: o.Type, LValue: o.Kind == Variable}
}

// unknownName treats a name that is not declared: a function of the compiler, a function that
// is declared by its call, or a mistake.
func (p *parser) unknownName() *Expr {
	at, n := p.at, p.tok.Name
	word := p.name(n)
	k, _ := p.peek(1)
	if o := p.builtin(word, n, at); o != nil {
		p.next()
		return &Expr{Op: Name, Tok: at, Obj: o, Type: o.Type}
	}
	p.next()
	if k == lex.LParen && len(word) > 10 && word[:10] == "__builtin_" {
		p.refuse(at, "the builtin %s is not supported", word)
	}
	if k == lex.LParen { // declared by its call, as in C89; gcc warns
		o := &Object{Kind: Function, Name: n, Tok: at, Type: &types.Type{Kind: types.Function, Elem: types.Of(types.Int), OldStyle: true}, Storage: Extern, Traits: Traits{Global: true}}
		level := p.level
		p.level = 0
		p.declare(o)
		p.level = level
		p.Objects = append(p.Objects, o)
		return &Expr{Op: Name, Tok: at, Obj: o, Type: o.Type}
	}
	note := p.suggest(word, p.eachName)
	if k == lex.Identifier || k == lex.Number { // no expression goes on like this
		note = p.suggest(word, func(yield func(string)) { yield("return"); yield("goto"); yield("else") })
	}
	p.report(at, lex.Syntax, note, "%s is not declared", word)
	p.afterUnknown = p.at
	// The name is declared now, so that there is one message for it.
	p.declare(&Object{Kind: Variable, Name: n, Tok: at, Type: errorType, Traits: Traits{Global: true}})
	return p.bad(at)
}

// number reads a number.
func (p *parser) number() *Expr {
	at := p.at
	text := p.Source.Space.Text(p.tok)
	p.next()
	if n, ok := lex.ParseInteger(text); ok {
		t := integerType(n)
		e := p.intConst(at, Int{n.Value, n.High}, t)
		if n.Imag {
			p.refuse(at, "imaginary constants are not supported")
		}
		return e
	}
	f, t, imag, ok := parseFloat(string(text))
	switch {
	case t == nil:
		p.fail(at, "this is not a number: %s", string(text))
	case imag:
		p.refuse(at, "imaginary constants are not supported")
	case !ok:
		p.refuse(at, "the value of this constant is out of range: %s", string(text))
	}
	return &Expr{Op: Constant, Tok: at, Val: &Value{Kind: FloatValue, Float: f}, Type: t}
}

// integerType returns the type of an integer constant.
func integerType(n lex.Integer) *types.Type {
	kinds := []types.Kind{types.Int, types.UInt, types.Long, types.ULong, types.LongLong, types.ULongLong, types.Int128}
	for _, k := range kinds {
		unsigned := k == types.UInt || k == types.ULong || k == types.ULongLong
		size := types.Of(k).Size()
		switch {
		case n.Longs == 1 && k < types.Long, n.Longs == 2 && k < types.LongLong:
			continue
		case n.Unsigned && !unsigned && k != types.Int128:
			continue
		case unsigned && !n.Unsigned && n.Decimal:
			continue
		}
		limit := uint64(1)<<(size*8-1) - 1
		if size == 8 && unsigned || size == 16 {
			limit = ^uint64(0)
		} else if unsigned {
			limit = 1<<(size*8) - 1
		}
		if n.Value <= limit && !n.Overflow {
			return types.Of(k)
		}
	}
	return types.Of(types.ULongLong)
}

// character reads a character constant.
func (p *parser) character() *Expr {
	at := p.at
	c, ok := lex.ParseChar(p.Source.Space.Text(p.tok))
	if !ok {
		p.fail(at, "this is not a character constant: %s", p.text(at))
	}
	p.next()
	t := types.Of(types.Int)
	switch c.Width {
	case lex.UTF8:
		t = types.Of(types.UChar)
	case lex.UTF16:
		t = types.Of(types.UShort)
	case lex.UTF32:
		t = types.Of(types.UInt)
	}
	if c.Width == lex.Narrow && c.Count == 1 && p.unsigned {
		c.Value &= 0xff
	}
	return p.intConst(at, IntOf(c.Value), t)
}

// stringLiteral reads string literals that stand together.
func (p *parser) stringLiteral() *Expr {
	at := p.at
	w := lex.Narrow
	end := at
	for p.kind == lex.String {
		if v := lex.StringWidth(p.Source.Space.Text(p.tok)); v != lex.Narrow {
			w = v
		}
		end = p.at
		p.next()
	}
	var units []uint32
	for i := at; i <= end; i++ {
		t := &p.toks[i]
		if t.Kind != lex.String {
			continue
		}
		var ok bool
		if units, ok = lex.AppendString(units, p.Source.Space.Text(t), w); !ok {
			p.fail(i, "an escape sequence in this string is wrong")
		}
	}
	elem := p.charType() // also of u8"", in gcc 12
	switch w {
	case lex.UTF16:
		elem = types.Of(types.UShort)
	case lex.UTF32:
		elem = types.Of(types.UInt)
	case lex.WChar:
		elem = types.Of(types.Int)
	}
	t := types.ArrayOf(elem, int64(len(units))+1)
	return &Expr{Op: StringConst, Tok: at, Val: &Value{Kind: StringValue, Units: units, Width: w}, Type: t, LValue: true}
}

// stringText reads a narrow string, such as the template of asm.
func (p *parser) stringText() string {
	if p.kind != lex.String {
		p.fail(p.at, "a string is expected before %s", p.spelled(p.at))
	}
	e := p.stringLiteral()
	out := make([]byte, len(e.Val.Units))
	for i, u := range e.Val.Units {
		out[i] = byte(u)
	}
	return string(out)
}

// functionName reads __func__.
func (p *parser) functionName() *Expr {
	at := p.at
	p.next()
	name := ""
	if p.function != nil {
		name = p.name(p.function.obj.Name)
	}
	var units []uint32
	for i := range len(name) {
		units = append(units, uint32(name[i]))
	}
	t := types.ArrayOf(p.charType().WithQual(types.Const), int64(len(units))+1)
	return &Expr{Op: StringConst, Tok: at, Val: &Value{Kind: StringValue, Units: units}, Type: t, LValue: true}
}

// stmtExpr reads a statement expression after its parenthesis.
func (p *parser) stmtExpr(at int32) *Expr {
	if p.function == nil {
		p.fail(at, "a statement expression stands outside of a function")
	}
	b := p.block(false)
	p.expect(lex.RParen)
	e := &Expr{Op: StmtExpr, Tok: at, Body: b, Type: types.Of(types.Void)}
	for n := len(b.List); n > 1 && b.List[n-1].Kind == Empty; n-- { // gcc takes the value of what stands before
		b.List = b.List[:n-1]
	}
	if n := len(b.List); n > 0 {
		last := b.List[n-1]
		for last.Kind == LabelStmt {
			last = last.Then
		}
		if last.Kind == ExprStmt && last.Expr != nil {
			last.Expr = p.rvalue(last.Expr)
			e.Type, e.Bits = last.Expr.Type, last.Expr.Bits
		}
	}
	return e
}

// generic reads _Generic. The result is the expression that is chosen.
func (p *parser) generic() *Expr {
	at := p.at
	p.next()
	p.expect(lex.LParen)
	control := p.rvalue(p.assignment())
	var chosen, other *Expr
	for p.accept(lex.Comma) {
		if p.acceptKey(kDefault) {
			p.expect(lex.Colon)
			other = p.assignment()
			continue
		}
		tok := p.at
		t := p.typeName()
		p.expect(lex.Colon)
		match := control.Type.Kind != types.Error && types.Compatible(control.Type, t)
		if !match {
			p.quiet++ // not evaluated: a mistake in it is still an error for gcc, but never met
		}
		e := p.assignment()
		if !match {
			p.quiet--
		} else {
			if chosen != nil {
				p.errorf(tok, "two types of _Generic are compatible with %s", control.Type)
			}
			chosen = e
		}
	}
	p.expect(lex.RParen)
	if chosen == nil {
		chosen = other
	}
	if chosen == nil {
		if !isBad(control) {
			p.errorf(at, "_Generic has no expression for %s", control.Type)
		}
		return p.bad(at)
	}
	return chosen
}

func (p *parser) vaArg() *Expr {
	at := p.at
	p.next()
	p.expect(lex.LParen)
	a := p.assignment()
	p.expect(lex.Comma)
	t := p.typeName()
	p.expect(lex.RParen)
	if a.Type.Kind == types.Array || a.Type.Kind == types.Pointer { // a list that is a parameter is a pointer
		a = p.rvalue(a)
	}
	return &Expr{Op: VaArg, Tok: at, A: a, Type: t}
}

// typesCompatible reads __builtin_types_compatible_p.
func (p *parser) typesCompatible() *Expr {
	at := p.at
	p.next()
	p.expect(lex.LParen)
	a := p.typeName()
	p.expect(lex.Comma)
	b := p.typeName()
	p.expect(lex.RParen)
	same := types.CompatibleUnqualified(a, b)
	if same && a.Kind == types.Enum && b.Kind == types.Enum {
		same = a.Record == b.Record
	}
	return p.intConst(at, IntOf(int64(b2i(same))), types.Of(types.Int))
}

// choose reads __builtin_choose_expr. The result is the expression that is chosen.
func (p *parser) choose() *Expr {
	p.next()
	p.expect(lex.LParen)
	c := p.constantIntOf(p.rvalue(p.assignment()), "the condition of __builtin_choose_expr")
	p.expect(lex.Comma)
	a := p.assignment()
	p.expect(lex.Comma)
	b := p.assignment()
	p.expect(lex.RParen)
	if c.IsZero() {
		return b
	}
	return a
}

// offsetof reads __builtin_offsetof.
func (p *parser) offsetof() *Expr {
	at := p.at
	p.next()
	p.expect(lex.LParen)
	t := p.typeName()
	p.expect(lex.Comma)
	null := &Expr{Op: Constant, Tok: at, Val: &Value{Kind: IntValue}, Type: types.PointerTo(t)}
	e := &Expr{Op: Deref, Tok: at, A: null, Type: t, LValue: true}
	e = p.memberOf(at, e)
	for p.kind == lex.Dot || p.kind == lex.LBracket || p.kind == lex.Arrow {
		op := p.at
		switch {
		case p.accept(lex.Dot):
			e = p.memberOf(op, e)
		case p.accept(lex.LBracket):
			i := p.expression()
			p.expect(lex.RBracket)
			sum := p.binary(Add, op, e, i)
			if e = sum; !isBad(sum) {
				e = p.deref(op, sum)
			}
		default:
			p.fail(op, "'->' cannot stand in offsetof")
		}
	}
	p.expect(lex.RParen)
	if isBad(e) {
		return e
	}
	if e.Bits > 0 {
		p.errorf(at, "a bit-field has no offset")
		return p.bad(at)
	}
	r := &Expr{Op: OffsetOf, Tok: at, A: e, Type: types.Of(types.ULong)}
	if v, ok := p.fold(&Expr{Op: AddressOf, Tok: at, A: e, Type: types.PointerTo(e.Type)}); ok && v.Kind == IntValue {
		return p.intConst(at, v.Int, r.Type)
	}
	return r
}
