package source

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Pos is a position in a file. Line and Col start at 1; Line 0 means "no position".
type Pos struct {
	File string
	Line int
	Col  int
}

// IsValid reports whether the position names a line.
func (p Pos) IsValid() bool { return p.Line > 0 }

func (p Pos) String() string {
	if !p.IsValid() {
		if p.File == "" {
			return "-"
		}
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Before orders positions by file, line and column.
func (p Pos) Before(q Pos) bool {
	if p.File != q.File {
		return p.File < q.File
	}
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Col < q.Col
}

// Span is a stretch of one file. The end is exclusive; a zero end means the
// span is the single position Pos.
type Span struct {
	Pos
	EndLine int
	EndCol  int
}

// At is the empty span at p.
func At(p Pos) Span { return Span{Pos: p} }

// File is one input with an index of its lines.
type File struct {
	Name  string
	Text  []byte
	lines []int // byte offset at which each line starts
}

// NewFile indexes text. The text is not copied, and not to be changed; it is
// clipped, so that appending to it does not write past its end into something else.
func NewFile(name string, text []byte) *File {
	f := &File{Name: name, Text: slices.Clip(text), lines: make([]int, 1, bytes.Count(text, []byte("\n"))+1)}
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return f
		}
		at += n + 1
		f.lines = append(f.lines, at)
	}
}

// Pos is the position of a byte offset; offsets outside the text are clamped.
func (f *File) Pos(offset int) Pos {
	offset = max(0, min(offset, len(f.Text)))
	line := sort.SearchInts(f.lines, offset+1)
	return Pos{File: f.Name, Line: line, Col: offset - f.lines[line-1] + 1}
}

// Span is the span of the bytes from start up to and not including end.
func (f *File) Span(start, end int) Span {
	e := f.Pos(end)
	return Span{Pos: f.Pos(start), EndLine: e.Line, EndCol: e.Col}
}

// Line is the text of line n (from 1) without its end, or "" if there is none.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	start, end := f.lines[n-1], len(f.Text)
	if n < len(f.lines) {
		end = f.lines[n] - 1
	}
	return strings.TrimSuffix(string(f.Text[start:end]), "\r")
}

// Slice is the text a span covers, or "" where the span is not inside the file.
func (f *File) Slice(s Span) string {
	start, ok1 := f.offset(s.Line, s.Col)
	end, ok2 := f.offset(s.EndLine, s.EndCol)
	if !ok1 || !ok2 || end < start {
		return ""
	}
	return string(f.Text[start:end])
}

func (f *File) offset(line, col int) (int, bool) {
	if line < 1 || line > len(f.lines) || col < 1 {
		return 0, false
	}
	off := f.lines[line-1] + col - 1
	return off, off <= len(f.Text)
}
