package automaton

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzParse: no input panics or hangs; what has no errors verifies, and every
// edge and diagnostic has a place in the file.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/errors.txt", "testdata/lowering.txt"} {
		for _, text := range fuzzSections(f, file) {
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
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, Parse) })
}

func fuzzSections(f *testing.F, name string) []string {
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	var all []string
	start := 0
	for i := 1; i+4 < len(text); i++ {
		if string(text[i-1:i+3]) == "\n-- " {
			all = append(all, string(text[start:i]))
			for i < len(text) && text[i] != '\n' {
				i++
			}
			start = i
		}
	}
	return append(all, string(text[start:]))
}
