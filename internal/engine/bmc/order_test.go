package bmc_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// edges are programs at the edges of what the order of events takes as known: branches that are not
// taken, threads that do nothing, instructions that wait or fail. Unsafe has the models under which each
// has a violation.
var edges = []struct{ name, text, unsafe string }{
	// The store to the whole word would order the stores to its bytes, but it is not executed.
	{"a branch between bytes", `
		var word w; var z;
		thread a { reg c; c = z; w.byte[0] = 1; if (c == 1) { w = 0x05050505; } w.byte[3] = 1; }
		thread b { reg p, q; p = w.byte[3]; q = w.byte[0]; }
		thread d { z = 1; }
		never b:p == 1 && b:q == 0;`, "pso"},
	{"a word between bytes", `
		var word w;
		thread a { w.byte[0] = 1; w = 0x05050505; w.byte[3] = 1; }
		thread b { reg p, q; p = w.byte[3]; q = w.byte[0]; }
		never b:p == 1 && b:q == 0;`, ""},
	{"halves that overlap a word in a loop", `
		var word w; var z;
		thread a { reg i; while (i < 2) { w.half[0] = 1 + i; if (z == 1) { w = 0x70007; } w.half[1] = 1 + i; i = i + 1; } }
		thread b { reg p, q; p = w.half[1]; q = w.half[0]; }
		thread d { z = 1; }
		never b:p == 2 && b:q == 0;`, "pso"},
	{"an empty thread", `
		var x, y;
		thread a { reg r; x = 1; r = y; }
		thread nothing { }
		thread b { reg s; y = 1; s = x; }
		never a:r == 0 && b:s == 0;`, "tso pso"},
	{"only empty threads", `
		var x;
		thread a { }
		thread b { }
		never x == 0;`, "sc tso pso"},
	{"one event", `
		var x;
		thread a { x = 1; }
		never x == 1;`, "sc tso pso"},
	{"two stores of a thread to one variable", `
		var x;
		thread a { x = 1; x = 2; }
		thread b { reg p, q; p = x; q = x; }
		never b:p == 2 && b:q == 1;`, ""},
	{"two stores and what is left", `
		var x, y;
		thread a { x = 1; y = 1; x = 2; }
		thread b { reg p; p = y; x = 3; }
		never x == 1;`, ""},
	{"stores of two threads in both orders", `
		var x, y;
		thread a { reg r; x = 1; y = 1; r = y; }
		thread b { reg s; y = 2; x = 2; s = x; }
		never x == 1 && y == 2;`, "pso"},
	{"a failed exchange drains", `
		var x, y, z;
		thread a { reg r, c; x = 1; c = cas(z, 5, 6); r = y; }
		thread b { reg s, c; y = 1; c = cas(z, 5, 6); s = x; }
		never a:r == 0 && b:s == 0;`, ""},
	{"a failed exchange writes nothing", `
		var x, y, z;
		thread a { reg r, c; x = 1; c = cas(z, 0, 1); r = y; }
		thread b { reg c; c = cas(z, 0, 2); }
		never z == 1 && b:c == 1 || z == 2 && a:c == 1 || a:c == 0 && b:c == 0;`, ""},
	{"an exchange that fails in a branch does not drain", `
		var x, y, z;
		thread a { reg r, c, k; k = z; x = 1; if (k == 1) { c = cas(z, 5, 6); } r = y; }
		thread b { reg s; y = 1; fence; s = x; }
		thread d { z = 1; }
		never a:r == 0 && b:s == 0 && a:k == 0;`, "tso pso"},
	{"the same where the branch is taken", `
		var x, y, z;
		thread a { reg r, c, k; k = z; x = 1; if (k == 1) { c = cas(z, 5, 6); } r = y; }
		thread b { reg s; y = 1; fence; s = x; }
		thread d { z = 1; }
		never a:r == 0 && b:s == 0 && a:k == 1;`, ""},
	{"a fence that an early end goes around", `
		var x, y, z;
		thread a { reg r; x = 1; if (z == 0) { r = y; return; } fence; r = y; }
		thread b { reg s; y = 1; fence; s = x; }
		thread d { z = 1; }
		never a:r == 0 && b:s == 0;`, "tso pso"},
	{"a fence behind a wait that never ends", `
		var x, y, z;
		thread a { reg r; x = 1; r = y; at: await z == 1; fence; x = 2; }
		thread b { reg s; y = 1; fence; s = x; at: s = s; }
		goal a:at, b:at with a:r == 0 && b:s == 0;`, "tso pso"},
	{"a section is one step", `
		var x, y;
		thread a { atomic { x = 1; y = 1; } }
		thread b { reg p, q; p = y; q = x; }
		never b:p == 1 && b:q == 0;`, ""},
	{"a section is one step also from inside", `
		var x, y;
		thread a { reg p, q; atomic { p = x; q = x; } }
		thread b { x = 1; }
		never a:p != a:q;`, ""},
	{"a section drains", `
		var x, y;
		thread a { reg r; x = 1; atomic { r = y; } }
		thread b { reg s; y = 1; atomic { s = x; } }
		never a:r == 0 && b:s == 0;`, ""},
	{"a section in a branch does not", `
		var x, y, z;
		thread a { reg r, k; k = z; x = 1; if (k == 1) { atomic { y = 0; } } r = y; }
		thread b { reg s; y = 1; fence; s = x; }
		thread d { z = 1; }
		never a:r == 0 && b:s == 0 && a:k == 0;`, "tso pso"},
	{"a section that reads what it writes", `
		var x;
		thread a { reg r; atomic { x = 1; r = x; x = r + 1; } }
		thread b { reg s; s = x; x = 7; }
		never b:s == 1 || a:r != 1;`, ""},
	{"a load of a byte of an own word", `
		var word w; var y;
		thread a { reg q, r; w = 0x0201; q = w.byte[1]; r = y; }
		thread b { reg s; y = 1; fence; s = w; }
		never a:q == 2 && a:r == 0 && b:s == 0;`, "tso pso"},
	{"a word of two own bytes and one of another's", `
		var word w; var y;
		thread a { reg q, r; w.byte[0] = 1; if (y == 0) { w.byte[1] = 1; } q = w; r = y; }
		thread b { reg s; w.byte[2] = 3; y = 1; fence; s = w; }
		never a:q == 0x030001 && b:s == 0x030000;`, "sc tso pso"},
	{"own store is read before it is in memory", `
		var x, y;
		thread a { reg p, r; x = 1; p = x; r = y; }
		thread b { reg q, s; y = 1; q = y; s = x; }
		never a:p == 1 && a:r == 0 && b:q == 1 && b:s == 0;`, "tso pso"},
	{"own store in memory, overwritten, then read", `
		var x;
		thread a { reg p, q; x = 1; p = x; q = x; }
		thread b { x = 2; }
		never a:p == 2 && a:q == 1;`, ""},
	{"a store-store fence in a branch", `
		var x, y, z;
		thread a { reg k; k = z; x = 1; if (k == 1) { sfence; } y = 1; }
		thread b { reg p, q; p = y; q = x; }
		thread d { z = 1; }
		never b:p == 1 && b:q == 0 && a:k == 1;`, ""},
	{"a store-store fence that is gone around", `
		var x, y, z;
		thread a { reg k; k = z; x = 1; if (k == 1) { sfence; } y = 1; }
		thread b { reg p, q; p = y; q = x; }
		thread d { z = 1; }
		never b:p == 1 && b:q == 0 && a:k == 0;`, "pso"},
	{"two fences, one in a branch", `
		var x, y, z, u;
		thread a { reg k; k = z; x = 1; if (k == 1) { sfence; u = 1; } sfence; y = 1; }
		thread b { reg p, q; p = y; q = x; }
		thread d { z = 1; }
		never b:p == 1 && b:q == 0;`, ""},
	{"one bit of history", `
		var x, y;
		thread a { x = 1; fence; y = 1; }
		thread b { reg p, q; p = y; q = x; }
		thread c { reg p, q; p = x; q = y; }
		never b:p == 1 && b:q == 0 || c:p == 1 && c:q == 0 && x == 0;`, ""},
	{"readers see stores in one order", `
		var x, y;
		thread a { x = 1; }
		thread b { y = 1; }
		thread c { reg p, q; p = x; q = y; }
		thread d { reg p, q; p = y; q = x; }
		never c:p == 1 && c:q == 0 && d:p == 1 && d:q == 0;`, ""},
	{"an index that depends on another thread", `
		var a[3]; var i;
		thread t { a[i] = 1; a[0] = a[0] + 1; }
		thread u { i = 1; }
		never a[0] == 1 && a[1] == 0;`, ""},
	{"an index that is out of bounds late", `
		var a[2]; var i;
		thread t { a[0] = 1; a[i] = 2; }
		thread u { i = 1; i = 2; }
		never a[0] == 5;`, "sc tso pso"},
	{"an assertion between stores", `
		var x, y;
		thread a { reg r; x = 1; r = y; assert r == 0; x = 2; }
		thread b { reg s; await x == 1; y = 1; }
		never x == 1;`, "tso pso sc"},
	{"a division that fails before its thread's fence", `
		var x, y;
		thread a { reg r, q; x = 1; r = y; q = 1 / (1 - r); fence; x = 2; }
		thread b { y = 1; }
		never x == 0;`, "sc tso pso"},
	{"what main reads in the end", `
		var x, y;
		thread a { x = 1; y = 2; }
		thread b { y = 1; x = 2; }
		never x == 1 && y == 1;`, "pso"},
}

// TestOrderEdges: the order of events answers for all executions, and as the explicit engine does.
func TestOrderEdges(t *testing.T) {
	for _, c := range edges {
		t.Run(c.name, func(t *testing.T) { inOrderAsExplicit(t, fp(c.text), c.unsafe) })
	}
}

// TestOrderEdgesInC: the same with threads that are started and joined.
func TestOrderEdgesInC(t *testing.T) {
	const head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nint x, y, z;\n"
	for _, c := range []struct{ name, text, unsafe string }{
		{"a join sees all stores", `
			void *f(void *p) { x = 1; y = 1; return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(x == 1 && y == 1); }`, ""},
		{"a thread that ends early", `
			_Atomic int k;
			void *g(void *p) { k = 1; return 0; }
			void *f(void *p) { x = 1; if (atomic_load_explicit(&k, memory_order_relaxed)) return 0; atomic_thread_fence(memory_order_seq_cst); y = 1; return 0; }
			int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); assert(x == 1); assert(y == 1); }`, "sc tso pso"},
		{"a start in a branch", `
			_Atomic int k;
			void *g(void *p) { atomic_store_explicit(&k, 1, memory_order_relaxed); return 0; }
			void *f(void *p) { x = 1; return 0; }
			int main(void) { pthread_t t, u; pthread_create(&u, 0, g, 0); int c = atomic_load_explicit(&k, memory_order_relaxed); if (c) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); } pthread_join(u, 0); assert(x == c); }`, ""},
		{"a store before a start", `
			void *f(void *p) { assert(x == 1); return 0; }
			int main(void) { pthread_t t; x = 1; pthread_create(&t, 0, f, 0); x = 2; return 0; }`, "sc tso pso"},
		{"a thread that another thread started is joined by main", `
			pthread_t u;
			void *g(void *p) { y = 1; return 0; }
			void *f(void *p) { x = 1; pthread_create(&u, 0, g, 0); x = 2; return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_join(u, 0); assert(x == 2 && y == 1); }`, ""},
		// A thread that has a recursive mutex takes it again without waiting for its stores.
		{"a recursive mutex taken twice", `
			pthread_mutex_t m; _Atomic int s;
			void *g(void *p) { x = 1; atomic_thread_fence(memory_order_seq_cst); s = y; return 0; }
			int main(void) {
				pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a);
				pthread_t t; pthread_create(&t, 0, g, 0);
				pthread_mutex_lock(&m); y = 1; pthread_mutex_lock(&m); int r = x; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);
				pthread_join(t, 0); assert(r == 1 || s == 1); }`, "tso pso"},
		{"the same with another mutex", `
			pthread_mutex_t m, n; _Atomic int s;
			void *g(void *p) { x = 1; atomic_thread_fence(memory_order_seq_cst); s = y; return 0; }
			int main(void) {
				pthread_t t; pthread_create(&t, 0, g, 0);
				pthread_mutex_lock(&m); y = 1; pthread_mutex_lock(&n); int r = x; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);
				pthread_join(t, 0); assert(r == 1 || s == 1); }`, ""},
		// Either of two threads may start each of the two that begin with a store.
		{"a thread that two others can start", `
			pthread_t k[2]; _Atomic int n;
			void *f(void *p) { y = 0; return 0; }
			void *g(void *p) { y = 1; pthread_create(&k[n++], 0, f, 0); return 0; }
			int main(void) { pthread_t t, u; pthread_create(&t, 0, g, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); pthread_join(k[0], 0); pthread_join(k[1], 0); assert(y == 0); }`, ""},
		{"no thread is joined", `
			void *f(void *p) { x = 1; y = 1; return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int a = *(volatile int *)&y, b = *(volatile int *)&x; assert(!(a == 1 && b == 0)); }`, "pso"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inOrderAsExplicit(t, query.Input{Name: "test.c", Text: []byte(head + c.text)}, c.unsafe)
		})
	}
}

// TestStartedByTwo: a thread that begins with a store and that two others can start stores after it was started.
func TestStartedByTwo(t *testing.T) {
	starts := testkit.Profile{Name: "starts", Joins: true, Shared: true}
	for _, seed := range []uint64{100042, 108712} {
		flat, props := testkit.Generate(seed, starts).Flat()
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := testkit.Ask(ordered(1), flat, props, m, testkit.How{})
			if err != nil {
				t.Fatalf("seed %d under %s: %v", seed, m, err)
			}
			if what := testkit.Difference(want, got); what != "" {
				t.Errorf("seed %d under %s: %s", seed, m, what)
			}
		}
	}
}

// TestConditionsInOrder: where deadlocks are not asked for, the order of events takes programs with conditions. A signal
// wakes a thread that waits, which must not matter: threads wake spuriously.
func TestConditionsInOrder(t *testing.T) {
	likeExplicit(t, ordered(1), &property.Set{Checks: true}, `program signal flat
object m
object c
object x
func waiter() {
  0 -> 1: lock [&m]
  1 -> 2: store [&x] = 1 in x
  2 -> 3: condwait [&c] mutex [&m]
  3 -> 4: unlock [&m]
}
func waker() {
  reg r
  0 -> 1: lock [&m]
  1 -> 2: r = load [&x] in x
  2 -> 3: signal [&c]
  3 -> 4: unlock [&m]
  4 -> 5: assert (r == 0)
}
thread waiter = waiter()
thread waker = waker()
`)
}

// TestWaiterFails: a thread that wakes and finds its mutex destroyed has failed. In an execution that shows something
// else, it still waits for a signal.
func TestWaiterFails(t *testing.T) {
	likeExplicit(t, complete(1), &property.Set{Checks: true, Deadlock: true}, `program destroyed flat
object m
object c
object x
func waiter() {
  0 -> 1: lock [&m]
  1 -> 2: store [&x] = 1 in x
  2 -> 3: condwait [&c] mutex [&m]
  3 -> 4: unlock [&m]
}
func breaker() {
  reg r
  0 -> 1: r = load [&x] in x
  1 -> 2: store.u64 [&m] = -1
  2 -> 3: fence
  3 -> 4: signal [&c]
  4 -> 5: assert (r == 0)
}
thread waiter = waiter()
thread breaker = breaker()
`)
}

// likeExplicit compares the answers of an engine and of the explicit one about a program that has a violation.
func likeExplicit(t *testing.T, e *engine.Engine, props *property.Set, text string) {
	p, diags := irtext.Parse("test", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	for _, m := range testkit.Models {
		want, err := testkit.Ask(testkit.Explicit, p, props, m, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := testkit.Ask(e, p, props, m, testkit.How{})
		if err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		if what := testkit.Difference(want, got); what != "" || !got.Found() {
			t.Errorf("%s: %s; a violation: %t", m, what, got.Found())
		}
	}
}

func inOrderAsExplicit(t *testing.T, in query.Input, unsafe string) {
	for _, model := range []string{"sc", "tso", "pso"} {
		want := verdict.Safe
		if strings.Contains(unsafe, model) {
			want = verdict.Unsafe
		}
		opt := query.CheckOptions{Options: query.Defaults()}
		opt.Timeout, opt.Engines, opt.Unroll = 0, query.Engines{"bmc"}, 3
		opt.BMC = bmc.Options{Encoding: bmc.Order}
		got := ask(t, in, model, opt)
		if got.Verdict != want || want == verdict.Safe && !got.Coverage.Exhaustive {
			t.Errorf("under %s: %s (%s), all executions: %t; want %s", model, got.Verdict, got.Reason, got.Coverage.Exhaustive, want)
		}
		opt = query.CheckOptions{Options: query.Defaults()}
		opt.Timeout, opt.Engines = 0, query.Engines{"explicit"}
		if got := ask(t, in, model, opt); got.Verdict != want {
			t.Errorf("under %s: explicit says %s (%s), want %s", model, got.Verdict, got.Reason, want)
		}
	}
}
