package source

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Edit replaces a stretch of a file by text.
type Edit struct {
	File       string
	Start, End int // offsets; equal: nothing is replaced
	Text       string
}

// Apply returns the text of a file with the edits made. Edits may come in any order; edits
// at the same position keep theirs. New lines end as in the rest of the file. Overlapping
// edits are a broken invariant.
func Apply(f *File, edits []Edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int { return a.Start - b.Start })
	newline := "\n"
	if bytes.Contains(f.Text, []byte("\r\n")) {
		newline = "\r\n"
	}
	var out []byte
	at := 0
	for _, e := range sorted {
		if e.File != f.Name {
			continue
		}
		if e.Start < at || e.End < e.Start || e.End > len(f.Text) {
			panic(fmt.Sprintf("BUG: edits of %s overlap at offset %d", f.Name, e.Start))
		}
		out = append(out, f.Text[at:e.Start]...)
		out = append(out, strings.ReplaceAll(e.Text, "\n", newline)...)
		at = e.End
	}
	return append(out, f.Text[at:]...)
}

// Offset is the byte a position names; ok is false if it is not inside the file.
func (f *File) Offset(p Pos) (int, bool) { return f.offset(p.Line, p.Col) }

// Indent is the white space a line begins with, if nothing else stands before the
// offset in its line.
func (f *File) Indent(offset int) (string, bool) {
	start := offset
	for start > 0 && (f.Text[start-1] == ' ' || f.Text[start-1] == '\t') {
		start--
	}
	return string(f.Text[start:offset]), start == 0 || f.Text[start-1] == '\n'
}
