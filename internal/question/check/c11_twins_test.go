package check_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

var c11Twins = flag.Int("fp.c11twins", 60, "random C programs under c11 that are compared with twins")

// twinHead begins a program. A weak compare-exchange fails without a reason where the program chooses that in the twin, which
// no pass takes for a weak one. There, once is a flag and a lock, and thread-locals are elements of an array.
const twinHead = c11Head + `
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
atomic_int x, y; int d, r0, r1;
#ifdef TWIN
static int cas(atomic_int *p, int *e, int v, memory_order ok, memory_order no) {
  int old = *e;
  if (__VERIFIER_nondet_bool()) {
    __VERIFIER_assume(atomic_load_explicit(p, no) == old);
    return 0;
  }
  return atomic_compare_exchange_strong_explicit(p, e, v, ok, no);
}
#define CAS(e, v, ok, no) (no == acq ? cas(&x, &e, v, ok, acq) : no == rlx ? cas(&x, &e, v, ok, rlx) : cas(&x, &e, v, ok, memory_order_seq_cst))
static int attempt(atomic_int *p, int *e) { return cas(p, e, *e + 1, acq, rlx); }
int local[2];
#define LOCAL(t) local[t]
pthread_mutex_t guard; atomic_int done;
static void call_once_(void (*f)(void)) {
  if (get(done, acq)) return;
  pthread_mutex_lock(&guard);
  if (!get(done, rlx)) { f(); set(done, 1, rel); }
  pthread_mutex_unlock(&guard);
}
#define ONCE(f) call_once_(f)
#else
#define CAS(e, v, ok, no) atomic_compare_exchange_weak_explicit(&x, &e, v, ok, no)
static int attempt(atomic_int *p, int *e) { return atomic_compare_exchange_weak_explicit(p, e, *e + 1, acq, rlx); }
_Thread_local int local;
#define LOCAL(t) local
pthread_once_t control = PTHREAD_ONCE_INIT;
#define ONCE(f) pthread_once(&control, f)
#endif
`

// twinProgram returns a random program, without its beginning.
func twinProgram(seed uint64) string {
	g := rand.New(rand.NewPCG(seed, 47))
	pick := func(words ...string) string { return words[g.IntN(len(words))] }
	load, store := func() string { return pick("rlx", "acq", "memory_order_seq_cst") }, func() string { return pick("rlx", "rel", "memory_order_seq_cst") }
	plain := g.IntN(2) == 0
	var b strings.Builder
	fmt.Fprintf(&b, "static void first(void) { %s }\n", pick("d = 1;", "set(y, 1, rlx);", ""))
	for t := range 2 {
		fmt.Fprintf(&b, "void *t%d(void *a) {\n  int e = 0, n = 0, k = 0;\n", t)
		loops := 0
		for range 2 + g.IntN(2) {
			switch k := g.IntN(12); {
			case k < 5 && loops == 0:
				loops++
				b.WriteString(retryLoop(g, load(), plain))
			case k < 7:
				fmt.Fprintf(&b, "  set(y, %d, %s);\n", 1+t, store())
			case k < 8 && plain:
				b.WriteString("  d = 2;\n")
			case k < 9:
				b.WriteString("  ONCE(first);\n")
			case k < 10:
				fmt.Fprintf(&b, "  LOCAL(%d) += 1; n += LOCAL(%d);\n", t, t)
			case k < 11:
				fmt.Fprintf(&b, "  if (get(y, %s)) %s\n", load(), pick("n += 2;", "n += d;"))
			default:
				fmt.Fprintf(&b, "  n += 4 * get(%s, %s);\n", pick("x", "y"), load())
			}
		}
		fmt.Fprintf(&b, "  r%d = n + 16 * k;\n  return 0;\n}\n", t)
	}
	b.WriteString("int main() { start(t0); start(t1); wait(t0); wait(t1); " + pick("", "assert(r0 < 16);", "assert(get(x, rlx) < 2);") + " }\n")
	return b.String()
}

// retryLoop returns a loop around a weak compare-exchange: most of them only try again.
func retryLoop(g *rand.Rand, order string, plain bool) string {
	pick := func(words ...string) string { return words[g.IntN(len(words))] }
	reads := []string{"", "", "n = get(y, rlx);", "n = get(y, acq);", "k++;", "k = 1;", "if (k++) break;", "e = get(x, rlx);", "if (b) break;", "e = 0;"}
	if plain {
		reads = append(reads, "n = d;", "n = d;", "d = 3;", "(void)*(volatile int *)&d;")
	}
	body := pick(reads...)
	before := ""
	if body == "if (b) break;" {
		before = fmt.Sprintf("  int b = get(y, %s);\n", order)
	}
	cas := fmt.Sprintf("CAS(e, e + 1, %s, %s)", pick("rlx", "acq", "rel", "memory_order_acq_rel", "memory_order_seq_cst"), pick("rlx", "acq", "memory_order_seq_cst"))
	switch g.IntN(5) {
	case 0:
		return before + fmt.Sprintf("  e = get(x, %s); while (!%s) { %s }\n", order, cas, body)
	case 1:
		return before + fmt.Sprintf("  do { %s e = get(x, %s); } while (!%s);\n", strings.ReplaceAll(body, "if (k++) break;", ""), order, cas)
	case 2:
		return before + fmt.Sprintf("  for (;;) { e = get(x, %s); %s if (%s) break; }\n", order, body, cas)
	case 3: // what is expected stays in memory, since a function gets its address
		return before + fmt.Sprintf("  int f = get(x, %s); while (!attempt(&x, &f)) { %s }\n", order, strings.ReplaceAll(body, "e =", "f ="))
	}
	return before + fmt.Sprintf("  while (!%s) { %s }\n", cas, body)
}

// TestC11Twins: programs with loops around weak compare-exchanges, once and thread-locals end in the states, and fail in the
// ways, in which their twins do.
func TestC11Twins(t *testing.T) {
	compared, unsafe, cut := 0, 0, 0
	for seed := range uint64(*c11Twins) {
		text := twinProgram(seed)
		program, twin := twinAnswer(t, twinHead+text), twinAnswer(t, "#define TWIN\n"+twinHead+text)
		if program == nil || twin == nil {
			cut++
			continue
		}
		compared++
		if program.Verdict == verdict.Unsafe {
			unsafe++
		}
		if a, b := endsOf(program), endsOf(twin); !slices.Equal(a, b) {
			t.Errorf("seed %d: %q, and the twin %q\n%s", seed, a, b, text)
		}
	}
	t.Logf("%d programs compared, %d unsafe, %d too large", compared, unsafe, cut)
}

// twinAnswer returns the answer to a program, nil if there are too many executions.
func twinAnswer(t *testing.T, text string) *verdict.Result {
	opt := query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.C11}, Finals: true, KeepGoing: true}
	opt.Timeout, opt.Workers, opt.Unroll = 0, 1, 3
	opt.Endless.Liveness = query.LivenessOff
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt.Progress = func(p query.Progress) {
		if p.Executions > 20000 {
			cancel()
		}
	}
	ans, err := check.Run(ctx, query.Input{Name: "p.c", Text: []byte(text)}, opt)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil || len(ans.Results) != 1 {
		t.Fatalf("%v %v\n%s", err, ans.Diagnostics, text)
	}
	return &ans.Results[0]
}

// endsOf returns the final states, as far as both twins have the variables, and the ways to fail.
func endsOf(r *verdict.Result) []string {
	var out []string
	for _, s := range r.FinalStates {
		out = append(out, strings.Join(slices.DeleteFunc(strings.Fields(s), func(v string) bool {
			return !slices.Contains([]string{"x", "y", "d", "r0", "r1"}, strings.Split(v, "=")[0])
		}), " "))
	}
	for _, e := range r.Executions() {
		if e.Verdict == verdict.Unsafe {
			out = append(out, string(e.Question))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
