package robust

import (
	"strings"
	"testing"

	"fencepost/verdict"
)

// waitingInC has a body of a thread for each construct of C that waits. Three threads run it, and
// each passes a message to the next right after it, which the next never acts on. unordered says that the answer
// is unknown: the construct depends on what plain stores of other threads write.
var waitingInC = []struct {
	name, globals, body string
	unordered           bool
}{
	{"mutex", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);", false},
	{"semaphore", "sem_t m;", "sem_post(&m); sem_wait(&m); x++; sem_post(&m);", false},
	{"reader-writer lock", "pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;", "pthread_rwlock_wrlock(&m); x++; pthread_rwlock_unlock(&m);", false},
	{"barrier", "pthread_barrier_t m;", "pthread_barrier_wait(&m);", false},
	{"condition", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
		"pthread_mutex_lock(&m); x++; while (x < 3) pthread_cond_wait(&c, &m); pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);", false},
	{"spin lock", "pthread_spinlock_t m;", "pthread_spin_lock(&m); x++; pthread_spin_unlock(&m);", false},
	{"spin lock that is tried", "pthread_spinlock_t m;", "if (pthread_spin_trylock(&m) == 0) { x++; pthread_spin_unlock(&m); }", false},
	{"once", "pthread_once_t m = PTHREAD_ONCE_INIT; void f(void) { x = 1; }", "pthread_once(&m, f);", false},
	{"lock of an exchange", "atomic_int m;", "while (atomic_exchange(&m, 1)); x++; atomic_store_explicit(&m, 0, memory_order_release);", false},
	{"lock of a compare-exchange", "atomic_int m;",
		"int none = 0; while (!atomic_compare_exchange_strong(&m, &none, 1)) none = 0; x++; atomic_store_explicit(&m, 0, memory_order_release);", false},
	{"spin loop", "atomic_int m;", "while (atomic_load(&m)); atomic_store_explicit(&m, 0, memory_order_relaxed);", false},
	{"futex", "atomic_int m;", "syscall(SYS_futex, &m, FUTEX_WAIT, 1, 0, 0, 0); atomic_store_explicit(&m, 0, memory_order_relaxed);", true},
	{"section", "int m, n;", "__VERIFIER_atomic_begin(); if (m == 0) n = n + 1; __VERIFIER_atomic_end(); m = 1;", true},
}

// TestWaitingInC: only futex and atomic sections on words that plain stores change leave it open whether one
// delaying thread is enough.
func TestWaitingInC(t *testing.T) {
	for _, c := range waitingInC {
		t.Run(c.name, func(t *testing.T) {
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
` + c.globals + `
atomic_int seen[3];
void *run(void *p) {
  long i = (long)p;
  ` + c.body + `
  atomic_store_explicit(&seen[i], 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(&seen[(i + 1) % 3], memory_order_relaxed) == 7) { ` + c.body + ` }
  return 0;
}
int main(void) {
  pthread_t t[3];
` + map[string]string{"barrier": "  pthread_barrier_init(&m, 0, 3);\n", "spin lock": "  pthread_spin_init(&m, 0);\n", "spin lock that is tried": "  pthread_spin_init(&m, 0);\n"}[c.name] + `
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], 0, run, (void *)i);
  return 0;
}
`
			opt := Defaults()
			opt.CriterionModel, opt.Workers = "pso", 1
			a := askRobust(t, "test.c", text, opt)
			if a.HasErrors() {
				t.Fatalf("%+v", a.Diagnostics)
			}
			r := a.Results[0]
			t.Logf("%s: %s, %+v", r.Verdict, r.Reason, r.Stats.Filters)
			if got := strings.Contains(r.Reason, "one delaying thread"); got != c.unordered || !got && r.Verdict != verdict.Safe {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
		})
	}
}
