package check_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
)

// threadEnds are programs about the end of threads: automatic variables and results. want is "safe", or how the reason of
// unsafe begins, under every model.
var threadEnds = []struct{ name, want, text string }{
	{"pthread_exit ends variables of the callers", "use-after-free", `_Atomic(int *) p;
void leave(int *x) { p = x; pthread_exit(0); }
void *a(void *arg) { int x = 0; leave(&x); return 0; }
int main() { start(a); wait(a); if (p) *p = 42; }`},
	{"as long as the thread runs, they are there", "safe", `_Atomic(int *) p; atomic_int done;
void leave(int *x) { set(*(atomic_int *)x, 1, rlx); p = x; while (!done); pthread_exit(0); }
void *a(void *arg) { int x = 0; leave(&x); return 0; }
int main() { start(a); int *q = p; if (q) assert(*(volatile int *)q == 1); done = 1; wait(a); }`},
	{"arrays of variable length", "use-after-free", `int *g;
void *a(void *arg) { int n = 3, v[n]; v[1] = 7; g = v; if (v[1]) pthread_exit(0); return 0; }
int main() { start(a); wait(a); assert(g[1] == 7); }`},
	{"main's variables", "use-after-free", `atomic_int ended;
void *a(void *arg) { while (!ended); return (void *)(long)*(int *)arg; }
int main() { int x = 1; pthread_t t; pthread_create(&t, 0, a, &x); ended = 1; pthread_exit(0); }`},
	{"main's variables after its return", "safe", `
void *a(void *arg) { return (void *)(long)*(int *)arg; }
int main() { int x = 1; pthread_t t; pthread_create(&t, 0, a, &x); return 0; }`},
	{"a recursive function, and others before it", "safe", `int sum;
int f(int n) { int v[n + 1]; v[n] = n; return v[n]; }
int g(int n) { int v[n + 1]; v[n] = n; if (n == 0) pthread_exit((void *)7); return g(n - 1) + v[n]; }
void clean(void *arg) { sum += *(int *)arg; }
void *a(void *arg) { int x = 1; pthread_cleanup_push(clean, &x); for (int i = 0; i < 2; i++) sum += f(i); g(2); pthread_cleanup_pop(0); return 0; }
int main() { start(a); void *r; pthread_join(a_, &r); assert(r == (void *)7 && sum == 2); }`},
	{"a function ends without a value", "uninitialised value", `
void *a(void *arg) { }
int main() { start(a); void *r; pthread_join(a_, &r); if (r) return 1; }`},
	{"nobody uses the value", "safe", `
void *a(void *arg) { }
int main() { start(a); void *r, *s; pthread_join(a_, &r); s = r; (void)s; }`},
	{"another thread has a value", "safe", `int x;
void *a(void *arg) { if (arg) return (void *)3; }
int main() { pthread_t t, u; void *r, *s; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, a, &x); pthread_join(t, &r); pthread_join(u, &s); assert(s == (void *)3); }`},
	{"this one has none", "uninitialised value", `int x;
void *a(void *arg) { if (arg) return (void *)3; }
int main() { pthread_t t, u; void *r, *s; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, a, &x); pthread_join(t, &r); pthread_join(u, &s); assert(r == (void *)3); }`},
	{"bits of a result", "safe", `
void *a(void *arg) { unsigned char c; return (void *)(long)(c | 0x100); }
int main() { start(a); void *r; pthread_join(a_, &r); assert((long)r & 0x100); }`},
	{"pthread_exit with an undefined value", "uninitialised value", `
void *a(void *arg) { long x; pthread_exit((void *)x); }
int main() { start(a); void *r; pthread_join(a_, &r); assert(!r || r); assert((long)r != 5); }`},
}

// TestThreadEnds: automatic variables end with their thread, and its result may be undefined.
func TestThreadEnds(t *testing.T) {
	for _, c := range threadEnds {
		opt := query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.SC, query.TSO, query.PSO, query.C11}}
		opt.Timeout, opt.Workers = 0, 1
		ans, err := check.Run(context.Background(), query.Input{Name: "p.c", Text: []byte(c11Head + c.text)}, opt)
		if err != nil || len(ans.Results) != 4 {
			t.Errorf("%s: %v %+v", c.name, err, ans.Diagnostics)
			continue
		}
		for _, r := range ans.Results {
			if got := r.Verdict.String(); c.want == "safe" && got != "safe" || c.want != "safe" && (got != "unsafe" || !strings.HasPrefix(r.Reason, c.want)) {
				t.Errorf("%s under %s: %s: %s, want %s", c.name, r.Model, got, r.Reason, c.want)
			}
		}
	}
}
