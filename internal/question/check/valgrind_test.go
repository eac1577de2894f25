package check_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// Undefined values against valgrind: what fencepost says about random functions of one thread is held against what memcheck
// says about the same functions, compiled by gcc without optimisation. Many functions share a run of valgrind, whose
// reports name the function.
//
// Functions without products, quotients, floating point, shifts by variables and values of comparisons, of which gcc makes
// branches, must have an error for both or for none. Of the others memcheck knows less: where fencepost reports an
// error, memcheck must, unless the function divides: gcc makes masks and shifts of that, and fencepost takes quotients and
// remainders as a whole.

const valgrindHead = `#include <stdlib.h>
#include <string.h>
struct fields { unsigned x : 3, y : 5; int z : 9; unsigned w : 15; };
union parts { char c[8]; short h[4]; int i[2]; long l; };
struct padded { char c; int i; short s; long l; };
int g, zero;
static int same(int x) { return x; }
static unsigned char low(long x) { return x; }
static struct padded made(int i, char c) { struct padded p; p.i = i; p.c = c; return p; }
`

// valgrindWriter writes a random function.
type valgrindWriter struct {
	r     *rand.Rand
	exact bool
	out   strings.Builder
	used  map[string]bool // variables of the statement
}

func (w *valgrindWriter) pick(list ...string) string { return list[w.r.IntN(len(list))] }

func (w *valgrindWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.out, "  "+format+"\n", args...)
}

// variable returns a variable that can be read and written, another one each time in a statement: gcc computes what does
// not depend on a variable that occurs twice.
func (w *valgrindWriter) variable() string {
	for {
		if v := w.anyVariable(); !w.used[v] {
			w.used[v] = true
			return v
		}
	}
}

func (w *valgrindWriter) anyVariable() string {
	return w.pick("a", "b", "u", "v", "c", "d", "s", "l", "m", "f.x", "f.y", "f.z", "f.w", "n.i[0]", "n.i[1]", "n.h[1]", "n.h[3]", "n.l", "n.c[2]",
		"k.c", "k.i", "k.s", "k.l", "arr[0]", "arr[1]", "arr[2]", "p[0]", "p[1]", "((char *)p)[5]", "*q", "((short *)q)[2]")
}

// value returns a random expression.
func (w *valgrindWriter) value(depth int) string {
	if depth == 0 || w.r.IntN(4) == 0 {
		if w.r.IntN(4) == 0 {
			return fmt.Sprintf("(%d ^ zero)", w.r.IntN(300)-40) // which gcc neither computes nor moves
		}
		return w.variable()
	}
	x := w.value(depth - 1)
	switch w.r.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s)(%s)", w.pick("char", "unsigned char", "short", "int", "unsigned", "long"), x)
	case 1:
		return "~(" + x + ")"
	case 2:
		return fmt.Sprintf("((unsigned)(%s) %s %d)", x, w.pick("<<", ">>"), w.r.IntN(20))
	case 3:
		return fmt.Sprintf("((long)(%s) %s %d)", x, w.pick("<<", ">>"), w.r.IntN(40))
	case 4:
		return fmt.Sprintf("%s(%s)", w.pick("same", "low"), x)
	case 5:
		if !w.exact {
			return w.inexact(x, w.value(depth-1))
		}
	case 6:
		return fmt.Sprintf("((%s) & %d)", x, 1<<w.r.IntN(16)-1)
	}
	return fmt.Sprintf("((%s) %s (%s))", x, w.pick("&", "|", "^", "+", "-"), w.value(depth-1))
}

// condition returns what an if tests.
func (w *valgrindWriter) condition() string {
	if w.r.IntN(3) > 0 {
		return fmt.Sprintf("(%s) %s (%s)", w.value(1), w.pick("==", "!="), w.value(1))
	}
	return w.value(2)
}

// inexact returns an expression with an operator of which memcheck knows less.
func (w *valgrindWriter) inexact(x, y string) string {
	switch w.r.IntN(7) {
	case 6:
		return fmt.Sprintf("((%s) %s (%s))", x, w.pick("==", "!="), y)
	case 0:
		return fmt.Sprintf("((long)(%s) / %d)", x, 1+w.r.IntN(9))
	case 1:
		return fmt.Sprintf("((long)(%s) %% %d)", x, 1+w.r.IntN(9))
	case 2:
		return fmt.Sprintf("((%s) * (%s))", x, y)
	case 3:
		return fmt.Sprintf("((unsigned)(%s) %s ((%s) & 7))", x, w.pick("<<", ">>"), y)
	case 4:
		return fmt.Sprintf("(long)((double)(int)(%s) %s 3.0)", x, w.pick("+", "*", "-"))
	default:
		return fmt.Sprintf("((%s) %s (%s))", x, w.pick("<", "<=", ">", ">="), y)
	}
}

// statement writes a random statement.
func (w *valgrindWriter) statement() {
	w.used = map[string]bool{}
	switch w.r.IntN(14) {
	case 0:
		w.line("memcpy(&%s, &%s, 4);", w.pick("a", "b", "u", "n.i[1]", "k.i", "p[0]", "arr[1]"), w.pick("v", "n.l", "k", "k.s", "f", "q[0]", "p[1]"))
	case 1:
		w.line("%s = %s;", w.pick("k", "k2"), w.pick("k", "k2", "made(a, c)", "made(3, d)"))
	case 2:
		w.line("f2 = f; f.%s = %s; f2.y = 1; f = %s;", w.pick("x", "y", "z", "w"), w.value(1), w.pick("f", "f2"))
	case 3:
		w.line("for (int i = 0; i < 3; i++) arr[i] = %s;", w.value(1))
	case 4:
		w.line("memset(&%s, %d, %d);", w.pick("n", "k", "arr", "a", "f"), w.r.IntN(3), 1+w.r.IntN(4))
	case 5, 6, 7:
		w.line("if (%s) g++;", w.condition())
	case 8:
		w.line("if (arr[(%s) & 1] == 3) g++;", w.value(1))
	case 9:
		w.line("p = realloc(p, %d);", 8+4*w.r.IntN(4))
	default:
		w.line("%s = %s;", w.variable(), w.value(2))
	}
}

// function returns a random function of the given number.
func valgrindFunction(seed uint64) (text string, exact bool) {
	r := rand.New(rand.NewPCG(seed, 23))
	w := &valgrindWriter{r: r, exact: seed%2 == 0}
	fmt.Fprintf(&w.out, "__attribute__((noinline)) void case_%d(void) {\n", seed)
	w.line("int a, b, arr[3]; unsigned u, v; char c; unsigned char d; short s; long l, m;")
	w.line("struct fields f, f2; union parts n; struct padded k, k2; int *p = malloc(8); long *q = malloc(8);")
	for _, v := range []string{"a", "b", "u", "v", "c", "d", "s", "l", "m", "f.x", "f.y", "f.z", "f.w", "n.l", "k.c", "k.i", "k.s", "k.l", "arr[0]", "arr[1]", "arr[2]", "p[0]", "p[1]", "*q"} {
		if r.IntN(3) > 0 {
			w.line("%s = %d;", v, r.IntN(200)-20)
		}
	}
	for range 2 + r.IntN(6) {
		w.statement()
	}
	w.line("free(p); free(q);\n}")
	return w.out.String(), w.exact
}

// fencepostSays reports whether fencepost finds an undefined value in a function, or why it does not know.
func fencepostSays(t *testing.T, text string, seed uint64) (bool, string) {
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Engines, opt.Workers, opt.Models = query.Engines{"explicit"}, 1, []query.Model{query.SC}
	whole := valgrindHead + text + fmt.Sprintf("int main(void) { case_%d(); return 0; }\n", seed)
	answer, err := check.Run(t.Context(), query.Input{Name: "case.c", Text: []byte(whole)}, opt)
	if err != nil || len(answer.Results) != 1 {
		return false, fmt.Sprint(err, answer.Diagnostics)
	}
	switch r := answer.Results[0]; {
	case r.Verdict == verdict.Safe:
		return false, ""
	case r.Verdict == verdict.Unsafe && strings.HasPrefix(r.Reason, "uninitialised"):
		return true, ""
	default:
		return false, string(r.Verdict) + " " + r.Reason
	}
}

var caseName = regexp.MustCompile(`case_(\d+)`)

// valgrindSays returns the functions in which memcheck finds undefined values.
func valgrindSays(t *testing.T, texts map[uint64]string, order []uint64) map[uint64]bool {
	dir := t.TempDir()
	var all strings.Builder
	all.WriteString(valgrindHead)
	for _, seed := range order {
		all.WriteString(texts[seed])
	}
	all.WriteString("int main(void) {\n")
	for _, seed := range order {
		fmt.Fprintf(&all, "  case_%d();\n", seed)
	}
	all.WriteString("  return 0;\n}\n")
	source, program := filepath.Join(dir, "cases.c"), filepath.Join(dir, "cases")
	if err := os.WriteFile(source, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O0", "-w", "-fno-builtin", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	out, err := exec.Command("valgrind", "--expensive-definedness-checks=yes", "--error-limit=no", "--leak-check=no", program).CombinedOutput()
	if err != nil {
		t.Fatalf("valgrind: %v\n%.2000s", err, out)
	}
	found := map[uint64]bool{}
	for _, m := range caseName.FindAllStringSubmatch(string(out), -1) {
		var seed uint64
		fmt.Sscan(m[1], &seed)
		found[seed] = true
	}
	return found
}

func TestUninitialisedAgainstValgrind(t *testing.T) {
	for _, tool := range []string{"gcc", "valgrind"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("notice: %v", err)
		}
	}
	n := 150
	if testkit.Slow() {
		n = 4000
	}
	counts := map[string]int{}
	for first := 0; first < n; first += 500 {
		texts, exact := map[uint64]string{}, map[uint64]bool{}
		var order []uint64
		for seed := uint64(first); seed < uint64(min(n, first+500)); seed++ {
			texts[seed], exact[seed] = valgrindFunction(seed)
			order = append(order, seed)
		}
		says := valgrindSays(t, texts, order)
		for _, seed := range order {
			got, unknown := fencepostSays(t, texts[seed], seed)
			switch want := says[seed]; {
			case unknown != "":
				counts["unknown"]++
				t.Errorf("%d: %s\n%s", seed, unknown, texts[seed])
			case got == want:
				counts[fmt.Sprintf("equal, error %t", got)]++
			case got && strings.ContainsAny(texts[seed], "%/"):
				counts["fencepost only, quotients and remainders"]++
			case exact[seed] || got:
				counts["different"]++
				t.Errorf("%d: fencepost finds an undefined value: %t, valgrind: %t\n%s", seed, got, want, texts[seed])
			default:
				counts["memcheck only, inexact operators"]++
			}
		}
	}
	t.Logf("%d functions: %v", n, counts)
}
