package mover_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/proof/encode"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

const cHead = "#include <assert.h>\n#include <pthread.h>\nint x, y, z, a[4]; unsigned char b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"

func TestC(t *testing.T) {
	needsSolver(t)
	for _, test := range []struct {
		why, text string
		many      string // the function of any number of threads
		want      verdict.Verdict
		checks    string // proved or not, in order
	}{
		{"what main does before it starts a thread is in nobody's way",
			"void *w(void *p) { x = 1; z = y; return 0; } int main(void) { pthread_t t; y = 1; y = 2; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, ""},
		{"what it does after that is",
			"void *w(void *p) { x = 1; z = y; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); y = 1; z = x; }",
			"", verdict.Unknown, ""},
		{"what it does after a join is not",
			"void *w(void *p) { x = 1; z = y; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); y = 1; z = x; assert(z == 1); }",
			"", verdict.ValueRobust, "y"},
		{"a join of one of many says nothing of the others",
			"void *w(void *p) { x = 1; z = y; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); y = 1; z = x; }",
			"w", verdict.Unknown, ""},
		{"threads started in a loop are many",
			"void *w(void *p) { x = 1; int r = y; assert(r == 0); y = 1; return 0; } int main(void) { pthread_t t; for (int i = 0; i < 2; i++) pthread_create(&t, 0, w, 0); }",
			"", verdict.ValueRobust, "n"},
		{"a mutex keeps threads apart",
			"void *w(void *p) { pthread_mutex_lock(&m); x = 1; int r = y; y = r + 1; assert(x == 1); x = 0; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "yy"},
		{"trylock may fail",
			"void *w(void *p) { if (pthread_mutex_trylock(&m) == 0) { x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&m); } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "yy"},
		{"unlocking without holding is found out",
			"void *w(void *p) { pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "n"},
		{"bits are known",
			"void *w(void *p) { x = 7; int r = x; a[r & 3] = 1; assert(((r << 1) & 1) == 0); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "yy"},
		{"bytes wrap around",
			"void *w(void *p) { unsigned char c = b; c = c + 1; assert(c > 0); return 0; } int main(void) { pthread_t t; b = 255; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "n"},
		{"an argument that is known",
			"void *w(void *p) { int *q = p; *q = 1; assert(x == 1); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, &x); }",
			"w", verdict.ValueRobust, "y"},
		{"locals in memory belong to each thread",
			"void inc(int *p) { *p += 1; } void *w(void *p) { int n = 0; inc(&n); inc(&n); assert(n == 2); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "y"},
		{"thread-local variables, too",
			"_Thread_local int own; void *w(void *p) { own += 1; assert(own == 1); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "y"},
		{"a word and its bytes",
			"union { int w; unsigned char c[4]; } u; void *w(void *p) { u.c[1] = 1; assert(u.c[1] == 1); return 0; } int main(void) { pthread_t t; u.w = 5; pthread_create(&t, 0, w, 0); }",
			"w", verdict.ValueRobust, "n"},
	} {
		if !testkit.InPart(t, test.why, 5) {
			continue
		}
		flat, props, private := parseC(t, cHead+test.text)
		if test.many != "" {
			replicate(flat, test.many)
		}
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: true})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var checks strings.Builder
		for _, c := range out.Proof.Checks {
			checks.WriteString(map[bool]string{true: "y", false: "n"}[c.Proved])
		}
		if out.Verdict != test.want || checks.String() != test.checks {
			t.Errorf("%s: %s, checks %q; want %s, %q\n%+v", test.why, out.Verdict, &checks, test.want, test.checks, out.Proof.Checks)
		}
	}
}

func TestUnsupportedC(t *testing.T) {
	needsSolver(t)
	for _, text := range []string{
		"void *w(void *p) { int n[2] = {0, 0}; n[x & 1] = 1; y = n[0]; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }",
		"#include <stdlib.h>\nint main(void) { int *p = malloc(x); *p = 1; }",
		"#include <stdlib.h>\nint main(void) { char *p = malloc(4); p[x & 3] = 1; }",
		"#include <stdlib.h>\nint main(void) { free(malloc(4)); int *p = malloc(4); *p = 1; }",
		"#include <stdlib.h>\nint main(void) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); pthread_mutex_lock(m); }",
		"#include <stdlib.h>\nint main(void) { long *p = malloc(8); *p = 1; *(int *)p = 2; }",
		"_Bool __VERIFIER_nondet_bool(void); pthread_mutex_t r; int main(void) { pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at, __VERIFIER_nondet_bool() ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL); pthread_mutex_init(&r, &at); pthread_mutex_lock(&r); }",
		"void *w(void *p) { return 0; } pthread_t t; int main(void) { __VERIFIER_atomic_begin(); pthread_create(&t, 0, w, 0); __VERIFIER_atomic_end(); }",
	} {
		flat, props, private := parseC(t, cHead+text)
		replicate(flat, "w")
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{Arithmetic: encode.BitVectors, Private: private})
		if u := (*engine.Unsupported)(nil); !errors.As(err, &u) || u.Pos == nil {
			t.Errorf("%s: %+v, %v", text, out, err)
		}
	}
}

// TestJoins: a join needs a thread that was started before on every path, and was not joined.
func TestJoins(t *testing.T) {
	needsSolver(t)
	for _, test := range []struct {
		main   string
		proved bool
	}{
		{"pthread_create(&t, 0, w, 0); pthread_create(&u, 0, v, 0); pthread_join(t, 0); pthread_join(u, 0);", true},
		{"pthread_create(&t, 0, w, 0); if (y) { pthread_create(&u, 0, v, 0); pthread_join(u, 0); } pthread_join(t, 0);", true},
		{"pthread_create(&t, 0, w, 0); pthread_join(t, 0); pthread_join(u, 0);", false},
		{"pthread_create(&t, 0, w, 0); if (y) pthread_create(&u, 0, v, 0); pthread_join(u, 0);", false},
		{"u = 1; pthread_join(u, 0); pthread_create(&t, 0, w, 0);", false},
		{"pthread_create(&t, 0, w, 0); pthread_join(t, 0); pthread_join(t, 0);", false},
	} {
		text := "void *w(void *p) { x = 1; return 0; } void *v(void *p) { z = 1; return 0; } int main(void) { pthread_t t, u; y = x; " + test.main + " return 0; }"
		flat, props, private := parseC(t, cHead+text)
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{Arithmetic: encode.BitVectors, Private: private})
		if err != nil || (out.Verdict != verdict.Unknown && out.Proof.Open() == 0) != test.proved {
			t.Errorf("%s: %v, %+v", test.main, err, out)
		}
	}
}

// TestJoinedThreadsCount: a thread that has ended still counts where it ended.
func TestJoinedThreadsCount(t *testing.T) {
	needsSolver(t)
	for _, test := range []struct {
		main   string
		proved bool
	}{
		{"pthread_join(t, 0); assert(count == 1);", true},
		{"pthread_join(t, 0); assert(count == 2);", false},
		{"pthread_join(t, 0); assert(count == 0);", false},
		{"pthread_join(t, 0); assert(lock.next == 0);", false},
		{"pthread_join(t, 0); assert(0);", false},
		{"pthread_join(t, 0); pthread_join(u, 0);", false},
	} {
		text := "#include <stdatomic.h>\nstruct lock { atomic_uint next, serving; } lock; int count;\n" +
			"static void acquire(struct lock *l) { unsigned k = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed); while (atomic_load_explicit(&l->serving, memory_order_acquire) != k) ; }\n" +
			"static void release(struct lock *l) { unsigned k = atomic_load_explicit(&l->serving, memory_order_relaxed); atomic_store_explicit(&l->serving, k + 1, memory_order_release); }\n" +
			"void *w(void *p) { acquire(&lock); count++; release(&lock); return 0; }\n" +
			"int main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); " + test.main + " return 0; }"
		flat, props, private := parseC(t, cHead+text)
		props.Deadlock = false
		out, n := proveAndCompare(t, text, flat, props, mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: true, Reach: reach(1000)}, 1)
		if n == 0 || (out.Verdict != verdict.Unknown && out.Proof.Open() == 0) != test.proved {
			t.Errorf("%s: %d comparisons, %s, %+v", test.main, n, out.Verdict, out.Proof.Checks)
		}
	}
}
