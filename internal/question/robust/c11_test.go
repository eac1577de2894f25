package robust_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/question/robust"
	"fencepost/query"
	"fencepost/verdict"
)

const c11Head = `#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#define LD(x, o) atomic_load_explicit(&x, memory_order_##o)
#define ST(x, v, o) atomic_store_explicit(&x, v, memory_order_##o)
#define TWO int main(void) { pthread_t p, q; pthread_create(&p, 0, a, 0); pthread_create(&q, 0, b, 0); pthread_join(p, 0); pthread_join(q, 0);
atomic_int x, y, z;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int data, r, s;
`

// TestAgainstC11: programs whose answers follow from the axioms by hand.
func TestAgainstC11(t *testing.T) {
	for _, c := range []struct{ name, want, text string }{
		{"message passing", "safe", `void *a(void *p) { data = 1; ST(x, 1, release); return 0; }
			void *b(void *p) { if (LD(x, acquire)) r = data; return 0; } TWO }`},
		{"message passing, relaxed", "no SC execution", `void *a(void *p) { ST(y, 1, relaxed); ST(x, 1, relaxed); return 0; }
			void *b(void *p) { r = LD(x, relaxed); s = LD(y, relaxed); return 0; } TWO }`},
		{"store buffering, seq_cst", "safe", `void *a(void *p) { ST(x, 1, seq_cst); r = LD(y, seq_cst); return 0; }
			void *b(void *p) { ST(y, 1, seq_cst); s = LD(x, seq_cst); return 0; } TWO }`},
		{"store buffering between locks", "no SC execution", `void *a(void *p) { ST(x, 1, relaxed); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); r = LD(y, relaxed); return 0; }
			void *b(void *p) { ST(y, 1, relaxed); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); s = LD(x, relaxed); return 0; } TWO }`},
		{"store buffering under one lock", "safe", `void *a(void *p) { pthread_mutex_lock(&m); ST(x, 1, relaxed); r = LD(y, relaxed); pthread_mutex_unlock(&m); return 0; }
			void *b(void *p) { pthread_mutex_lock(&m); ST(y, 1, relaxed); s = LD(x, relaxed); pthread_mutex_unlock(&m); return 0; } TWO }`},
		{"a race", "data race", `void *a(void *p) { data = 1; return 0; }
			void *b(void *p) { r = data; return 0; } TWO }`},
		// Main reads the last stores, so they are reads.
		{"2+2W that main looks at", "no SC execution has these reads", `void *a(void *p) { ST(x, 1, relaxed); ST(y, 2, relaxed); return 0; }
			void *b(void *p) { ST(y, 1, relaxed); ST(x, 2, relaxed); return 0; } TWO assert(LD(x, relaxed) != 1 || LD(y, relaxed) != 1); }`},
		{"2+2W that nobody looks at", "safe", `void *a(void *p) { ST(x, 1, relaxed); ST(y, 2, relaxed); return 0; }
			void *b(void *p) { ST(y, 1, relaxed); ST(x, 2, relaxed); return 0; } TWO }`},
		{"a stale trylock", "no SC execution", `void *a(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); ST(x, 1, relaxed); return 0; }
			void *b(void *p) { if (LD(x, relaxed) && pthread_mutex_trylock(&m)) r = 1; return 0; } TWO }`},
		{"a waiting loop may read old values", "safe", `void *a(void *p) { ST(x, 1, relaxed); while (!LD(y, relaxed)); return 0; }
			void *b(void *p) { ST(y, 1, relaxed); while (!LD(x, relaxed)); return 0; } TWO }`},
	} {
		in := query.Input{Name: "p.c", Text: []byte(c11Head + c.text)}
		ans, err := robust.Run(context.Background(), in, query.RobustOptions{Options: query.Defaults(), Models: query.Models{query.C11}})
		if err != nil || len(ans.Results) != 1 {
			t.Fatalf("%s: %v %v", c.name, err, ans.Diagnostics)
		}
		res := &ans.Results[0]
		if ok := c.want == "safe"; ok && res.Verdict != verdict.Safe || !ok && (res.Verdict != verdict.Unsafe || !strings.HasPrefix(res.Reason, c.want)) {
			t.Errorf("%s: %s (%s), want %s", c.name, res.Verdict, res.Reason, c.want)
		}
		if strings.HasPrefix(c.want, "no SC") && (res.Cause == nil || len(res.Cause.Cycle) < 2) {
			t.Errorf("%s: no cycle", c.name)
		}
	}
}

// TestAgainstC11Final: a final condition makes the last stores count.
func TestAgainstC11Final(t *testing.T) {
	const text = "program w\nvar x, y;\nthread a { x = 1; y = 2; }\nthread b { y = 1; x = 2; }\n"
	for more, want := range map[string]verdict.Verdict{"": verdict.Safe, "never x == 1 && y == 1;\n": verdict.Unsafe, "never x == 3;\n": verdict.Safe} {
		in := query.Input{Name: "p.fp", Text: []byte(text + more)}
		ans, err := robust.Run(context.Background(), in, query.RobustOptions{Options: query.Defaults(), Models: query.Models{query.C11}})
		if err != nil || len(ans.Results) != 1 {
			t.Fatalf("%q: %v %v", more, err, ans.Diagnostics)
		}
		if got := ans.Results[0].Verdict; got != want {
			t.Errorf("%q: %s (%s), want %s", more, got, ans.Results[0].Reason, want)
		}
	}
}
