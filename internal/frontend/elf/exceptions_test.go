package elf_test

import (
	"fmt"
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

// exceptionLevels are the levels of optimisation at which programs with exceptions are compiled.
var exceptionLevels = []string{"-O0", "-O1", "-O2", "-O3", "-Os"}

// exceptionHead comes before the programs with exceptions.
const exceptionHead = "#include <cassert>\n#ifdef WRONG\n#define CHECK(x) assert(!(x))\n#else\n#define CHECK(x) assert(x)\n#endif\n#define NI __attribute__((noinline))\n#line 1\n"

// compileCpp compiles a program of C++, and returns the file.
func compileCpp(t *testing.T, text []byte, command ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, "a.cc"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(src, text, 0o644); err != nil {
		t.Fatal(err)
	}
	command = append(command, "-w", "-g", "-pthread", "-o", out, src)
	if msg, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", command, err, msg)
	}
	return out
}

// askFile asks about a program that is compiled.
func askFile(t *testing.T, path, question string) (verdict, reason string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, query.Input{Name: "a.o", Text: data}, question, 2*time.Minute)
}

// exceptionPrograms returns the programs of a file in testdata, each with the comment in its first line.
func exceptionPrograms(t *testing.T, name string) (programs []txtar.File, first map[string]string) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	first = map[string]string{}
	for _, f := range ar.Files {
		line, _, _ := strings.Cut(string(f.Data), "\n")
		first[f.Name], _ = strings.CutPrefix(line, "// ")
	}
	return ar.Files, first
}

// TestExceptionsRun: programs that throw and catch exceptions do what they do on the processor, in the four forms, from two
// compilers at five levels. One combination in 300 is for make test.
func TestExceptionsRun(t *testing.T) {
	programs, first := exceptionPrograms(t, "exceptions.txtar")
	asked, unknown := 0, 0
	for _, f := range programs {
		text := []byte(exceptionHead + string(f.Data))
		ends := strings.HasPrefix(first[f.Name], "ends")
		_, permitted, _ := strings.Cut(first[f.Name], "may be unknown: ")
		for _, cc := range cppCompilers()[:min(2, len(cppCompilers()))] {
			for _, level := range exceptionLevels {
				for _, form := range compiledForms {
					for _, wrong := range []string{"-DRIGHT", "-DWRONG"} {
						name := strings.Join([]string{f.Name, filepath.Base(cc), level, strings.Join(form, " "), wrong}, " ")
						if ends && wrong == "-DWRONG" || !testkit.InPart(t, name, 300) {
							continue
						}
						standard := "-std=c++17"
						if strings.Contains(first[f.Name], "-std=c++14") {
							standard = "-std=c++14"
						}
						path := compileCpp(t, text, append([]string{cc, level, standard, wrong}, form...)...)
						want := "safe"
						if ends || wrong == "-DWRONG" {
							want = "unsafe"
						}
						if form[0] != "-c" {
							if err := exec.Command(path).Run(); (err == nil) != (want == "safe") {
								t.Errorf("%s: on the processor: %v", name, err)
							}
						}
						asked++
						got, why := askFile(t, path, "tso")
						if got == "unknown" {
							unknown++
						}
						if got != want && !(got == "unknown" && permitted != "" && strings.Contains(why, permitted)) {
							t.Errorf("%s: %s (%s), want %s", name, got, why, want)
						}
					}
				}
			}
		}
	}
	t.Logf("%d answers, %d of them unknown", asked, unknown)
}

// TestThreadExitDestructors: pthread_exit runs the destructors of the functions on the stack. The answer is not known where
// there are some, and is known where there are none.
func TestThreadExitDestructors(t *testing.T) {
	if len(cppCompilers()) == 0 {
		t.Skip("no g++ and no clang++ here")
	}
	const text = `#include <cassert>
#include <pthread.h>
static int gone;
struct G { ~G() { gone = 1; } };
__attribute__((noinline)) static void leave() { pthread_exit(nullptr); }
static void *work(void *) { GUARD leave(); return nullptr; }
int main() { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); assert(gone == WANT); }
`
	for _, c := range []struct{ guard, gone, want string }{{"G g;", "1", "unknown"}, {"", "0", "safe"}, {"", "1", "unsafe"}} {
		path := compileCpp(t, []byte(text), cppCompilers()[0], "-O1", "-DGUARD="+c.guard, "-DWANT="+c.gone)
		if err := exec.Command(path).Run(); (err == nil) != (c.want != "unsafe") {
			t.Errorf("%s: on the processor: %v", c.guard, err)
		}
		if got, why := askFile(t, path, "tso"); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.guard, got, why, c.want)
		}
	}
}

// TestExceptionsInThreads: programs with threads are safe under SC and TSO, and their planted bugs are found. One combination
// in 60 is for make test.
func TestExceptionsInThreads(t *testing.T) {
	programs, first := exceptionPrograms(t, "exceptions_threads.txtar")
	for _, f := range programs {
		text := []byte(exceptionHead + string(f.Data))
		for _, cc := range cppCompilers()[:min(2, len(cppCompilers()))] {
			for _, level := range exceptionLevels {
				for _, bug := range []string{"-UBUG", "-DBUG"} {
					for _, model := range []string{"sc", "tso"} {
						name := fmt.Sprint(f.Name, filepath.Base(cc), level, bug, model)
						if !testkit.InPart(t, name, 60) {
							continue
						}
						want := "safe"
						if bug == "-DBUG" && (model == "tso" || first[f.Name] != "wrong under TSO only") {
							want = "unsafe"
						}
						path := compileCpp(t, text, cc, level, "-std=c++17", bug, "-c")
						if got, why := askFile(t, path, model); got != want {
							t.Errorf("%s: %s (%s), want %s", name, got, why, want)
						}
					}
				}
			}
		}
	}
}
