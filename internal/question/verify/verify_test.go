package verify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/robust"
	"fencepost/internal/question/verify"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// answers are the stored violations and attacks of an example.
func answers(t *testing.T, name string) (query.Input, []verdict.Result) {
	t.Helper()
	text, err := os.ReadFile("../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	in := query.Input{Name: name, Text: text}
	opt := query.Options{Workers: 1}
	checked, err := check.Run(context.Background(), in, query.CheckOptions{Options: opt, KeepGoing: true}.Under("tso", "pso"))
	if err != nil {
		t.Fatal(err)
	}
	attacked, err := robust.Run(context.Background(), in, query.RobustOptions{Options: opt, KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	return in, append(checked.Results, attacked.Results...)
}

func clone(t *testing.T, results []verdict.Result) []verdict.Result {
	t.Helper()
	text, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	var out []verdict.Result
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// rejected counts the executions that do not replay.
func rejected(t *testing.T, in query.Input, results []verdict.Result) (bad, all int, first error) {
	t.Helper()
	answer, err := verify.Results(context.Background(), in, results, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range answer.Checks {
		if c.Err != nil {
			if bad++; first == nil {
				first = c.Err
			}
		}
	}
	return bad, len(answer.Checks), first
}

func TestVerifyAccepts(t *testing.T) {
	for _, name := range []string{"dekker.fp", "dekker.c", "mp.fp", "peterson.fp", "spinlock.c"} {
		in, results := answers(t, name)
		if bad, all, err := rejected(t, in, results); bad > 0 || all == 0 {
			t.Errorf("%s: %d of %d rejected: %v", name, bad, all, err)
		}
	}
}

// Every execution with one thing changed is rejected.
func TestVerifyRejects(t *testing.T) {
	for _, name := range []string{"dekker.fp", "mp.fp", "spinlock.c"} {
		in, results := answers(t, name)
		tried := 0
		for r := range results {
			for x, e := range results[r].Executions() {
				for i := range e.Witness.Steps {
					for what, change := range tampering {
						changed := clone(t, results[r:r+1])
						w := changed[0].Executions()[x].Witness
						if !change(w, i) || filepath.Ext(name) == ".c" && !testkit.InPart(t, fmt.Sprint(r, x, i, what), 4) {
							continue
						}
						tried++
						if bad, _, _ := rejected(t, in, changed); bad == 0 {
							t.Errorf("%s, %s, %s, step %d: %s: accepted", name, results[r].Model, e.Name, i, what)
						}
					}
				}
			}
		}
		if tried < 40 {
			t.Errorf("%s: only %d changes tried", name, tried)
		}
	}
}

// tampering changes step i of a witness and reports whether it applies.
var tampering = map[string]func(w *verdict.Witness, i int) bool{
	"another value": func(w *verdict.Witness, i int) bool {
		s := &w.Steps[i]
		switch s.Kind {
		case verdict.StepLoad, verdict.StepStore, verdict.StepFlush, verdict.StepRMW:
			s.Value++
			return true
		}
		return false
	},
	"another address": func(w *verdict.Witness, i int) bool {
		s := &w.Steps[i]
		switch s.Kind {
		case verdict.StepLoad, verdict.StepStore, verdict.StepFlush, verdict.StepRMW:
			s.Addr += 8
			return true
		}
		return false
	},
	"dropped": func(w *verdict.Witness, i int) bool {
		if w.Steps[i].Kind == verdict.StepFlush { // an execution that no thread can tell apart counts, too
			return false
		}
		w.Steps = slices.Delete(w.Steps, i, i+1)
		return true
	},
	"twice": func(w *verdict.Witness, i int) bool {
		w.Steps = slices.Insert(w.Steps, i, w.Steps[i])
		return true
	},
	"swapped with the next of its thread": func(w *verdict.Witness, i int) bool {
		for k := i + 1; k < len(w.Steps); k++ {
			if w.Steps[k].Thread != w.Steps[i].Thread {
				continue
			}
			if w.Steps[i].Kind == verdict.StepFlush || w.Steps[k].Kind == verdict.StepFlush && w.Steps[k].Of != i {
				return false
			}
			w.Steps[i], w.Steps[k] = w.Steps[k], w.Steps[i]
			return true
		}
		return false
	},
	"another thread": func(w *verdict.Witness, i int) bool {
		w.Steps[i].Thread = (w.Steps[i].Thread + 1) % len(w.Threads)
		return true
	},
	"another text": func(w *verdict.Witness, i int) bool {
		if w.Steps[i].Text == "" {
			return false
		}
		w.Steps[i].Text += " /* harmless */"
		return true
	},
	"another line": func(w *verdict.Witness, i int) bool {
		if w.Steps[i].Pos == nil {
			return false
		}
		w.Steps[i].Pos.Line++
		return true
	},
	"another file": func(w *verdict.Witness, i int) bool {
		if w.Steps[i].Pos == nil {
			return false
		}
		w.Steps[i].Pos.File = "elsewhere/" + w.Steps[i].Pos.File
		return true
	},
	"no position": func(w *verdict.Witness, i int) bool {
		had := w.Steps[i].Pos != nil
		w.Steps[i].Pos = nil
		return had
	},
	"another name of memory": func(w *verdict.Witness, i int) bool {
		w.Steps[i].Location += "x"
		return true
	},
	"another note": func(w *verdict.Witness, i int) bool {
		w.Steps[i].Note += " and all is well"
		return true
	},
}

// What an execution is said to show is judged, too.
func TestVerifyEnds(t *testing.T) {
	in, results := answers(t, "dekker.fp")
	for what, change := range map[string]func(r []verdict.Result) bool{
		"another model":    func(r []verdict.Result) bool { r[0].Model = "sc"; return true },
		"unknown model":    func(r []verdict.Result) bool { r[0].Model = "arm"; return true },
		"another question": func(r []verdict.Result) bool { r[0].Question = "deadlock"; return true },
		"unknown question": func(r []verdict.Result) bool { r[0].Question = "beauty"; return true },
		"another class":    func(r []verdict.Result) bool { r[0].Others[0].Question = "double-free"; return true },
		"no end":           func(r []verdict.Result) bool { r[0].Witness.Steps = r[0].Witness.Steps[:3]; return true },
		"another pair": func(r []verdict.Result) bool {
			a := &r[2].Attacks[0]
			a.StoreStep, a.LoadStep = a.LoadStep, a.StoreStep
			return true
		},
		"another thread delays": func(r []verdict.Result) bool { r[2].Attacks[0].Thread = "t9"; return true },
		"an edge turned": func(r []verdict.Result) bool {
			e := &r[2].Attacks[0].Edges[0]
			e.From, e.To = e.To, e.From
			return true
		},
		"a cycle cut open": func(r []verdict.Result) bool {
			a := &r[2].Attacks[0]
			a.Cycle = a.Cycle[:len(a.Cycle)-1]
			return true
		},
		"a node renamed":      func(r []verdict.Result) bool { r[2].Attacks[0].Nodes[0].Text = "t1 ld y"; return true },
		"another reason":      func(r []verdict.Result) bool { r[0].Reason = "it rained"; return true },
		"another place":       func(r []verdict.Result) bool { r[0].Pos.Line++; return true },
		"no place":            func(r []verdict.Result) bool { r[0].Pos = nil; return true },
		"another explanation": func(r []verdict.Result) bool { r[0].Cause.Words[0] = "it rained"; return true },
		"another cause":       func(r []verdict.Result) bool { r[0].Cause.Kind = verdict.CauseOrder; return true },
		"another fence":       func(r []verdict.Result) bool { r[0].Cause.Fence.After.Line++; return true },
		"another store":       func(r []verdict.Result) bool { r[2].Attacks[0].StoreText = "z = 1"; return true },
		"a load elsewhere":    func(r []verdict.Result) bool { r[2].Attacks[0].Load.Line++; return true },
		"another sentence":    func(r []verdict.Result) bool { r[2].Reason = "it rained"; return true },
		"a thread renamed":    func(r []verdict.Result) bool { r[2].Attacks[0].Witness.Threads[0] = "x"; return true },
	} {
		changed := clone(t, results)
		change(changed)
		if bad, _, err := rejected(t, in, changed); bad == 0 {
			t.Errorf("%s: accepted", what)
		} else if err.Error() == "" {
			t.Errorf("%s: rejected without a word", what)
		}
	}
}

// A program that is not the one the result is about is rejected, in whatever it differs.
func TestVerifyIdentity(t *testing.T) {
	in, results := answers(t, "dekker.fp")
	results = results[:1]
	if bad, _, err := rejected(t, in, results); bad > 0 {
		t.Fatal(err)
	}
	moved, other, renamed := in, in, in
	moved.Text = append([]byte("// a line more\n"), in.Text...)
	other.Text = []byte(strings.Replace(string(in.Text), "flag[0] = 1;", "flag[0] = 2;", 1))
	renamed.Name = "other.fp"
	for what, in := range map[string]query.Input{"a comment more": moved, "another program": other, "another name": renamed} {
		if bad, _, _ := rejected(t, in, results); bad == 0 {
			t.Errorf("%s: accepted", what)
		}
	}
	elsewhere := in
	elsewhere.Name = "some/where/dekker.fp"
	if bad, _, err := rejected(t, elsewhere, results); bad > 0 {
		t.Errorf("the program in another directory: %v", err)
	}
	for what, change := range map[string]func(map[string]string){
		"no text":      func(m map[string]string) { delete(m, in.Name) },
		"another text": func(m map[string]string) { m[in.Name] += "\n" },
		"a text more":  func(m map[string]string) { m["more.fp"] = "" },
	} {
		changed := clone(t, results)
		change(changed[0].Sources)
		if bad, _, _ := rejected(t, in, changed); bad == 0 {
			t.Errorf("%s: accepted", what)
		}
	}
}

// Whatever is changed, verification ends with a judgement, never with a crash.
func TestVerifyNeverBreaks(t *testing.T) {
	inC := 10
	if testkit.Slow() {
		inC = 500
	}
	for name, rounds := range map[string]int{"dekker.fp": 200, "dekker.c": inC} {
		in, results := answers(t, name)
		neverBreaks(t, in, results, rand.New(rand.NewSource(1)), rounds)
	}
}

func neverBreaks(t *testing.T, in query.Input, results []verdict.Result, rng *rand.Rand, rounds int) {
	t.Helper()
	for range rounds {
		changed := clone(t, results)
		for range 1 + rng.Intn(3) {
			r := &changed[rng.Intn(len(changed))]
			e := r.Executions()
			w := e[rng.Intn(len(e))].Witness
			s := &w.Steps[rng.Intn(len(w.Steps))]
			n := rng.Intn(40) - 5
			for _, set := range []func(){
				func() { s.Thread = n }, func() { s.Kind = verdict.StepKind(1 + rng.Intn(8)) }, func() { s.Edge = n },
				func() { s.Choice = int64(n) }, func() { s.Of = n }, func() { s.Size = n }, func() { s.From = n }, func() { s.Other = n },
			}[rng.Intn(8):][:1] {
				set()
			}
		}
		if slices.ContainsFunc(changed, func(r verdict.Result) bool { return r.Validate() != nil }) {
			continue // reading refuses it
		}
		if _, err := verify.Results(context.Background(), in, changed, query.Options{}); err != nil {
			t.Fatalf("%v", err)
		}
	}
}

// A race is held against the steps it names, and a result whose parts lead nowhere
// is refused before anything is drawn from it.
func TestVerifyTriangles(t *testing.T) {
	in, _ := answers(t, "dekker.fp")
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Criterion = "trf"
	answer, err := robust.Run(context.Background(), in, opt)
	if err != nil || len(answer.Results) != 1 || len(answer.Results[0].Triangles) == 0 {
		t.Fatalf("%v %+v", err, answer)
	}
	if bad, all, first := rejected(t, in, answer.Results); bad != 0 || all == 0 {
		t.Fatalf("%d of %d rejected: %v", bad, all, first)
	}
	for name, change := range map[string]func(*verdict.Triangle){
		"load is the store":  func(r *verdict.Triangle) { r.LoadStep = r.StoreStep },
		"store is the write": func(r *verdict.Triangle) { r.StoreStep = len(r.Witness.Steps) - 1 },
		"other thread":       func(r *verdict.Triangle) { r.Thread, r.Other = r.Other, r.Thread },
	} {
		results := clone(t, answer.Results)
		change(&results[0].Triangles[0])
		if bad, _, _ := rejected(t, in, results); bad == 0 {
			t.Errorf("%s: accepted", name)
		}
	}
	results := clone(t, answer.Results)
	results[0].Triangles[0].StoreStep = -1
	if results[0].Validate() == nil {
		t.Error("a race without its store is valid")
	}
	results = clone(t, answer.Results)
	results[0].Repair = &verdict.Repair{Before: &verdict.Break{}}
	if results[0].Validate() == nil {
		t.Error("a repair of nothing is valid")
	}
}

// Whatever a command stores can be verified: data races, traces, final states,
// repairs. What each says is held against its steps.
func TestVerifyQuestions(t *testing.T) {
	in, _ := answers(t, "dekker.fp")
	racy := query.Input{Name: "racy.c", Text: []byte(`#include <pthread.h>
int x;
void *w(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); int r = x; pthread_join(t, 0); return r; }
`)}
	stuck := query.Input{Name: "stuck.c", Text: []byte(`#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }
`)}
	checked := func(in query.Input, change func(*query.CheckOptions)) []verdict.Result {
		opt := query.CheckOptions{Options: query.Defaults()}
		change(&opt)
		answer, err := check.Run(context.Background(), in, opt.Under("tso"))
		if err != nil || len(answer.Results) != 1 {
			t.Fatalf("%v %+v", err, answer)
		}
		return answer.Results
	}
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Criterion = query.CriterionState
	states, err := robust.Run(context.Background(), in, opt)
	if err != nil {
		t.Fatal(err)
	}
	repaired, err := fences.Run(context.Background(), in, fences.Defaults(query.FenceOptions{Options: query.Defaults()}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		in      query.Input
		results []verdict.Result
		change  func(*verdict.Result)
	}{
		"data race":     {racy, checked(racy, func(o *query.CheckOptions) { o.Races = true }), func(r *verdict.Result) { r.Reason += "!" }},
		"races, stuck":  {stuck, checked(stuck, func(o *query.CheckOptions) { o.Races = true }), func(r *verdict.Result) { r.Reason += "!" }},
		"trace":         {in, checked(in, func(o *query.CheckOptions) { o.Robustness = true }), func(r *verdict.Result) { r.Trace.Cycle = r.Trace.Cycle[1:] }},
		"final state":   {in, states.Results, func(r *verdict.Result) { r.Witness.Steps = r.Witness.Steps[:1] }},
		"before repair": {in, repaired.Results, func(r *verdict.Result) { r.Repair.Before.Attack.LoadText = "z" }},
	} {
		if bad, all, err := rejected(t, c.in, c.results); bad > 0 || all == 0 {
			t.Errorf("%s: %d of %d rejected: %v", name, bad, all, err)
			continue
		}
		changed := clone(t, c.results)
		c.change(&changed[0])
		if bad, _, _ := rejected(t, c.in, changed); bad == 0 {
			t.Errorf("%s: accepted with a change", name)
		}
	}
}
