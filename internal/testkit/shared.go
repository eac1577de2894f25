package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Root returns the root directory of the repository.
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

// Shared returns a path in the directory of shared data beside the repository. If the
// path does not exist, the test is skipped with a notice.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{Root(t), "..", "shared"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("notice: needs the shared data (%s), which is not beside this repository", filepath.Join(path...))
	}
	return full
}
