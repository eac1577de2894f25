package mover_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

var inC = flag.Int("fp.inc", 4, "random C programs with templates to prove")

// protocolC makes a C program in which several threads run one function: a lock, a condition, a barrier, or something
// that looks like one,
// around some work with assertions, in a loop or not. Each part is right, or has a mistake that people make.
func protocolC(r *rand.Rand, threads int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var acquire, release string
	kind := "PTHREAD_MUTEX_NORMAL"
	switch r.IntN(7) {
	case 0:
		acquire = pick("pthread_mutex_lock(&m);", "pthread_mutex_lock(&m);", "while (pthread_mutex_trylock(&m)) ;", "if (pthread_mutex_trylock(&m)) return 0;")
		release = "pthread_mutex_unlock(&m);"
	case 1:
		acquire = pick("while (__sync_lock_test_and_set(&l, 1)) ;", "while (!__sync_bool_compare_and_swap(&l, 0, 1)) ;", "while (l) ; l = 1;", "do { while (l) ; } while (__sync_lock_test_and_set(&l, 1));")
		release = pick("l = 0;", "__sync_lock_release(&l);", "__sync_synchronize(); l = 0;", "")
	case 2:
		acquire = pick("t = __sync_fetch_and_add(&n, 1);", "t = __sync_fetch_and_add(&n, 1);", "t = n; n = t + 1;") + " " + pick("while (s != t) ;", "while (s != t) ;", "while (s < t) ;")
		release = pick("s = t + 1;", "s = s + 1;", "__sync_fetch_and_add(&s, 1);", "s = t;")
	case 3: // again and again
		kind = pick("PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_ERRORCHECK")
		acquire = pick("pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "pthread_mutex_lock(&m);", "if (pthread_mutex_trylock(&m)) return 0; pthread_mutex_lock(&m);")
		release = pick("pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);", "pthread_mutex_unlock(&m);", "pthread_mutex_unlock(&m); x = 0; pthread_mutex_unlock(&m);")
	case 4:
		acquire = "pthread_mutex_lock(&m); " + pick("while (!f) pthread_cond_wait(&c, &m);", "if (!f) pthread_cond_wait(&c, &m);", "while (f) pthread_cond_wait(&c, &m); f = 1;")
		release = pick("f = 1; pthread_cond_signal(&c);", "f = 0; pthread_cond_broadcast(&c);", "x = 1; f = 1;") + pick(" pthread_mutex_unlock(&m);", " pthread_mutex_unlock(&m); pthread_cond_signal(&c);")
	case 5: // what a thread allocates it publishes, or keeps
		acquire = pick("pthread_mutex_lock(&m);", "pthread_mutex_lock(&m);", "while (__sync_lock_test_and_set(&l, 1)) ;")
		body := pick("int *q = malloc(sizeof *q); *q = 1; k = *q; free(q); assert(k == 1);", "if (!g) { int *q = malloc(sizeof *q); *q = 7; g = q; }\n  assert(*g == 7);",
			"int *q = malloc(sizeof *q); *q = 2; g = q; assert(*g == 2);", "if (g) { free(g); g = 0; } else g = malloc(sizeof *g);")
		acquire += " " + body
		release = pick("l = 0; pthread_mutex_unlock(&m);", "l = 0;")
		if !strings.Contains(acquire, "pthread_mutex_lock") {
			release = "l = 0;"
		}
	default:
		acquire = pick("", "while (!f) ;", "if (!f) return 0;", "pthread_barrier_wait(&br);", "if (pthread_barrier_wait(&br)) return 0;")
		release = pick("x = 1; f = 1;", "f = 1; x = 1;", "f = 1;")
	}
	work := pick("assert(x == 0); x = 1; x = 0;", "x++; x--;", "k = x; x = k + 1; assert(x == k + 1);", "k = x; assert(k == 0 || k == 1);", "x = 1; assert(x == 1); x = 0;", "b = b + 1; assert(b != 0);", "x = t; k = x; assert(k == (int)t);",
		"k = x & 1; a[k].tag = 1; a[k].sum = 2; assert(a[k].tag == 1);", "a[x & 3].sum = 1; k = x;",
		"wide = ((unsigned __int128)1 << 64) + 1; assert((unsigned long)wide <= 1);")
	body := fmt.Sprintf("%s\n  %s\n  %s", acquire, work, release)
	switch r.IntN(6) {
	case 0:
		body = fmt.Sprintf("for (;;) {\n  %s\n  }", body)
	case 1:
		body = fmt.Sprintf("for (int i = 0; i < 2; i++) {\n  %s\n  }", body)
	}
	if r.IntN(6) == 0 {
		body = strings.Replace(body, work, release, 1)
	}
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nvolatile unsigned l, n, s, f;\nvolatile int x;\nint *volatile g;\nvolatile unsigned char b;\nvolatile struct { char tag; long sum; } a[2];\n_Atomic unsigned __int128 wide;\npthread_mutex_t m;\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\npthread_barrier_t br;\n")
	fmt.Fprintf(&b, "void *w(void *p) {\n  unsigned t = 0;\n  int k = 0;\n  %s\n  return 0;\n}\nvoid *v(void *p) { return w(p); }\nvoid *u(void *p) { x = 1; __sync_fetch_and_add(&n, 1); return 0; }\nint main(void) {\n  pthread_t h[4];\n", body)
	if kind != "PTHREAD_MUTEX_NORMAL" { // a program that names kinds asks for them at every lock
		fmt.Fprintf(&b, "  pthread_mutexattr_t at;\n  pthread_mutexattr_init(&at);\n  pthread_mutexattr_settype(&at, %s);\n  pthread_mutex_init(&m, &at);\n", kind)
	}
	if strings.Contains(body, "barrier") {
		fmt.Fprintf(&b, "  pthread_barrier_init(&br, 0, %d);\n", r.IntN(3)) // 0 is an error
	}
	if r.IntN(3) == 0 {
		b.WriteString("  f = 1;\n")
	}
	if r.IntN(4) == 0 { // a thread of its own that is joined
		fmt.Fprintf(&b, "  pthread_create(&h[0], 0, %s, 0);\n  pthread_join(h[0], 0);\n  %s\n", pick("v", "v", "u"),
			pick("assert(n == s);", "assert(x == 0);", "assert(s == 0);", "assert(n == 1);", "assert(l == 0);", "assert(0);", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"))
	}
	for i := range threads {
		fmt.Fprintf(&b, "  pthread_create(&h[%d], 0, w, 0);\n", i)
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// TestProofsOfTemplatesInC: a C program that is proved for any number of threads fails with none of one to four, and its
// invariants hold in all states of one and two threads.
func TestProofsOfTemplatesInC(t *testing.T) { proofsInC(t, protocolC, *inC) }

// proofsInC proves programs that make makes for a number of threads that run w, and compares them with instances.
func proofsInC(t *testing.T, make func(r *rand.Rand, threads int) string, programs int) {
	needsSolver(t)
	defer mover.LimitQuestions(300_000)() // a question without an answer only leaves a program unproved
	var c campaign
	allocate := 0
	for i := range programs {
		s := *seed + 22 + uint64(i) // so that a few programs differ in what happens to them
		text := make(rand.New(rand.NewPCG(s, 0xc0de)), 1)
		flat, props, private := parseC(t, text)
		props.Deadlock = false
		replicate(flat, "w")
		took := c.try(t, trial{
			name: fmt.Sprintf("seed %d\n%s", s, text), prog: flat, props: props, sizes: []int{1, 2},
			opt: mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: i%3 != 0, Reach: reach([]int64{20, 1000, 5000}[i%3]), PSO: i%4 == 3},
			instance: func(n int) (*ir.Program, *property.Set) {
				some, props, _ := parseC(t, make(rand.New(rand.NewPCG(s, 0xc0de)), n))
				props.Deadlock = false
				return some, props
			},
			how: testkit.How{Buffer: 4},
		})
		if !took && strings.Contains(text, "malloc(") {
			allocate++
		}
		c.tell(t, i)
	}
	c.end(t)
	t.Logf("%d of the refused programs allocate", allocate)
	if c.refused-allocate > programs/10 {
		t.Error("too many programs are refused")
	}
}
