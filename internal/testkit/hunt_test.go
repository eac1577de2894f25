package testkit_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/frontend/c"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	huntPrograms = flag.Int("fp.hunt", 8, "random C programs asked of all engines and the enumerator")
	huntSeed     = flag.Uint64("fp.huntseed", 1, "seed of the first of them")
)

// Random C programs with features for which answers have been wrong: atomic sections with
// assertions and waits inside, all library calls that block, members of structures and
// unions, heap blocks, accesses of different sizes, and loops that store more often than
// the default bound on buffers.

// huntProgram is a program that is being generated.
type huntProgram struct {
	r       *rand.Rand
	out     strings.Builder
	focus   string
	section bool // inside an atomic section
	depth   int
}

// huntFocus has the features that programs can have most of. Consecutive seeds use them in
// turn.
var huntFocus = []string{"section", "library", "memory", "loop", "size"}

const huntHead = `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
int x, y;
atomic_int f, g;
union { int word; short half[2]; unsigned char byte[4]; } u;
struct { int a; char c; long l; } s;
int arr[3];
struct node { int v; struct node *next; } *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_spinlock_t spin;
sem_t sem;
void first(void) { x = 1; }
`

func newHunt(seed uint64) *huntProgram {
	h := &huntProgram{r: rand.New(rand.NewPCG(seed, 0xc0de)), focus: huntFocus[seed%uint64(len(huntFocus))]}
	h.out.WriteString(huntHead)
	// Half of the programs are store buffering with a statement in between.
	buffering, lvalues := h.r.IntN(2) == 0, []string{"x", "y"}
	if h.focus == "size" {
		lvalues[0] = h.pick("u.word", "u.half[0]", "u.byte[1]")
	}
	for i, name := range []string{"p", "q"} {
		fmt.Fprintf(&h.out, "void *%s(void *arg) {\n  int r0 = 0, r1 = 0;\n", name)
		if buffering {
			h.line("%s = 1;", lvalues[i])
			h.statement()
			h.line("r0 = %s;", lvalues[1-i])
			h.out.WriteString("  return (void *)(long)r0;\n}\n")
			continue
		}
		for range 2 + h.r.IntN(3) {
			h.statement()
		}
		fmt.Fprintf(&h.out, "  return (void *)(long)%s;\n}\n", h.pick("0", "r0", "r1"))
	}
	h.out.WriteString("int main(void) {\n  pthread_t a, b;\n  int r0 = 0, r1 = 0;\n  void *va, *vb;\n")
	fmt.Fprintf(&h.out, "  pthread_spin_init(&spin, 0);\n  sem_init(&sem, 0, %d);\n", h.r.IntN(2))
	h.out.WriteString("  pthread_create(&a, NULL, p, NULL);\n  pthread_create(&b, NULL, q, NULL);\n")
	if h.r.IntN(4) == 0 {
		h.statement()
	}
	h.out.WriteString("  pthread_join(a, &va);\n  pthread_join(b, &vb);\n")
	last := h.assertion()
	if buffering {
		last = "assert(!(r0 == 0 && r1 == 0));"
	}
	fmt.Fprintf(&h.out, "  r0 = (int)(long)va; r1 = (int)(long)vb;\n  %s\n  return 0;\n}\n", last)
	return h
}

func (h *huntProgram) pick(list ...string) string { return list[h.r.IntN(len(list))] }

func (h *huntProgram) line(format string, args ...any) {
	h.out.WriteString(strings.Repeat("  ", h.depth+1))
	fmt.Fprintf(&h.out, format+"\n", args...)
}

// lvalue returns a random lvalue that the threads share.
func (h *huntProgram) lvalue() string {
	plain := []string{"x", "y", "x", "y"}
	switch h.focus {
	case "size":
		plain = append(plain, "u.word", "u.word", "u.half[0]", "u.half[1]", "u.byte[0]", "u.byte[1]", "u.byte[3]")
	case "memory":
		plain = append(plain, "s.a", "s.c", "s.l", "arr[1]", "arr[2]", "u.byte[1]", "u.word")
	}
	return h.pick(plain...)
}

func (h *huntProgram) register() string { return h.pick("r0", "r1") }

// assertion returns a random assertion.
func (h *huntProgram) assertion() string {
	two := func() string { return fmt.Sprintf("%s == %d", h.pick("r0", "r1", "r0", h.lvalue()), h.r.IntN(3)) }
	if h.r.IntN(3) == 0 {
		return fmt.Sprintf("assert(!(%s));", two())
	}
	return fmt.Sprintf("assert(!(%s && %s));", two(), two())
}

// statement writes a random statement, often with the focus of the program.
func (h *huntProgram) statement() {
	if h.depth > 1 {
		h.access()
		return
	}
	k := h.r.IntN(10)
	switch {
	case k < 4:
		h.access()
	case k < 8 && h.focus == "section" && !h.section:
		h.atomic()
	case k < 8 && h.focus == "library":
		h.library()
	case k < 8 && h.focus == "memory":
		h.heap()
	case k < 6 && h.focus == "loop" && !h.section:
		h.loop()
	case k == 8:
		h.line("if (%s == %d) {", h.register(), h.r.IntN(2))
		h.body(1)
		h.line("}")
	case k == 9:
		h.line("%s", h.pick(h.assertion(), h.assertion(), "atomic_thread_fence(memory_order_seq_cst);", "atomic_thread_fence(memory_order_release);"))
	default:
		h.access()
	}
}

func (h *huntProgram) body(n int) {
	h.depth++
	for range n {
		h.statement()
	}
	h.depth--
}

// access writes a load, store or read-modify-write.
func (h *huntProgram) access() {
	order := h.pick("relaxed", "acquire", "seq_cst")
	switch h.r.IntN(8) {
	case 0, 1, 2:
		h.line("%s = %d;", h.lvalue(), 1+h.r.IntN(2))
	case 3, 4, 5:
		h.line("%s = %s;", h.register(), h.lvalue())
	case 6:
		h.line("%s = atomic_load_explicit(&%s, memory_order_%s);", h.register(), h.pick("f", "g"), order)
	case 7:
		h.line("%s", h.pick(
			fmt.Sprintf("atomic_store_explicit(&f, 1, memory_order_%s);", h.pick("relaxed", "release", "seq_cst")),
			"atomic_fetch_add(&g, 1);", fmt.Sprintf("%s = atomic_exchange(&f, 2);", h.register())))
	}
}

// atomic writes an atomic section, often with an assertion, assumption or wait inside.
func (h *huntProgram) atomic() {
	h.section = true
	h.line("__VERIFIER_atomic_begin();")
	h.access()
	switch h.r.IntN(6) {
	case 0:
		h.line("%s", h.assertion())
	case 1:
		h.line("__VERIFIER_assume(%s == %d);", h.register(), h.r.IntN(2))
	case 2:
		h.line("%s", h.pick("sem_wait(&sem);", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "sem_post(&sem);"))
	case 3:
		h.access()
		h.line("%s", h.assertion())
	}
	h.line("__VERIFIER_atomic_end();")
	h.section = false
}

// library writes calls of functions that block, wake threads or synchronise.
func (h *huntProgram) library() {
	switch h.r.IntN(9) {
	case 0, 1:
		h.line("pthread_mutex_lock(&m);")
		h.body(1)
		h.line("pthread_mutex_unlock(&m);")
	case 2:
		h.line("if (pthread_mutex_trylock(&m) == 0) {")
		h.body(1)
		h.line("  pthread_mutex_unlock(&m);")
		h.line("}")
	case 3:
		h.line("pthread_mutex_lock(&m);")
		h.line("while (!x) pthread_cond_wait(&c, &m);")
		h.line("pthread_mutex_unlock(&m);")
	case 4:
		h.line("pthread_mutex_lock(&m); x = 1; %s(&c); pthread_mutex_unlock(&m);", h.pick("pthread_cond_signal", "pthread_cond_broadcast"))
	case 5:
		h.line("%s", h.pick("sem_wait(&sem);", "sem_post(&sem);", "sem_post(&sem);"))
	case 6:
		h.line("%s(&rw);", h.pick("pthread_rwlock_rdlock", "pthread_rwlock_wrlock"))
		h.access()
		h.line("pthread_rwlock_unlock(&rw);")
	case 7:
		h.line("pthread_once(&once, first);")
	case 8:
		h.line("pthread_spin_lock(&spin);")
		h.access()
		h.line("pthread_spin_unlock(&spin);")
	}
}

// heap writes the allocation, use or free of a block.
func (h *huntProgram) heap() {
	h.line("{")
	switch h.r.IntN(4) {
	case 0:
		h.line("  struct node *n = malloc(sizeof *n); n->v = %d; n->next = 0; head = n;", 1+h.r.IntN(2))
	case 1:
		h.line("  struct node *n = head; if (n) %s = n->v;", h.register())
	case 2:
		h.line("  struct node *n = head; if (n) { n->v = %d; }", 1+h.r.IntN(3))
	case 3:
		h.line("  struct node *n = malloc(sizeof *n); n->v = 1; %s = n->v; free(n);", h.register())
	}
	h.line("}")
}

// loop writes a loop with more stores than the default bound on buffers.
func (h *huntProgram) loop() {
	h.line("for (int i = 1; i <= %d; i++) %s = i;", 9+h.r.IntN(3), h.pick("x", "y"))
}

// TestHunt: every definite answer of an engine about such a program agrees with the
// enumerator, for every model. The portfolio answers definitely where it can. A robust
// program has the same failures and final states under TSO as under SC.
func TestHunt(t *testing.T) {
	n := *huntPrograms
	if testing.Short() {
		n = min(n, 30)
	}
	stats := map[string]int{}
	for seed := *huntSeed; seed < *huntSeed+uint64(n); seed++ {
		h := newHunt(seed)
		text := h.out.String()
		if wrong := hunt(text, h.focus, stats); wrong != "" {
			t.Fatalf("seed %d: %s\nreproduce: go test ./internal/testkit -run TestHunt -fp.hunt=1 -fp.huntseed=%d\n%s", seed, wrong, seed, text)
		}
	}
	t.Logf("%d programs: %v", n, stats)
	if n >= 8 && (stats["unsafe"] == 0 || stats["safe"] == 0 || stats["robust"] == 0 || stats["not robust"] == 0 || stats["tso differs"] == 0) {
		t.Errorf("the programs are all alike: %v", stats)
	}
}

// hunt returns what is wrong with the answers about a program, or "".
func hunt(text, focus string, stats map[string]int) string {
	unit, diags := c.Parse([]*source.File{source.NewFile("hunt.c", []byte(text))}, c.Options{})
	if diags.HasErrors() {
		return fmt.Sprintf("refused: %v", diags.All[0].Message)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 8}, nil)
	if err != nil {
		return err.Error()
	}
	oracle := map[string]testkit.Answers{}
	for _, m := range testkit.Models {
		a, err := testkit.Oracle(flat, unit.Props, m)
		switch {
		case errors.Is(err, testkit.ErrTooBig):
			stats["too big"]++
			continue
		case err != nil:
			return err.Error()
		}
		oracle[m.String()] = a
		count(stats, a.Found(), "unsafe", "safe")
	}
	sc, tso := oracle["sc"], oracle["tso"]
	if _, both := oracle["tso"]; both && sc.Found() != tso.Found() {
		stats["tso differs"]++
	}
	for _, engine := range []string{"", "explicit", "smc", "bmc", "lazy"} {
		if wrong := askAll(text, engine, focus == "loop", oracle, stats); wrong != "" {
			return wrong
		}
	}
	return robustness(text, oracle, stats)
}

func count(stats map[string]int, is bool, yes, no string) {
	if is {
		stats[yes]++
	} else {
		stats[no]++
	}
}

// askAll asks one engine, or the portfolio, about the program under every model, and
// returns what is wrong with the answers, or "". The portfolio may answer unknown about a
// program with long loops, which can reach the default bound of every engine.
func askAll(text, engine string, long bool, oracle map[string]testkit.Answers, stats map[string]int) string {
	models := []string{}
	for _, m := range testkit.Models {
		if _, ok := oracle[m.String()]; ok && (engine != "lazy" || m.String() == "tso") {
			models = append(models, m.String())
		}
	}
	if len(models) == 0 {
		return ""
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Engines, opt.Timeout, opt.Workers = query.NamedEngines(engine), 0, 1
	if engine == "explicit" {
		opt.Buffer, opt.Finals, opt.KeepGoing = 64, true, true
	}
	if engine == "smc" {
		opt.Progress = func(p query.Progress) {
			if p.Executions > 20000 { // some programs have millions of traces, and unknown is no failure
				cancel()
			}
		}
	}
	if engine == "lazy" {
		opt.Memory = 64 << 20
	}
	answer, err := check.Run(ctx, query.Input{Name: "hunt.c", Text: []byte(text)}, opt.Under(query.NamedModels(models...)...))
	if err != nil {
		return fmt.Sprintf("engine %q: %v", engine, err)
	}
	if answer.HasErrors() {
		if engine == "" || engine == "explicit" {
			return fmt.Sprintf("engine %q refuses: %v", engine, answer.Diagnostics[0].Message)
		}
		stats["refused by "+engine]++
		return ""
	}
	for i := range answer.Results {
		r := &answer.Results[i]
		want := oracle[r.Model]
		switch {
		case r.Verdict == verdict.Unsafe && !want.Found():
			return fmt.Sprintf("engine %q, %s: unsafe (%s), the enumerator finds nothing", engine, r.Model, r.Reason)
		case r.Verdict == verdict.Safe && want.Found():
			return fmt.Sprintf("engine %q, %s: safe, the enumerator finds checks %v, deadlock %v", engine, r.Model, want.Checks, want.Deadlock)
		case r.Verdict == verdict.Unknown && engine == "" && long && strings.HasPrefix(r.Reason, "no violation within:"):
			stats["unknown to the portfolio"]++
		case r.Verdict == verdict.Unknown && (engine == "explicit" || engine == ""):
			return fmt.Sprintf("engine %q, %s: unknown: %s", engine, r.Model, r.Reason)
		case r.Verdict == verdict.Unknown:
			stats["unknown to "+engine]++
		case engine == "explicit" && len(r.FinalStates) != len(want.Finals):
			return fmt.Sprintf("%s: %d final states, the enumerator finds %d", r.Model, len(r.FinalStates), len(want.Finals))
		}
	}
	return ""
}

// robustness returns what is wrong with the answers about robustness, or "". A robust
// program has the same failures and final states under TSO as under SC, a state-robust
// program the same final states.
func robustness(text string, oracle map[string]testkit.Answers, stats map[string]int) string {
	sc, ok1 := oracle["sc"]
	tso, ok2 := oracle["tso"]
	if !ok1 || !ok2 {
		return ""
	}
	for _, criterion := range []query.Criterion{query.CriterionTrace, query.CriterionState} {
		opt := query.RobustOptions{Options: query.Defaults()}
		opt.Timeout, opt.Workers, opt.Criterion, opt.Buffer = 0, 1, criterion, 64
		answer, err := robust.Run(context.Background(), query.Input{Name: "hunt.c", Text: []byte(text)}, opt)
		if err != nil || answer.HasErrors() {
			return fmt.Sprintf("robust, %s: %v %v", criterion, err, answer.Diagnostics)
		}
		equal := slices.Equal(sc.Finals, tso.Finals) && testkit.Subset(tso.Checks, sc.Checks)
		switch r := answer.Results[0]; {
		case r.Verdict == verdict.Safe && !equal:
			return fmt.Sprintf("robust by criterion %s, but final states or failing checks differ: %v against %v", criterion, sc.Finals, tso.Finals)
		case r.Verdict == verdict.Unsafe && criterion == query.CriterionState && equal:
			return "not state-robust, but SC has the same final states and failing checks"
		case r.Verdict == verdict.Unknown:
			stats["unknown: robust "+string(criterion)]++
		case criterion == query.CriterionTrace:
			count(stats, r.Verdict == verdict.Safe, "robust", "not robust")
		}
	}
	return ""
}
