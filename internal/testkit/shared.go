package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Root is the directory of the repository, found from the test's own.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// Shared is a path below the directory of data that may lie beside the
// repository. Where it is absent the test is skipped with a notice.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{Root(t), "..", "shared"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("notice: needs the shared data (%s), which is not beside this repository", filepath.Join(path...))
	}
	return full
}
