package mover_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// TestGhostCode: ghost code runs once, with the step before it, and nothing depends on it. want is "proved", "open" if
// something is not proved, or a part of the reason why the program is refused.
func TestGhostCode(t *testing.T) {
	needsSolver(t)
	defer mover.LimitQuestions(1_000_000)()
	for _, test := range []struct{ why, want, text string }{
		{"it runs once, and not at every iteration of the loop that follows", "proved",
			"int g; int main(void) { x = 1;\n//@ ghost g = g + 1;\nfor (int i = 0; i < 3; i++) y = i;\n//@ invariant g == 1\nz = 1; return 0; }"},
		{"it does not run on the path that passes it by", "open",
			"int g; int main(void) { x = y;\nif (x) {\n//@ ghost g = 1;\nx = 2; }\n//@ invariant g == 1\nz = 1; return 0; }"},
		{"it has a case for each path", "proved",
			"int g; void *w(void *p) { int r = x;\n//@ ghost g = r ? g : 0;\ny = r;\n//@ global g == 0\nz = 1; return 0; }\n" + startW},
		{"a thread holds what a ghost variable says", "proved",
			"int l, g; void *w(void *p) { while (__sync_lock_test_and_set(&l, 1)) ;\n//@ ghost g = 1;\nx = 1; assert(x == 1); x = 0;\n//@ invariant g == 1\n" +
				"__sync_lock_release(&l);\n//@ ghost g = 0;\n//@ global g == (l != 0)\nreturn 0; }\n" + startW},
		{"it belongs to the step before it, not to the one after it", "open",
			"int g; void *w(void *p) { x = 1;\n//@ ghost g = 1;\n__sync_fetch_and_add(&y, 1);\n//@ invariant g == 0\nx = 2; return 0; }\n" + startW},
		{"another thread changes it", "open",
			"int g; void *w(void *p) { x = 1;\n//@ ghost g = 1;\n//@ invariant g == 1\ny = 1;\n//@ ghost g = 0;\nassert(x == 1); return 0; }\n" + startW},
		{"it is no lock: conditions on it may hold", "open",
			"int g; void *w(void *p) { x = 1;\n//@ ghost g = 1;\n//@ invariant g == 1\ny = 2; assert(y == 3); return 0; }\n" + startW},
		{"a condition for all blocks that one of them breaks", "open",
			"#include <stdlib.h>\nstruct n { int v; }; struct n *top; void *w(void *p) { struct n *k = malloc(sizeof *k); k->v = 1;\n" +
				"//@ global forall struct n *a: a->v == 0 || a->v == 1\nk->v = 2; top = k; assert(top->v != 2); return 0; }\n" + startW},
		{"what is compared and exchanged, 16 bytes, is copied several times", "proved",
			"struct two { long a, b; } top __attribute__((aligned(16))); void *w(void *p) { struct two old, new; __atomic_load(&top, &old, __ATOMIC_RELAXED);\n" +
				"do { new.a = old.a + 1; new.b = old.b + 1;\n//@ invariant new.a == new.b\n} while (!__atomic_compare_exchange(&top, &old, &new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));\n" +
				"//@ global top.a == top.b\nx = 1; return 0; }\n" + startW},
		{"and a part that is not", "open",
			"struct two { long a, b; } top __attribute__((aligned(16))); void *w(void *p) { struct two old, new; __atomic_load(&top, &old, __ATOMIC_RELAXED);\n" +
				"do { new.a = old.a + 1; new.b = old.b + 2;\n//@ invariant new.a == new.b\n} while (!__atomic_compare_exchange(&top, &old, &new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));\n" +
				"//@ global top.a == top.b\nx = 1; return 0; }\n" + startW},
		{"a pointer that ghost code chooses", "proved",
			"#include <stdlib.h>\nstruct n { int v; struct n *g; }; struct n *top; void *w(void *p) { struct n *k = malloc(sizeof *k);\n//@ ghost k->g = x ? k : 0;\nk->v = 1;\n" +
				"//@ invariant k->g == 0 || k->g == k\nassert(k->v == 1); return 0; }\n" + startW},
		{"it helps the program", "the program accesses what ghost code writes", "void *w(void *p) { x = 0;\n//@ ghost x = 1;\nassert(x == 1); return 0; }\n" + startW},
		{"the program reads it", "the program accesses what ghost code writes", "int g; void *w(void *p) { x = 1;\n//@ ghost g = 1;\nif (g == 0) assert(0); return 0; }\n" + startW},
		{"the program writes it", "the program accesses what ghost code writes",
			"int g; void *w(void *p) { x = 1;\n//@ ghost g = 1;\n//@ invariant g == 1\ny = 1; g = 0; assert(x == 0); return 0; }\n" + startW},
		{"a pointer to what the program reads", "the program accesses what ghost code writes",
			"int g; void *w(void *p) { int *q = x ? &g : &y; y = 0;\n//@ ghost *q = 1;\nif (y == 0) assert(0); return 0; }\n" + startW},
		{"a field that the program reads", "the program accesses what ghost code writes",
			"#include <stdlib.h>\nstruct n { int v; }; void *w(void *p) { struct n *k = malloc(sizeof *k); k->v = 0;\n//@ ghost k->v = 1;\nassert(k->v == 1); return 0; }\n" + startW},
		{"a local variable", "ghost code cannot assign to a local variable", "void *w(void *p) { int r = 0; x = 1;\n//@ ghost r = 1;\nif (r == 0) assert(0); return 0; }\n" + startW},
		{"a local variable that only a condition reads", "ghost code cannot assign to a local variable",
			"void *w(void *p) { int r = 0; x = 1;\n//@ ghost r = 1;\n//@ invariant r == 0\ny = 1; assert(x == 2); return 0; }\n" + startW},
		{"it waits", "ghost code", "int g; void __VERIFIER_assume(int); void *w(void *p) { x = 1;\n//@ ghost __VERIFIER_assume(g == 7); g = 1;\nassert(0); return 0; }\n" + startW},
		{"it asserts", "ghost code cannot do this: assert", "int g; void *w(void *p) { x = 1;\n//@ ghost assert(g == 7); g = 1;\ny = 1; return 0; }\n" + startW},
		{"a condition that asserts another one", "a condition cannot do this: assert",
			"int g; int f(void) { assert(x == x); return y; } void *w(void *p) { x = 1;\n//@ invariant f() == 2\ny = 1; return 0; }\n" + startW},
		{"it takes a lock", "ghost code cannot do this", "int g; void *w(void *p) { x = 1;\n//@ ghost pthread_mutex_lock(&m);\nassert(0); return 0; }\n" + startW},
		{"it is an atomic access", "ghost code cannot do this", "int g; void *w(void *p) { x = 1;\n//@ ghost __sync_fetch_and_add(&g, 1);\ny = 1; return 0; }\n" + startW},
	} {
		flat, props, private := parseC(t, cHead+test.text)
		replicate(flat, "w")
		opt := mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: true, Reach: reach(1000)}
		if got := answerTo(t, test.why, flat, props, opt); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// answerTo returns "proved", "open", or why the program is refused.
func answerTo(t *testing.T, why string, flat *ir.Program, props *property.Set, opt mover.Options) string {
	t.Helper()
	out, err := mover.Prove(context.Background(), flat, props, opt)
	u := (*engine.Unsupported)(nil)
	switch {
	case errors.As(err, &u) && u.Pos == nil:
		t.Errorf("%s: refused without a position", why)
		return u.What
	case errors.As(err, &u):
		return u.What
	case err != nil:
		t.Fatalf("%s: %v", why, err)
	case out.Verdict == verdict.ValueRobust && out.Proof.Open() == 0:
		return "proved"
	}
	return "open"
}

// TestGhostCodeInFP: likewise in .fp programs.
func TestGhostCodeInFP(t *testing.T) {
	needsSolver(t)
	defer mover.LimitQuestions(1_000_000)()
	const lock = "var l, x, g; invariant g == l; thread w * n { reg r; while (cas(l, 0, 1) == 0) { } ghost g = 1; x = 1; r = x; assert r == 1; invariant g == 1; x = 0; fence; l = 0; ghost g = 0; }"
	for _, test := range []struct{ why, want, text string }{
		{"a thread holds what a ghost variable says", "proved", lock},
		{"one assignment is missing", "open", strings.Replace(lock, "ghost g = 0;", "", 1)},
		{"it runs once", "proved", "var x, g; thread w { reg r; x = 1; ghost g = g + 1; loop { invariant g == 1; r = x; assert r == 1; } }"},
		{"it does not run on the path that passes it by", "open", "var x, g; thread w { reg r; r = x; if (r == 1) { ghost g = 1; x = 2; } invariant g == 1; x = 3; }"},
		{"it runs on one of two paths", "proved", "var x, g; thread w { reg r; either { x = 1; ghost g = 1; } or { ghost g = 2; invariant g == 2; x = 2; } invariant g == x; r = x; }"},
		{"it runs with the instruction before a jump", "proved", "var x, g; thread w { reg r; L: x = 1; ghost g = 1; goto M; L: x = 2; ghost g = 2; M: invariant g == x; r = x; }"},
		{"the number of a thread", "proved", "var l, g; invariant l != 0 || g == 0; thread w[i] * n { reg r; while (cas(l, 0, 1) == 0) { } ghost g = i + 1; invariant g == i + 1; r = l; assert r == 1; l = 0; ghost g = 0; }"},
		{"the program reads it", "the program accesses what ghost code writes", "var x, g; thread w * n { reg r; x = 1; ghost g = 1; r = g; assert r == 1; }"},
		{"the program writes it", "the program accesses what ghost code writes", "var x, g; thread w * n { reg r; x = 1; ghost x = 2; assert r == 0; }"},
		{"a cell that is a variable of the program", "the program accesses what ghost code writes", "thread w * n { reg r; mem[0] = 1; ghost mem[0] = 2; r = mem[0]; assert r == 2; }"},
		{"a cell that may be one", "the program accesses what ghost code writes", "thread w * n { reg r; mem[1] = 1; r = mem[2]; ghost mem[r + 1] = 2; r = mem[1]; assert r == 2; }"},
		{"a register", "ghost code cannot assign to a local variable", "var x; thread w * n { reg r; x = 1; ghost r = 1; assert r == 1; }"},
		{"a read-modify-write", "ghost code cannot do this: rmw", "var x, g; thread w * n { reg r; x = 1; ghost g = cas(g, 0, 1); assert r == 0; }"},
	} {
		flat, props := parse(t, test.text)
		if got := answerTo(t, test.why, flat, props, mover.Options{NoAbstraction: true, Reach: reach(1000)}); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}
