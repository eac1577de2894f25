package lin_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// ask asks about an object in one header.
func ask(t *testing.T, text string, opt query.LinOptions) *verdict.Result {
	t.Helper()
	answer := askAll(t, text, opt)
	if len(answer.Results) != 1 {
		t.Fatalf("%d results", len(answer.Results))
	}
	return &answer.Results[0]
}

// askAll asks under several models.
func askAll(t *testing.T, text string, opt query.LinOptions) query.Answer {
	t.Helper()
	answer, err := lin.Run(context.Background(), query.Input{Name: "object.h", Text: []byte(text)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range answer.Diagnostics {
		t.Errorf("%s: %s %v", d.Pos, d.Message, d.Notes)
	}
	return answer
}

// TestObjects: small objects with known answers.
func TestObjects(t *testing.T) {
	for _, c := range []struct {
		name, text string
		model      query.Model
		calls      int
		want       verdict.Verdict
		history    string // calls and results
	}{
		{"a counter", "#include <stdatomic.h>\natomic_int n;\nint add(void) { return atomic_fetch_add(&n, 1); }\n", "tso", 3, verdict.Safe, ""},
		{"a counter that loses", "#include <stdatomic.h>\natomic_int n;\nint add(void) { int v = n; n = v + 1; return v; }\n", "sc", 2, verdict.Unsafe, "add()=0 add()=0"},
		{
			"a register, read twice", "#include <stdatomic.h>\natomic_int x;\nvoid put(int v) { atomic_store_explicit(&x, v, memory_order_relaxed); }\n" +
				"int get(void) { return atomic_load_explicit(&x, memory_order_relaxed); }\n", "tso", 3, verdict.Safe, "",
		},
		{
			// Every result has an explanation, but not in real time: get can miss a put that has returned.
			"a register with a copy", "#include <stdatomic.h>\natomic_int x, y;\nvoid put(int v) { x = v; if (y == 0) y = v; }\nint get(void) { return y; }\n", "sc", 3, verdict.Unsafe, "",
		},
		{
			"store buffering in an object", "#include <stdatomic.h>\nint x, y;\nint left(void) { x = 1; return y; }\nint right(void) { y = 1; return x; }\n",
			"tso", 2, verdict.Unsafe, "left()=0 right()=0",
		},
		{"a lock that is an int", "void lock(int *l) { while (__atomic_exchange_n(l, 1, 2)); }\nvoid unlock(int *l) { __atomic_store_n(l, 0, 3); }\n", "tso", 4, verdict.Safe, ""},
		{
			"a stack of the nodes that are pushed", "#include <stdatomic.h>\nstruct node { struct node *next; };\nstatic _Atomic(struct node *) top;\n" +
				"void push(struct node *n) { struct node *t = top; do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n)); }\n" +
				"struct node *pop(void) { struct node *t = top; while (t && !atomic_compare_exchange_strong(&top, &t, t->next)); return t; }\n", "sc", 3, verdict.Safe, "",
		},
		{"functions with the names of words in clients", "#include <stdatomic.h>\natomic_int n;\nint next(void) { return n++; }\nint done(void) { return n; }\nint other(void) { return n; }\n", "sc", 2, verdict.Safe, ""},
		{"a file with a main", "#include <stdatomic.h>\natomic_int n;\nint next(void) { return n++; }\nint main(void) { return next(); }\n", "sc", 3, verdict.Safe, ""},
		{
			"memory for the function that prepares", "struct ring { int *slot; int h, t; };\nvoid ring_init(struct ring *r, int *slots, unsigned n) { r->slot = slots; r->h = r->t = 0; slots[n - 1] = 0; }\n" +
				"int ring_put(struct ring *r, int v) { r->slot[r->t % 4] = v; return r->t++; }\n", "sc", 2, verdict.Unsafe, "",
		},
		{
			"a function that makes the object under another name of its type", "#include <stdlib.h>\n#include <stdatomic.h>\ntypedef struct ring ring_t;\nstruct ring { atomic_int n; };\n" +
				"ring_t *ring_of(unsigned size) { ring_t *r = malloc(sizeof *r); atomic_init(&r->n, (int)size); return r; }\nint ring_next(ring_t *r) { return r->n++; }\n" +
				"void ring_free(ring_t *r) { free(r); }\n", "sc", 2, verdict.Safe, "",
		},
		{
			"calls that wait for each other", "#include <stdatomic.h>\natomic_int f, g;\nvoid p(void) { f = 1; while (g); f = 0; }\nvoid q(void) { g = 1; while (f); g = 0; }\n",
			"sc", 2, verdict.Unsafe, "",
		},
		{"the same under sc: one of them must read 0", "int x, y;\nint left(void) { x = 1; return y; }\nint right(void) { y = 1; return x; }\n", "sc", 3, verdict.Unsafe, "left()=1 right()=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := ask(t, c.text, query.LinOptions{Models: query.Models{c.model}, Calls: c.calls})
			if res.Verdict != c.want {
				t.Fatalf("%s %s, want %s", res.Verdict, res.Reason, c.want)
			}
			if c.want == verdict.Safe && !strings.Contains(res.Coverage.BoundText(), "concurrent calls") {
				t.Errorf("the answer does not say what it covers: %s", res.Coverage.BoundText())
			}
			if c.history != "" && calls(res) != c.history {
				t.Errorf("history %q, want %q", calls(res), c.history)
			}
		})
	}
}

// calls returns the calls of a history and their results.
func calls(res *verdict.Result) string {
	var out []string
	for _, c := range res.Linearizability.History.Calls {
		out = append(out, c.Call+"="+strings.Join(c.Results, ","))
	}
	return strings.Join(out, " ")
}

// TestNamed: objects that have the right name, and others.
func TestNamed(t *testing.T) {
	const stack = "struct s { int n, a[8]; };\nstatic void s_init(struct s *s) { s->n = 0; }\n" +
		"static int s_push(struct s *s, int v) { if (s->n == 3) return -1; s->a[s->n++] = v; return 0; }\n" +
		"static int s_pop(struct s *s, int *out) { if (!s->n) return -1; *out = s->a[--s->n]; return 0; }\n"
	const lock = "int held;\n#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid lock(void) { pthread_mutex_lock(&m); }\nvoid unlock(void) { pthread_mutex_unlock(&m); }\n"
	for _, c := range []struct {
		name, text, spec string
		want             verdict.Verdict
		reason           string
	}{
		{"a stack is no queue", stack, "queue", verdict.Unsafe, "one at a time, s_pop() returns 0, 2, not 1 as a queue does"},
		{"a stack is no set", stack, "set", verdict.Unset, "nothing in the name of s_pop says what it does to a set"},
		{"a sequential stack", stack, "stack", verdict.Unsafe, "no order of the calls explains what they returned"},
		{"a mutex", lock, "lock", verdict.Safe, ""},
		{"no mutex", "int lock(void) { return 0; }\nvoid unlock(void) { }\n", "lock", verdict.Unsafe, "one at a time, lock() returns, but waits in a lock"},
	} {
		answer, err := lin.Run(context.Background(), query.Input{Name: "object.h", Text: []byte(c.text)}, query.LinOptions{Models: query.Models{"sc"}, Calls: 4, Spec: c.spec, Init: ""})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, reason := verdict.Unset, ""
		for _, r := range answer.Results {
			got, reason = r.Verdict, r.Reason
		}
		for _, d := range answer.Diagnostics {
			reason += d.Message
		}
		if got != c.want || reason != c.reason {
			t.Errorf("%s: %s %s, want %s %s", c.name, got, reason, c.want, c.reason)
		}
	}
}

// TestSays: what an answer cannot cover is in it, and what is no library is refused.
func TestSays(t *testing.T) {
	const waits = "int x;\nint get(void) { while (!__atomic_load_n(&x, 5)); return 1; }\nvoid go(void) { __atomic_store_n(&x, 1, 5); }\n"
	res := ask(t, waits, query.LinOptions{Models: query.Models{"tso"}, Calls: 2})
	if res.Verdict != verdict.Safe || len(res.Linearizability.Hints) != 1 {
		t.Errorf("%s %s %q", res.Verdict, res.Reason, res.Linearizability.Hints)
	}
	for text, want := range map[string]string{
		"int x;\nint main(void) { return x; }\n":                     "FP0943",
		"int x;\ndouble half(void) { return x / 2.0; }\n":            "FP0943",
		"int x;\n//@ op threads a\nint next(void) { return x++; }\n": "FP0944",
		"int x;\n//@ op thread a\nint next(void) { return x++; }\n":  "FP0943", // no client
		"!<arch>\nobject.o/": "FP0943",
		"int x;\n//@ may fail some\nint next(void) { return x++; }\n": "FP0944",
	} {
		answer, err := lin.Run(context.Background(), query.Input{Name: "object.h", Text: []byte(text)}, query.LinOptions{Calls: 2})
		if err != nil || len(answer.Diagnostics) != 1 || answer.Diagnostics[0].Code != want {
			t.Errorf("%q: %v %v, want %s", text, err, answer.Diagnostics, want)
		}
	}
}

// TestRealTime: results that every order of the calls explains, but none that real time allows.
func TestRealTime(t *testing.T) {
	// get sees the second put before the first one has returned in some executions; in real time put(1) < put(2) < get the
	// last one counts. Here the first put wins for ever.
	const text = "#include <stdatomic.h>\natomic_int first, n;\nvoid put(int v) { int z = 0; atomic_compare_exchange_strong(&first, &z, v); }\nint get(void) { return atomic_load(&first); }\n"
	const spec = "int last;\nvoid put(int v) { last = v; }\nint get(void) { return last; }\n"
	res := ask(t, text, query.LinOptions{Models: query.Models{"sc"}, Calls: 3, SpecFile: query.Input{Name: "spec.c", Text: []byte(spec)}})
	if res.Verdict != verdict.Unsafe || res.Linearizability.History == nil || len(res.Linearizability.History.Before) == 0 {
		t.Fatalf("%s %s %+v", res.Verdict, res.Reason, res.Linearizability)
	}
}

// TestReturn: a ring whose push ends with a store is right as far as programs can know, and a clock sees that the store comes late. A
// thread that reads another variable after its store needs a fence at the end of the call.
func TestReturn(t *testing.T) {
	const ring = "#include <stdatomic.h>\natomic_int n;\nvoid put(int v) { atomic_store_explicit(&n, v, memory_order_release); }\n" +
		"int get(void) { return atomic_load_explicit(&n, memory_order_acquire); }\n"
	const flags = "#include <stdatomic.h>\natomic_int x, y;\n//@ op thread a\nvoid set_x(void) { atomic_store_explicit(&x, 1, memory_order_release); }\n" +
		"//@ op thread a\nint get_y(void) { return atomic_load_explicit(&y, memory_order_acquire); }\n//@ op thread b\nvoid set_y(void) { atomic_store_explicit(&y, 1, memory_order_release); }\n" +
		"//@ op thread b\nint get_x(void) { return atomic_load_explicit(&x, memory_order_acquire); }\n"
	for _, c := range []struct {
		text   string
		model  query.Model
		calls  int
		how    query.Return
		want   verdict.Verdict
		hinted string
	}{
		{ring, "tso", 2, "", verdict.Safe, "--return open"},
		{ring, "tso", 2, query.ReturnDrains, verdict.Safe, ""},
		{ring, "tso", 2, query.ReturnOpen, verdict.Unsafe, "only a clock outside"},
		{ring, "sc", 2, query.ReturnOpen, verdict.Safe, ""},
		{flags, "tso", 4, "", verdict.Unsafe, "--return drains"},
		{flags, "tso", 4, query.ReturnDrains, verdict.Safe, ""},
	} {
		res := ask(t, c.text, query.LinOptions{Models: query.Models{c.model}, Calls: c.calls, Return: c.how})
		hints := strings.Join(res.Linearizability.Hints, "\n")
		if res.Verdict != c.want || c.hinted != "" && !strings.Contains(hints, c.hinted) {
			t.Errorf("%s --return %q: %s %s %q, want %s %q", c.model, c.how, res.Verdict, res.Reason, hints, c.want, c.hinted)
		}
	}
	if err := (&query.LinOptions{Models: query.Models{query.C11}, Return: query.ReturnOpen}).Validate(); err == nil {
		t.Error("--return is not refused for c11")
	}
}

// TestMutate: clients notice the fence, orders and compare-exchange that matter under a model, and others do not count.
func TestMutate(t *testing.T) {
	const text = `#include <stdatomic.h>
atomic_int x, y, z;
/* atomic_thread_fence(memory_order_seq_cst) in a comment */
int left(void) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  int e = 0;
  return atomic_load_explicit(&y, memory_order_acquire) == 0 && atomic_compare_exchange_strong(&z, &e, 1);
}
int right(void) {
  atomic_store(&y, 1);
  int e = 0;
  return atomic_load_explicit(&x, memory_order_relaxed) == 0 && atomic_compare_exchange_strong(&z, &e, 1);
}
int once(void) {
  return atomic_exchange_explicit(&z, 1, memory_order_relaxed);
}
`
	const spec = `int z;
_Bool __VERIFIER_nondet_bool(void);
int left(void) { if (z || __VERIFIER_nondet_bool()) return 0; z = 1; return 1; }
int right(void) { if (z || __VERIFIER_nondet_bool()) return 0; z = 1; return 1; }
int once(void) { int was = z; z = 1; return was; }
`
	res := ask(t, text, query.LinOptions{Models: query.Models{"tso"}, Calls: 2, Mutate: true, SpecFile: query.Input{Name: "spec.c", Text: []byte(spec)}})
	var got []string
	for _, m := range res.Linearizability.Mutants {
		got = append(got, fmt.Sprintf("%d: %s: %s", m.Pos.Line, m.Change, m.Fate))
	}
	want := []string{
		"6: without the fence: unnoticed", "6: seq_cst becomes acq_rel: unnoticed",
		"8: atomic_compare_exchange_strong becomes a load and a store: noticed",
		"11: atomic_store becomes release: unnoticed",
		"13: atomic_compare_exchange_strong becomes a load and a store: noticed",
		"16: atomic_exchange_explicit becomes a load and a store: noticed",
	}
	if res.Verdict != verdict.Safe || !slices.Equal(got, want) {
		t.Errorf("%s %s:\n%s\nwant\n%s", res.Verdict, res.Reason, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	deque, err := os.ReadFile("testdata/chase_lev.h")
	if err != nil {
		t.Fatal(err)
	}
	res = ask(t, string(deque), query.LinOptions{Models: query.Models{"tso"}, Calls: 3, Mutate: true})
	for _, m := range res.Linearizability.Mutants {
		if m.Pos.Line == 18 && m.Fate != verdict.MutantNoticed {
			t.Errorf("the fence of take: %s %s", m.Fate, m.Why)
		}
	}
}

// TestWaiting: a call that waits for ever is a mistake where all calls could come to their end, in whatever order.
func TestWaiting(t *testing.T) {
	const queue = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n" +
		"static int a[4], n, h;\nvoid put(int v) {\n  pthread_mutex_lock(&m);\n  a[(h + n++) % 4] = v;\n  SIGNAL\n  pthread_mutex_unlock(&m);\n}\n" +
		"int get(void) {\n  pthread_mutex_lock(&m);\n  while (!n)\n    pthread_cond_wait(&c, &m);\n  int v = a[h];\n  h = (h + 1) % 4;\n  n--;\n  pthread_mutex_unlock(&m);\n  return v;\n}\n"
	for signal, want := range map[string]verdict.Verdict{
		"pthread_cond_signal(&c);":             verdict.Safe,
		"if (n == 2) pthread_cond_signal(&c);": verdict.Unsafe,
	} {
		res := ask(t, strings.Replace(queue, "SIGNAL", signal, 1), query.LinOptions{Models: query.Models{"sc"}, Calls: 2})
		if res.Verdict != want {
			t.Errorf("%s: %s %s, want %s", signal, res.Verdict, res.Reason, want)
		}
	}
}
