package automaton

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// FuzzTrencher and FuzzMemorax: as FuzzParse.
func FuzzTrencher(f *testing.F) { fuzzForeign(f, "testdata/trencher.txt", ParseTrencher) }

func FuzzMemorax(f *testing.F) { fuzzForeign(f, "testdata/memorax.txt", ParseMemorax) }

func fuzzForeign(f *testing.F, seeds string, parse language) {
	for _, text := range fuzzSections(f, seeds) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, parse) })
}

// sound checks what holds of every input: diagnostics have a place, and a program
// without errors verifies and has text behind every edge.
func sound(t *testing.T, text []byte, parse language) {
	file := source.NewFile("fuzz", text)
	u, list := parse(file, Options{})
	for _, d := range list.All {
		if !d.Span.IsValid() || d.Code == "" || d.Message == "" {
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
	for _, fn := range u.Program.Funcs {
		for i := range fn.Edges {
			if file.Slice(fn.Edges[i].Pos) == "" {
				t.Fatalf("edge without text: %s", u.Program.FormatOp(fn, &fn.Edges[i].Op))
			}
		}
	}
}
