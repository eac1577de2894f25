package lsp

import (
	"fmt"
	"strings"

	"fencepost/verdict"
)

// actions returns what can be done about a document: the fences of each model that make the program robust. The changed
// program was checked from scratch before.
func (s *Server) actions(path string) []codeAction {
	texts := s.open()
	s.mu.Lock()
	found := s.found[path]
	s.mu.Unlock()
	out := []codeAction{}
	if found == nil || !found.holds(func(path string) ([]byte, error) { return s.textOf(texts, path) }) {
		return out
	}
	for _, answer := range found.fences {
		for i := range answer.Results {
			r := &answer.Results[i]
			if edit, n := s.repair(texts, r); n > 0 {
				words := fmt.Sprintf("Insert %d fences: robust against %s", n, strings.ToUpper(r.Model))
				if n == 1 {
					words = "Insert 1 fence: robust against " + strings.ToUpper(r.Model)
				}
				out = append(out, codeAction{Title: words + coverage(r), Kind: "quickfix", Edit: edit})
			}
		}
	}
	return out
}

// coverage says how far the answer about fences reaches.
func coverage(r *verdict.Result) string {
	if r.Coverage.Exhaustive {
		return ", all executions"
	}
	return ", within bounds"
}

// repair returns the edits of a set of fences, and how many fences there are.
func (s *Server) repair(texts map[string]string, r *verdict.Result) (workspaceEdit, int) {
	edit := workspaceEdit{Changes: map[string][]textEdit{}}
	if r.Verdict != verdict.Safe || r.Repair == nil || len(r.Repair.Patches) == 0 {
		return edit, 0
	}
	for _, p := range r.Repair.Patches {
		old, err := s.textOf(texts, p.File)
		if err != nil {
			return edit, 0
		}
		edit.Changes[uriOf(p.File)] = changes(string(old), p.Text)
	}
	return edit, len(r.Fences)
}

// changes returns edits that make one text of another: insertions of lines where these are enough.
func changes(before, after string) []textEdit {
	old, changed := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	var out []textEdit
	i := 0
	for k := 0; k < len(changed); k++ {
		if i < len(old) && old[i] == changed[k] {
			i++
			continue
		}
		at := position{Line: i}
		if n := len(out); n > 0 && out[n-1].Range.Start == at {
			out[n-1].NewText += changed[k]
			continue
		}
		out = append(out, textEdit{Range: textRange{at, at}, NewText: changed[k]})
	}
	if i < len(old) { // more than insertions of lines
		last := lines(before)
		return []textEdit{{Range: textRange{position{}, at(last, len(last), 1<<30)}, NewText: after}}
	}
	return out
}
