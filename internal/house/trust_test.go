//go:build policy

// What a reader has to trust of the checker of certificates, as a test: for each kind of proof the files that decide
// what is accepted, and how many lines they have at most. Lines without code are not counted, so that comments
// cost nothing. docs/certificates.md and ADR 0036 have the reasons for the limits.

package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	checker = "internal/certificate/"
	encoder = "internal/certificate/clauses/"
	rules   = "internal/replay/"
)

// part is a part of the checker.
type part struct {
	name  string
	limit int // lines of code
	files []string
}

// tree goes through the executions of both kinds of classes.
const tree = checker + "classes.go"

// trusted has the parts. A file may belong to two of them.
var trusted = []part{
	{"core", 1500, []string{
		checker + "file.go", checker + "states.go", checker + "stateset.go", checker + "local.go",
		rules + "stepper.go", rules + "private.go",
		rules + "growing.go", rules + "growing_alone.go", rules + "growing_judge.go", rules + "growing_moment.go",
	}},
	{"ranks", 1000, []string{checker + "ranks.go", rules + "around.go"}},
	{"classes under c11", 1000, []string{tree, rules + "growing_happens.go", rules + "growing_c11.go"}},
	{"classes under SC, TSO and PSO", 1000, []string{tree, rules + "growing_happens.go", rules + "growing_order.go"}},
	{"attacks", 1000, []string{checker + "attacks.go", checker + "attacks_file.go", rules + "delaying.go"}},
	{"histories", 1000, []string{checker + "histories.go", checker + "results.go"}},
	{"clauses: circuits", 400, []string{encoder + "gate.go", encoder + "word.go", encoder + "expr.go"}},
	{"clauses: what programs do, and the proof", 1650, []string{
		checker + "clauses.go", checker + "lrat.go",
		encoder + "thread.go", encoder + "ops.go", encoder + "mutex.go", encoder + "spawn.go", encoder + "memory.go", encoder + "blocks.go", encoder + "question.go",
	}},
}

// untrusted are the files of the checker on which no proof relies.
var untrusted = []string{
	checker + "doc.go", encoder + "doc.go",
	// The making of proofs.
	checker + "file_write.go", checker + "produce.go", checker + "parts.go", checker + "ranks_find.go", checker + "classes_find.go",
	checker + "clauses_find.go", checker + "attacks_find.go", checker + "histories_write.go",
	// From a model of clauses to an execution, which refutes.
	checker + "model_replay.go", encoder + "execution.go", rules + "along.go",
	// For tests.
	rules + "growing_compare.go",
}

// checked are files that compute something which the trusted files check: an order of the locations of a thread, of
// which thread.go refuses one that does not fit.
var checked = []string{encoder + "order.go"}

// linesOfCode returns how many lines of a file have code.
func linesOfCode(text []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		for k := range strings.Count(lit, "\n") + 1 { // a string of several lines
			lines[file.Line(pos)+k] = true
		}
	}
}

// names returns what a file declares: functions, types, variables and constants, and the methods of types of other files.
func names(file *ast.File) (declared, methods []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				declared = append(declared, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declared = append(declared, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						declared = append(declared, n.Name)
					}
				}
			}
		}
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		of, _, _ := strings.Cut(functionName(f), ".")
		if !slices.Contains(declared, of) {
			methods = append(methods, f.Name.Name)
		}
	}
	return declared, methods
}

// trustProblems returns what is wrong with the table: parts that are too long, files that it does not have, and what trusted
// files use of others.
func trustProblems(root fs.FS, trusted []part, untrusted, checked []string) ([]string, error) {
	var found []string
	text, files := map[string][]byte{}, map[string]*ast.File{}
	err := eachGoFile(root, func(name string, b []byte) error {
		dir := path.Dir(name) + "/"
		if dir != checker && dir != encoder && dir != rules || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, b, parser.SkipObjectResolution)
		text[name], files[name] = b, file
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range trusted {
		n := 0
		for _, name := range p.files {
			if text[name] == nil {
				found = append(found, fmt.Sprintf("%s: there is no file %s", p.name, name))
			}
			n += linesOfCode(text[name])
		}
		if n > p.limit {
			found = append(found, fmt.Sprintf("%s: %d lines of code to trust, at most %d", p.name, n, p.limit))
		}
		all = append(all, p.files...)
	}
	for name := range text {
		ours := strings.HasPrefix(name, checker) || strings.HasPrefix(name, rules+"growing")
		if ours && !slices.Contains(all, name) && !slices.Contains(untrusted, name) && !slices.Contains(checked, name) {
			found = append(found, name+": is it trusted? Enter it in the table of trust_test.go")
		}
	}
	for _, name := range untrusted {
		if files[name] == nil {
			found = append(found, "there is no file "+name)
			continue
		}
		declared, methods := names(files[name])
		for _, by := range all {
			if files[by] == nil || path.Dir(by) != path.Dir(name) {
				continue
			}
			for _, used := range usedOf(files[by], declared, methods) {
				found = append(found, fmt.Sprintf("%s is trusted, and uses %s of %s, which is not", by, used, name))
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// usedOf returns which of some names a file uses, of methods after a dot.
func usedOf(file *ast.File, declared, methods []string) []string {
	var used []string
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if slices.Contains(methods, n.Sel.Name) {
				used = append(used, n.Sel.Name)
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			if slices.Contains(declared, n.Name) {
				used = append(used, n.Name)
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	slices.Sort(used)
	return slices.Compact(used)
}

// TestTrusted: the checker is as short as it says, and relies on nothing else of its own.
func TestTrusted(t *testing.T) {
	found, err := trustProblems(os.DirFS("."), trusted, untrusted, checked)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
	for _, p := range trusted {
		n := 0
		for _, name := range p.files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			n += linesOfCode(text)
		}
		t.Logf("%s: %d lines of at most %d", p.name, n, p.limit)
	}
}

// TestTrustedCatches: the check of the table finds each kind of mistake.
func TestTrustedCatches(t *testing.T) {
	table := []part{{"kind", 5, []string{checker + "a.go"}}}
	begin := "package p\n\n// no code\n\n/* nor\nhere */\nfunc f() {\n"
	for _, c := range []struct{ name, trusted, other, file, want string }{
		{"short", begin + "}\n", "package p\n", "b.go", ""},
		{"one line too much", begin + "g()\nh()\ni()\n}\n", "package p\n", "b.go", "6 lines of code to trust, at most 5"},
		{"a string of two lines", begin + "_ = `\n`\n_ = 1\n}\n", "package p\n", "b.go", "6 lines of code to trust, at most 5"},
		{"a function of the search", begin + "find()\n}\n", "package p\nfunc find() {}\n", "b.go", "uses find of"},
		{"a method of the search", begin + "x.Find()\n}\n", "package p\nfunc (*s) Find() {}\n", "b.go", "uses Find of"},
		{"a function under a method", begin + "find().x()\n}\n", "package p\nfunc find() {}\n", "b.go", "uses find of"},
		{"a method of a type of the search", begin + "x.end()\n}\n", "package p\ntype s int\nfunc (*s) end() {}\n", "b.go", ""},
		{"another name", begin + "x.find()\n}\n", "package p\nfunc find() {}\n", "b.go", ""},
		{"a file that is not in the table", begin + "}\n", "package p\n", "c.go", "c.go: is it trusted?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := fstest.MapFS{checker + "a.go": {Data: []byte(c.trusted)}, checker + c.file: {Data: []byte(c.other)}}
			var others []string
			if c.file == "b.go" {
				others = []string{checker + "b.go"}
			}
			found, err := trustProblems(all, table, others, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(found, "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
