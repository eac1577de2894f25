package robust

import (
	"slices"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// waitingInC has a body of a thread for each construct of C that waits or does other things for other values. Three
// threads run it, each passes a message to the next right after it, and the next runs it again after the message.
var waitingInC = []struct{ name, globals, body string }{
	{"mutex", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"},
	{"semaphore", "sem_t m;", "sem_post(&m); sem_wait(&m); x++; sem_post(&m);"},
	{"reader-writer lock", "pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;", "pthread_rwlock_wrlock(&m); x++; pthread_rwlock_unlock(&m);"},
	{"barrier", "pthread_barrier_t m;", "pthread_barrier_wait(&m);"},
	{"condition", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
		"pthread_mutex_lock(&m); x++; while (x < 3) pthread_cond_wait(&c, &m); pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);"},
	{"spin lock", "pthread_spinlock_t m;", "pthread_spin_lock(&m); x++; pthread_spin_unlock(&m);"},
	{"spin lock that is tried", "pthread_spinlock_t m;", "if (pthread_spin_trylock(&m) == 0) { x++; pthread_spin_unlock(&m); }"},
	{"once", "pthread_once_t m = PTHREAD_ONCE_INIT; void f(void) { x = 1; }", "pthread_once(&m, f);"},
	{"lock of an exchange", "atomic_int m;", "while (atomic_exchange(&m, 1)); x++; atomic_store_explicit(&m, 0, memory_order_release);"},
	{"lock of a compare-exchange", "atomic_int m;",
		"int none = 0; while (!atomic_compare_exchange_strong(&m, &none, 1)) none = 0; x++; atomic_store_explicit(&m, 0, memory_order_release);"},
	{"spin loop", "atomic_int m;", "while (atomic_load(&m)); atomic_store_explicit(&m, 0, memory_order_relaxed);"},
	{"futex", "atomic_int m;", "syscall(SYS_futex, &m, FUTEX_WAIT, 1, 0, 0, 0); atomic_store_explicit(&m, 0, memory_order_relaxed);"},
	{"section", "int m, n;", "__VERIFIER_atomic_begin(); if (m == 0) n = n + 1; __VERIFIER_atomic_end(); m = 1;"},
}

// TestWaitingInC: no construct of C leaves it open whether one delaying thread is enough, whether the message is acted on
// or not. If it is not, the program is robust.
func TestWaitingInC(t *testing.T) {
	for _, c := range waitingInC {
		for message, answers := range map[string][]verdict.Verdict{"7": {verdict.Safe}, "1": {verdict.Safe, verdict.Unsafe}} {
			t.Run(c.name+" "+message, func(t *testing.T) {
				if a := askWaiting(t, c.name, c.globals, c.body, message); !slices.Contains(answers, a.Verdict) {
					t.Errorf("%s: %s", a.Verdict, a.Reason)
				}
			})
		}
	}
}

// twoDelaysInC has programs in which an action depends on stores of two threads that wait after the threads have ended.
var twoDelaysInC = map[string]string{
	"compare-exchange": `
void *t1(void *p) { ST(u.b[0], 1); ST(y, 1); return 0; }
void *t2(void *p) { ST(u.b[1], 1); ST(z, 1); return 0; }
void *t3(void *p) { if (LD(y) == 1 && LD(z) == 1 && LD(u.b[2]) == 0) early = 1; return 0; }
void *t4(void *p) { uint32_t e = 0; if (atomic_compare_exchange_strong(&u.d, &e, 0x07070707)) won = 1; return 0; }`,
	"section": `
void *t1(void *p) { ST(x, 1); ST(y, 1); return 0; }
void *t2(void *p) { ST(x, 2); ST(z, 1); pthread_exit(0); }
void *t3(void *p) { if (LD(y) == 1 && LD(z) == 1 && LD(w) == 0) early = 1; return 0; }
void *t4(void *p) { __VERIFIER_atomic_begin(); if (LD(x) == 0) { ST(w, 1); won = 1; } __VERIFIER_atomic_end(); return 0; }`,
}

// TestTwoDelaysInC: a thread that has ended can delay, too. The search for attacks finds none in these programs; the
// exploration of all traces does.
func TestTwoDelaysInC(t *testing.T) {
	for name, threads := range twoDelaysInC {
		text := `
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#define ST(a, v) atomic_store_explicit(&a, v, memory_order_relaxed)
#define LD(a) atomic_load_explicit(&a, memory_order_relaxed)
atomic_int x, y, z, w;
int early, won;
union { _Atomic uint32_t d; _Atomic uint8_t b[4]; } u;` + threads + `
int main(void) {
  pthread_t a, b, c, d;
  pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0); pthread_create(&c, 0, t3, 0); pthread_create(&d, 0, t4, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0); pthread_join(d, 0);
  assert(!(early && won));
}
`
		opt := query.RobustOptions{Options: query.Defaults()}
		opt.Models, opt.Workers = query.Models{"pso"}, 1
		a := askRobust(t, "test.c", text, opt)
		if a.HasErrors() {
			t.Fatalf("%s: %+v", name, a.Diagnostics)
		}
		if r := a.Results[0]; r.Verdict != verdict.Unsafe || len(r.Attacks) != 1 || r.Engine != "smc" {
			t.Errorf("%s: %s by %s: %s", name, r.Verdict, r.Engine, r.Reason)
		}
	}
}

// askWaiting asks about three threads that run a body, and run it again after a message.
func askWaiting(t *testing.T, name, globals, body, message string) verdict.Result {
	text := `
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <unistd.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;
` + globals + `
atomic_int seen[3];
void *run(void *p) {
  long i = (long)p;
  ` + body + `
  atomic_store_explicit(&seen[i], 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(&seen[(i + 1) % 3], memory_order_relaxed) == ` + message + `) { ` + body + ` }
  return 0;
}
int main(void) {
  pthread_t t[3];
` + map[string]string{"barrier": "  pthread_barrier_init(&m, 0, 3);\n", "spin lock": "  pthread_spin_init(&m, 0);\n", "spin lock that is tried": "  pthread_spin_init(&m, 0);\n"}[name] + `
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], 0, run, (void *)i);
  return 0;
}
`
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Models, opt.Workers = query.Models{"pso"}, 1
	a := askRobust(t, "test.c", text, opt)
	if a.HasErrors() {
		t.Fatalf("%+v", a.Diagnostics)
	}
	r := a.Results[0]
	t.Logf("%s: %s, %+v, %d states", r.Verdict, r.Reason, r.Stats.Filters, r.Stats.States)
	return r
}
