package html

import (
	"sort"
	"strconv"
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

type sourceFile struct {
	ID    string
	Name  string
	Lines []sourceLine
	raw   []string
}

type sourceLine struct {
	Number int
	Pieces []piece
}

// piece is a stretch of a line, comments apart.
type piece struct {
	Text    string
	Comment bool
}

func newSources(r *verdict.Result, id string) *sources {
	s := &sources{index: map[string]int{}}
	var names []string
	for name := range r.Sources {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		f := sourceFile{ID: id + "f" + strconv.Itoa(i+1), Name: name}
		f.raw = strings.Split(strings.TrimRight(r.Sources[name], "\n"), "\n")
		inside := ""
		for n, line := range f.raw {
			line = strings.TrimSuffix(line, "\r")
			f.raw[n] = line
			var pieces []piece
			pieces, inside = split(line, inside)
			f.Lines = append(f.Lines, sourceLine{n + 1, pieces})
		}
		s.index[name] = i
		s.list = append(s.list, f)
	}
	return s
}

// closers of the comments that may span lines: C's and the papers', and litmus's.
var closers = map[string]string{"/*": "*/", "(*": "*)"}

// split takes a line apart into comments and the rest. inside is the end of
// the comment that the line begins in, or "". A string literal that looks like a
// comment is shown as one; it is only colour.
func split(line, inside string) ([]piece, string) {
	var out []piece
	add := func(s string, comment bool) {
		if s != "" {
			out = append(out, piece{strings.ToValidUTF8(s, "\uFFFD"), comment})
		}
	}
	for line != "" {
		if inside != "" {
			i := strings.Index(line, inside)
			if i < 0 {
				add(line, true)
				return out, inside
			}
			add(line[:i+len(inside)], true)
			line, inside = line[i+len(inside):], ""
			continue
		}
		at, open := -1, ""
		for _, o := range []string{"//", "/*", "(*"} {
			if i := strings.Index(line, o); i >= 0 && (at < 0 || i < at) {
				at, open = i, o
			}
		}
		switch {
		case at < 0:
			add(line, false)
			return out, ""
		case open == "//":
			add(line[:at], false)
			add(line[at:], true)
			return out, ""
		default:
			add(line[:at], false)
			add(line[at:at+2], true)
			line, inside = line[at+2:], closers[open]
		}
	}
	return out, inside
}

// spans turns a position into stretches of lines in the units of the script's
// strings. Positions outside the file give none.
func (s *sources) spans(p *verdict.Pos) (int, [][3]int) {
	i, ok := s.index[p.File]
	if !ok || p.Line < 1 || p.Line > len(s.list[i].raw) {
		return -1, nil
	}
	raw := s.list[i].raw
	last, endCol := p.EndLine, p.EndCol
	if last == 0 {
		last, endCol = p.Line, 0
	}
	last = min(last, len(raw), p.Line+20)
	var out [][3]int
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
			out = append(out, [3]int{n, units(line[:from]), units(line[:to])})
		}
	}
	return i, out
}

// units is the length of a string in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range strings.ToValidUTF8(s, string(utf8.RuneError)) {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
