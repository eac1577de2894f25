package c_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	resultLocal = regexp.MustCompile(`(?m)^  int (r\d_\w+) = \(long\)`)
	condition   = regexp.MustCompile(`(?m)^  assert\(.*\);\n`)
)

var compiledOnly = flag.String("litmus.only", "", "compile only the litmus tests whose names match this expression")

var compiledLevels = []string{"-O0", "-O1", "-O2"}

// withOutcomes returns the C form of a litmus test without its condition, with the registers in variables at the end:
// its final states are the outcomes of the test.
func withOutcomes(program string) string {
	var globals strings.Builder
	for _, m := range resultLocal.FindAllStringSubmatch(program, -1) {
		globals.WriteString("int " + m[1] + ";\n")
	}
	program = condition.ReplaceAllString(resultLocal.ReplaceAllString(program, "  $1 = (long)"), "")
	return strings.Replace(program, "void *P0", globals.String()+"void *P0", 1)
}

// outcomes returns the final states of a program under a model, each with its variables in order.
func outcomes(t *testing.T, in query.Input, model string) []string {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout, opt.Finals = 1, 0, true
	a, err := check.Run(context.Background(), in, opt.Under(query.Model(model)))
	if err != nil || a.HasErrors() || len(a.Results) != 1 || !a.Results[0].Coverage.Exhaustive {
		t.Fatalf("%s: %v %+v %+v", in.Name, err, a.Diagnostics, a.Results)
	}
	var out []string
	for _, s := range a.Results[0].FinalStates {
		words := strings.FieldsFunc(strings.ReplaceAll(s, "[0]=", "="), func(r rune) bool { return r == ';' || r == ' ' || r == ',' })
		words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, ":result=") }) // r0_eax and others say it
		sort.Strings(words)
		out = append(out, strings.Join(words, " "))
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// fails reports whether a program is unsafe under a model.
func fails(t *testing.T, in query.Input, model string) bool {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	a, err := check.Run(context.Background(), in, opt.Under(query.Model(model)))
	if err != nil || a.HasErrors() || len(a.Results) != 1 || a.Results[0].Verdict == verdict.Unknown {
		t.Fatalf("%s: %v %+v %+v", in.Name, err, a.Diagnostics, a.Results)
	}
	return a.Results[0].Verdict == verdict.Unsafe
}

// gcc returns the object that gcc makes of a program. The test is skipped with a notice where there is no gcc.
func gcc(t *testing.T, program, level string) []byte {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no gcc here, so that there is no machine code")
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, "test.c"), filepath.Join(dir, "test.o")
	if err := os.WriteFile(src, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command("gcc", "-g", "-w", "-c", level, "-o", out, src).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, msg, program)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// TestLitmusCompiled: litmus tests as machine code have the outcomes of their C form where all accesses are
// volatile, and no others in the other dialects, at three levels of optimisation.
func TestLitmusCompiled(t *testing.T) {
	tests, wanted := litmusTests(t), regexp.MustCompile(*compiledOnly)
	var names []string
	for name := range tests {
		if testkit.InPart(t, name, 40) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	equal, fewer := 0, 0
	compiled := 0
	for i, name := range names {
		d := i % len(dialects)
		if !wanted.MatchString(name) {
			continue
		}
		compiled++
		program, err := litmusToC(tests[name], dialects[d])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		program = withOutcomes(program)
		want := map[string][]string{}
		for _, model := range []string{"sc", "tso"} {
			want[model] = outcomes(t, query.Input{Name: name + ".c", Text: []byte(program)}, model)
		}
		for _, level := range compiledLevels {
			object := gcc(t, program, level)
			for model, list := range want {
				got := outcomes(t, query.Input{Name: "test.o", Text: object}, model)
				same := slices.Equal(got, list)
				for _, o := range got {
					if !slices.Contains(list, o) {
						t.Errorf("%s %s %s: only the machine code has the outcome %s; the source has %q\n%s", name, level, model, o, list, program)
					}
				}
				if d == 0 && !same {
					t.Errorf("%s %s %s: all accesses are volatile: the machine code has %q, the source has %q\n%s", name, level, model, got, list, program)
				}
				if same {
					equal++
				} else {
					fewer++
				}
			}
		}
	}
	t.Logf("%d tests at three levels under two models: %d times the same outcomes, %d times fewer", compiled, equal, fewer)
	if compiled < 3 || equal == 0 {
		t.Errorf("%d tests, %d with the same outcomes: they tell nothing", compiled, equal)
	}
}
