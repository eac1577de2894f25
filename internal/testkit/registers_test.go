package testkit_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var registerPrograms = flag.Int("fp.registers", 60, "how many programs TestVariablesWithAddresses takes")

// TestVariablesWithAddresses: programs whose automatic and thread-local variables have their addresses taken end with the
// same values in shared memory, and fail the same assertions, with all passes and with those alone that programs need.
func TestVariablesWithAddresses(t *testing.T) {
	decided, became, failing := 0, 0, 0
	for seed := range uint64(*registerPrograms) {
		text := addressedLocals(rand.New(rand.NewPCG(seed, 7)))
		u := parseC(t, text)
		model := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
		var want, got []string
		for _, plain := range []bool{true, false} {
			flat, err := transform.Run(u.Program, transform.Options{Unroll: 3, Plain: plain}, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := testkit.Ask(testkit.Explicit, flat, u.Props, model, testkit.How{Work: 250 * budget.Millisecond})
			if errors.Is(err, testkit.ErrTooBig) {
				want, got = nil, nil
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if plain {
				want = sharedEnds(a)
				continue
			}
			got = sharedEnds(a)
			failing += min(1, len(a.Checks))
			if slices.ContainsFunc(flat.Objects, func(o ir.Object) bool { return o.Size == 0 }) {
				became++
			}
		}
		if want == nil {
			continue
		}
		decided++
		if !slices.Equal(want, got) {
			t.Fatalf("seed %d under %v: with the needed passes %q, with all %q\n%s", seed, model, want, got, text)
		}
	}
	if decided < *registerPrograms/3 || became < decided/2 || failing == 0 || failing == decided {
		t.Errorf("%d programs: %d decided, in %d variables became registers, %d fail", *registerPrograms, decided, became, failing)
	}
	t.Logf("%d programs: %d decided, in %d variables became registers, %d fail", *registerPrograms, decided, became, failing)
}

// parseC reads a program.
func parseC(t *testing.T, text string) *c.Unit {
	t.Helper()
	u, diags := c.Parse([]*source.File{source.NewFile("prog.c", []byte(text))}, testkit.ZeroedC())
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", testkit.Messages(diags), text)
	}
	return u
}

// sharedEnds returns the values of the variables x, y and out in final states, and the lines of the assertions that fail.
func sharedEnds(a testkit.Answers) []string {
	found := map[string]bool{}
	for _, state := range a.Finals {
		var kept []string
		for _, f := range strings.Fields(state) {
			if name, _, _ := strings.Cut(f, "="); name == "x" || name == "y" || strings.HasPrefix(name, "out") {
				kept = append(kept, f)
			}
		}
		slices.Sort(kept)
		found[strings.Join(kept, " ")] = true
	}
	out := []string{fmt.Sprint("checks ", len(a.Checks) > 0)}
	for s := range found {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// addressedLocals returns a program of two threads with automatic and thread-local variables whose addresses go to functions.
func addressedLocals(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct pair { signed char c; int i; };
atomic_int x, y;
int out[2];
static _Thread_local int own = 3;
static int get(int *p) { return *p; }
static void set(int *p, int v) { *p = v; }
static void bump(signed char *p, int by) { *p += by; }
static void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
static int *where(int which) { return which ? &own : &own; }
static int sum(struct pair *p) { return p->c + p->i; }
static _Bool cas(atomic_int *at, int *old, int v) { return atomic_compare_exchange_strong(at, old, v); }
`)
	for thread := range 2 {
		fmt.Fprintf(&b, "static void *work%d(void *arg) {\n  int a = %d, b = 1;\n  signed char c = 120;\n  struct pair s = {1, 2};\n  unsigned short w = 65535;\n", thread, r.IntN(3))
		for range 2 + r.IntN(3) {
			shared := []string{"x", "y"}[r.IntN(2)]
			n := r.IntN(4)
			b.WriteString("  " + []string{
				fmt.Sprintf("set(&a, atomic_load(&%s) + %d);", shared, n),
				fmt.Sprintf("atomic_store_explicit(&%s, get(&a), memory_order_release);", shared),
				fmt.Sprintf("if (!cas(&%s, &b, a + %d)) set(&a, b);", shared, n),
				fmt.Sprintf("while (!cas(&%s, &b, b + 1));", shared),
				"swap(&a, &b);",
				fmt.Sprintf("bump(&c, %d); set(&a, c);", 7*n),
				fmt.Sprintf("s.c = get(&b); s.i = %d; set(&b, sum(&s));", n),
				"bump(&s.c, a); set(&a, sum(&s));",
				fmt.Sprintf("set(where(%d), get(&a)); set(&b, own);", n),
				"*where(a) += 1; set(&a, own);",
				fmt.Sprintf("for (int i = 0; i < 2; i++) { int z; set(&z, a); swap(&z, &b); a = z + %d; }", n),
				fmt.Sprintf("{ unsigned short *p = &w; *p += %d; set(&a, w); }", n),
				fmt.Sprintf("{ int *p = a ? &a : &b; *p = %d; }", n),
				fmt.Sprintf("assert(get(&a) != %d);", 2+n),
				fmt.Sprintf("{ int *p = &a; *(char *)p = %d; }", n),
			}[r.IntN(15)] + "\n")
		}
		fmt.Fprintf(&b, "  out[%d] = a * 1000 + b * 10 + c + w;\n  return 0;\n}\n", thread)
	}
	b.WriteString("int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work1, 0);\n  work0(0);\n  pthread_join(t, 0);\n}\n")
	return b.String()
}

// TestCallsLeaveNothing: what calls leave in automatic variables whose addresses they took does not multiply states. Each
// of k calls leaves one of two values, and the states grow with k, not with 2^k.
func TestCallsLeaveNothing(t *testing.T) {
	states := func(calls int) int64 {
		text := `#include <pthread.h>
#include <stdatomic.h>
atomic_int lock;
static int cas(int *old) { return atomic_compare_exchange_strong(&lock, old, 1); }
static int try(void) { int free = 0; return cas(&free); }
static void *work(void *arg) { for (;;) if (try()) atomic_store(&lock, 0); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
` + strings.Repeat("  if (try()) atomic_store(&lock, 0);\n", calls) + "}\n"
		u := parseC(t, text)
		flat, err := transform.Run(u.Program, transform.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := testkit.Ask(testkit.Explicit, flat, u.Props, memory.SC, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		return a.States
	}
	var counts []int64
	for calls := 1; calls <= 7; calls++ {
		counts = append(counts, states(calls))
	}
	for k := 3; k < len(counts); k++ {
		if more, before := counts[k]-counts[k-1], counts[k-1]-counts[k-2]; more != before {
			t.Errorf("states by calls: %d: call %d adds %d, the one before %d", counts, k+1, more, before)
		}
	}
	t.Logf("states by calls: %d", counts)
}
