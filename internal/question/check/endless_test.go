package check

import (
	"context"
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// waiting has programs with loops that wait, and which models let one of them wait for ever.
var waiting = []struct {
	name, file, text string
	endless          string // models, separated by blanks
	says             string // in the reason
	only             string // the one engine that decides it; "": explicit and smc
}{
	{
		name: "lost store", file: "a.fp", endless: "sc tso pso", says: "r loops for ever (a.fp:2): it reads x = 0; no other thread writes x",
		text: "var x, y; thread w { y = 1; }\nthread r { reg a; while (a != 1) { a = x; } }",
	},
	{
		name: "flag", file: "a.fp", endless: "",
		text: "var x; thread w { x = 1; } thread r { reg a; while (a != 1) { a = x; } }",
	},
	{
		name: "two reads that leave in the next round", file: "a.fp", endless: "",
		text: "var x; thread w { x = 1; } thread r { reg a, b; while (a + b != 2) { a = x; b = x; } }",
	},
	{
		name: "ticket lock whose owner does not pass it on", file: "a.c", endless: "sc tso pso",
		says: "it reads now = 0; main, which writes now, waits",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int next, now;
static void lock(void) { int mine = atomic_fetch_add(&next, 1); while (atomic_load(&now) != mine) ; }
static void *one(void *a) { lock(); return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0); pthread_create(&t, 0, one, 0);
  pthread_join(s, 0); pthread_join(t, 0);
  atomic_store(&now, 1);
}`,
	},
	{
		// The variable has no value before the first round, and is not read then.
		name: "polling under a lock", file: "a.c", endless: "sc tso pso", says: "loops for ever", only: "explicit",
		text: `#include <pthread.h>
pthread_mutex_t m; int ready;
static void *one(void *a) {
  int r;
  do { pthread_mutex_lock(&m); r = ready; pthread_mutex_unlock(&m); } while (!r);
  return 0;
}
int main(void) { pthread_t s; pthread_create(&s, 0, one, 0); pthread_join(s, 0); }`,
	},
	{
		name: "ticket lock", file: "a.c", endless: "",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int next, now;
static void *one(void *a) {
  int mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&now) != mine) ;
  atomic_store_explicit(&now, mine + 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0); pthread_create(&t, 0, one, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		// The unlocking thread looks for a successor, finds none, and gives the lock up; the store by
		// which the other one enters the queue is lost.
		name: "MCS lock without the second look at the tail", file: "a.c", endless: "sc tso pso", says: "loops for ever",
		text: `#include <pthread.h>
#include <stdatomic.h>
struct node { _Atomic(struct node *) next; atomic_int locked; };
_Atomic(struct node *) tail;
struct node nodes[2];
static void *one(void *a) {
  struct node *n = &nodes[(long)a];
  struct node *p = atomic_exchange(&tail, n);
  if (p) {
    atomic_store(&n->locked, 1);
    atomic_store(&p->next, n);
    while (atomic_load(&n->locked)) ;
  }
  struct node *s = atomic_load(&n->next);
  if (s) atomic_store(&s->locked, 0);
  else atomic_store(&tail, (struct node *)0);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, (void *)0); pthread_create(&t, 0, one, (void *)1);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		name: "CLH lock", file: "a.c", endless: "",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int nodes[3];
atomic_int tail = 2;
static void *one(void *a) {
  int n = (int)(long)a;
  atomic_store(&nodes[n], 1);
  int p = atomic_exchange(&tail, n);
  while (atomic_load(&nodes[p])) ;
  atomic_store_explicit(&nodes[n], 0, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, (void *)0); pthread_create(&t, 0, one, (void *)1);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		name: "test and test-and-set that is not released", file: "a.c", endless: "sc tso pso", says: "it reads l = 1",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int l;
static void *one(void *a) {
  do { while (atomic_load(&l)) ; } while (atomic_exchange(&l, 1));
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0); pthread_create(&t, 0, one, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		name: "trylock of a mutex that stays locked", file: "a.c", endless: "sc tso pso", says: "holder, which writes m, has ended",
		text: `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *holder(void *a) { pthread_mutex_lock(&m); return 0; }
static void *taker(void *a) { while (pthread_mutex_trylock(&m)) ; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, holder, 0); pthread_create(&t, 0, taker, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		name: "compare-exchange that can succeed in the next round", file: "a.fp", endless: "",
		text: "var x; thread w { x = 1; } thread r { reg a; while (a != 1) { a = cas(x, 1, 2); } }",
	},
	{
		name: "polling with a mutex", file: "a.c", endless: "sc tso pso", says: "ready = 0", only: "explicit",
		text: `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready;
static void *one(void *a) {
  int go = 0;
  while (!go) { pthread_mutex_lock(&m); go = ready; pthread_mutex_unlock(&m); }
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0); pthread_create(&t, 0, one, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		// Each thread writes and takes it back in every round: the other one may see it.
		name: "rounds that another thread can notice", file: "a.fp", endless: "", only: "explicit",
		text: "var x, y; thread a { reg r; while (r != 1) { x = 1; x = 0; r = y; } } thread b { reg s; while (s != 1) { s = x; } y = 1; }",
	},
	{
		// Under SC one of them sees the flag of the other. Under TSO both may wait for the other to give up.
		name: "both retreat too late", file: "a.fp", endless: "tso pso", says: "loops for ever",
		text: `var x, y, u, v;
thread a { reg r, s; x = 1; r = y; if (r == 0) { u = 1; s = v; while (s == 1) { s = v; } } }
thread b { reg r, s; y = 1; r = x; if (r == 0) { v = 1; s = u; while (s == 1) { s = u; } } }`,
	},
	{
		name: "a round that stores what is there", file: "a.fp", endless: "sc tso pso", says: "loops for ever", only: "explicit",
		text: "var x, z; thread a { reg r; while (r != 1) { z = 1; r = x; } } thread b { reg q; while (q != 1) { q = x; } }",
	},
	{
		name: "a round that counts in memory of its thread", file: "a.fp", endless: "sc", says: "loops for ever", only: "explicit",
		text: "var x, z; thread a { reg r; while (r != 1) { z = (z + 1) % 40; r = x; } } thread b { reg q; while (q != 1) { q = x; } }",
	},
	{
		// The signal wakes a thread, which memory does not show.
		name: "a round that signals", file: "a.c", endless: "", only: "explicit",
		text: `#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
atomic_int flag;
static void *waiter(void *a) {
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  atomic_store(&flag, 1);
  return 0;
}
static void *signaller(void *a) { while (!atomic_load(&flag)) pthread_cond_signal(&c); return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, waiter, 0); pthread_create(&t, 0, signaller, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		name: "servers that take turns at a lock", file: "a.fp", endless: "", only: "explicit",
		text: `var l;
thread a { reg r; loop { do { r = xchg(l, 1); } while (r == 1); l = 0; } }
thread b { reg r; loop { do { r = xchg(l, 1); } while (r == 1); l = 0; } }`,
	},
	{
		name: "a loop that reads nothing, after a read of what has changed since", file: "a.fp", endless: "sc tso pso", says: "a loops for ever",
		text: "var x; thread a { reg r; r = x; while (r == 0) { r = r * 1; } } thread b { x = 1; }",
	},
	{
		name: "a loop that reads nothing, in a thread that reads nothing, waits for nothing", file: "a.fp", endless: "",
		text: "var x; thread a { reg r; while (r == 0) { r = r; } } thread b { x = 1; }",
	},
	{
		name: "a loop that computes the same value, in a thread that reads nothing, waits for nothing", file: "a.fp", endless: "",
		text: "var x; thread a { reg r; while (r == 0) { r = r * 1; } } thread b { x = 1; }",
	},
	{
		name: "a register that comes back after two rounds", file: "a.fp", endless: "sc tso pso", says: "a loops for ever",
		text: "var x, y; thread a { reg r; r = y; while (r < 2) { r = 1 - r; } } thread b { x = 1; }",
	},
	{
		name: "a register that comes back after five rounds, and a read", file: "a.fp", endless: "sc tso pso", says: "a loops for ever",
		text: "var x, y; thread a { reg r, s; while (r != 7 && s == 0) { r = (r + 3) % 5; s = x; } assert r != 9; } thread b { y = 1; }",
	},
	{
		name: "a loop that doubles a register ends", file: "a.fp", endless: "",
		text: "var x; thread a { reg r; r = 1; while (r < 1000) { r = r * 2; } x = r; } thread b { reg s; while (s != 1024) { s = x; } }",
	},
	{
		// The write of the last round is the last one to y, and the round read another one.
		name: "a read-modify-write that writes what it reads", file: "a.fp", endless: "sc tso pso", says: "it reads y = 2",
		text: "var x, y; thread a { reg r; do { r = fetch_or(y, 2); } while (r != 1); } thread b { x = 1; }",
	},
	{
		name: "two threads whose read-modify-writes write what they read", file: "a.fp", endless: "sc tso pso", says: "it reads y = 2",
		text: "var y; thread a { reg r; do { r = fetch_or(y, 2); } while (r != 1); } thread b { reg r; do { r = fetch_or(y, 2); } while (r != 1); } thread c { reg s; while (s == 2 || s == 0) { s = y; } }",
	},
	{
		name: "a counter that nothing reads", file: "a.c", endless: "sc tso pso", says: "it reads x = 0; no other thread writes x",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *one(void *a) { int rounds = 0; while (!atomic_load(&x)) rounds++; return 0; }
int main(void) { pthread_t s; pthread_create(&s, 0, one, 0); pthread_join(s, 0); }`,
	},
	{
		name: "the thread that writes through a pointer", file: "a.c", endless: "sc tso pso", says: "two, which may write x, has ended",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
atomic_int *volatile p = &y;
static void *one(void *a) { while (!atomic_load(&x)) ; return 0; }
static void *two(void *a) { atomic_store(p, 1); return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`,
	},
	{
		name: "Peterson without fences can let both in, but not keep both out", file: "a.fp", endless: "",
		text: `var f, g, turn;
thread a { reg r, s; f = 1; turn = 1; r = g; s = turn; while (r == 1 && s == 1) { r = g; s = turn; } f = 0; }
thread b { reg r, s; g = 1; turn = 0; r = f; s = turn; while (r == 1 && s == 0) { r = f; s = turn; } g = 0; }`,
	},
	{
		name: "a store that could wait in its buffer for ever", file: "a.fp", endless: "",
		text: "var x, y; thread w { reg b; x = 1; while (b != 1) { b = y; } } thread r { reg a; while (a != 1) { a = x; } y = 1; }",
	},
	{
		name: "an assumption stopped the thread that could have helped", file: "a.fp", endless: "",
		text: "var x, y; thread w { reg b; b = y; assume b == 1; x = 1; } thread r { reg a; while (a != 1) { a = x; } }",
	},
	{
		name: "an assumption in a loop stopped it", file: "a.fp", endless: "",
		text: "var x, y; thread w { reg b; while (b != 2) { b = y; assume b == 1; x = 1; } } thread r { reg a; while (a != 1) { a = x; } }",
	},
	{
		name: "main returns and ends the program", file: "a.c", endless: "",
		text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *one(void *a) { while (!atomic_load(&x)) ; return 0; }
int main(void) { pthread_t s; pthread_create(&s, 0, one, 0); return 0; }`,
	},
}

func TestEndless(t *testing.T) {
	for _, p := range waiting {
		engines := []string{"", "explicit", "smc", "rf"}
		if p.only != "" {
			engines = []string{p.only}
		}
		for _, e := range engines {
			opt := query.CheckOptions{Options: query.Defaults()}
			opt.Engines, opt.Endless.Liveness, opt.Workers = query.NamedEngines(e), query.LivenessSpin, 1
			a, err := Run(context.Background(), query.Input{Name: p.file, Text: []byte(p.text)}, opt.Under("sc", "tso", "pso"))
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
				continue
			}
			for i := range a.Results {
				r := &a.Results[i]
				endless := strings.Contains(p.endless, r.Model)
				switch {
				case endless && (r.Verdict != verdict.Unsafe || r.Question != verdict.NonTermination || !strings.Contains(r.Reason, p.says)):
					t.Errorf("%s: engine %q under %s: %s (%s): %s; want non-termination: %s", p.name, e, r.Model, r.Verdict, r.Question, r.Reason, p.says)
				case endless && (r.Witness.Repeats == 0 || r.Witness.Repeats > len(r.Witness.Steps)):
					t.Errorf("%s: engine %q under %s: %d steps repeat", p.name, e, r.Model, r.Witness.Repeats)
				case !endless && r.Verdict == verdict.Unsafe:
					t.Errorf("%s: engine %q under %s: unsafe: %s", p.name, e, r.Model, r.Reason)
				}
			}
		}
	}
}

// TestEndlessRefused: an engine that does not ask whether loops end says so, and takes programs without loops.
func TestEndlessRefused(t *testing.T) {
	for _, e := range []string{"bmc", "lazy"} {
		opt := query.CheckOptions{Options: query.Defaults()}
		opt.Engines, opt.Endless.Liveness = query.NamedEngines(e), query.LivenessSpin
		a, err := Run(context.Background(), query.Input{Name: "a.fp", Text: []byte(waiting[0].text)}, opt.Under("tso"))
		if err != nil || len(a.Diagnostics) == 0 || !strings.Contains(a.Diagnostics[0].Message, e+" does not ask whether loops end") {
			t.Errorf("%s: %v, %v", e, err, a.Diagnostics)
		}
		if r := ask1(t, dekker, opt, "tso").Results[0]; r.Verdict != verdict.Unsafe {
			t.Errorf("%s, program without loops: %s", e, r.Verdict)
		}
	}
}

// TestFair: endless executions that depend on the schedule.
func TestFair(t *testing.T) {
	// Each thread overwrites the other's mark before the compare-exchange.
	const turns = `var x;
thread a { reg r, done; while (done == 0) { x = 1; r = cas(x, 1, 0); if (r == 1) { done = 1; } } }
thread b { reg r, done; while (done == 0) { x = 2; r = cas(x, 2, 0); if (r == 1) { done = 1; } } }`
	const steal = `#include <pthread.h>
#include <stdatomic.h>
atomic_int l, stop;
static void *greedy(void *a) { while (!atomic_load(&stop)) { while (atomic_exchange(&l, 1)) ; atomic_store(&l, 0); } return 0; }
static void *modest(void *a) { while (atomic_exchange(&l, 1)) ; atomic_store(&l, 0); atomic_store(&stop, 1); return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, greedy, 0); pthread_create(&t, 0, modest, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}`
	// Each thread raises its flag and looks at the other's; both may lower their flags and try again at the same time.
	const polite = `var x, y;
thread a { reg r; r = 1; while (r == 1) { x = 1; fence; r = y; if (r == 1) { x = 0; fence; } } x = 0; }
thread b { reg r; r = 1; while (r == 1) { y = 1; fence; r = x; if (r == 1) { y = 0; fence; } } y = 0; }`
	cases := []struct {
		name, file, text     string
		fairness, starvation string
		unsafe               bool
	}{
		{"a lock that is stolen", "a.c", steal, "random", "", false},
		{"a lock that is stolen", "a.c", steal, "weak", "", true},
		{"a lock that is stolen: who starves", "a.c", steal, "weak", "modest", true},
		{"a lock that is stolen: who does not", "a.c", steal, "weak", "greedy", false},
		{"compare-exchanges that fail in turns", "a.fp", turns, "random", "", false},
		{"compare-exchanges that fail in turns", "a.fp", turns, "weak", "", true},
		{"two polite threads", "a.fp", polite, "random", "", false},
		{"two polite threads", "a.fp", polite, "weak", "", true},
		{"a store that is missing", "a.fp", waiting[0].text, "random", "", true},
		{"a flag that is set", "a.fp", waiting[1].text, "weak", "", false},
	}
	for _, c := range cases {
		for _, model := range []string{"sc", "tso", "pso"} {
			opt := query.CheckOptions{Options: query.Defaults()}
			opt.Buffer, opt.Workers = 2, 1
			opt.Endless = query.Endless{Liveness: query.LivenessFair, Fairness: query.Fairness(c.fairness), Starvation: c.starvation}
			a, err := Run(context.Background(), query.Input{Name: c.file, Text: []byte(c.text)}, opt.Under(query.Model(model)))
			if err != nil || a.HasErrors() {
				t.Errorf("%s, %s under %s: %v %v", c.name, c.fairness, model, err, a.Diagnostics)
				continue
			}
			r := &a.Results[0]
			if got := r.Verdict == verdict.Unsafe; got != c.unsafe || r.Verdict == verdict.Unknown {
				t.Errorf("%s, %s under %s: %s: %s, want unsafe %v", c.name, c.fairness, model, r.Verdict, r.Reason, c.unsafe)
			}
		}
	}
}

// TestEndlessBeyondBuffers: a bound that only the search for endless executions meets keeps the answer from
// being safe, and loops that were judged under SC have a witness under the model that was asked about.
func TestEndlessBeyondBuffers(t *testing.T) {
	const counts = "var x, z; thread a { reg r; while (r != 1) { z = (z + 1) % 1100; r = x; } } thread b { reg q; q = x; }"
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Endless.Liveness, opt.Buffer = query.LivenessFair, 1
	for _, r := range ask1(t, counts, opt, "tso", "pso").Results {
		if r.Verdict == verdict.Safe && r.Coverage.Exhaustive {
			t.Errorf("safe under %s: all executions", r.Model)
		}
	}
	opt.Buffer = 0
	const short = "var x, z; thread a { reg r; while (r != 1) { z = (z + 1) % 40; r = x; } } thread b { reg q; while (q != 1) { q = x; } }"
	opt.Endless.Liveness = query.LivenessSpin
	for _, r := range ask1(t, short, opt, "sc", "tso").Results {
		if r.Verdict != verdict.Unsafe {
			t.Errorf("%s under %s: %s", r.Verdict, r.Model, r.Reason)
		}
	}
}
