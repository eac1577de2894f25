package fp

import (
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
)

// syncWords are the statement keywords at which a parser that lost its way can
// continue. None of them can stand inside an expression.
var syncWords = statement.Words("reg goto if while do loop either atomic break continue return release seqcst " +
	"fence mfence sfence skip assume assert await havoc")

// syncStmt skips the rest of a broken statement.
func (p *grammar) syncStmt(start int) {
	for p.Tok.Kind != statement.TokenEOF {
		if p.Tok.Is(";") {
			p.Advance()
			break
		}
		if p.atListEnd() || p.Tok.Start > start && (p.Tok.Is("{") || p.Tok.Kind == statement.TokenKeyword && syncWords[p.Tok.Text]) {
			break
		}
		p.Advance()
	}
	p.Bad = false
}

// atListEnd reports whether no further statement can follow.
func (p *grammar) atListEnd() bool {
	return p.Tok.Kind == statement.TokenEOF || p.Tok.Is("}") || p.Tok.Is("end") || p.Tok.Kind == statement.TokenKeyword && statement.ItemWords[p.Tok.Text]
}

// stmts parses statements into b. Blocks without meaning of their own are
// spliced in, with the stack of where they began rather than by recursion. Labels
// wait for the statement they are in front of; those at the end become an empty
// statement.
func (p *grammar) stmts(b *statement.Stmt) {
	outer := len(p.Blocks)
	defer func() { p.Blocks = p.Blocks[:outer] }() // an error may leave blocks open
	var labels []statement.Ident
	var invariants []*statement.Expr
	for {
		if p.Bad {
			p.syncStmt(-1)
		}
		switch {
		case p.atInvariant():
			invariants = append(invariants, p.invariant())
			continue
		case p.Tok.Kind == statement.TokenKeyword && p.Ahead.Is(":"):
			p.Ident("a label") // reports the reserved word
			p.Bad = false
			p.Advance()
			p.Advance()
			continue
		case p.Tok.Is("{"):
			if len(p.Blocks)-outer+p.Depth >= statement.MaxDepth {
				p.Fail(statement.CodeDepth, p.Tok.Start, p.Tok.End, "nesting deeper than %d levels", statement.MaxDepth)
				p.Stop()
				return
			}
			p.Blocks = append(p.Blocks, p.Tok)
			p.Advance()
			continue
		case len(p.Blocks) > outer && p.atListEnd():
			p.CloseBlock("}")
			if p.Bad {
				return
			}
			p.Accept(";")
			continue
		case p.atListEnd():
			p.noStatement(invariants)
			if len(labels) > 0 {
				last := labels[len(labels)-1]
				b.List = append(b.List, &statement.Stmt{Kind: statement.StmtEmpty, Labels: labels, Start: last.Start, End: last.End})
			}
			return
		case p.Tok.Kind == statement.TokenName && p.Ahead.Is(":"):
			labels = append(labels, p.Ident("a label"))
			p.Advance()
			continue
		}
		start := p.Tok.Start
		var s *statement.Stmt
		if atGhost(p) {
			s = ghostCode(p)
		} else {
			s = p.plain()
		}
		if p.Bad {
			p.syncStmt(start)
			continue
		}
		if s != nil {
			s.Labels, labels = labels, nil
			s.Invariants, invariants = invariants, nil
			b.List = append(b.List, s)
		}
	}
}

// block parses '{' statements '}'.
func (p *grammar) block() *statement.Stmt {
	open := p.Tok
	b := &statement.Stmt{Kind: statement.StmtBlock, Start: open.Start}
	if !p.Expect("{") {
		return b
	}
	p.Blocks = append(p.Blocks, open)
	if p.Enter() {
		p.stmts(b)
	}
	p.Leave()
	p.CloseBlock("}")
	b.End = p.PrevEnd
	return b
}

// body parses the statement inside an if or a loop.
func (p *grammar) body() *statement.Stmt {
	if p.Tok.Is("{") {
		b := p.block()
		if !p.Bad {
			p.Accept(";")
		}
		return b
	}
	b := &statement.Stmt{Kind: statement.StmtBlock, Form: statement.Unbraced, Start: p.Tok.Start}
	var labels []statement.Ident
	for !p.Bad && p.Tok.Kind == statement.TokenName && p.Ahead.Is(":") {
		labels = append(labels, p.Ident("a label"))
		p.Advance()
	}
	if len(labels) > 0 && p.Tok.Is("{") {
		inner := p.body()
		if len(inner.List) > 0 {
			inner.List[0].Labels = append(labels, inner.List[0].Labels...)
			return inner
		}
		b.List = []*statement.Stmt{{Kind: statement.StmtEmpty, Labels: labels, Start: b.Start, End: p.PrevEnd}}
		return b
	}
	if p.Bad || p.atListEnd() {
		p.Expected("a statement")
		return b
	}
	s := p.plain()
	if s == nil && len(labels) > 0 {
		s = &statement.Stmt{Kind: statement.StmtEmpty, Start: b.Start, End: p.PrevEnd}
	}
	if s != nil {
		s.Labels = labels
		b.List = []*statement.Stmt{s}
	}
	b.End = p.PrevEnd
	return b
}

// plain parses one statement without labels; nil for a declaration of registers.
func (p *grammar) plain() *statement.Stmt {
	if !p.Enter() {
		p.Leave()
		return nil
	}
	defer p.Leave()
	p.Node()
	s := &statement.Stmt{Start: p.Tok.Start}
	if p.Accept("reg") {
		p.registers()
		p.semicolon()
		return nil
	}
	if p.compound(s) {
		s.End = p.PrevEnd
		return s
	}
	p.simple(s)
	s.End = p.PrevEnd
	p.semicolon()
	return s
}

func (p *grammar) registers() {
	for {
		r := statement.RegDecl{Name: p.Ident("a register")}
		if p.assignSign() {
			r.Init = p.expr()
		}
		if p.Accept("in") {
			r.Lo, r.Hi = p.rangeExprs()
		}
		if !p.Bad {
			p.thread.Regs = append(p.thread.Regs, r)
		}
		if !p.Accept(",") {
			return
		}
	}
}

// compound parses statements that contain others.
func (p *grammar) compound(s *statement.Stmt) bool {
	switch {
	case p.Accept("if"):
		s.Kind = statement.StmtIf
		p.parenthesized(s)
		s.List = []*statement.Stmt{p.body()}
		if p.Accept("else") {
			s.List = append(s.List, p.body())
		}
	case p.Accept("while"):
		s.Kind = statement.StmtWhile
		p.parenthesized(s)
		s.List = []*statement.Stmt{p.body()}
	case p.Accept("do"):
		s.Kind, s.Head = statement.StmtDo, p.PrevEnd
		s.List = []*statement.Stmt{p.body()}
		if p.Expect("while") {
			p.parenthesized(s)
			p.semicolon()
		}
	case p.Accept("loop"):
		s.Kind, s.Head = statement.StmtLoop, p.PrevEnd
		s.List = []*statement.Stmt{p.body()}
	case p.Accept("either"):
		s.Kind, s.Head = statement.StmtEither, p.PrevEnd
		s.List = []*statement.Stmt{p.block()}
		for p.Accept("or") {
			s.List = append(s.List, p.block())
		}
		p.Accept(";")
	case p.Accept("atomic"):
		s.Kind, s.Head = statement.StmtAtomic, p.PrevEnd
		s.List = []*statement.Stmt{p.block()}
		p.Accept(";")
	default:
		return false
	}
	return true
}

func (p *grammar) parenthesized(s *statement.Stmt) {
	p.Expect("(")
	s.X = p.expr()
	p.Expect(")")
	s.Head = p.PrevEnd
}

// simple parses statements that are one step, or a jump.
func (p *grammar) simple(s *statement.Stmt) {
	switch {
	case p.Accept("goto"):
		s.Kind, s.Name = statement.StmtGoto, p.Ident("a label")
	case p.Accept("break"):
		s.Kind = statement.StmtBreak
	case p.Accept("continue"):
		s.Kind = statement.StmtContinue
	case p.Accept("return"):
		s.Kind = statement.StmtReturn
	case p.Accept("release"):
		s.Order = ir.Release
		p.assignment(s)
	case p.Accept("seqcst"):
		s.Order = ir.SeqCst
		p.assignment(s)
	case p.Accept("fence"):
		s.Kind, s.Fence = statement.StmtFence, ir.FullFence
		if p.Tok.Is(".") && !p.Bad {
			s.Order, s.Fence = fenceOrder(p)
		}
	case p.Accept("mfence"):
		s.Kind, s.Fence = statement.StmtFence, ir.FullFence
	case p.Accept("sfence"):
		s.Kind, s.Fence = statement.StmtFence, ir.StoreStoreFence
	case p.Accept("skip"):
		s.Kind = statement.StmtSkip
	case p.Accept("assume"):
		s.Kind, s.X = statement.StmtAssume, p.expr()
	case p.Accept("assert"):
		s.Kind, s.X = statement.StmtAssert, p.expr()
		if p.Accept(",") {
			if p.Tok.Kind == statement.TokenString {
				s.Name.Text = p.Tok.Text
				p.Advance()
			} else {
				p.Expected("a string")
			}
		}
	case p.Accept("await"):
		s.Kind, s.X = statement.StmtAwait, p.expr()
	case p.Accept("havoc"):
		p.havoc(s)
	case p.Tok.Kind == statement.TokenKeyword && rmwArgs[p.Tok.Text] > 0:
		s.Kind, s.X = statement.StmtRMW, p.rmw()
	case p.Tok.Kind == statement.TokenName || p.Tok.Is("mem"):
		s.Order = ir.Plain
		p.assignment(s)
	default:
		p.Expected("a statement")
	}
}

func (p *grammar) assignment(s *statement.Stmt) {
	s.Kind = statement.StmtAssign
	s.X = p.lvalue()
	if s.X.Order != ir.OrderUnset {
		if s.Order != ir.Plain {
			p.Fail(statement.CodeSyntax, s.X.Start, s.X.End, "the store has two memory orders")
		}
		s.Order = s.X.Order
	}
	if !p.assignSign() {
		p.Expected("'='")
		return
	}
	s.Y = p.expr()
}

func (p *grammar) havoc(s *statement.Stmt) {
	s.Kind = statement.StmtHavoc
	register := func() *statement.Expr {
		start := p.Tok.Start
		id := p.Ident("a register")
		return p.Make(statement.Expr{Kind: statement.ExprName, Name: id.Text, Start: start})
	}
	if p.Accept("(") {
		s.Constraint = true
		s.X = register()
		p.Expect(",")
		s.Y = p.expr()
		p.Expect(")")
		return
	}
	s.X = register()
	if p.Accept("in") {
		s.Y, s.Z = p.rangeExprs()
	}
}
