package read_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// TestPositions: edges carry the span of their statement, and calls of macros stay whole.
func TestPositions(t *testing.T) {
	text := "#include <assert.h>\nint x;\nint main(void) {\n  x = 1;\n  assert(x ==\n         (1));\n  return x + 1;\n}\n"
	f := source.NewFile("x.c", []byte(text))
	p := testkit.TranslateC(t, translate.Options{}, f).Program
	var got []string
	for i := range p.Funcs[0].Edges {
		e := &p.Funcs[0].Edges[i]
		got = append(got, fmt.Sprintf("%s %q", e.Op.Kind, f.Slice(e.Pos)))
	}
	want := []string{
		`store "x = 1"`, `load "assert(x ==\n         (1))"`, `assert "assert(x ==\n         (1))"`,
		`load "return x + 1;"`, `return "return x + 1;"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
