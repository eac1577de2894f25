//go:build policy

// The words of the code as a test. docs/glossary.md says what each word means; this
// file lists the words that are gone and the names with more than one meaning.

package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// A goneWord may not occur in the code. The text pattern is searched in comments and
// in messages, which are string literals with a space in them. The name pattern must
// match one whole part of a declared identifier or of a file name, where the parts of
// newRaceFree are new, race and free. Either pattern may be empty.
type goneWord struct {
	word   string
	text   string
	name   string
	except []string // packages where the word keeps its one meaning
	after  []string // parts of an identifier before it that make the meaning clear
	use    string   // what to say instead
}

// dataRaceHere are the packages in which a race without an adjective is a data race,
// and nothing else.
var dataRaceHere = []string{
	".", "query", "verdict", "internal/cli", "internal/render/text", "internal/trace", "internal/testkit",
	"internal/question/check",
}

var goneWords = []goneWord{
	{word: "nobody", text: `nobody|anybody|everybody|somebody|whoever`, name: `nobody|anybody|everybody|somebody|whoever`,
		use: "name the subject: no thread, the caller, the user"},
	{word: "is what", text: `(is|are) what|those that|are those`,
		use: "a definition with a subject: Name returns ..., Name is the ..."},
	{word: "design", text: `design §|design says`, use: "a document that is in the repository"},
	{word: "place", text: `places?`, name: `places?|placers?`, except: []string{"internal/engine/param"}, after: []string{"petri"},
		use: "fence site, cell, address, lvalue, position, variable, slot or point; a place is one of a Petri net"},
	{word: "race", name: `races?|racing|raced`, except: dataRaceHere, after: []string{"data", "reversible", "triangular"},
		use: "reversible (DPOR), triangle (triangular race), compete (portfolio); a race is a data race"},
	{word: "own", text: `own (?:memory|cells?|objects?)`, name: `own|owns|owned`,
		use: "private for memory that only one thread accesses, forwarded for loads"},
	{word: "settle", text: `settl(?:e|es|ed|ing)`, name: `settle|settles|settled|settling`,
		use: "runEager, dropFalse, or what is done"},
	{word: "follow", name: `follow|follows|followed|follower`, use: "step, replay, walk"},
	{word: "touch", text: `touch(?:es|ed|ing)?`, name: `touch|touches|touched|touching`, use: "access"},
	{word: "within", name: `within`, use: "limit, bounded"},
	{word: "behind", text: `behind`, name: `behind`, use: "after"},
	{word: "claim", text: `claim(?:s|ed|ing)?`, name: `claims?|claimed`, use: "annotation, or what is meant"},
	{word: "look", name: `look|looks|looked|looking`, use: "find, read, inspect"},
	{word: "explain", name: `explain|explains|explained|explainer`, except: []string{".", "internal/cli", "internal/codes"},
		use: "shorten, relation, reason; explain is the command that says what a code means"},
}

// idioms are taken out of a text before it is searched.
var idioms = regexp.MustCompile(`(?i)\b(?:in|takes?|took|taking|first) place\b`)

// fileNames are names of files that tell a stranger nothing.
var fileNames = []string{
	"again", "lift", "within", "relies", "survey", "frozen", "own", "look", "covered", "fail", "long", "chain",
	"plan", "incomplete", "unread", "simple", "contain", "narrow", "keys", "claim",
}

// A wordUse is one occurrence: the package, the word and a position with the text.
type wordUse struct{ pkg, word, where string }

// wordPatterns are the compiled patterns of goneWords, in its order.
type wordPattern struct{ text, name *regexp.Regexp }

// wordPatternsOf has the patterns whose name is a part of an identifier. Most parts occur often.
var wordPatternsOf = map[string][]int{}

func compileWords() []wordPattern {
	var list []wordPattern
	for _, w := range goneWords {
		var p wordPattern
		if w.text != "" {
			p.text = regexp.MustCompile(`(?i)(?:\b|^)(?:` + w.text + `)\b`)
		}
		if w.name != "" {
			p.name = regexp.MustCompile(`^(?:` + w.name + `)$`)
		}
		list = append(list, p)
	}
	return list
}

// parts splits an identifier into its words, in lower case.
func parts(name string) []string {
	var list []string
	start := 0
	runes := []rune(name)
	cut := func(i int) {
		if i > start {
			list = append(list, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	for i, r := range runes {
		switch {
		case r == '_':
			cut(i)
			start = i + 1
		case i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]):
			cut(i)
		case i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsLower(runes[i+1]):
			cut(i)
		}
	}
	cut(len(runes))
	return list
}

// usesOf returns the uses of gone words in the Go files below root. Messages of test
// files are not read: they hold programs and expected output.
func usesOf(root fs.FS) ([]wordUse, error) {
	patterns := compileWords()
	var uses []wordUse
	err := eachGoFile(root, func(name string, text []byte) error {
		if name == "words_test.go" { // it has to name the words
			return nil
		}
		found, err := usesInFile(name, text, patterns)
		uses = append(uses, found...)
		return err
	})
	return uses, err
}

func usesInFile(name string, text []byte, patterns []wordPattern) ([]wordUse, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the words: %w", err)
	}
	var uses []wordUse
	pkg := path.Dir(name)
	add := func(i int, pos token.Pos, what string) {
		if !slices.Contains(goneWords[i].except, pkg) {
			at := name
			if pos.IsValid() {
				at = fmt.Sprintf("%s:%d", name, fset.Position(pos).Line)
			}
			uses = append(uses, wordUse{pkg, goneWords[i].word, at + ": " + what})
		}
	}
	prose := func(pos token.Pos, s string) {
		s = idioms.ReplaceAllString(s, "")
		for i, p := range patterns {
			if p.text != nil && p.text.MatchString(s) {
				add(i, pos, strings.TrimSpace(p.text.FindString(s)))
			}
		}
	}
	identifier := func(pos token.Pos, s string) {
		list := parts(s)
		for k, part := range list {
			named, known := wordPatternsOf[part]
			if !known {
				for i, p := range patterns {
					if p.name != nil && p.name.MatchString(part) {
						named = append(named, i)
					}
				}
				wordPatternsOf[part] = named
			}
			for _, i := range named {
				if k == 0 || !slices.Contains(goneWords[i].after, list[k-1]) {
					add(i, pos, s)
				}
			}
		}
	}

	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".go"), "_test")
	if slices.Contains(fileNames, base) {
		uses = append(uses, wordUse{pkg, "file", name})
	}
	identifier(token.NoPos, base)
	for _, group := range file.Comments {
		// A sentence may be broken over lines.
		prose(group.Pos(), strings.Join(strings.Fields(group.Text()), " "))
	}
	isTest := strings.HasSuffix(name, "_test.go")
	tags := make(map[*ast.BasicLit]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !isTest && !tags[n] && strings.Contains(n.Value, " ") {
				prose(n.Pos(), n.Value)
			}
		}
		for _, id := range declared(n) {
			identifier(id.Pos(), id.Name)
		}
		return true
	})
	return uses, nil
}

// declared returns the identifiers that node n declares.
func declared(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	case *ast.LabeledStmt:
		return []*ast.Ident{n.Label}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return idents(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			return idents(n.Key, n.Value)
		}
	}
	return nil
}

func idents(list ...ast.Expr) []*ast.Ident {
	var ids []*ast.Ident
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func instead(word string) string {
	for _, w := range goneWords {
		if w.word == word {
			return w.use
		}
	}
	return "a name that a stranger would search for"
}

// TestWords: no package uses a word that is gone.
func TestWords(t *testing.T) {
	uses, err := usesOf(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range uses {
		t.Errorf("%s: %q is gone: %s", u.where, u.word, instead(u.word))
	}
}

// TestWordsCatch: the checker finds a gone word wherever it can stand, and nothing else.
func TestWordsCatch(t *testing.T) {
	cases := []struct {
		name, file, code string
		want             string // the word, "" for none
	}{
		{"comment", "internal/ir/a.go", "// F is for whoever calls it.\nfunc F() {}", "nobody"},
		{"comment over two lines", "internal/ir/a.go", "// F is\n// what it gives.\nfunc F() {}", "is what"},
		{"function", "internal/ir/a.go", "func settleAll() {}", "settle"},
		{"method", "internal/ir/a.go", "type t int\nfunc (t) Follow() {}", "follow"},
		{"type", "internal/ir/a.go", "type place int", "place"},
		{"field", "internal/ir/a.go", "type t struct { fencePlaces int }", "place"},
		{"parameter", "internal/ir/a.go", "func f(own int) {}", "own"},
		{"local", "internal/ir/a.go", "func f() { look := 1; _ = look }", "look"},
		{"range", "internal/ir/a.go", "func f() { for within := range 3 { _ = within } }", "within"},
		{"label", "internal/ir/a.go", "func f() { behind: for { break behind } }", "behind"},
		{"constant", "internal/ir/a.go", "const claim = 1", "claim"},
		{"message", "internal/ir/a.go", `var s = "nothing is behind it"`, "behind"},
		{"message in a test", "internal/ir/a_test.go", `var s = "nothing is behind it"`, ""},
		{"comment in a test", "internal/ir/a_test.go", "// touches nothing", "touch"},
		{"key of JSON", "internal/ir/a.go", "type t struct { A int `json:\"place, kept\"` }", ""},
		{"word that is no message", "internal/ir/a.go", `var s = "behind"`, ""},
		{"file that tells nothing", "internal/ir/lift.go", "", "file"},
		{"test of such a file", "internal/ir/lift_test.go", "", "file"},
		{"file with an overloaded name", "internal/ir/own_cells.go", "", "own"},
		{"Petri net", "internal/engine/param/a.go", "type place int // of a place", ""},
		{"noun in a comment", "internal/ir/a.go", "// The place is read.", "place"},
		{"idioms", "internal/ir/a.go", "// It takes place in place of a pass.", ""},
		{"data race", "internal/ir/a.go", "type dataRace int", ""},
		{"race of DPOR", "internal/engine/smc/a.go", "type reversibleRace int", ""},
		{"other race", "internal/engine/smc/a.go", "type race int", "race"},
		{"race where it is a data race", "internal/trace/a.go", "type race int", ""},
		{"inside a longer word", "internal/ir/a.go", "// It replaces nothing.\nvar replace, download, lookup, owner, trace int", ""},
		{"only used, not declared", "internal/ir/a.go", "var x = y.Place", ""},
		{"capital letters", "internal/ir/a.go", "// Nobody calls it.", "nobody"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			uses, err := usesOf(fstest.MapFS{c.file: {Data: []byte("package p\n\n" + c.code + "\n")}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, u := range uses {
				got = append(got, u.word)
			}
			if want := strings.Fields(c.want); c.want != "" && !slices.Contains(got, c.want) || c.want == "" && len(got) > 0 {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestWordsParts: the parts of identifiers.
func TestWordsParts(t *testing.T) {
	for name, want := range map[string]string{
		"newRaceFree": "new race free", "HTTPServer": "http server", "own_memory": "own memory", "x": "x", "SCPlaces": "sc places", "runID": "run id",
	} {
		if got := strings.Join(parts(name), " "); got != want {
			t.Errorf("parts(%q) = %q, want %q", name, got, want)
		}
	}
}
