package read

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/gcc"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/source"
	"fencepost/query"
)

// Input is the files of a program, and what was reported about them.
type Input struct {
	opt        Options
	Diags      *diag.List
	told       map[message]bool
	Files      map[string]*source.File
	First      string          // name of the first file
	rebuilt    map[string]bool // files that were put together again, see unmark
	given      map[string]bool // names of the files that are not included
	starts     []source.Pos    // of statements and declarations
	sorted     bool
	Invariants map[Position]source.Span // annotations that became calls
	Items      map[source.Pos]bool      // statements that stand in blocks
	// after are declarations in the text after the file being read, one per line.
	After    []Line
	settings map[string]*gcc.Settings // by file
}

// Options has the options of the user, and the wishes of a question about reading.
type Options struct {
	query.COptions
	// Invariants makes calls of the invariants in comments.
	Invariants bool
	// KeepMarks leaves #line and the lines of a preprocessor alone.
	KeepMarks bool
}

// Line is a line after a file that declares something the file speaks of.
type Line struct {
	Name, Type string
	At         source.Span
}

// NewInput returns the input of a program that consists of files.
func NewInput(files []*source.File, opt Options, diags *diag.List) *Input {
	c := &Input{
		opt: opt, Diags: diags, told: map[message]bool{},
		Files: map[string]*source.File{}, given: map[string]bool{}, rebuilt: map[string]bool{},
		Invariants: map[Position]source.Span{}, Items: map[source.Pos]bool{}, settings: map[string]*gcc.Settings{},
	}
	for i, f := range files {
		if i == 0 {
			c.First = f.Name
		}
		c.Files[f.Name], c.given[f.Name] = f, true
	}
	return c
}

type message struct {
	code string
	pos  source.Pos
}

// Included are the user's files beside those given, and those of the library that
// became part of the program, by name.
func (c *Input) Included() []*source.File {
	var out []*source.File
	for name, f := range c.Files {
		if !c.given[name] && (IsLibrary(name) || !strings.HasPrefix(name, HeaderDir+"/")) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *source.File) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// IsSystem reports whether an included file lies in a directory of -isystem.
func (c *Input) IsSystem(name string) bool {
	for file := range c.given {
		for _, dir := range c.Settings(file).System {
			if strings.HasPrefix(path.Clean(name), path.Clean(dir)+"/") {
				return true
			}
		}
	}
	return false
}

// Warnf warns once per position and code.
func (c *Input) Warnf(code string, at source.Span, format string, args ...any) {
	if key := (message{code, at.Pos}); !c.told[key] {
		c.told[key] = true
		c.Diags.Warnf(code, at, format, args...)
	}
}

// Errorf reports an error once per position and code.
func (c *Input) Errorf(code string, at source.Span, format string, args ...any) *diag.Diagnostic {
	key := message{code, at.Pos}
	if c.told[key] {
		return &diag.Diagnostic{}
	}
	c.told[key] = true
	return c.Diags.Errorf(code, at, format, args...)
}

// Refusal is the panic that ends the translation of one statement or declaration. Guard and Catch
// recover it.
type Refusal struct {
	// Diag says what is not supported; nil: an error was reported before.
	Diag *diag.Diagnostic
}

// NotSupported returns the refusal of something that has no translation. It is an error only if the
// caller does not recover it with Catch.
func (c *Input) NotSupported(code string, at source.Span, format string, args ...any) Refusal {
	return Refusal{&diag.Diagnostic{Severity: diag.Error, Code: code, Span: at, Message: fmt.Sprintf(format, args...)}}
}

// Refuse gives up on n, which is correct C but has no translation.
func (c *Unit) Refuse(code string, n parse.Node, format string, args ...any) {
	panic(c.NotSupported(code, c.Span(n), format, args...))
}

// Reject reports an error of the program, and gives up on n.
func (c *Unit) Reject(code string, n parse.Node, format string, args ...any) {
	c.Errorf(code, c.Span(n), format, args...)
	panic(Refusal{})
}

// Guard runs f, reports what f refuses, and goes on.
func (c *Input) Guard(f func()) {
	if r := c.Catch(f); r != nil {
		c.Report(r)
	}
}

// Catch runs f, and returns what f refuses, nil if nothing.
func (c *Input) Catch(f func()) (refused *Refusal) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Refusal:
			if r.Diag == nil && !c.Diags.HasErrors() {
				panic("BUG: refused without a diagnostic")
			}
			refused = &r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// Report makes an error of a refusal.
func (c *Input) Report(r *Refusal) {
	if r.Diag != nil {
		c.Errorf(r.Diag.Code, r.Diag.Span, "%s", r.Diag.Message).Notes = r.Diag.Notes
	}
}
