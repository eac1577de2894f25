package read

import (
	"bytes"
	"slices"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/source"
)

// Annotations: comments of the form //@ text. They are about the statement or
// declaration that follows. The parser drops comments, so the text is scanned again.

// Annotation is one such comment.
type Annotation struct {
	Text string
	At   source.Span // of the comment
	Next source.Pos  // where the statement or declaration it belongs to begins; no file: there is none
}

// Annotations scans the files of the program, included ones too.
func (c *Input) Annotations() []Annotation {
	var out []Annotation
	for _, f := range c.Files {
		if strings.HasPrefix(f.Name, HeaderDir+"/") {
			continue
		}
		for _, at := range annotationsIn(f.Text) {
			end := at + len(line(f.Text[at:]))
			out = append(out, Annotation{
				Text: strings.TrimSpace(string(f.Text[at+len("//@") : end])), At: f.Span(at, end), Next: c.nextStart(f.Pos(end)),
			})
		}
	}
	slices.SortFunc(out, func(a, b Annotation) int { return comparePos(a.At.Pos, b.At.Pos) })
	return out
}

func comparePos(a, b source.Pos) int {
	switch {
	case a.File != b.File:
		return strings.Compare(a.File, b.File)
	case a.Before(b):
		return -1
	case b.Before(a):
		return 1
	}
	return 0
}

func line(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i]
	}
	return text
}

// annotationsIn finds the offsets of //@ outside literals and other comments.
func annotationsIn(text []byte) []int {
	var out []int
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += 2 + end + 1
		case bytes.HasPrefix(rest, []byte("//")):
			if bytes.HasPrefix(rest, []byte("//@")) {
				out = append(out, i)
			}
			i += len(line(rest))
		case text[i] == '"' || text[i] == '\'':
			quote := text[i]
			for i++; i < len(text) && text[i] != quote && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return out
}

// collectStarts notes where statements and declarations begin, and which statements stand directly in a
// block: only in front of those can an annotation stand.
func (u *Unit) collectStarts() {
	if IsLibrary(u.Tree.Source.Files[0].Name) {
		return
	}
	for _, tok := range u.Tree.Starts {
		if !u.inSystem(tok) {
			u.starts = append(u.starts, u.Pos(tok))
		}
	}
	v := parse.Visitor{Stmt: func(s *parse.Stmt) bool {
		u.starts = append(u.starts, u.Pos(s.Tok))
		if s.Kind == parse.Block && u.opt.Invariants {
			for _, item := range s.List {
				u.Items[u.Pos(item.Tok)] = true
			}
		}
		return true
	}}
	for _, o := range u.Tree.Objects {
		if o.Body != nil {
			for _, s := range o.Body.List {
				v.Stmts(s)
			}
			if u.opt.Invariants {
				for _, item := range o.Body.List {
					u.Items[u.Pos(item.Tok)] = true
				}
			}
		}
	}
}

// nextStart returns the first start after a position in its file.
func (c *Input) nextStart(at source.Pos) source.Pos {
	if !c.sorted {
		slices.SortFunc(c.starts, comparePos)
		c.sorted = true
	}
	i, _ := slices.BinarySearchFunc(c.starts, at, comparePos)
	if i == len(c.starts) || c.starts[i].File != at.File {
		return source.Pos{}
	}
	return c.starts[i]
}
