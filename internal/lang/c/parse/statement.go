package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// block reads a block. scoped: its scope exists already.
func (p *parser) block(scoped bool) *Stmt {
	b := &Stmt{Kind: Block, Tok: p.at}
	p.expect(lex.LBrace)
	if !scoped {
		p.push()
	}
	locals := len(p.function.locals)
	for p.key == kLabel {
		p.localLabels()
	}
	for p.kind != lex.RBrace {
		if p.kind == lex.EOF {
			p.fail(b.Tok, "'{' has no end")
		}
		start, level, f := p.at, p.level, *p.function
		if !p.try(func() { b.List = append(b.List, p.item()) }) {
			for p.level > level {
				p.pop()
			}
			p.function.loops, p.function.breaks, p.function.switchDepth = f.loops, f.breaks, f.switchDepth
			p.skipStatement(start)
		}
	}
	b.End = p.at
	for _, l := range p.function.locals[locals:] {
		if !l.Defined {
			p.errorf(l.Tok, "there is no label %s", p.name(l.Name))
		}
		p.function.obj.Labels = append(p.function.obj.Labels, l)
	}
	p.function.locals = p.function.locals[:locals]
	if !scoped {
		p.pop()
	}
	p.next()
	return b
}

// bracesOpen returns how many more braces open than close from token start up to at.
func (p *parser) bracesOpen(start, at int32) (depth int) {
	for i := start; i < at; i++ {
		switch p.toks[i].Kind {
		case lex.LBrace:
			depth++
		case lex.RBrace:
			depth--
		}
	}
	return depth
}

// skipStatement moves past a statement with a mistake.
func (p *parser) skipStatement(start int32) {
	depth := p.bracesOpen(start, p.at)
	for p.kind != lex.EOF {
		switch p.kind {
		case lex.LBrace:
			depth++
		case lex.RBrace:
			if depth <= 0 {
				return
			}
			if depth--; depth == 0 {
				p.next()
				return
			}
		case lex.Semicolon:
			if depth <= 0 {
				p.next()
				return
			}
		}
		p.next()
	}
}

func (p *parser) localLabels() {
	p.next()
	for {
		if p.kind != lex.Identifier {
			p.fail(p.at, "the name of a label is expected before %s", p.spelled(p.at))
		}
		p.function.locals = append(p.function.locals, &Label{Name: p.tok.Name, Text: p.name(p.tok.Name), Tok: p.at, local: p.level})
		p.next()
		if !p.accept(lex.Comma) {
			break
		}
	}
	p.expect(lex.Semicolon)
}

// label returns the label of a name, which may be defined later.
func (p *parser) label() *Label {
	if p.kind != lex.Identifier {
		p.fail(p.at, "the name of a label is expected before %s", p.spelled(p.at))
	}
	if p.function == nil {
		p.fail(p.at, "assembly outside of a function jumps to no label")
	}
	n, at := p.tok.Name, p.at
	p.next()
	for i := len(p.function.locals) - 1; i >= 0; i-- {
		if l := p.function.locals[i]; l.Name == n {
			return l
		}
	}
	l := p.function.labels[n]
	if l == nil {
		l = &Label{Name: n, Text: p.name(n), Tok: at}
		p.function.labels[n] = l
	}
	return l
}

// item reads a declaration or a statement.
func (p *parser) item() *Stmt {
	at := p.at
	if k, _ := p.peek(1); p.kind == lex.Identifier && p.key == noKey && k == lex.Colon {
		return p.statement()
	}
	attrs := p.attributesHere()
	if len(attrs) > 0 || p.at != at { // fallthrough; or a declaration
		if p.kind == lex.Semicolon {
			p.next()
			return &Stmt{Kind: Empty, Tok: at, End: p.last, Attrs: attrs}
		}
		if !p.startsDeclaration() {
			return p.statement()
		}
		p.jump(at) // the attributes are specifiers
	} else if !p.startsDeclaration() {
		return p.statement()
	}
	if p.key == kStaticAssert {
		p.staticAssert()
		return &Stmt{Kind: StaticTest, Tok: at, End: p.last}
	}
	for p.key == kExtension {
		p.next()
	}
	s := p.specifiers(true)
	st := &Stmt{Kind: DeclStmt, Tok: at}
	if p.kind == lex.Semicolon {
		p.next()
	} else {
		st.Objs = p.declarators(&s, false)
	}
	st.End = p.last
	return st
}

// statement reads a statement.
func (p *parser) statement() *Stmt {
	p.enter()
	defer p.leave()
	attrs := p.attributesHere()
	s := &Stmt{Tok: p.at, Attrs: attrs}
	switch {
	case p.kind == lex.LBrace:
		return p.block(false)
	case p.kind == lex.Semicolon:
		s.Kind = Empty
		p.next()
	case p.kind == lex.Identifier && p.key == noKey && p.isLabel():
		p.labelStatement(s)
	case p.key != noKey && p.keywordStatement(s):
	default:
		s.Kind = ExprStmt
		s.Expr = p.discard(p.expression())
		p.expect(lex.Semicolon)
	}
	s.End = p.last
	return s
}

func (p *parser) isLabel() bool {
	k, _ := p.peek(1)
	return k == lex.Colon
}

func (p *parser) labelStatement(s *Stmt) {
	s.Kind = LabelStmt
	at := p.at
	s.Label = p.label()
	if s.Label.Defined {
		p.errorf(at, "there are two labels %s", p.name(s.Label.Name))
	}
	s.Label.Defined, s.Label.Tok, s.Label.Stmt = true, at, s
	p.next()
	s.Attrs = append(s.Attrs, p.attributesHere()...)
	s.Then = p.labelled()
}

// labelled reads the statement after a label, which may be missing at the end of a block.
func (p *parser) labelled() *Stmt {
	if p.kind == lex.RBrace {
		return &Stmt{Kind: Empty, Tok: p.at, End: p.at}
	}
	if p.startsDeclaration() && p.key != kAttribute { // C23, and gcc
		if k, _ := p.peek(1); !(p.key == noKey && k == lex.Colon) {
			return p.item()
		}
	}
	return p.statement()
}

// keywordStatement reads a statement that begins with a keyword.
func (p *parser) keywordStatement(s *Stmt) bool {
	f := p.function
	switch p.key {
	case kIf:
		s.Kind = If
		p.next()
		s.Expr = p.condition()
		s.Then = p.scoped()
		if p.acceptKey(kElse) {
			s.Else = p.scoped()
		}
	case kWhile:
		s.Kind = While
		p.next()
		s.Expr = p.condition()
		s.Then = p.loopBody()
	case kDo:
		s.Kind = Do
		p.next()
		s.Then = p.loopBody()
		if !p.acceptKey(kWhile) {
			p.fail(p.at, "while is expected before %s", p.spelled(p.at))
		}
		s.Expr = p.condition()
		p.expect(lex.Semicolon)
	case kFor:
		p.forStatement(s)
	case kSwitch:
		p.switchStatement(s)
	case kCase:
		p.caseStatement(s)
	case kDefault:
		if f.switchDepth == 0 {
			p.errorf(p.at, "default stands outside of a switch")
		}
		s.Kind = Default
		p.next()
		p.expect(lex.Colon)
		s.Then = p.labelled()
	case kGoto:
		p.next()
		if p.accept(lex.Star) {
			s.Kind, s.Expr = GotoExpr, p.rvalue(p.expression())
		} else {
			s.Kind, s.Label = Goto, p.label()
		}
		p.expect(lex.Semicolon)
	case kBreak:
		p.jumpStatement(s, Break, f.breaks, "break stands outside of a loop or switch")
	case kContinue:
		p.jumpStatement(s, Continue, f.loops, "continue stands outside of a loop")
	case kReturn:
		p.returnStatement(s)
	case kAsm:
		*s = *p.asmStatement()
	default:
		return false
	}
	return true
}

// jumpStatement reads break or continue, which stand in something that they leave or repeat.
func (p *parser) jumpStatement(s *Stmt, kind StmtKind, inside int, outside string) {
	if inside == 0 {
		p.errorf(p.at, "%s", outside)
	}
	s.Kind = kind
	p.next()
	p.expect(lex.Semicolon)
}

// condition reads a condition in parentheses.
func (p *parser) condition() *Expr {
	p.expect(lex.LParen)
	e := p.scalar(p.rvalue(p.expression()), "a condition")
	p.expect(lex.RParen)
	return e
}

// scoped reads a statement with a scope of its own.
func (p *parser) scoped() *Stmt {
	p.push()
	s := p.statement()
	p.pop()
	return s
}

func (p *parser) loopBody() *Stmt {
	p.function.loops++
	p.function.breaks++
	s := p.scoped()
	p.function.loops--
	p.function.breaks--
	return s
}

func (p *parser) forStatement(s *Stmt) {
	s.Kind = For
	p.next()
	p.expect(lex.LParen)
	p.push()
	switch {
	case p.accept(lex.Semicolon):
	case p.startsDeclaration() || p.kind == lex.LBracket && p.isStandardAttribute():
		s.Init = p.item()
	default:
		s.Init = &Stmt{Kind: ExprStmt, Tok: p.at, Expr: p.discard(p.expression())}
		s.Init.End = p.at
		p.expect(lex.Semicolon)
	}
	if p.kind != lex.Semicolon {
		s.Expr = p.scalar(p.rvalue(p.expression()), "a condition")
	}
	p.expect(lex.Semicolon)
	if p.kind != lex.RParen {
		s.Post = p.discard(p.expression())
	}
	p.expect(lex.RParen)
	s.Then = p.loopBody()
	p.pop()
}

func (p *parser) switchStatement(s *Stmt) {
	s.Kind = Switch
	p.next()
	p.expect(lex.LParen)
	e := p.rvalue(p.expression())
	if !e.Type.IsInteger() && e.Type.Kind != types.Error {
		p.errorf(e.Tok, "switch needs an integer, and gets %s", e.Type)
		e = p.bad(e.Tok)
	}
	s.Expr = p.promote(e)
	p.expect(lex.RParen)
	p.function.switchDepth++
	p.function.breaks++
	s.Then = p.scoped()
	p.function.switchDepth--
	p.function.breaks--
}

func (p *parser) caseStatement(s *Stmt) {
	if p.function.switchDepth == 0 {
		p.errorf(p.at, "case stands outside of a switch")
	}
	s.Kind = Case
	p.next()
	s.Low = p.constantIntOf(p.rvalue(p.conditional()), "the value of a case")
	s.High = s.Low
	if p.accept(lex.Ellipsis) {
		s.High = p.constantIntOf(p.rvalue(p.conditional()), "the value of a case")
	}
	p.expect(lex.Colon)
	s.Attrs = append(s.Attrs, p.attributesHere()...)
	s.Then = p.labelled()
}

func (p *parser) returnStatement(s *Stmt) {
	s.Kind = Return
	p.next()
	result := p.function.obj.Type.Elem
	if p.kind != lex.Semicolon {
		at := p.at
		e := p.rvalue(p.expression())
		if result.Kind == types.Void {
			if e.Type.Kind != types.Void && e.Type.Kind != types.Error {
				e = p.discard(e) // gcc warns
			}
			s.Expr = e
		} else {
			s.Expr = p.assignable(e, result.Unqualified(), at, "returned")
		}
	}
	p.expect(lex.Semicolon)
}
