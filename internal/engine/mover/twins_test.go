package mover_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/memory"
	"fencepost/internal/proof/encode"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// twin is a C program that is proved for any number of threads of function w, and changes of it that fail. The
// changes are text and its replacement, by turns.
type twin struct {
	why, text string
	broken    [][]string
}

// Kinds of mutexes that main chooses.
const (
	recursiveHead = "pthread_mutex_t r;\nvoid kind(int k) { pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at, k); pthread_mutex_init(&r, &at); }\n"
	startW        = "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }"
	startKind     = "int main(void) { pthread_t t; kind(PTHREAD_MUTEX_RECURSIVE); pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }"
	startBarrier  = "pthread_barrier_t br; int main(void) { pthread_t t; pthread_barrier_init(&br, 0, 2); pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }"
)

var twins = []twin{
	{"a recursive mutex that is locked again by the function that it calls",
		recursiveHead + "void in(void) { pthread_mutex_lock(&r); y = x; assert(y == 1); pthread_mutex_unlock(&r); }\n" +
			"void *w(void *p) { pthread_mutex_lock(&r); x = 1; in(); assert(x == 1); x = 0; pthread_mutex_unlock(&r); return 0; }\n" + startKind,
		[][]string{
			{"in(); assert", "in(); pthread_mutex_unlock(&r); pthread_mutex_lock(&r); assert"}, // released while inside
			{"void *w(void *p) { pthread_mutex_lock(&r); x = 1;", "void *w(void *p) { x = 1;", "x = 0; pthread_mutex_unlock(&r);", "x = 0;"},
			{"x = 0; pthread_mutex_unlock(&r);", "x = 0; pthread_mutex_unlock(&r); pthread_mutex_unlock(&r);"}, // once too often
		}},
	{"a recursive trylock",
		recursiveHead + "void *w(void *p) { if (pthread_mutex_trylock(&r) == 0) { pthread_mutex_trylock(&r); x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&r); assert(x == 0); pthread_mutex_unlock(&r); } return 0; }\n" + startKind,
		[][]string{
			{"trylock(&r) == 0", "trylock(&r) != 0"},
			{"pthread_mutex_unlock(&r); assert(x == 0); pthread_mutex_unlock(&r);", "pthread_mutex_unlock(&r); pthread_mutex_unlock(&r); assert(x == 0);"},
		}},
	{"an inner lock does not drain, and an outer one does",
		recursiveHead + "void *w(void *p) { x = 1; pthread_mutex_lock(&r); pthread_mutex_lock(&r); y = 1; pthread_mutex_unlock(&r); pthread_mutex_unlock(&r); return 0; }\n" +
			"int main(void) { pthread_t t; kind(PTHREAD_MUTEX_RECURSIVE); pthread_create(&t, 0, w, 0); return 0; }", nil},
	{"an error-checking mutex returns an error",
		recursiveHead + "void *w(void *p) { int k = pthread_mutex_lock(&r); assert(k == 0); assert(pthread_mutex_lock(&r) == 35); x = 1; assert(x == 1); x = 0; pthread_mutex_unlock(&r); assert(pthread_mutex_unlock(&r) == 1); return 0; }\n" +
			strings.Replace(startKind, "RECURSIVE", "ERRORCHECK", 1),
		[][]string{
			{"assert(pthread_mutex_lock(&r) == 35)", "assert(pthread_mutex_lock(&r) == 0)"},
			{"x = 0; pthread_mutex_unlock(&r);", "x = 0;", "x = 1; assert", "pthread_mutex_unlock(&r); x = 1; assert"},
		}},
	{"a condition",
		"pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n" +
			"void *w(void *p) { if (p) { pthread_mutex_lock(&m); y = 42; x = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); return 0; }\n" +
			"pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); assert(y == 42); pthread_mutex_unlock(&m); return 0; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, &x); return 0; }",
		[][]string{
			{"while (!x)", "if (!x)"}, // it may wake without a signal
			{"y = 42; x = 1;", "x = 1; pthread_mutex_unlock(&m); pthread_mutex_lock(&m); y = 42;"},
			{"pthread_mutex_lock(&m); while (!x)", "while (!x)"}, // it does not hold the mutex
		}},
	{"waiting gives up the mutex, and what the mutex protects",
		"pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n" +
			"void *w(void *p) { pthread_mutex_lock(&m); x = 1; assert(x == 1); x = 0; pthread_cond_wait(&c, &m); assert(x == 0); pthread_mutex_unlock(&m); pthread_cond_signal(&c); return 0; }\n" + startW,
		[][]string{{"x = 0; pthread_cond_wait(&c, &m); assert(x == 0);", "pthread_cond_wait(&c, &m); assert(x == 1); x = 0;"}}},
	{"an array of structures with fields of different sizes",
		"struct { int val; char tag; long sum; } n[4];\n" +
			"void *w(void *p) { pthread_mutex_lock(&m); int i = x & 3; n[i].tag = 1; n[i].sum = 8;\n//@ invariant n[i].sum == 8\nn[i].val = 7;\n//@ invariant n[i].sum == 8\n" +
			"assert(n[i].sum == 8); x = i + 1; pthread_mutex_unlock(&m); return 0; }\n" + startW,
		[][]string{
			{"x & 3", "(x & 3) + 4"}, // outside
			{"n[i].val = 7;", "n[i].val = 7; n[i].sum = 2;"},
			{"pthread_mutex_lock(&m); int i", "int i", "x = i + 1; pthread_mutex_unlock(&m);", "x = i + 1; n[i].sum = 0;"},
		}},
	{"16 bytes at once",
		"unsigned __int128 u;\n" +
			"void *w(void *p) {\n//@ global (unsigned long)u == (unsigned long)(u >> 64)\n" +
			"__atomic_store_n(&u, (((unsigned __int128)7) << 64) + 7, 5); unsigned __int128 old = 0; __atomic_compare_exchange_n(&u, &old, (((unsigned __int128)1) << 64) + 1, 0, 5, 5);\n" +
			"unsigned __int128 now = __atomic_load_n(&u, 5);\n//@ invariant (unsigned long)(now >> 64) == (unsigned long)now\nassert((unsigned long)(now >> 64) == (unsigned long)now); return 0; }\n" + startW,
		[][]string{
			{"<< 64) + 7,", "<< 64) + 6,"},
			{"return 0; }\nint", "((unsigned long *)&u)[0] = 1; ((unsigned long *)&u)[1] = 1; return 0; }\nint"}, // in two steps
		}},
	{"a barrier drains",
		"void *w(void *p); pthread_barrier_t br; void *w(void *p) { x = 1; pthread_barrier_wait(&br); int k = y; y = 0; assert(x == 1); return 0; }\n" + startBarrier,
		[][]string{
			{"assert(x == 1)", "assert(x == 0)"},
			{"pthread_barrier_init(&br, 0, 2);", ""}, // it waits for no thread, which is an error
		}},
}

// openTwins are right programs that are not proved, and why.
var openTwins = map[string]string{
	"an error-checking mutex returns an error": "the second lock may take the mutex or not, so that nothing says who has it at the first unlock",
}

// TestTwins: programs are proved, and the ones with a mistake are not, which fail with two threads.
func TestTwins(t *testing.T) {
	needsSolver(t)
	defer mover.LimitQuestions(1_000_000)()
	for _, test := range twins {
		if !testkit.InPart(t, test.why, 6) {
			continue
		}
		out := proveTwin(t, test.why, test.text, false)
		if proved := out != nil && out.Verdict != verdict.Unknown && out.Proof.Open() == 0; proved != (openTwins[test.why] == "") {
			t.Errorf("%s is proved: %v: %+v", test.why, proved, out)
		}
		for i, change := range test.broken {
			if i > 0 && !testkit.Slow() {
				break
			}
			text := strings.NewReplacer(change...).Replace(test.text)
			if text == test.text {
				t.Fatalf("%s: nothing to change: %q", test.why, change)
			}
			flat, props, _ := parseC(t, cHead+text)
			props.Deadlock = false
			got, err := testkit.Ask(testkit.Explicit, flat, props, memory.TSO, testkit.How{First: true})
			if err != nil || len(got.Checks) == 0 {
				t.Errorf("%s: the program with %q does not fail: %v", test.why, change, err)
			}
			if out := proveTwin(t, test.why, text, !testkit.Slow()); out != nil && out.Verdict != verdict.Unknown && out.Proof.Open() == 0 {
				t.Errorf("%s is proved with %q", test.why, change)
			}
		}
	}
}

// proveTwin proves a program for any number of threads of function w. It returns nil if it is refused.
func proveTwin(t *testing.T, why, text string, quick bool) *mover.Outcome {
	t.Helper()
	flat, props, private := parseC(t, cHead+text)
	replicate(flat, "w")
	out, err := mover.Prove(context.Background(), flat, props, mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: true, Reach: reach(1000), Quick: quick})
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		t.Logf("%s: refused: %s", why, u.What)
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", why, err)
	}
	return out
}

// Programs in which the depth of a recursive mutex depends on the path are refused.
func TestDepths(t *testing.T) {
	needsSolver(t)
	for _, body := range []string{
		"if (x) pthread_mutex_lock(&r); pthread_mutex_lock(&r);",
		"while (x) pthread_mutex_lock(&r);",
		"pthread_mutex_trylock(&r); pthread_mutex_lock(&r);",
		"*(volatile long *)&r = 0; pthread_mutex_lock(&r);",
	} {
		text := recursiveHead + "void *w(void *p) { x = 1; " + body + " return 0; }\n" + startKind
		if out := proveTwin(t, body, text, true); out != nil {
			t.Errorf("%s is not refused", body)
		}
	}
}

// TestWrittenAbstractions: an abstraction that is written in C counts if it always allows the value in memory.
func TestWrittenAbstractions(t *testing.T) {
	needsSolver(t)
	const text = "void *w(void *p) { int h = x; if (y == 0 && h < 5) __sync_bool_compare_and_swap(&x, h, h + 1); return 0; }\n" +
		"void *v(void *p) { int h; y = 1;\n//@ abstract COND\nh = x;\nz = h; return 0; }\n" +
		"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, v, 0); return 0; }"
	for _, test := range []struct {
		cond string
		want string // proved, not proved or refused
	}{
		{"0 <= h && h <= x", "proved"},
		{"h <= x", "proved"},
		{"1", "proved"},
		{"h == x || h == 0", "not proved"}, // x may be 0 no more
		{"h < x", "not proved"},            // it does not allow what is there
		{"h >= 1", "not proved"},           // likewise
		{"h <= y", "refused"},              // other memory
	} {
		if !testkit.InPart(t, test.cond, 3) {
			continue
		}
		flat, props, private := parseC(t, cHead+strings.Replace(text, "COND", test.cond, 1))
		replicate(flat, "w")
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{Arithmetic: encode.BitVectors, Private: private, NoAbstraction: true})
		got := "proved"
		if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
			if got = "refused"; u.Pos == nil || u.Pos.Line != 6 {
				t.Errorf("%s: refused at %v", test.cond, u.Pos)
			}
		} else if err != nil {
			t.Fatal(err)
		} else if out.Verdict != verdict.Abstracted {
			got = "not proved"
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s: %+v", test.cond, got, test.want, out)
		}
	}
}

// TestWrappedIndex: two numbers of elements may be one address after wrapping, so that a number outside the array
// is an open check.
func TestWrappedIndex(t *testing.T) {
	needsSolver(t)
	const text = "long k; void *w(void *p) { long i = k; if (i == 0 || i == (1L << 62)) { a[i] = 1; a[0] = 2; int r = a[i]; assert(r == 1 || i == 0); } return 0; }\n" +
		"int main(void) { pthread_t t; k = 1L << 62; pthread_create(&t, 0, w, 0); return 0; }"
	if out := proveTwin(t, "a number outside", text, true); out.Proof.Open() == 0 {
		t.Error("a[i] with i outside the array is proved")
	}
}
