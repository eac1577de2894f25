package read_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// parseWith translates main.c, which may include some headers.
func parseWith(main string, headers map[string]string) (*translate.Unit, *diag.List) {
	opt := translate.Options{COptions: query.COptions{Strict: true, Include: func(name string) ([]byte, bool) {
		text, ok := headers[name]
		return []byte(text), ok
	}}}
	return translate.Program([]*source.File{source.NewFile("main.c", []byte(main))}, library.New(), opt)
}

// TestIncludeOnlyThroughCaller: a file that the caller's Include does not give is not there, even if the machine
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
		u, _ := parseWith(text, map[string]string{"given.h": "int g;\n"})
		if got := u.Program != nil; got != ok {
			t.Errorf("%q is read: %v, want %v", text, got, ok)
		}
	}
}

// TestMissingInclude: every file that is missing is reported where it is included, unless the directive is not
// executed, and nothing else is. The C parser does not come back from an enum that is the end of a text.
func TestMissingInclude(t *testing.T) {
	_, diags := parseWith("#if 0\n#include <no.h>\n#endif\n#include \"here.h\"\n  #  include <no/such.h>\nenum e { a = 0, b, };\nmissing x;\n",
		map[string]string{"here.h": "int y;\n#include \"neither.h\"\nenum f { c, };\n"})
	got := ""
	for _, d := range diags.All {
		got += d.Span.Pos.String() + " " + d.Code + " " + d.Message + "\n"
	}
	want := "here.h:2:10 C0002 include file not found: \"neither.h\"\nmain.c:5:14 C0002 include file not found: <no/such.h>\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestEndlessInclude: files that include themselves without end are refused, whether a
// condition tries to end it or not; files that end are read, and their
// positions are positions in the file.
func TestEndlessInclude(t *testing.T) {
	const end = "int main(void) { return 0; }\n"
	for name, test := range map[string]struct {
		main    string
		headers map[string]string
		want    string // code and position of the first error, "": none
	}{
		"bare":      {"#include \"a.h\"\n" + end, map[string]string{"a.h": "int a;\n#include \"a.h\"\n"}, "C0001 a.h:2:10"},
		"condition": {"#include \"a.h\"\n" + end, map[string]string{"a.h": "#ifndef NEVER\n#include \"a.h\"\n#endif\n"}, "C0001 a.h:2:10"},
		"two": {"#include \"a.h\"\n" + end, map[string]string{
			"a.h": "#ifndef NEVER\n#include \"b.h\"\n#endif\n", "b.h": "#if 1\n#include \"a.h\"\n#endif\n",
		}, "C0001 a.h:2:10"},
		"macro": {"#define NAME \"a.h\"\n#include NAME\n" + end, map[string]string{"a.h": "#if 1\n#include NAME\n#endif\n"}, "C0001 a.h:2:10"},
		"main":  {"#if 1\n#include \"main.c\"\n#endif\n" + end, nil, "C0001 main.c:2:10"},
		"guard": {"#include \"a.h\"\n#include \"a.h\"\n" + end, map[string]string{"a.h": "#ifndef A\n#define A\n#include \"a.h\"\nint a = 1;\n#endif\n"}, ""},
		"once":  {"#include \"a.h\"\n#include \"a.h\"\n" + end, map[string]string{"a.h": "#pragma once\n#include \"a.h\"\nint a = 1;\n"}, ""},
		"counter": {"#include \"a.h\"\n" + end, map[string]string{
			"a.h": "#ifndef ONE\n#define ONE\n#include \"a.h\"\n#elif !defined TWO\n#define TWO\n#include \"a.h\"\n#else\nint end;\n#endif\n",
		}, ""},
		"position": {"#include \"a.h\"\nint main(void) { return f(); }\n", map[string]string{
			"a.h": "#ifndef A\n#define A\n#include \"a.h\"\nstatic int f(void) { return 1.5L > 1; }\n#endif\n",
		}, "C0101 a.h:4:29"},
	} {
		t.Run(name, func(t *testing.T) {
			unit, diags := parseWith(test.main, test.headers)
			got := ""
			for _, d := range diags.All {
				if d.Severity == diag.Error && got == "" {
					got = fmt.Sprintf("%s %s", d.Code, d.Span.Pos)
				}
			}
			if got != test.want || (test.want == "") != (unit.Program != nil) {
				t.Errorf("got %q, want %q\n%s", got, test.want, testkit.Messages(diags))
			}
		})
	}
}
