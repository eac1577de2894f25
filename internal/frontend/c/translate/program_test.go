package translate_test

import (
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestSeveralFiles: files are linked by name, statics stay apart, headers and
// definitions of the user are seen.
func TestSeveralFiles(t *testing.T) {
	one := source.NewFile("one.c", []byte("#include \"shared.h\"\nstatic int n = 1;\nint get(void) { return n + VALUE; }\n"))
	two := source.NewFile("two.c", []byte("#include \"shared.h\"\nstatic int n = 2;\nint x;\nint main(void) { x = n; return get(); }\n"))
	opt := translate.Options{COptions: query.COptions{
		Defines: []string{"VALUE=5", "GONE"}, Undefines: []string{"GONE"},
		Include: func(name string) ([]byte, bool) {
			return []byte("#ifdef GONE\n#error gone\n#endif\nextern int x;\nint get(void);\n"), name == "shared.h"
		},
	}}
	p := testkit.TranslateC(t, opt, one, two).Program
	names := map[string]int{}
	for _, o := range p.Objects {
		names[o.Name[:1]]++
	}
	if names["n"] != 2 || names["x"] != 1 || len(p.Funcs) != 2 {
		t.Errorf("objects %v, %d functions", names, len(p.Funcs))
	}
}

// TestTwoDefinitions: a name is defined once.
func TestTwoDefinitions(t *testing.T) {
	one := source.NewFile("one.c", []byte("int f(void) { return 1; }\nint main(void) { return f(); }\n"))
	two := source.NewFile("two.c", []byte("int f(void) { return 2; }\n"))
	_, diags := translate.Program([]*source.File{one, two}, library.New(), translate.Options{})
	if len(diags.All) != 1 || diags.All[0].Code != "C0003" {
		t.Errorf("got %s", testkit.Messages(diags))
	}
}

// TestLinking: what two files say about one name must fit together, and the
// diagnostic names both positions.
func TestLinking(t *testing.T) {
	const main = "extern int x;\nint f(int);\nint main(void) { return f(x); }\n"
	for _, c := range []struct{ name, one, two, at string }{
		{"fine", "int x;\n", "int f(int a) { return a; }\n", ""},
		{"tentative", "int x; int x; int f(int a) { return a; }\n", "extern int x;\n", ""},
		{"inline", "inline int g(void) { return 1; }\nint x;\nint f(int a) { return g(); }\n", "inline int g(void) { return 2; }\n", ""},
		{"static", "static int y = 1; int x;\nint f(int a) { return y; }\n", "static long y = 2;\n", ""},
		{"two objects", "int x;\nint f(int a) { return a; }\n", "int x;\n", "one.c:1:5"},
		{"object and initialiser", "int x = 1;\nint f(int a) { return a; }\n", "int x;\n", "one.c:1:5"},
		{"types", "int x;\nint f(int a) { return a; }\n", "extern long x;\n", "one.c:1:5"},
		{"parameters", "int x;\n", "int f(int a, int b) { return a; }\n", "main.c:2:5"},
		{"function and object", "int f;\n", "int x;\n", "main.c:2:5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			unit, diags := parseFiles("main.c", main, "one.c", c.one, "two.c", c.two)
			if c.at == "" {
				if unit.Program == nil {
					t.Errorf("refused:\n%s", testkit.Messages(diags))
				}
				return
			}
			if len(diags.All) != 1 || diags.All[0].Code != "C0003" || len(diags.All[0].Notes) != 1 || !strings.Contains(diags.All[0].Notes[0], c.at) {
				t.Errorf("want one C0003 that names %s, got %+v", c.at, diags.All)
			}
		})
	}
}

// parseFiles parses files given by name and text.
func parseFiles(pairs ...string) (*translate.Unit, *diag.List) {
	var files []*source.File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, source.NewFile(pairs[i], []byte(pairs[i+1])))
	}
	return translate.Program(files, library.New(), translate.Options{})
}
