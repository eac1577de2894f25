package c_test

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

var wanted = regexp.MustCompile(`// want (C\d{4})`)

// TestRefusals: what is not supported is refused, on its line and with its code,
// and nothing else is.
func TestRefusals(t *testing.T) {
	codes := map[string]bool{}
	for _, f := range refusals(t) {
		t.Run(f.Name, func(t *testing.T) {
			var want, got []string
			for i, line := range strings.Split(string(f.Data), "\n") {
				for _, m := range wanted.FindAllStringSubmatch(line, -1) {
					want = append(want, fmt.Sprintf("%s:%d %s", f.Name, i+1, m[1]))
					codes[m[1]] = true
				}
			}
			unit, diags := c.Parse([]*source.File{source.NewFile(f.Name, f.Data)}, c.Options{})
			for _, d := range diags.All {
				got = append(got, fmt.Sprintf("%s:%d %s", d.Span.File, d.Span.Line, d.Code))
				if d.Message == "" || strings.Contains(d.Message, ".go:") {
					t.Errorf("a message that helps nobody: %q", d.Message)
				}
			}
			sort.Strings(want)
			sort.Strings(got)
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("want %v\ngot  %v\n%s", want, got, messages(diags))
			}
			if diags.HasErrors() != (unit.Program == nil) {
				t.Errorf("errors: %v, program: %v", diags.HasErrors(), unit.Program != nil)
			}
		})
	}
	var source []byte
	for _, file := range []string{"translate/codes.go", "translate/read/codes.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	codes["C0003"] = true                       // needs two files: TestTwoDefinitions
	codes["C0806"] = true                       // needs an option: testdata/scripts/c-nondet.txtar
	codes["C0120"], codes["C0820"] = true, true // proofs only: TestInvariants
	for _, m := range regexp.MustCompile(`"(C\d{4})"`).FindAllStringSubmatch(string(source), -1) {
		if !codes[m[1]] {
			t.Errorf("no program is refused with %s", m[1])
		}
	}
}

// refusals are the programs that are refused.
func refusals(t *testing.T) []txtar.File {
	t.Helper()
	var files []txtar.File
	for _, name := range []string{"testdata/refusals.txtar", "testdata/refusals-library.txtar"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, txtar.Parse(data).Files...)
	}
	return files
}

func messages(l *diag.List) string {
	var b strings.Builder
	for _, d := range l.All {
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Span.Pos, d.Code, d.Message)
	}
	return b.String()
}

// parse translates a program that must be accepted.
func parse(t *testing.T, opt c.Options, files ...*source.File) *c.Unit {
	t.Helper()
	unit, diags := c.Parse(files, opt)
	if diags.HasErrors() {
		t.Fatalf("refused:\n%s", messages(diags))
	}
	if errs := ir.Verify(unit.Program); len(errs) > 0 {
		t.Fatalf("a broken program: %v", errs)
	}
	return unit
}

// TestSeveralFiles: files are linked by name, statics stay apart, headers and
// definitions of the user are seen.
func TestSeveralFiles(t *testing.T) {
	one := source.NewFile("one.c", []byte("#include \"shared.h\"\nstatic int n = 1;\nint get(void) { return n + VALUE; }\n"))
	two := source.NewFile("two.c", []byte("#include \"shared.h\"\nstatic int n = 2;\nint x;\nint main(void) { x = n; return get(); }\n"))
	opt := c.Options{
		Defines: []string{"VALUE=5", "GONE"}, Undefines: []string{"GONE"},
		Include: func(name string) ([]byte, bool) {
			return []byte("#ifdef GONE\n#error gone\n#endif\nextern int x;\nint get(void);\n"), name == "shared.h"
		},
	}
	p := parse(t, opt, one, two).Program
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
	_, diags := c.Parse([]*source.File{one, two}, c.Options{})
	if len(diags.All) != 1 || diags.All[0].Code != "C0003" {
		t.Errorf("got %s", messages(diags))
	}
}

// TestLinking: what two files say about one name must fit together, and the
// diagnostic names both position.
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
					t.Errorf("refused:\n%s", messages(diags))
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
func parseFiles(pairs ...string) (*c.Unit, *diag.List) {
	var files []*source.File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, source.NewFile(pairs[i], []byte(pairs[i+1])))
	}
	return c.Parse(files, c.Options{})
}

// TestExtern: functions without a body can be declared harmless or a fence.
func TestExtern(t *testing.T) {
	f := source.NewFile("x.c", []byte("void quiet(int);\nvoid barrier(void);\nint x;\nint main(void) { quiet(x); barrier(); return 0; }\n"))
	p := parse(t, c.Options{ExternPure: []string{"quiet"}, ExternFence: []string{"barrier"}}, f).Program
	var kinds []string
	for i := range p.Funcs[0].Edges {
		kinds = append(kinds, p.Funcs[0].Edges[i].Op.Kind.String())
	}
	if got := strings.Join(kinds, " "); got != "load fence return" {
		t.Errorf("got %s", got)
	}
}

// TestExpect: the expectation of a comment is found.
func TestExpect(t *testing.T) {
	f := source.NewFile("x.c", []byte("/* A program. */\n// expect: sc=safe tso=unsafe\nint main(void) { return 0; }\n"))
	if got := parse(t, c.Options{}, f).Expect; got != "sc=safe tso=unsafe" {
		t.Errorf("got %q", got)
	}
}

// TestPositions: edges carry the stretch of the statement, calls of macros as a
// whole.
func TestPositions(t *testing.T) {
	text := "#include <assert.h>\nint x;\nint main(void) {\n  x = 1;\n  assert(x ==\n         (1));\n  return x + 1;\n}\n"
	f := source.NewFile("x.c", []byte(text))
	p := parse(t, c.Options{}, f).Program
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
