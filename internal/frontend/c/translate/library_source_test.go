package translate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibraryFunctions: every definition in the C files of the library is found, so that a program
// which calls that function alone gets the file.
func TestLibraryFunctions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("library", "source", "*.c"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			name, _, ok := strings.Cut(line, "(")
			if !ok || !strings.HasSuffix(line, "{") || strings.ContainsAny(line[:1], " \t#/}") {
				continue
			}
			want := name[strings.LastIndexAny(name, " *")+1:]
			if m := libraryFunction.FindStringSubmatch(line); m == nil || m[1] != want {
				t.Errorf("%s: %q defines %s, found %q", path, line, want, m)
			}
		}
	}
}
