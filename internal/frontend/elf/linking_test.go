package elf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/query"
)

// unit is a source file of a program of several files.
type unit struct{ name, text string }

// link returns the objects of several files as one program. The test is skipped with a notice where a compiler is
// missing.
func link(t *testing.T, units []unit, flags ...string) query.Input {
	t.Helper()
	var in query.Input
	for i, u := range units {
		cc := "gcc"
		if strings.HasSuffix(u.name, ".cc") {
			cc = "g++"
		}
		data, ok := compileWith(t, cc, u.name, []byte(u.text), append(flags, "-c")...)
		if !ok {
			t.Fatalf("%s refuses %s", cc, u.name)
		}
		if name := u.name + ".o"; i == 0 {
			in.Name, in.Text = name, data
		} else {
			in.More = append(in.More, query.File{Name: name, Text: data})
		}
	}
	return in
}

// TestLinkedTogether: programs of several files whose assertions hold, and that fail with one word changed: what the
// linker chooses and orders.
func TestLinkedTogether(t *testing.T) {
	for _, c := range []struct {
		name, right, wrong string
		units              []unit
	}{
		{"a weak function and a strong one", "== 2", "== 1", []unit{
			{"a.c", "#include <assert.h>\n__attribute__((weak)) int f(void) { return 1; } int main(void) { assert(f() == 2); return 0; }\n"},
			{"b.c", "int f(void) { return 2; }\n"}}},
		{"a weak variable and a strong one", "== 2", "== 1", []unit{
			{"a.c", "#include <assert.h>\n__attribute__((weak)) volatile int v = 1; int main(void) { assert(v == 2); return 0; }\n"},
			{"b.c", "volatile int v = 2;\n"}}},
		{"a weak function alone", "== 1", "== 2", []unit{
			{"a.c", "#include <assert.h>\n__attribute__((weak)) int f(void); int main(void) { assert(f() == 1); return 0; }\n"},
			{"b.c", "__attribute__((weak)) int f(void) { return 1; }\n"}}},
		{"weak symbols that nobody defines", "!f", "f", []unit{
			{"a.c", "#include <assert.h>\n__attribute__((weak)) int f(void); __attribute__((weak)) extern int v; int main(void) { assert(!f); assert(&v == 0); return f ? f() : 0; }\n"}}},
		{"variables without a value in two files", "== 4", "== 3", []unit{
			{"a.c", "#include <assert.h>\nint n __attribute__((common)); void f(void); int main(void) { n = 3; f(); assert(n == 4); return 0; }\n"},
			{"b.c", "int n __attribute__((common)); void f(void) { n++; }\n"}}},
		{"constructors in their order", "== 4123", "== 1234", []unit{
			{"a.c", "#include <assert.h>\nint n; __attribute__((constructor(201))) void two(void) { n = 10 * n + 2; } __attribute__((constructor(101))) void one(void) { n = 10 * n + 1; } __attribute__((constructor)) void three(void) { n = 10 * n + 3; } int main(void) { assert(n == 4123); return 0; }\n"},
			{"b.c", "extern int n; static void four(void) { n = 10 * n + 4; } __attribute__((section(\".preinit_array\"), used)) static void (*first)(void) = four;\n"}}},
		{"constructors in the order of the files", "== 12", "== 21", []unit{
			{"a.c", "#include <assert.h>\nint n; __attribute__((constructor)) void one(void) { n = 10 * n + 1; } int main(void) { assert(n == 12); return 0; }\n"},
			{"b.c", "extern int n; __attribute__((constructor)) void two(void) { n = 10 * n + 2; }\n"}}},
		{"one copy of an inline function", "== 3", "== 1", []unit{
			{"a.cc", "#include <cassert>\ninline int next() { static volatile int n; return n = n + 1; } int other(); int main() { next(); other(); assert(next() == 3); return 0; }\n"},
			{"b.cc", "inline int next() { static volatile int n; return n = n + 1; } int other() { return next(); }\n"}}},
		{"virtual functions of another file", "== 7", "== 1", []unit{
			{"a.cc", "#include <cassert>\nstruct base { virtual int f(); virtual ~base(); }; base *make(); int main() { base *b = make(); assert(b->f() == 7); delete b; return 0; }\n"},
			{"b.cc", "struct base { virtual int f(); virtual ~base(); }; int base::f() { return 1; } base::~base() {} struct derived : base { int k = 7; int f() override { return k; } }; base *make() { return new derived; }\n"}}},
	} {
		if !strings.Contains(c.units[0].text, c.right) {
			t.Fatalf("%s: no %q", c.name, c.right)
		}
		for _, flags := range []string{"-O0", "-O2", "-O2 -fno-pie", "-O2 -fPIC"} {
			if got, why := ask(t, link(t, c.units, strings.Fields(flags)...), "tso", 0); got != "safe" {
				t.Errorf("%s, %s: %s (%s)", c.name, flags, got, why)
			}
			wrong := append([]unit{}, c.units...)
			wrong[0].text = strings.Replace(wrong[0].text, c.right, c.wrong, 1)
			if got, why := ask(t, link(t, wrong, strings.Fields(flags)...), "tso", 0); got != "unsafe" {
				t.Errorf("%s, %s, wrong: %s (%s)", c.name, flags, got, why)
			}
		}
	}
}

// TestRefused: what is not supported makes the answer unknown, with a reason that says what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, flags, want, text string }{
		{"AVX", "-O2 -mavx2 -ftree-vectorize", "-mno-avx", "volatile int n = 8; int a[64], b[64]; int main(void) { for (int i = 0; i < 64; i++) a[i] += b[i]; return a[n]; }\n"},
		{"an indirect function", "-O1", "IFUNC", "static int one(void) { return 1; } static void *choose(void) { return one; } int f(void) __attribute__((ifunc(\"choose\"))); int main(void) { return f(); }\n"},
	} {
		object, ok := compile(t, "a.c", []byte(c.text), append(strings.Fields(c.flags), "-c")...)
		if !ok {
			t.Fatalf("%s: gcc refuses it", c.name)
		}
		got, why := ask(t, query.Input{Name: "a.o", Text: object}, "tso", 0)
		if got != "unknown" || !strings.Contains(why, c.want) || !strings.Contains(why, "a.o:") {
			t.Errorf("%s: %s (%s), want %q", c.name, got, why, c.want)
		}
	}
}

// TestFortified: the variants of functions that -D_FORTIFY_SOURCE makes of calls are in the object, and are taken for the
// functions: the assertion holds, and fails with one number changed.
func TestFortified(t *testing.T) {
	const text = `#include <assert.h>
#include <stdio.h>
#include <string.h>
volatile unsigned long n = 3; char a[8], b[8];
int main(void) { memset(a, 'x', n); memcpy(b, a, n); memmove(b + 1, b, n); strcpy(a, b); strcat(a, "y"); strncpy(b, a, n); sprintf(a, "%s%ld", b, n); snprintf(b, n, "%s", a);
  assert(strlen(a) == 5); assert(strlen(b) == 2); return 0; }
`
	object, ok := compile(t, "a.c", []byte(text), "-c", "-O2", "-D_FORTIFY_SOURCE=2")
	if !ok {
		t.Fatal("gcc refuses it")
	}
	if !strings.Contains(string(object), "_chk") {
		t.Skip("this C library has no _FORTIFY_SOURCE")
	}
	for _, name := range strings.Fields("memset memcpy memmove strncpy sprintf snprintf") {
		if !strings.Contains(string(object), "__"+name+"_chk") {
			t.Errorf("the object has no __%s_chk", name)
		}
	}
	if got, why := ask(t, query.Input{Name: "a.o", Text: object}, "tso", 0); got != "safe" {
		t.Errorf("%s (%s)", got, why)
	}
	if got, why := program(t, strings.Replace(text, "== 5", "== 4", 1), "-c -O2 -D_FORTIFY_SOURCE=2", "tso", query.COptions{}); got != "unsafe" {
		t.Errorf("wrong: %s (%s)", got, why)
	}
}

// TestArchiveMembers: a member of an archive is taken if it is needed, also by another member, and one that is not needed
// may have what is not supported.
func TestArchiveMembers(t *testing.T) {
	if _, err := exec.LookPath("ar"); err != nil {
		t.Skip("there is no ar here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"f": "int g(void); int f(void) { return g() + 1; }\n", "g": "int g(void) { return 4; }\n",
		"h": "int n; __attribute__((constructor)) void h(void) { __builtin_trap(); } int g2(void) { return 1; }\n",
	} {
		object, ok := compile(t, name+".c", []byte(text), "-c", "-O1")
		if !ok {
			t.Fatalf("gcc refuses %s", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".o"), object, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("ar", "rcs", "lib.a", "h.o", "g.o", "f.o")
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	archive, err := os.ReadFile(filepath.Join(dir, "lib.a"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"#include <assert.h>\nint f(void); int main(void) { assert(f() == 5); return 0; }\n": "safe",
		"#include <assert.h>\nint f(void); int main(void) { assert(f() == 4); return 0; }\n": "unsafe",
		"int g2(void); int main(void) { return g2(); }\n":                                    "unsafe", // the constructor comes with it
	} {
		object, ok := compile(t, "main.c", []byte(text), "-c", "-O1")
		if !ok {
			t.Fatal("gcc refuses main")
		}
		in := query.Input{Name: "main.o", Text: object, More: []query.File{{Name: "lib.a", Text: archive}}}
		if got, why := ask(t, in, "tso", 0); got != want {
			t.Errorf("%s: %s (%s), want %s", text, got, why, want)
		}
	}
}
