package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fencepost/verdict"
)

// lineRange is a whole line, from 1.
func lineRange(text []string, line int) textRange {
	line = min(max(line, 1), max(len(text), 1))
	return textRange{Start: at(text, line, 1), End: at(text, line, 1<<30)}
}

// lenses returns the code lenses of a document: what is known about it as it is now.
func (s *Server) lenses(path string) []codeLens {
	texts := s.open()
	text, open := texts[path]
	if !open {
		return []codeLens{}
	}
	l := lines(text)
	d, err := s.directiveOf(path, text)
	top := max(d.line, 1)
	lens := func(line int, title string) codeLens {
		return codeLens{Range: lineRange(l, line), Command: command{Title: title, Command: commandCheck, Arguments: []any{uriOf(path)}}}
	}
	s.mu.Lock()
	found := s.found[path]
	s.mu.Unlock()
	if found == nil || err != nil || !found.holds(func(path string) ([]byte, error) { return s.textOf(texts, path) }) {
		if err == nil && !isProgram(path, text, d) {
			return []codeLens{}
		}
		title := "fencepost: check"
		if found != nil {
			title += " (the answer is about an older text)"
		}
		return []codeLens{lens(top, title)}
	}
	if found.check.HasErrors() {
		return []codeLens{lens(top, "fencepost: the program has errors")}
	}
	out := []codeLens{}
	for i := range found.check.Results {
		out = append(out, lens(top, s.title(&found.check.Results[i])))
	}
	for _, words := range s.checked(found) {
		out = append(out, lens(top, words))
	}
	for i := range found.robust.Results {
		out = append(out, lens(top, s.title(&found.robust.Results[i])))
	}
	for i := range found.dataRaces.Results {
		out = append(out, s.dataRaceLenses(&found.dataRaces.Results[i], path, top, lens)...)
	}
	for _, answer := range found.fences {
		for i := range answer.Results {
			out = append(out, fenceLenses(&answer.Results[i], path, lens)...)
		}
	}
	return out
}

// title is the first line of an answer, without the name of the file.
func (s *Server) title(r *verdict.Result) string {
	return strings.TrimPrefix(s.with.Headline(r), filepath.Base(r.Program)+": ")
}

// checked says what the answers that found no violation are about, and what was not asked: once if it is the same
// under all models.
func (s *Server) checked(f *findings) []string {
	var out []string
	for i := range f.check.Results {
		r := &f.check.Results[i]
		if r.Coverage.Checked == nil || r.Verdict != verdict.Safe && r.Verdict != verdict.NotObserved {
			continue
		}
		c := *r.Coverage.Checked
		if len(f.dataRaces.Results) > 0 { // which have lenses of their own
			c.NotAsked = slices.DeleteFunc(slices.Clone(c.NotAsked), func(n verdict.NotAsked) bool { return n == verdict.NotAskedRaces })
		}
		if words := s.with.Checked(r.Question, &c); !slices.Contains(out, words) {
			out = append(out, words)
		}
	}
	return out
}

// dataRaceLenses says where the other access of a data race is, or what was searched.
func (s *Server) dataRaceLenses(r *verdict.Result, path string, top int, lens func(int, string) codeLens) []codeLens {
	var out []codeLens
	for _, v := range violations(r) {
		if v.Question != verdict.DataRaces || v.Pos == nil || v.Pos.File != path {
			continue
		}
		words := "data race"
		if file, line := otherAccess(v.Reason); line > 0 {
			switch {
			case file != path && file != filepath.Base(path):
				words += fmt.Sprintf(" with %s:%d", filepath.Base(file), line)
			case line == v.Pos.Line:
				words += " with this line in another thread"
			default:
				words += fmt.Sprintf(" with line %d", line)
			}
		}
		out = append(out, lens(v.Pos.Line, words))
	}
	if len(out) == 0 && r.Verdict != verdict.Unsafe {
		out = append(out, lens(top, "data races: "+s.title(r)))
	}
	return out
}

// otherAccess finds the position in the words of a data race: "the store of w (race.c:5:40) and the load ...".
func otherAccess(reason string) (file string, line int) {
	for _, part := range strings.Split(reason, "(")[1:] {
		inside, _, _ := strings.Cut(part, ")")
		words := strings.Split(inside, ":")
		if len(words) < 3 {
			continue
		}
		if n, err := strconv.Atoi(words[len(words)-2]); err == nil {
			return strings.Join(words[:len(words)-2], ":"), n
		}
	}
	return "", 0
}

// fenceLenses says where fences are missing.
func fenceLenses(r *verdict.Result, path string, lens func(int, string) codeLens) []codeLens {
	if r.Verdict != verdict.Safe {
		return nil
	}
	var out []codeLens
	for i := range r.Fences {
		f := &r.Fences[i]
		if f.Pos == nil || f.Pos.File != path {
			continue
		}
		words := fmt.Sprintf("needs a %s fence before this line to be robust against %s", f.Kind, strings.ToUpper(r.Model))
		if f.Without != nil && (f.Without.Attack != nil || f.Without.Violation != nil) && f.Without.Witness() != nil {
			words += fmt.Sprintf(": %d steps show why", len(f.Without.Witness().Steps))
		}
		out = append(out, lens(f.Pos.Line, words))
	}
	return out
}
