package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// The sources of the library live apart from the program: whatever the program calls its own things, the
// functions of the library stay the same.

var (
	word        = regexp.MustCompile(`[A-Za-z_]\w*`)
	noWord      = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])+'|#include[^\n]*|\b[0-9]\w*`)
	definition  = regexp.MustCompile(`(?m)^[A-Za-z][\w \t*]*?\**(\w+)\([^\n]*\{`)
	keywordsOfC = strings.Fields("auto break case char const continue default do double else enum extern float for goto if inline int long " +
		"register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Thread_local")
)

// namesIn returns the identifiers of a text.
func namesIn(text string) []string {
	all := word.FindAllString(noWord.ReplaceAllString(text, " "), -1)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return slices.Contains(keywordsOfC, name) })
}

// librarySources returns the texts of the library's sources, by name.
func librarySources(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("source", "*.c"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	out := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = string(text)
	}
	return out
}

// addressClient is a program that takes the address of every function that a source of the library defines for others.
func addressClient(text string) (program string, functions []string) {
	var b strings.Builder
	b.WriteString("static void *table[] = {")
	var prototypes strings.Builder
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[0], "static ") {
			continue
		}
		functions = append(functions, m[1])
		name := strings.TrimPrefix(m[1], "__fp_address_") // of a function without a body
		if !strings.HasPrefix(name, "__builtin_") {
			fmt.Fprintf(&prototypes, "int %s(); ", name)
		}
		fmt.Fprintf(&b, "(void *)%s, ", name)
	}
	b.WriteString("0};\nint main(void) { return table[0] == 0; }\n")
	return prototypes.String() + b.String(), functions
}

// printed translates a program and returns it in words, with the names of the library's functions that are
// part of it.
func printed(t *testing.T, opt translate.Options, texts ...string) (text string, functions []string) {
	t.Helper()
	var files []*source.File
	for i, text := range texts {
		files = append(files, source.NewFile(fmt.Sprintf("file%d.c", i), []byte(text)))
	}
	u, diags := translate.Program(files, library.New(), opt)
	if u.Program == nil {
		t.Fatalf("%s\n%s", testkit.Messages(diags), strings.Join(texts, "\n--\n"))
	}
	for _, f := range u.Program.Funcs {
		if read.IsLibrary(f.Pos.File) {
			functions = append(functions, f.Name)
		}
	}
	return irtext.Print(u.Program), functions
}

// ways are the ways to define a name: in a file of its own, before the program, or on the command line.
var ways = []struct {
	what                 string
	file, before, option string
}{
	{"function", "long %s(void) { return 12345; }", "", ""},
	{"function of another type", "void *%s(void *a, long b, long c, long d, long e, long f, long g, long h) { return a; }", "", ""},
	{"weak function", "__attribute__((weak)) long %s(void) { return 12345; }", "", ""},
	{"static function", "", "static long %s(void) { return 12345; }", ""},
	{"naked function", "__attribute__((naked)) long %s(void);", "", ""},
	{"variable", "long %s[3] = {1, 2, 3};", "", ""},
	{"declared variable", "extern long %s; long *address_of_%[1]s(void) { return &%[1]s; }", "", ""},
	{"thread-local variable", "_Thread_local long %s = 5;", "", ""},
	{"static variable", "", "static long %s = 5;", ""},
	{"type", "", "typedef struct { char a[77]; } %s;", ""},
	{"vector type", "typedef int %s __attribute__((vector_size(16)));", "", ""},
	{"tag", "", "struct %s { char a[77]; };", ""},
	{"enumerator", "", "enum { %s = 12345 };", ""},
	{"macro", "", "#define %s 12345", ""},
	{"macro with parameters", "", "#define %s(...) 12345", ""},
	{"option", "", "", "%s=12345"},
	{"option that is empty", "", "", "%s="},
}

// TestNamesOfLibrary: a program that defines every name of a source of the library, in every way, gets the same
// functions of the library.
func TestNamesOfLibrary(t *testing.T) {
	predefined, err := os.ReadFile(filepath.Join("..", "read", "include", "predefined.h"))
	if err != nil {
		t.Fatal(err)
	}
	builtIn := word.FindAllString(string(predefined), -1) // names that no program may define
	slices.Sort(builtIn)
	for name, text := range librarySources(t) {
		program, defines := addressClient(text)
		taken := namesIn(program)
		var names []string
		for _, n := range namesIn(text) {
			_, reserved := slices.BinarySearch(builtIn, n)
			if reserved = strings.HasPrefix(n, "__") && reserved || strings.HasPrefix(n, "__ATOMIC_"); !reserved && !slices.Contains(taken, n) {
				names = append(names, n)
			}
		}
		lines := strings.Repeat("\n", len(names))
		want, have := printed(t, translate.Options{}, lines+program)
		for _, f := range defines {
			if !slices.Contains(have, f) {
				t.Errorf("%s: %s is not part of the program", name, f)
			}
		}
		for _, way := range ways {
			opt := translate.Options{}
			var file, before strings.Builder
			for _, n := range names {
				if way.file != "" && !replaces(way.what, n) {
					fmt.Fprintf(&file, way.file+"\n", n)
				}
				if way.before != "" {
					fmt.Fprintf(&before, way.before+"\n", n)
				}
				if way.option != "" {
					opt.Defines = append(opt.Defines, fmt.Sprintf(way.option, n))
				}
			}
			texts := []string{lines + program}
			if way.before != "" {
				texts[0] = before.String() + program
			}
			if way.file != "" {
				texts = append(texts, file.String())
			}
			if got, _ := printed(t, opt, texts...); got != want {
				t.Errorf("%s: another program where each name is a %s", name, way.what)
			}
		}
	}
}

// replaces reports whether a definition replaces a function that C libraries let programs replace.
func replaces(what, name string) bool {
	return strings.Contains(what, "function") && slices.Contains([]string{"malloc", "calloc", "realloc", "free", "aligned_alloc"}, name)
}

// TestNamesOfLibraryAreHidden: a program that declares a name which only the sources of the library have does not
// get it.
func TestNamesOfLibraryAreHidden(t *testing.T) {
	static := regexp.MustCompile(`(?m)^static [\w \t*]*?\**(\w+)\(`)
	variable := regexp.MustCompile(`(?m)^static [^()\n]*?\**(\w+)(?:\[\w+\])?(?: = [^\n]*)?;`)
	n := 0
	for name, text := range librarySources(t) {
		_, defines := addressClient(text)
		program := ""
		if len(defines) > 0 && !strings.HasPrefix(defines[0], "__builtin_") { // so that the source is part of the program
			program = "int " + defines[0] + "(); void *first = (void *)" + defines[0] + ";\n"
		}
		refused := func(kind, what, program string) {
			n++
			_, diags := translate.Program([]*source.File{source.NewFile("a.c", []byte(program))}, library.New(), translate.Options{COptions: query.COptions{Strict: true}})
			if !slices.ContainsFunc(diags.All, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Span.File == "a.c" }) {
				t.Errorf("%s: a program gets the %s %s:\n%s", name, kind, what, program)
			}
		}
		for _, m := range static.FindAllStringSubmatch(text, -1) {
			refused("function", m[1], program+"long "+m[1]+"(); int main(void) { return first && "+m[1]+"(); }\n")
		}
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			refused("variable", m[1], program+"extern int "+m[1]+"; int main(void) { return first && "+m[1]+"; }\n")
		}
	}
	if n < 25 {
		t.Errorf("only %d names", n)
	}
}

// TestFlagsOfLibrary: flags of gcc and the standard that change what C means do not reach the library.
func TestFlagsOfLibrary(t *testing.T) {
	for name, text := range librarySources(t) {
		program, _ := addressClient(text)
		want, _ := printed(t, translate.Options{}, program)
		for _, opt := range []query.COptions{
			{Flags: []string{"-funsigned-char"}}, {Flags: []string{"-fshort-enums"}}, {Flags: []string{"-std=c99"}}, {Std: "c11"}, {Flags: []string{"-ansi"}},
			{Flags: []string{"-U__x86_64__", "-include", "mine.h"}, Include: func(string) ([]byte, bool) { return []byte("#define if while\n#define return goto\n"), true }},
		} {
			if opt.Include != nil {
				program = strings.NewReplacer("return table[0] == 0; ", "").Replace(program)
				want, _ = printed(t, translate.Options{}, program)
			}
			if got, _ := printed(t, translate.Options{COptions: opt}, program); got != want {
				t.Errorf("%s: another program with %v %s", name, opt.Flags, opt.Std)
			}
		}
	}
}

// TestReplacedMalloc: strdup calls the program's malloc if it has one, as with the C libraries of systems, and a
// malloc that is something else has nothing to do with it.
func TestReplacedMalloc(t *testing.T) {
	const text = `#include <string.h>
void __VERIFIER_assert(int);
%s
int main(void) { char *p = strdup("a"); __VERIFIER_assert(used == %d && *p == 'a'); return 0; }
`
	for want, malloc := range []string{
		"static int used; static void *malloc(size_t n) { used++; return 0; }",
		"static char pool[9]; int used; void *malloc(size_t n) { used++; return pool; }",
	} {
		if got := testkit.CheckC(t, fmt.Sprintf(text, malloc, want)); got != verdict.Safe {
			t.Errorf("%s with %s", got, malloc)
		}
	}
}
