package statement

import "fencepost/internal/diag"

// Parser is a recursive-descent parser with two tokens of look-ahead. After an
// error it is bad: everything returns at once, without further messages, up to
// the statement or declaration, which skips to where it can go on.
type Parser struct {
	Lexer
	feed       func() Token // where tokens come from
	Tok, Ahead Token
	PrevEnd    int // end of the last token taken
	PrevMacro  int // and its macro
	Switches   int // tokens taken whose macro is not that of the token before
	Bad        bool
	lastError  int // offset of the last syntax error, so that one position gets one message
	aborted    bool
	Depth      int
	nodes      int
	Blocks     []Token // what began the blocks around the current token
}

// Advance goes to the next token.
func (p *Parser) Advance() {
	p.PrevEnd = p.Tok.End
	if p.Tok.Macro != p.PrevMacro {
		p.PrevMacro = p.Tok.Macro
		p.Switches++
	}
	p.Tok = p.Ahead
	p.Ahead = p.feed()
}

// Begin fills the look-ahead.
func (p *Parser) Begin(feed func() Token) {
	p.feed = feed
	p.lastError = -1
	p.Ahead = feed()
	p.Advance()
	p.PrevEnd = 0
}

// Fail reports a syntax error, unless in the wake of another, and makes the
// parser bad.
func (p *Parser) Fail(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	quiet := p.Bad || p.aborted || start == p.lastError || p.Diags.Full()
	p.Bad, p.Failed, p.lastError = true, true, start
	if quiet {
		return &diag.Diagnostic{}
	}
	return p.Errorf(code, start, end, format, args...)
}

// Expected reports that something else than the current token was needed.
func (p *Parser) Expected(what string) *diag.Diagnostic {
	if p.Tok.Kind == TokenEOF {
		d := p.Fail(codeTruncated, p.Tok.Start, p.Tok.End, "the file ends where %s was expected", what)
		if n := len(p.Blocks); n > 0 {
			p.noteOpen(d, p.Blocks[n-1])
		}
		return d
	}
	return p.Fail(CodeSyntax, p.Tok.Start, p.Tok.End, "expected %s, found %s", what, p.Tok)
}

// Stop ends parsing after an error that would only repeat itself.
func (p *Parser) Stop() {
	p.aborted, p.Stopped = true, true
	p.Tok = Token{Kind: TokenEOF, Start: len(p.Text), End: len(p.Text)}
	p.Ahead = p.Tok
}

// Enter counts a level of nesting; leave undoes it.
func (p *Parser) Enter() bool {
	p.Depth++
	if p.Depth > MaxDepth {
		p.Fail(CodeDepth, p.Tok.Start, p.Tok.End, "nesting deeper than %d levels", MaxDepth)
		p.Stop()
		return false
	}
	return !p.Bad
}

// Leave undoes Enter.
func (p *Parser) Leave() { p.Depth-- }

// Nested parses an expression that may have others of its kind inside; start is where it begins. Where the nesting is too
// deep, or the parser is bad, it returns a number.
func (p *Parser) Nested(parse func(start int) *Expr) *Expr {
	defer p.Leave()
	if !p.Enter() {
		return &Expr{Kind: ExprInt}
	}
	return parse(p.Tok.Start)
}

// Node counts a node of the syntax tree.
func (p *Parser) Node() {
	p.nodes++
	if p.nodes == MaxNodes {
		p.Fail(CodeTooLarge, p.Tok.Start, p.Tok.End, "the program is too large")
		p.Stop()
	}
}

// Accept takes the sign or keyword if it comes next.
func (p *Parser) Accept(text string) bool {
	if p.Bad || !p.Tok.Is(text) {
		return false
	}
	p.Advance()
	return true
}

// Expect takes the sign or keyword, which must come next.
func (p *Parser) Expect(text string) bool {
	if p.Accept(text) {
		return true
	}
	d := p.Expected("'" + text + "'")
	if text == ")" && p.Tok.Is("=") {
		d.Note("'==' compares; '=' assigns")
	}
	return false
}

// Ident takes a name.
func (p *Parser) Ident(what string) Ident {
	switch {
	case p.Bad:
	case p.Tok.Kind == TokenName:
		id := Ident{p.Tok.Text, p.Tok.Start, p.Tok.End}
		p.Advance()
		return id
	case p.Tok.Kind == TokenKeyword:
		p.Fail(CodeReserved, p.Tok.Start, p.Tok.End, "'%s' is a reserved word and cannot be the name of %s", p.Tok.Text, what)
	default:
		p.Expected("the name of " + what)
	}
	return Ident{}
}

// noteOpen says where a block began.
func (p *Parser) noteOpen(d *diag.Diagnostic, open Token) {
	d.Note("the block began with '%s' at %s", open.Text, p.File.Pos(open.Start))
}

// Make finishes a node: its height must stay within what recursion can walk.
func (p *Parser) Make(e Expr) *Expr {
	p.Node()
	for _, x := range []*Expr{e.X, e.Y, e.Z} {
		if x != nil {
			e.height = max(e.height, x.height)
		}
	}
	e.height++
	e.End = max(p.PrevEnd, e.Start) // pieces of macros may stand anywhere
	if e.height > MaxDepth {
		p.Fail(CodeDepth, e.Start, e.End, "expression nested deeper than %d levels", MaxDepth)
		p.Stop()
	}
	return &e
}

// CloseBlock takes what ends the innermost block. Where it is missing, the message
// says where the block began.
func (p *Parser) CloseBlock(word string) {
	n := len(p.Blocks) - 1
	open := p.Blocks[n]
	p.Blocks = p.Blocks[:n]
	if p.Accept(word) {
		return
	}
	found := "found " + p.Tok.String()
	if p.Tok.Kind == TokenEOF {
		found = "the file ends first"
	}
	p.noteOpen(p.Fail(codeUnclosed, p.Tok.Start, p.Tok.End, "missing '%s': %s", word, found), open)
}
