package prove_test

import (
	"testing"

	"fencepost/internal/question/prove"
	"fencepost/internal/solver/smt"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

const (
	faultHead = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nvolatile int x, y, z;\n" +
		"pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstruct node { struct node *next; long v; };\nstruct node *volatile top;\n"
	faultMain = "\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); return 0; }\n"
)

// faults are C programs that violate a check with at most three threads: all classes of checks, and what the C library
// does to memory and threads.
var faults = []struct{ why, text string }{
	{"free of a static", "//@ replicate\nvoid *w(void *p) { x = 1; free((void *)&y); return 0; }" + faultMain},
	{"free of the middle", "//@ replicate\nvoid *w(void *p) { long *q = malloc(16); q[1] = 1; free(q + 1); return 0; }" + faultMain},
	{"free of a local", "//@ replicate\nvoid *w(void *p) { int l = 1; int *q = &l; free(q); return 0; }" + faultMain},
	{"free twice by two", "//@ replicate\nvoid *w(void *p) { struct node *q = top; if (q) free(q); return 0; }\nint main(void) { pthread_t t; top = malloc(sizeof *top); pthread_create(&t, 0, w, 0); return 0; }"},
	{"local escapes", "int *volatile g;\n//@ replicate\nvoid *w(void *p) { int l = 3; int *q = g; if (q) assert(*q == 3); g = &l; return 0; }" + faultMain},
	{"local of a function", "int *f(void) { int l = 3; int *volatile q = &l; return q; }\n//@ replicate\nvoid *w(void *p) { int *q = f(); *q = 1; return 0; }" + faultMain},
	{"division", "//@ replicate\nvoid *w(void *p) { int k = x; x = 1; y = 4 / (k - 1); return 0; }" + faultMain},
	{"null function", "void *(*volatile fn)(void *);\n//@ replicate\nvoid *w(void *p) { fn(0); return 0; }" + faultMain},
	{"joined by another", "pthread_t h;\nvoid *v(void *p) { x = 1; return 0; }\n//@ replicate\nvoid *w(void *p) { pthread_join(h, 0); assert(x == 1); return 0; }\nint main(void) { pthread_t t; pthread_create(&h, 0, v, 0); pthread_create(&t, 0, w, 0); return 0; }"},
	{"join in a loop", "void *v(void *p) { x = 1; return 0; }\n//@ replicate\nvoid *w(void *p) { return 0; }\nint main(void) { pthread_t t, h; pthread_create(&h, 0, v, 0); pthread_create(&t, 0, w, 0); for (int i = 0; i < 2; i++) pthread_join(h, 0); return 0; }"},
	{"unlock by the other", "//@ replicate\nvoid *w(void *p) { if (x == 0) { x = 1; pthread_mutex_lock(&m); } else pthread_mutex_unlock(&m); return 0; }" + faultMain},
	{"cond wait without the lock", "pthread_cond_t c;\n//@ replicate\nvoid *w(void *p) { pthread_cond_wait(&c, &m); return 0; }" + faultMain},
	{"wait on another", "pthread_cond_t c; pthread_mutex_t o;\n//@ replicate\nvoid *w(void *p) { pthread_mutex_lock(&o); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&o); return 0; }" + faultMain},
	{"memcpy", "struct node n[2];\n//@ replicate\nvoid *w(void *p) { n[0].v = 1; memcpy(&n[1], &n[0], sizeof n[0]); assert(n[1].v == 0); return 0; }" + faultMain},
	{"memset", "struct node n;\n//@ replicate\nvoid *w(void *p) { n.v = 1; memset(&n, 0, sizeof n); assert(n.v == 1); return 0; }" + faultMain},
	{"publish then fill", "//@ replicate\nvoid *w(void *p) { struct node *q = top; if (q) assert(q->v == 1); q = malloc(sizeof *q); top = q; q->v = 1; return 0; }" + faultMain},
	{"malloc keeps no contents", "//@ replicate\nvoid *w(void *p) { struct node *q = malloc(sizeof *q); assert(q->v == 0); q->v = 1; __sync_synchronize(); free(q); __sync_synchronize(); return 0; }" + faultMain},
	{"a pointer to two kinds", "int *volatile g;\n//@ replicate\nvoid *w(void *p) { int *q = x ? malloc(4) : (int *)&y; x = 1; *q = 1; g = q; assert(y == 0); return 0; }" + faultMain},
	{"address of a freed block", "struct node *volatile last;\n//@ replicate\nvoid *w(void *p) { struct node *q = malloc(sizeof *q); assert(q != last); last = q; __sync_synchronize(); free(q); __sync_synchronize(); return 0; }" + faultMain},
	{"exit", "//@ replicate\nvoid *w(void *p) { x = 1; if (y) exit(0); y = 1; assert(z == 0); z = 1; return 0; }" + faultMain},
	{"argument twice", "//@ replicate\nvoid *w(void *p) { volatile int *q = p; *q = 1; assert(*q == 1); *q = 0; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, (void *)&x); return 0; }"},
	{"thread local", "_Thread_local int l; int *volatile g;\n//@ replicate\nvoid *w(void *p) { int *q = g; l = 1; if (q) *q = 2; assert(l == 1); g = &l; return 0; }" + faultMain},
	{"errno of trylock", "//@ replicate\nvoid *w(void *p) { int k = pthread_mutex_trylock(&m); x++; assert(x == 1); x--; if (!k) pthread_mutex_unlock(&m); return 0; }" + faultMain},
	{"barrier uninitialised", "pthread_barrier_t br;\n//@ replicate\nvoid *w(void *p) { pthread_barrier_wait(&br); return 0; }" + faultMain},
	{"rwlock", "pthread_rwlock_t l;\n//@ replicate\nvoid *w(void *p) { pthread_rwlock_rdlock(&l); x = 1; assert(x == 1); x = 0; pthread_rwlock_unlock(&l); return 0; }" + faultMain},
	{"once", "pthread_once_t o; void f(void) { x = 1; }\n//@ replicate\nvoid *w(void *p) { pthread_once(&o, f); assert(x == 0); return 0; }" + faultMain},
	{"sem", "#include <semaphore.h>\nsem_t s;\n//@ replicate\nvoid *w(void *p) { sem_wait(&s); x = 1; assert(x == 1); x = 0; sem_post(&s); return 0; }\nint main(void) { pthread_t t; sem_init(&s, 0, 2); pthread_create(&t, 0, w, 0); return 0; }"},
	{"spin", "pthread_spinlock_t s;\n//@ replicate\nvoid *w(void *p) { pthread_spin_lock(&s); x = 1; pthread_spin_unlock(&s); assert(x == 1); x = 0; return 0; }" + faultMain},
	{"128 bits torn", "unsigned __int128 u;\n//@ replicate\nvoid *w(void *p) { u = ((unsigned __int128)1 << 64) + 1; unsigned __int128 v = u; assert((unsigned long)v == (unsigned long)(v >> 64)); u = 0; return 0; }" + faultMain},
	{"bit fields", "struct { unsigned lo : 3, hi : 5; } f;\n//@ replicate\nvoid *w(void *p) { f.lo = 1; f.hi = f.hi + 1; assert(f.lo == 1); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); f.lo = 2; return 0; }"},
	{"array in struct", "struct { int k[2]; int z; } s;\n//@ replicate\nvoid *w(void *p) { s.z = 0; int i = x; x = i + 1; if (i <= 2) s.k[i] = 1; assert(s.z == 0); return 0; }" + faultMain},
	{"abstract", "//@ replicate\nvoid *w(void *p) { int h; y = 1;\n//@ abstract h == 0\nh = x;\nassert(h == 0); x = 1; return 0; }" + faultMain},
	{"a loop that overflows", "//@ replicate\nvoid *w(void *p) { unsigned char i = 0; while (x == 0) { i++; if (i == 3) x = 1; } assert(i == 3 || i == 0); return 0; }" + faultMain},
	{"join of a thread that was not started", "//@ replicate\nvoid *w(void *p) { return 0; }\nint main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_join(u, 0); return 0; }"},
	{"store to a local that ends", "int *volatile g;\nvoid *v(void *p) { int l; g = &l; while (!x) ; return 0; }\n//@ replicate\nvoid *w(void *p) { int *q = g; if (q) { *q = 1; x = 1; } return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, v, 0); pthread_create(&t, 0, w, 0); return 0; }"},
}

// TestFaults: these programs are not proved, under TSO and under PSO.
func TestFaults(t *testing.T) {
	if !smt.Available() {
		t.Skipf("notice: %v", smt.ErrMissing)
	}
	for _, test := range faults {
		if !testkit.InPart(t, test.why, 12) {
			continue
		}
		for _, model := range []string{"tso", "pso"} {
			opt := query.ProveOptions{Options: query.Defaults()}
			opt.Workers, opt.Timeout, opt.Model = 1, 0, query.Model(model)
			res, refused, err := prove.Contradict(t.Context(), query.Input{Name: "f.c", Text: []byte(faultHead + test.text)}, opt, 3, 8<<20)
			switch {
			case err != nil || refused:
				t.Errorf("%s: %v, refused: %t", test.why, err, refused)
			case res == nil && (model == "pso" || test.why != "store to a local that ends"): // which takes PSO
				t.Errorf("%s violates no check under %s", test.why, model)
			case res != nil && res.Verdict != verdict.Unknown && res.Proof.Open() == 0:
				t.Errorf("%s is proved under %s", test.why, model)
			}
		}
	}
}
