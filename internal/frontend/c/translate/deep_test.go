package translate_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"fencepost/internal/family"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/question/check"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

func sumOf(n int, term string) string { return strings.Repeat(term+" + ", n-1) + term }

// TestDeepExpressions: long and deep expressions have their values.
func TestDeepExpressions(t *testing.T) {
	const n = 2000
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Timeout = 0
	for _, e := range []struct{ expr, want string }{
		{sumOf(n, "x"), "2000"},
		{strings.Repeat("(", 20000) + "x" + strings.Repeat(")", 20000), "1"},
		{strings.Repeat("-(", n+1) + "x" + strings.Repeat(")", n+1), "-1"},
		{strings.Repeat("x - (", n) + "x" + strings.Repeat(")", n), "1"},
		{strings.Repeat("x == 2 ? 7 : ", n) + "x", "1"},
		{strings.Repeat("y == 2 ? 7 : ", n) + "y", "3"},
		{strings.Repeat("x && ", n) + "y", "1"},
		{strings.Repeat("f(", 200) + "x" + strings.Repeat(")", 200), "201"},
		{"a[" + sumOf(n, "x") + " - 1999]", "5"},
		{"(1 ?: x) + (0 ?: y) + (E ?: x) + (int)sizeof(1 ?: 2l) + (x++ ?: 9) + x", "23"},
	} {
		for verdictWanted, test := range map[verdict.Verdict]string{verdict.Safe: "==", verdict.Unsafe: "!="} {
			if verdictWanted == verdict.Unsafe && !testkit.InPart(t, e.expr, 3) {
				continue
			}
			text := fmt.Sprintf("#include <assert.h>\nenum { E = 8 };\nint a[2] = {4, 5};\nint f(int v) { return v + 1; }\nint x = 1;\nstatic int s[2 ?: 1];\nint main(void) { int y = 3; static int z = 4 ?: 5; long r = %s; assert(sizeof s == 8 && z == 4); assert(r %s %s); return 0; }\n",
				e.expr, test, e.want)
			answer, err := check.Run(context.Background(), query.Input{Name: "deep.c", Text: []byte(text)}, opt.Under("sc"))
			if err != nil || len(answer.Results) != 1 || answer.Results[0].Verdict != verdictWanted {
				t.Errorf("%.40s... %s %s: %v %.300v", e.expr, test, e.want, err, answer)
			}
		}
	}
}

// TestTooDeep: brackets that would take all of the stack are an error with a position, also if macros make them.
func TestTooDeep(t *testing.T) {
	const n = 120_000
	for text, at := range map[string]string{
		"int main(void) { return " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + "; }\n":                          "deep.c:1:50024 this is nested too deeply",
		"int main(void) {\n" + strings.Repeat("{", n) + strings.Repeat("}", n) + "}\n":                                        "deep.c:2:100001 this is nested too deeply",
		"int x[1] = " + strings.Repeat("{", n) + "0" + strings.Repeat("}", n) + ";\nint main(void) { return 0; }\n":           "deep.c:1:50012 this is nested too deeply",
		"#define P ((((((((((\n#define Q P P P P P P P P P P\nint main(void) { return\n" + strings.Repeat("Q ", n/100) + "\n": "deep.c:3:16 '{' has no end",
	} {
		u, diags := translate.Program([]*source.File{source.NewFile("deep.c", []byte(text))}, library.New(), translate.Options{})
		if u.Program != nil || len(diags.All) != 1 || diags.All[0].Span.Pos.String()+" "+diags.All[0].Message != at {
			t.Errorf("%.40q: want an error at %s, have %.300v", text, at, diags.All)
		}
	}
}

// TestLongSum: few registers are in use at a time, and no expression is deep, so that
// later passes take time that is linear in the length of the sum.
func TestLongSum(t *testing.T) {
	text := "int x; int main(void) { long r = " + sumOf(20000, "x") + "; return r != 0; }\n"
	u, diags := translate.Program([]*source.File{source.NewFile("sum.c", []byte(text))}, library.New(), translate.Options{})
	if u.Program == nil {
		t.Fatal(diags.All)
	}
	for _, f := range u.Program.Funcs {
		if len(f.Regs) > 200 {
			t.Errorf("%s has %d registers", f.Name, len(f.Regs))
		}
		for i := range f.Edges {
			if d := depthOf(f.Edges[i].Op.Val); d > 100 {
				t.Fatalf("an expression of %d levels", d)
			}
		}
	}
}

// TestDeepIsLinear: reading, flattening and compiling an expression of twice the depth
// allocates about twice as many bytes.
func TestDeepIsLinear(t *testing.T) {
	for name, expr := range map[string]func(n int) string{
		"nested sum":  func(n int) string { return strings.Repeat("x + (", n) + "x" + strings.Repeat(")", n) },
		"conditional": func(n int) string { return strings.Repeat("x == 2 ? x : ", n) + "x" },
		"conjunction": func(n int) string { return strings.Repeat("x == 0 && ", n) + "x" },
	} {
		bytes := func(n int) float64 {
			return allocated(t, "int x; int main(void) { int y = "+expr(n)+"; return y; }\n")
		}
		bytes(100)
		if small, large := bytes(1500), bytes(3000); large > 2.6*small {
			t.Errorf("%s: %.0f bytes for depth 1500, %.0f for depth 3000", name, small, large)
		}
	}
}

// TestLongIsLinear: so does a program with twice as many functions that fill arrays.
func TestLongIsLinear(t *testing.T) {
	for name, text := range map[string]func(lines int) string{"loops": family.LoopsInC, "pointers": family.PointersInC} {
		if small, large := allocated(t, text(4000)), allocated(t, text(8000)); large > 2.6*small {
			t.Errorf("%s: %.0f bytes for 4,000 lines, %.0f for 8,000", name, small, large)
		}
	}
}

// allocated returns how many bytes reading, flattening and compiling a program allocates.
func allocated(t *testing.T, text string) float64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	u, diags := translate.Program([]*source.File{source.NewFile("deep.c", []byte(text))}, library.New(), translate.Options{})
	if u.Program == nil {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	reduce.NewPlan(memory.New(flat, memory.TSO, memory.Options{}), reduce.Options{Reduce: true})
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

func depthOf(e *ir.Expr) int {
	if e == nil {
		return 0
	}
	return 1 + max(depthOf(e.X), depthOf(e.Y), depthOf(e.Z))
}
