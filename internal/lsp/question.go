package lsp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fencepost/query"
	"fencepost/verdict"
)

// With has the functions that a server asks.
type With struct {
	Check  func(context.Context, query.Input, query.CheckOptions) (query.Answer, error)
	Robust func(context.Context, query.Input, query.RobustOptions) (query.Answer, error)
	Fences func(context.Context, query.Input, query.FenceOptions) (query.Answer, error)
	// Read reads a file.
	Read func(path string) ([]byte, error)
	// Flags returns the flags of the compiler for the files that a build compiles, and the database that has them.
	Flags func(files []string) (flags map[string][]string, database string)
	// Parse reads the words after "check" in a comment.
	Parse   func(words []string) (files []string, opt query.CheckOptions, err error)
	Options query.CheckOptions // of files without a comment
	// Headline returns the first line of an answer in words, with its coverage.
	Headline func(*verdict.Result) string
	// Checked says what a question was about, and what was not asked.
	Checked func(verdict.Question, *verdict.Checked) string
	// Effect says what a step did.
	Effect  func(verdict.Step) string
	Version string
}

// findings has the answers about a program.
type findings struct {
	files []string // of the program
	// Files that were read, with the hashes of their contents; the hash of a file that was not there is zero.
	read      map[string][sha256.Size]byte
	check     query.Answer
	robust    query.Answer
	dataRaces query.Answer
	fences    []query.Answer // a model each
}

// asking is a question under way.
type asking struct {
	s      *Server
	texts  map[string]string // open documents when it began
	mu     sync.Mutex
	read   map[string][sha256.Size]byte
	report func(message string)
}

// file reads a file, and notes what it was.
func (a *asking) file(path string) ([]byte, error) {
	text, err := a.s.textOf(a.texts, path)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.read[path] = [sha256.Size]byte{}
		return nil, err
	}
	a.read[path] = sha256.Sum256(text)
	return text, nil
}

// input reads the files of a program.
func (a *asking) input(files []string) (query.Input, error) {
	text, err := a.file(files[0])
	if err != nil {
		return query.Input{}, fmt.Errorf("%s cannot be read: %w", files[0], err)
	}
	in := query.Input{Name: files[0], Text: text}
	for _, f := range files[1:] {
		text, err := a.file(f)
		if err != nil {
			return in, fmt.Errorf("%s cannot be read: %w", f, err)
		}
		in.More = append(in.More, query.File{Name: f, Text: text})
	}
	return in, nil
}

// ask asks everything about a program: the check first, then what explains and repairs it.
func (a *asking) ask(ctx context.Context, d directive) (*findings, error) {
	in, err := a.input(d.files)
	if err != nil {
		return nil, err
	}
	opt := d.opt
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := a.file(name)
		return text, err == nil
	}
	if flags, database := a.s.with.Flags(d.files); database != "" {
		opt.C.FileFlags = flags
		if _, err := a.file(database); err != nil {
			return nil, err
		}
	}
	opt.Progress = a.progress("check")
	out := &findings{files: d.files}
	if out.check, err = a.s.with.Check(ctx, in, opt); err != nil {
		return nil, err
	}
	if onlyNothingToCheck(out.check.Diagnostics) {
		out.check.Diagnostics[0].Severity = "information" // robustness can be asked in any case
	}
	if !out.check.HasErrors() {
		if err := a.more(ctx, in, opt, out); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	out.read = a.read
	return out, ctx.Err()
}

// nothingToCheck is the code of the message that a program states no property.
const nothingToCheck = "FP0900"

// onlyNothingToCheck reports whether all that is wrong with a program is that it states no property.
func onlyNothingToCheck(list []verdict.Diagnostic) bool {
	return len(list) == 1 && list[0].Code == nothingToCheck
}

// more asks about robustness, data races, and the fences that are missing.
func (a *asking) more(ctx context.Context, in query.Input, opt query.CheckOptions, out *findings) (err error) {
	var buffered query.Models
	for _, m := range opt.Models {
		if m == query.TSO || m == query.PSO {
			buffered = append(buffered, m)
		}
	}
	if len(buffered) > 0 && filepath.Ext(in.Name) != ".litmus" {
		opt.Progress = a.progress("robust")
		if out.robust, err = a.s.with.Robust(ctx, in, query.RobustOptions{Options: opt.Options, Models: buffered, KeepGoing: true}); err != nil {
			return err
		}
	}
	if ext := filepath.Ext(in.Name); (ext == ".c" || ext == ".i") && !opt.Races {
		dataRaces := query.CheckOptions{Options: opt.Options, Models: opt.Models[:1], Races: true, KeepGoing: true}
		dataRaces.Progress = a.progress("data races")
		if out.dataRaces, err = a.s.with.Check(ctx, in, dataRaces); err != nil {
			return err
		}
	}
	for i := range out.robust.Results {
		r := &out.robust.Results[i]
		if r.Verdict != verdict.Unsafe {
			continue
		}
		fences := query.FenceOptions{Options: opt.Options, Model: query.Model(r.Model)}
		fences.Progress = a.progress("fences")
		answer, err := a.s.with.Fences(ctx, in, fences)
		if err != nil {
			return err
		}
		out.fences = append(out.fences, answer)
	}
	return nil
}

// pace is the least time between two reports of progress.
const pace = 250 * time.Millisecond

// progress reports how far a search has come.
func (a *asking) progress(what string) func(query.Progress) {
	var mu sync.Mutex
	var last time.Time
	a.report(what)
	return func(p query.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < pace {
			return
		}
		last = time.Now()
		n, unit := p.States, "states"
		if p.Executions > 0 {
			n, unit = p.Executions, "executions"
		}
		a.report(fmt.Sprintf("%s, %s: %d %s", what, p.Model, n, unit))
	}
}

// kept is the answers that are kept, the newest last.
type kept struct {
	list []keptAnswer
}

type keptAnswer struct {
	asked string
	found *findings
}

// mostKept is how many answers are kept.
const mostKept = 64

// key names what a directive asks. The contents of the files are compared beside it.
func (d *directive) key() string {
	opt := d.opt
	opt.Progress, opt.C.Include = nil, nil
	return fmt.Sprintf("%q %+v", d.files, opt)
}

// find returns the answer to a directive, if the files that were read for it are the same now.
func (k *kept) find(d *directive, text func(path string) ([]byte, error)) *findings {
	key := d.key()
	for _, e := range slices.Backward(k.list) {
		if e.asked == key && e.found.holds(text) {
			return e.found
		}
	}
	return nil
}

// holds reports whether the files that were read are the same now.
func (f *findings) holds(text func(path string) ([]byte, error)) bool {
	for path, hash := range f.read {
		now, err := text(path)
		if gone := hash == [sha256.Size]byte{}; gone != (err != nil) || err == nil && sha256.Sum256(now) != hash {
			return false
		}
	}
	return true
}

func (k *kept) add(d *directive, f *findings) {
	k.list = append(k.list, keptAnswer{d.key(), f})
	if len(k.list) > mostKept {
		k.list = k.list[1:]
	}
}
