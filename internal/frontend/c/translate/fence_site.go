package translate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Where fences can be written. The idea: wherever the text has room for a
// statement, the translation takes a step that does nothing (a mark): before every
// statement and declaration of a block, between a label and its statement, before and
// after the one statement of a body without braces, which then gets them, and at the end of every
// block. Not before case and default, where compilers want to see that a case ends. A fence at a mark is by construction what the changed text means.
//
// The conditions of loops, the parts of a for and the operands of an expression have
// no such fence site inside.
//
// A macro's expansion is one piece of text: all its tokens have the fence site of
// the call, so what begins there first, which is the outermost statement, gets the
// mark, and the others may have one in the definition of the macro. The text before a mark must end a statement or
// begin a block; and the end of a statement that needs braces must be written out.
//
// Files that the program includes have fence sites as well, except those of the system. A file that
// several others include has each site once: a fence there is a fence in all of them.
//
// What is left, statements of system headers and of expansions for which the definition of the macro has
// no fence site (fence_macro.go), gets marks that cannot be written (read-only). They tell whether a fence in a text that
// is not ours to change would help.

// mark is a fence site.
type mark struct {
	file   *source.File
	offset int
	end    bool   // at the end of a block: stands deeper than what follows
	bare   bool   // the statement is a body without braces
	empty  bool   // and the statement is ';'
	after  bool   // bare: after the statement
	open   int    // bare: beginning of the statement
	last   int    // bare: end of the statement
	prev   int    // end of the text before, bare: before the statement
	text   string // what it stands in front of
	edges  []ir.EdgeID
	// readOnly: the text is not to be changed there.
	readOnly bool
	// macro: in the definition of a macro, which is expanded so many times.
	macro      bool
	expansions int
}

// markKey tells marks apart. Bodies without braces can end at one fence site, so the mark at their
// end is known by where they begin, too; read-only ones are counted per fence site.
type markKey struct {
	pos   source.Pos
	open  int // 1 + beginning of the body, else 0
	count int // from 1, of read-only marks
}

// marks are the fence sites of a program.
type marks struct {
	kernel   bool // the program has the words of the Linux kernel, some of which mean something else in C11
	files    map[string]*source.File
	order    map[string]int          // of the files: those given first, then those included, by name
	included map[string]*source.File // files that are not to be changed
	ends     map[string][]int32      // by file and offset: end of the text before, without blanks and comments
	at       map[markKey]*mark
	bare     map[*parse.Stmt]bool
	bodies   map[*parse.Stmt]bool // bare, and begins where no other statement does
	list     []*mark
	// For sites in definitions of macros.
	defined    map[tokenAt]definedAt // by the token before
	expansions map[definedAt]int     // how often the macro is expanded
	items      map[*parse.Stmt]item  // statements and declarations of blocks
	ending     map[*parse.Stmt]*parse.Stmt
	// Accesses with an order (order_site.go).
	orders    map[orderKey]*orderMark
	orderList []*orderMark
	discarded map[*parse.Expr]bool // expressions whose value is not used
	values    map[*parse.Stmt]bool // statements whose value is that of a statement expression
}

// newMarks prepares the marks of the given files and of the files that they include. system reports
// whether a file belongs to the system.
func newMarks(files, included []*source.File, system func(name string) bool) *marks {
	m := &marks{
		files: map[string]*source.File{}, order: map[string]int{}, included: map[string]*source.File{}, ends: map[string][]int32{},
		at: map[markKey]*mark{}, bare: map[*parse.Stmt]bool{}, bodies: map[*parse.Stmt]bool{},
		defined: map[tokenAt]definedAt{}, expansions: map[definedAt]int{}, orders: map[orderKey]*orderMark{}, items: map[*parse.Stmt]item{}, ending: map[*parse.Stmt]*parse.Stmt{},
		discarded: map[*parse.Expr]bool{}, values: map[*parse.Stmt]bool{},
	}
	change := func(f *source.File) {
		m.files[f.Name], m.order[f.Name] = f, len(m.order)
		m.ends[f.Name] = textEnds(f.Text)
	}
	for _, f := range files {
		change(f)
	}
	for _, f := range included {
		switch {
		case read.IsLibrary(f.Name):
		case system(f.Name):
			m.included[f.Name], m.order[f.Name] = f, len(m.order)
		default:
			change(f)
		}
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
func (m *marks) findBare(in *read.Unit, body *parse.Stmt) {
	if m == nil {
		return
	}
	var note func(s *parse.Stmt)
	note = func(s *parse.Stmt) {
		if s == nil || s.Kind == parse.Block {
			return
		}
		m.bare[s] = true
		if s.Kind == parse.LabelStmt || s.Kind == parse.Case || s.Kind == parse.Default {
			note(s.Then)
		}
	}
	begun := map[source.Pos]bool{}
	visit := parse.Visitor{Stmt: func(s *parse.Stmt) bool {
		if s != body && s.Kind != parse.DeclStmt && s.Kind != parse.StaticTest {
			at := in.Start(s)
			m.bodies[s] = !begun[at]
			begun[at] = true
		}
		switch s.Kind {
		case parse.Block:
			m.noteItems(s)
		case parse.If, parse.Switch, parse.While, parse.Do, parse.For:
			note(s.Then)
			note(s.Else)
		}
		m.noteDiscarded(s)
		return true
	}, Expr: func(e *parse.Expr) bool {
		m.noteValue(e)
		return true
	}}
	visit.Stmts(body)
}

// markBefore marks the fence site before a statement or declaration, if there is one.
func (f *siteMarks) markBefore(s *parse.Stmt) {
	m := f.marks
	if m == nil || f.Code.At == Nowhere || s.Kind == parse.Case || s.Kind == parse.Default {
		return
	}
	at, ok := m.site(f.In.Start(s))
	bare := m.bare[s]
	switch {
	case !ok, !bare && !at.afterStatement(): // the head of something, or a macro
		f.markReadOnly(f.In.Start(s), s)
		return
	case bare && !f.wrap(at, s):
		f.markReadOnly(f.In.Start(s), s)
		return
	}
	at.text = firstLine(at.file.Slice(f.In.Span(s)))
	if !f.mark(at) {
		f.markReadOnly(f.In.Start(s), s)
	}
}

// wrap prepares a mark for the braces around a statement. It returns false if the end of
// the statement comes from a macro.
func (f *siteMarks) wrap(at *mark, s *parse.Stmt) bool {
	end, written := f.tokenEnd(at.file, s.End)
	if !written {
		return false
	}
	at.bare, at.open, at.last = true, at.offset, end
	at.empty = s.Kind == parse.Empty
	return true
}

// markBodyEnd marks the fence site after the one statement of a body without braces.
func (f *siteMarks) markBodyEnd(s *parse.Stmt) {
	m := f.marks
	if m == nil || f.Code.At == Nowhere || !m.bare[s] {
		return
	}
	p := f.In.Start(s)
	at, ok := m.site(p)
	if !ok || !m.bodies[s] || !f.wrap(at, s) {
		f.markReadOnly(p, nil)
		return
	}
	if at.empty { // its beginning is its end
		return
	}
	at.offset, at.after, at.text = at.last, true, "the end of the body"
	f.mark(at)
}

// markEnd marks the fence site at the end of a block.
func (f *siteMarks) markEnd(s *parse.Stmt) {
	if f.marks == nil || f.Code.At == Nowhere {
		return
	}
	p := f.In.Pos(s.End)
	at, ok := f.marks.site(p)
	if !ok || at.file.Text[at.offset] != '}' || !at.afterStatement() {
		if !f.markDefinition(s, true) {
			f.markReadOnly(p, nil)
		}
		return
	}
	at.end, at.text = true, "the end of the block"
	f.mark(at)
}

// markReadOnly marks a fence site in a system header, or inside the expansion of a macro:
// before n, or at the end of a block or body if n is nil.
func (f *siteMarks) markReadOnly(p source.Pos, n *parse.Stmt) {
	m := f.marks
	if n != nil && f.markDefinition(n, false) {
		return
	}
	file := m.included[p.File]
	if file == nil {
		file = m.files[p.File]
	}
	if file == nil {
		return
	}
	offset, ok := file.Offset(p)
	if !ok {
		return
	}
	at := &mark{file: file, offset: offset, readOnly: true, text: "the end of the block"}
	if n != nil {
		at.text = firstLine(f.In.Source(n))
	}
	f.mark(at)
}

// firstLine is the first line of a text, with blanks folded.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(strings.Join(strings.Fields(line), " "), ".")
}

// mark takes a step that does nothing. It returns false if another statement of the same expansion has the fence site, or if
// the expansion is the whole function, and the fence would stand outside.
func (f *siteMarks) mark(at *mark) bool {
	pos := at.file.Pos(at.offset)
	key := markKey{pos: pos}
	if pos == f.opens && !at.readOnly && !at.macro {
		return false
	}
	switch {
	case at.readOnly:
		f.readOnly[pos]++
		key.count = f.readOnly[pos]
	case at.after:
		key.open = 1 + at.open
	}
	if old := f.marks.at[key]; old != nil {
		if old.end != at.end || f.marked[key] && !at.macro {
			return false
		}
		at = old
	} else {
		f.marks.at[key] = at
		f.marks.list = append(f.marks.list, at)
	}
	f.marked[key] = true
	old := f.Code.Pos
	f.Code.Pos = source.At(pos)
	f.Code.Emit(ir.NewOp(ir.Nop))
	f.Code.GoesOn()
	at.edges = append(at.edges, f.Code.Fb.F.Edges[len(f.Code.Fb.F.Edges)-1].ID)
	f.Code.Pos = old
	return true
}

// site is a fence site in a file that may be changed, whose text before ends a statement or
// begins a block.
func (m *marks) site(p source.Pos) (*mark, bool) {
	f := m.files[p.File]
	if f == nil {
		return nil, false
	}
	offset, ok := f.Offset(p)
	if !ok || offset >= len(f.Text) {
		return nil, false
	}
	prev := int(m.ends[p.File][offset])
	before := f.Text[:prev]
	if prev == 0 || !bytes.ContainsRune([]byte(";{}:)"), rune(before[prev-1])) && !endsWithWord(before, "else") && !endsWithWord(before, "do") {
		return nil, false
	}
	return &mark{file: f, offset: offset, prev: prev}, true
}

func endsWithWord(text []byte, word string) bool {
	return bytes.HasSuffix(text, []byte(word)) && (len(text) == len(word) || !read.IsWord(text[len(text)-len(word)-1]))
}

// afterStatement reports whether the text before is a statement, a label, or
// where a block begins.
func (a *mark) afterStatement() bool {
	return bytes.ContainsRune([]byte(";{}:"), rune(a.file.Text[a.prev-1]))
}

// tokenEnd is where a token ends; written is false if it comes from a macro.
func (f *siteMarks) tokenEnd(file *source.File, tok int32) (end int, written bool) {
	p, text := f.In.Pos(tok), f.In.Text(tok)
	offset, ok := file.Offset(source.Pos{Line: p.Line, Col: p.Col})
	if p.File != file.Name || !ok || !bytes.HasPrefix(file.Text[offset:], text) {
		return 0, false
	}
	return offset + len(text), true
}

// setSites hands out the marks, in the order of the files and their text.
// A program needs headers for the fences, a test has them.
func (u *Unit) setSites(m *marks, needsHeaders bool) {
	if m == nil {
		return
	}
	// At one offset bodies end, the inner one first, before the next statement begins.
	ends := func(a *mark) int {
		if a.after {
			return 1 + a.open
		}
		return 0
	}
	write := func(a *mark) int {
		if a.readOnly {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(m.list, func(a, b *mark) int {
		return cmp.Or(
			cmp.Compare(write(a), write(b)), cmp.Compare(m.order[a.file.Name], m.order[b.file.Name]),
			cmp.Compare(a.offset, b.offset), cmp.Compare(ends(b), ends(a)),
		)
	})
	for _, a := range m.list {
		u.Sites = append(u.Sites, ir.FenceSite{Pos: source.At(a.file.Pos(a.offset)), Edges: a.edges, Before: a.text, ReadOnly: a.readOnly, Expansions: a.expansions})
	}
	u.Sites = append(u.Sites, m.orderSites()...)
	u.Write = func(choices []ir.FenceAt, style FenceStyle) []source.Edit {
		if m.kernel && style == C11 {
			style = SmpMb
		}
		var fences []ir.FenceAt
		orders := map[*orderMark]ir.Order{}
		for _, c := range choices {
			if i := int(c.Site) - len(m.list); i >= 0 {
				orders[m.orderList[i]] = c.Order
			} else {
				fences = append(fences, c)
			}
		}
		closing, opening := m.writeOrders(orders)
		edits := slices.Concat(closing, m.write(fences, style), opening) // a fence stands before an access that begins there
		if !needsHeaders {
			return edits
		}
		var changed []*source.File
		needs := map[*source.File][]ir.FenceKind{}
		for _, f := range fences {
			file := m.list[f.Site].file
			if needs[file] == nil {
				changed = append(changed, file)
			}
			needs[file] = append(needs[file], f.Kind)
		}
		for _, a := range m.orderList {
			if _, ok := orders[a]; ok && needs[a.file] == nil && a.form != orderWord {
				changed, needs[a.file] = append(changed, a.file), []ir.FenceKind{ir.FullFence}
			}
		}
		slices.SortFunc(changed, func(a, b *source.File) int { return m.order[a.Name] - m.order[b.Name] })
		for _, f := range changed {
			edits = append(edits, style.in(f).prepare(f, needs[f])...)
		}
		return edits
	}
}
