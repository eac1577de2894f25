package prove_test

import (
	"errors"
	"strings"
	"testing"

	"fencepost/internal/question/prove"
	"fencepost/internal/solver/smt"
	"fencepost/query"
	"fencepost/verdict"
)

const (
	// messages passes a message from any number of senders to any number of receivers.
	messages = `var x, y;
thread send * n { y = 42; x = 1; }
thread recv * n { reg r; await x == 1; r = y; assert r == 42; }
`
	// unordered publishes before it writes: the stores are atomic, the assertion fails.
	unordered = `var x, y;
thread send * n { x = 1; y = 42; }
thread recv * n { reg r; await x == 1; r = y; assert r == 42; }
`
	// buffering lets each load overtake the store before it.
	buffering = `var x, y;
thread a { reg r; x = 1; r = y; assert r < 2; }
thread b { reg s; y = 1; s = x; assert s < 2; }
`
	// broken fails under TSO and not under SC.
	broken = `var x, y, p;
thread a * n { reg r; x = 1; r = y; if (r == 0) { p = 1; } }
thread b * n { reg r; y = 1; r = x; if (r == 0) { r = p; assert r == 0; } }
`
	// abstracted is proved with a load that may read more than it does.
	abstracted = `var x, y;
thread foo { reg r2; x = 1; r2 = y; assert r2 < 2; }
thread bar { reg r1; do { r1 = x; y = 1; } while (r1 == 0); }
`
	counting = `var x;
thread t * n { reg r; r = x; x = r + 1; }
`
	wrapping = `#include <assert.h>
#include <pthread.h>
unsigned long b = 1;
void *w(void *p) {
  unsigned long c = __sync_fetch_and_add(&b, 1);
  assert(c >= 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, w, 0);
}
`
)

func ask(t *testing.T, name, text string, change func(*query.ProveOptions)) query.Answer {
	t.Helper()
	if !smt.Available() {
		t.Skipf("notice: %v", smt.ErrMissing)
	}
	opt := query.ProveOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	if change != nil {
		change(&opt)
	}
	a, err := prove.Run(t.Context(), query.Input{Name: name, Text: []byte(text)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func proof(t *testing.T, name, text string, change func(*query.ProveOptions)) *verdict.Result {
	t.Helper()
	a := ask(t, name, text, change)
	if a.HasErrors() || len(a.Results) != 1 || a.Results[0].Proof == nil {
		t.Fatalf("%+v", a)
	}
	r := &a.Results[0]
	if r.Question != verdict.ValueRobustness || r.Model != "tso" || r.Asked == nil || r.Asked.Command != prove.Command {
		t.Errorf("question %s, model %s, asked %+v", r.Question, r.Model, r.Asked)
	}
	if r.Coverage.Exhaustive != (r.Verdict != verdict.Unknown) {
		t.Errorf("%s covers %+v", r.Verdict, r.Coverage)
	}
	return r
}

// bySearch returns the report about the program's own checks under SC, nil if none was made.
func bySearch(r *verdict.Result) *verdict.EngineReport {
	for i := range r.Engines {
		if r.Engines[i].Model == "sc" {
			return &r.Engines[i]
		}
	}
	return nil
}

// TestProofForAnyNumber: with templates the proof is about any number of threads, checks are proved
// by induction, and no search is made.
func TestProofForAnyNumber(t *testing.T) {
	r := proof(t, "mp.fp", messages, nil)
	if r.Verdict != verdict.ValueRobust || r.Reason != "" || r.Coverage.Threads != verdict.AnyThreads {
		t.Fatalf("%s %q, %+v", r.Verdict, r.Reason, r.Coverage)
	}
	if bySearch(r) != nil {
		t.Errorf("a search of any number of threads: %+v", r.Engines)
	}
	if len(r.Proof.Stores) != 2 || len(r.Proof.Checks) != 1 {
		t.Fatalf("%d stores, %d checks", len(r.Proof.Stores), len(r.Proof.Checks))
	}
	for _, s := range r.Proof.Stores {
		if s.By != verdict.ByFlow || s.Text != "y = 42" && s.Text != "x = 1" {
			t.Errorf("the store %q is atomic by %q", s.Text, s.By)
		}
	}
	if c := r.Proof.Checks[0]; !c.Proved || c.By != "" || c.Text == "" {
		t.Errorf("the check %+v", c)
	}
}

// TestChecksUnderSC: with a fixed number of threads a search under SC answers the program's own checks,
// and its answer counts under TSO because of the proof.
func TestChecksUnderSC(t *testing.T) {
	one := func(o *query.ProveOptions) { o.Threads = 1 }
	r := proof(t, "mp.fp", messages, one)
	if s := bySearch(r); r.Verdict != verdict.ValueRobust || r.Coverage.Threads == verdict.AnyThreads || s == nil || s.Verdict != verdict.Safe || s.Engine != "explicit" {
		t.Errorf("%s, %+v, engines %+v", r.Verdict, r.Coverage, r.Engines)
	}
	if c := r.Proof.Checks[0]; !c.Proved || c.By != "explicit" || c.State != nil {
		t.Errorf("the check %+v", c)
	}

	// What holds under SC and is not shown for TSO is searched under TSO.
	r = proof(t, "sb.fp", buffering, func(o *query.ProveOptions) { o.NoAbstraction = true })
	if r.Verdict != verdict.Unknown || len(r.Proof.Checks) != 2 || r.Proof.Open() != 0 || r.Proof.Checks[0].By != "explicit" {
		t.Errorf("%s %q, checks %+v", r.Verdict, r.Reason, r.Proof.Checks)
	}
}

// TestRefuted: an execution of a small instance that violates a check is the answer.
func TestRefuted(t *testing.T) {
	fixed := func(o *query.ProveOptions) { o.Threads = 1 }
	for _, c := range []struct {
		why, text string
		change    func(*query.ProveOptions)
		instance  int
	}{
		{"one thread of each", unordered, nil, 1},
		{"under TSO only", broken, nil, 1},
		{"fixed threads", unordered, fixed, 0},
		{"two threads of one template", "var x;\nthread t * n { reg r; r = x; x = 1; assert r == 0; }\n", nil, 2},
		{"a goal with two threads", "var x;\nthread t * n {\n x = 1;\n L: x = 2;\n}\ngoal \"two\" t[0]:L, t[1]:L;\n", nil, 2},
	} {
		a := ask(t, "refuted.fp", c.text, c.change)
		if a.HasErrors() || len(a.Results) != 1 {
			t.Errorf("%s: %+v", c.why, a.Diagnostics)
			continue
		}
		r := &a.Results[0]
		if r.Verdict != verdict.Unsafe || r.Witness == nil || r.Instance != c.instance || r.Model != "tso" || r.Asked.Command != prove.Command {
			t.Errorf("%s: %s %q with %d threads", c.why, r.Verdict, r.Reason, r.Instance)
		}
	}
}

// TestUnrefuted: an open check that no small instance violates comes with the instances that were searched.
func TestUnrefuted(t *testing.T) {
	text := "var x;\nthread t * n { atomic { if (x < 9) { x = x + 1; } } assert x < 9; }\n"
	r := proof(t, "nine.fp", text, nil)
	if c := r.Proof.Checks[0]; c.Proved || len(c.State) == 0 || r.Proof.Instances != 3 || !strings.Contains(r.Reason, "1 of 1 checks") {
		t.Errorf("%s %q, instances %d, the check %+v", r.Verdict, r.Reason, r.Proof.Instances, c)
	}
}

// TestBoundedSearchProvesNothing: a search that met a bound leaves the checks open.
func TestBoundedSearchProvesNothing(t *testing.T) {
	text := `var x;
thread p { reg r; loop { r = x; x = r + 1; assert r >= 0; } }
`
	r := proof(t, "loop.fp", text, func(o *query.ProveOptions) { o.Memory, o.NoInference = 24<<20, true })
	if s := bySearch(r); s == nil || s.Verdict != verdict.Unknown || s.Reason == "" {
		t.Errorf("engines %+v", r.Engines)
	}
	if r.Proof.Open() != 1 || !strings.Contains(r.Reason, "1 of 1 checks") {
		t.Errorf("%d checks are open: %q", r.Proof.Open(), r.Reason)
	}
	// Where the search knows nothing, induction is tried once more, with all invariants that can be found.
	forever := "var x, y, z;\nthread send { y = 42; x = 1; }\nthread recv { reg r; await x == 1; r = y; assert r == 42; }\n" +
		"thread other { reg c; loop { c = z; z = c + 1; } }\n"
	r = proof(t, "forever.fp", forever, func(o *query.ProveOptions) { o.Memory = 24 << 20 })
	if s := bySearch(r); s == nil || s.Verdict != verdict.Unknown {
		t.Errorf("engines %+v", r.Engines)
	}
	if c := r.Proof.Checks[0]; !c.Proved || c.By != "" || r.Reason != "" {
		t.Errorf("the check %+v, %q", c, r.Reason)
	}

	// Inputs have all values here.
	input := "#include <assert.h>\nlong __VERIFIER_nondet_long(void);\nlong x;\nint main(void) { x = __VERIFIER_nondet_long(); assert(x != 5); }\n"
	r = proof(t, "input.c", input, nil)
	if s := bySearch(r); s == nil || s.Verdict != verdict.Unknown || !strings.Contains(s.Reason, "cannot be listed") || r.Proof.Open() != 1 {
		t.Errorf("engines %+v", r.Engines)
	}
}

// TestNoProof: stores that loads overtake are not shown to be atomic, and every instruction in the way has
// its text.
func TestNoProof(t *testing.T) {
	r := proof(t, "sb.fp", buffering, func(o *query.ProveOptions) { o.NoAbstraction = true })
	if r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "2 stores are not shown to be atomic") {
		t.Fatalf("%s %q", r.Verdict, r.Reason)
	}
	if bySearch(r) != nil {
		t.Errorf("without a proof a search under SC answers: %+v", r.Engines)
	}
	for _, s := range r.Proof.Stores {
		if s.By != "" || len(s.Blocks) == 0 || len(s.Loads) != 1 || len(s.Loads[0].Blocks) == 0 {
			t.Fatalf("the store %+v", s)
		}
		for _, text := range []string{s.Text, s.Blocks[0].Text, s.Loads[0].Text, s.Loads[0].Blocks[0].Text} {
			if !strings.Contains(text, " = ") {
				t.Errorf("an instruction has the text %q", text)
			}
		}
	}
}

// TestNoProofSaysNothingOfDeadlock: without a proof there is no answer that deadlock could be part of.
func TestNoProofSaysNothingOfDeadlock(t *testing.T) {
	text := `#include <pthread.h>
int x, y, r1, r2;
void *a(void *p) { x = 1; r1 = y; return 0; }
void *b(void *p) { y = 1; r2 = x; return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, b, 0);
}
`
	r := proof(t, "sb.c", text, func(o *query.ProveOptions) { o.NoAbstraction, o.Arithmetic = true, query.Integers })
	if r.Verdict != verdict.Unknown || len(r.Warnings) > 0 {
		t.Errorf("%s %q, warnings %+v", r.Verdict, r.Reason, r.Warnings)
	}
}

// TestAbstraction: a load is abstracted unless the user says no. What holds is then said of the
// abstracted program.
func TestAbstraction(t *testing.T) {
	r := proof(t, "fig6.fp", abstracted, nil)
	if r.Verdict != verdict.Abstracted || len(r.Proof.Abstractions) != 1 {
		t.Fatalf("%s %q, abstractions %+v", r.Verdict, r.Reason, r.Proof.Abstractions)
	}
	if a := r.Proof.Abstractions[0]; !a.Sound || !a.Found || !strings.Contains(a.Text, " = ") {
		t.Errorf("the abstraction %+v", a)
	}
	if s := bySearch(r); s == nil || s.Verdict != verdict.Safe || r.Proof.Open() != 0 {
		t.Errorf("engines %+v, checks %+v", r.Engines, r.Proof.Checks)
	}
	r = proof(t, "fig6.fp", abstracted, func(o *query.ProveOptions) { o.NoAbstraction = true })
	if r.Verdict != verdict.Unknown || len(r.Proof.Abstractions) != 0 {
		t.Errorf("%s, abstractions %+v", r.Verdict, r.Proof.Abstractions)
	}
}

// TestArithmetic: C has exact numbers and .fp integers, where bits do not matter, unless the user says
// otherwise.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		name, text string
		how        query.Arithmetic
		arithmetic string
		proved     bool
		most       int64 // threads
	}{
		{"count.fp", counting, "", verdict.ProofIntegers, true, 0},
		{"count.fp", counting, query.BitVectors, verdict.ProofExact, true, 0},
		{"wrap.c", wrapping, "", verdict.ProofExact, true, 1<<62 - 1}, // with 2^64 threads it wraps around
		{"wrap.c", wrapping, query.Integers, verdict.ProofIntegers, true, 0},
	} {
		r := proof(t, c.name, c.text, func(o *query.ProveOptions) {
			o.Arithmetic = c.how
			if strings.HasSuffix(c.name, ".c") {
				o.Replicate = "w"
			}
		})
		if r.Verdict != verdict.ValueRobust || r.Proof.Arithmetic != c.arithmetic || (r.Proof.Open() == 0) != c.proved || r.Proof.MaxThreads != c.most {
			t.Errorf("%s with %q: %s, %s, %d checks open, %d threads", c.name, c.how, r.Verdict, r.Proof.Arithmetic, r.Proof.Open(), r.Proof.MaxThreads)
		}
	}
}

// TestReplicate: a function of C stands for any number of threads, by option or annotation, or is
// started a number of times. Deadlock is then not part of the answer, which says so.
func TestReplicate(t *testing.T) {
	name := func(o *query.ProveOptions) { o.Replicate = "w" }
	annotated := strings.Replace(wrapping, "void *w", "//@ replicate\nvoid *w", 1)
	for why, r := range map[string]*verdict.Result{
		"option":     proof(t, "wrap.c", wrapping, name),
		"annotation": proof(t, "wrap.c", annotated, nil),
	} {
		if r.Coverage.Threads != verdict.AnyThreads || len(r.Engines) > 0 {
			t.Errorf("%s: %+v, engines %+v", why, r.Coverage, r.Engines)
		}
		if len(r.Warnings) == 0 || r.Warnings[len(r.Warnings)-1].Code != "FP0914" {
			t.Errorf("%s: warnings %+v", why, r.Warnings)
		}
	}
	r := proof(t, "wrap.c", annotated, func(o *query.ProveOptions) { o.Instances = 2 })
	if s := bySearch(r); r.Coverage.Threads != "" || s == nil || s.Verdict != verdict.Safe {
		t.Errorf("two instances: %+v, engines %+v", r.Coverage, r.Engines)
	}
	a := ask(t, "wrap.c", wrapping, func(o *query.ProveOptions) { o.Replicate = "v" })
	if !a.HasErrors() || a.Diagnostics[len(a.Diagnostics)-1].Code != "FP0911" {
		t.Errorf("no such function: %+v", a.Diagnostics)
	}
}

// TestInvariants: invariants that are given are read, and one that does not hold spoils the proof.
func TestInvariants(t *testing.T) {
	r := proof(t, "wrong.fp", "var x, y;\nthread t { reg r;\n  x = 1;\n  invariant x == 2;\n  r = y;\n}\n", nil)
	if r.Verdict != verdict.Unknown || len(r.Proof.Invariants) == 0 || r.Proof.Invariants[0].Fails == "" || r.Proof.Invariants[0].Cond != "x == 2" {
		t.Errorf("%s %q, %d invariants", r.Verdict, r.Reason, len(r.Proof.Invariants))
	}
	c := "#include <pthread.h>\nint x;\nint main(void) {\n  x = 1;\n  //@ invariant x == 1\n  return x;\n}\n"
	r = proof(t, "right.c", c, nil)
	if r.Verdict != verdict.ValueRobust || len(r.Proof.Invariants) == 0 || r.Proof.Invariants[0].Fails != "" || r.Proof.Invariants[0].Cond != "x == 1" {
		t.Errorf("%s %q, %d invariants", r.Verdict, r.Reason, len(r.Proof.Invariants))
	}
}

// TestRefused: what proofs do not cover is refused, with a position.
func TestRefused(t *testing.T) {
	heap := "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; *(char *)p = 2; return 0; }\n"
	self := "#include <pthread.h>\nvoid *w(void *p) { return pthread_equal(pthread_self(), 0) ? p : 0; }\n" +
		"int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); }\n"
	deep := "int x;\nvoid f(void) { x = 1; if (x) f(); }\nint main(void) { f(); }\n"
	mixed := "var word w;\nthread a { w.byte[0] = 1; w = 2; }\n"
	for name, a := range map[string]query.Answer{
		"heap.c":   ask(t, "heap.c", heap, nil),
		"self.c":   ask(t, "self.c", self, func(o *query.ProveOptions) { o.Replicate = "w" }),
		"deep.c":   ask(t, "deep.c", deep, nil),
		"mixed.fp": ask(t, "mixed.fp", mixed, func(o *query.ProveOptions) { o.Arithmetic = query.Integers }),
	} {
		if !a.HasErrors() || len(a.Results) > 0 {
			t.Errorf("%s: %+v", name, a)
			continue
		}
		d := a.Diagnostics[len(a.Diagnostics)-1]
		if d.Code != "FP0907" || d.Pos.File != name || d.Pos.Line != 2 {
			t.Errorf("%s: %s at %+v: %s", name, d.Code, d.Pos, d.Message)
		}
	}
}

// TestWrongArithmetic: an option with a value that it cannot have is an error before anything is read.
func TestWrongArithmetic(t *testing.T) {
	opt := query.ProveOptions{Options: query.Defaults()}
	opt.Arithmetic = "real"
	_, err := prove.Run(t.Context(), query.Input{Name: "no.fp", Text: []byte("no program")}, opt)
	if wrong := (*query.OptionError)(nil); !errors.As(err, &wrong) || wrong.Option != "arithmetic" || wrong.Value != "real" {
		t.Errorf("%v", err)
	}
}

// TestNoSolver: without a solver the question is refused, and the message says how to get one.
func TestNoSolver(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	a, err := prove.Run(t.Context(), query.Input{Name: "mp.fp", Text: []byte(messages)}, query.ProveOptions{Options: query.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	if !a.HasErrors() || a.Diagnostics[0].Code != "FP0930" || !strings.Contains(a.Diagnostics[0].Message, "z3") {
		t.Errorf("%+v", a)
	}
}
