package fp

import "fencepost/internal/frontend/statement"

// grammar is the parser of .fp.
type grammar struct {
	statement.Parser
	inCond   bool // conditions know THREAD:NAME
	inMiddle bool // between '?' and ':', where THREAD:NAME needs parentheses
	ghosts   bool // ghost code is asked for
	thread   *statement.ThreadDecl
	tree     tree
}

// semicolon takes the ';' that ends a statement. A forgotten one is reported
// where it should stand and costs nothing else if a new line follows.
func (p *grammar) semicolon() {
	if p.Bad || p.Accept(";") || p.Tok.Is("end") {
		return
	}
	if p.Tok.Kind == statement.TokenEOF {
		p.Expected("';'")
		return
	}
	d := p.Fail(statement.CodeSyntax, p.PrevEnd, p.PrevEnd, "expected ';', found %s", p.Tok)
	if p.Tok.Is("=") || p.Tok.Is(":=") || p.Tok.Is("<-") {
		d.Note("only registers and shared variables can be assigned to")
	}
	if p.File.Pos(p.PrevEnd).Line < p.File.Pos(p.Tok.Start).Line {
		p.Bad = false
	}
}

// parseFile parses everything.
func (p *grammar) parseFile() {
	p.Begin(p.Lexer.Next)
	if p.Accept("program") {
		p.tree.name = p.Ident("a program").Text
		p.Accept(";")
	}
	for {
		if p.Bad {
			p.syncItem()
		}
		if p.Tok.Kind == statement.TokenEOF {
			return
		}
		p.item()
	}
}

// syncItem skips to the next declaration.
func (p *grammar) syncItem() {
	for p.Tok.Kind != statement.TokenEOF && !(p.Tok.Kind == statement.TokenKeyword && statement.ItemWords[p.Tok.Text]) {
		p.Advance()
	}
	p.Bad = false
}

func (p *grammar) item() {
	start := p.Tok.Start
	switch word := p.Tok; {
	case p.Accept("const"):
		for {
			c := &constDecl{name: p.Ident("a constant")}
			p.Expect("=")
			c.value = p.expr()
			p.add(item{constant: c})
			if !p.Accept(",") {
				break
			}
		}
		p.semicolon()
	case p.Accept("var"):
		p.variables()
	case p.Accept("vars"):
		for _, id := range p.names("a variable") {
			p.add(item{variable: &statement.VarDecl{Name: id, Typ: "long"}})
		}
		p.Accept(";")
	case p.Accept("domain"):
		lo, hi := p.rangeExprs()
		p.add(item{domain: &[2]*statement.Expr{lo, hi}})
		p.semicolon()
	case p.Accept("memory"):
		p.add(item{memory: p.expr()})
		p.semicolon()
	case p.Accept("thread"):
		p.threadItem(start)
	case p.Accept("goal"):
		p.goal(start)
	case p.Accept("exists"), p.Accept("never"), p.Accept("forall"):
		f := &finalDecl{word: word.Text, start: start}
		f.cond = p.condition()
		f.end = p.PrevEnd
		p.semicolon()
		p.add(item{final: f})
	case p.atInvariant():
		p.add(item{always: p.invariant()})
	case p.Accept("program"):
		p.Fail(statement.CodeSyntax, word.Start, word.End, "'program' must come first, and only once")
	default:
		p.Expected("a declaration")
		if p.Bad && p.Tok.Kind != statement.TokenEOF {
			p.Advance()
		}
	}
}

// add keeps a declaration that was read without error.
func (p *grammar) add(it item) {
	if !p.Bad {
		p.tree.items = append(p.tree.items, it)
	}
}

// names is one or more names with optional commas between them.
func (p *grammar) names(what string) []statement.Ident {
	ids := []statement.Ident{p.Ident(what)}
	for !p.Bad && (p.Tok.Kind == statement.TokenName || p.Tok.Is(",")) {
		p.Accept(",")
		ids = append(ids, p.Ident(what))
	}
	if p.Bad {
		return nil
	}
	return ids
}

func (p *grammar) variables() {
	typ := "long"
	if p.isType() {
		typ = p.Tok.Text
		p.Advance()
	}
	for {
		v := &statement.VarDecl{Name: p.Ident("a variable"), Typ: typ}
		if p.Accept("[") {
			v.Size = p.expr()
			p.Expect("]")
		}
		if p.assignSign() {
			if p.Accept("{") {
				v.Brace = true
				v.Init = append(v.Init, p.expr())
				for p.Accept(",") {
					v.Init = append(v.Init, p.expr())
				}
				p.Expect("}")
			} else {
				v.Init = []*statement.Expr{p.expr()}
			}
		}
		p.add(item{variable: v})
		if !p.Accept(",") {
			break
		}
	}
	p.semicolon()
}

func (p *grammar) isType() bool {
	return p.Tok.Is("byte") || p.Tok.Is("half") || p.Tok.Is("word") || p.Tok.Is("long")
}

// assignSign takes one of the assignment signs.
func (p *grammar) assignSign() bool { return p.Accept("=") || p.Accept(":=") || p.Accept("<-") }

func (p *grammar) rangeExprs() (lo, hi *statement.Expr) {
	lo = p.expr()
	p.Expect("..")
	return lo, p.expr()
}

func (p *grammar) threadItem(start int) {
	t := &statement.ThreadDecl{Start: start, Name: p.Ident("a thread")}
	if p.Accept("[") {
		t.Index = p.Ident("an index")
		p.Expect("]")
	}
	if p.Accept("*") {
		t.Many = true
		if p.Tok.Kind == statement.TokenName && p.Tok.Text == "n" && (p.Ahead.Is("{") || p.Ahead.Is("regs") || p.Ahead.Is("init") || p.Ahead.Is("begin")) {
			p.Advance()
		} else {
			t.Count = p.expr()
		}
	}
	t.Head = p.PrevEnd
	p.thread = t
	t.Body = p.threadBody(t)
	p.thread = nil
	// A body that was recovered from stays, so that what it declares is known.
	if t.Body != nil {
		p.tree.items = append(p.tree.items, item{thread: t})
	}
	p.Accept(";")
}

func (p *grammar) threadBody(t *statement.ThreadDecl) *statement.Stmt {
	if p.Bad {
		return nil
	}
	if p.Tok.Is("{") {
		body := p.block()
		t.End = p.PrevEnd - 1
		return body
	}
	if p.Accept("regs") {
		for _, id := range p.names("a register") {
			t.Regs = append(t.Regs, statement.RegDecl{Name: id})
		}
		p.Accept(";")
	}
	if p.Accept("init") {
		t.Init = p.Ident("a label")
		p.Accept(";")
	}
	open := p.Tok
	if !p.Accept("begin") {
		p.Expected("'{' or 'begin'")
		return nil
	}
	body := &statement.Stmt{Kind: statement.StmtBlock, Start: open.Start}
	p.Blocks = append(p.Blocks, open)
	p.stmts(body)
	t.End = p.Tok.Start
	p.CloseBlock("end")
	body.End = p.PrevEnd
	return body
}

func (p *grammar) goal(start int) {
	g := &goalDecl{start: start}
	if p.Tok.Kind == statement.TokenString {
		g.name = p.Tok.Text
		p.Advance()
	}
	if !p.Tok.Is("with") {
		for {
			a := atDecl{start: p.Tok.Start}
			a.thread = p.Ident("a thread")
			if p.Accept("[") {
				a.index = p.expr()
				p.Expect("]")
			}
			p.Expect(":")
			a.label = p.Ident("a label")
			a.end = p.PrevEnd
			g.at = append(g.at, a)
			if !p.Accept(",") {
				break
			}
		}
	}
	if p.Accept("with") {
		g.with = p.condition()
	}
	g.end = p.PrevEnd
	p.semicolon()
	p.add(item{goal: g})
}

func (p *grammar) condition() *statement.Expr {
	p.inCond = true
	e := p.expr()
	p.inCond = false
	return e
}
