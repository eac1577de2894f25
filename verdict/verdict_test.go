package verdict_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fencepost/verdict"
)

// TestBoundWords: bounds in words, with the option that raises them.
func TestBoundWords(t *testing.T) {
	at := &verdict.Pos{File: "f.c", Line: 5}
	for _, c := range []struct {
		b            verdict.Bound
		text, option string
	}{
		{verdict.Bound{Name: "buffer", Value: 1}, "at most 1 buffered store per thread", "--buffer 1"},
		{verdict.Bound{Name: "buffer", Value: 8, Hit: true}, "at most 8 buffered stores per thread (bound hit)", "--buffer 8"},
		{verdict.Bound{Name: "unroll", Value: 4, Hit: true, Pos: at}, "at most 4 iterations per loop (bound hit at f.c:5)", "--unroll 4"},
		{verdict.Bound{Name: "recursion", Value: 2}, "at most 2 nested recursive calls", "--unroll 2"},
		{verdict.Bound{Name: "threads", Value: 3, Hit: true}, "3 threads per template", "--unroll 3"},
		{verdict.Bound{Name: "threads", Value: 3, Hit: true, Pos: at}, "at most 3 threads started by one statement (bound hit at f.c:5)", "--unroll 3"},
		{verdict.Bound{Name: "queue", Value: 3}, "at most 2 waiting stores per location", "--queue 3"},
		{verdict.Bound{Name: "domain", Low: -5, Value: 1234567, Hit: true}, "values of memory from -5 to 1,234,567 (bound hit)", "--domain -5..1234567"},
		{verdict.Bound{Name: "nondet-range", Low: 0, Value: 1000, Hit: true}, "inputs from 0 to 1,000", ""},
		{verdict.Bound{Name: verdict.BoundFloatingPoint, Hit: true, Pos: at}, "no floating point, which bmc does not support and which executions reach at f.c:5:0", ""},
		{verdict.Bound{Name: "other", Value: 100}, "other at most 100", ""},
	} {
		if got := c.b.String(); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if got := c.b.Option(); got != c.option {
			t.Errorf("%s: option %q, want %q", c.text, got, c.option)
		}
	}
}

// TestComplete: a search is an answer if it left out nothing, or only what lies beyond bounds that the
// user set. A search that left out something for another reason is none.
func TestComplete(t *testing.T) {
	hit := verdict.Bound{Name: "buffer", Value: 8, Hit: true}
	given := verdict.Bound{Name: "unroll", Value: 2, Hit: true, Given: true}
	unmet := verdict.Bound{Name: "buffer", Value: 8}
	for name, c := range map[string]struct {
		c    verdict.Coverage
		want bool
		text string
	}{
		"all":                  {verdict.Coverage{Exhaustive: true, Bounds: []verdict.Bound{unmet}}, true, "all executions"},
		"the user's bound":     {verdict.Coverage{Bounds: []verdict.Bound{given, unmet}}, true, "at most 2 iterations per loop (bound hit)"},
		"a default":            {verdict.Coverage{Bounds: []verdict.Bound{given, hit}}, false, "at most 2 iterations per loop (bound hit), at most 8 buffered stores per thread (bound hit)"},
		"no bound that is met": {verdict.Coverage{Bounds: []verdict.Bound{unmet}}, false, "not all executions"},
		"nothing":              {verdict.Coverage{}, false, "not all executions"},
	} {
		if got := c.c.Complete(); got != c.want {
			t.Errorf("%s: complete %v, want %v", name, got, c.want)
		}
		if got := c.c.BoundText(); got != c.text {
			t.Errorf("%s: %q, want %q", name, got, c.text)
		}
	}
}

// TestNames: verdicts and kinds of steps survive JSON, and other names are errors.
func TestNames(t *testing.T) {
	for v := verdict.Unset; v <= verdict.Abstracted; v++ {
		text, err := json.Marshal(v)
		var back verdict.Verdict
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back != v {
			t.Errorf("%s becomes %s: %v", v, back, err)
		}
	}
	for k := verdict.StepUnset; k <= verdict.StepFail; k++ {
		text, err := json.Marshal(k)
		var back verdict.StepKind
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back != k {
			t.Errorf("%s becomes %s: %v", k, back, err)
		}
	}
	var v verdict.Verdict
	var k verdict.StepKind
	if json.Unmarshal([]byte(`"perhaps"`), &v) == nil || json.Unmarshal([]byte(`"jump"`), &k) == nil {
		t.Error("an unknown name is read")
	}
}

// TestReadsFrom: the bytes of a load come from one store, from memory, or from several.
func TestReadsFrom(t *testing.T) {
	for _, c := range []struct {
		from      []int
		one       int
		bytes     []int
		memory    bool
		forwarded []int
	}{
		{nil, 0, nil, true, nil},
		{[]int{0, 0}, 0, nil, true, nil},
		{[]int{3, 3}, 3, nil, false, []int{2}},
		{[]int{3, 0, 2, 3}, 0, []int{3, 0, 2, 3}, true, []int{1, 2}},
		{[]int{3, 2}, 0, []int{3, 2}, false, []int{1, 2}},
	} {
		s := verdict.Step{From: 9, FromBytes: []int{9}}
		s.SetReadsFrom(c.from)
		if s.From != c.one || !slices.Equal(s.FromBytes, c.bytes) || s.ReadsMemory() != c.memory || !slices.Equal(s.ForwardedFrom(), c.forwarded) {
			t.Errorf("%v: from %d %v, memory %v, forwarded %v", c.from, s.From, s.FromBytes, s.ReadsMemory(), s.ForwardedFrom())
		}
		for k, f := range c.from {
			if s.ReadsFrom(k) != f {
				t.Errorf("%v: byte %d comes from %d", c.from, k, s.ReadsFrom(k))
			}
		}
	}
}

// buffered returns a witness of store buffering: p stores, loads what it stored and then flushes.
func buffered() *verdict.Witness {
	return &verdict.Witness{Threads: []string{"p", "q"}, Steps: []verdict.Step{
		{Thread: 0, Kind: verdict.StepStore, Buffered: true, Of: -1, Size: 4},
		{Thread: 0, Kind: verdict.StepLoad, Of: -1, Size: 4, From: 1},
		{Thread: 1, Kind: verdict.StepLoad, Of: -1, Size: 4},
		{Thread: 0, Kind: verdict.StepFlush, Of: 0, Size: 4},
	}}
}

// TestValidateWitness: a step that refers to nothing, or to a step of the wrong kind, is found.
func TestValidateWitness(t *testing.T) {
	if err := buffered().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(w *verdict.Witness){
		"steps[0].kind: missing":              func(w *verdict.Witness) { w.Steps[0].Kind = verdict.StepUnset },
		"steps[2].thread: there is no":        func(w *verdict.Witness) { w.Steps[2].Thread = 2 },
		"steps[3].of: step 1 is no":           func(w *verdict.Witness) { w.Steps[3].Of = 1 },
		"steps[3].of: step 0 is no":           func(w *verdict.Witness) { w.Steps[0].Buffered = false; w.Steps[1].From = 0 },
		"steps[3].of: step -1 is no":          func(w *verdict.Witness) { w.Steps[3].Of = -1 },
		"steps[1].from: step 3 is no earlier": func(w *verdict.Witness) { w.Steps[1].From = 4 },
		"steps[2].from: step 0 is no earlier": func(w *verdict.Witness) { w.Steps[2].From = 1 },
		"steps[1].from_bytes: there must be":  func(w *verdict.Witness) { w.Steps[1].From, w.Steps[1].FromBytes = 0, []int{1} },
		"steps[1].from_bytes: a byte comes":   func(w *verdict.Witness) { w.Steps[1].From, w.Steps[1].FromBytes = 0, []int{1, 0, 2, 0} },
		"steps[0].other: there is no":         func(w *verdict.Witness) { w.Steps[0].Other = 3 },
		"steps[0].size: 65 bytes":             func(w *verdict.Witness) { w.Steps[0].Size = 65 },
		"steps[1].from: step 4 is no earlier": func(w *verdict.Witness) {
			w.Steps = append(w.Steps, w.Steps[0])
			w.Steps[1].From = 5
		},
		"steps[4].of: the entry of step 0 has": func(w *verdict.Witness) {
			w.Steps = append(w.Steps, verdict.Step{Thread: 0, Kind: verdict.StepFlush, Of: 0, Size: 4})
		},
	} {
		w := buffered()
		change(w)
		if err := w.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestValidateResult: witnesses are found wherever a result has them, and what is said about one must fit.
func TestValidateResult(t *testing.T) {
	broken := buffered()
	broken.Steps[0].Kind = verdict.StepUnset
	attack := func(w *verdict.Witness, store, load int) verdict.Attack {
		return verdict.Attack{Witness: w, StoreStep: store, LoadStep: load}
	}
	node := verdict.TraceNode{Thread: 0, Step: 0}
	good := verdict.Result{
		Verdict: verdict.Unsafe, Witness: buffered(),
		Cause:   &verdict.Cause{Kind: verdict.CauseDelay, First: 0, Second: 1, Nodes: []verdict.TraceNode{node}, Edges: []verdict.TraceEdge{{From: 0, To: 0}}},
		Details: verdict.Details{Attacks: []verdict.Attack{attack(buffered(), 0, 2)}},
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(r *verdict.Result){
		"verdict: missing":                     func(r *verdict.Result) { r.Verdict = verdict.Unset },
		"witness.steps[0].kind":                func(r *verdict.Result) { r.Witness = broken },
		"cause: there is no witness":           func(r *verdict.Result) { r.Witness = nil },
		"cause: steps 0 and 4":                 func(r *verdict.Result) { c := *r.Cause; c.Second = 4; r.Cause = &c },
		"cause: node 0 is of thread 2":         func(r *verdict.Result) { c := *r.Cause; c.Nodes = []verdict.TraceNode{{Thread: 2}}; r.Cause = &c },
		"cause: node 0 is step 9":              func(r *verdict.Result) { c := *r.Cause; c.Nodes = []verdict.TraceNode{{Step: 9}}; r.Cause = &c },
		"cause: an edge from 0 to 1":           func(r *verdict.Result) { c := *r.Cause; c.Cycle = []verdict.TraceEdge{{From: 0, To: 1}}; r.Cause = &c },
		"others[0].witness.steps[0].kind":      func(r *verdict.Result) { r.Others = []verdict.Violation{{Witness: broken}} },
		"attacks[0].witness: missing":          func(r *verdict.Result) { r.Attacks = []verdict.Attack{attack(nil, 0, 0)} },
		"attacks[0].store_step: steps 0 and 4": func(r *verdict.Result) { r.Attacks = []verdict.Attack{attack(buffered(), 0, 4)} },
		"races[0].witness: missing":            func(r *verdict.Result) { r.Triangles = []verdict.Triangle{{}} },
		"fences[0].without.violation: missing": func(r *verdict.Result) { r.Fences = []verdict.Fence{{Without: &verdict.Break{}}} },
		"repair.before.attack.witness: missing": func(r *verdict.Result) {
			a := attack(nil, 0, 0)
			r.Repair = &verdict.Repair{Before: &verdict.Break{Attack: &a}}
		},
		"litmus.outcomes[0].witness.steps[0]": func(r *verdict.Result) {
			r.Litmus = &verdict.Litmus{Outcomes: []verdict.LitmusOutcome{{Witness: broken}}}
		},
	} {
		r := good
		change(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	set := verdict.TraceSet{Traces: []verdict.Trace{{Witness: buffered(), Nodes: []verdict.TraceNode{node}}, {}}}
	if err := set.Validate(); err == nil || err.Error() != "traces[1].witness: missing" {
		t.Errorf("traces: %v", err)
	}
	if set.Traces = set.Traces[:1]; set.Validate() != nil {
		t.Errorf("traces: %v", set.Validate())
	}
}

// TestExecutions: every witness of a result has a name of its own, the most important one first.
func TestExecutions(t *testing.T) {
	w := buffered()
	r := verdict.Result{
		Verdict: verdict.Unsafe, Witness: w, Reason: "first", Question: "assertion",
		Others: []verdict.Violation{{Witness: w, Reason: "second"}, {Reason: "without a witness"}},
		Details: verdict.Details{Attacks: []verdict.Attack{{Witness: w}},
			Triangles: []verdict.Triangle{{Witness: w}, {Witness: w}}},
	}
	var names []string
	for _, e := range r.Executions() {
		names = append(names, e.Name)
		if e.Witness != w || e.Verdict != verdict.Unsafe {
			t.Errorf("%s: %+v", e.Name, e)
		}
		if sc := strings.HasPrefix(e.Name, "race"); sc != (e.Model == "sc") {
			t.Errorf("%s is an execution under %q", e.Name, e.Model)
		}
	}
	if got := strings.Join(names, ", "); got != "violation 1, violation 2, attack, race 1, race 2" {
		t.Errorf("executions %s", got)
	}
	seen := verdict.Result{Verdict: verdict.Observed, Witness: w}
	if e := seen.Executions(); len(e) != 1 || e[0].Name != "observation" || e[0].Verdict != verdict.Observed {
		t.Errorf("%+v", e)
	}
}
