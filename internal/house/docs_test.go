//go:build policy

// What the documents promise that a machine can check.

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
	"regexp"
	"slices"
	"strings"
	"testing"
)

const bibliography = "docs/bibliography.md"

var (
	// A citation opens with a key and may name several: [BCDM15 §2, BDM13 §2].
	citation = regexp.MustCompile(`\[[A-Z]+[0-9]{2}(?:[\s,;][^\]\[]*)?\]`)
	paperKey = regexp.MustCompile(`\b[A-Z]+[0-9]{2}\b`)
	// An entry of the bibliography: - **[BDM13]** authors, title, venue.
	entry = regexp.MustCompile(`(?m)^- \*\*\[([A-Z]+[0-9]{2})\]\*\*`)
	link  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// notKeys look like keys and are names of types and processors.
var notKeys = []string{"S16", "S32", "S64", "U16", "U32", "U64", "X86"}

func citedKeys(text string) []string {
	var keys []string
	for _, c := range citation.FindAllString(text, -1) {
		for _, key := range paperKey.FindAllString(c, -1) {
			if !slices.Contains(notKeys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// prose returns the text that people read in a file: a document as it is, and the comments and
// strings of Go code, where an index expression may look like a citation.
func prose(name string, text []byte) string {
	if path.Ext(name) == ".md" {
		return string(text)
	}
	file := token.NewFileSet().AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	var b strings.Builder
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return b.String()
		}
		if tok == token.COMMENT || tok == token.STRING {
			// A citation may be broken over lines of a comment.
			b.WriteString(strings.TrimPrefix(lit, "//"))
			b.WriteByte('\n')
		}
	}
}

// documents calls f on every .go and .md file of the repository.
func documents(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == ".git" || name == "bin" || name == "dist" {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(name); ext != ".go" && ext != ".md" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err == nil {
			f(name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPaperKeys: every paper cited in code or documents is in the bibliography.
func TestPaperKeys(t *testing.T) {
	text, err := os.ReadFile(bibliography)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, m := range entry.FindAllStringSubmatch(string(text), -1) {
		if known[m[1]] {
			t.Errorf("%s has two entries for [%s]", bibliography, m[1])
		}
		known[m[1]] = true
	}
	cited := 0
	documents(t, func(name string, text []byte) {
		for _, key := range citedKeys(prose(name, text)) {
			cited++
			if !known[key] {
				t.Errorf("%s cites [%s], which is not in %s", name, key, bibliography)
			}
		}
	})
	if cited == 0 {
		t.Error("no citation found at all: the pattern must be wrong")
	}
}

// TestCitedKeys: what counts as a citation. The unknown key is put together here
// so that TestPaperKeys does not find it.
func TestCitedKeys(t *testing.T) {
	unknown := "XYZ" + "99"
	cases := []struct {
		text string
		want []string
	}{
		{"see [" + unknown + " §1]", []string{unknown}},
		{"[BCDM15 §2, " + unknown + " Fig. 1]", []string{"BCDM15", unknown}},
		{"[" + unknown + "\n§3]", []string{unknown}},
		{"[" + unknown + "]", []string{unknown}},
		{"types [S64] and [X86]", nil},
		{"a[i], [1, 2], [A-Z]", nil},
	}
	for _, c := range cases {
		if got := citedKeys(c.text); !slices.Equal(got, c.want) {
			t.Errorf("citedKeys(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	code := "package p // [BDM13 §2]\nvar x = table[" + unknown + "]\n"
	if got := citedKeys(prose("p.go", []byte(code))); !slices.Equal(got, []string{"BDM13"}) {
		t.Errorf("in code: got %q, want the citation in the comment only", got)
	}
}

// TestArchitecturePackages: the code map names every package.
func TestArchitecturePackages(t *testing.T) {
	const page = "docs/architecture.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := scan(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range pkgs {
		if pkg != "." && !strings.Contains(string(text), "`"+pkg+"`") {
			t.Errorf("%s does not say what `%s` is for", page, pkg)
		}
	}
}

// TestWhereIs: the files that the table "Where is ...?" of the architecture page names exist,
// a reader opens at most four of them (README.md and the page itself count), and the names to
// look for are in them: declared in a Go file, or in the text of another one.
func TestWhereIs(t *testing.T) {
	const page = "docs/architecture.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := whereIs(string(text))
	if len(rows) < 10 {
		t.Fatalf("%s answers %d questions, want at least 10", page, len(rows))
	}
	readme, err := os.ReadFile("README.md")
	if err != nil || !strings.Contains(string(readme), "("+page+")") {
		t.Errorf("README.md does not lead to %s: %v", page, err)
	}
	for _, row := range rows {
		if n := len(row.files); n == 0 || n > 2 {
			t.Errorf("%s: %d files to open after README.md and %s, want 1 or 2", row.question, n, page)
		}
		known := map[string]bool{}
		for _, file := range row.files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %v", row.question, err)
				continue
			}
			for _, name := range namesIn(t, file, text) {
				known[name] = true
			}
		}
		for _, name := range row.names {
			if !known[name] {
				t.Errorf("%s: no %s in %s", row.question, name, strings.Join(row.files, ", "))
			}
		}
	}
}

// whereRow is a row of the table: a question, the files to open, and the names to search for.
type whereRow struct {
	question     string
	files, names []string
}

// whereIs reads the table below the heading "Where is ...?".
func whereIs(page string) []whereRow {
	_, section, _ := strings.Cut(page, "\n## Where is ...?\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []whereRow
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`") {
			continue // no row, or the head
		}
		row := whereRow{question: strings.TrimSpace(cells[1])}
		for _, code := range inlineCode.FindAllString(cells[2], -1) {
			row.files = append(row.files, strings.Trim(code, "`"))
		}
		for _, code := range inlineCode.FindAllString(cells[3], -1) {
			// A command is no name.
			if name := strings.Trim(code, "`"); !strings.Contains(name, " ") {
				row.names = append(row.names, name)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// namesIn returns the names that a Go file declares at its top level, or the words of another file.
func namesIn(t *testing.T, file string, text []byte) []string {
	t.Helper()
	if path.Ext(file) != ".go" {
		return regexp.MustCompile(`\w+`).FindAllString(string(text), -1)
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// TestWhereIsReads: the table is read as it is written.
func TestWhereIsReads(t *testing.T) {
	page := "# A\n\n## Where is ...?\n\n| question | files | what |\n|---|---|---|\n| q | `a.go`, `b.md` | `f`; run `x y` |\n\n## B\n\n| r | `c.go` | `g` |\n"
	rows := whereIs(page)
	if len(rows) != 1 || rows[0].question != "q" || !slices.Equal(rows[0].files, []string{"a.go", "b.md"}) || !slices.Equal(rows[0].names, []string{"f"}) {
		t.Errorf("read %+v", rows)
	}
	if got := namesIn(t, "a.go", []byte("package p\nfunc f() { g() }\nvar x, y = 1, 2\n")); !slices.Equal(got, []string{"f", "x", "y"}) {
		t.Errorf("names %q", got)
	}
}

// TestLinks: relative links between documents lead somewhere.
func TestLinks(t *testing.T) {
	documents(t, func(name string, text []byte) {
		if path.Ext(name) != ".md" {
			return
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(path.Join(path.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	})
}

// The documents are written with a new line for each sentence, so that a change of a
// sentence is a change of its lines, and wrapped at 120 columns. Code, tables and
// headings are excepted.

const docsWidth = 120

var (
	inlineCode  = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	sentenceEnd = regexp.MustCompile("([A-Za-z]*)([.!?])[\"')\\]*_`]* +[A-Z`\\[\"(*]")
	// abbreviations end with a dot that does not end a sentence; so do single letters.
	abbreviations = []string{"Fig", "Figs", "App", "Def", "Thm", "Eq", "Alg", "Sec", "vs", "resp", "cf", "Prop", "etc", "al", "incl"}
)

// badLines returns what is wrong with the lines of a page, as "line: problem".
func badLines(text string) []string {
	var bad []string
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if fenced || indent >= 4 || trimmed == "" || strings.ContainsAny(trimmed[:1], "|#!<") {
			continue
		}
		if len([]rune(line)) > docsWidth && strings.Contains(trimmed, " ") {
			bad = append(bad, fmt.Sprintf("%d: %d columns", i+1, len([]rune(line))))
		}
		plain := inlineCode.ReplaceAllStringFunc(trimmed, func(s string) string { return "`" + strings.Repeat("x", len(s)-2) + "`" })
		plain = linkTarget.ReplaceAllString(plain, "]()")
		if !numbered.MatchString(plain) && endsInside(plain) || endsInside(numbered.ReplaceAllString(plain, "")) {
			bad = append(bad, fmt.Sprintf("%d: two sentences", i+1))
		}
	}
	return bad
}

var numbered = regexp.MustCompile(`^\d+\. +`)

// endsInside reports whether a sentence ends before the end of the line.
func endsInside(line string) bool {
	for _, m := range sentenceEnd.FindAllStringSubmatch(line, -1) {
		if m[2] != "." || len(m[1]) != 1 && !slices.Contains(abbreviations, m[1]) {
			return true
		}
	}
	return false
}

// TestSentences: all pages but those with measurements have a line for each sentence.
func TestSentences(t *testing.T) {
	documents(t, func(name string, text []byte) {
		if path.Ext(name) != ".md" || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "bench/") {
			return
		}
		if bad := badLines(string(text)); len(bad) > 0 {
			t.Errorf("%s: a new line for each sentence, and at most %d columns: %s", name, docsWidth, strings.Join(bad, ", "))
		}
	})
}

// TestSentencesCatch: the check finds long lines and two sentences in a line, and nothing
// else.
func TestSentencesCatch(t *testing.T) {
	long := strings.Repeat("word ", 25)
	for text, want := range map[string]int{
		"One sentence.\nAnother one.":         0,
		"One sentence. Another one.":          1,
		"Is it? Yes.":                         1,
		"See Fig. 3 and App. B.":              0,
		"By Donald E. Knuth.":                 0,
		"It is `a. B` only.":                  0,
		"1. First item.":                      0,
		"1. First item. Second one.":          1,
		"- An item. `code` follows.":          1,
		"(One.) Two.":                         1,
		"one. two":                            0,
		long:                                  1,
		"| " + long + " | One. Two. |":        0,
		"    " + long:                         0,
		"```\nOne. Two.\n```":                 0,
		"https://" + strings.Repeat("x", 130): 0,
	} {
		if got := badLines(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// TestHowtos: a question, an engine and an option change at most four files of the code that is there. The howtos name them;
// that no other file imports a question or an engine is the policy of imports.
func TestHowtos(t *testing.T) {
	for _, page := range []string{"question", "engine", "option"} {
		text, err := os.ReadFile(path.Join("docs/howto", page+".md"))
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile("(?m)^Files: (.*)\\.$").FindStringSubmatch(string(text))
		if line == nil {
			t.Errorf("docs/howto/%s.md has no line that begins with \"Files: \"", page)
			continue
		}
		files := strings.Split(line[1], ", ")
		if len(files) > 4 {
			t.Errorf("docs/howto/%s.md: %d files, at most 4", page, len(files))
		}
		for _, p := range files {
			if _, err := os.Stat(strings.Trim(p, "`")); err != nil {
				t.Errorf("docs/howto/%s.md: %v", page, err)
			}
		}
	}
}
