package param

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/engine/param"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// lock keeps its workers apart, however many there are, and is robust.
const lock = `
var lock;
thread worker * n {
  reg got;
  loop {
    do { got = xchg(lock, 1); } while (got == 1);
    cs: skip;
    lock = 0;
  }
}
goal "two inside" worker[0]:cs, worker[1]:cs;
`

// three needs three threads for a cycle of delayed stores.
const three = `
var turn, x, y, z;
thread w * n {
  reg me, r;
  atomic { me = turn; if (me < 3) { turn = me + 1; } }
  if (me == 0) { x = 1; r = y; }
  if (me == 1) { y = 1; r = z; }
  if (me == 2) { z = 1; r = x; }
}
`

// counted fails in the fourth thread.
const counted = `
var c;
thread w * n { reg r; r = fetch_add(c, 1); assert r != 3; }
`

// grows counts without end.
const grows = `
var x, y;
thread w * n { reg r; loop { r = fetch_add(x, 1); r = y; } }
`

const ordered = `
#include <assert.h>
#include <pthread.h>
int turn;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
//@ replicate
void *w(void *arg) {
  assert(turn < 2);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, w, 0);
}
`

func askCheck(t *testing.T, name, text string, change func(*query.CheckOptions)) query.Answer {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}.Under(query.SC)
	opt.Workers = 1
	if change != nil {
		change(&opt)
	}
	a, err := Check(t.Context(), query.Input{Name: name, Text: []byte(text)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func askRobust(t *testing.T, text string, domain *query.Domain) query.Answer {
	t.Helper()
	opt := query.RobustOptions{Options: query.Defaults(), Domain: domain}
	opt.Workers = 1
	a, err := Robust(t.Context(), query.Input{Name: "test.fp", Text: []byte(text)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func only(t *testing.T, a query.Answer) *verdict.Result {
	t.Helper()
	if a.HasErrors() || len(a.Results) != 1 {
		t.Fatalf("%d results, %+v", len(a.Results), a.Diagnostics)
	}
	return &a.Results[0]
}

// TestHoldsForAnyNumber: an answer about all instances says so, with the net it comes from.
func TestHoldsForAnyNumber(t *testing.T) {
	for name, c := range map[string]struct {
		answer   query.Answer
		question verdict.Question
		model    string
	}{
		CheckCommand:  {askCheck(t, "test.fp", lock, nil), "goals", "sc"},
		RobustCommand: {askRobust(t, lock, nil), verdict.Robustness, "tso"},
	} {
		r := only(t, c.answer)
		if r.Verdict != verdict.Safe || !r.Coverage.Exhaustive || len(r.Coverage.Bounds) > 0 || r.Coverage.Threads != verdict.AnyThreads {
			t.Errorf("%s: %s %s, %+v", name, r.Verdict, r.Reason, r.Coverage)
		}
		if r.Engine != "param" || r.Model != c.model || r.Question != c.question || r.Instance != 0 {
			t.Errorf("%s: engine %s, model %s, question %s, instance %d", name, r.Engine, r.Model, r.Question, r.Instance)
		}
		if n := r.Stats.Net; n == nil || n.PetriPlaces == 0 || n.Transitions == 0 {
			t.Errorf("%s: the net %+v", name, n)
		}
		if c.answer.Results[0].Asked == nil || c.answer.Results[0].Asked.Command != name {
			t.Errorf("%s: asked %+v", name, c.answer.Results[0].Asked)
		}
	}
}

// TestNamesMore: one instance is enough for a violation, but another goal names two, so an instance of two is asked even if
// the answer for any number comes first.
func TestNamesMore(t *testing.T) {
	const text = "var x;\nthread w * n { x = 1; cs: skip; }\ngoal \"one\" w[0]:cs;\ngoal \"two\" w[0]:cs, w[1]:cs with x == 2;\n"
	for _, model := range []memory.Model{memory.SC, memory.TSO} {
		in := query.Input{Name: "test.fp", Text: []byte(text)}
		run := pipeline.Open(in)
		run.Asks("", query.Model(model.String()))
		opt := query.CheckOptions{Options: query.Defaults()}
		a, err := run.Answer(t.Context(), CheckCommand, opt, func(ctx context.Context) ([]verdict.Result, error) {
			q := &question{Run: run, question: param.Safety, model: model, common: opt.Options}
			first := true
			q.ask = func(ctx context.Context, common query.Options) (query.Answer, error) {
				if first { // until there is an answer for any number
					first = false
					<-ctx.Done()
					return query.Answer{}, ctx.Err()
				}
				fixed := opt
				fixed.Options = common
				return check.Run(ctx, in, fixed.Under(query.Model(model.String())))
			}
			return q.run(t.Context(), false)
		})
		if err != nil {
			t.Fatal(err)
		}
		if r := only(t, a); r.Verdict != verdict.Unsafe || r.Instance != 2 {
			t.Errorf("%s: %s with %d threads: %s", model, r.Verdict, r.Instance, r.Reason)
		}
	}
}

// TestSmallestInstance: a violation comes with the least number of threads that has it, and an
// execution of that many threads.
func TestSmallestInstance(t *testing.T) {
	five := "var x;\nthread w * n { x = 1; cs: skip; }\ngoal \"all\" w[0]:cs, w[1]:cs, w[2]:cs, w[3]:cs, w[4]:cs;\n"
	for name, c := range map[string]struct {
		answer   query.Answer
		instance int
		threads  int
	}{
		"assertion":              {askCheck(t, "test.fp", counted, nil), 4, 4},
		"robustness":             {askRobust(t, three, nil), 3, 3},
		"more than are tried":    {askCheck(t, "test.fp", five, nil), 5, 5},
		"outside of a domain":    {askCheck(t, "test.fp", counted, func(o *query.CheckOptions) { o.Domain = &query.Domain{Lo: 0, Hi: 2} }), 4, 4},
		"a thread that is alone": {askCheck(t, "test.fp", "thread w * n { assert 0 == 1; }\nthread one { skip; }\n", nil), 1, 2},
	} {
		r := only(t, c.answer)
		if r.Verdict != verdict.Unsafe || r.Instance != c.instance {
			t.Errorf("%s: %s with %d threads, want %d (%s)", name, r.Verdict, r.Instance, c.instance, r.Reason)
			continue
		}
		w := r.Witness
		if w == nil && len(r.Attacks) > 0 {
			w = r.Attacks[0].Witness
		}
		if w == nil || len(w.Threads) != c.threads || len(w.Steps) == 0 {
			t.Errorf("%s: the execution %+v", name, w)
		}
	}
}

// TestDomain: values that grow without end need a domain, and the answer is one within it.
func TestDomain(t *testing.T) {
	r := only(t, askRobust(t, grows, nil))
	if r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "--domain") || r.Stats.Net != nil {
		t.Errorf("without: %s %q, net %+v", r.Verdict, r.Reason, r.Stats.Net)
	}
	r = only(t, askRobust(t, grows, &query.Domain{Lo: 0, Hi: 3}))
	if r.Verdict != verdict.Safe || r.Coverage.Exhaustive || r.Coverage.Threads != verdict.AnyThreads || len(r.Coverage.Bounds) != 1 {
		t.Fatalf("with: %s %q, %+v", r.Verdict, r.Reason, r.Coverage)
	}
	if b := r.Coverage.Bounds[0]; b.Name != "domain" || !b.Given || !b.Hit {
		t.Errorf("the bound %+v", b)
	}
}

// TestRefused: a question that cannot be asked is refused with a code.
func TestRefused(t *testing.T) {
	final := "var x;\nthread w * n { reg r; r = x; x = 1; }\nnever x == 2;\n"
	for name, c := range map[string]struct {
		answer     query.Answer
		code, text string
	}{
		"nothing to check":  {askCheck(t, "test.fp", grows, nil), "FP0900", "there is nothing to check"},
		"no template":       {askCheck(t, "test.fp", "thread w { assert 1 == 1; }\n", nil), "FP0910", "any number of threads"},
		"no such function":  {askCheck(t, "test.fp", lock, func(o *query.CheckOptions) { o.Replicate = "other" }), "FP0911", "other"},
		"final condition":   {askCheck(t, "test.fp", final, nil), "FP0907", "final condition"},
		"deadlock":          {askCheck(t, "test.fp", lock, func(o *query.CheckOptions) { o.Deadlock = true }), "FP0907", "deadlock"},
		"syntax":            {askCheck(t, "test.fp", "thread w * n { assert }\n", nil), "", ""},
		"no fixed language": {askCheck(t, "test.xyz", "no program\n", nil), "FP0903", ""},
	} {
		a := c.answer
		if !a.HasErrors() || len(a.Results) > 0 {
			t.Errorf("%s: %+v", name, a)
			continue
		}
		d := a.Diagnostics[len(a.Diagnostics)-1]
		if c.code != "" && d.Code != c.code || !strings.Contains(d.Message, c.text) {
			t.Errorf("%s: %s %s, want %s %s", name, d.Code, d.Message, c.code, c.text)
		}
	}
}

// TestWrongOptions: options with values that they cannot have are errors before anything is read.
func TestWrongOptions(t *testing.T) {
	in := query.Input{Name: "test.fp", Text: []byte("no program")}
	checked := query.CheckOptions{Options: query.Defaults()}.Under(query.SC)
	checked.Algorithm = "fastest"
	_, err := Check(t.Context(), in, checked)
	if wrong := (*query.OptionError)(nil); !errors.As(err, &wrong) || wrong.Value != "fastest" {
		t.Errorf("check: %v", err)
	}
	asked := query.RobustOptions{Options: query.Defaults()}
	asked.Criterion = "mostly"
	_, err = Robust(t.Context(), in, asked)
	if wrong := (*query.OptionError)(nil); !errors.As(err, &wrong) || wrong.Value != "mostly" {
		t.Errorf("robust: %v", err)
	}
}

// TestDeadlockIsNotAsked: C asks for deadlock, which is not decided for any number of threads. The
// answer says so, and is about assertions.
func TestDeadlockIsNotAsked(t *testing.T) {
	r := only(t, askCheck(t, "test.c", ordered, nil))
	if r.Verdict != verdict.Safe || r.Question != "assertions" || len(r.Warnings) != 1 || r.Warnings[0].Code != "FP0914" {
		t.Errorf("%s about %s, warnings %+v", r.Verdict, r.Question, r.Warnings)
	}
	broken := strings.Replace(ordered, "turn < 2", "turn++ < 2", 1)
	r = only(t, askCheck(t, "test.c", broken, nil))
	if r.Verdict != verdict.Unsafe || r.Instance != 3 || len(r.Warnings) != 0 {
		t.Errorf("%s with %d threads, warnings %+v", r.Verdict, r.Instance, r.Warnings)
	}
}

// opened returns a query about a program whose instances get the given answer.
func opened(t *testing.T, text string, ask func(context.Context, query.Options) (query.Answer, error)) *question {
	t.Helper()
	run := pipeline.Open(query.Input{Name: "test.fp", Text: []byte(text)})
	if err := run.Read(t.Context(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
		t.Fatal(err)
	}
	return &question{Run: run, question: param.Safety, model: memory.SC, common: query.Defaults(), ask: ask}
}

// TestConclude: a violation that engine param says is possible must be found in an instance. If no
// instance can be asked the answer is unknown, and if none of enough threads has it one of the engines
// is wrong.
func TestConclude(t *testing.T) {
	var asked []int
	holds := func(_ context.Context, opt query.Options) (query.Answer, error) {
		if opt.Threads != opt.Instances {
			t.Errorf("%d threads, %d instances", opt.Threads, opt.Instances)
		}
		asked = append(asked, opt.Threads)
		return query.Answer{Results: []verdict.Result{{Verdict: verdict.Safe}}}, nil
	}
	refuses := func(context.Context, query.Options) (query.Answer, error) {
		return query.Answer{Diagnostics: []verdict.Diagnostic{{Severity: verdict.SeverityError, Message: "too many"}}}, nil
	}
	possible := decided{a: &param.Answer{Possible: true, Enough: 6}}

	_, err := opened(t, lock, holds).conclude(t.Context(), possible, 5)
	if err == nil || !strings.Contains(err.Error(), "engines contradict each other") {
		t.Errorf("no instance has it: %v", err)
	}
	if len(asked) != 2 || asked[0] != 5 || asked[1] != 6 {
		t.Errorf("asked about %v threads, want 5 and 6", asked)
	}

	r, err := opened(t, lock, refuses).conclude(t.Context(), possible, 5)
	if err != nil || r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "an instance of 5 threads is refused: too many") {
		t.Errorf("no instance can be asked: %+v %v", r, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err = opened(t, lock, holds).conclude(ctx, decided{a: &param.Answer{Possible: true}}, 5)
	if err != nil || r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "the time ended") {
		t.Errorf("no time is left: %+v %v", r, err)
	}

	r, err = opened(t, lock, holds).conclude(t.Context(), decided{a: &param.Answer{Unknown: "too large", Possible: true}}, 5)
	if err != nil || r.Verdict != verdict.Unknown || r.Reason != "too large" {
		t.Errorf("engine param knows nothing: %+v %v", r, err)
	}

	broken := errors.New("broken")
	if _, err = opened(t, lock, holds).conclude(t.Context(), decided{err: broken}, 5); !errors.Is(err, broken) {
		t.Errorf("engine param failed: %v", err)
	}
}

// TestFinal: only an answer that no instance can change ends the search of instances.
func TestFinal(t *testing.T) {
	all := verdict.Coverage{Exhaustive: true}
	for name, c := range map[string]struct {
		d    decided
		want bool
	}{
		"failed":   {decided{err: errors.New("broken")}, true},
		"possible": {decided{a: &param.Answer{Possible: true}}, true},
		"all":      {decided{a: &param.Answer{Coverage: all}}, true},
		"bounded":  {decided{a: &param.Answer{}}, false},
		"unknown":  {decided{a: &param.Answer{Unknown: "too large"}}, false},
	} {
		if got := c.d.final(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestLeastInstance: instances below the number of threads that a goal names cannot reach it.
func TestLeastInstance(t *testing.T) {
	for text, want := range map[string]int{
		counted: 1,
		lock:    2,
		lock + "goal \"three\" worker[0]:cs, worker[1]:cs, worker[2]:cs;\n":                                    3,
		"thread a * n { x: skip; }\nthread b * n { y: skip; }\ngoal \"one of each\" a[0]:x, b[0]:y;\n":         1,
		"thread a * n { x: skip; }\nthread b * n { y: skip; }\ngoal \"one and two\" a[0]:x, b[0]:y, b[1]:y;\n": 2,
	} {
		if got := opened(t, text, nil).Props.LeastInstance(); got != want {
			t.Errorf("%d, want %d for\n%s", got, want, text)
		}
	}
}
