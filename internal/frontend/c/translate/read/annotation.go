package read

import (
	"bytes"
	"slices"
	"strings"

	"modernc.org/cc/v4"

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

// CollectStarts notes where statements and declarations begin.
func (c *Input) CollectStarts(n cc.Node) {
	switch n.(type) {
	case *cc.Statement, *cc.Declaration, *cc.FunctionDefinition:
		p := n.Position()
		c.starts = append(c.starts, source.Pos{File: p.Filename, Line: p.Line, Col: p.Column})
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
