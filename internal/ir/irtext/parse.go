package irtext

// The parser of the text form. Statements are lines: after a mistake the parser continues with
// the next line. Objects, functions and threads may be used above their declaration, so a first
// pass over the line starts collects their names. Expressions are built as written, without
// folding, so that parsing a printed expression gives an equal one.

import (
	"math"
	"strconv"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Parse reads the text form. name is the file for diagnostics, and the name of a program that
// has none. The program is nil if there are errors; the caller has to call Verify.
//
// These parts may be left out: the program line (a flat program), sizes (8), units, addresses,
// types (s64), orders (plain), ids (counting up), origins, positions, loc lines (the first
// location in the text is the entry), the function of a thread (of the same name), spawned
// (threads start at once).
func Parse(name string, text []byte) (*ir.Program, *diag.List) {
	diags := &diag.List{}
	file := source.NewFile(name, text)
	ps := &parser{
		file:    file,
		diags:   diags,
		toks:    lex(file, diags),
		p:       &ir.Program{Name: name, Form: ir.Flat, Main: ir.NoThread},
		objects: map[string]int{},
		funcs:   map[string]int{},
		threads: map[string]int{},
	}
	ps.declare()
	ps.lay = newLayout(ps.p.Cells)
	for ps.tok().kind != tokEOF && !diags.Full() {
		ps.line()
	}
	if ps.f != nil && !diags.Full() {
		ps.fail(codeSyntax, "function %s is not closed", quoteName(ps.f.Name))
	}
	if diags.HasErrors() {
		diags.Sort()
		return nil, diags
	}
	if !ps.nextSet {
		ps.p.NextEdge = defaultNextEdge(ps.p)
	}
	ps.p.Seal()
	return ps.p, diags
}

type parser struct {
	file    *source.File
	diags   *diag.List
	toks    []token
	at      int
	bad     bool // this line has an error: the parser skips to the next line
	p       *ir.Program
	objects map[string]int
	funcs   map[string]int
	threads map[string]int
	lay     layout
	nextSet bool
	nextID  int64
	nesting int

	f    *ir.Func // the function whose body is being read, or nil
	regs map[string]ir.Reg
	locs map[string]ir.Loc
}

func (ps *parser) tok() *token { return &ps.toks[ps.at] }

// peek returns the token n tokens ahead.
func (ps *parser) peek(n int) *token { return &ps.toks[min(ps.at+n, len(ps.toks)-1)] }

func (ps *parser) advance() {
	if ps.at < len(ps.toks)-1 {
		ps.at++
	}
}

func (ps *parser) failAt(t *token, code, format string, args ...any) {
	if !ps.bad {
		ps.bad = true
		ps.diags.Errorf(code, ps.file.Span(t.start, t.end), format, args...)
	}
}

func (ps *parser) fail(code, format string, args ...any) { ps.failAt(ps.tok(), code, format, args...) }

// want reports that something else was expected at this token.
func (ps *parser) want(what string) {
	t := ps.tok()
	switch t.kind {
	case tokEOF, tokNewline:
		ps.fail(codeSyntax, "expected %s, found the end of the line", what)
	case tokString:
		ps.fail(codeSyntax, "expected %s, found %q", what, t.text)
	default:
		ps.fail(codeSyntax, "expected %s, found %s", what, t.text)
	}
}

func (ps *parser) isPunct(text string) bool {
	return !ps.bad && ps.tok().kind == tokPunct && ps.tok().text == text
}

// accept takes a punctuation mark if it is next.
func (ps *parser) accept(text string) bool {
	ok := ps.isPunct(text)
	if ok {
		ps.advance()
	}
	return ok
}

func (ps *parser) expect(text string) {
	if !ps.accept(text) {
		ps.want("'" + text + "'")
	}
}

// word takes a keyword if it is next.
func (ps *parser) word(text string) bool {
	ok := !ps.bad && ps.tok().kind == tokName && ps.tok().text == text
	if ok {
		ps.advance()
	}
	return ok
}

// name takes a name, quoted or not.
func (ps *parser) name(what string) string {
	t := ps.tok()
	if ps.bad || t.kind != tokName && t.kind != tokString {
		ps.want(what)
		return ""
	}
	ps.advance()
	return t.text
}

// integer takes a number with an optional sign. A number above the signed range is read as an
// unsigned 64-bit word.
func (ps *parser) integer() int64 {
	start := ps.tok()
	neg := ps.accept("-")
	t := ps.tok()
	if ps.bad || t.kind != tokNumber {
		ps.want("a number")
		return 0
	}
	ps.advance()
	v, err := strconv.ParseUint(t.text, 0, 64)
	if err != nil || neg && v > 1<<63 {
		ps.failAt(start, codeNumber, "%s is not a 64-bit number", t.text)
		return 0
	}
	if neg {
		return -int64(v)
	}
	return int64(v)
}

// small takes a number that fits 32 bits.
func (ps *parser) small() int32 {
	t := ps.tok()
	v := ps.integer()
	if v < math.MinInt32 || v > math.MaxInt32 {
		ps.failAt(t, codeNumber, "%d does not fit 32 bits", v)
	}
	return int32(v)
}

// span takes a position if there is one.
func (ps *parser) span() source.Span {
	if t := ps.tok(); !ps.bad && t.kind == tokPos {
		ps.advance()
		return t.span
	}
	return source.Span{}
}

// typ takes the name of a type.
func (ps *parser) typ() ir.Type {
	t := ps.tok()
	typ, ok := typeWords[t.text]
	if ps.bad || t.kind != tokName || !ok {
		ps.want("a type")
		return ir.S64
	}
	ps.advance()
	return typ
}

// lookup finds something declared at the top level.
func (ps *parser) lookup(names map[string]int, what string) int {
	t := ps.tok()
	name := ps.name("the name of " + article(what))
	i, ok := names[name]
	if !ok {
		ps.failAt(t, codeUnknown, "no %s %s", what, quoteName(name))
	}
	return i
}

func article(noun string) string {
	if noun[0] == 'o' {
		return "an " + noun
	}
	return "a " + noun
}

// endLine moves to the next line and reports tokens that are left on this one.
func (ps *parser) endLine() {
	if !ps.bad && ps.tok().kind != tokNewline && ps.tok().kind != tokEOF {
		ps.want("the end of the line")
	}
	for ps.tok().kind != tokNewline && ps.tok().kind != tokEOF {
		ps.advance()
	}
	ps.advance()
	ps.bad = false
}

// declare collects the names declared at line starts, and whether there are cells.
func (ps *parser) declare() {
	tables := map[string]map[string]int{"object": ps.objects, "func": ps.funcs, "thread": ps.threads}
	for i := 0; i+1 < len(ps.toks); i++ {
		t, n := &ps.toks[i], &ps.toks[i+1]
		if t.kind != tokName || i > 0 && ps.toks[i-1].kind != tokNewline {
			continue
		}
		if t.text == "cells" && n.kind == tokNewline {
			ps.p.Cells = true
		}
		names, ok := tables[t.text]
		if !ok || n.kind != tokName && n.kind != tokString {
			continue
		}
		if _, twice := names[n.text]; twice {
			ps.diags.Errorf(codeDuplicate, ps.file.Span(n.start, n.end), "%s %s is declared twice", t.text, quoteName(n.text))
			continue
		}
		names[n.text] = len(names)
	}
}

// topLevel reports whether the line starts a declaration outside functions.
func (ps *parser) topLevel() bool {
	t := ps.tok()
	if next := ps.peek(1); t.kind != tokName || next.kind == tokPunct && next.text == "->" {
		return false
	}
	switch t.text {
	case "program", "cells", "object", "func", "thread", "main", "next":
		return true
	}
	return false
}

func (ps *parser) line() {
	top := ps.topLevel()
	switch {
	case ps.tok().kind == tokNewline:
	case ps.f != nil && top:
		ps.diags.Errorf(codeSyntax, ps.file.Span(ps.tok().start, ps.tok().end), "function %s is not closed", quoteName(ps.f.Name))
		ps.f = nil
		ps.declaration()
	case ps.f != nil && ps.accept("}"):
		ps.f = nil
	case ps.f != nil:
		ps.bodyLine()
	case top:
		ps.declaration()
	default:
		ps.want("a declaration")
	}
	ps.endLine()
}

func (ps *parser) declaration() {
	switch {
	case ps.word("program"):
		ps.program()
	case ps.word("cells"): // noticed by declare
	case ps.word("main"):
		ps.p.Main = ir.ThreadID(ps.lookup(ps.threads, "thread"))
	case ps.word("next"):
		ps.p.NextEdge, ps.nextSet = ir.EdgeID(ps.small()), true
	case ps.word("object"):
		ps.object()
	case ps.word("func"):
		ps.function()
	case ps.word("thread"):
		ps.thread()
	}
}
