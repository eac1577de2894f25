package check_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/question/check"
	"fencepost/internal/question/verify"
	"fencepost/query"
)

// c11Head begins every program of c11Programs.
const c11Head = `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define get(x, o) atomic_load_explicit(&x, o)
#define set(x, v, o) atomic_store_explicit(&x, v, o)
#define weak(x, e, v) atomic_compare_exchange_weak_explicit(x, e, v, acq, rlx)
#define start(f) pthread_t f##_; pthread_create(&f##_, 0, f, 0)
#define wait(f) pthread_join(f##_, 0)
`

// c11Programs are programs with what is expected under c11: "safe", or how the reason of unsafe, or of a bound that was met, begins.
var c11Programs = []struct{ name, want, text string }{
	{"spin lock with a relaxed unlock: the first operation of a thread reads from another one", "data race", `#include <pthread.h>
		atomic_int taken; int count;
		void *t(void *p) { while (atomic_exchange_explicit(&taken, 1, memory_order_acquire)); count++; atomic_store_explicit(&taken, 0, memory_order_relaxed); return 0; }
		int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }`},
	{"an unlock that fails by the word which it reads", "use-after-destroy", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; atomic_int done; int x;
void *a(void *p) { done = 1; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main() { start(a); pthread_mutex_lock(&m); int ended = done; pthread_mutex_unlock(&m);
  if (!ended) wait(a); else if (pthread_mutex_trylock(&m) == 0) { pthread_mutex_unlock(&m); pthread_mutex_destroy(&m); } }`},
	{"a condition wait without the mutex", "bad-wait", `pthread_mutex_t m; pthread_cond_t c;
int main() { pthread_cond_wait(&c, &m); }`},
	{"a data race of a round that fails", "data race on d", `int d; atomic_int go, gone;
void *a(void *p) { while (!get(go, rlx)) (void)*(volatile int *)&d; set(gone, 1, rlx); return 0; }
int main() { start(a); set(go, 1, rlx); if (get(gone, rlx)) d = 1; wait(a); }`},
	{"a round that fails reads what is freed", "data race", `struct s { atomic_int v; } *p; atomic_int go, gone;
void *a(void *q) { while (!get(go, rlx)) (void)get(p->v, rlx); set(gone, 1, rlx); return 0; }
int main() { p = malloc(sizeof *p); atomic_init(&p->v, 0); start(a); set(go, 1, rlx); if (get(gone, rlx)) free(p); wait(a); }`},
	{"message passing", "safe", `int d; atomic_int f;
void *a(void *p) { d = 1; set(f, 1, rel); return 0; }
int main() { start(a); if (get(f, acq)) assert(d == 1); wait(a); }`},
	{"message passing without release", "data race on d", `int d; atomic_int f;
void *a(void *p) { d = 1; set(f, 1, rlx); return 0; }
int main() { start(a); if (get(f, acq)) assert(d == 1); wait(a); }`},
	{"condition variable", "safe", `pthread_mutex_t m; pthread_cond_t c; int ready, d;
void *a(void *p) { d = 1; pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main() { start(a); pthread_mutex_lock(&m); if (!ready) pthread_cond_wait(&c, &m); if (ready) assert(d == 1); pthread_mutex_unlock(&m); wait(a); }`},
	{"lost wake-up", "deadlock", `pthread_mutex_t m; pthread_cond_t c; atomic_int ready;
void *a(void *p) { atomic_store(&ready, 1); pthread_cond_signal(&c); return 0; }
int main() { start(a); pthread_mutex_lock(&m); if (!atomic_load(&ready)) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); wait(a); }`},
	{"free after acquire", "safe", `int *p; atomic_int done;
void *a(void *x) { *p = 2; set(done, 1, rel); return 0; }
int main() { p = malloc(sizeof *p); start(a); while (!get(done, acq)); free(p); wait(a); }`},
	{"free after a relaxed load", "data race on malloc", `int *p; atomic_int done;
void *a(void *x) { *p = 2; set(done, 1, rel); return 0; }
int main() { p = malloc(sizeof *p); start(a); while (!get(done, rlx)); free(p); wait(a); }`},
	{"use after free", "use-after-free", `_Atomic int *p;
void *a(void *x) { set(*p, 2, rlx); return 0; }
int main() { p = malloc(sizeof *p); start(a); free((void *)p); wait(a); }`},
	{"automatic variable of another thread", "data race on", `_Atomic(atomic_int *) p;
void *a(void *x) { atomic_int v; set(v, 0, rlx); set(p, &v, rel); while (!get(v, rlx)); return 0; }
int main() { start(a); atomic_int *q = get(p, acq); if (q) set(*q, 1, rlx); else return 0; wait(a); }`},
	{"a block that is not handed over", "data race on malloc", `_Atomic(atomic_int *) p;
void *a(void *x) { set(p, malloc(sizeof(atomic_int)), rlx); return 0; }
int main() { start(a); atomic_int *q = get(p, acq); if (q) set(*q, 1, rlx); wait(a); }`},
	{"contents of a block", "uninitialised value", `struct n { int a, b; }; _Atomic(struct n *) h;
void *a(void *x) { struct n *p = get(h, acq); if (p && p->b) return p; return 0; }
int main() { start(a); struct n *p = malloc(sizeof *p); p->a = 1; set(h, p, rel); wait(a); free(p); }`},
	{"contents of a block used again", "uninitialised value", `int main() { int *p = malloc(sizeof *p); *p = 1; free(p); p = malloc(sizeof *p); if (*p) return 1; free(p); }`},
	{"a block that is set", "safe", `struct n { int a, b; }; _Atomic(struct n *) h;
void *a(void *x) { struct n *p = get(h, acq); if (p && p->b) assert(p->a == 1); return 0; }
int main() { start(a); struct n *p = malloc(sizeof *p); p->a = 1; p->b = 2; set(h, p, rel); wait(a); free(p); }`},
	{"a stale read keeps a loop going", "non-termination", `atomic_int x, f;
void *a(void *p) { set(x, 1, rlx); if (!get(f, rlx)) set(x, 0, rlx); return 0; }
int main() { start(a); set(f, 1, rlx); while (!get(x, acq)); wait(a); }`},
	{"one of two loops goes on", "non-termination", `atomic_int x, y;
void *a(void *p) { atomic_store(&x, 1); atomic_store(&y, 2); return 0; }
void *b(void *p) { atomic_store(&y, 1); atomic_store(&x, 2); return 0; }
int main() { start(a); start(b); while (get(x, rlx) != 2); wait(a); wait(b); }`},
	{"loops that wait read the last writes of one order", "safe", `atomic_int x, y, k;
void *a(void *p) { atomic_store(&x, 1); atomic_store(&y, 2); return 0; }
void *b(void *p) { atomic_store(&y, 1); atomic_store(&x, 2); return 0; }
void *c(void *p) { while (get(x, rlx) != 2 && !get(k, rlx)); set(k, 1, rlx); return 0; }
void *d(void *p) { while (get(y, rlx) != 2 && !get(k, rlx)); set(k, 1, rlx); return 0; }
int main() { start(a); start(b); start(c); start(d); wait(a); wait(b); wait(c); wait(d); }`},
	{"barrier", "safe", `pthread_barrier_t b; int d;
void *a(void *p) { d = 1; pthread_barrier_wait(&b); return 0; }
int main() { pthread_barrier_init(&b, 0, 2); start(a); pthread_barrier_wait(&b); assert(d == 1); wait(a); }`},
	{"semaphore", "safe", `sem_t s; int d;
void *a(void *p) { d = 1; sem_post(&s); return 0; }
int main() { sem_init(&s, 0, 0); start(a); sem_wait(&s); assert(d == 1); wait(a); }`},
	{"readers do not synchronise with readers", "data race on d", `pthread_rwlock_t l; int d; atomic_int f;
void *a(void *p) { pthread_rwlock_rdlock(&l); d = 1; set(f, 1, rlx); pthread_rwlock_unlock(&l); return 0; }
int main() { start(a); pthread_rwlock_rdlock(&l); if (get(f, rlx)) assert(d == 1); pthread_rwlock_unlock(&l); wait(a); }`},
	{"a reader synchronises with a writer", "safe", `pthread_rwlock_t l; int d; atomic_int f;
void *a(void *p) { pthread_rwlock_rdlock(&l); d = 1; set(f, 1, rlx); pthread_rwlock_unlock(&l); return 0; }
int main() { start(a); pthread_rwlock_wrlock(&l); if (get(f, rlx)) assert(d == 1); pthread_rwlock_unlock(&l); wait(a); }`},
	{"a trylock that fails does not synchronise", "data race on d", `pthread_mutex_t m; int d;
void *a(void *p) { d = 1; pthread_mutex_lock(&m); return 0; }
int main() { start(a); if (pthread_mutex_trylock(&m)) d = 2; else pthread_mutex_unlock(&m); wait(a); }`},
	{"locks are no fences", "assertion", `pthread_mutex_t m, n; atomic_int x, y; int r;
void *a(void *p) { set(x, 1, rlx); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); r = get(y, rlx); return 0; }
int main() { start(a); set(y, 1, rlx); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); int s = get(x, rlx); wait(a); assert(r || s); }`},
	{"a release sequence through another thread", "safe", `int d; atomic_int f;
void *a(void *p) { d = 1; set(f, 1, rel); return 0; }
void *b(void *p) { atomic_fetch_add_explicit(&f, 1, rlx); return 0; }
int main() { start(a); start(b); if (get(f, acq) == 2) assert(d == 1); wait(a); wait(b); }`},
	{"a store ends a release sequence", "data race on d", `int d; atomic_int f;
void *a(void *p) { d = 1; set(f, 1, rel); set(f, 2, rlx); return 0; }
int main() { start(a); if (get(f, acq) == 2) assert(d == 1); wait(a); }`},
	{"a failing compare-exchange has its own order", "data race on d", `int d; atomic_int f;
void *a(void *p) { d = 1; set(f, 1, rel); return 0; }
int main() { start(a); int e = 0; if (!atomic_compare_exchange_strong_explicit(&f, &e, 2, acq, rlx)) assert(d == 1); wait(a); }`},
	{"a weak compare-exchange in a loop ends", "safe", `atomic_int x;
void *a(void *p) { int e = get(x, rlx); while (!weak(&x, &e, e + 1)); return 0; }
void *b(void *p) { int e; do e = get(x, rlx); while (!weak(&x, &e, e + 1)); return 0; }
int main() { start(a); start(b); wait(a); wait(b); assert(get(x, rlx) == 2); }`},
	{"a weak compare-exchange in a function that gets what it expects by address", "safe", `atomic_int x;
static int once(atomic_int *p, int *e) { return atomic_compare_exchange_weak_explicit(p, e, *e + 1, acq, rlx); }
static void add(atomic_int *p) { int e = get(*p, rlx); while (!once(p, &e)); }
void *a(void *p) { add(&x); return 0; }
int main() { start(a); add(&x); wait(a); assert(get(x, rlx) == 2); }`},
	{"the same, and another function notes a failure in it", "assertion", `atomic_int x;
static int once(atomic_int *p, int *e, int *n) { if (atomic_compare_exchange_weak_explicit(p, e, *e + 1, acq, rlx)) return 1; *n = 1; return 0; }
int main() { int e = 0, n = 0; while (!once(&x, &e, &n)); assert(!n); }`},
	{"what is expected is read by another thread", "data race on e", `atomic_int x; int *q; atomic_int f;
static int once(atomic_int *p, int *e) { return atomic_compare_exchange_weak_explicit(p, e, *e + 1, acq, rlx); }
void *a(void *p) { if (get(f, acq)) return (void *)(long)*q; return 0; }
int main() { int e = 0; start(a); q = &e; set(f, 1, rel); while (!once(&x, &e)); wait(a); }`},
	{"a data race of a round that a failure without a reason alone has", "data race on d", `atomic_int x; int d; atomic_int f;
void *a(void *p) { d = 1; return 0; }
int main() { int e = 0; start(a); while (!weak(&x, &e, 1)) (void)*(volatile int *)&d; wait(a); }`},
	{"a failure without a reason after which a variable decides", "assertion", `atomic_int x;
int main() { int e = 0, b = get(x, rlx) == 0; while (!weak(&x, &e, 1)) if (b) break; assert(get(x, rlx)); }`},
	{"the same, and the other branch goes on", "assertion", `atomic_int x;
int main() { int e = 0, b = get(x, rlx) == 1; while (!weak(&x, &e, 1)) { if (b) ; else break; } assert(get(x, rlx)); }`},
	{"a weak compare-exchange without a loop may fail", "assertion", `atomic_int x;
int main() { int e = 0; weak(&x, &e, 1); assert(get(x, rlx) == 1); }`},
	{"a loop that counts failures", "assertion", `atomic_int x;
int main() { int e = 0, n = 0; while (!weak(&x, &e, 1)) n++; assert(n == 0); }`},
	{"a loop that notes a failure", "assertion", `atomic_int x;
int main() { int e = 0, failed = 0; while (!weak(&x, &e, 1)) failed = 1; assert(!failed); }`},
	{"a loop that gives up after two failures", "assertion", `atomic_int x;
int main() { int e = 0; for (int i = 0; i < 2 && !weak(&x, &e, 1); i++); assert(get(x, rlx)); }`},
	{"a loop that does something else after a failure", "assertion", `atomic_int x, y;
int main() { int e = 0; while (!weak(&x, &e, 1)) set(y, 1, rlx); assert(!get(y, rlx)); }`},
	{"a loop that expects something else after a failure", "assertion", `atomic_int x;
int main() { int e = 0, v = 1; while (!weak(&x, &e, v)) v = 2; assert(get(x, rlx) == 1); }`},
	{"the last operation of a thread that is joined, and a free that it happens before", "safe", `typedef struct { atomic_int n; int d; } o; o *q;
void *a(void *p) { assert(q->d == 3); if (atomic_fetch_sub_explicit(&q->n, 1, memory_order_acq_rel) == 1) free(q); return 0; }
void *b(void *p) { assert(q->d == 3); if (atomic_fetch_sub_explicit(&q->n, 1, memory_order_acq_rel) == 1) free(q); return 0; }
int main() { q = malloc(sizeof *q); atomic_init(&q->n, 2); q->d = 3; start(a); start(b); wait(a); wait(b); }`},
	{"the same with relaxed orders", "data race on", `typedef struct { atomic_int n; int d; } o; o *q;
void *a(void *p) { assert(q->d == 3); if (atomic_fetch_sub_explicit(&q->n, 1, rlx) == 1) free(q); return 0; }
void *b(void *p) { assert(q->d == 3); if (atomic_fetch_sub_explicit(&q->n, 1, rlx) == 1) free(q); return 0; }
int main() { q = malloc(sizeof *q); atomic_init(&q->n, 2); q->d = 3; start(a); start(b); wait(a); wait(b); }`},
	{"once", "safe", `pthread_once_t o = PTHREAD_ONCE_INIT; int d;
void first(void) { d++; }
void *a(void *p) { pthread_once(&o, first); assert(d == 1); return 0; }
void *b(void *p) { pthread_once(&o, first); assert(d == 1); return 0; }
int main() { start(a); start(b); wait(a); wait(b); }`},
	{"once orders nothing of the threads that come later", "data race on d", `pthread_once_t o = PTHREAD_ONCE_INIT; int d;
void first(void) { }
void *a(void *p) { d = 1; pthread_once(&o, first); return 0; }
int main() { start(a); pthread_once(&o, first); assert(d < 2); wait(a); }`},
	{"thread-locals", "safe", `_Thread_local int t; atomic_int x;
void *a(void *p) { t += 2; set(x, t, rlx); assert(t == 2); return 0; }
int main() { start(a); t++; assert(get(x, rlx) != 3); assert(t == 1); wait(a); assert(get(x, rlx) == 2 && t == 1); }`},
	{"a thread-local of another thread", "data race on t", `_Thread_local int t; _Atomic(int *) x; atomic_int stop;
void *a(void *p) { set(x, &t, rel); t = 1; while (!get(stop, acq)); return 0; }
int main() { start(a); int *q = get(x, acq); if (q) *q = 2; set(stop, 1, rel); wait(a); }`},
	{"two threads poll under a lock, and nothing sets the flag", "non-termination", `pthread_mutex_t m; int ready;
void *a(void *p) { for (;;) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; } return 0; }
void *b(void *p) { for (;;) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; } return 0; }
int main() { start(a); start(b); wait(a); wait(b); }`},
	{"the same, and main sets it: rounds that write are counted", "no violation within", `pthread_mutex_t m; int ready;
void *a(void *p) { for (;;) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; } return 0; }
int main() { start(a); pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m); wait(a); }`},
	{"condition waits with a time limit, in rounds", "non-termination", `pthread_mutex_t m; pthread_cond_t c; int ready;
void *a(void *p) { struct timespec t = {0, 0}; pthread_mutex_lock(&m); while (!ready) pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); return 0; }
int main() { start(a); wait(a); }`},
	{"the same, and main sets it", "no violation within", `pthread_mutex_t m; pthread_cond_t c; int ready;
void *a(void *p) { struct timespec t = {0, 0}; pthread_mutex_lock(&m); while (!ready) pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); return 0; }
int main() { start(a); pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m); wait(a); }`},
	{"a thread alone, in rounds that write", "non-termination", `atomic_int ready, m;
int main() { int r; do { m = 1; r = ready; m = 0; } while (!r); }`},
	{"two awaits that cannot both read old values: one mo for all", "safe", `atomic_int x, y;
void *a(void *p) { atomic_store(&x, 1); atomic_store(&y, 2); return 0; }
void *b(void *p) { atomic_store(&y, 1); atomic_store(&x, 2); return 0; }
void *c(void *p) { while (get(x, rlx) != 2 && get(y, rlx) != 2); return 0; }
int main() { start(a); start(b); start(c); wait(a); wait(b); wait(c); }`},
	{"with relaxed stores they can", "non-termination", `atomic_int x, y;
void *a(void *p) { set(x, 1, rlx); set(y, 2, rlx); return 0; }
void *b(void *p) { set(y, 1, rlx); set(x, 2, rlx); return 0; }
void *c(void *p) { while (get(x, rlx) != 2 && get(y, rlx) != 2); return 0; }
int main() { start(a); start(b); start(c); wait(a); wait(b); wait(c); }`},
	{"a loop sees the last store at last, whatever its order", "safe", `atomic_int f;
void *a(void *p) { set(f, 1, rlx); return 0; }
int main() { start(a); while (!get(f, rlx)); wait(a); }`},
}

// TestC11Programs: operations of C under c11.
func TestC11Programs(t *testing.T) {
	for _, c := range c11Programs {
		opt := query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.C11}}
		opt.Timeout, opt.Workers = 0, 1
		in := query.Input{Name: "p.c", Text: []byte(c11Head + c.text)}
		ans, err := check.Run(context.Background(), in, opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := &ans.Results[0]
		want := "unsafe"
		switch c.want {
		case "safe":
			want = "safe"
		case "no violation within":
			want = "unknown"
		}
		if got := r.Verdict.String(); got != want || want != "safe" && !strings.HasPrefix(r.Reason, c.want) {
			t.Errorf("%s: %s: %s, want %s", c.name, got, r.Reason, c.want)
		}
		again, err := verify.Results(context.Background(), in, ans.Results, query.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, v := range again.Checks {
			if v.Err != nil {
				t.Errorf("%s: verification of %s: %v", c.name, v.Name, v.Err)
			}
		}
	}
}

// TestC11NotProved: the checker of certificates accepts no proof about a program that is unsafe; it knows nothing of the
// engine's answer.
func TestC11NotProved(t *testing.T) {
	refuted := 0
	for _, c := range c11Programs {
		if c.want == "safe" || c.want == "no violation within" || c.want == "non-termination" {
			continue // whether loops end is not asked here
		}
		opt := query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.C11}}
		opt.Timeout, opt.Workers = 0, 1
		err := check.ProofUnderC11(context.Background(), query.Input{Name: "p.c", Text: []byte(c11Head + c.text)}, opt)
		if err == nil {
			t.Errorf("%s: a proof is accepted, and the program is unsafe: %s", c.name, c.want)
		}
		if r := (*certificate.Refuted)(nil); errors.As(err, &r) {
			refuted++
		}
	}
	if refuted < 10 {
		t.Errorf("the checker refutes only %d programs", refuted)
	}
}
