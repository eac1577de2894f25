package cunit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Where fences can be written. The idea: wherever the text has room for a
// statement, the translation takes a step that does nothing (a mark): before every
// statement and declaration of a block, between a label and its statement, before
// the one statement of a body without braces, which then gets them, and at the end of every
// block. Not before case and default, where compilers want to see that a case ends. A fence at a mark is by construction what the changed text means.
//
// The conditions of loops, the parts of a for and the operands of an expression have
// no such place inside.
//
// A macro's expansion is one piece of text: cc gives all its tokens the place of
// the call, so what begins there first, which is the outermost statement, gets the
// mark, and the others none. The text before a mark must end a statement or
// begin a block; and the end of a statement that needs braces must be written out.

// mark is a place.
type mark struct {
	file   *source.File
	offset int
	end    bool   // at the end of a block: stands deeper than what follows
	bare   bool   // the statement is a body without braces
	empty  bool   // and the statement is ';'
	last   int    // bare: end of the statement
	prev   int    // end of the text before
	text   string // what it stands in front of
	edges  []ir.EdgeID
}

// marks are the places of a program.
type marks struct {
	files map[string]*source.File
	ends  map[string][]int32 // by file and offset: end of the text before, without blanks and comments
	at    map[source.Pos]*mark
	bare  map[*cc.Statement]bool
	list  []*mark
}

func newMarks(files []*source.File) *marks {
	m := &marks{
		files: map[string]*source.File{}, ends: map[string][]int32{}, at: map[source.Pos]*mark{}, bare: map[*cc.Statement]bool{},
	}
	for _, f := range files {
		m.files[f.Name] = f
		m.ends[f.Name] = textEnds(f.Text)
	}
	return m
}

// textEnds tells for every offset where the last text before it ends that is no
// blank, comment or line for the preprocessor.
func textEnds(text []byte) []int32 {
	out := make([]int32, len(text)+1)
	last := int32(0)
	skip := func(i int, until string) int {
		end := bytes.Index(text[i:], []byte(until))
		if end < 0 {
			return len(text)
		}
		return i + end + len(until)
	}
	lineStart := true
	for i := 0; i < len(text); {
		next := i + 1
		solid := false
		switch b := text[i]; {
		case b == '\n':
			lineStart = true
		case b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\v':
		case b == '\\' && i+1 < len(text) && text[i+1] == '\n':
			next = i + 2
		case b == '/' && i+1 < len(text) && text[i+1] == '*':
			next = skip(i+2, "*/")
		case b == '/' && i+1 < len(text) && text[i+1] == '/', b == '#' && lineStart:
			next = lineEnd(text, i)
		case b == '"' || b == '\'':
			next = quoted(text, i)
			solid = true
		default:
			solid = true
		}
		for j := i; j < next; j++ {
			out[j] = last
		}
		if solid {
			last, lineStart = int32(next), false
		}
		i = next
	}
	out[len(text)] = last
	return out
}

// lineEnd is where a line ends that backslashes may continue.
func lineEnd(text []byte, i int) int {
	for ; i < len(text); i++ {
		if text[i] == '\n' && text[i-1] != '\\' && !(text[i-1] == '\r' && i > 1 && text[i-2] == '\\') {
			return i
		}
	}
	return len(text)
}

// quoted is where a string or character that begins at i ends.
func quoted(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(len(text), i+1)
}

// findBare notes which statements of a function are bodies without braces.
func (m *marks) findBare(body *cc.CompoundStatement) {
	if m == nil {
		return
	}
	var note func(s *cc.Statement)
	note = func(s *cc.Statement) {
		if s == nil || s.Case == cc.StatementCompound {
			return
		}
		m.bare[s] = true
		if s.Case == cc.StatementLabeled {
			note(s.LabeledStatement.Statement)
		}
	}
	inspect(body, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.SelectionStatement:
			note(x.Statement)
			note(x.Statement2)
		case *cc.IterationStatement:
			note(x.Statement)
		}
		return true
	})
}

// markBefore marks the place before a statement or declaration, if there is one.
func (f *lowering) markBefore(n cc.Node) {
	m := f.marks
	if m == nil || f.at == nowhere {
		return
	}
	at, ok := m.place(n.Position().Filename, n.Position().Line, n.Position().Column)
	if !ok || at.file.Text[at.offset] == '{' { // cc declares __func__ there
		return
	}
	s, _ := n.(*cc.Statement)
	bare := s != nil && m.bare[s]
	switch {
	case !bare && !at.behindStatement(): // the head of something, or a macro
		return
	case s != nil && s.Case == cc.StatementLabeled && s.LabeledStatement.Case != cc.LabeledStatementLabel:
		return
	case bare:
		tokens := cc.NodeTokens(s)
		end, written := m.tokenEnd(at.file, &tokens[len(tokens)-1])
		if !written {
			return
		}
		at.bare, at.last = true, end
		at.empty = s.Case == cc.StatementExpr && s.ExpressionStatement.ExpressionList == nil
	}
	at.text = firstLine(at.file.Slice(f.span(n)))
	f.mark(at)
}

// markEnd marks the place at the end of a block.
func (f *lowering) markEnd(s *cc.CompoundStatement) {
	if f.marks == nil || f.at == nowhere {
		return
	}
	p := s.Token2.Position()
	at, ok := f.marks.place(p.Filename, p.Line, p.Column)
	if !ok || at.file.Text[at.offset] != '}' || !at.behindStatement() {
		return
	}
	at.end, at.text = true, "the end of the block"
	f.mark(at)
}

// firstLine is the first line of a text, with blanks folded.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(strings.Join(strings.Fields(line), " "), ".")
}

// mark takes a step that does nothing.
func (f *lowering) mark(at *mark) {
	pos := at.file.Pos(at.offset)
	if old := f.marks.at[pos]; old != nil {
		if old.end != at.end || f.marked[pos] { // another statement of the same expansion
			return
		}
		at = old
	} else {
		f.marks.at[pos] = at
		f.marks.list = append(f.marks.list, at)
	}
	f.marked[pos] = true
	old := f.pos
	f.pos = source.At(pos)
	f.emit(ir.NewOp(ir.Nop))
	f.goesOn()
	at.edges = append(at.edges, f.fb.F.Edges[len(f.fb.F.Edges)-1].ID)
	f.pos = old
}

// place is a place in one of the given files whose text before ends a statement or
// begins a block.
func (m *marks) place(file string, line, col int) (*mark, bool) {
	f := m.files[file]
	if f == nil {
		return nil, false
	}
	offset, ok := f.Offset(source.Pos{Line: line, Col: col})
	if !ok || offset >= len(f.Text) {
		return nil, false
	}
	prev := int(m.ends[file][offset])
	before := f.Text[:prev]
	if prev == 0 || !bytes.ContainsRune([]byte(";{}:)"), rune(before[prev-1])) && !endsWithWord(before, "else") && !endsWithWord(before, "do") {
		return nil, false
	}
	return &mark{file: f, offset: offset, prev: prev}, true
}

func endsWithWord(text []byte, word string) bool {
	return bytes.HasSuffix(text, []byte(word)) && (len(text) == len(word) || !isWord(text[len(text)-len(word)-1]))
}

// behindStatement reports whether the text before is a statement, a label, or
// where a block begins.
func (a *mark) behindStatement() bool {
	return bytes.ContainsRune([]byte(";{}:"), rune(a.file.Text[a.prev-1]))
}

// tokenEnd is where a token ends; written is false if it comes from a macro.
func (m *marks) tokenEnd(f *source.File, t *cc.Token) (end int, written bool) {
	p := t.Position()
	offset, ok := f.Offset(source.Pos{Line: p.Line, Col: p.Column})
	src := t.Src()
	if p.Filename != f.Name || !ok || !bytes.HasPrefix(f.Text[offset:], src) {
		return 0, false
	}
	return offset + len(src), true
}

// setPlaces hands out the marks, in the order of the files and their text.
// A program needs headers for the fences, a test has them.
func (u *Unit) setPlaces(m *marks, files []*source.File, needsHeaders bool) {
	if m == nil {
		return
	}
	order := map[string]int{}
	for i, f := range files {
		order[f.Name] = i
	}
	slices.SortStableFunc(m.list, func(a, b *mark) int {
		return cmp.Or(cmp.Compare(order[a.file.Name], order[b.file.Name]), cmp.Compare(a.offset, b.offset))
	})
	for _, a := range m.list {
		u.Places = append(u.Places, ir.Place{Pos: source.At(a.file.Pos(a.offset)), Edges: a.edges, Before: a.text})
	}
	u.Write = func(fences []ir.FenceAt, style FenceStyle) []source.Edit {
		// Where braces close, nothing comes between, and the inner ones close first.
		var edits, closing []source.Edit
		needs := map[*source.File][]ir.FenceKind{}
		for _, f := range fences {
			a := m.list[f.Place]
			list := a.edit(style.in(a.file).statement(f.Kind))
			if n := len(list) - 1; n > 0 {
				closing = append(closing, list[n])
				list = list[:n]
			}
			edits = append(edits, list...)
			needs[a.file] = append(needs[a.file], f.Kind)
		}
		for _, f := range files {
			if kinds := needs[f]; len(kinds) > 0 && needsHeaders {
				edits = append(edits, style.in(f).prepare(f, kinds)...)
			}
		}
		slices.Reverse(closing)
		return append(closing, edits...)
	}
}
