package c_test

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// FuzzParse: no C text panics; what has no errors verifies, and every diagnostic has a position, a code and a message.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"../../../examples/*.c", "testdata/*.c", "translate/library/testdata/*.c"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Add([]byte("#define A(x) x x\n#if A(1) == 1\n#endif\n_Atomic int *p; int main(void) { __atomic_store_n(p, 1, 5); return ({ *p; }); }\n"))
	f.Add([]byte("#pragma pack(1, x, y)\nint f(int a[, { ( ) ] } [ struct s { int b : ; } ((((((({{{{{{{[[[[[[[ ))) }}} ]]] int main(void) { return f(; }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		u, list := c.Parse([]*source.File{source.NewFile("fuzz.c", text)}, c.Options{})
		for _, d := range list.All {
			if d.Code == "" || d.Message == "" {
				t.Fatalf("diagnostic %+v", d)
			}
		}
		if list.HasErrors() != (u.Program == nil) {
			t.Fatal("a program beside errors, or neither")
		}
		if u.Program == nil {
			return
		}
		for _, err := range ir.Verify(u.Program) {
			t.Error(err)
		}
	})
}
