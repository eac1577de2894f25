package dual_test

import (
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// afterSteps are programs in which local steps that follow an action decide: they are merged into the action, and each
// way through them counts.
var afterSteps = []struct {
	name, why, text string
	want            verdict.Verdict
}{
	{"join-fails.c", "an assertion fails right after a join, before the next access to memory", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y;
void *f(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  int r = y;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  assert(r != 0);
  return 0;
}
`, verdict.Unsafe},
	{"join-chooses.c", "a join is followed by a choice, and one way fails", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
int __VERIFIER_nondet_bool(void);
atomic_int x;
void *f(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  if (__VERIFIER_nondet_bool()) { assert(x == 1); } else { assert(0); }
  return 0;
}
`, verdict.Unsafe},
	{"join-holds.c", "a join is followed by a choice, and all ways hold", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
int __VERIFIER_nondet_bool(void);
atomic_int x;
void *f(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  if (__VERIFIER_nondet_bool()) { assert(x == 1); } else { assert(x != 2); }
  return 0;
}
`, verdict.Safe},
	{"join-again.c", "a thread is joined twice, and the second join is followed by a loop without accesses", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
void *f(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  pthread_join(t, 0);
  pthread_join(t, 0);
  for (;;) ;
}
`, verdict.Unsafe},
	{"loops.fp", "a store is followed by a loop without accesses: others still see the store", `
var x;
thread a { x = 1; loop { skip; } }
thread b { reg r; r = x; assert r == 0; }
`, verdict.Unsafe},
	{"counts.fp", "the same with a loop that changes a register", `
var x;
thread a { reg s; x = 1; while (s < 2) { s = 1 - s; } }
thread b { reg r; r = x; assert r == 0; }
`, verdict.Unsafe},
	{"locks.fp", "the same with a read-modify-write", `
var x;
thread a { reg s; s = xchg(x, 1); loop { skip; } }
thread b { reg r; r = x; assert r == 0; }
`, verdict.Unsafe},
}

// inLoops are programs that start threads in loops.
var inLoops = []struct {
	name, why, text string
	want            verdict.Verdict
}{
	{"buffers.c", "every thread may read before its neighbour's store reaches memory", ringOf("bad < 3"), verdict.Unsafe},
	{"buffers-safe.c", "no more threads can do so than there are", ringOf("bad <= 3"), verdict.Safe},
	{"nested.c", "threads that are started in a loop start others in a loop", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int c;
void *g(void *a) { c++; return 0; }
void *f(void *a) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, g, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(c == 4);
}
`, verdict.Safe},
	{"stops.c", "memory says how many threads are started, and the loop ends in time", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, stop;
void *f(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t t;
  int n = 0;
  while (!stop) {
    pthread_create(&t, 0, f, 0);
    if (++n == 3) stop = 1;
  }
  assert(n < 4);
}
`, verdict.Safe},
	{"endless.c", "a loop that starts threads does not end: its bound is met", `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y;
void *f(void *a) { x = 1; return 0; }
void *h(void *a) { pthread_t t; while (y < 2) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); } return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, h, 0);
  assert(x < 2);
}
`, verdict.Unknown},
}

// ringOf is a program in which each of three threads stores to its cell and reads its neighbour's.
func ringOf(what string) string {
	return `
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x[3], bad;
void *f(void *a) {
  long i = (long)a;
  atomic_store_explicit(&x[i], 1, memory_order_relaxed);
  if (!atomic_load_explicit(&x[(i + 1) % 3], memory_order_relaxed)) bad++;
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  assert(` + what + `);
}
`
}

// TestStartingInC: the programs have their answers, from dual and from the explicit engine.
func TestStartingInC(t *testing.T) {
	for _, p := range inLoops {
		for _, name := range []string{"dual", "explicit"} {
			opt := query.CheckOptions{Engines: query.NamedEngines(name), Deadlock: true}
			if got := resultOf(t, p.name, p.text, opt).Verdict; got != p.want {
				t.Errorf("%s: %s: %s says %s, want %s", p.name, p.why, name, got, p.want)
			}
		}
	}
}

// TestAfterSteps: the programs have their answers, from dual and from the explicit engine.
func TestAfterSteps(t *testing.T) {
	for _, p := range afterSteps {
		for _, name := range []string{"dual", "explicit"} {
			opt := query.CheckOptions{Engines: query.NamedEngines(name), Deadlock: true}
			if got := resultOf(t, p.name, p.text, opt).Verdict; got != p.want {
				t.Errorf("%s: %s: %s says %s, want %s", p.name, p.why, name, got, p.want)
			}
		}
	}
}

// TestGrowingRegister: a register that counts without end ends in an answer that says so.
func TestGrowingRegister(t *testing.T) {
	text := "var x;\nthread a { reg s; x = 1; while (s >= 0) { s = s + 1; } x = s; }\nthread b { reg r; r = x; assert r < 2; }\n"
	if r := resultOf(t, "grows.fp", text, query.CheckOptions{Engines: query.Engines{"dual"}}); r.Verdict != verdict.Unknown {
		t.Fatalf("%+v", r)
	}
}

// TestConstantBesideCounter: a counter that no execution lets grow is found to be small, although another cell takes a value
// outside all domains that are tried.
func TestConstantBesideCounter(t *testing.T) {
	text := `var c, b;
thread w { reg r; r = c; c = r + 1; b = 666; c = r + 2; }
thread v { reg r, s, n; r = c; c = r + 1; b = 666; c = r + 2; fence; s = b; assert s == 666; }
`
	same(t, "counter.fp", resultOf(t, "counter.fp", text, query.CheckOptions{Engines: query.Engines{"dual"}}), false)
}
