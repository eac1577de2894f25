package litmus

import (
	"bytes"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/source"
)

// FuzzParse: no input panics or hangs; what has no errors verifies and can be
// shown, and every edge and diagnostic has a position in the file.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/errors.txt", "testdata/lowering.txt", "testdata/results.txt"} {
		for _, s := range sections(f, file) {
			f.Add([]byte(s.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := source.NewFile("fuzz.litmus", text)
		u, list := Parse(file, Options{})
		for _, d := range list.All {
			if !d.Span.IsValid() || d.Code == "" || d.Message == "" {
				t.Fatalf("diagnostic %+v", d)
			}
		}
		if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
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
				if pos := fn.Edges[i].Pos; pos.File == file.Name && file.Slice(pos) == "" {
					t.Fatalf("edge without text: %s", irtext.FormatOp(u.Program, fn, &fn.Edges[i].Op))
				}
			}
		}
		values := make([]int64, len(u.Props.Observe))
		u.State(values)
		u.Kind()
		if u.Condition == "" || u.Cond == nil {
			t.Fatal("a test without a condition")
		}
	})
}

// FuzzC: no test in C panics or hangs; what has no errors verifies and can be shown,
// and every diagnostic has a position in the file.
func FuzzC(f *testing.F) {
	for _, file := range []string{"testdata/errors.txt", "testdata/c-results.txt"} {
		for _, s := range sections(f, file) {
			if text, _, _ := strings.Cut(s.text, "=>\n"); strings.HasPrefix(text, "C ") {
				f.Add([]byte(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !bytes.HasPrefix(text, []byte("C ")) {
			return
		}
		file := source.NewFile("fuzz.litmus", text)
		u, list := Parse(file, Options{C: translate.Options{Sites: true}})
		for _, d := range list.All {
			if !d.Span.IsValid() || d.Code == "" || d.Message == "" {
				t.Fatalf("diagnostic %+v", d)
			}
		}
		if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
			t.Fatal("a program beside errors, or neither")
		}
		if u.Program == nil {
			return
		}
		for _, err := range ir.Verify(u.Program) {
			t.Error(err)
		}
		u.State(make([]int64, len(u.Props.Observe)))
		u.Kind()
		checkNativeText(t, u)
		for i, p := range u.Sites {
			if p.ReadOnly {
				continue
			}
			u.Write([]ir.FenceAt{{Site: ir.SiteID(i), Kind: ir.FullFence}}, u.FenceStyle(translate.C11))
		}
	})
}
