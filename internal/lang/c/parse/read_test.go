package parse_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/gcc"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/preprocess"
	"fencepost/internal/testkit"
)

const headerDir = "../../../frontend/c/translate/read/include"

var more = flag.String("fp.directory", "", "a directory with further C programs to parse")

// parseFile preprocesses and parses a file below dir, with all its functions, and returns the
// problems.
func parseFile(t testing.TB, dir, name string, flags ...string) (*parse.Unit, string) {
	t.Helper()
	s, err := gcc.Parse(flags)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) ([]byte, bool) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil, false
		}
		text, err := os.ReadFile(name)
		return text, err == nil
	}
	opt := preprocess.ForGCC(s)
	opt.Read = read
	text, ok := read(name)
	if !ok {
		t.Fatalf("no file %s", name)
	}
	return parseText(name, text, opt, s)
}

func parseText(name string, text []byte, opt *preprocess.Options, s *gcc.Settings) (*parse.Unit, string) {
	r := preprocess.Run(name, text, opt)
	u := parse.Parse(r, parse.Options{Standard: opt.Standard, UnsignedChar: s.UnsignedChar, ShortEnums: s.ShortEnums})
	for _, o := range u.Objects {
		u.Body(o)
	}
	var b strings.Builder
	for _, p := range append(r.Problems, u.Problems...) {
		if p.Kind.String() == "warning" {
			continue
		}
		b.WriteString(r.Space.Position(p.Pos).String() + ": ")
		for from := p.From; from != 0; from = r.Expansions[from].Parent {
			b.WriteString("[" + r.Names.String(r.Expansions[from].Macro) + "] ")
		}
		b.WriteString(p.Kind.String() + ": " + p.Message)
		if p.Note != "" {
			b.WriteString(" (" + p.Note + ")")
		}
		b.WriteString("\n")
	}
	return u, b.String()
}

// TestPrograms: the examples and the C programs of the corpus are read completely.
func TestPrograms(t *testing.T) {
	root := testkit.Root(t)
	headers, err := filepath.Abs(headerDir)
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"-D__FENCEPOST__=1", "-isystem", headers}
	dir := t.TempDir()
	count := 0
	one := func(name string, text []byte) {
		count++
		if err := os.WriteFile(filepath.Join(dir, "a.c"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, says := parseFile(t, dir, "a.c", flags...); says != "" {
			t.Errorf("%s: %s", name, says)
		}
	}
	paths, err := filepath.Glob(filepath.Join(root, "examples", "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		one(filepath.Base(p), text)
	}
	for _, dir := range []string{"testdata/corpus", "internal/frontend/c/testdata/corpus"} {
		for _, c := range testkit.LoadCorpus(t, filepath.Join(root, dir)) {
			if strings.HasSuffix(c.Input.Name, ".c") {
				one(filepath.Base(c.Path), c.Input.Text)
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d programs were found", count)
	}
	if *more != "" {
		further(t, *more, flags)
	}
}

// further reads the programs of a directory.
func further(t *testing.T, dir string, flags []string) {
	count, good := 0, 0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".c") {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		count++
		if _, says := parseFile(t, dir, name, append([]string{"-I."}, flags...)...); says != "" {
			t.Errorf("%s: %s", name, says)
		} else {
			good++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs, %d without errors", count, good)
}
