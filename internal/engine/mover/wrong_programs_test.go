package mover_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/proof/encode"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// wrongC has programs that are wrong for some number of threads of function w, or for long executions: none is proved.
var wrongC = []struct{ why, text string }{
	{"the word of a mutex is set to 0 by a thread that does not hold it",
		"void *w(void *p) { pthread_mutex_lock(&m); x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&m); return 0; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); *(long *)&m = 0; return 0; }"},
	{"a mutex is initialised again while threads run",
		"void *w(void *p) { pthread_mutex_lock(&m); x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&m); return 0; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_mutex_init(&m, 0); return 0; }"},
	{"a counter of 8 bits wraps around",
		"unsigned char c; void *w(void *p) { unsigned char k = __sync_fetch_and_add(&c, 1); if (k == 0) { x++; assert(x == 1); } return 0; }\n" + startW},
	{"a counter of 8 bits wraps around in a lock",
		"unsigned char c; void *w(void *p) { for (;;) { pthread_mutex_lock(&m); c++; if (c == 0) x = 1; assert(x == 0); pthread_mutex_unlock(&m); } return 0; }\n" + startW},
	{"a ticket of 8 bits",
		"unsigned char n, s; void *w(void *p) { for (;;) { unsigned char t = __sync_fetch_and_add(&n, 1); while (*(volatile unsigned char *)&s != t) ; x = 1; assert(x == 1); x = 0; s++; } return 0; }\n" + startW},
	{"an index of 8 bits that grows", "void *w(void *p) { unsigned char i = (unsigned char)__sync_fetch_and_add(&x, 1); if (i < 3) a[i + 0] = 1; else if (i == 200) a[i] = 1; return 0; }\n" + startW},
	{"four threads are too many",
		"void *w(void *p) { int k = __sync_fetch_and_add(&x, 1); assert(k != 3); return 0; }\n" + startW},
	{"five threads are too many",
		"void *w(void *p) { int k = __sync_fetch_and_add(&x, 1); assert(k < 4); return 0; }\n" + startW},
	{"a semaphore for two of which the work is for one",
		"int s = 2; void *w(void *p) { int k; do { k = s; } while (k == 0 || !__sync_bool_compare_and_swap(&s, k, k - 1)); x++; assert(x <= 1); x--; __sync_fetch_and_add(&s, 1); return 0; }\n" + startW},
	{"trylock without a look at its result",
		"void *w(void *p) { pthread_mutex_trylock(&m); x = 1; assert(x == 1); x = 0; return 0; }\n" + startW},
	{"an early return keeps the lock, a later one gives it up twice",
		"void *w(void *p) { pthread_mutex_lock(&m); if (x) { pthread_mutex_unlock(&m); } x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&m); return 0; }\n" + startW},
	{"a spin lock that is released twice",
		"volatile int l; void *w(void *p) { while (__sync_lock_test_and_set(&l, 1)) ; x = 1; assert(x == 1); x = 0; l = 0; l = 0; return 0; }\n" + startW},
	{"a spin lock that is released without being held",
		"volatile int l; void *w(void *p) { if (p) { l = 0; return 0; } while (__sync_lock_test_and_set(&l, 1)) ; x = 1; assert(x == 1); x = 0; l = 0; return 0; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, &x); return 0; }"},
	{"the abstraction of a load that another field shares", "void *w(void *p) { int h;\n//@ abstract h >= 0\nh = x;\nif (h < 0) assert(0); x = -1; return 0; }\n" + startW},
	{"an error-checking mutex that another thread unlocks",
		recursiveHead + "void *w(void *p) { pthread_mutex_unlock(&r); pthread_mutex_lock(&r); x = 1; assert(x == 1); x = 0; assert(pthread_mutex_unlock(&r) != 0); return 0; }\n" + strings.Replace(startKind, "RECURSIVE", "ERRORCHECK", 1)},
	{"a recursive mutex that is given up once too early",
		recursiveHead + "void *w(void *p) { pthread_mutex_lock(&r); pthread_mutex_lock(&r); x = 1; pthread_mutex_unlock(&r); pthread_mutex_unlock(&r); assert(x == 1); x = 0; return 0; }\n" + startKind},
	{"the kind is that of another mutex",
		recursiveHead + "pthread_mutex_t o; void *w(void *p) { pthread_mutex_lock(&r); pthread_mutex_lock(&o); x = 1; pthread_mutex_unlock(&r); assert(x == 1); x = 0; pthread_mutex_unlock(&o); return 0; }\n" + "int main(void) { pthread_t t; kind(PTHREAD_MUTEX_RECURSIVE); pthread_create(&t, 0, w, 0); x = 2; return 0; }"},
	{"a ring without a look whether it is full",
		"unsigned s[4], h, t; volatile int pl, cl; void *w(void *p) { for (;;) { if (!__sync_lock_test_and_set(&pl, 1)) { s[h % 4] = h; h = h + 1; __sync_lock_release(&pl); }\n" +
			"if (!__sync_lock_test_and_set(&cl, 1)) { if (h != t) { assert(s[t % 4] == t); t = t + 1; } __sync_lock_release(&cl); } } return 0; }\n" + startW},
	{"a ring whose producer lets go too early",
		"unsigned s[4], h, t; volatile int pl, cl; void *w(void *p) { for (;;) { if (!__sync_lock_test_and_set(&pl, 1)) { __sync_lock_release(&pl); unsigned k = h; if (k - t != 4) { s[k % 4] = k; __atomic_store_n(&h, k + 1, __ATOMIC_RELEASE); } }\n" +
			"if (!__sync_lock_test_and_set(&cl, 1)) { unsigned k = t; if (h != k) { assert(s[k % 4] == k); t = k + 1; } __sync_lock_release(&cl); } } return 0; }\n" + startW},
	{"a ring of three: the indices wrap around",
		"unsigned char s[3], h, t; volatile int pl, cl; void *w(void *p) { for (;;) { if (!__sync_lock_test_and_set(&pl, 1)) { if ((unsigned char)(h - t) != 3) { s[h % 3] = h; h = h + 1; } __sync_lock_release(&pl); }\n" +
			"if (!__sync_lock_test_and_set(&cl, 1)) { if (h != t) { assert(s[t % 3] == t); t = t + 1; } __sync_lock_release(&cl); } } return 0; }\n" + startW},
	{"a lock by parity of a counter", "volatile unsigned q; void *w(void *p) { unsigned k = __sync_fetch_and_add(&q, 1); if (k % 2 == 0) { x = 1; assert(x == 1); x = 0; } __sync_fetch_and_add(&q, 1); return 0; }\n" + startW},
	{"a reference count that is given up twice by main", "int c = 1; void *w(void *p) { __sync_fetch_and_add(&c, 1); assert(c >= 1); __sync_fetch_and_sub(&c, 1); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); __sync_fetch_and_sub(&c, 1); __sync_fetch_and_sub(&c, 1); return 0; }"},
	{"a flag that is handed on before the work is done", "volatile int turn; void *w(void *p) { while (turn) ; if (__sync_bool_compare_and_swap(&turn, 0, 1)) { turn = 0; x = 1; assert(x == 1); x = 0; } return 0; }\n" + startW},
	{"trylock in a loop that gives up after three", "void *w(void *p) { for (int i = 0; i < 3; i++) if (pthread_mutex_trylock(&m) == 0) break; x = 1; assert(x == 1); x = 0; return 0; }\n" + startW},
	{"128 bits of which one half is read", "_Atomic unsigned __int128 wide; void *w(void *p) { wide = ((unsigned __int128)1 << 64) + 1; assert(((volatile unsigned long *)&wide)[0] == 1); wide = 0; return 0; }\n" + startW},
	{"a byte of an int", "void *w(void *p) { x = 0; ((volatile unsigned char *)&x)[1] = 1; assert(x != 256); return 0; }\n" + startW},
	{"bits of a structure", "struct { unsigned lo : 3, hi : 5; } f; void *w(void *p) { f.lo = 1; f.hi = 2; assert(f.lo == 1); f.lo = 0; return 0; }\n" + startW},
	{"two locks in one array, by a number that is read twice", "volatile int l[2]; int k; void *w(void *p) { while (__sync_lock_test_and_set(&l[k & 1], 1)) ; k++; x = 1; assert(x == 1); x = 0; l[k & 1] = 0; return 0; }\n" + startW},
	{"a condition without a loop", "pthread_cond_t c; void *w(void *p) { pthread_mutex_lock(&m); x = 1; pthread_cond_wait(&c, &m); assert(x == 1); x = 0; pthread_mutex_unlock(&m); return 0; }\n" + startW},
	{"a condition with another mutex", "pthread_mutex_t o; pthread_cond_t c; void *w(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&o); x = 1; pthread_mutex_unlock(&m); pthread_cond_wait(&c, &o); assert(x == 1); x = 0; pthread_mutex_unlock(&o); return 0; }\n" + startW},
	{"a barrier that some pass early", "pthread_barrier_t br; void *w(void *p) { x++; pthread_barrier_wait(&br); assert(x == 2); return 0; }\n" +
		"int main(void) { pthread_t t; pthread_barrier_init(&br, 0, 2); pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }"},
	{"fields of different structures of an array", "struct { int lo, hi; } n[2]; void *w(void *p) { int i = x & 1; n[i].lo = 1; n[0].lo = 2; assert(n[i].lo == 1); return 0; }\n" + startW},
	{"a field of the next structure", "struct { int lo, hi; } n[2]; void *w(void *p) { n[1].lo = 5; int *q = &n[0].hi + 1; *q = 6; assert(n[1].lo == 5); return 0; }\n" + startW},
	{"a sequence counter of 8 bits",
		"volatile unsigned char q; void *w(void *p) { if (p) { for (;;) { pthread_mutex_lock(&m); q++; __sync_synchronize(); x++; y++; __sync_synchronize(); q++; pthread_mutex_unlock(&m); } }\n" +
			"unsigned char k = q; int c = x, d = y; __sync_synchronize(); if (k == q && !(k & 1)) assert(c == d); return 0; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, &x); return 0; }"},
	{"main changes what it has handed out", "void *w(void *p) { assert(x == 0); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = 1; return 0; }"},
	{"what is done before the last thread starts is not before the first", "void *w(void *p) { assert(x == 1); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = 1; pthread_create(&t, 0, w, 0); return 0; }"},
	{"a join of one of many threads", "void *w(void *p) { x = 1; x = 0; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); pthread_join(t, 0); assert(x == 0); return 0; }"},
	{"shift and sign", "void *w(void *p) { x = x * 2 + 1; assert(x >= 0); return 0; }\n" + startW},
	{"a volatile flag beside an atomic one", "volatile int f; _Atomic int g; void *w(void *p) { f = 1; if (!g) { y++; assert(y == 1); y--; } f = 0; return 0; }\n" + startW},
}

// wrongFP has such programs in .fp.
var wrongFP = []struct{ why, text string }{
	{"an assertion within a section after a store", "var x; thread w * n { reg r; atomic { r = x; x = r + 1; assert r < 3; } }"},
	{"an assertion in a section that another path reaches", "var x, y; thread w * n { reg r; atomic { r = x; if (r == 0) { x = 1; } else { y = 1; } r = y; assert r == 0; } }"},
	{"store buffering in threads with numbers", "var f[9]; thread w[i] * n { reg r; mem[i] = 1; r = mem[1 - i]; if (r == 0) { r = fetch_add(f[8], 1); assert r == 0; } }"},
	{"a goal that needs three", "var x; thread w * n { reg r; r = fetch_add(x, 1); if (r == 2) { L: x = 9; } } goal w[0]:L;"},
	{"a havoc that leaves out a value", "var x, y; thread w * n { reg r; x = 1; havoc(r, r == 0); y = r; assert r == 1; }"},
	{"sections that look at half of what another one writes", "var x, y; thread w * n { reg r, s; atomic { x = 1; y = 1; } r = x; s = y; assert r == s; atomic { x = 0; y = 0; } }"},
	{"a section that waits for what it has changed", "var l, x; thread w * n { reg r; atomic { r = l; l = 1; } if (r == 0) { x = 1; r = x; assert r == 1; x = 0; } l = 0; }"},
	{"a number of a thread that another one guesses", "var x; thread w[i] * n { reg r; mem[i + 5] = i; r = mem[6]; assert r == i || r == 0; }"},
	{"a load that is forwarded and one that is not", "var x, y; thread w * n { reg r, s; x = 1; r = x; s = y; y = 1; if (s == 0) { r = fetch_add(x, 0); assert r == 1; x = 0; } }"},
	{"an invariant that holds for two threads", "var c; thread w * n { reg r; r = fetch_add(c, 1); invariant r <= 1; assert r <= 1; }"},
	{"an invariant for all numbers that one store breaks", "var a[4]; invariant forall i: a[i] == 0; thread w * n { reg r; a[3] = 1; r = a[3]; assert r == 0; }"},
	{"peterson for many", "var f, turn, k; thread w * n { reg r, s; f = 1; fence; r = f; if (r == 1) { s = k; assert s == 0; k = 1; k = 0; } }"},
}

// TestWrongPrograms: programs with a mistake that small instances may not show are not proved.
func TestWrongPrograms(t *testing.T) {
	needsSolver(t)
	defer mover.LimitQuestions(300_000)()
	proved := func(out *mover.Outcome) bool {
		return out != nil && out.Verdict != verdict.Unknown && out.Proof.Open() == 0
	}
	for _, test := range wrongC {
		if !testkit.InPart(t, test.why, 8) {
			continue
		}
		out := proveTwin(t, test.why, test.text, false)
		if proved(out) && !(out.Proof.MaxThreads > 0 && out.Proof.MaxThreads < 1<<8) {
			t.Errorf("%s: proved for %d threads:\n%s", test.why, out.Proof.MaxThreads, test.text)
		}
	}
	for _, test := range wrongFP {
		if !testkit.InPart(t, test.why, 2) {
			continue
		}
		for _, arith := range []encode.Arithmetic{encode.Integers, encode.BitVectors} {
			if out := prove(t, test.text, mover.Options{Arithmetic: arith, Reach: reach(1000)}); proved(out) {
				t.Errorf("%s: proved:\n%s", test.why, test.text)
			}
		}
	}
}
