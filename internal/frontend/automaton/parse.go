package automaton

import (
	"fencepost/internal/diag"
)

// parser is a recursive-descent parser with two tokens of look-ahead. After an
// error it is bad: everything returns at once, without further messages, up to
// the statement or declaration, which skips to where it can go on.
type parser struct {
	lexer
	feed       func() token // where tokens come from
	tok, ahead token
	prevEnd    int // end of the last token taken
	prevMacro  int // and its macro
	switches   int // tokens taken whose macro is not that of the token before
	bad        bool
	lastError  int // offset of the last syntax error, so that one place gets one message
	aborted    bool
	depth      int
	nodes      int
	inCond     bool // conditions know THREAD:NAME
	inMiddle   bool // between '?' and ':', where THREAD:NAME needs parentheses
	thread     *threadDecl
	blocks     []token // what began the blocks around the current token
	tree       tree
}

func (p *parser) advance() {
	p.prevEnd = p.tok.end
	if p.tok.macro != p.prevMacro {
		p.prevMacro = p.tok.macro
		p.switches++
	}
	p.tok = p.ahead
	p.ahead = p.feed()
}

// begin fills the look-ahead.
func (p *parser) begin(feed func() token) {
	p.feed = feed
	p.lastError = -1
	p.ahead = feed()
	p.advance()
	p.prevEnd = 0
}

// fail reports a syntax error, unless in the wake of another, and makes the
// parser bad.
func (p *parser) fail(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	quiet := p.bad || p.aborted || start == p.lastError || p.diags.Full()
	p.bad, p.failed, p.lastError = true, true, start
	if quiet {
		return &diag.Diagnostic{}
	}
	return p.errorf(code, start, end, format, args...)
}

// expected reports that something else than the current token was needed.
func (p *parser) expected(what string) *diag.Diagnostic {
	if p.tok.kind == tEOF {
		d := p.fail(codeTruncated, p.tok.start, p.tok.end, "the file ends where %s was expected", what)
		if n := len(p.blocks); n > 0 {
			p.noteOpen(d, p.blocks[n-1])
		}
		return d
	}
	return p.fail(codeSyntax, p.tok.start, p.tok.end, "expected %s, found %s", what, p.tok)
}

// stop ends parsing after an error that would only repeat itself.
func (p *parser) stop() {
	p.aborted, p.stopped = true, true
	p.tok = token{kind: tEOF, start: len(p.text), end: len(p.text)}
	p.ahead = p.tok
}

// enter counts a level of nesting; leave undoes it.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail(codeDepth, p.tok.start, p.tok.end, "nesting deeper than %d levels", maxDepth)
		p.stop()
		return false
	}
	return !p.bad
}

func (p *parser) leave() { p.depth-- }

// node counts a node of the syntax tree.
func (p *parser) node() {
	p.nodes++
	if p.nodes == maxNodes {
		p.fail(codeTooLarge, p.tok.start, p.tok.end, "the program is too large")
		p.stop()
	}
}

// accept takes the sign or keyword if it comes next.
func (p *parser) accept(text string) bool {
	if p.bad || !p.tok.is(text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(text string) bool {
	if p.accept(text) {
		return true
	}
	d := p.expected("'" + text + "'")
	if text == ")" && p.tok.is("=") {
		d.Note("'==' compares; '=' assigns")
	}
	return false
}

// ident takes a name.
func (p *parser) ident(what string) ident {
	switch {
	case p.bad:
	case p.tok.kind == tName:
		id := ident{p.tok.text, p.tok.start, p.tok.end}
		p.advance()
		return id
	case p.tok.kind == tKeyword:
		p.fail(codeReserved, p.tok.start, p.tok.end, "'%s' is a reserved word and cannot be the name of %s", p.tok.text, what)
	default:
		p.expected("the name of " + what)
	}
	return ident{}
}

// semicolon takes the ';' that ends a statement. A forgotten one is reported
// where it should stand and costs nothing else if a new line follows.
func (p *parser) semicolon() {
	if p.bad || p.accept(";") || p.tok.is("end") {
		return
	}
	if p.tok.kind == tEOF {
		p.expected("';'")
		return
	}
	d := p.fail(codeSyntax, p.prevEnd, p.prevEnd, "expected ';', found %s", p.tok)
	if p.tok.is("=") || p.tok.is(":=") || p.tok.is("<-") {
		d.Note("only registers and shared places can be assigned to")
	}
	if p.file.Pos(p.prevEnd).Line < p.file.Pos(p.tok.start).Line {
		p.bad = false
	}
}

// parseFile parses everything.
func (p *parser) parseFile() {
	p.begin(p.lexer.next)
	if p.accept("program") {
		p.tree.name = p.ident("a program").text
		p.accept(";")
	}
	for {
		if p.bad {
			p.syncItem()
		}
		if p.tok.kind == tEOF {
			return
		}
		p.item()
	}
}

// syncItem skips to the next declaration.
func (p *parser) syncItem() {
	for p.tok.kind != tEOF && !(p.tok.kind == tKeyword && itemWords[p.tok.text]) {
		p.advance()
	}
	p.bad = false
}

func (p *parser) item() {
	start := p.tok.start
	switch word := p.tok; {
	case p.accept("const"):
		for {
			c := &constDecl{name: p.ident("a constant")}
			p.expect("=")
			c.value = p.expr()
			p.add(item{constant: c})
			if !p.accept(",") {
				break
			}
		}
		p.semicolon()
	case p.accept("var"):
		p.variables()
	case p.accept("vars"):
		for _, id := range p.names("a variable") {
			p.add(item{variable: &varDecl{name: id, typ: "long"}})
		}
		p.accept(";")
	case p.accept("domain"):
		lo, hi := p.rangeExprs()
		p.add(item{domain: &[2]*expr{lo, hi}})
		p.semicolon()
	case p.accept("memory"):
		p.add(item{memory: p.expr()})
		p.semicolon()
	case p.accept("thread"):
		p.threadItem(start)
	case p.accept("goal"):
		p.goal(start)
	case p.accept("exists"), p.accept("never"), p.accept("forall"):
		f := &finalDecl{word: word.text, start: start}
		f.cond = p.condition()
		f.end = p.prevEnd
		p.semicolon()
		p.add(item{final: f})
	case p.atInvariant():
		p.add(item{always: p.invariant()})
	case p.accept("program"):
		p.fail(codeSyntax, word.start, word.end, "'program' must come first and once")
	default:
		p.expected("a declaration")
		if p.bad && p.tok.kind != tEOF {
			p.advance()
		}
	}
}

// add keeps a declaration that was read without error.
func (p *parser) add(it item) {
	if !p.bad {
		p.tree.items = append(p.tree.items, it)
	}
}

// names is one or more names with optional commas between them.
func (p *parser) names(what string) []ident {
	ids := []ident{p.ident(what)}
	for !p.bad && (p.tok.kind == tName || p.tok.is(",")) {
		p.accept(",")
		ids = append(ids, p.ident(what))
	}
	if p.bad {
		return nil
	}
	return ids
}

func (p *parser) variables() {
	typ := "long"
	if p.isType() {
		typ = p.tok.text
		p.advance()
	}
	for {
		v := &varDecl{name: p.ident("a variable"), typ: typ}
		if p.accept("[") {
			v.size = p.expr()
			p.expect("]")
		}
		if p.assignSign() {
			if p.accept("{") {
				v.brace = true
				v.init = append(v.init, p.expr())
				for p.accept(",") {
					v.init = append(v.init, p.expr())
				}
				p.expect("}")
			} else {
				v.init = []*expr{p.expr()}
			}
		}
		p.add(item{variable: v})
		if !p.accept(",") {
			break
		}
	}
	p.semicolon()
}

func (p *parser) isType() bool {
	return p.tok.is("byte") || p.tok.is("half") || p.tok.is("word") || p.tok.is("long")
}

// assignSign takes one of the assignment signs.
func (p *parser) assignSign() bool { return p.accept("=") || p.accept(":=") || p.accept("<-") }

func (p *parser) rangeExprs() (lo, hi *expr) {
	lo = p.expr()
	p.expect("..")
	return lo, p.expr()
}

func (p *parser) threadItem(start int) {
	t := &threadDecl{start: start, name: p.ident("a thread")}
	if p.accept("[") {
		t.index = p.ident("an index")
		p.expect("]")
	}
	if p.accept("*") {
		t.many = true
		if p.tok.kind == tName && p.tok.text == "n" && (p.ahead.is("{") || p.ahead.is("regs") || p.ahead.is("init") || p.ahead.is("begin")) {
			p.advance()
		} else {
			t.count = p.expr()
		}
	}
	t.head = p.prevEnd
	p.thread = t
	t.body = p.threadBody(t)
	p.thread = nil
	// A body that was recovered from stays, so that what it declares is known.
	if t.body != nil {
		p.tree.items = append(p.tree.items, item{thread: t})
	}
	p.accept(";")
}

func (p *parser) threadBody(t *threadDecl) *stmt {
	if p.bad {
		return nil
	}
	if p.tok.is("{") {
		body := p.block()
		t.end = p.prevEnd - 1
		return body
	}
	if p.accept("regs") {
		for _, id := range p.names("a register") {
			t.regs = append(t.regs, regDecl{name: id})
		}
		p.accept(";")
	}
	if p.accept("init") {
		t.init = p.ident("a label")
		p.accept(";")
	}
	open := p.tok
	if !p.accept("begin") {
		p.expected("'{' or 'begin'")
		return nil
	}
	body := &stmt{kind: sBlock, start: open.start}
	p.blocks = append(p.blocks, open)
	p.stmts(body)
	t.end = p.tok.start
	p.closeBlock("end")
	body.end = p.prevEnd
	return body
}

// closeBlock takes what ends the innermost block. Where it is missing, the message
// says where the block began.
func (p *parser) closeBlock(word string) {
	n := len(p.blocks) - 1
	open := p.blocks[n]
	p.blocks = p.blocks[:n]
	if p.accept(word) {
		return
	}
	found := "found " + p.tok.String()
	if p.tok.kind == tEOF {
		found = "the file ends first"
	}
	p.noteOpen(p.fail(codeUnclosed, p.tok.start, p.tok.end, "missing '%s': %s", word, found), open)
}

// noteOpen says where a block began.
func (p *parser) noteOpen(d *diag.Diagnostic, open token) {
	d.Note("the block began with '%s' at %s", open.text, p.file.Pos(open.start))
}

func (p *parser) goal(start int) {
	g := &goalDecl{start: start}
	if p.tok.kind == tString {
		g.name = p.tok.text
		p.advance()
	}
	if !p.tok.is("with") {
		for {
			a := atDecl{start: p.tok.start}
			a.thread = p.ident("a thread")
			if p.accept("[") {
				a.index = p.expr()
				p.expect("]")
			}
			p.expect(":")
			a.label = p.ident("a label")
			a.end = p.prevEnd
			g.at = append(g.at, a)
			if !p.accept(",") {
				break
			}
		}
	}
	if p.accept("with") {
		g.with = p.condition()
	}
	g.end = p.prevEnd
	p.semicolon()
	p.add(item{goal: g})
}

func (p *parser) condition() *expr {
	p.inCond = true
	e := p.expr()
	p.inCond = false
	return e
}
