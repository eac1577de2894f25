package memorax

import (
	"fencepost/internal/analysis"
	"fencepost/internal/diag"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/source"
)

// ParseMemorax translates a file in the language of Memorax, as described in
// docs/languages/memorax.md. The unit is as Parse makes it.
func Parse(f *source.File, opt statement.Options) (*statement.Unit, *diag.List) {
	diags := &diag.List{}
	p := &parser{macros: map[string]*macro{}}
	p.Lexer = statement.NewLexer(f, diags)
	p.Keyword, p.Dollars = isWord, true
	p.Begin(p.next)
	p.all()
	u := &statement.Unit{Expect: p.Lexer.Expect, ExpectPos: p.ExpectPos}
	if !p.Failed {
		c := &compiler{Compiler: statement.NewCompiler(f, diags), p: p}
		c.Opt = opt
		c.markSites()
		u.Program, u.Props = c.compile()
		u.ShowCells()
		u.SetSites(c.Marks)
	}
	return u.Finish(diags), diags
}

var keywords = statement.Words("forbidden predicates data process registers text nop assume read write locked slocked syncwr syncrd " +
	"cas fence ssfence llfence goto if then else while do either or true false not my")

func isWord(s string) bool { return keywords[s] }

// Statements over variables and registers that have domains.
const (
	sPut    = statement.StmtLanguage + iota // register x := y
	sFetch                                  // register x := variable y
	sSeen                                   // wait until variable x holds y
	sWrite                                  // variable x := y
	sLocked                                 // the same, drained
	sSwap                                   // once variable x holds y: z
)

// parser is the parser with macros below it and another grammar above.
type parser struct {
	statement.Parser
	macros   map[string]*macro
	frames   []macroFrame
	expanded int // tokens that came from macros

	forbidden [][]statement.Ident // "*" is any state
	globals   []datum
	processes []*process
	locked    bool // inside a locked block
	labels    map[string]statement.Ident
}

// datum is a declared variable or register.
type datum struct {
	name       statement.Ident
	any        bool // the initial value is any of the domain
	init       int64
	dom        *analysis.Interval // nil: all integers
	start, end int
}

// process is a process declaration.
type process struct {
	count int64
	data  []datum
	regs  []datum
	body  *statement.Stmt
	start int
	head  int
}

// all parses a file.
func (p *parser) all() {
	p.forbiddenLists()
	p.resync()
	if p.Accept("predicates") {
		// They only help Memorax's abstraction.
		for p.Tok.Kind != statement.TokenEOF && !p.Tok.Is("data") && !p.Tok.Is("process") {
			p.Advance()
		}
	}
	if p.Accept("data") {
		p.globals = p.declarations(false)
		p.resync()
	}
	for p.Tok.Kind != statement.TokenEOF {
		p.process()
		p.resync()
	}
}

// resync skips to the next part of the file after an error.
func (p *parser) resync() {
	for p.Bad && p.Tok.Kind != statement.TokenEOF && !p.Tok.Is("process") {
		p.Advance()
	}
	p.Bad = false
}

// forbiddenLists parses the lists of labels.
func (p *parser) forbiddenLists() {
	p.Expect("forbidden")
	for !p.Bad {
		var list []statement.Ident
		for p.Tok.Kind == statement.TokenName || p.Tok.Is("*") {
			list = append(list, statement.Ident{Text: p.Tok.Text, Start: p.Tok.Start, End: p.Tok.End})
			p.Advance()
		}
		if len(list) == 0 {
			p.Expected("a label or '*'")
			return
		}
		p.forbidden = append(p.forbidden, list)
		if !p.Accept(";") {
			return
		}
	}
}

// isRegister reports whether a name is a register's.
func isRegister(t statement.Token) bool { return t.Kind == statement.TokenName && t.Text[0] == '$' }

// declarations parses variables or registers.
func (p *parser) declarations(registers bool) []datum {
	what := "a variable"
	if registers {
		what = "a register"
	}
	var list []datum
	names := map[string]statement.Ident{}
	for {
		if p.Tok.Kind == statement.TokenName && isRegister(p.Tok) != registers || p.Tok.Kind != statement.TokenName && len(list) == 0 {
			p.Expected("the name of " + what)
		}
		if p.Bad || p.Tok.Kind != statement.TokenName {
			return list
		}
		d := p.datum(what)
		if old, ok := names[d.name.Text]; ok && !p.Bad {
			p.Fail(statement.CodeRedeclared, d.name.Start, d.name.End, "'%s' is declared twice", statement.Clip(d.name.Text)).
				Note("the first declaration is at %s", p.File.Pos(old.Start))
			p.Bad = false
		}
		names[d.name.Text] = d.name
		list = append(list, d)
		p.Node()
		p.Accept(",")
	}
}

func (p *parser) datum(what string) datum {
	d := datum{start: p.Tok.Start}
	first := p.Tok.End
	d.name = p.Ident(what)
	p.Expect("=")
	if d.any = p.Accept("*"); !d.any {
		d.init = p.integer("an initial value or '*'")
	}
	if p.Accept(":") {
		if p.Tok.Kind == statement.TokenName && p.Tok.Text == "Z" {
			p.Advance()
		} else {
			d.dom = p.domain()
		}
	}
	d.end = max(first, p.PrevEnd)
	if dom := d.dom; dom != nil && !p.Bad && !d.any && (d.init < dom.Lo || d.init > dom.Hi) {
		p.Fail(codeMDomain, d.start, d.end, "the initial value %d of '%s' is not in [%d:%d]", d.init, statement.Clip(d.name.Text), dom.Lo, dom.Hi)
		p.Bad = false
	}
	return d
}

func (p *parser) domain() *analysis.Interval {
	start := p.Tok.Start
	if !p.Tok.Is("[") {
		p.Expected("a domain, '[lo:hi]' or 'Z'")
		return nil
	}
	p.Advance()
	lo := p.integer("a bound")
	p.Expect(":")
	hi := p.integer("a bound")
	p.Expect("]")
	if lo > hi && !p.Bad {
		p.Fail(codeMDomain, start, max(start+1, p.PrevEnd), "the domain [%d:%d] has no values", lo, hi)
		p.Bad = false
		hi = lo
	}
	return &analysis.Interval{Lo: lo, Hi: hi}
}

// integer parses a number with its sign.
func (p *parser) integer(what string) int64 {
	minus := p.Accept("-")
	if p.Bad || p.Tok.Kind != statement.TokenInt {
		p.Expected(what)
		return 0
	}
	v := p.Tok.Val
	p.Advance()
	if minus {
		return -v
	}
	return v
}

func (p *parser) process() {
	pr := &process{count: 1, start: p.Tok.Start, head: p.Tok.End}
	if !p.Expect("process") {
		return
	}
	if p.Accept("(") {
		start, end := p.Tok.Start, p.Tok.End
		pr.count = p.integer("the number of processes")
		if !p.Bad && (pr.count < 1 || pr.count > statement.MaxInstances) {
			p.Fail(statement.CodeCount, start, end, "%d processes; 1 to %d are possible", pr.count, statement.MaxInstances)
			p.Bad = false
		}
		p.Expect(")")
	}
	for p.Tok.Is("data") || p.Tok.Is("registers") {
		list, seen := &pr.data, p.Tok
		if p.Tok.Is("registers") {
			list = &pr.regs
		}
		p.Advance()
		if len(*list) > 0 {
			p.Fail(statement.CodeRedeclared, seen.Start, seen.End, "a second '%s' in one process", seen.Text)
			return
		}
		*list = p.declarations(seen.Text == "registers")
	}
	if !p.Expect("text") {
		return
	}
	p.labels = map[string]statement.Ident{}
	pr.body = p.block(p.PrevEnd)
	if !p.Bad && p.Tok.Kind != statement.TokenEOF && !p.Tok.Is("process") {
		p.Expected("';' or 'process'")
	}
	p.processes = append(p.processes, pr)
}
