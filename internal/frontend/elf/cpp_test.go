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

// askCpp compiles a program of C++ and asks about it.
func askCpp(t *testing.T, compiler, src, question string, flags ...string) (verdict, reason string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.o")
	if msg, err := exec.Command(compiler, append(flags, "-std=c++20", "-g", "-c", "-o", out, src)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, query.Input{Name: "a.o", Text: object}, question, 10*time.Minute)
}

// TestCppStd: programs that use one thing each of the library of C++ are safe, and each has a mistake if it is compiled
// with -DBUG. make fuzz tries all, at more levels of optimisation, where an answer may be unknown, but not wrong.
func TestCppStd(t *testing.T) {
	ar, err := txtar.ParseFile(filepath.Join("testdata", "cpp.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		first, _, _ := strings.Cut(string(f.Data), "\n")
		for _, compiler := range []string{"g++", "clang++"} {
			if strings.Contains(first, "TestStdMatrix only") || !testkit.Slow() && (!strings.Contains(first, "always") || compiler != "g++") {
				continue
			}
			t.Run(f.Name+"/"+compiler, func(t *testing.T) {
				if _, err := exec.LookPath(compiler); err != nil {
					t.Skipf("there is no %s here", compiler)
				}
				src := filepath.Join(t.TempDir(), "a.cc")
				if err := os.WriteFile(src, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				cppStd(t, compiler, src, strings.Contains(first, " "+compiler), strings.Contains(first, "never"))
			})
		}
	}
}

// cppStd asks about a program, right and wrong. decided says that the answers at -O2 are to be known; broken, that the
// program is wrong as it is.
func cppStd(t *testing.T, compiler, src string, decided, broken bool) {
	t.Helper()
	levels := []string{"-O2"}
	if testkit.Slow() {
		levels = []string{"-O1", "-O2", "-O3"}
	}
	for _, level := range levels {
		for want, flag := range map[string]string{"safe": "-UBUG", "unsafe": "-DBUG"} {
			if broken && want == "safe" {
				continue
			}
			got, why := askCpp(t, compiler, src, "tso", level, flag, hashOfText)
			if got != want && (got != "unknown" || level == "-O2" && decided) {
				t.Errorf("%s %s: %s (%s), want %s", level, flag, got, why, want)
			}
		}
	}
}

// hashOfText gives hash.cc the number that std::hash returns on the processor for its text.
const hashOfText = "-DHASH=16246644741531312551ul"

// TestUncaught: an exception that nothing catches is an error that names its type.
func TestUncaught(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++ here, so that exceptions are not tried")
	}
	for _, c := range []struct{ text, want, why string }{
		{"struct E { int v; };\nint main(int c, char **) { if (c) throw E{3}; }\n", "unsafe",
			"every exception of type E is caught"},
		{"#include <stdexcept>\nint main(int c, char **) { if (c) throw std::out_of_range(\"x\"); }\n", "unsafe",
			"every exception of type std::out_of_range is caught"},
		{"int f(int c) { if (c) throw 3; return 1; }\n" +
			"int main(int c, char **) noexcept { return f(c) - 1; }\n",
			"unsafe", "no exception leaves"},
		{"#include <cassert>\nint f(int c) { if (c > 2) throw 3; return 1; }\n" +
			"int main(int c, char **) { try { assert(f(c) == 1); } catch (int) { return 0; } }\n", "safe", ""},
		{"#include <memory>\n#include <vector>\n" +
			"int main() { auto p = std::make_unique<int>(3); std::vector<int> v; v.push_back(*p);\n" +
			"try { return v.at(0) - 3; } catch (...) { return 1; } }\n", "safe", ""},
	} {
		src := filepath.Join(t.TempDir(), "a.cc")
		if err := os.WriteFile(src, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, why := askCpp(t, "g++", src, "tso", "-O1"); got != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %s (%s), want %s", c.text, got, why, c.want)
		}
	}
}

// cppCompilers returns the compilers of C++ on the machine.
func cppCompilers() []string {
	var out []string
	for _, name := range []string{"g++", "clang++"} {
		if _, err := exec.LookPath(name); err == nil {
			out = append(out, name)
		}
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			more, _ := filepath.Glob(filepath.Join(dir, name+"-[0-9]*"))
			out = append(out, more...)
		}
	}
	return out
}

// TestCppExamples: the examples in C++ have the verdicts of their comments. make test tries some, with the first
// compiler; make fuzz all, with every compiler on the machine.
func TestCppExamples(t *testing.T) {
	compilers := cppCompilers()
	if len(compilers) == 0 {
		t.Skip("there is no g++ here, and no clang++, so that the examples are not tried")
	}
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "cpp", "*.cc"))
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d examples (%v)", len(paths), err)
	}
	levels := []string{"-O2"}
	if testkit.Slow() {
		levels = []string{"-O1", "-O2", "-O3"}
	} else {
		compilers = compilers[:1]
	}
	for _, path := range paths {
		if !testkit.InPart(t, filepath.Base(path), 3) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "// expect:")
		line, _, _ := strings.Cut(rest, "\n")
		if len(strings.Fields(line)) == 0 {
			t.Errorf("%s expects nothing", path)
		}
		for _, compiler := range compilers {
			for _, level := range levels {
				for _, pair := range strings.Fields(line) {
					question, want, _ := strings.Cut(pair, "=")
					if got, why := askCpp(t, compiler, path, question, level); got != want {
						t.Errorf("%s %s %s: %s is %s (%s), want %s", filepath.Base(path), compiler, level, question, got, why, want)
					}
				}
			}
		}
	}
}
