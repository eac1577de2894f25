package testkit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random C programs for the comparison of data races. Two or three threads, and main,
// access two ints and heap blocks, and call all library functions that synchronise or seem
// to. Every call has a separate line, and the program records what the line does for the
// second implementation of happens-before.

// raceProgram is a random program.
type raceProgram struct {
	text  strings.Builder
	line  int
	lines map[int]cLine

	r     *rand.Rand
	depth int
	fresh int
	// used has the locks that the current thread holds, so that it seldom unlocks others.
	used map[string]bool
	// theme has the kinds of statements of the program. They are few, so that threads use
	// the same objects.
	theme []func()
}

const raceProlog = `#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
struct box { pthread_mutex_t m; int v; };
int d[2];
atomic_int f[2];
int *block;
_Atomic(int *) shared;
struct box *box;
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t m1 = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t m2 = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
mtx_t m3;
pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;
cnd_t c1;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
once_flag flag = ONCE_FLAG_INIT;
pthread_spinlock_t spin;
pthread_barrier_t barrier;
sem_t sem;
pthread_key_t key;
struct timespec later;
void first(void) { d[0] = 1; }
void ended(void *p) { d[1] = 2; }
`

// generateRaces returns the program of a seed.
func generateRaces(seed uint64) *raceProgram {
	g := &raceProgram{r: rand.New(rand.NewPCG(seed, 18)), lines: map[int]cLine{}, line: 1}
	g.put("%s", raceProlog)
	g.choose()
	n := 2 + g.r.IntN(2)/(1+g.r.IntN(2))
	nested := n == 3 && g.r.IntN(3) == 0
	for t := n - 1; t >= 0; t-- {
		g.put("void *t%d(void *arg) {\n", t)
		g.used = map[string]bool{}
		if nested && t == 1 {
			g.put("pthread_t child;\npthread_create(&child, 0, t2, 0);\n")
		}
		for range 1 + g.r.IntN(4) {
			g.statement()
		}
		if nested && t == 1 && g.r.IntN(2) == 0 {
			g.put("pthread_join(child, 0);\n")
			g.data()
		}
		g.put("return 0;\n}\n")
	}
	g.main(n, nested)
	return g
}

func (g *raceProgram) main(n int, nested bool) {
	g.put("int main(void) {\nint v;\n")
	g.used = map[string]bool{}
	g.put("mtx_init(&m3, mtx_plain);\ncnd_init(&c1);\npthread_spin_init(&spin, 0);\npthread_barrier_init(&barrier, 0, 2);\n")
	g.put("sem_init(&sem, 0, %d);\n", g.r.IntN(3))
	text := g.text.String()
	if strings.Contains(text, "block") || strings.Contains(text, "realloc") {
		g.put("block = malloc(4);\n*block = 0;\n")
	}
	if strings.Contains(text, "box->") {
		g.put("box = malloc(sizeof(struct box));\npthread_mutex_init(&box->m, 0);\nbox->v = 0;\n")
	}
	if strings.Contains(text, "key,") {
		destructor := "0"
		if g.r.IntN(2) == 0 {
			destructor = "ended"
		}
		g.call(cLine{call: keyCall}, "pthread_key_create(&key, %s);", destructor)
	}
	if nested {
		n = 2
	}
	for t := range n {
		g.put("pthread_t h%d;\npthread_create(&h%d, 0, t%d, 0);\n", t, t, t)
		if t == 0 && g.r.IntN(4) == 0 {
			g.data()
		}
	}
	if g.r.IntN(3) == 0 {
		g.statement()
	}
	for t := range n {
		if g.r.IntN(5) > 0 {
			g.put("pthread_join(h%d, 0);\n", t)
		}
	}
	if g.r.IntN(2) == 0 {
		g.data()
	}
	g.put("return 0;\n}\n")
}

func (g *raceProgram) put(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	g.text.WriteString(s)
	g.line += strings.Count(s, "\n")
}

// call writes a line and records what it does.
func (g *raceProgram) call(c cLine, format string, args ...any) {
	g.lines[g.line] = c
	g.put(format+"\n", args...)
}

func (g *raceProgram) pick(words string) string {
	list := strings.Fields(words)
	return list[g.r.IntN(len(list))]
}

func (g *raceProgram) order(words string) (string, memoryOrder) {
	w := g.pick(words)
	return "memory_order_" + w, map[string]memoryOrder{
		"relaxed": relaxed, "acquire": acquire, "consume": acquire, "release": release, "acq_rel": acqRel, "seq_cst": seqCst,
	}[w]
}

// data writes a plain access.
func (g *raceProgram) data() {
	switch g.r.IntN(4) {
	case 0:
		g.put("(void)*(volatile int *)&d[%d];\n", g.r.IntN(2))
	default:
		g.put("d[%d] = %d;\n", g.r.IntN(4)/3, 1+g.r.IntN(3))
	}
}

// some writes one or two statements of a branch.
func (g *raceProgram) some() {
	g.depth++
	for range 1 + g.r.IntN(2) {
		if g.depth < 3 && g.r.IntN(3) == 0 {
			g.statement()
		} else {
			g.data()
		}
	}
	g.depth--
}

// whether writes a branch on the result of a call.
func (g *raceProgram) whether(c cLine, then func(), format string, args ...any) {
	g.call(c, "if ("+format+") {", args...)
	then()
	g.put("}\n")
}

// choose sets the theme: one to three families of calls.
func (g *raceProgram) choose() {
	families := [][]func(){
		{g.atomicStore, g.atomicStore, g.atomicRead, g.atomicRead}, {g.atomicStore, g.atomicRead, g.atomicRMW}, {g.atomicStore, g.atomicRead, g.fence},
		{g.mutex}, {g.mutex, g.condition, g.condition}, {g.semaphore}, {g.readersWriters}, {g.spinLock}, {g.onceOnly}, {g.meet}, {g.blocks, g.blocks, g.flags}, {g.boxes, g.flags},
		{g.publish, g.atomicRead, g.atomicRead}, {g.section}, {g.keys}, {g.failing, g.flags, g.mutex}, {g.semaphore, g.readersWriters, g.flags},
	}
	g.theme = []func(){g.data}
	for range 1 + g.r.IntN(3) {
		g.theme = append(g.theme, families[g.r.IntN(len(families))]...)
	}
}

func (g *raceProgram) statement() { g.theme[g.r.IntN(len(g.theme))]() }

// flags writes relaxed accesses to a flag, which order threads without synchronisation.
func (g *raceProgram) flags() {
	if g.r.IntN(2) == 0 {
		g.call(cLine{call: atomicAccess, order: relaxed}, "atomic_store_explicit(&f[0], 1, memory_order_relaxed);")
		return
	}
	g.whether(cLine{call: atomicAccess, order: relaxed}, g.some, "atomic_load_explicit(&f[0], memory_order_relaxed)")
}

// failing writes a call that mostly fails.
func (g *raceProgram) failing() {
	switch g.r.IntN(3) {
	case 0:
		g.call(cLine{call: mutexUnlock}, "pthread_mutex_unlock(&m2);")
	case 1:
		g.call(cLine{call: semCall}, "sem_trywait(&sem);")
	default:
		g.call(cLine{call: mutexLock}, "pthread_mutex_lock(&m2);")
		g.some()
		g.call(cLine{call: mutexUnlock}, "pthread_mutex_unlock(&m2);")
	}
}

func (g *raceProgram) atomicStore() {
	o, order := g.order("relaxed relaxed release release seq_cst")
	g.call(cLine{call: atomicAccess, order: order}, "atomic_store_explicit(&f[%d], %d, %s);", g.r.IntN(2), 1+g.r.IntN(2), o)
}

// publish writes an access to data and stores to two flags.
func (g *raceProgram) publish() {
	g.data()
	g.atomicStore()
	g.atomicStore()
}

func (g *raceProgram) atomicRead() {
	o, order := g.order("relaxed relaxed acquire acquire consume seq_cst")
	g.whether(cLine{call: atomicAccess, order: order}, func() {
		if g.r.IntN(3) == 0 {
			g.fence()
		}
		g.some()
	}, "atomic_load_explicit(&f[%d], %s)%s", g.r.IntN(2), o, g.pick("!=0 ==1 ==2"))
}

func (g *raceProgram) atomicRMW() {
	o, order := g.order("relaxed acquire release acq_rel seq_cst")
	i := g.r.IntN(2)
	switch g.r.IntN(3) {
	case 0:
		g.call(cLine{call: atomicAccess, order: order}, "atomic_fetch_add_explicit(&f[%d], 1, %s);", i, o)
	case 1:
		g.whether(cLine{call: atomicAccess, order: order}, g.some, "atomic_exchange_explicit(&f[%d], 2, %s)", i, o)
	default:
		fo, fail := g.order("relaxed acquire seq_cst")
		g.fresh++
		g.put("int e%d = %d;\n", g.fresh, g.r.IntN(2))
		g.whether(cLine{call: atomicAccess, order: order, fail: fail}, g.some, "%satomic_compare_exchange_strong_explicit(&f[%d], &e%d, 2, %s, %s)", g.pick("! !! !!"), i, g.fresh, o, fo)
	}
}

func (g *raceProgram) fence() {
	o, order := g.order("relaxed acquire acquire release release acq_rel seq_cst")
	g.call(cLine{call: fenceCall, order: order}, "atomic_thread_fence(%s);", o)
}

func (g *raceProgram) mutex() {
	m := g.pick("m0 m0 m1 m2 m3")
	lock, unlock := cLine{call: mutexLock}, cLine{call: mutexUnlock}
	l, try, u := "pthread_mutex_lock(&"+m+")", "!pthread_mutex_trylock(&"+m+")", "pthread_mutex_unlock(&"+m+");"
	timed := "!pthread_mutex_timedlock(&" + m + ", &later)"
	if m == "m3" {
		l, try, u, timed = "mtx_lock(&m3)", "mtx_trylock(&m3) == thrd_success", "mtx_unlock(&m3);", "mtx_timedlock(&m3, &later) == thrd_success"
	}
	switch n := g.r.IntN(8); {
	case n == 0 && m == "m2":
		g.data()
		g.call(unlock, "%s", u) // fails if this thread does not hold the lock
		return
	case n < 3:
		if n == 1 {
			try = timed
		}
		g.whether(lock, func() { g.some(); g.call(unlock, "%s", u) }, "%s", try)
		return
	case n == 3 && m != "m3":
		g.call(lock, "if (pthread_mutex_trylock(&%s)) {", m)
		g.some()
		g.put("} else {\n")
		g.call(unlock, "%s", u)
		g.put("}\n")
		return
	}
	if g.used[m] && m != "m1" {
		g.data()
		return
	}
	g.used[m] = true
	g.call(lock, "%s;", l)
	g.some()
	if m == "m1" && g.r.IntN(2) == 0 {
		g.call(lock, "%s;", l)
		g.some()
		g.call(unlock, "%s", u)
		g.some()
	}
	g.call(unlock, "%s", u)
	g.used[m] = false
}

func (g *raceProgram) condition() {
	if g.r.IntN(2) == 0 {
		g.put("%s;\n", g.pick("pthread_cond_signal(&c0) pthread_cond_broadcast(&c0) cnd_signal(&c1) cnd_broadcast(&c1)"))
		return
	}
	m := g.pick("m0 m2")
	if g.used["m0"] || g.used["m2"] {
		g.data()
		return
	}
	other := ""
	if m == "m0" && g.r.IntN(3) == 0 {
		other = "m2"
	}
	g.call(cLine{call: mutexLock}, "pthread_mutex_lock(&%s);", m)
	if other != "" {
		g.call(cLine{call: mutexLock}, "pthread_mutex_lock(&%s);", other)
	}
	g.data()
	wait := cLine{call: condWait, mutex: m}
	switch g.r.IntN(4) {
	case 0:
		g.call(wait, "pthread_cond_wait(&c0, &%s);", m)
	case 1:
		g.call(wait, "cnd_wait(&c1, &%s);", m)
	case 2:
		g.call(wait, "pthread_cond_timedwait(&c0, &%s, &later);", m)
	default:
		g.whether(wait, g.data, "pthread_cond_timedwait(&c0, &%s, &later)", m)
	}
	g.data()
	if other != "" {
		g.call(cLine{call: mutexUnlock}, "pthread_mutex_unlock(&%s);", other)
	}
	g.call(cLine{call: mutexUnlock}, "pthread_mutex_unlock(&%s);", m)
	if g.r.IntN(2) == 0 {
		g.data()
	}
}

func (g *raceProgram) semaphore() {
	c := cLine{call: semCall}
	switch g.r.IntN(6) {
	case 0, 1:
		g.call(c, "sem_post(&sem);")
	case 2:
		g.call(c, "sem_wait(&sem);")
	case 3:
		g.whether(c, g.some, "%ssem_trywait(&sem)", g.pick("! ! !!"))
	case 4:
		g.whether(c, g.some, "%ssem_timedwait(&sem, &later)", g.pick("! ! !!"))
	default:
		g.fresh++
		g.put("int v%d;\n", g.fresh)
		g.call(c, "sem_getvalue(&sem, &v%d);", g.fresh)
		g.put("if (v%d) {\n", g.fresh)
		if g.r.IntN(2) == 0 {
			g.fence()
		}
		g.some()
		g.put("}\n")
	}
}

func (g *raceProgram) readersWriters() {
	c := cLine{call: rwCall}
	kind := g.pick("rd wr")
	if g.used["rw"] {
		g.data()
		return
	}
	g.used["rw"] = true
	defer func() { g.used["rw"] = false }()
	body := func() { g.some(); g.call(c, "pthread_rwlock_unlock(&rw);") }
	switch g.r.IntN(4) {
	case 0:
		g.whether(c, body, "!pthread_rwlock_try%slock(&rw)", kind)
	case 1:
		g.whether(c, body, "!pthread_rwlock_timed%slock(&rw, &later)", kind)
	default:
		g.call(c, "pthread_rwlock_%slock(&rw);", kind)
		body()
	}
}

func (g *raceProgram) spinLock() {
	c := cLine{call: spinCall}
	if g.used["spin"] {
		g.data()
		return
	}
	g.used["spin"] = true
	defer func() { g.used["spin"] = false }()
	body := func() { g.some(); g.call(c, "pthread_spin_unlock(&spin);") }
	if g.r.IntN(3) == 0 {
		g.whether(c, body, "!pthread_spin_trylock(&spin)")
		return
	}
	g.call(c, "pthread_spin_lock(&spin);")
	body()
}

func (g *raceProgram) onceOnly() {
	g.call(cLine{call: onceCall}, "%s;", g.pick("pthread_once(&once,first) call_once(&flag,first)"))
	if g.r.IntN(2) == 0 {
		g.put("(void)*(volatile int *)&d[0];\n")
	}
}

func (g *raceProgram) meet() {
	g.put("pthread_barrier_wait(&barrier);\n")
}

func (g *raceProgram) blocks() {
	g.fresh++
	q := fmt.Sprintf("q%d", g.fresh)
	switch g.r.IntN(7) {
	case 0:
		g.put("int *%s = malloc(4);\n*%s = 1;\nfree(%s);\n", q, q, q)
	case 1:
		g.put("int *%s = calloc(1, 4);\n", q)
		o, order := g.order("relaxed release seq_cst")
		g.call(cLine{call: atomicAccess, order: order}, "atomic_store_explicit(&shared, %s, %s);", q, o)
	case 2, 3:
		o, order := g.order("relaxed acquire seq_cst")
		g.call(cLine{call: atomicAccess, order: order}, "int *%s = atomic_load_explicit(&shared, %s);", q, o)
		g.put("if (%s) {\n%s;\n}\n", q, strings.ReplaceAll(g.pick("*q=1 *q=2 free(q)"), "q", q))
	case 4:
		g.put("*block = 3;\n")
	case 5:
		g.put("free(block);\n")
	default:
		g.put("int *%s = malloc(4);\n*%s = 2;\n%s = realloc(%s, 8);\n%s[1] = 1;\nfree(%s);\n", q, q, q, q, q, q)
	}
}

func (g *raceProgram) boxes() {
	if g.r.IntN(4) == 0 {
		g.put("free(box); // box->\n")
		return
	}
	g.call(cLine{call: mutexLock}, "pthread_mutex_lock(&box->m);")
	g.put("box->v = 1;\n")
	g.call(cLine{call: mutexUnlock}, "pthread_mutex_unlock(&box->m);")
}

func (g *raceProgram) section() {
	if g.used["section"] || len(g.used) > 0 && g.depth > 0 {
		g.data()
		return
	}
	g.put("__VERIFIER_atomic_begin();\n")
	g.data()
	g.put("__VERIFIER_atomic_end();\n")
}

func (g *raceProgram) keys() {
	c := cLine{call: keyCall}
	if g.r.IntN(2) == 0 {
		g.call(c, "pthread_setspecific(key, &d[0]);")
		return
	}
	g.fresh++
	g.put("pthread_key_t k%d;\n", g.fresh)
	g.call(c, "pthread_key_create(&k%d, 0);", g.fresh)
	g.call(c, "pthread_setspecific(k%d, &d[0]);", g.fresh)
	if g.r.IntN(2) == 0 {
		g.call(c, "pthread_key_delete(k%d);", g.fresh)
	}
}
