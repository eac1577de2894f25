package html

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"fencepost/verdict"
)

// sources are the input files of a result, in the order of their names.
type sources struct {
	list  []sourceFile
	index map[string]int
}

// sourceFile is a file as the script reads it.
type sourceFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
	raw  []string
}

func newSources(texts map[string]string) *sources {
	s := &sources{list: []sourceFile{}, index: map[string]int{}}
	var names []string
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		f := sourceFile{Name: name, raw: strings.Split(strings.TrimRight(texts[name], "\n"), "\n")}
		for n, line := range f.raw {
			f.raw[n] = strings.TrimSuffix(line, "\r")
		}
		f.Text = strings.ToValidUTF8(strings.Join(f.raw, "\n"), "\uFFFD")
		s.index[name] = i
		s.list = append(s.list, f)
	}
	return s
}

// spans turns a position into the number of its file, and for each line of it the line's number and a stretch in
// the units of the script's strings. Positions outside the files give nil.
func (s *sources) spans(p *verdict.Pos) []int {
	i, ok := s.index[p.File]
	if !ok || p.Line < 1 || p.Line > len(s.list[i].raw) {
		return nil
	}
	raw := s.list[i].raw
	last, endCol := p.EndLine, p.EndCol
	if last == 0 {
		last, endCol = p.Line, 0
	}
	last = min(last, len(raw), p.Line+20)
	out := []int{i}
	for n := p.Line; n <= last; n++ {
		line := raw[n-1]
		from, to := 0, len(line)
		if n == p.Line {
			from = min(max(0, p.Col-1), len(line))
		}
		if n == p.EndLine && endCol > 0 {
			to = min(endCol-1, len(line))
		}
		if n > p.Line {
			from = len(line) - len(strings.TrimLeft(line, " \t"))
		}
		if from < to {
			out = append(out, n, units(line[:from]), units(line[:to]))
		}
	}
	if len(out) == 1 {
		return nil
	}
	return out
}

// units is the length of a string in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range strings.ToValidUTF8(s, string(utf8.RuneError)) {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
