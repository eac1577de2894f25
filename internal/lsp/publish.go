package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/verdict"
)

// source is the name that editors show beside a message.
const source = "fencepost"

// mostSteps is how many steps of an execution a message lists.
const mostSteps = 100

// publish replaces the messages that belong to a document. A file may have messages of several documents.
func (s *Server) publish(ctx context.Context, owner string, list map[string][]diagnostic) {
	s.mu.Lock()
	files := map[string]bool{owner: true}
	for f := range s.owners[owner] {
		files[f] = true
	}
	for f := range list {
		files[f] = true
	}
	s.owners[owner] = list
	var all []publishParams
	for _, f := range slices.Sorted(maps.Keys(files)) {
		p := publishParams{URI: uriOf(f), Diagnostics: []diagnostic{}}
		for _, o := range slices.Sorted(maps.Keys(s.owners)) {
			p.Diagnostics = append(p.Diagnostics, s.owners[o][f]...)
		}
		all = append(all, p)
	}
	s.mu.Unlock()
	for _, p := range all {
		_ = s.conn.Notify(ctx, "textDocument/publishDiagnostics", p)
	}
}

// messages collects messages by file.
type messages struct {
	s     *Server
	texts map[string][]string // lines, by path
	open  map[string]string
	owner string
	out   map[string][]diagnostic
}

// file returns the lines of a file, false if it cannot be shown: a header that is part of fencepost.
func (m *messages) file(path string) ([]string, bool) {
	if l, ok := m.texts[path]; ok {
		return l, l != nil
	}
	var l []string
	if filepath.IsAbs(path) {
		if text, err := m.s.textOf(m.open, path); err == nil {
			l = lines(string(text))
		}
	}
	m.texts[path] = l
	return l, l != nil
}

// add adds a message at a position. One without a position is at the beginning of the document.
func (m *messages) add(pos *verdict.Pos, d diagnostic) {
	path := m.owner
	if pos != nil {
		if text, ok := m.file(pos.File); ok {
			path = pos.File
			d.Range = rangeOf(text, pos)
		}
	}
	d.Source = source
	m.out[path] = append(m.out[path], d)
}

// diagnostics returns the messages about a program, by file.
func (s *Server) diagnostics(f *findings, owner string) map[string][]diagnostic {
	m := &messages{s: s, texts: map[string][]string{}, open: s.open(), owner: owner, out: map[string][]diagnostic{}}
	for _, d := range f.check.Diagnostics {
		level := map[verdict.Severity]severity{verdict.SeverityError: severityError, verdict.SeverityWarning: severityWarning}[d.Severity]
		if level == 0 {
			level = severityInformation
		}
		m.add(&d.Pos, diagnostic{Severity: level, Code: d.Code, Message: strings.Join(slices.Concat([]string{d.Message}, d.Notes, d.Help), "\n")})
	}
	for i := range f.check.Results {
		m.result(&f.check.Results[i])
	}
	for i := range f.robust.Results {
		m.attacks(&f.robust.Results[i])
	}
	for i := range f.dataRaces.Results {
		m.dataRaces(&f.dataRaces.Results[i])
	}
	return m.out
}

// result adds the messages of a check.
func (m *messages) result(r *verdict.Result) {
	head := m.s.with.Headline(r)
	for _, w := range r.Warnings {
		m.add(w.Pos, diagnostic{Severity: severityWarning, Code: w.Code, Message: w.Message + " (under " + strings.ToUpper(r.Model) + ")"})
	}
	switch r.Verdict {
	case verdict.Unsafe:
		m.add(r.Pos, diagnostic{Severity: severityError, Code: "unsafe", Message: join(head, r.Cause), Related: m.steps(r.Witness)})
		for _, o := range r.Others {
			m.add(o.Pos, diagnostic{Severity: severityError, Code: "unsafe", Message: join("unsafe under "+strings.ToUpper(r.Model)+": "+o.Reason, o.Cause), Related: m.steps(o.Witness)})
		}
	case verdict.Unknown:
		m.add(r.Pos, diagnostic{Severity: severityWarning, Code: "unknown", Message: strings.Join(append([]string{head}, r.Next...), "\n")})
	}
}

func join(head string, cause *verdict.Cause) string {
	if cause == nil {
		return head
	}
	return strings.Join(append([]string{head}, cause.Words...), "\n")
}

// attacks adds a message for every way in which a program is not robust.
func (m *messages) attacks(r *verdict.Result) {
	for i := range r.Attacks {
		a := &r.Attacks[i]
		m.add(a.Store, diagnostic{
			Severity: severityInformation, Code: "not-robust", Message: "not robust against " + strings.ToUpper(r.Model) + ": " + a.String(), Related: m.steps(a.Witness),
		})
	}
}

// dataRaces adds a message for every data race.
func (m *messages) dataRaces(r *verdict.Result) {
	for _, v := range violations(r) {
		if v.Question == verdict.DataRaces {
			m.add(v.Pos, diagnostic{Severity: severityWarning, Code: "data-race", Message: m.short(v.Reason) + " (under " + strings.ToUpper(r.Model) + ")", Related: m.steps(v.Witness)})
		}
	}
}

// short names files in the folder of the document without the folder.
func (m *messages) short(words string) string {
	return strings.ReplaceAll(words, filepath.Dir(m.owner)+string(filepath.Separator), "")
}

// violations returns the result's own violation and the others.
func violations(r *verdict.Result) []verdict.Violation {
	if r.Verdict != verdict.Unsafe {
		return nil
	}
	return append([]verdict.Violation{{Question: r.Question, Reason: r.Reason, Pos: r.Pos, Witness: r.Witness}}, r.Others...)
}

// steps returns the steps of an execution with their positions.
func (m *messages) steps(w *verdict.Witness) []relatedInfo {
	if w == nil {
		return nil
	}
	var out []relatedInfo
	left := 0
	for i, step := range w.Steps {
		effect := m.s.with.Effect(step)
		if step.Pos == nil || effect == "" {
			continue
		}
		text, ok := m.file(step.Pos.File)
		if !ok {
			continue
		}
		if len(out) >= mostSteps {
			left++
			continue
		}
		who := "?"
		if step.Thread >= 0 && step.Thread < len(w.Threads) {
			who = w.Threads[step.Thread]
		}
		words := fmt.Sprintf("step %d, %s: ", i+1, who)
		if step.Text != "" {
			words += step.Text + ": "
		}
		out = append(out, relatedInfo{location{uriOf(step.Pos.File), rangeOf(text, step.Pos)}, words + effect})
	}
	if left > 0 {
		out[len(out)-1].Message += fmt.Sprintf(" (%d further steps are not listed)", left)
	}
	return out
}

// summary is the answers in a line each.
func (s *Server) summary(f *findings) string {
	if f.check.HasErrors() {
		return "the program has errors"
	}
	results := f.check.Results
	if len(results) == 0 { // nothing to check
		results = f.robust.Results
	}
	var out []string
	for i := range results {
		out = append(out, s.with.Headline(&results[i]))
	}
	return strings.Join(out, "\n")
}
