package elf_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/internal/testkit"
	"fencepost/query"
)

var levels = []string{"-O0", "-O1", "-O2"}

// compile returns the object or, without -c, the executable that gcc makes of a text; ok is false if it does not take the text. The test is
// skipped with a notice where there is no gcc.
func compile(t testing.TB, name string, text []byte, flags ...string) (object []byte, ok bool) {
	t.Helper()
	return compileWith(t, "gcc", name, text, flags...)
}

func compileWith(t testing.TB, cc, name string, text []byte, flags ...string) (object []byte, ok bool) {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("there is no %s here, so that there is no machine code", cc)
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, filepath.Base(name)), filepath.Join(dir, "out.o")
	if err := os.WriteFile(src, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc, append([]string{"-g", "-w", "-o", out, filepath.Base(name)}, flags...)...)
	cmd.Dir = dir
	if cmd.Run() != nil {
		return nil, false
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return object, true
}

// ask returns the verdict under a model, or whether a program is robust; or the reason why it is not known.
func ask(t *testing.T, in query.Input, question string, limit time.Duration) (verdict, reason string) {
	t.Helper()
	return askWith(t, in, question, limit, query.COptions{})
}

func askWith(t *testing.T, in query.Input, question string, limit time.Duration, c query.COptions) (verdict, reason string) {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout, opt.C = 1, limit, c
	var a query.Answer
	var err error
	if question == "robust" {
		a, err = robust.Run(context.Background(), in, query.RobustOptions{Options: opt.Options})
	} else {
		a, err = check.Run(context.Background(), in, opt.Under(query.Model(question)))
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.HasErrors() {
		return "error", a.Diagnostics[0].Message
	}
	got := a.Results[0].Verdict.String()
	if question == "robust" {
		return map[string]string{"safe": "yes", "unsafe": "no", "unknown": "unknown"}[got], a.Results[0].Reason
	}
	return got, a.Results[0].Reason
}

// differs has the examples for which the machine code has another answer than the source, and why.
var differs = map[string]string{}

// TestExamples: the machine code that gcc makes of the examples gets the verdicts that the comments of the
// sources expect, under SC and TSO, at three levels of optimisation.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*.c"))
	if err != nil || len(paths) < 11 {
		t.Fatalf("%d examples (%v)", len(paths), err)
	}
	comment := regexp.MustCompile(`// expect:(.*)`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		expect := strings.Fields(string(comment.FindSubmatch(text)[1]))
		for _, level := range levels {
			name := filepath.Base(path) + " " + level
			object, ok := compile(t, path, text, "-c", level)
			if !ok {
				t.Errorf("%s: gcc refuses it", name)
				continue
			}
			in := query.Input{Name: strings.TrimSuffix(filepath.Base(path), ".c") + ".o", Text: object}
			for _, pair := range expect {
				question, want, _ := strings.Cut(pair, "=")
				if question == "pso" {
					continue // no model of x86
				}
				got, why := ask(t, in, question, 0)
				if reason := differs[name]; reason != "" {
					if !strings.HasPrefix(reason, got+":") {
						t.Errorf("%s: %s is %s (%s), the list says %q", name, question, got, why, reason)
					}
				} else if got != want {
					t.Errorf("%s: %s is %s (%s), want %s", name, question, got, why, want)
				}
			}
		}
	}
}

// TestMachineExamples: the examples in C++ and Rust have the verdicts that their comments expect. Rust is for make
// fuzz.
func TestMachineExamples(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "examples", "machine")
	compilers := map[string][]string{
		".cc": {"g++", "-g", "-O2", "-c"}, ".rs": {"rustc", "--edition", "2021", "--crate-type=lib", "--emit=obj", "-C", "panic=abort", "-g", "-O"},
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	comment, asked := regexp.MustCompile(`// expect:(.*)`), 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		expect, cc := comment.FindSubmatch(text), compilers[filepath.Ext(e.Name())]
		if expect == nil || cc == nil || cc[0] == "rustc" && !testkit.Slow() {
			continue
		}
		if _, err := exec.LookPath(cc[0]); err != nil {
			t.Logf("there is no %s here for %s", cc[0], e.Name())
			continue
		}
		out := filepath.Join(t.TempDir(), "out.o")
		if msg, err := exec.Command(cc[0], append(cc[1:], "-o", out, path)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", path, err, msg)
			continue
		}
		object, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range strings.Fields(string(expect[1])) {
			question, want, _ := strings.Cut(pair, "=")
			if got, why := ask(t, query.Input{Name: "out.o", Text: object}, question, 0); got != want {
				t.Errorf("%s: %s is %s (%s), want %s", path, question, got, why, want)
			}
			asked++
		}
	}
	if _, err := exec.LookPath("g++"); err == nil && asked < 6 {
		t.Errorf("only %d answers", asked)
	}
}
