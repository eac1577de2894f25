package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/question/prove"
	"fencepost/query"
	"fencepost/verdict"
)

// What a result says that no execution shows. It is asked again, with the options that the result
// carries. Every field is compared that is neither part of an execution, which was replayed, nor on the
// list of what is not checked. A violation needs no second search: its execution shows it, and the result
// must say nothing else.

// notChecked are fields that are compared with nothing: what was asked is taken as it stands, and the
// others say how an answer was found.
var notChecked = []string{"asked", "by", "compiled", "engine", "engines", "linearizability.clients", "linearizability.programs", "linearizability.states", "proof.checked_with", "proof.obligations", "proof.queries", "proof.solver", "repair.rounds", "stats", "warnings"}

// rest checks what a result says beside its executions.
func (v *verifier) rest(r *verdict.Result) {
	shows := "computed again: " + r.Verdict.String()
	if shown(r) {
		v.judge(r.Model, "answer", "what its execution shows", v.nothingElse(r))
		return
	}
	if q := v.question.lin; q != nil && q.Fuzz > 0 {
		v.judge(r.Model, "answer", r.Verdict.String(), errRandom)
	} else if !v.spoiled() {
		v.judge(r.Model, "answer", shows, v.askAgain(r))
	}
}

// shown reports whether an execution alone decides the answer.
func shown(r *verdict.Result) bool {
	return pipeline.EndsEarly(r) && r.Linearizability == nil && r.Repair == nil && r.Litmus == nil && r.Proof == nil
}

// nothingElse checks that a violation comes with an execution, and that a result about it says nothing
// that no execution shows.
func (v *verifier) nothingElse(r *verdict.Result) error {
	executions := r.Executions()
	if len(executions) == 0 {
		return fmt.Errorf("the result says %s, but no execution shows it", r.Verdict)
	}
	if err := v.questionOf(r); err != nil {
		return err
	}
	if r.Trace != nil && !reflect.DeepEqual(r.Trace.Witness, r.Witness) {
		return fmt.Errorf("trace.witness: not the execution of the result")
	}
	if r.Witness == nil && r.Cause != nil {
		return fmt.Errorf("cause: the result has no execution that it could be about")
	}
	if len(executions) > 1 {
		return fmt.Errorf("%d executions, but one was asked for", len(executions))
	}
	a, b := scrub(r), scrub(&verdict.Result{})
	a.Program, a.Question, a.Model, a.Verdict, b.Verdict = "", "", "", verdict.Unsafe, verdict.Unsafe
	if r.Question == verdict.StateRobustness {
		b.LeftOut = v.now.NotShown()
	}
	a.Others = nil
	a.Witness, a.Cause, a.Attacks, a.Triangles = nil, nil, nil, nil
	if strings.HasSuffix(r.Asked.Command, "--param") || r.Asked.Command == prove.Command {
		a.Instance = 0
	}
	if r.Trace != nil && r.Trace.Number == 0 {
		a.Trace = nil
	}
	return compared(a, b)
}

// questionOf compares the question of a result with what was asked.
func (v *verifier) questionOf(r *verdict.Result) error {
	q := v.question
	want := verdict.Question("")
	switch {
	case q.robust != nil && q.robust.Criterion == query.CriterionState:
		want = verdict.StateRobustness
	case q.robust != nil && q.robust.Criterion == query.CriterionTRF:
		want = verdict.TriangularRaces
	case q.robust != nil, r.Asked.Command == check.Command && q.check.Robustness:
		want = verdict.Robustness
	case r.Verdict == verdict.Observed:
		want = verdict.Question(property.Exists.String())
	}
	if want != "" && r.Question != want {
		return fmt.Errorf("question: the result says %q, but %q was asked", r.Question, want)
	}
	if q.robust == nil {
		return nil
	}
	if !slices.Contains(q.robust.Models.OrTSO(), query.Model(r.Model)) {
		return fmt.Errorf("model: the result says %q, but %q was asked", r.Model, q.robust.Models.OrTSO().String())
	}
	if r.Verdict != verdict.Unsafe {
		return fmt.Errorf("verdict: %s is not an answer to this question", r.Verdict)
	}
	return nil
}

// askAgain asks what a result answers once more and compares.
func (v *verifier) askAgain(r *verdict.Result) error {
	fresh, err := v.again(r)
	if err != nil {
		return err
	}
	if fresh.Verdict == verdict.Unknown && r.Verdict != verdict.Unknown && limited(fresh.Reason) {
		return fmt.Errorf("%w: computed again, the answer is unknown: %s", errOpen, fresh.Reason)
	}
	if r.Witness != nil && r.Verdict == verdict.Safe {
		return fmt.Errorf("the result says safe, but an execution shows a violation")
	}
	if rep := r.Repair; rep != nil && rep.Removal && rep.Before != nil {
		if len(rep.Before.With) > 0 || rep.Before.Model != "" || r.Reason != rep.Before.Reason() {
			return fmt.Errorf("reason: stored %q, computed %q", r.Reason, rep.Before.Reason())
		}
	}
	if err := v.likes(r); err != nil {
		return err
	}
	if v.question.prove != nil && complete(r) && r.Verdict == fresh.Verdict {
		return compared(scrubProof(scrub(r)), scrubProof(scrub(fresh)))
	}
	return compared(scrub(r), scrub(fresh))
}

// complete reports whether a result is a proof that leaves nothing open. Such a proof is checked again with its own
// invariants and abstractions; others are searched for again.
func complete(r *verdict.Result) bool {
	return r.Proof != nil && r.Verdict != verdict.Unknown && r.Proof.Open() == 0
}

// scrubProof leaves out of a proof how much work it was, and the states that the solver chose to show why a load is no
// right mover: with its own invariants and abstractions, other questions are asked about it.
func scrubProof(r *verdict.Result) *verdict.Result {
	p := *r.Proof
	p.Obligations, p.Queries, p.Solver, p.CheckedWith = 0, 0, "", nil
	p.Invariants = slices.Clone(p.Invariants) // in the order in which they were found
	key := func(inv verdict.ProofInvariant) string {
		text, _ := json.Marshal(inv) // plain data
		return string(text)
	}
	slices.SortFunc(p.Invariants, func(a, b verdict.ProofInvariant) int { return cmp.Compare(key(a), key(b)) })
	p.Invariants = slices.CompactFunc(p.Invariants, func(a, b verdict.ProofInvariant) bool { return key(a) == key(b) })
	p.Stores = slices.Clone(p.Stores)
	for i := range p.Stores {
		s := &p.Stores[i]
		s.Loads = slices.Clone(s.Loads)
		for j := range s.Loads {
			l := &s.Loads[j]
			l.Blocks = slices.Clone(l.Blocks)
			for k := range l.Blocks {
				l.Blocks[k].State = nil
			}
		}
	}
	r.Proof = &p
	return r
}

// again asks the question of a result.
func (v *verifier) again(r *verdict.Result) (*verdict.Result, error) {
	v.run.Stage = "asking again"
	if v.question.ask == nil {
		return nil, fmt.Errorf("the command %q has no results", r.Asked.Command)
	}
	if q := v.question.prove; q != nil && complete(r) {
		q.Stored = r.Proof
	}
	answer, err := v.question.ask(r.Model)
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != 1 {
		for _, d := range answer.Diagnostics {
			if d.Severity == verdict.SeverityError {
				return nil, fmt.Errorf("computed again, the program is refused: %s", d.Message)
			}
		}
		return nil, fmt.Errorf("computed again, there are %d answers", len(answer.Results))
	}
	return &answer.Results[0], nil
}

// likes recomputes which violations have the same cause.
func (v *verifier) likes(r *verdict.Result) error {
	if len(r.Others) == 0 {
		return nil
	}
	now := *r
	now.Others = slices.Clone(r.Others)
	for i := range now.Others {
		now.Others[i].Like = 0
	}
	pipeline.Group(v.now.flat, &now)
	for i := range now.Others {
		if now.Others[i].Like != r.Others[i].Like {
			return fmt.Errorf("others[%d].like: stored %d, computed %d", i, r.Others[i].Like, now.Others[i].Like)
		}
	}
	return nil
}

// scrub returns a result without the fields that are not compared: fields that are not checked, and fields
// that depend on the execution that was found, which was replayed. That there is an execution stays.
func scrub(r *verdict.Result) *verdict.Result {
	out := *r
	out.Asked, out.By, out.Engine, out.Engines, out.Stats, out.Warnings, out.Sources, out.Compiled, out.Listing = nil, "", "", nil, verdict.Stats{}, nil, nil, nil, nil
	some := func(w *verdict.Witness) *verdict.Witness {
		if w == nil {
			return nil
		}
		return &verdict.Witness{}
	}
	out.Cause = nil
	out.Trace = nil
	out.Linearizability = scrubClients(r.Linearizability)
	if r.Trace != nil {
		out.Trace = &verdict.Trace{Number: r.Trace.Number}
	}
	if r.Verdict == verdict.Unsafe || r.Verdict == verdict.Observed {
		if out.Pos = nil; r.Question != verdict.Linearizable {
			out.Reason = ""
		}
		if r.Witness != nil {
			out.Question = ""
		}
		out.Others = violations(r)
	}
	out.Witness = some(r.Witness)
	if u := r.Coverage.Unsupported; u != nil { // which construct is found first depends on the search
		out.Reason, out.Coverage.Unsupported = "", &verdict.Unsupported{Witness: some(u.Witness)}
		out.Coverage.Bounds = slices.Clone(r.Coverage.Bounds)
		for i := range out.Coverage.Bounds {
			if b := &out.Coverage.Bounds[i]; b.Name == verdict.BoundUnsupported {
				b.Code, b.What, b.Pos = "", "", nil
			}
		}
	}
	if r.Verdict == verdict.Unknown && limited(r.Reason) {
		out.Reason, out.Next, out.Coverage = "", nil, verdict.Coverage{}
		if out.Linearizability != nil {
			out.Linearizability.Calls, out.Linearizability.Mutants = 0, nil
		}
	}
	out.Attacks, out.Triangles = slices.Clone(r.Attacks), slices.Clone(r.Triangles)
	for i := range out.Attacks {
		a := &out.Attacks[i]
		a.Witness, a.StoreStep, a.LoadStep, a.Nodes, a.Edges, a.Cycle = nil, 0, 0, nil, nil, nil
	}
	for i := range out.Triangles {
		out.Triangles[i].Witness, out.Triangles[i].StoreStep, out.Triangles[i].LoadStep = nil, 0, 0
	}
	scrubRepair(&out)
	out.Endings = slices.Clone(r.Endings)
	for i := range out.Endings {
		out.Endings[i].Witness = some(out.Endings[i].Witness)
	}
	if r.Litmus != nil {
		l := *r.Litmus
		l.Outcomes = slices.Clone(l.Outcomes)
		for i := range l.Outcomes {
			l.Outcomes[i].Witness = some(l.Outcomes[i].Witness)
		}
		out.Litmus = &l
	}
	return &out
}

// scrubClients does the same for what is said about an object: how much was looked at beyond the last complete size depends on the time.
func scrubClients(lin *verdict.Linearizability) *verdict.Linearizability {
	if lin == nil {
		return nil
	}
	out := *lin
	out.Clients, out.Programs, out.States = 0, 0, 0
	return &out
}

// violations returns the violations of a result, sorted, without their executions.
func violations(r *verdict.Result) []verdict.Violation {
	var out []verdict.Violation
	if r.Witness != nil {
		out = append(out, verdict.Violation{Question: r.Question, Reason: r.Reason, Pos: r.Pos})
	}
	for _, o := range r.Others {
		out = append(out, verdict.Violation{Question: o.Question, Reason: o.Reason, Pos: o.Pos})
	}
	key := func(v verdict.Violation) string { return fmt.Sprint(v.Question, v.Reason, v.Pos) }
	slices.SortFunc(out, func(a, b verdict.Violation) int { return cmp.Compare(key(a), key(b)) })
	return out
}

// scrubRepair does the same for what is said about fences, which v.repair checks.
func scrubRepair(r *verdict.Result) {
	if r.Repair == nil {
		return
	}
	some := func(b *verdict.Break) *verdict.Break {
		if b == nil {
			return nil
		}
		return &verdict.Break{}
	}
	rep := *r.Repair
	r.Repair = &rep
	rep.Before, rep.Hopeless = some(rep.Before), some(rep.Hopeless)
	if rep.Hopeless != nil || rep.Removal && rep.Before != nil { // the reason is that of the execution
		r.Reason = ""
	}
	rep.Rounds = 0
	if !rep.Removal {
		rep.Needs, rep.Clauses = nil, 0
	}
	if r.Verdict == verdict.Unknown {
		rep.Bound = 0
	}
	r.Fences, rep.Elsewhere = slices.Clone(r.Fences), slices.Clone(rep.Elsewhere)
	for i := range r.Fences {
		r.Fences[i].Without = some(r.Fences[i].Without)
	}
	for i := range rep.Elsewhere {
		rep.Elsewhere[i].Without = some(rep.Elsewhere[i].Without)
	}
}

// compared compares two values as JSON has them.
func compared(stored, now any) error {
	var trees [2]any
	for i, x := range []any{stored, now} {
		text, err := json.Marshal(x)
		if err != nil {
			return err
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber() // floating point would make large numbers equal that are not
		if err := dec.Decode(&trees[i]); err != nil {
			return err
		}
	}
	return firstDifference("", trees[0], trees[1])
}

// firstDifference names the first field in which two documents differ.
func firstDifference(at string, a, b any) error {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(x))
		for k := range y {
			if _, known := x[k]; !known {
				keys = append(keys, k)
			}
		}
		for _, k := range keys {
			if err := firstDifference(strings.TrimPrefix(at+"."+k, "."), x[k], y[k]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if err := firstDifference(fmt.Sprintf("%s[%d]", at, i), x[i], y[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return fmt.Errorf("%s: stored %s, computed %s", at, brief(a), brief(b))
}

// brief returns a value in few characters.
func brief(x any) string {
	if x == nil {
		return "absent"
	}
	text, err := json.Marshal(x)
	if err != nil {
		return fmt.Sprint(x)
	}
	if r := []rune(string(text)); len(r) > 80 {
		return string(r[:77]) + "..."
	}
	return string(text)
}

// limited reports whether a reason is about time or memory.
func limited(reason string) bool { return pipeline.LimitOf(reason) != pipeline.NoLimit }
