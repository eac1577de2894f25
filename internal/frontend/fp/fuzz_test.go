package fp

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/frontend/statement/statementtest"
)

// FuzzParse: no input panics or hangs; what has no errors verifies, and every
// edge and diagnostic has a position in the file.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/errors.txt", "testdata/lowering.txt"} {
		for _, text := range statementtest.FuzzSections(f, file) {
			f.Add([]byte(text))
		}
	}
	examples, _ := filepath.Glob("../../../examples/*.fp")
	for _, file := range examples {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { statementtest.Sound(t, text, Parse) })
}

// FuzzFences: see statementtest.FuzzFences.
func FuzzFences(f *testing.F) { statementtest.FuzzFences(f, "testdata/lowering.txt", Parse) }
