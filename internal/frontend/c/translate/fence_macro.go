package translate

import (
	"bytes"
	"fmt"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/source"
)

// Fence sites in the definitions of macros. A fence can stand between two tokens of a definition if
// they are directly inside a block of the definition, and the first ends a statement or begins
// the block: then a statement begins there, or the block ends, in every expansion. Such a fence is a
// fence in all expansions, so all of them share one mark.
//
// The first token of a statement can come from an argument or from another macro. So the mark is found
// by the token before the statement.

// definedAt is a site in the definition of a macro.
type definedAt struct {
	macro  string
	file   *source.File
	offset int
}

// tokenAt is a token in a file, or in the definition of a macro.
type tokenAt struct {
	in  *read.Unit
	pos lex.Pos
}

// item is where something stands in a block.
type item struct {
	block *parse.Stmt
	prev  *parse.Stmt // nil: it is the first
}

// addMacros notes the fence sites in the definitions of the macros that a file uses, by the tokens before them.
// A token of an expansion has the position of the token in the definition.
func (m *marks) addMacros(in *read.Unit) {
	s := in.Tree.Source
	count := map[*lex.Token]int{}
	for i := range s.Expansions {
		if e := &s.Expansions[i]; len(e.Body) > 0 && !e.IsArgument {
			count[&e.Body[0]]++
		}
	}
	for i := range s.Expansions {
		e := &s.Expansions[i]
		if len(e.Body) > 0 && count[&e.Body[0]] > 0 {
			m.addMacro(in, s.Names.String(e.Macro), e.Body, count[&e.Body[0]])
			delete(count, &e.Body[0])
		}
	}
}

// addMacro notes the fence sites in the definition of a macro that a file expands so many times.
func (m *marks) addMacro(in *read.Unit, name string, body []lex.Token, times int) {
	var open []lex.Kind
	var prev *lex.Token
	for i := range body {
		t := &body[i]
		p := in.Position(t.Pos)
		file := m.files[p.File]
		if file == nil {
			return
		}
		offset, ok := file.Offset(source.Pos{Line: p.Line, Col: p.Col})
		inside := len(open) > 0 && open[len(open)-1] == lex.LBrace
		begins := prev != nil && (prev.Kind == lex.Semicolon || prev.Kind == lex.LBrace || prev.Kind == lex.RBrace)
		if ok && inside && begins && bytes.HasPrefix(file.Text[offset:], in.Tree.Source.Space.Text(t)) {
			at := definedAt{name, file, offset}
			m.defined[tokenAt{in, prev.Pos}] = at
			m.expansions[at] += times
		}
		switch t.Kind {
		case lex.LParen, lex.LBrace, lex.LBracket:
			open = append(open, t.Kind)
		case lex.RParen, lex.RBrace, lex.RBracket:
			open = open[:max(0, len(open)-1)]
		}
		prev = t
	}
}

// noteItems notes the items of a block.
func (m *marks) noteItems(s *parse.Stmt) {
	var prev *parse.Stmt
	for _, one := range s.List {
		m.items[one] = item{s, prev}
		prev = one
	}
	m.ending[s] = prev
}

// markDefinition marks the fence site in the definition of a macro before s, or at the end of the block
// s. It returns false if there is none.
func (f *siteMarks) markDefinition(s *parse.Stmt, end bool) bool {
	m := f.marks
	it, ok := m.items[s]
	if end {
		it, ok = item{s, m.ending[s]}, true
	}
	if !ok {
		return false
	}
	last := it.block.Tok
	if it.prev != nil {
		last = it.prev.End
	}
	t := &f.In.Tree.Source.Tokens[last]
	at, ok := m.defined[tokenAt{f.In, t.Pos}]
	if !ok || t.From == 0 {
		return false
	}
	text := "the end of the block"
	if !end {
		text = statementLine(at.file.Text[at.offset:])
	}
	return f.mark(&mark{file: at.file, offset: at.offset, end: end, macro: true, expansions: m.expansions[at], text: fmt.Sprintf("%s in the macro %s", text, at.macro)})
}

// statementLine is the beginning of a text up to the end of a statement or line.
func statementLine(text []byte) string {
	for i, c := range text {
		switch {
		case c == ';':
			return firstLine(string(text[:i+1]))
		case c == '\n' || c == '\\':
			return firstLine(string(text[:i]))
		}
	}
	return firstLine(string(text))
}
