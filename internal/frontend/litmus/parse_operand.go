package litmus

import "strings"

// operand reads one operand in either notation.
func (p *parser) operand() (operand, bool) {
	op := operand{scale: 1, extent: extent{start: p.tok.start}}
	ok := p.operandBody(&op)
	op.end = p.last(op.start)
	return op, ok
}

func (p *parser) operandBody(op *operand) bool {
	switch {
	case p.accept("$"):
		op.kind = isImmediate
		return p.constant(op)
	case p.tok.is("%"):
		op.kind = isRegister
		var ok bool
		op.reg, ok = p.register()
		return ok
	case p.tok.is("["):
		op.kind = isMemory
		return p.brackets(op)
	case p.tok.is("("):
		op.kind = isMemory
		return p.parentheses(op)
	case p.tok.kind == tInt || p.tok.is("-"):
		op.kind = isImmediate
		if !p.constant(op) {
			return false
		}
		return p.afterConstant(op)
	case p.tok.kind == tName:
		return p.nameOperand(op)
	}
	p.errorf(codeCell, p.tok.start, p.tok.end, "expected an operand, found %s", p.tok.describe())
	return false
}

// nameOperand reads an operand that begins with a name: a register, a size such
// as "dword ptr", a location or a label.
func (p *parser) nameOperand(op *operand) bool {
	if r, ok := p.arch.register(p.tok.text); ok {
		op.kind, op.reg = isRegister, r
		p.advance()
		return true
	}
	sizes := map[string]int{"byte": 1, "word": 2, "dword": 4, "qword": 8}
	if n := sizes[strings.ToLower(p.tok.text)]; n > 0 {
		size := p.tok
		p.advance()
		if p.tok.kind == tName && strings.EqualFold(p.tok.text, "ptr") {
			p.advance()
		} else if !p.tok.is("[") {
			op.kind, op.sym = isTarget, size.text
			return p.afterConstant(op)
		}
		if p.arch == arch64 {
			p.errorf(codeOperands, size.start, size.end, "'%s ptr' belongs to Intel's notation, and X86_64 tests write the destination last", size.text).
				Note("give the size by a suffix, as in movl")
			return false
		}
		inner := *op
		if !p.operandBody(&inner) {
			return false
		}
		inner.size = n
		*op = inner
		return true
	}
	if !p.constant(op) {
		return false
	}
	op.kind = isTarget
	if op.num != 0 {
		op.kind = isMemory
	}
	return p.afterConstant(op)
}

// afterConstant reads the registers after a displacement, as in 4(%rdi).
func (p *parser) afterConstant(op *operand) bool {
	switch {
	case p.tok.is("("):
		op.kind = isMemory
		return p.parentheses(op)
	case p.tok.is("["):
		op.kind = isMemory
		return p.brackets(op)
	}
	return true
}

// constant reads [-] number, or a name with an optional offset.
func (p *parser) constant(op *operand) bool {
	if p.tok.kind != tName {
		n, ok := p.integer(codeCell)
		op.num = n
		return ok
	}
	op.sym = p.tok.text
	p.advance()
	if p.tok.is("+") || p.tok.is("-") {
		p.accept("+")
		n, ok := p.integer(codeCell)
		op.num = n
		return ok
	}
	return true
}

// register reads a register with or without '%'.
func (p *parser) register() (register, bool) {
	start := p.tok.start
	if p.accept("%") {
		p.tree.percent = true
	}
	if p.tok.kind != tName {
		p.errorf(codeCell, p.tok.start, p.tok.end, "expected the name of a register, found %s", p.tok.describe())
		return register{}, false
	}
	r, ok := p.arch.register(p.tok.text)
	if !ok {
		p.errorf(codeRegister, start, p.tok.end, "%s has no register '%s'", p.arch, clip(p.tok.text))
	}
	p.advance()
	return r, ok
}

// parentheses reads (x), (%rdi), (%rdi,%rcx,4), (%rip).
func (p *parser) parentheses(op *operand) bool {
	p.advance()
	if p.tok.kind == tName && op.sym == "" {
		if _, isReg := p.arch.register(p.tok.text); !isReg && !strings.EqualFold(p.tok.text, "rip") {
			disp := op.num
			if !p.constant(op) {
				return false
			}
			op.num += disp
			return p.expect(codeCell, ")")
		}
	}
	if !p.tok.is(",") {
		if !p.base(op) {
			return false
		}
	}
	if p.accept(",") {
		var ok bool
		if op.index, ok = p.register(); !ok {
			return false
		}
		op.hasIndex = true
		if p.accept(",") {
			at := p.tok
			n, ok := p.integer(codeCell)
			if !ok || !p.scaleOK(n, at) {
				return false
			}
			op.scale = n
		}
	}
	return p.expect(codeCell, ")")
}

// base reads the base register; relative to the instruction pointer, the symbol
// alone is the address.
func (p *parser) base(op *operand) bool {
	start := p.tok
	before := p.lexer.pos
	if start.is("%") {
		p.advance()
	}
	if p.tok.kind == tName && strings.EqualFold(p.tok.text, "rip") {
		if op.sym == "" {
			p.errorf(codeScale, start.start, p.tok.end, "an address relative to rip needs the name of a variable")
			return false
		}
		p.advance()
		return true
	}
	if start.is("%") {
		p.tok, p.lexer.pos = start, before
	}
	var ok bool
	op.base, ok = p.register()
	op.hasBase = ok
	return ok
}

func (p *parser) scaleOK(n int64, at token) bool {
	if n == 1 || n == 2 || n == 4 || n == 8 {
		return true
	}
	p.errorf(codeScale, at.start, max(at.end, at.start+1), "an index is scaled by 1, 2, 4 or 8, not by %d", n)
	return false
}

// brackets reads [x], [EDI], [x+4], [EDI+ECX*4-8].
func (p *parser) brackets(op *operand) bool {
	p.advance()
	neg := false
	for {
		if p.tok.is("-") {
			neg = !neg
			p.advance()
		}
		if !p.term(op, neg) {
			return false
		}
		switch {
		case p.accept("+"):
			neg = false
		case p.tok.is("-"):
			neg = false // the sign is read with the term
		default:
			return p.expect(codeCell, "]")
		}
	}
}

// term adds one summand of an address in brackets.
func (p *parser) term(op *operand, neg bool) bool {
	at := p.tok
	if p.tok.kind == tInt {
		n := p.tok.val
		p.advance()
		if p.accept("*") {
			return p.indexTerm(op, n, at)
		}
		if neg {
			n = -n
		}
		op.num += n
		return true
	}
	if neg || p.tok.kind != tName && !p.tok.is("%") {
		p.errorf(codeScale, at.start, at.end, "expected a number, found %s", at.describe())
		return false
	}
	if _, isReg := p.arch.register(p.tok.text); !isReg && p.tok.kind == tName {
		if op.sym != "" {
			p.errorf(codeScale, at.start, at.end, "an address with two variables")
			return false
		}
		op.sym = p.tok.text
		p.advance()
		return true
	}
	r, ok := p.register()
	if !ok {
		return false
	}
	if p.accept("*") {
		n, ok := p.integer(codeCell)
		return ok && p.addIndex(op, r, n, at)
	}
	if !op.hasBase {
		op.hasBase, op.base = true, r
		return true
	}
	return p.addIndex(op, r, 1, at)
}

func (p *parser) indexTerm(op *operand, scale int64, at token) bool {
	r, ok := p.register()
	return ok && p.addIndex(op, r, scale, at)
}

func (p *parser) addIndex(op *operand, r register, scale int64, at token) bool {
	if op.hasIndex {
		p.errorf(codeScale, at.start, at.end, "an address with two index registers")
		return false
	}
	op.hasIndex, op.index, op.scale = true, r, scale
	return p.scaleOK(scale, at)
}
