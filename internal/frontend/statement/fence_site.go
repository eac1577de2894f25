package statement

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
// statement, before and after its labels, and at the end of the body of an if, a loop or
// an alternative. A body without braces gets them. Marks are translated like any other statement, so what a fence at a
// mark does is by construction what the changed text means.
//
// Inside atomic sections there are no marks: stores of the holder are in memory at once. A
// mark is known by its offset, so all instances of a thread and all expansions of a macro
// share it. Bodies without braces may end at one offset: there the mark is known by the beginning of its body, too.

// mark is a fence site.
type mark struct {
	offset int
	body   int    // 1 + the beginning of the body without braces at whose end it stands, else 0
	open   int    // beginning of the one statement that gets braces
	wrap   int    // end of that statement, 0: none
	before string // text that the fence needs in front
	after  string // and after it
	end    bool   // at the end of a body: stands deeper than what follows
	text   string // what it stands in front of
	edges  []ir.EdgeID
}

// marks are the fence sites of a file.
type marks struct {
	file  *source.File
	list  []*mark
	at    map[[2]int]int // index by offset and body
	Semi  bool           // a fence ends with a semicolon; else semicolons stand between statements
	Names map[ir.FenceKind]string
}

// NewMarks returns the fence sites of a file, none yet.
func NewMarks(f *source.File) *marks {
	return &marks{
		file: f, at: map[[2]int]int{}, Semi: true,
		Names: map[ir.FenceKind]string{ir.FullFence: "fence", ir.StoreStoreFence: "sfence"},
	}
}

// Block puts marks into a list of statements. whole says that it is a whole
// thread, at whose end nothing follows.
func (m *marks) Block(b *Stmt, whole bool) {
	var list []*Stmt
	for i, s := range b.List {
		prev := -1
		if i > 0 {
			prev = b.List[i-1].Start
		}
		if s.Start == prev { // pieces of one argument of a macro
			list = append(list, s)
			continue
		}
		if b.Form == Torn {
			list = append(list, s)
			m.bodies(s)
			continue
		}
		wrap := 0
		if b.Form != braced && len(b.List) == 1 {
			wrap = max(s.End, b.End)
		}
		if len(s.Labels) > 0 && (i > 0 && falls(b.List[i-1]) || i == 0 && !whole) {
			first := s.Labels[0].Start
			list = append(list, m.mark(mark{offset: first, open: first, wrap: wrap}, s))
		}
		if s.Kind != StmtEmpty {
			before := m.mark(mark{offset: s.Start, open: s.Start, wrap: wrap}, s)
			before.Labels, s.Labels = s.Labels, nil
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
	b.List = list
}

// bodies puts marks into the bodies of a statement.
func (m *marks) bodies(s *Stmt) {
	switch s.Kind {
	case StmtIf, StmtWhile, StmtDo, StmtLoop, StmtEither:
		for _, body := range s.List {
			m.Block(body, false)
		}
	}
}

// blockEnd is the mark at the end of a body, nil if control does not come there.
func (m *marks) blockEnd(b *Stmt) *Stmt {
	n := len(b.List)
	if n > 0 && (!falls(b.List[n-1]) || b.List[n-1].Kind == StmtEmpty) {
		return nil
	}
	switch {
	case b.Form == Unbraced && n == 1:
		end := max(b.List[0].End, b.End)
		return m.mark(mark{offset: end, body: 1 + b.Start, open: b.Start, wrap: end}, nil)
	case b.Form != braced: // other calls of the macro have no such site there
		return nil
	}
	if m.Semi { // before the closing brace
		return m.mark(mark{offset: b.End - 1, end: true}, nil)
	}
	if n == 0 {
		return nil
	}
	at := mark{offset: b.List[n-1].End, before: "; "}
	if i := m.blank(at.offset); i < len(m.file.Text) && m.file.Text[i] == ';' {
		at.offset, at.before = i+1, " "
	}
	at.after = " "
	return m.mark(at, nil)
}

// blank is the offset after blanks and comments.
func (m *marks) blank(at int) int {
	text := m.file.Text
	for at < len(text) {
		switch {
		case IsSpace(text[at]):
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

// mark makes the statement for a fence site, in front of s or at the end of a body.
func (m *marks) mark(at mark, s *Stmt) *Stmt {
	key := [2]int{at.offset, at.body}
	i, ok := m.at[key]
	if !ok {
		i = len(m.list)
		m.at[key] = i
		switch {
		case s != nil:
			at.text = FirstLine(m.file.Text[at.offset:max(at.offset, s.End)])
		case at.body > 0:
			at.text = "the end of the body"
		default:
			at.text = "the end of the block"
		}
		m.list = append(m.list, &at)
	}
	m.list[i].wrap = max(m.list[i].wrap, at.wrap)
	return &Stmt{Kind: StmtMark, mark: i, Start: at.offset, End: at.offset}
}

// FirstLine is the first line of a text, with blanks folded.
func FirstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.ToValidUTF8(strings.Join(strings.Fields(line), " "), ".")
}

// mark is a step that does nothing, where a fence can be.
func (l *Lowerer) mark(s *Stmt, from, next ir.Loc) {
	l.nop(from, next, s.Start, s.End)
	if n := len(l.Func.F.Edges); n > 0 && l.Thread.Count > 0 && !l.Compiler.Full {
		at := l.Compiler.Marks.list[s.mark]
		at.edges = append(at.edges, l.Func.F.Edges[n-1].ID)
	}
}

// SetSites gives the unit its fence sites.
func (u *Unit) SetSites(m *marks) {
	if m == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(m.list), func(a *mark) bool { return len(a.edges) == 0 })
	// At one offset bodies end, the inner one first, before the next statement begins.
	slices.SortStableFunc(list, func(a, b *mark) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(min(b.body, 1), min(a.body, 1)), cmp.Compare(b.body, a.body))
	})
	for _, a := range list {
		u.Sites = append(u.Sites, ir.FenceSite{Pos: source.At(m.file.Pos(a.offset)), Edges: a.edges, Before: a.text})
	}
	u.Write = func(fences []ir.FenceAt) []source.Edit { return m.write(list, fences) }
}

// wrapped is one statement that gets braces, and the fences inside them.
type wrapped struct {
	open, wrap  int
	first, last string // before and after the statement
}

// write writes fences. Where braces close, nothing comes between, and the inner ones close first.
func (m *marks) write(list []*mark, fences []ir.FenceAt) []source.Edit {
	var edits, closing []source.Edit
	var braces []*wrapped
	for _, f := range fences {
		a, fence := list[f.Site], m.Names[f.Kind]
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
		if w.last != "" && m.Semi {
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
	if m.Semi || a.after == "" {
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
