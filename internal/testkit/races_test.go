package testkit_test

import (
	"context"
	"fmt"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// dataRaceProgram is the program of a case. The parts to fill in are the bodies of the
// threads p and q, and what main does before and after it starts q.
const dataRaceProgram = `#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
int data, ready;
atomic_int flag, other;
int *block;
_Atomic(int *) shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_spinlock_t spin;
pthread_barrier_t barrier[2];
sem_t sem, two;
struct timespec never;
void initialise(void) { data = 1; }
void *p(void *a) { %s return 0; }
void *q(void *a) { %s return 0; }
int main(void) { pthread_t s, t; pthread_barrier_init(&barrier[1], 0, 2); sem_init(&two, 0, 2); block = malloc(4); pthread_create(&s, 0, p, 0); %s pthread_create(&t, 0, q, 0); %s pthread_join(t, 0); return data; }
`

// atomicStore returns a store of 1 to an atomic variable with the memory order.
func atomicStore(variable, order string) string {
	return fmt.Sprintf("atomic_store_explicit(&%s, 1, memory_order_%s);", variable, order)
}

// ifLoaded returns a branch that is taken if a load with the memory order does not read 0.
func ifLoaded(variable, order, then string) string {
	return fmt.Sprintf("if (atomic_load_explicit(&%s, memory_order_%s)) { %s }", variable, order, then)
}

// A dataRaceCase has two threads that race, or do not.
type dataRaceCase struct {
	name, p, q string
	joined     bool // main joins p before it starts q
	race       bool
}

func (c dataRaceCase) program() string {
	const join = "pthread_join(s, 0);"
	if c.joined {
		return fmt.Sprintf(dataRaceProgram, c.p, c.q, join, "")
	}
	return fmt.Sprintf(dataRaceProgram, c.p, c.q, "", join)
}

var dataRaceCases = []dataRaceCase{
	{name: "two stores", p: "data = 1;", q: "data = 2;", race: true},
	{name: "two loads", p: "int r = data; (void)r;", q: "int r = data; (void)r;"},
	{name: "joined in between", p: "data = 1;", q: "data = 2;", joined: true},
	{name: "mutex", p: "pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m);", q: "pthread_mutex_lock(&m); data = 2; pthread_mutex_unlock(&m);"},
	{name: "release, acquire", p: "data = 1;" + atomicStore("flag", "release"), q: ifLoaded("flag", "acquire", "data = 2;")},
	{name: "relaxed, acquire", p: "data = 1;" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "acquire", "data = 2;"), race: true},
	{name: "release, relaxed", p: "data = 1;" + atomicStore("flag", "release"), q: ifLoaded("flag", "relaxed", "data = 2;"), race: true},
	{name: "release fence", p: "data = 1; atomic_thread_fence(memory_order_release);" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "acquire", "data = 2;")},
	{name: "acquire fence", p: "data = 1;" + atomicStore("flag", "release"), q: ifLoaded("flag", "relaxed", "atomic_thread_fence(memory_order_acquire); data = 2;")},
	{name: "release sequence", p: "data = 1;" + atomicStore("flag", "release") + "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);", q: ifLoaded("flag", "acquire", "data = 2;")},
	{name: "a release fence before a wait for a semaphore", p: "data = 1; atomic_thread_fence(memory_order_release); sem_wait(&two);", q: "sem_wait(&two); data = 2;", race: true},
	{name: "waits for a semaphore before an acquire fence", p: "data = 1; sem_wait(&two);" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "sem_wait(&two); atomic_thread_fence(memory_order_acquire); data = 2;"), race: true},
	{name: "a compare-exchange that fails relaxed", p: "data = 1;" + atomicStore("flag", "release"), q: "int e = 0; if (!atomic_compare_exchange_strong_explicit(&flag, &e, 5, memory_order_seq_cst, memory_order_relaxed)) data = 2;", race: true},
	{name: "a compare-exchange that fails with acquire", p: "data = 1;" + atomicStore("flag", "release"), q: "int e = 0; if (!atomic_compare_exchange_strong_explicit(&flag, &e, 5, memory_order_relaxed, memory_order_acquire)) data = 2;"},
	{name: "a trylock that fails orders nothing", p: "pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m);", q: "if (pthread_mutex_trylock(&m)) data = 2; else pthread_mutex_unlock(&m);", race: true},
	{name: "a mutex that is unlocked too early", p: "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); data = 1;" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "pthread_mutex_lock(&m); data = 2; pthread_mutex_unlock(&m);"), race: true},
	{name: "reads in rounds of a loop", p: "int x; do x = data; while (!atomic_load_explicit(&flag, memory_order_relaxed)); (void)x;", q: "data = 1;" + atomicStore("flag", "release"), race: true},
	{name: "a seq_cst store ends what a release store began", p: "data = 1;" + atomicStore("flag", "release") + atomicStore("other", "relaxed"), q: "while (!atomic_load_explicit(&other, memory_order_relaxed)) ; atomic_store(&flag, 2); if (atomic_load_explicit(&flag, memory_order_acquire) == 2) data = 2;", race: true},
	{name: "a seq_cst store acquires nothing", p: "data = 1;" + atomicStore("flag", "release") + atomicStore("other", "relaxed"), q: ifLoaded("other", "relaxed", atomicStore("flag", "seq_cst")+" data = 2;"), race: true},
	{name: "a seq_cst exchange acquires", p: "data = 1;" + atomicStore("flag", "release") + atomicStore("other", "release"), q: ifLoaded("other", "relaxed", "if (atomic_exchange(&flag, 2)) data = 2;")},
	{name: "seq_cst", p: "data = 1;" + atomicStore("flag", "seq_cst"), q: ifLoaded("flag", "seq_cst", "data = 2;")},
	{name: "another flag", p: "data = 1;" + atomicStore("flag", "release"), q: ifLoaded("other", "acquire", "data = 2;")},
	{name: "a release store is no fence", p: "data = 1;" + atomicStore("other", "release") + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "acquire", "data = 2;"), race: true},
	{name: "a relaxed store after a release store of the same thread", p: "data = 1;" + atomicStore("flag", "release") + "atomic_store_explicit(&flag, 2, memory_order_relaxed);", q: ifLoaded("flag", "acquire", "data = 2;")},
	{name: "another thread's store ends a release sequence", p: "data = 1;" + atomicStore("flag", "release"), q: "if (atomic_load_explicit(&flag, memory_order_relaxed)) {" + atomicStore("flag", "relaxed") + ifLoaded("flag", "acquire", "data = 2;") + "}", race: true},
	{name: "failed unlock", p: "data = 1; pthread_mutex_unlock(&checked);" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "pthread_mutex_lock(&checked); data = 2; pthread_mutex_unlock(&checked);"), race: true},
	{name: "failed trylock", p: "pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m);", q: "if (pthread_mutex_trylock(&m)) data = 2; else pthread_mutex_unlock(&m);", race: true},
	{name: "trylock", p: "pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m);", q: "if (!pthread_mutex_trylock(&m)) { data = 2; pthread_mutex_unlock(&m); }"},
	{name: "recursive mutex", p: "pthread_mutex_lock(&recursive); pthread_mutex_lock(&recursive); pthread_mutex_unlock(&recursive); data = 1; pthread_mutex_unlock(&recursive);", q: "pthread_mutex_lock(&recursive); data = 2; pthread_mutex_unlock(&recursive);"},
	{name: "condition", p: "pthread_mutex_lock(&m); data = 1; ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);", q: "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); data = 2;"},
	{name: "condition with the outer of two mutexes", p: "pthread_mutex_lock(&m); data = 1; ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
		q: "pthread_mutex_lock(&m); pthread_mutex_lock(&n); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); data = 2;"},
	{name: "a signal alone", p: "data = 1; pthread_cond_signal(&c);", q: "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); data = 2;", race: true},
	{name: "timed wait", p: "pthread_mutex_lock(&m); data = 1; ready = 1; pthread_mutex_unlock(&m);",
		q: "pthread_mutex_lock(&m); if (!ready) pthread_cond_timedwait(&c, &m, &never); if (ready) data = 2; pthread_mutex_unlock(&m);"},
	{name: "timed out", p: "data = 1; pthread_cond_signal(&c);", q: "pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &never); data = 2; pthread_mutex_unlock(&m);", race: true},
	{name: "once", p: "pthread_once(&once, initialise); int r = data; (void)r;", q: "pthread_once(&once, initialise); int r = data; (void)r;"},
	{name: "once, and a thread that does not call it", p: "pthread_once(&once, initialise);", q: "int r = data; (void)r;", race: true},
	{name: "semaphore", p: "data = 1; sem_post(&sem);", q: "sem_wait(&sem); data = 2;"},
	{name: "two waits", p: "data = 1; sem_wait(&two);" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "sem_wait(&two); data = 2;"), race: true},
	{name: "sem_trywait", p: "data = 1; sem_post(&sem);", q: "if (!sem_trywait(&sem)) data = 2;"},
	{name: "failed sem_trywait", p: "data = 1; sem_trywait(&sem);" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "sem_post(&sem); sem_wait(&sem); data = 2;"), race: true},
	{name: "sem_getvalue", p: "int v; sem_getvalue(&sem, &v); sem_post(&sem);", q: "int v; sem_getvalue(&sem, &v); sem_wait(&sem);"},
	{name: "sem_getvalue orders nothing", p: "data = 1; sem_post(&sem);", q: "int v; sem_getvalue(&sem, &v); if (v) { atomic_thread_fence(memory_order_acquire); data = 2; }", race: true},
	{name: "writers", p: "pthread_rwlock_wrlock(&rw); data = 1; pthread_rwlock_unlock(&rw);", q: "pthread_rwlock_wrlock(&rw); data = 2; pthread_rwlock_unlock(&rw);"},
	{name: "reader and writer", p: "pthread_rwlock_rdlock(&rw); int r = data; pthread_rwlock_unlock(&rw); (void)r;", q: "pthread_rwlock_wrlock(&rw); data = 2; pthread_rwlock_unlock(&rw);"},
	{name: "readers", p: "pthread_rwlock_rdlock(&rw); data = 1; pthread_rwlock_unlock(&rw);" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "pthread_rwlock_rdlock(&rw); data = 2; pthread_rwlock_unlock(&rw);"), race: true},
	{name: "spin lock", p: "pthread_spin_lock(&spin); data = 1; pthread_spin_unlock(&spin);", q: "pthread_spin_lock(&spin); data = 2; pthread_spin_unlock(&spin);"},
	{name: "barrier", p: "data = 1; pthread_barrier_wait(&barrier[1]);", q: "pthread_barrier_wait(&barrier[1]); data = 2;"},
	{name: "barrier, too late", p: "pthread_barrier_wait(&barrier[1]); data = 1;", q: "pthread_barrier_wait(&barrier[1]); data = 2;", race: true},
	{name: "a block each", p: "int *b = malloc(4); *b = 1; free(b);", q: "int *b = malloc(4); *b = 1; free(b);"},
	{name: "realloc", p: "int *b = malloc(4); *b = 1; b = realloc(b, 8); free(b);", q: "int *b = malloc(4); *b = 1; free(b);"},
	{name: "read, then free elsewhere", p: "int r = *block; (void)r;" + atomicStore("flag", "relaxed"), q: ifLoaded("flag", "relaxed", "free(block);"), race: true},
	{name: "read, then free elsewhere, synchronised", p: "int r = *block; (void)r;" + atomicStore("flag", "release"), q: ifLoaded("flag", "acquire", "free(block);")},
	{name: "a block passed on without order", p: "atomic_store_explicit(&shared, malloc(4), memory_order_relaxed);", q: "int *b = atomic_load_explicit(&shared, memory_order_relaxed); if (b) *b = 1;", race: true},
	{name: "a block passed on", p: "atomic_store_explicit(&shared, malloc(4), memory_order_release);", q: "int *b = atomic_load_explicit(&shared, memory_order_acquire); if (b) *b = 1;"},
	{name: "initialised while in use", p: "sem_init(&sem, 0, 1);", q: "sem_post(&sem);", race: true},
	{name: "mutex initialised while in use", p: "pthread_mutex_init(&m, 0);", q: "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", race: true},
	{name: "atomic against atomic", p: atomicStore("flag", "relaxed"), q: atomicStore("flag", "relaxed")},
}

// TestDataRaces: which operations order two accesses in C11 [C11 §5.1.2.4].
func TestDataRaces(t *testing.T) {
	for _, c := range dataRaceCases {
		t.Run(c.name, func(t *testing.T) {
			opt := query.CheckOptions{Options: query.Defaults()}
			opt.Timeout, opt.Races = 0, true
			in := query.Input{Name: "race.c", Text: []byte(c.program())}
			answer, err := check.Run(context.Background(), in, opt.Under("sc", "tso", "pso"))
			if err != nil || answer.HasErrors() {
				t.Fatalf("%v %v", err, answer.Diagnostics)
			}
			if len(answer.Results) != 3 {
				t.Errorf("%d results, want one per model", len(answer.Results))
			}
			for _, r := range answer.Results {
				if (r.Verdict == verdict.Unsafe) != c.race {
					t.Errorf("%s: %s %s", r.Model, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// TestCorpusRaces: every program of the corpus has a data race under each of its models
// exactly if its file says so.
func TestCorpusRaces(t *testing.T) {
	asked := 0
	for _, c := range corpus(t) {
		if c.Races == "" {
			continue
		}
		asked++
		opt := c.Options
		opt.Races = true
		results, err := c.Check(opt)
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
		}
		for _, r := range results {
			want, has := verdict.Safe, c.Races == "yes"
			if has {
				want = verdict.Unsafe
			}
			if r.Verdict != want || (r.Question == verdict.DataRaces) != has {
				t.Errorf("%s under %s: %s %s (%s), want races=%s", c.Path, r.Model, r.Verdict, r.Reason, r.Question, c.Races)
			}
		}
	}
	if asked < 15 {
		t.Errorf("only %d programs say whether they have data races", asked)
	}
}
