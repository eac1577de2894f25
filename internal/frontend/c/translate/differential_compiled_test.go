package translate_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	compiledPrograms = flag.Int("fp.compiled", 100, "with -fp.slow: how many generated programs each compiler gets")
	compiledFrom     = flag.Int("fp.compiledfrom", 0, "the seed of the first one")
)

// fixedPreamble is the preamble without a variable number of arguments, which machine code does not have.
var fixedPreamble = preamble[strings.Index(preamble, "struct pair"):strings.Index(preamble, "static long vsum")] +
	"static long vsum(int n, long a, long b) { long s = n * 7 + a; return n > 1 ? s * 7 + b : s; }\n"

// TestDifferentialMachineCode: generated programs, compiled at five levels, compute as machine code what the processor
// computes: the value that it prints is asserted, and then a wrong one.
func TestDifferentialMachineCode(t *testing.T) {
	compilers, count := []string{"gcc"}, 5
	if testkit.Slow() {
		compilers, count = append(compilers, "clang"), *compiledPrograms
	}
	for _, cc := range compilers {
		if _, err := exec.LookPath(cc); err != nil {
			t.Logf("there is no %s here: its machine code is not compared", cc)
			continue
		}
		x := compiledComparison{T: t, cc: cc}
		for seed := *compiledFrom; seed < *compiledFrom+count; seed++ {
			x.compare(seed, []string{"-O0", "-O1", "-O2", "-O3", "-Os"}[seed%5])
		}
		t.Logf("%s: %d answers are those of the processor, %d programs are not supported", cc, x.same, x.unsupported)
		if x.same <= x.unsupported {
			t.Error("too few programs are supported")
		}
	}
}

type compiledComparison struct {
	*testing.T
	cc                string
	same, unsupported int
}

// compare compiles, runs and checks one program. A compiler may refuse it: clang takes no declaration after a label.
func (x *compiledComparison) compare(seed int, level string) {
	g := &generator{r: rand.New(rand.NewSource(int64(seed))), prefix: "p_", fixed: true}
	text := fixedPreamble + g.program()
	native, ok := x.compile(level, "#include <stdio.h>\n"+text+"int main(void) { p_run(); printf(\"%lu\", p_sum); return 0; }\n")
	if !ok {
		return
	}
	value, err := exec.Command(native).Output()
	if err != nil {
		x.Fatal(err)
	}
	for condition, want := range map[string]verdict.Verdict{"==": verdict.Safe, "!=": verdict.Unsafe} {
		program := fmt.Sprintf("#include <assert.h>\n%sint main(void) { p_run(); assert(p_sum %s %sul); return 0; }\n", text, condition, value)
		path, ok := x.compile(level, program, "-c")
		if !ok {
			x.Fatalf("%s refuses the program with an assertion\n%s", x.cc, program)
		}
		got, why := x.check(path)
		switch {
		case got == verdict.Unknown && strings.Contains(why, "not supported"):
			x.unsupported++
			return
		case got != want:
			x.Errorf("%s %s, program %d (%s the processor's value): %s (%s), want %s\n%s", x.cc, level, seed, condition, got, why, want, program)
		default:
			x.same++
		}
	}
}

// compile compiles a program and returns the path of the result.
func (x *compiledComparison) compile(level, text string, flags ...string) (path string, ok bool) {
	dir := x.TempDir()
	src, out := filepath.Join(dir, "test.c"), filepath.Join(dir, "test.o")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		x.Fatal(err)
	}
	args := append([]string{"-g", "-w", "-fwrapv", "-fno-strict-aliasing", level, "-o", out, src}, flags...)
	return out, exec.Command(x.cc, args...).Run() == nil
}

func (x *compiledComparison) check(path string) (v verdict.Verdict, reason string) {
	object, err := os.ReadFile(path)
	if err != nil {
		x.Fatal(err)
	}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	a, err := check.Run(context.Background(), query.Input{Name: "test.o", Text: object}, opt.Under("sc"))
	if err != nil || a.HasErrors() {
		x.Fatalf("%v %+v", err, a.Diagnostics)
	}
	return a.Results[0].Verdict, a.Results[0].Reason
}
