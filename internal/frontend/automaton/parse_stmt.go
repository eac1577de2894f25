package automaton

import "fencepost/internal/ir"

// syncWords are the statement keywords at which a parser that lost its way can
// go on: those that cannot stand inside an expression.
var syncWords = words("reg goto if while do loop either atomic break continue return release seqcst " +
	"fence mfence sfence skip assume assert await havoc")

// syncStmt skips the rest of a broken statement.
func (p *parser) syncStmt(start int) {
	for p.tok.kind != tEOF {
		if p.tok.is(";") {
			p.advance()
			break
		}
		if p.atListEnd() || p.tok.start > start && (p.tok.is("{") || p.tok.kind == tKeyword && syncWords[p.tok.text]) {
			break
		}
		p.advance()
	}
	p.bad = false
}

// atListEnd reports whether no further statement can follow.
func (p *parser) atListEnd() bool {
	return p.tok.kind == tEOF || p.tok.is("}") || p.tok.is("end") || p.tok.kind == tKeyword && itemWords[p.tok.text]
}

// stmts parses statements into b. Blocks without meaning of their own are
// spliced in, with the stack of where they began rather than by recursion. Labels
// wait for the statement they are in front of; those at the end become an empty
// statement.
func (p *parser) stmts(b *stmt) {
	outer := len(p.blocks)
	defer func() { p.blocks = p.blocks[:outer] }() // an error may leave blocks open
	var labels []ident
	var invariants []*expr
	for {
		if p.bad {
			p.syncStmt(-1)
		}
		switch {
		case p.atInvariant():
			invariants = append(invariants, p.invariant())
			continue
		case p.tok.kind == tKeyword && p.ahead.is(":"):
			p.ident("a label") // reports the reserved word
			p.bad = false
			p.advance()
			p.advance()
			continue
		case p.tok.is("{"):
			if len(p.blocks)-outer+p.depth >= maxDepth {
				p.fail(codeDepth, p.tok.start, p.tok.end, "nesting deeper than %d levels", maxDepth)
				p.stop()
				return
			}
			p.blocks = append(p.blocks, p.tok)
			p.advance()
			continue
		case len(p.blocks) > outer && p.atListEnd():
			p.closeBlock("}")
			if p.bad {
				return
			}
			p.accept(";")
			continue
		case p.atListEnd():
			p.noStatement(invariants)
			if len(labels) > 0 {
				last := labels[len(labels)-1]
				b.list = append(b.list, &stmt{kind: sEmpty, labels: labels, start: last.start, end: last.end})
			}
			return
		case p.tok.kind == tName && p.ahead.is(":"):
			labels = append(labels, p.ident("a label"))
			p.advance()
			continue
		}
		start := p.tok.start
		s := p.plain()
		if p.bad {
			p.syncStmt(start)
			continue
		}
		if s != nil {
			s.labels, labels = labels, nil
			s.invariants, invariants = invariants, nil
			b.list = append(b.list, s)
		}
	}
}

// block parses '{' statements '}'.
func (p *parser) block() *stmt {
	open := p.tok
	b := &stmt{kind: sBlock, start: open.start}
	if !p.expect("{") {
		return b
	}
	p.blocks = append(p.blocks, open)
	if p.enter() {
		p.stmts(b)
	}
	p.leave()
	p.closeBlock("}")
	b.end = p.prevEnd
	return b
}

// body parses the statement inside an if or a loop.
func (p *parser) body() *stmt {
	if p.tok.is("{") {
		b := p.block()
		if !p.bad {
			p.accept(";")
		}
		return b
	}
	b := &stmt{kind: sBlock, form: unbraced, start: p.tok.start}
	var labels []ident
	for !p.bad && p.tok.kind == tName && p.ahead.is(":") {
		labels = append(labels, p.ident("a label"))
		p.advance()
	}
	if len(labels) > 0 && p.tok.is("{") {
		inner := p.body()
		if len(inner.list) > 0 {
			inner.list[0].labels = append(labels, inner.list[0].labels...)
			return inner
		}
		b.list = []*stmt{{kind: sEmpty, labels: labels, start: b.start, end: p.prevEnd}}
		return b
	}
	if p.bad || p.atListEnd() {
		p.expected("a statement")
		return b
	}
	s := p.plain()
	if s == nil && len(labels) > 0 {
		s = &stmt{kind: sEmpty, start: b.start, end: p.prevEnd}
	}
	if s != nil {
		s.labels = labels
		b.list = []*stmt{s}
	}
	b.end = p.prevEnd
	return b
}

// plain parses one statement without labels; nil for a declaration of registers.
func (p *parser) plain() *stmt {
	if !p.enter() {
		p.leave()
		return nil
	}
	defer p.leave()
	p.node()
	s := &stmt{start: p.tok.start}
	if p.accept("reg") {
		p.registers()
		p.semicolon()
		return nil
	}
	if p.compound(s) {
		s.end = p.prevEnd
		return s
	}
	p.simple(s)
	s.end = p.prevEnd
	p.semicolon()
	return s
}

func (p *parser) registers() {
	for {
		r := regDecl{name: p.ident("a register")}
		if p.assignSign() {
			r.init = p.expr()
		}
		if p.accept("in") {
			r.lo, r.hi = p.rangeExprs()
		}
		if !p.bad {
			p.thread.regs = append(p.thread.regs, r)
		}
		if !p.accept(",") {
			return
		}
	}
}

// compound parses statements that contain others.
func (p *parser) compound(s *stmt) bool {
	switch {
	case p.accept("if"):
		s.kind = sIf
		p.parenthesized(s)
		s.list = []*stmt{p.body()}
		if p.accept("else") {
			s.list = append(s.list, p.body())
		}
	case p.accept("while"):
		s.kind = sWhile
		p.parenthesized(s)
		s.list = []*stmt{p.body()}
	case p.accept("do"):
		s.kind, s.head = sDo, p.prevEnd
		s.list = []*stmt{p.body()}
		if p.expect("while") {
			p.parenthesized(s)
			p.semicolon()
		}
	case p.accept("loop"):
		s.kind, s.head = sLoop, p.prevEnd
		s.list = []*stmt{p.body()}
	case p.accept("either"):
		s.kind, s.head = sEither, p.prevEnd
		s.list = []*stmt{p.block()}
		for p.accept("or") {
			s.list = append(s.list, p.block())
		}
		p.accept(";")
	case p.accept("atomic"):
		s.kind, s.head = sAtomic, p.prevEnd
		s.list = []*stmt{p.block()}
		p.accept(";")
	default:
		return false
	}
	return true
}

func (p *parser) parenthesized(s *stmt) {
	p.expect("(")
	s.x = p.expr()
	p.expect(")")
	s.head = p.prevEnd
}

// simple parses statements that are one step, or a jump.
func (p *parser) simple(s *stmt) {
	switch {
	case p.accept("goto"):
		s.kind, s.name = sGoto, p.ident("a label")
	case p.accept("break"):
		s.kind = sBreak
	case p.accept("continue"):
		s.kind = sContinue
	case p.accept("return"):
		s.kind = sReturn
	case p.accept("release"):
		s.order = ir.Release
		p.assignment(s)
	case p.accept("seqcst"):
		s.order = ir.SeqCst
		p.assignment(s)
	case p.accept("fence"), p.accept("mfence"):
		s.kind, s.fence = sFence, ir.FullFence
	case p.accept("sfence"):
		s.kind, s.fence = sFence, ir.StoreStoreFence
	case p.accept("skip"):
		s.kind = sSkip
	case p.accept("assume"):
		s.kind, s.x = sAssume, p.expr()
	case p.accept("assert"):
		s.kind, s.x = sAssert, p.expr()
		if p.accept(",") {
			if p.tok.kind == tString {
				s.name.text = p.tok.text
				p.advance()
			} else {
				p.expected("a string")
			}
		}
	case p.accept("await"):
		s.kind, s.x = sAwait, p.expr()
	case p.accept("havoc"):
		p.havoc(s)
	case p.tok.kind == tKeyword && rmwArgs[p.tok.text] > 0:
		s.kind, s.x = sRMW, p.rmw()
	case p.tok.kind == tName || p.tok.is("mem"):
		s.order = ir.Plain
		p.assignment(s)
	default:
		p.expected("a statement")
	}
}

func (p *parser) assignment(s *stmt) {
	s.kind = sAssign
	s.x = p.place()
	if !p.assignSign() {
		p.expected("'='")
		return
	}
	s.y = p.expr()
}

func (p *parser) havoc(s *stmt) {
	s.kind = sHavoc
	register := func() *expr {
		start := p.tok.start
		id := p.ident("a register")
		return p.make(expr{kind: eName, name: id.text, start: start})
	}
	if p.accept("(") {
		s.constraint = true
		s.x = register()
		p.expect(",")
		s.y = p.expr()
		p.expect(")")
		return
	}
	s.x = register()
	if p.accept("in") {
		s.y, s.z = p.rangeExprs()
	}
}
