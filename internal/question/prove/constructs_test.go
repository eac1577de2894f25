package prove_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// construct is a C program whose function w any number of threads run, without its head and its main function. It is
// proved; with wrong for right an execution is shown, or the answer is unknown.
type construct struct {
	name, body, main string
	right, wrong     string
	unknown          string // a part of the reason; "": an execution is shown
}

const constructHead = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nvolatile int x, y;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"

var constructs = []construct{
	{name: "condition",
		body: `pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *w(void *p) {
  pthread_mutex_lock(&m);
  while (x) pthread_cond_wait(&c, &m);
  x = 1;
  pthread_mutex_unlock(&m);
  assert(y == 0);
  y = 1;
  y = 0;
  pthread_mutex_lock(&m);
  x = 0;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}`, right: "while (x)", wrong: "if (x)"},
	{name: "barrier",
		body:  "pthread_barrier_t br;\nvoid *w(void *p) { x = 1; pthread_barrier_wait(&br); assert(x == 1); y = 1; return 0; }",
		main:  "pthread_barrier_init(&br, 0, 2);",
		right: "x == 1", wrong: "y == 0"},
	{name: "recursive mutex",
		body:  "pthread_mutex_t r;\nvoid *w(void *p) { pthread_mutex_lock(&r); pthread_mutex_lock(&r); x = 1; pthread_mutex_unlock(&r); assert(x == 1); x = 0; pthread_mutex_unlock(&r); return 0; }",
		main:  "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&r, &a);",
		right: "assert(x == 1);", wrong: "pthread_mutex_unlock(&r); assert(x == 1);"},
	{name: "16 bytes",
		body:  "_Atomic unsigned __int128 u;\nvoid *w(void *p) { u = ((unsigned __int128)1 << 64) + 1; unsigned __int128 v = u; assert((unsigned long)v == (unsigned long)(v >> 64)); u = 0; return 0; }",
		right: "<< 64) + 1", wrong: "<< 64) + 2"},
	{name: "array of structures",
		body:  "struct { int val; char tag; long sum; } n[4];\nvoid *w(void *p) { pthread_mutex_lock(&m); int i = x & 3; n[i].tag = 1; n[i].sum = 8; assert(n[i].tag == 1); x = i + 1; pthread_mutex_unlock(&m); return 0; }",
		right: "x & 3", wrong: "(x & 3) + 2"},
	{name: "a block that is handed on and freed",
		body:  "int *volatile top;\nvoid *w(void *p) { for (;;) { pthread_mutex_lock(&m); int *q = top; if (!q) { q = malloc(sizeof *q); *q = 1; top = q; } else { top = 0; assert(*q == 1); free(q); } pthread_mutex_unlock(&m); } return 0; }",
		right: "assert(*q == 1); free(q);", wrong: "free(q); assert(*q == 1);"},
	{name: "an abstraction",
		body:  "void *v(void *p) { int h; y = 1;\n//@ abstract 0 <= h && h <= x\nh = x;\nassert(h >= 0); return 0; }\nvoid *w(void *p) { int h = x; if (y == 0 && h < 5) __sync_bool_compare_and_swap(&x, h, h + 1); return 0; }",
		main:  "pthread_create(&t, 0, v, 0);",
		right: "h >= 0)", wrong: "h == 0)"},
	{name: "what is not supported and not reached",
		body:  "int outside(int);\nvoid *w(void *p) { x = 1; if (x == 7) outside(1); assert(x < 2); return 0; }",
		right: "x == 7", wrong: "x == 1", unknown: "an execution may reach f.c:7:39, which is not supported (outside has no body, and what it does is not known)"},
}

// text returns the program.
func (c *construct) text() string {
	return constructHead + c.body + "\nint main(void) { pthread_t t; " + c.main + " pthread_create(&t, 0, w, 0); return 0; }\n"
}

// invariantsOf returns the invariants of a proof in some order that does not depend on how they were found.
func invariantsOf(t *testing.T, p *verdict.Proof) []string {
	t.Helper()
	var out []string
	for i := range p.Invariants {
		text, err := json.Marshal(&p.Invariants[i])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	slices.Sort(out)
	return out
}

// TestConstructs: a program with each construct is proved for any number of threads, the stored proof proves it again
// with the same invariants, and with a mistake it is refuted.
func TestConstructs(t *testing.T) {
	any := func(o *query.ProveOptions) { o.Replicate = "w" }
	for _, c := range constructs {
		text := c.text()
		found := proof(t, "f.c", text, any)
		if found.Verdict == verdict.Unknown || found.Proof.Open() > 0 || found.Coverage.Threads != verdict.AnyThreads {
			t.Errorf("%s: %s, %s; %+v", c.name, found.Verdict, found.Reason, found.Proof.Checks)
		}
		again := proof(t, "f.c", text, func(o *query.ProveOptions) { o.Replicate, o.Stored = "w", found.Proof })
		if again.Verdict != found.Verdict || again.Proof.Open() > 0 || !slices.Equal(invariantsOf(t, again.Proof), invariantsOf(t, found.Proof)) {
			t.Errorf("%s, stored: %s, %s; %d invariants, %d before", c.name, again.Verdict, again.Reason, len(again.Proof.Invariants), len(found.Proof.Invariants))
		}
		wrong := strings.Replace(text, c.right, c.wrong, 1)
		if wrong == text {
			t.Fatalf("%s: nothing to change: %q", c.name, c.right)
		}
		r := &ask(t, "f.c", wrong, any).Results[0]
		if c.unknown == "" && (r.Verdict != verdict.Unsafe || r.Witness == nil) || c.unknown != "" && (r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, c.unknown)) {
			t.Errorf("%s with %q: %s, %s", c.name, c.wrong, r.Verdict, r.Reason)
		}
	}
}
