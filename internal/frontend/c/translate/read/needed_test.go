package read_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// TestSelectedHeaders: names that a search for names must find, or must give up on, are declared as
// they are with complete headers.
func TestSelectedHeaders(t *testing.T) {
	headers := map[string]string{
		"hidden.h": "#include <stdlib.h>\nstatic void *get(void) { return calloc(2, 4); }\n",
		"next.h":   "#include <string.h>\nstatic unsigned long length(const char *s) { return strlen(s); }\n",
	}
	for name, text := range map[string]string{
		"paste":      "#include <limits.h>\n#define JOIN(a, b) a##b\nint x = JOIN(INT_, MAX); int y = JOIN(__INT_MAX, __);",
		"concat":     "#include <sys/cdefs.h>\n#include <limits.h>\nint x = __CONCAT(INT_, MAX);",
		"digraph":    "#include <limits.h>\n%:define JOIN(a, b) a%:%:b\nint x = 1;",
		"suffix":     "#include <stdint.h>\nlong x = INT64_C(7); unsigned long y = UINT64_C(3);",
		"splice":     "#include <limits.h>\nint x = INT_\\\nMAX; int y = __SIZEOF_\\\nINT__;",
		"macro":      "#define NAME \"hidden.h\"\n#include NAME\nvoid *p; int f(void) { p = get(); return 0; }",
		"comment":    "#include /* c */ \"hidden.h\"\nvoid *p; int f(void) { p = get(); return 0; }",
		"included":   "#include \"hidden.h\"\n#include \"next.h\"\nlong n; int f(void) { n = length(\"abc\"); return get() == 0; }",
		"if":         "#include <stdio.h>\n#if BUFSIZ > 100 && __SIZEOF_LONG__ == 8 && defined EOF && __has_attribute(packed) && !__has_attribute(nonsense)\nint x = EOF;\n#endif",
		"attribute":  "#ifdef __has_attribute\n#if __has_attribute(__noreturn__) && __has_c_attribute(fallthrough) && __has_builtin(__builtin_expect)\nint x = 1;\n#endif\n#endif",
		"include":    "#if __has_include(<stdio.h>) && __has_include(\"hidden.h\")\nint x = 1;\n#endif",
		"builtin":    "#include <stdlib.h>\nint x; int f(int y) { x = abs(y) + __builtin_popcount(y) + __builtin_abs(y); return x; }",
		"member":     "#include <signal.h>\n#include <time.h>\nstruct sigaction a; struct timespec t; int f(siginfo_t *i) { return i->si_pid + (int)t.tv_nsec + a.sa_flags; }",
		"stringized": "#include <errno.h>\n#define TEXT2(x) #x\n#define TEXT(x) TEXT2(x)\nconst char s[] = TEXT(EAGAIN) TEXT(__VERSION__);",
		"redeclared": "#include <stdlib.h>\nint atoi(const char *); int f(void) { return atoi(\"7\"); }",
		"own":        "#include <pthread.h>\ntypedef int clockid_t; enum { TIMEOUT = 3 }; int x = TIMEOUT; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
		"missing":    "#include <stdlib.h>\nint x = INT_MAX;",
		"conflict":   "#include <stdlib.h>\nfloat abs(int);",
		"both":       "#include <stdlib.h>\nint x = nonsense;",
		"position":   "#include <pthread.h>\nint pthread_create;",
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(text, "main(") {
				text += "\nint main(void) { return 0; }\n"
			}
			sameWithWholeHeaders(t, "main.c", text, headers)
		})
	}
}

// TestSelectedHeadersOfCorpus: the programs of the corpus become what they become with complete headers.
func TestSelectedHeadersOfCorpus(t *testing.T) {
	dir := "../../../../../testdata/corpus"
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	n := 0
	for _, file := range files {
		if !testkit.InPart(t, filepath.Base(file), 24) {
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		headers := map[string]string{}
		for _, f := range a.Files {
			headers[f.Name] = string(f.Data)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".c") {
				n++
				sameWithWholeHeaders(t, f.Name, string(f.Data), headers)
			}
		}
	}
	t.Logf("%d programs", n)
}

func sameWithWholeHeaders(t *testing.T, name, text string, headers map[string]string) {
	t.Helper()
	read := func(whole bool) string {
		opt := translate.Options{WholeHeaders: whole, Include: func(name string) ([]byte, bool) {
			text, ok := headers[name]
			return []byte(text), ok
		}}
		unit, diags := translate.Program([]*source.File{source.NewFile(name, []byte(text))}, library.New(), opt)
		return unitText(unit, diags)
	}
	if got, want := read(false), read(true); got != want {
		t.Errorf("%s\nwith complete headers:\n%s\nwith selected parts:\n%s", text, want, got)
	}
}

func unitText(u *translate.Unit, diags *diag.List) string {
	out := testkit.Messages(diags)
	if u.Program != nil {
		out += ir.Print(u.Program)
	}
	return out
}
