package preprocess_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

var more = flag.String("fp.directory", "", "a directory with further C programs to compare with gcc, with -I for itself")

// TestPrograms compares the examples, the C programs of the corpus and our headers with gcc.
func TestPrograms(t *testing.T) {
	compiler(t)
	root := testkit.Root(t)
	headers, err := filepath.Abs(headerDir)
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"-D__FENCEPOST__=1", "-isystem", headers}
	dir := t.TempDir()
	count := 0
	one := func(name string, text []byte) {
		if count++; testkit.InPart(t, name, 12) && !agree(t, dir, string(text), flags...) {
			t.Log(name)
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
	err = filepath.WalkDir(headers, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".h") {
			name, _ := filepath.Rel(headers, p)
			one(name, []byte("#include <"+name+">\n"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 300 {
		t.Errorf("only %d programs were found", count)
	}
	if *more != "" {
		further(t, *more, flags)
	}
}

// further compares the programs of a directory.
func further(t *testing.T, dir string, flags []string) {
	count, good := 0, 0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".c") {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		count++
		a, b := ours(t, dir, name, append([]string{"-I."}, flags...)), theirs(t, dir, name, append([]string{"-I."}, flags...))
		if d := compare(a, b); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !a.failed {
			good++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs, %d without errors", count, good)
}
