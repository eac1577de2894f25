package html

import (
	"fmt"

	"fencepost/verdict"
)

// Machine code and its source, in two panes that are stepped together.

// listingData says what the lines of a listing were made of, as the script reads it. Files are numbers of the result's files.
type listingData struct {
	File int `json:"file"`
	// Of has, for each line of the listing whose source is known, four numbers: the line, file and line of the source, and the later
	// line whose access comes before it, or 0.
	Of [][4]int `json:"of"`
	// Removed are lines without instructions, by file.
	Removed map[int][]int `json:"removed"`
}

// newListing returns what a listing was made of, and words about what the compiler moved and removed; nil where there is none.
func newListing(r *verdict.Result, files *sources) (*listingData, string) {
	l := r.Listing
	if l == nil {
		return nil, ""
	}
	at, ok := files.index[l.File]
	if !ok {
		return nil, ""
	}
	d := &listingData{File: at, Of: [][4]int{}, Removed: map[int][]int{}}
	moved, removed, known := 0, 0, false
	for _, line := range l.Lines {
		name, n := verdict.Pos{Source: line.Source}.SourceLine()
		file, ok := files.index[name]
		if !ok {
			continue
		}
		known = true
		d.Of = append(d.Of, [4]int{line.Line, file, n, line.Before})
		if line.Before > 0 {
			moved++
		}
	}
	for _, source := range l.Removed {
		name, n := verdict.Pos{Source: source}.SourceLine()
		if file, ok := files.index[name]; ok {
			d.Removed[file] = append(d.Removed[file], n)
			removed++
		}
	}
	if !known {
		return nil, ""
	}
	return d, movedWords(moved, removed)
}

func movedWords(moved, removed int) string {
	words := ""
	if moved > 0 {
		words = fmt.Sprintf("%s after the access of a later line of the same function. ", counted(moved, "access comes", "accesses come"))
	}
	if removed > 0 {
		words += fmt.Sprintf("%s no instruction: removed, or part of another one.", counted(removed, "line of the source has", "lines of the source have"))
	}
	return words
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// inSource returns the positions in the source of the steps of an execution of machine code, nil if these are not known.
// rows.InSource has made its arguments.
func inSource(shown *verdict.Witness, hidden []bool, files *sources) []*verdict.Pos {
	if hidden == nil {
		return nil
	}
	out := make([]*verdict.Pos, len(shown.Steps))
	for i := range shown.Steps {
		if p := shown.Steps[i].Pos; p != nil && shown.Steps[i].Kind != verdict.StepFlush {
			out[i] = files.whole(p)
		}
	}
	return out
}

// whole returns the position of the whole line of a position, without the blanks before it.
func (s *sources) whole(p *verdict.Pos) *verdict.Pos {
	i, ok := s.index[p.File]
	if !ok || p.Line < 1 || p.Line > len(s.list[i].raw) {
		return nil
	}
	line := s.list[i].raw[p.Line-1]
	col := 0
	for col < len(line) && (line[col] == ' ' || line[col] == '\t') {
		col++
	}
	return &verdict.Pos{File: p.File, Line: p.Line, Col: col + 1, EndLine: p.Line, EndCol: len(line) + 1}
}
