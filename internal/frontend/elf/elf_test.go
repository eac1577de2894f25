package elf

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// object compiles a text, and skips the test with a notice where there is no gcc.
func compiled(t testing.TB, text string, flags ...string) []byte {
	t.Helper()
	return compiledBy(t, "gcc", "a.c", text, flags...)
}

// compiledBy returns the object that a compiler makes of a file with a name.
func compiledBy(t testing.TB, cc, name, text string, flags ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skip("there is no gcc here, so that there is no machine code")
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, name), filepath.Join(dir, "a.o")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(cc, append([]string{"-w", "-c", "-o", out, src}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(data []byte) (*Unit, []string) {
	u, diags := Parse([]*source.File{source.NewFile("a.o", data)}, Options{})
	var out []string
	for _, d := range diags.All {
		out = append(out, d.Code+" "+d.Message)
	}
	return u, out
}

// TestErrors: programs that cannot be read get an error with its code.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("int main;"), "X0101 the file is neither ELF nor an archive"},
		{compiled(t, "int f(void) { return 0; }\n"), "X0102 the program has no function main"},
		{compiled(t, "int x; __attribute__((destructor)) void f(void) { x = 1; } int main(void) { return x; }\n"), "X0103 functions in the section .fini_array"},
	} {
		u, diags := parse(c.data)
		if u.Program != nil || len(diags) != 1 || !strings.HasPrefix(diags[0], c.want) {
			t.Errorf("%q, want %q", diags, c.want)
		}
	}
}

// TestNotSupported: what has no translation is an operation with a code and a reason.
func TestNotSupported(t *testing.T) {
	for text, want := range map[string]string{
		"int unknown(int); int main(void) { return unknown(1); }\n":                                                                  "X0202 unknown is not defined",
		"double d; int main(void) { d = d * 2; return 0; }\n":                                                                        "X0201 ",
		"void g(char *); int f(int n) { volatile char a[n]; a[0] = 1; return a[n-1]; } int main(int c, char **v) { return f(c); }\n": "X0203 the stack pointer is not known at f+",
		"#include <pthread.h>\nstruct big { long a[5]; }; void *f(struct big b) { return (void *)b.a[1]; } int main(void) { pthread_t t; return pthread_create(&t, 0, (void *(*)(void *))f, 0); }\n": "X0203 f: the function has parameters on the stack, and is called by something that passes none",
		"int main(void) { __asm__ volatile(\"syscall\"); return 0; }\n": "X0201 syscall (bytes 0f 05) is not supported: system calls",
	} {
		u, diags := parse(compiled(t, text, "-O0"))
		if u.Program == nil {
			t.Errorf("%s: %q", text, diags)
			continue
		}
		found := ""
		for _, f := range u.Program.Funcs {
			for i := range f.Edges {
				if op := &f.Edges[i].Op; op.Kind == ir.Unsupported {
					found += op.Report.Code + " " + op.Report.Msg + "\n"
				}
			}
		}
		if !strings.Contains("\n"+found, "\n"+want) {
			t.Errorf("%s: %q, want %q", text, found, want)
		}
	}
}

const smallProgram = `#include <pthread.h>
#include <assert.h>
volatile int x, y; int seen[2]; __thread int mine;
static void *work(void *a) { mine = (long)a; x = 1; seen[(long)a] = y; return 0; }
int main(void) {
  pthread_t t;
  int local[4] = {1, 2, 3, 4};
  pthread_create(&t, 0, work, (void *)1);
  y = local[x & 3];
  pthread_join(t, 0);
  assert(seen[1] < 3);
  return 0;
}
`

// TestMutations: changed code is translated or refused, and what is translated is a valid program.
func TestMutations(t *testing.T) {
	for _, level := range []string{"-O0", "-O2"} {
		data := compiled(t, smallProgram, level)
		if u, diags := parse(data); u.Program == nil {
			t.Fatal(diags)
		}
		r := rand.New(rand.NewPCG(5, 6))
		for range 300 {
			changed := bytes.Clone(data)
			for range 1 + r.IntN(4) {
				changed[0x40+r.IntN(0x180)] = byte(r.IntN(256)) // the code comes first
			}
			u, diags := parse(changed)
			if (u.Program == nil) != (len(diags) > 0) {
				t.Fatalf("a program and errors, or neither: %q", diags)
			}
			if u.Program == nil {
				continue
			}
			if errs := ir.Verify(u.Program); len(errs) > 0 {
				t.Fatalf("the program is broken: %v", errs[0])
			}
		}
	}
}

// FuzzParse: no bytes panic or hang, and a program without errors is valid. Run it with -fuzzminimizetime 1x, as make
// fuzz does: otherwise nearly all the time goes into shrinking each input that reaches new code.
func FuzzParse(f *testing.F) {
	for _, level := range []string{"-O0", "-O2"} {
		f.Add(compiled(f, smallProgram, level))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, diags := parse(data)
		if (u.Program == nil) != (len(diags) > 0) {
			t.Fatalf("a program and errors, or neither: %q", diags)
		}
		if u.Program != nil {
			if errs := ir.Verify(u.Program); len(errs) > 0 {
				t.Fatalf("the program is broken: %v", errs[0])
			}
		}
	})
}
