package c

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/source"
)

// A file that the caller's Include does not give is not there, even if the machine
// has a file of that name: core packages do no I/O.
func TestIncludeOnlyThroughCaller(t *testing.T) {
	host := filepath.Join(t.TempDir(), "host.h")
	if err := os.WriteFile(host, []byte("int here;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		"#include \"" + host + "\"\nint main(void) { return 0; }\n":                                           false,
		"#if __has_include(\"" + host + "\")\n#error here\n#endif\nint main(void) { return 0; }\n":            true,
		"#include \"given.h\"\n#if !__has_include(\"given.h\")\n#error\n#endif\nint main(void) { return g; }": true,
	} {
		u, _ := Parse([]*source.File{source.NewFile("f.c", []byte(text))}, Options{
			Include: func(name string) ([]byte, bool) { return []byte("int g;\n"), name == "given.h" },
		})
		if got := u.Program != nil; got != ok {
			t.Errorf("%q is read: %v, want %v", text, got, ok)
		}
	}
}
