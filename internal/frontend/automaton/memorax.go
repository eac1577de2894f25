package automaton

import (
	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// ParseMemorax translates a file in the language of Memorax, as described in
// docs/languages/memorax.md. The unit is as Parse makes it.
func ParseMemorax(f *source.File, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	p := &memoraxParser{macros: map[string]*macro{}}
	p.lexer = newLexer(f, diags)
	p.keyword, p.dollars = isMemoraxWord, true
	p.begin(p.next)
	p.all()
	u := &Unit{Expect: p.lexer.expect, ExpectPos: p.expectPos}
	if !p.failed {
		c := &memoraxCompiler{compiler: newCompiler(f, diags), p: p}
		c.opt = opt
		c.markProcesses()
		u.Program, u.Props = c.compile()
		u.showCells()
		u.setPlaces(c.marks)
	}
	return u.finish(diags), diags
}

var memoraxWords = words("forbidden predicates data process registers text nop assume read write locked slocked syncwr syncrd " +
	"cas fence ssfence llfence goto if then else while do either or true false not my")

func isMemoraxWord(s string) bool { return memoraxWords[s] }

// memoraxParser is the parser with macros below it and another grammar above.
type memoraxParser struct {
	parser
	macros   map[string]*macro
	frames   []macroFrame
	expanded int // tokens that came from macros

	forbidden [][]ident // "*" is any state
	globals   []datum
	processes []*process
	locked    bool // inside a locked block
	labels    map[string]ident
}

// datum is a declared variable or register.
type datum struct {
	name       ident
	any        bool // the initial value is any of the domain
	init       int64
	dom        *interval // nil: all integers
	start, end int
}

// process is a process declaration.
type process struct {
	count int64
	data  []datum
	regs  []datum
	body  *stmt
	start int
	head  int
}

// all parses a file.
func (p *memoraxParser) all() {
	p.forbiddenLists()
	p.resync()
	if p.accept("predicates") {
		// They only help Memorax's abstraction.
		for p.tok.kind != tEOF && !p.tok.is("data") && !p.tok.is("process") {
			p.advance()
		}
	}
	if p.accept("data") {
		p.globals = p.declarations(false)
		p.resync()
	}
	for p.tok.kind != tEOF {
		p.process()
		p.resync()
	}
}

// resync skips to the next part of the file after an error.
func (p *memoraxParser) resync() {
	for p.bad && p.tok.kind != tEOF && !p.tok.is("process") {
		p.advance()
	}
	p.bad = false
}

// forbiddenLists parses the lists of labels.
func (p *memoraxParser) forbiddenLists() {
	p.expect("forbidden")
	for !p.bad {
		var list []ident
		for p.tok.kind == tName || p.tok.is("*") {
			list = append(list, ident{p.tok.text, p.tok.start, p.tok.end})
			p.advance()
		}
		if len(list) == 0 {
			p.expected("a label or '*'")
			return
		}
		p.forbidden = append(p.forbidden, list)
		if !p.accept(";") {
			return
		}
	}
}

// isRegister reports whether a name is a register's.
func isRegister(t token) bool { return t.kind == tName && t.text[0] == '$' }

// declarations parses variables or registers.
func (p *memoraxParser) declarations(registers bool) []datum {
	what := "a variable"
	if registers {
		what = "a register"
	}
	var list []datum
	names := map[string]ident{}
	for {
		if p.tok.kind == tName && isRegister(p.tok) != registers || p.tok.kind != tName && len(list) == 0 {
			p.expected("the name of " + what)
		}
		if p.bad || p.tok.kind != tName {
			return list
		}
		d := p.datum(what)
		if old, ok := names[d.name.text]; ok && !p.bad {
			p.fail(codeRedeclared, d.name.start, d.name.end, "'%s' is declared twice", clip(d.name.text)).
				Note("the first declaration is at %s", p.file.Pos(old.start))
			p.bad = false
		}
		names[d.name.text] = d.name
		list = append(list, d)
		p.node()
		p.accept(",")
	}
}

func (p *memoraxParser) datum(what string) datum {
	d := datum{start: p.tok.start}
	first := p.tok.end
	d.name = p.ident(what)
	p.expect("=")
	if d.any = p.accept("*"); !d.any {
		d.init = p.integer("an initial value or '*'")
	}
	if p.accept(":") {
		if p.tok.kind == tName && p.tok.text == "Z" {
			p.advance()
		} else {
			d.dom = p.domain()
		}
	}
	d.end = max(first, p.prevEnd)
	if dom := d.dom; dom != nil && !p.bad && !d.any && (d.init < dom.lo || d.init > dom.hi) {
		p.fail(codeMDomain, d.start, d.end, "the initial value %d of '%s' is not in [%d:%d]", d.init, clip(d.name.text), dom.lo, dom.hi)
		p.bad = false
	}
	return d
}

func (p *memoraxParser) domain() *interval {
	start := p.tok.start
	if !p.tok.is("[") {
		p.expected("a domain, '[lo:hi]' or 'Z'")
		return nil
	}
	p.advance()
	lo := p.integer("a bound")
	p.expect(":")
	hi := p.integer("a bound")
	p.expect("]")
	if lo > hi && !p.bad {
		p.fail(codeMDomain, start, max(start+1, p.prevEnd), "no value lies in [%d:%d]", lo, hi)
		p.bad = false
		hi = lo
	}
	return &interval{lo, hi}
}

// integer parses a number with its sign.
func (p *memoraxParser) integer(what string) int64 {
	minus := p.accept("-")
	if p.bad || p.tok.kind != tInt {
		p.expected(what)
		return 0
	}
	v := p.tok.val
	p.advance()
	if minus {
		return -v
	}
	return v
}

func (p *memoraxParser) process() {
	pr := &process{count: 1, start: p.tok.start, head: p.tok.end}
	if !p.expect("process") {
		return
	}
	if p.accept("(") {
		start, end := p.tok.start, p.tok.end
		pr.count = p.integer("the number of processes")
		if !p.bad && (pr.count < 1 || pr.count > maxInstances) {
			p.fail(codeCount, start, end, "%d processes; 1 to %d are possible", pr.count, maxInstances)
			p.bad = false
		}
		p.expect(")")
	}
	for p.tok.is("data") || p.tok.is("registers") {
		list, seen := &pr.data, p.tok
		if p.tok.is("registers") {
			list = &pr.regs
		}
		p.advance()
		if len(*list) > 0 {
			p.fail(codeRedeclared, seen.start, seen.end, "a second '%s' in one process", seen.text)
			return
		}
		*list = p.declarations(seen.text == "registers")
	}
	if !p.expect("text") {
		return
	}
	p.labels = map[string]ident{}
	pr.body = p.block(p.prevEnd)
	if !p.bad && p.tok.kind != tEOF && !p.tok.is("process") {
		p.expected("';' or 'process'")
	}
	p.processes = append(p.processes, pr)
}
