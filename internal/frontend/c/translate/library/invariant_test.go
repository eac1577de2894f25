package library_test

import (
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestInvariants: invariants in comments are code that never runs, beside the statement they
// stand in front of, and stand nowhere else.
func TestInvariants(t *testing.T) {
	for _, test := range []struct {
		why, text  string
		invariants string // texts
		codes      string // of what is said
	}{
		{"in front of a statement", "int x; int main(void) {\n//@ invariant x == 0\nx = 1;\n//@ global x >= 0\nreturn x; }", "x == 0; x >= 0", ""},
		{"in front of a declaration", "int x; int main(void) {\n//@ invariant x == 0\nint r = x; return r; }", "x == 0", ""},
		{"for all", "int a[4]; int main(void) {\n//@ invariant forall i: i < 0 || i > 3 || a[i] == 0\nreturn a[0]; }", "forall i: i < 0 || i > 3 || a[i] == 0", ""},
		{"always, of a local", "int x; int main(void) { int r = x;\n//@ global x >= r\nreturn r; }", "", "C0120"},
		{"always, for all", "int a[4]; int main(void) { int r = a[0];\n//@ global forall i: i < 0 || i > 3 || a[i] == 0 && a[0] == 0\nreturn r; }", "forall i: i < 0 || i > 3 || a[i] == 0 && a[0] == 0", ""},
		{"a body without braces", "int x; int main(void) {\nif (x)\n//@ invariant x != 0\nx = 1; return 0; }", "", "C0120"},
		{"a body without braces, for all", "int x; int main(void) {\nwhile (x)\n//@ invariant forall i: i == i\nx = 0; return 0; }", "", "C0120"},
		{"after a label", "int x; int main(void) {\nL:\n//@ invariant x == 0\nx = 1; if (x == 5) goto L; return 0; }", "", "C0120"},
		{"ghost code", "int x, g; int main(void) {\nx = 1;\n//@ ghost g = x; g += 1;\nreturn x; }", "g = x; g += 1;", ""},
		{"ghost code with a statement", "int x, g; int main(void) {\nx = 1;\n//@ ghost { g = x; }\nreturn x; }", "", "C0120"},
		{"ghost code that returns", "int x, g; int main(void) {\nx = 1;\n//@ ghost return 0;\nreturn x; }", "", "C0120"},
		{"ghost code with a choice", "int x, g; int main(void) {\nx = 1;\n//@ ghost if (x) g = 1;\nreturn x; }", "", "C0120"},
		{"ghost code that ends the program", "#include <stdlib.h>\nint x, g; int main(void) {\nx = 1;\n//@ ghost abort();\nreturn x; }", "", "C0120"},
		{"a condition that ends the thread", "#include <pthread.h>\nint x; int main(void) {\n//@ invariant (pthread_exit(0), 1)\nreturn x; }", "", "C0120"},
		{"a condition that ends its call", "int x; int main(void) {\n//@ invariant 1); x = 2; (0\nreturn x; }", "", "C0120"},
		{"two conditions", "int x; int main(void) {\n//@ invariant x == 0; x == 0\nreturn x; }", "", "C0120"},
		{"ghost code that ends its call", "int x, g; int main(void) {\n//@ ghost g = 1)), x = 5, ((0\nreturn x; }", "", "C0120"},
		{"parentheses that do not match", "int x; int main(void) {\n//@ invariant (x == 0\nreturn x; }", "", "C0120"},
		{"a parenthesis in quotation marks", "int x; int main(void) {\n//@ invariant x != '(' && x != '\\''\nreturn x; }", "x != '(' && x != '\\''", ""},
		{"a comment in an annotation", "int x; int main(void) {\n//@ invariant x == 0 // why\nreturn x; }", "", "C0120"},
		{"a line that goes on", "int x; int main(void) {\n//@ invariant x == 0 \\\nreturn x;\nreturn x; }", "", "C0120"},
		{"no ghost code", "int x; int main(void) {\n//@ ghost\nreturn x; }", "", "C0120"},
		{"an empty assignment", "int x, g; int main(void) {\n//@ ghost g = 1;; g = 2;\nreturn x; }", "", "C0120"},
		{"for all blocks", "struct n { int v; }; int main(void) {\n//@ global forall struct n *a, *b: a == b || a->v == 0\nreturn 0; }", "forall struct n *a, *b: a == b || a->v == 0", ""},
		{"something else", "int x; int main(void) {\n//@ invariants x != 0\nx = 1; return 0; }", "", "C0120"},
		{"no condition", "int x; int main(void) {\n//@ invariant\nx = 1; return 0; }", "", "C0120"},
		{"no such name", "int x; int main(void) {\n//@ invariant y == 0\nx = 1; return 0; }", "", "C0001"},
		{"never called", "int x; void f(void) {\n//@ invariant x == 0\nx = 1; } int main(void) { return x; }", "", "C0820"},
		{"our own name", "void __fp_inv(long); int main(void) { __fp_inv(1); return 0; }", "", "C0301"},
	} {
		unit, diags := translate.Program([]*source.File{source.NewFile("t.c", []byte(test.text))}, library.New(), translate.Options{COptions: query.COptions{Strict: true}, Invariants: true})
		var codes, invariants []string
		for _, d := range diags.All {
			codes = append(codes, d.Code)
			if d.Span.Line < 1 || d.Span.Line > 1+strings.Count(test.text, "\n") {
				t.Errorf("%s: %s at line %d", test.why, d.Code, d.Span.Line)
			}
		}
		for _, inv := range unit.Invariants {
			invariants = append(invariants, inv.Text)
		}
		if got := strings.Join(codes, " "); got != test.codes {
			t.Errorf("%s: says %q, want %q\n%s", test.why, got, test.codes, testkit.Messages(diags))
		}
		if got := strings.Join(invariants, "; "); got != test.invariants {
			t.Errorf("%s: invariants %q, want %q", test.why, got, test.invariants)
		}
	}
	// Other commands do not see them.
	unit, _ := translate.Program([]*source.File{source.NewFile("t.c", []byte("int x; int main(void) {\n//@ invariant x == 0\nreturn x; }"))}, library.New(), translate.Options{})
	if len(unit.Invariants) != 0 {
		t.Errorf("invariants without being asked: %v", unit.Invariants)
	}
}
