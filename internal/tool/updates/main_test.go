package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A test is listed if the flag reaches it over functions, methods and variables of its package; other packages, other
// modules and the data of tests are not looked at.
func TestList(t *testing.T) {
	files := map[string]string{
		"a/flag_test.go":     "package a\nvar update = flag.Bool(\"update\", false, \"\")\nfunc (c golden) compare() { if *update { write() } }\n",
		"a/a_test.go":        "package a\nfunc TestDirect(t *testing.T) { _ = *update }\nfunc TestMethod(t *testing.T) { golden{}.compare() }\nfunc TestOther(t *testing.T) { other() }\n",
		"a/table_test.go":    "package a\nvar table = []func(){ helper }\nfunc helper() { golden{}.compare() }\nfunc TestTable(t *testing.T) { for range table {} }\nfunc TestMain(m *testing.M) { _ = update }\n",
		"b/b_test.go":        "package b\nvar update = flag.Bool(\"other\", false, \"\")\nfunc TestNot(t *testing.T) { _ = *update }\n",
		"c/c_test.go":        "package c\nvar (\n\tn = 1\n\trewrite = flag.Bool(\"update\", false, \"\")\n)\nfunc TestN(t *testing.T) { _ = n }\nfunc TestRewrite(t *testing.T) { _ = *rewrite }\n",
		"m/go.mod":           "module m\n",
		"m/m_test.go":        "package m\nvar update = flag.Bool(\"update\", false, \"\")\nfunc TestM(t *testing.T) { _ = *update }\n",
		"testdata/t_test.go": "package no go file",
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out strings.Builder
	if err := list(".", &out); err != nil {
		t.Fatal(err)
	}
	want := "./a ^(TestDirect|TestMethod|TestTable)$\n./c ^(TestRewrite)$\n"
	if out.String() != want {
		t.Errorf("listed are\n%swanted\n%s", out.String(), want)
	}
}
