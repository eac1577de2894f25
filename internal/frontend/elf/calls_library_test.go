package elf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestLibraryCalls: programs in C and C++ that call functions of the library; with one number changed, the assertion
// fails.
func TestLibraryCalls(t *testing.T) {
	for _, c := range libraryCalls {
		if !strings.Contains(c.text, c.right) {
			t.Fatalf("%s: no %q", c.name, c.right)
		}
		for _, flags := range strings.Split(c.flags, "|") {
			if !testkit.InPart(t, c.name+flags, 3) {
				continue
			}
			if got, why := askCompiled(t, c.text, flags); got != "safe" {
				t.Errorf("%s, %s: %s (%s)", c.name, flags, got, why)
			}
			if got, why := askCompiled(t, strings.Replace(c.text, c.right, c.wrong, 1), flags); got != "unsafe" {
				t.Errorf("%s, %s, wrong: %s (%s)", c.name, flags, got, why)
			}
		}
	}
}

// TestRegisterAfterCall: what depends on a register that a call may have changed is not known.
func TestRegisterAfterCall(t *testing.T) {
	const text = `#include <assert.h>
#include <stdlib.h>
long kept; int main(void) {
  long v; asm volatile("mov $7, %%edx" ::: "rdx"); srand(1); asm volatile("mov %%rdx, %0" : "=r"(v)); kept = v; assert(USE); return 0; }
`
	for _, c := range []struct{ use, want string }{{"1", "safe"}, {"0", "unsafe"}, {"kept == 7", "unknown"}, {"!(kept & 1)", "unknown"}} {
		if got, why := askCompiled(t, strings.Replace(text, "USE", c.use, 1), "gcc -O1"); got != c.want || got == "unknown" && !strings.Contains(why, "depends on the value of a register") {
			t.Errorf("%s: %s (%s), want %s", c.use, got, why, c.want)
		}
	}
}

// askCompiled asks about what a compiler, the first word of the command, makes of a text.
func askCompiled(t *testing.T, text, command string) (verdict, reason string) {
	t.Helper()
	words := strings.Fields(command)
	if _, err := exec.LookPath(words[0]); err != nil {
		t.Skipf("there is no %s here, so that there is no machine code", words[0])
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, "a"+map[string]string{"gcc": ".c", "clang": ".c", "g++": ".cc", "clang++": ".cc"}[words[0]]), filepath.Join(dir, "a.o")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(words[0], append(words[1:], "-w", "-g", "-c", "-o", out, src)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, msg)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return askWith(t, query.Input{Name: "a.o", Text: object}, "tso", 0, query.COptions{})
}

var libraryCalls = []struct{ name, flags, right, wrong, text string }{
	{"thread-local variables of code for libraries", "gcc -O0 -fPIC|gcc -O2 -fPIC|gcc -O2 -fPIC -mtls-dialect=gnu2|gcc -O2 -fPIC -ftls-model=initial-exec|gcc -O1 -fno-plt -fPIC|clang -O0 -fPIC|clang -O2 -fPIC", "== 12", "== 13", `#include <assert.h>
#include <pthread.h>
__thread int a = 1, b = 2; static __thread int c = 3, d[4] = {1, 2, 3, 4}; int got;
int *volatile other;
__attribute__((noinline)) int sum(int i) { a += 1; c += 1; return a + b + c + d[i & 3]; }
static void *run(void *x) { b = 3; other = &c; got = sum(1); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); assert(got == 11 && sum(3) == 12); return 0; }
`},
	{"a second word that is not set", "gcc -O0|gcc -O2|clang -O0|clang -O2", "== 5", "== 6", `#include <assert.h>
#include <stdlib.h>
struct opt { long some, val; }; volatile long x; struct opt last;
__attribute__((noinline)) struct opt take(void) { struct opt o; free(malloc(8)); long v = x; x = 0; o.some = v != 0; if (v) o.val = v; return o; }
__attribute__((noinline)) struct opt again(void) { struct opt o = take(); return o.some ? o : take(); }
int main(void) { last = again(); if (last.some) abort(); x = 5; last = again(); assert(last.some && last.val == 5); return 0; }
`},
	{"strings and buffers", "gcc -O0|gcc -O2 -D_FORTIFY_SOURCE=2", "== 13", "== 14", `#include <assert.h>
#include <stdlib.h>
#include <string.h>
volatile int n = 3;
int main(void) {
  char a[16], b[16]; memset(a, 'x', n); a[n] = 0; strcpy(b, a); strcat(b, "yz"); assert(strlen(b) == n + 2 && strchr(b, 'y') == b + n);
  char *d = strdup(b); assert(strcmp(d, b) == 0 && strncmp(d, "xxq", n - 1) == 0); memmove(b + 1, b, n); assert(memcmp(b, "xxxx", n + 1) == 0); free(d);
  assert(atoi("12") + (b[n] == 'x') == 13); return 0; }
`},
	{"a buffer that is too small", "gcc -O2 -D_FORTIFY_SOURCE=2", "n = 3", "n = 8", `#include <string.h>
volatile int n = 3; struct { char a[8], b[8]; } s;
int main(void) { char t[10]; memset(t, 1, n); t[n] = 0; strcpy(s.a, t); return 0; }
`},
	{"formats", "gcc -O0|gcc -O2 -D_FORTIFY_SOURCE=2", "x=7 -2 ok", "x=7 -3 ok", `#include <assert.h>
#include <stdio.h>
#include <string.h>
volatile int n = 7;
int main(void) { char b[24]; int k = snprintf(b, sizeof b, "x=%d %ld %s", n, -2L, "ok"); printf("%d %s", k, b); assert(k == 9 && strcmp(b, "x=7 -2 ok") == 0);
  char c[8]; sprintf(c, "%x", n + 3); assert(c[0] == 'a' && c[1] == 0); return 0; }
`},
	{"blocks", "gcc -O1|gcc -O2", "== 42", "== 43", `#include <assert.h>
#include <stdlib.h>
#include <malloc.h>
volatile int n = 4;
int main(void) { int *a = calloc(n, 4); a[1] = 42; a = realloc(a, 64); assert(a[1] == 42 && a[3] == 0); free(a);
  void *p; assert(posix_memalign(&p, 64, 32) == 0 && (unsigned long)p % 64 == 0); free(p); p = aligned_alloc(128, 128); assert((unsigned long)p % 128 == 0); free(p);
  p = memalign(32, n); free(p); return 0; }
`},
	{"callbacks", "gcc -O0|gcc -O2", "== 21", "== 22", `#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
volatile int k; int a[3] = {3, 1, 2}; pthread_once_t once; pthread_key_t key;
static int less(const void *x, const void *y) { return *(int *)x - *(int *)y; }
static void first(void) { k += 1; } static void last(void) { assert(k == 21); } static void gone(void *v) { k += *(int *)v; }
static void *work(void *arg) { pthread_once(&once, first); pthread_setspecific(key, &a[2]); return 0; }
int main(void) { pthread_t t; int ten = 17; qsort(a, 3, sizeof *a, less); assert(a[0] == 1 && a[1] == 2 && a[2] == 3);
  assert(*(int *)bsearch(&a[1], a, 3, sizeof *a, less) == 2); atexit(last); pthread_key_create(&key, gone); pthread_create(&t, 0, work, 0); pthread_join(t, 0); pthread_once(&once, first); k += ten; return 0; }
`},
	{"recursive mutexes", "gcc -O2", "PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_NORMAL", `#include <pthread.h>
pthread_mutex_t m; int x;
int main(void) { pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a);
  pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0; }
`},
	{"threads of C11", "gcc -O0|gcc -O2", "== 3", "== 4", `#include <assert.h>
#include <threads.h>
mtx_t m; cnd_t c; int ready, r; tss_t key;
static int work(void *a) { tss_set(key, &m); mtx_lock(&m); ready = 1; cnd_signal(&c); mtx_unlock(&m); assert(tss_get(key) == &m); return 3; }
int main(void) { thrd_t t; mtx_init(&m, mtx_plain); cnd_init(&c); tss_create(&key, 0); thrd_create(&t, work, 0); mtx_lock(&m); while (!ready) cnd_wait(&c, &m); mtx_unlock(&m);
  thrd_join(t, &r); assert(r == 3); return 0; }
`},
	{"locks", "gcc -O2", "== 4", "== 5", `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <errno.h>
pthread_rwlock_t rw; pthread_spinlock_t s; sem_t sem; int x;
static void *work(void *a) { pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw); pthread_spin_lock(&s); x++; pthread_spin_unlock(&s); sem_post(&sem); return 0; }
int main(void) { pthread_t t; pthread_rwlock_init(&rw, 0); pthread_spin_init(&s, 0); sem_init(&sem, 0, 0); assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
  pthread_create(&t, 0, work, 0); sem_wait(&sem); pthread_join(t, 0); assert(pthread_rwlock_tryrdlock(&rw) == 0); pthread_rwlock_unlock(&rw); assert(x + 2 == 4); return 0; }
`},
	{"libatomic", "gcc -O2|gcc -O2 -fno-inline-atomics", "== 6", "== 7", `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct three { int a, b, c; }; _Atomic struct three t3; _Atomic __int128 wide; atomic_int n; long k;
static void *work(void *arg) { struct three v = {1, 2, 3}; atomic_store(&t3, v); wide = ((__int128)5 << 64) + 4; atomic_fetch_add(&n, 2); __sync_fetch_and_add(&k, 3); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); struct three v = atomic_load(&t3); assert((v.a == 0 && v.b == 0 && v.c == 0) || (v.a == 1 && v.b == 2 && v.c == 3));
  __int128 w = wide; assert(w == 0 || (long)w == 4 && (long)(w >> 64) == 5); pthread_join(t, 0); __int128 e = wide; assert(atomic_compare_exchange_strong(&wide, &e, e + 2)); assert((long)wide == 6); assert(n == 2 && k == 3); return 0; }
`},
	{"atomic sections", "gcc -O0|gcc -O2", "SECTION 1", "SECTION 0", `#include <assert.h>
#include <pthread.h>
#define SECTION 1
void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); volatile int x, y;
static void *work(void *a) { if (SECTION) __VERIFIER_atomic_begin(); x++; if (SECTION) __VERIFIER_atomic_end(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); assert(x == 2); return 0; }
`},
	{"assertions", "gcc -O2", "!bad", "bad", `#define _GNU_SOURCE
#include <assert.h>
void __assert(const char *, const char *, int);
volatile int bad; int main(void) { if (!(!bad)) __assert("x", "y", 1); assert_perror(bad); return 0; }
`},
	{"errors by number", "gcc -O2", "bad = 0", "bad = 5", `#define _GNU_SOURCE
#include <assert.h>
volatile int bad = 0; int main(void) { assert_perror(bad); return 0; }
`},
	{"ends of the program", "gcc -O2", "quick_exit(0)", "abort_not()", `#include <assert.h>
#include <stdlib.h>
volatile int n = 1; static void abort_not(void) { assert(0); }
static void late(void) { assert(n == 2); }
int main(void) { at_quick_exit(late); n = 2; if (n) quick_exit(0); return 0; }
`},
	{"new and delete", "g++ -O1|g++ -O2 -std=c++17", "== 9", "== 8", `#include <cassert>
#include <new>
struct alignas(64) big { int x; }; volatile int n = 3;
struct base { virtual ~base() {} virtual int f() { return 1; } }; struct derived : base { int k = 9; ~derived() { n = k; } int f() override { return k; } };
int main() { int *a = new int[n]; a[n - 1] = 9; assert(a[2] == 9); delete[] a; int *b = new (std::nothrow) int(1); assert(*b == 1); ::operator delete(b, std::nothrow);
  big *g = new big{4}; assert((unsigned long)g % 64 == 0 && g->x == 4); delete g; big *h = new big[2]; delete[] h; base *o = new derived; assert(o->f() == 9); delete o; assert(n == 9); return 0; }
`},
	{"static and thread-local objects", "g++ -O2", "last == 2", "last == 3", `#include <cassert>
#include <thread>
int made, ended, last; struct counted { counted() { made++; } ~counted() { ended++; } }; struct check { ~check() { assert(last == 2); } } end;
counted &one() { static counted c; return c; } thread_local struct lives { int k = 2; ~lives() { last = k; } } mine;
int main() { std::thread t([] { mine.k = 2; one(); }); t.join(); one(); assert(made == 1 && last == 2); return 0; }
`},
	{"recursive_mutex and shared_mutex", "g++ -O2 -std=c++17", "x == 3", "x == 4", `#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>
std::recursive_mutex *r; std::shared_mutex s; int x;
int main() { r = new std::recursive_mutex; std::thread t([] { std::lock_guard a(*r); std::lock_guard b(*r); x++; std::unique_lock w(s); x++; }); { std::lock_guard a(*r); std::lock_guard b(*r); x++; } t.join(); std::shared_lock l(s); assert(x == 3); return 0; }
`},
}

// TestExtern: a call of an unknown function is not supported where it is called, unless the user says what it does.
func TestExtern(t *testing.T) {
	const text = `#include <assert.h>
#include <pthread.h>
void log_it(void); volatile int x, y; int a, b;
static void *left(void *arg) { x = 1; log_it(); a = y; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, left, 0); y = 1; log_it(); b = x; pthread_join(t, 0); assert(a || b); return 0; }
`
	for _, c := range []struct {
		opt  query.COptions
		want string
	}{
		{query.COptions{}, "unknown"},
		{query.COptions{ExternPure: []string{"log_it"}}, "unsafe"},
		{query.COptions{ExternFence: []string{"log_it"}}, "safe"},
	} {
		got, why := program(t, text, "-c -O1", "tso", c.opt)
		if got != c.want || got == "unknown" && !strings.Contains(why, "log_it is not defined in the given files") {
			t.Errorf("%+v: %s (%s), want %s", c.opt, got, why, c.want)
		}
	}
}
