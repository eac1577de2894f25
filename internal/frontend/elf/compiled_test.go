package elf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/testkit"
	"fencepost/query"
)

// compiledForms are the forms of machine code that TestCompiled compares.
var compiledForms = [][]string{{"-c"}, {"-c", "-fno-pie"}, {"-fPIE", "-pie"}, {"-fno-pie", "-no-pie"}}

// TestCompiled: programs that use what compilers do with the stack and with data, one thing each, in the four forms, from
// two compilers at four levels. CHECK holds on the processor, and so it does here; with -DWRONG it fails. The comment in
// the first line may say what is not supported, and in which forms. One combination in 40 is for make test.
func TestCompiled(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "compiled.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	prelude := "#include <assert.h>\n#ifdef WRONG\n#define CHECK(x) assert(!(x))\n#else\n#define CHECK(x) assert(x)\n#endif\n#define NI __attribute__((noinline))\n#line 1\n"
	asked := 0
	for _, f := range txtar.Parse(data).Files {
		text := []byte(prelude + string(f.Data))
		first, _, _ := strings.Cut(string(f.Data), "\n")
		_, permitted, _ := strings.Cut(strings.TrimSuffix(first, " */"), "may be unknown: ")
		ran := false
		for _, cc := range []string{"gcc", "clang"} {
			if _, err := exec.LookPath(cc); err != nil {
				t.Logf("there is no %s here", cc)
				continue
			}
			for _, level := range []string{"-O0", "-O1", "-O2", "-O3", "-Os"} {
				for _, form := range compiledForms {
					for _, wrong := range []string{"-DRIGHT", "-DWRONG"} {
						name := strings.Join([]string{f.Name, cc, level, strings.Join(form, " "), wrong}, " ")
						if !testkit.InPart(t, name, 40) {
							continue
						}
						if !ran {
							ran = true
							runNative(t, cc, text, level)
						}
						binary, ok := compileWith(t, cc, f.Name, text, append([]string{level, wrong, "-pthread"}, form...)...)
						if !ok {
							t.Errorf("%s: it is refused", name)
							continue
						}
						want := map[string]string{"-DRIGHT": "safe", "-DWRONG": "unsafe"}[wrong]
						got, why := ask(t, query.Input{Name: "a.o", Text: binary}, "tso", 30*time.Second)
						asked++
						if got != want && !(got == "unknown" && permitted != "" && strings.Contains(why, permitted)) {
							t.Errorf("%s: %s (%s), want %s", name, got, why, want)
						}
					}
				}
			}
		}
	}
	t.Logf("%d answers", asked)
}

// runNative checks that CHECK holds on the processor, and fails with -DWRONG.
func runNative(t *testing.T, cc string, text []byte, level string) {
	t.Helper()
	for _, wrong := range []string{"-DRIGHT", "-DWRONG"} {
		binary, ok := compileWith(t, cc, "a.c", text, level, wrong, "-pthread")
		if !ok {
			t.Errorf("%s does not link it:\n%s", cc, text)
			return
		}
		path := filepath.Join(t.TempDir(), "a.out")
		if err := os.WriteFile(path, binary, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command(path).Run(); (err == nil) != (wrong == "-DRIGHT") {
			t.Errorf("%s %s on the processor: %v\n%s", level, wrong, err, text)
		}
	}
}

// TestTablesOfMethods: a table of methods, of which the first one jumps through a pointer, is none of a switch, although its
// address was in the register that the jump uses. So g++ compiles the destructor of the state that a promise<void> shares.
func TestTablesOfMethods(t *testing.T) {
	text := []byte(`#include <assert.h>
int ends;
void last(void *o) { ends++; }
void other(void *o) { ends += 10; }
extern void dispose(void *);
__attribute__((section(".data.rel.ro"))) void (*const table[2])(void *) = {dispose, other};
__attribute__((section(".data.rel.ro"))) void (*const methods[2])(void *) = {last, other};
__asm__(".text\n.globl dispose\n.hidden table\n.hidden last\n.type dispose, @function\ndispose:\n"
        "lea table(%rip), %rax\nmov %rax, (%rdi)\nmov 8(%rdi), %rdi\ntest %rdi, %rdi\nje 1f\n"
        "mov (%rdi), %rax\nlea last(%rip), %rcx\nmov (%rax), %rdx\ncmp %rcx, %rdx\njne 2f\njmp *(%rax)\n"
        "1: ret\n2: jmp *%rdx\n.size dispose, .-dispose\n");
struct object { void (*const *table)(void *); struct object *next; } second = {methods, 0};
int main(void) {
  struct object e = {0, 0};
  dispose(&e);
  assert(e.table[0] == dispose);
  struct object *volatile next = &second;
  struct object o = {0, next};
  dispose(&o);
  assert(o.table[0] == dispose);
  o.table[0](&o);
#ifdef WRONG
  assert(ends != 2);
#endif
  assert(ends == 2);
}
`)
	runNative(t, "gcc", text, "-O1")
	for _, form := range compiledForms {
		if !testkit.InPart(t, strings.Join(form, " "), 2) {
			continue
		}
		for want, wrong := range map[string]string{"safe": "-DRIGHT", "unsafe": "-DWRONG"} {
			binary, ok := compileWith(t, "gcc", "a.c", text, append([]string{"-O1", wrong, "-pthread"}, form...)...)
			if !ok {
				t.Fatalf("gcc %s refuses it", form)
			}
			if got, why := ask(t, query.Input{Name: "a.o", Text: binary}, "tso", 0); got != want {
				t.Errorf("%s %s: %s (%s), want %s", form, wrong, got, why, want)
			}
		}
	}
}
