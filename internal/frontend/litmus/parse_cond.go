package litmus

import "fencepost/internal/property"

// The end of a test: locations, filter, and the condition. Precedences are
// herd's: '\/' binds weakest, then '/\', then '=>' (to the right), then '~'.

// tail reads everything after the instructions.
func (p *parser) tail() {
	for p.tok.kind != tEOF && !p.tok.is("<<") {
		start := p.tok
		ok := true
		switch {
		case p.tok.word("locations"):
			ok = p.locations()
		case p.tok.word("filter"):
			p.advance()
			var f *prop
			f, ok = p.prop()
			p.accept(";")
			if ok && p.tree.filter != nil {
				p.errorf(codeTwoConds, start.start, start.end, "a second filter")
			}
			p.tree.filter = f
		case p.tok.word("exists"), p.tok.word("forall"), p.tok.word("final"), p.tok.word("not"), p.tok.is("~"):
			ok = p.condition()
		case p.tok.word("with"):
			ok = p.expectedAnswers()
		case p.tok.word("observed"), p.tok.word("Observed"):
			p.errorf(codeFeature, start.start, start.end, "'%s' is not supported", start.text)
			return
		default:
			p.errorf(codeTail, start.start, start.end, "expected a condition (exists, ~exists, forall), locations or filter, found %s", start.describe())
			ok = false
			p.advance()
		}
		if !ok {
			p.skipToTail()
		}
	}
}

// expectedAnswers reads what a test expects of other models, such as "with tso: exists; sc: ~exists;". It says nothing
// about the answers here.
func (p *parser) expectedAnswers() bool {
	p.advance()
	for p.tok.kind == tName && !p.atTail() {
		p.advance()
		if !p.expect(codeCond, ":") {
			return false
		}
		if p.tok.is("~") || p.tok.word("not") {
			p.advance()
		}
		if !p.tok.word("exists") && !p.tok.word("forall") {
			p.errorf(codeCond, p.tok.start, p.tok.end, "expected exists, ~exists or forall, found %s", p.tok.describe())
			return false
		}
		p.advance()
		p.accept(";")
	}
	return true
}

// condition reads a quantifier and its proposition.
func (p *parser) condition() bool {
	start := p.tok
	quant := property.Exists
	switch {
	case p.tok.word("forall"):
		quant = property.Forall
	case p.tok.is("~"), p.tok.word("not"):
		quant = property.Never
		p.advance()
		if !p.tok.word("exists") {
			p.errorf(codeCond, p.tok.start, p.tok.end, "expected 'exists' after '%s', found %s", start.text, p.tok.describe())
			return false
		}
	}
	p.advance()
	x, ok := p.prop()
	end := p.last(start.start)
	p.accept(";")
	if ok && p.tree.cond != nil {
		p.errorf(codeTwoConds, start.start, start.end, "a second condition").
			Note("the first is at %s", p.file.Pos(p.tree.condAt.start))
		return true
	}
	p.tree.cond, p.tree.quant, p.tree.condAt = x, quant, extent{start.start, end}
	return ok
}

// locations reads "locations [x; 0:rax; ...]".
func (p *parser) locations() bool {
	start := p.tok
	p.advance()
	if !p.expect(codeCond, "[") {
		return false
	}
	if p.tree.hasList {
		p.errorf(codeTwoConds, start.start, start.end, "a second list of locations")
	}
	p.tree.hasList = true
	for !p.accept("]") {
		if p.accept(";") {
			continue
		}
		at, ok := p.ref(codeCond)
		if !ok {
			return false
		}
		it := listed{at: at, typ: typeName{extent: extent{start: p.tok.start}}}
		for p.tok.kind == tName {
			it.typ.words = append(it.typ.words, p.tok.text)
			p.advance()
		}
		for p.accept("*") {
			it.typ.pointer = true
		}
		it.typ.end = p.last(it.typ.start)
		p.tree.locations = append(p.tree.locations, it)
		if !p.tok.is(";") && !p.tok.is("]") {
			p.errorf(codeCond, p.tok.start, p.tok.end, "expected ';' or ']', found %s", p.tok.describe())
			return false
		}
	}
	return true
}

func (p *parser) prop() (*prop, bool) {
	return p.chain("\\/", isOr, func() (*prop, bool) {
		return p.chain("/\\", isAnd, p.implication)
	})
}

// chain reads operands joined by a sign, to the left.
func (p *parser) chain(sign string, kind propKind, operand func() (*prop, bool)) (*prop, bool) {
	x, ok := operand()
	for ok && p.accept(sign) {
		var y *prop
		y, ok = operand()
		if ok {
			x = &prop{kind: kind, x: x, y: y, extent: extent{x.start, y.end}}
		}
	}
	return x, ok
}

func (p *parser) implication() (*prop, bool) {
	x, ok := p.unary()
	if !ok || !p.accept("=>") {
		return x, ok
	}
	y, ok := p.nested(p.implication)
	if !ok {
		return nil, false
	}
	return &prop{kind: isImplies, x: x, y: y, extent: extent{x.start, y.end}}, true
}

// nested parses a part of a condition one level deeper.
func (p *parser) nested(parse func() (*prop, bool)) (*prop, bool) {
	if p.depth == maxDepth {
		p.errorf(codeDepth, p.tok.start, p.tok.end, "the condition is nested more than %d deep", maxDepth)
		p.pos = len(p.text)
		return nil, false
	}
	p.depth++
	defer func() { p.depth-- }()
	return parse()
}

func (p *parser) unary() (*prop, bool) {
	start := p.tok
	switch {
	case p.tok.is("~"), p.tok.word("not"):
		p.advance()
		x, ok := p.nested(p.unary)
		if !ok {
			return nil, false
		}
		return &prop{kind: isNot, x: x, extent: extent{start.start, x.end}}, true
	case p.tok.is("("):
		p.advance()
		x, ok := p.nested(p.prop)
		if !ok {
			return nil, false
		}
		return x, p.expect(codeCond, ")")
	case p.tok.word("true"):
		p.advance()
		return &prop{kind: isTrue, extent: extent{start.start, start.end}}, true
	case p.tok.word("false"):
		p.advance()
		return &prop{kind: isFalse, extent: extent{start.start, start.end}}, true
	}
	return p.atom()
}

// atom reads variable = value or variable = variable.
func (p *parser) atom() (*prop, bool) {
	start := p.tok
	p.atoms++
	if p.atoms > maxAtoms {
		p.errorf(codeTooLarge, start.start, start.end, "the conditions have more than %d comparisons", maxAtoms)
		p.pos = len(p.text)
		return nil, false
	}
	if p.tok.word("fault") || p.tok.word("Fault") {
		p.errorf(codeFeature, start.start, start.end, "conditions on faults are not supported")
		return nil, false
	}
	a := &prop{kind: isAtom, extent: extent{start: start.start}}
	p.accept("*")
	var ok bool
	if a.left, ok = p.ref(codeCond); !ok {
		return nil, false
	}
	negated := p.tok.is("!=") || p.tok.is("<>")
	if !negated && !p.tok.is("=") && !p.tok.is("==") {
		p.errorf(codeCond, p.tok.start, p.tok.end, "expected '=' or '!=', found %s", p.tok.describe())
		return nil, false
	}
	p.advance()
	switch {
	case p.isProc(), p.tok.is("["):
		a.isRef = true
		a.right, ok = p.ref(codeCond)
	case p.tok.is("*"):
		p.advance()
		a.isRef = true
		a.right, ok = p.ref(codeCond)
	default:
		a.val, ok = p.value(codeCond)
	}
	a.end = p.last(a.start)
	if !ok {
		return nil, false
	}
	if negated {
		return &prop{kind: isNot, x: a, extent: a.extent}, true
	}
	return a, true
}
