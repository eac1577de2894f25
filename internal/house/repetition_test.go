//go:build policy

// No six lines of code stand twice: not to the letter, and not with other names and values. Tables, which are composite
// literals, are data; tests may say the same again. What is written twice so that a mistake in one shows is in twice.

package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	repeatedLines = 6
	// repeatedTokens is how many tokens such lines have at least: fewer are idioms of Go, such as the tests of errors.
	repeatedTokens = 30
	// repeatedForms is how many of the lines differ in more than names and values: fewer are a list, such as the cases of a
	// switch that calls a function for each kind.
	repeatedForms = 4
)

// twice are packages, and those below them, with second implementations: each may repeat any other package.
var twice = []string{"internal/replay", "internal/certificate", "internal/testkit"}

// codeLine is a line of a function with its tokens.
type codeLine struct {
	number int
	tokens []codeToken
}

type codeToken struct {
	name bool // an identifier
	text string
}

// body is the code of a function, without tables and lines that have neither a name nor a value.
type body struct {
	file  string
	lines []codeLine
}

// run is some lines of a body, from the line with an index.
type run struct {
	body  *body
	index int
}

func (r run) String() string {
	return fmt.Sprintf("%s:%d-%d", r.body.file, r.body.lines[r.index].number, r.body.lines[r.index+repeatedLines-1].number)
}

// bodies returns the functions of a file.
func bodies(name string, text []byte) ([]*body, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading what stands twice: %w", err)
	}
	lines := codeLines(name, text)
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(*ast.CompositeLit); ok {
			from, to := fset.Position(n.Lbrace).Line, fset.Position(n.Rbrace).Line
			for l := from; l <= to && from < to; l++ {
				lines[l] = nil
			}
			return false
		}
		return true
	})
	var found []*body
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		b := &body{file: name}
		for l := fset.Position(f.Body.Lbrace).Line + 1; l < fset.Position(f.Body.Rbrace).Line; l++ {
			if slices.ContainsFunc(lines[l], func(t codeToken) bool { return t.name || t.text == "" }) {
				b.lines = append(b.lines, codeLine{l, lines[l]})
			}
		}
		found = append(found, b)
	}
	return found, nil
}

// codeLines returns the tokens of a file by line; values have no text.
func codeLines(name string, text []byte) map[int][]codeToken {
	file := token.NewFileSet().AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int][]codeToken{}
	for {
		pos, tok, lit := s.Scan()
		t := codeToken{text: tok.String()}
		switch {
		case tok == token.EOF:
			return lines
		case tok == token.SEMICOLON && lit == "\n":
			continue
		case tok == token.IDENT:
			t = codeToken{name: true, text: lit}
		case tok.IsLiteral():
			t.text = ""
		}
		lines[file.Line(pos)] = append(lines[file.Line(pos)], t)
	}
}

// shapeOf is the text of a run with its names numbered by their first occurrence: runs that differ in names and values
// have the same. It is empty for an idiom or a list.
func shapeOf(r run) string {
	var whole strings.Builder
	names, forms, tokens := map[string]int{}, map[string]bool{}, 0
	for _, l := range r.body.lines[r.index : r.index+repeatedLines] {
		var form strings.Builder
		for _, t := range l.tokens {
			text := t.text
			if t.name {
				if _, ok := names[text]; !ok {
					names[text] = len(names)
				}
				text = fmt.Sprintf("#%d", names[text])
				form.WriteString("# ")
			} else {
				form.WriteString(text + " ")
			}
			whole.WriteString(text + " ")
		}
		whole.WriteByte('\n')
		forms[form.String()] = true
		tokens += len(l.tokens)
	}
	if tokens < repeatedTokens || len(forms) < repeatedForms {
		return ""
	}
	return whole.String()
}

// secondImplementation returns the package of twice that a file belongs to, or "".
func secondImplementation(file string) string {
	for _, pkg := range twice {
		if strings.HasPrefix(file, pkg+"/") {
			return pkg
		}
	}
	return ""
}

// repetitions returns the pairs of runs in the production code below root that repeat each other: the first of each stretch.
func repetitions(root fs.FS) ([]string, error) {
	type implementation struct{ of, shape string }
	first := map[implementation]run{}
	var found []string
	err := eachGoFile(root, func(name string, text []byte) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		all, err := bodies(name, text)
		for _, b := range all {
			for i := 0; i+repeatedLines <= len(b.lines); i++ {
				here := run{b, i}
				key := implementation{secondImplementation(name), shapeOf(here)}
				there, ok := first[key]
				switch {
				case key.shape == "" || ok && there.body == b && there.index+repeatedLines > i:
				case !ok:
					first[key] = here
				default:
					found = append(found, fmt.Sprintf("%v repeat %v", here, there))
					i += repeatedLines - 1
				}
			}
		}
		return err
	})
	return found, err
}

// TestRepetitionsCatches: the check finds lines that differ in names and values, wherever they are, and takes neither
// lists and tables for such, nor code with other names once only, nor a second implementation.
func TestRepetitionsCatches(t *testing.T) {
	sum := `func sum(list []int, limit int) (int, error) {
	total := 0
	for _, n := range list {
		if n > limit {
			return 0, fmt.Errorf("%d is more than %d", n, limit)
		}
		total += n
	}
	return total, nil
}
`
	renamed := strings.NewReplacer("sum", "add", "list", "numbers", "total", "all", "is more than", "exceeds").Replace(sum)
	list := "func f(c *command) {\n" + strings.Repeat("\tbind(c.flags, \"name\", &c.name, c.text)\n", 8) + "}\n"
	table := "var x = 0\nfunc f() []row {\n\treturn []row{\n" + strings.Repeat("\t\t{one(1, 2), two(3, 4)},\n\t\t{three(5)},\n\t\t{},\n\t\t{name: x + 1},\n", 4) + "\t}\n}\n"
	cases := []struct {
		name, one, other, file string
		want                   int
	}{
		{"the same", sum, sum, "b/b.go", 1},
		{"other names and values", sum, renamed, "b/b.go", 1},
		{"in a test", sum, sum, "b/b_test.go", 0},
		{"a second implementation", sum, renamed, "internal/replay/b.go", 0},
		{"another operator", sum, strings.Replace(sum, "+=", "-=", 1), "b/b.go", 0},
		{"another name in one place", sum, strings.Replace(sum, "n, limit)\n", "n, n)\n", 1), "b/b.go", 0},
		{"five lines", sum, strings.Replace(sum, "\t\t}\n", "\t\t}\n\t\tlog(n, n)\n", 1), "b/b.go", 0},
		{"a list", list, list, "b/b.go", 0},
		{"a table", table, table, "b/b.go", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found, err := repetitions(fstest.MapFS{
				"a/a.go": {Data: []byte("package a\n" + c.one)}, c.file: {Data: []byte("package b\n" + c.other)},
			})
			if err != nil || len(found) != c.want {
				t.Errorf("found %q, %v; want %d", found, err, c.want)
			}
		})
	}
}

// TestRepetitions: nothing stands twice.
func TestRepetitions(t *testing.T) {
	found, err := repetitions(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range found {
		t.Errorf("%s: make one function of them", pair)
	}
}
