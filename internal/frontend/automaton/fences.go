package automaton

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Where fences can be written. The idea: marks are statements of the syntax tree
// that do nothing, put wherever the text has room for a fence: before every
// statement, before and behind its labels, and at the end of the body of an if, a loop or
// an alternative. A body without braces gets them. Marks are translated like any other statement, so what a fence at a
// mark does is by construction what the changed text means.
//
// Inside atomic sections there are no marks: stores of the holder are in memory at once. A
// mark is known by its offset, so all instances of a thread and all expansions of a macro
// share it. Bodies without braces may end at one offset: there the mark is known by the beginning of its body, too.

// mark is a place.
type mark struct {
	offset int
	body   int    // 1 + the beginning of the body without braces at whose end it stands, else 0
	open   int    // beginning of the one statement that gets braces
	wrap   int    // end of that statement, 0: none
	before string // text that the fence needs in front
	after  string // and behind
	end    bool   // at the end of a body: stands deeper than what follows
	text   string // what it stands in front of
	edges  []ir.EdgeID
}

// marks are the places of a file.
type marks struct {
	file  *source.File
	list  []*mark
	at    map[[2]int]int // index by offset and body
	semi  bool           // a fence ends with a semicolon; else semicolons stand between statements
	names map[ir.FenceKind]string
}

func newMarks(f *source.File) *marks {
	return &marks{
		file: f, at: map[[2]int]int{}, semi: true,
		names: map[ir.FenceKind]string{ir.FullFence: "fence", ir.StoreStoreFence: "sfence"},
	}
}

// markTree puts marks into the threads of a file, if asked to.
func (c *compiler) markTree() {
	if !c.opt.Places {
		return
	}
	c.marks = newMarks(c.file)
	for _, it := range c.tree.items {
		if it.thread != nil && it.thread.body != nil {
			c.marks.block(it.thread.body, true)
		}
	}
}

// markProcesses does the same for Memorax's language.
func (c *memoraxCompiler) markProcesses() {
	if !c.opt.Places {
		return
	}
	c.marks = newMarks(c.file)
	c.marks.semi, c.marks.names[ir.StoreStoreFence] = false, "ssfence"
	for _, pr := range c.p.processes {
		c.marks.block(pr.body, true)
	}
}

// block puts marks into a list of statements. whole says that it is a whole
// thread, at whose end nothing follows.
func (m *marks) block(b *stmt, whole bool) {
	var list []*stmt
	for i, s := range b.list {
		prev := -1
		if i > 0 {
			prev = b.list[i-1].start
		}
		if s.start == prev { // pieces of one argument of a macro
			list = append(list, s)
			continue
		}
		if b.form == torn {
			list = append(list, s)
			m.bodies(s)
			continue
		}
		wrap := 0
		if b.form != braced && len(b.list) == 1 {
			wrap = max(s.end, b.end)
		}
		if len(s.labels) > 0 && (i > 0 && falls(b.list[i-1]) || i == 0 && !whole) {
			first := s.labels[0].start
			list = append(list, m.mark(mark{offset: first, open: first, wrap: wrap}, s))
		}
		if s.kind != sEmpty {
			before := m.mark(mark{offset: s.start, open: s.start, wrap: wrap}, s)
			before.labels, s.labels = s.labels, nil
			list = append(list, before)
		}
		list = append(list, s)
		m.bodies(s)
	}
	if !whole {
		if end := m.blockEnd(b); end != nil {
			list = append(list, end)
		}
	}
	b.list = list
}

// bodies puts marks into the bodies of a statement.
func (m *marks) bodies(s *stmt) {
	switch s.kind {
	case sIf, sWhile, sDo, sLoop, sEither:
		for _, body := range s.list {
			m.block(body, false)
		}
	}
}

// blockEnd is the mark at the end of a body, nil if control does not come there.
func (m *marks) blockEnd(b *stmt) *stmt {
	n := len(b.list)
	if n > 0 && (!falls(b.list[n-1]) || b.list[n-1].kind == sEmpty) {
		return nil
	}
	switch {
	case b.form == unbraced && n == 1:
		end := max(b.list[0].end, b.end)
		return m.mark(mark{offset: end, body: 1 + b.start, open: b.start, wrap: end}, nil)
	case b.form != braced: // other calls of the macro have no such place there
		return nil
	}
	if m.semi { // before the closing brace
		return m.mark(mark{offset: b.end - 1, end: true}, nil)
	}
	if n == 0 {
		return nil
	}
	at := mark{offset: b.list[n-1].end, before: "; "}
	if i := m.blank(at.offset); i < len(m.file.Text) && m.file.Text[i] == ';' {
		at.offset, at.before = i+1, " "
	}
	at.after = " "
	return m.mark(at, nil)
}

// blank is the offset behind blanks and comments.
func (m *marks) blank(at int) int {
	text := m.file.Text
	for at < len(text) {
		switch {
		case isSpace(text[at]):
			at++
		case bytes.HasPrefix(text[at:], []byte("/*")):
			end := bytes.Index(text[at+2:], []byte("*/"))
			if end < 0 {
				return len(text)
			}
			at += end + 4
		default:
			return at
		}
	}
	return at
}

// mark makes the statement for a place, in front of s or at the end of a body.
func (m *marks) mark(at mark, s *stmt) *stmt {
	key := [2]int{at.offset, at.body}
	i, ok := m.at[key]
	if !ok {
		i = len(m.list)
		m.at[key] = i
		switch {
		case s != nil:
			at.text = firstLine(m.file.Text[at.offset:max(at.offset, s.end)])
		case at.body > 0:
			at.text = "the end of the body"
		default:
			at.text = "the end of the block"
		}
		m.list = append(m.list, &at)
	}
	m.list[i].wrap = max(m.list[i].wrap, at.wrap)
	return &stmt{kind: sMark, mark: i, start: at.offset, end: at.offset}
}

// firstLine is the first line of a text, with blanks folded.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.ToValidUTF8(strings.Join(strings.Fields(line), " "), ".")
}

// mark is a step that does nothing, where a fence can be.
func (l *lowerer) mark(s *stmt, from, next ir.Loc) {
	l.nop(from, next, s.start, s.end)
	if n := len(l.fb.F.Edges); n > 0 && l.t.count > 0 && !l.c.full {
		at := l.c.marks.list[s.mark]
		at.edges = append(at.edges, l.fb.F.Edges[n-1].ID)
	}
}

// setPlaces hands out the marks.
func (u *Unit) setPlaces(m *marks) {
	if m == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(m.list), func(a *mark) bool { return len(a.edges) == 0 })
	// At one offset bodies end, the inner one first, before the next statement begins.
	slices.SortStableFunc(list, func(a, b *mark) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(min(b.body, 1), min(a.body, 1)), cmp.Compare(b.body, a.body))
	})
	for _, a := range list {
		u.Places = append(u.Places, ir.Place{Pos: source.At(m.file.Pos(a.offset)), Edges: a.edges, Before: a.text})
	}
	u.Write = func(fences []ir.FenceAt) []source.Edit { return m.write(list, fences) }
}

// wrapped is one statement that gets braces, and the fences inside them.
type wrapped struct {
	open, wrap  int
	first, last string // before and behind the statement
}

// write writes fences. Where braces close, nothing comes between, and the inner ones close first.
func (m *marks) write(list []*mark, fences []ir.FenceAt) []source.Edit {
	var edits, closing []source.Edit
	var braces []*wrapped
	for _, f := range fences {
		a, fence := list[f.Place], m.names[f.Kind]
		if a.wrap == 0 {
			edits = append(edits, m.edit(a, fence))
			continue
		}
		at := slices.IndexFunc(braces, func(w *wrapped) bool { return w.open == a.open })
		if at < 0 {
			at = len(braces)
			braces = append(braces, &wrapped{open: a.open, wrap: a.wrap})
		}
		if w := braces[at]; a.body > 0 {
			w.last = fence
		} else {
			w.first = fence
		}
	}
	slices.SortStableFunc(braces, func(a, b *wrapped) int { return b.open - a.open })
	for _, w := range braces {
		open, end := "{ ", " }"
		if w.first != "" {
			open += w.first + "; "
		}
		if w.last != "" && m.semi {
			end = " " + w.last + "; }"
		} else if w.last != "" {
			end = "; " + w.last + " }"
		}
		edits = append(edits, m.insert(w.open, open))
		closing = append(closing, m.insert(w.wrap, end))
	}
	return append(closing, edits...)
}

func (m *marks) insert(at int, text string) source.Edit {
	return source.Edit{File: m.file.Name, Start: at, End: at, Text: text}
}

// edit writes a fence: on a line of its own where the statement begins one.
func (m *marks) edit(a *mark, fence string) source.Edit {
	indent, begins := m.file.Indent(a.offset)
	stop := ""
	if m.semi || a.after == "" {
		stop = ";"
	}
	switch {
	case a.end && begins:
		return m.insert(a.offset, step(indent)+fence+";\n"+indent)
	case begins && a.before == "":
		return m.insert(a.offset, fence+stop+"\n"+indent)
	case a.after != "":
		return m.insert(a.offset, a.before+fence+a.after)
	}
	return m.insert(a.offset, fence+stop+" ")
}

// step is one level of indentation, as the text around has it.
func step(indent string) string {
	if strings.HasSuffix(indent, "\t") {
		return "\t"
	}
	return "  "
}
