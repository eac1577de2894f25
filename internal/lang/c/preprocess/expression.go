package preprocess

import "fencepost/internal/lang/c/lex"

// The expressions of #if: integers of 64 bits, signed or unsigned.

type value struct {
	bits     uint64
	unsigned bool
}

func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// expression reads one expression.
type expression struct {
	p     *preprocessor
	t     lex.Token // the next token
	skip  int       // parts around that do not count
	depth int
	bad   bool
}

// evaluate reads the expression of #if or #elif. guards is the name X of !defined X.
func (p *preprocessor) evaluate(at *lex.Token) (holds bool, guards lex.Name) {
	e := expression{p: p}
	l := p.files.top().lexer
	begin := *l
	e.advance()
	if e.t.Kind == lex.EOF {
		p.errorAt(at, "#%s needs an expression", p.text(at))
		return false, 0
	}
	v := e.comma()
	if !e.bad && e.t.Kind != lex.EOF {
		e.fail("this does not continue the expression: %s", p.text(&e.t))
	}
	if e.bad {
		return false, 0
	}
	return v.bits != 0, p.guardIn(begin)
}

// guardIn returns the name X if the directive says !defined X or !defined(X).
func (p *preprocessor) guardIn(l lex.Lexer) lex.Name {
	var t lex.Token
	var name lex.Name
	for i, want := range []lex.Kind{lex.Not, lex.Identifier, lex.LParen, lex.Identifier, lex.RParen, lex.EOF} {
		if l.Next(&t); i == 2 && t.Kind == lex.Identifier {
			name = t.Name
			if l.Next(&t); t.Kind == lex.EOF {
				return name
			}
			return 0
		}
		if t.Kind != want || i == 1 && t.Name != nameDefined {
			return 0
		}
		if i == 3 {
			name = t.Name
		}
	}
	return name
}

func (e *expression) fail(format string, args ...any) value {
	if !e.bad {
		e.bad = true
		e.p.errorAt(&e.t, format, args...)
	}
	return value{}
}

func (e *expression) advance() {
	if e.bad && e.t.Kind == lex.EOF {
		return
	}
	e.p.nextReal(&e.t)
}

func (e *expression) accept(k lex.Kind) bool {
	if e.bad || e.t.Kind != k {
		return false
	}
	e.advance()
	return true
}

func (e *expression) comma() value {
	v := e.conditional()
	for e.accept(lex.Comma) {
		v = e.conditional()
	}
	return v
}

func (e *expression) conditional() value {
	if e.depth++; e.depth > 1000 {
		return e.fail("the expression is nested too deeply")
	}
	defer func() { e.depth-- }()
	c := e.binary(1)
	if !e.accept(lex.Question) {
		return c
	}
	a := e.unless(c.bits == 0, e.comma)
	if !e.accept(lex.Colon) {
		return e.fail("a colon is expected here, for the ? before")
	}
	b := e.unless(c.bits != 0, e.conditional)
	v := a
	if c.bits == 0 {
		v = b
	}
	v.unsigned = a.unsigned || b.unsigned
	return v
}

// unless reads a part that does not count if dead.
func (e *expression) unless(dead bool, part func() value) value {
	if dead {
		e.skip++
		defer func() { e.skip-- }()
	}
	return part()
}

func precedence(k lex.Kind) int {
	switch k {
	case lex.OrOr:
		return 1
	case lex.AndAnd:
		return 2
	case lex.Or:
		return 3
	case lex.Xor:
		return 4
	case lex.And:
		return 5
	case lex.Equal, lex.NotEqual:
		return 6
	case lex.Less, lex.Greater, lex.LessEqual, lex.GreaterEqual:
		return 7
	case lex.Shl, lex.Shr:
		return 8
	case lex.Plus, lex.Minus:
		return 9
	case lex.Star, lex.Slash, lex.Percent:
		return 10
	default:
		return 0
	}
}

// binary reads operators of at least a precedence.
func (e *expression) binary(least int) value {
	v := e.unary()
	for !e.bad {
		op, prec := e.t, precedence(e.t.Kind)
		if prec == 0 || prec < least {
			return v
		}
		dead := op.Kind == lex.OrOr && v.bits != 0 || op.Kind == lex.AndAnd && v.bits == 0
		var w value
		e.unless(dead, func() value {
			e.advance()
			w = e.binary(prec + 1)
			return w
		})
		v = e.apply(&op, v, w)
	}
	return v
}

func (e *expression) apply(op *lex.Token, a, b value) value {
	unsigned := a.unsigned || b.unsigned
	less := func(a, b value) bool {
		if unsigned {
			return a.bits < b.bits
		}
		return int64(a.bits) < int64(b.bits)
	}
	switch op.Kind {
	case lex.OrOr:
		return truth(a.bits != 0 || b.bits != 0)
	case lex.AndAnd:
		return truth(a.bits != 0 && b.bits != 0)
	case lex.Or:
		return value{a.bits | b.bits, unsigned}
	case lex.Xor:
		return value{a.bits ^ b.bits, unsigned}
	case lex.And:
		return value{a.bits & b.bits, unsigned}
	case lex.Equal:
		return truth(a.bits == b.bits)
	case lex.NotEqual:
		return truth(a.bits != b.bits)
	case lex.Less:
		return truth(less(a, b))
	case lex.Greater:
		return truth(less(b, a))
	case lex.LessEqual:
		return truth(!less(b, a))
	case lex.GreaterEqual:
		return truth(!less(a, b))
	case lex.Shl:
		return shift(a, b, false)
	case lex.Shr:
		return shift(a, b, true)
	case lex.Plus:
		return value{a.bits + b.bits, unsigned}
	case lex.Minus:
		return value{a.bits - b.bits, unsigned}
	case lex.Star:
		return value{a.bits * b.bits, unsigned}
	default:
		return e.divide(op, a, b, unsigned)
	}
}

func (e *expression) divide(op *lex.Token, a, b value, unsigned bool) value {
	if b.bits == 0 {
		if e.skip == 0 && !e.bad {
			e.bad = true
			e.p.errorAt(op, "division by zero in #if")
		}
		return value{0, unsigned}
	}
	q, r := a.bits/b.bits, a.bits%b.bits
	if !unsigned {
		if int64(b.bits) == -1 {
			q, r = -a.bits, 0
		} else {
			q, r = uint64(int64(a.bits)/int64(b.bits)), uint64(int64(a.bits)%int64(b.bits))
		}
	}
	if op.Kind == lex.Slash {
		return value{q, unsigned}
	}
	return value{r, unsigned}
}

// shift shifts; a negative distance shifts the other way.
func shift(a, b value, right bool) value {
	n := b.bits
	if !b.unsigned && int64(n) < 0 {
		n, right = -n, !right
	}
	switch {
	case !right && n > 63:
		a.bits = 0
	case !right:
		a.bits <<= n
	case a.unsigned && n > 63:
		a.bits = 0
	case a.unsigned:
		a.bits >>= n
	default:
		a.bits = uint64(int64(a.bits) >> min(n, 63))
	}
	return a
}

func (e *expression) unary() value {
	if e.depth++; e.depth > 1000 {
		return e.fail("the expression is nested too deeply")
	}
	defer func() { e.depth-- }()
	if e.bad {
		return value{}
	}
	switch e.t.Kind {
	case lex.Plus:
		e.advance()
		return e.unary()
	case lex.Minus:
		e.advance()
		v := e.unary()
		v.bits = -v.bits
		return v
	case lex.Tilde:
		e.advance()
		v := e.unary()
		v.bits = ^v.bits
		return v
	case lex.Not:
		e.advance()
		return truth(e.unary().bits == 0)
	case lex.LParen:
		e.advance()
		v := e.comma()
		if !e.accept(lex.RParen) {
			return e.fail("a ) is missing in the expression")
		}
		return v
	}
	return e.primary()
}

func (e *expression) primary() value {
	p, t := e.p, e.t
	switch t.Kind {
	case lex.Number:
		n, ok := lex.ParseInteger(p.Space.Text(&t))
		if !ok {
			return e.fail("this is not an integer: %s", p.text(&t))
		}
		e.advance()
		return value{n.Value, n.Unsigned || int64(n.Value) < 0 || n.Overflow}
	case lex.Char:
		c, ok := lex.ParseChar(p.Space.Text(&t))
		if !ok {
			return e.fail("this is not a character constant: %s", p.text(&t))
		}
		e.advance()
		return value{uint64(c.Value), c.Unsigned}
	case lex.Identifier:
		if t.Name == nameDefined {
			return e.defined()
		}
		if p.isHasInclude(t.Name) || p.macro(t.Name) != nil && p.macro(t.Name).builtin > builtinPragma {
			return e.fail("%s is used in a wrong way", p.text(&t))
		}
		e.advance()
		return value{}
	case lex.EOF:
		return e.fail("the expression of #if ends too early")
	default:
		return e.fail("this cannot stand in the expression of #if: %s", p.text(&t))
	}
}

// defined reads the operator defined.
func (e *expression) defined() value {
	p := e.p
	p.state.prevent++
	p.nextReal(&e.t)
	open := e.t.Kind == lex.LParen
	if open {
		p.nextReal(&e.t)
	}
	name := e.t
	if open && name.Kind == lex.Identifier {
		if p.nextReal(&e.t); e.t.Kind != lex.RParen {
			p.state.prevent--
			return e.fail("a ) is missing after defined")
		}
	}
	p.state.prevent--
	if name.Kind != lex.Identifier {
		return e.fail("defined needs the name of a macro")
	}
	e.advance()
	m := p.macro(name.Name)
	if m != nil && m.poisoned {
		return e.fail("the name %s is poisoned by a #pragma", p.text(&name))
	}
	return truth(p.isDefined(name.Name))
}
