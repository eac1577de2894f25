package pipeline

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/trace"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Verification of stored executions: the program is read again, replay follows each
// witness, and what the result claims is held against what was computed. No engine
// takes part. What a reader is shown beside the steps proper (positions,
// instructions, the happens-before relation) is compared as well, if the program
// is the one the result is about to the letter.

// VerifyAnswer is what Verify says.
type VerifyAnswer struct {
	Checks      []TraceCheck
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the program was refused.
func (a *VerifyAnswer) HasErrors() bool { return Answer{Diagnostics: a.Diagnostics}.HasErrors() }

// TraceCheck is the judgement on one execution.
type TraceCheck struct {
	Name  string // such as violation, attack 2
	Model string
	Claim string // what it is said to show
	Steps int
	// Err is what is wrong, nil if nothing. Step is the step it is about, from 0, or
	// -1.
	Err  error
	Step int
}

// Verify replays the executions of results about a program.
func Verify(in Input, results []verdict.Result, opt Options) (answer VerifyAnswer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	v := &verifier{in: in, opt: opt}
	for i := range results {
		r := &results[i]
		executions := r.Executions()
		if len(executions) == 0 {
			continue
		}
		stage = "front end"
		ok := false
		switch {
		case r.Litmus != nil:
			ok = v.loadLitmus(r.Litmus.Loops)
		case r.Repair != nil && !r.Repair.Removal:
			ok = v.loadPlaces()
		default:
			ok = v.load()
		}
		if !ok {
			return VerifyAnswer{Diagnostics: v.diags}, nil
		}
		stage = "replay"
		v.identity(r)
		for k := range executions {
			v.checks = append(v.checks, v.check(r, &executions[k]))
		}
	}
	return VerifyAnswer{Checks: v.checks, Diagnostics: v.diags}, nil
}

type verifier struct {
	in     Input
	opt    Options
	diags  []verdict.Diagnostic
	checks []TraceCheck

	plain  *target // as check and robust see the program
	placed *target // as fences does, with a location between any two statements
	herd   *target // as litmus does
	loops  bool    // and with loops as they are
	now    *target
	same   bool // the source is that of the result
	named  bool // and the file is called the same
}

// target is a program ready to be executed.
type target struct {
	*program
	flat *ir.Program
	unit *litmus.Unit // nil but for litmus
}

func (v *verifier) load() bool {
	if v.plain == nil && !v.flatten(load(context.Background(), v.in, v.opt), &v.plain) {
		return false
	}
	v.now = v.plain
	return true
}

func (v *verifier) loadPlaces() bool {
	if v.placed == nil {
		p, pl := loadPlaces(context.Background(), v.in, FenceOptions{Options: v.opt, Style: FenceStyles()[0]})
		if !v.flatten(p, &v.placed) {
			return false
		}
		v.placed.flat, v.placed.props = transform.NewFences(v.placed.flat, p.props, pl.places).Insert(nil)
	}
	v.now = v.placed
	return true
}

// flatten makes a program ready, unless something is wrong with it.
func (v *verifier) flatten(p *program, into **target) bool {
	defer func() { v.diags = p.diags }()
	if !p.ok() {
		return false
	}
	flat := p.flat(v.opt)
	if flat == nil {
		return false
	}
	if d, refused := p.unboundedThreads(flat); refused {
		p.diags = append(p.diags, d)
		return false
	}
	*into = &target{program: p, flat: flat}
	return true
}

func (v *verifier) loadLitmus(loops bool) bool {
	if v.herd == nil || v.loops != loops {
		r := &litmusRun{program: newProgram(v.in), opt: LitmusOptions{Options: v.opt}}
		if v.loops = loops; loops {
			r.opt.Unroll = -1
		}
		unit, diags := litmus.Parse(r.file, litmus.Options{C: cOptions(v.opt)})
		r.report(diags)
		if unit.Program != nil {
			r.prepare(unit)
		}
		v.diags = r.diags
		if r.flat == nil {
			return false
		}
		v.herd = &target{program: r.program, flat: r.flat, unit: unit}
	}
	v.now = v.herd
	return true
}

// identity compares the program with the one the result is about, and warns.
func (v *verifier) identity(r *verdict.Result) {
	text, ok := r.Sources[r.Program]
	v.same = ok && text == string(v.in.Text)
	for _, f := range v.in.More {
		v.same = v.same && r.Sources[f.Name] == string(f.Text)
	}
	v.named = path.Base(r.Program) == path.Base(v.in.Name)
	message := ""
	switch {
	case v.same && !v.named:
		message = fmt.Sprintf("the program is called %s in the result under %s: the steps are replayed, what is said about them is not compared", path.Base(r.Program), strings.ToUpper(r.Model))
	case !ok:
		message = fmt.Sprintf("the result under %s has no source text: whether it is about this program cannot be told", strings.ToUpper(r.Model))
	case !v.same:
		message = fmt.Sprintf("the text differs from that of %s in the result under %s: the steps are replayed, positions are not compared", path.Base(r.Program), strings.ToUpper(r.Model))
	}
	if message == "" {
		return
	}
	d := verdict.Diagnostic{Severity: "warning", Code: "FP0960", Pos: verdict.Pos{File: v.in.Name}, Message: message}
	if !slices.ContainsFunc(v.diags, func(old verdict.Diagnostic) bool { return reflect.DeepEqual(old, d) }) {
		v.diags = append(v.diags, d)
	}
}

func (v *verifier) check(r *verdict.Result, e *verdict.Execution) TraceCheck {
	c := TraceCheck{Name: e.Name, Model: r.Model, Steps: len(e.Witness.Steps), Step: -1}
	var want replay.Expect
	c.Claim, want, c.Err = v.replay(r, e)
	if c.Err == nil && v.same && v.named {
		c.Err = v.words(r, e, want)
	}
	if c.Err != nil {
		fmt.Sscanf(c.Err.Error(), "step %d", &c.Step)
	}
	return c
}

// replay follows the steps and judges the claim, which it puts into words.
func (v *verifier) replay(r *verdict.Result, e *verdict.Execution) (claim string, want replay.Expect, err error) {
	model, err := replay.ParseModel(modelOf(r, e))
	if err != nil {
		return "an execution", want, err
	}
	if err := v.threads(e.Witness); err != nil {
		return "an execution", want, err
	}
	switch {
	case e.Attack != nil:
		return "an attack", want, v.attack(e.Attack, model)
	case e.Race != nil:
		return "an execution with a triangular race", want, v.race(e.Race)
	case strings.HasPrefix(e.Name, "outcome"):
		return e.Reason, want, v.outcome(e, model)
	case e.Question == Races:
		return "an execution with a data race", want, v.dataRace(e, model)
	case e.Question == Robustness:
		return "an execution whose trace has a cycle", want, v.cyclic(r, e, model)
	}
	claim, expects, err := v.claims(e)
	if err != nil {
		return claim, want, err
	}
	for _, want = range expects { // goals may look alike: one is enough
		if err = replay.Replay(v.now.flat, v.now.props, model, e.Witness, want); err == nil {
			break
		}
	}
	if err == nil && e.Cause != nil && len(e.Cause.Nodes) > 0 {
		err = v.order(e.Witness, e.Cause.Nodes, e.Cause.Edges, e.Cause.Cycle)
	}
	return claim, want, err
}

// dataRace holds an execution against the two accesses that are said to race.
func (v *verifier) dataRace(e *verdict.Execution, model replay.Model) error {
	if err := replay.Replay(v.now.flat, v.now.props, model, e.Witness, replay.Expect{Claim: replay.ClaimBeginning}); err != nil {
		return err
	}
	race, found := trace.FindRace(v.now.flat, e.Witness)
	if !found {
		return fmt.Errorf("end: expected a data race, computed none")
	}
	if text, _ := dataRaceText(v.now.flat, e.Witness, race); text != e.Reason {
		return fmt.Errorf("step %d: expected %q, computed %q", race.Second, e.Reason, text)
	}
	return nil
}

// cyclic holds an execution against the trace that is said to have a cycle.
func (v *verifier) cyclic(r *verdict.Result, e *verdict.Execution, model replay.Model) error {
	if err := replay.Replay(v.now.flat, v.now.props, model, e.Witness, replay.Expect{Claim: replay.ClaimExecution}); err != nil {
		return err
	}
	if r.Trace == nil {
		return fmt.Errorf("the result has no trace")
	}
	return v.order(e.Witness, r.Trace.Nodes, r.Trace.Edges, r.Trace.Cycle)
}

// threads compares the names, by which a reader knows who did what.
func (v *verifier) threads(w *verdict.Witness) error {
	if len(w.Threads) != len(v.now.flat.Threads) {
		return fmt.Errorf("the execution has %d threads, the program %d", len(w.Threads), len(v.now.flat.Threads))
	}
	for i, t := range v.now.flat.Threads {
		if t.Name != w.Threads[i] {
			return fmt.Errorf("thread %d is called %q in the execution and %q in the program", i, w.Threads[i], t.Name)
		}
	}
	return nil
}

// claims says what replay has to find at the end.
func (v *verifier) claims(e *verdict.Execution) (string, []replay.Expect, error) {
	props := v.now.props
	question := e.Question
	if e.Verdict == verdict.Observed {
		question = property.Exists.String()
	}
	switch question {
	case "goal":
		var all, placed []replay.Expect
		for i := range props.Goals {
			want := replay.Expect{Claim: replay.ClaimGoal, Goal: i}
			all = append(all, want)
			if at := position(props.Goals[i].Pos); e.Pos != nil && at.Line == e.Pos.Line && at.Col == e.Pos.Col {
				placed = append(placed, want)
			}
		}
		if len(all) == 0 {
			return "a goal state", nil, fmt.Errorf("the program has no goal")
		}
		if len(placed) > 0 {
			all = placed
		}
		return "a goal state", all, nil
	case StateRobustness:
		if n := len(e.Witness.Steps); n > 0 && e.Witness.Steps[n-1].Note != "" {
			return "an execution to a failed check", failedChecks(e.Witness.Steps[n-1].Edge), nil
		}
		_, final, ok := strings.Cut(e.Reason, newFinalState)
		if !ok {
			return "an execution to a final state", nil, fmt.Errorf("the reason does not name a final state: %q", e.Reason)
		}
		return "an execution to a final state", []replay.Expect{{Claim: replay.ClaimState, Final: final}}, nil
	case "deadlock":
		return "a deadlock", []replay.Expect{{Claim: replay.ClaimDeadlock}}, nil
	case property.Exists.String(), property.Never.String(), property.Forall.String():
		claim := "a final state that decides " + question
		if props.Final == nil || props.Final.Quantifier.String() != question {
			return claim, nil, fmt.Errorf("the program has no final condition with %s", question)
		}
		return claim, []replay.Expect{{Claim: replay.ClaimFinal}}, nil
	}
	class, ok := ir.ParseCheckClass(question)
	if !ok {
		return question, nil, fmt.Errorf("it is not known how to verify the answer to %q", question)
	}
	if len(e.Witness.Steps) == 0 {
		return "a failed check: " + question, nil, fmt.Errorf("an execution without steps cannot fail a check")
	}
	last := e.Witness.Steps[len(e.Witness.Steps)-1]
	return "a failed check: " + question, []replay.Expect{{Claim: replay.ClaimCheck, Class: class, Edge: ir.EdgeID(last.Edge)}}, nil
}

// failedChecks expects a check of any class to fail at an edge.
func failedChecks(edge int) []replay.Expect {
	var all []replay.Expect
	for class := ir.Assertion; class <= ir.ReadOnly; class++ {
		all = append(all, replay.Expect{Claim: replay.ClaimCheck, Class: class, Edge: ir.EdgeID(edge)})
	}
	return all
}

// outcome holds the final state against the one named.
func (v *verifier) outcome(e *verdict.Execution, model replay.Model) error {
	values, err := replay.Final(v.now.flat, model, e.Witness, v.now.props.Observe)
	if err != nil {
		return err
	}
	want := strings.TrimPrefix(e.Reason, "the program ends in ")
	if v.now.unit == nil {
		return fmt.Errorf("only litmus tests have outcomes")
	}
	if got := v.now.unit.State(values); got != want {
		return fmt.Errorf("end: expected the final state %s, computed %s", want, got)
	}
	return nil
}

// attack holds the execution, the pair of accesses and the cycle against what is
// computed.
func (v *verifier) attack(a *verdict.Attack, model replay.Model) error {
	w := a.Witness
	if err := replay.Replay(v.now.flat, v.now.props, model, w, replay.Expect{Claim: replay.ClaimExecution}); err != nil {
		return err
	}
	store, load := &w.Steps[a.StoreStep], &w.Steps[a.LoadStep]
	flush := slices.IndexFunc(w.Steps, func(s verdict.Step) bool { return s.Kind == verdict.StepFlush && s.Of == a.StoreStep })
	if store.Thread != load.Thread || load.Kind != verdict.StepLoad || a.StoreStep > a.LoadStep || flush < a.LoadStep {
		return fmt.Errorf("step %d: this store is not delayed past step %d", a.StoreStep, a.LoadStep)
	}
	if a.Thread != w.Threads[store.Thread] {
		return fmt.Errorf("step %d: the store is of thread %s, not %s", a.StoreStep, w.Threads[store.Thread], a.Thread)
	}
	return v.order(w, a.Nodes, a.Edges, a.Cycle)
}

// race holds the execution and the three accesses of a triangular race against what
// is computed.
func (v *verifier) race(r *verdict.Race) error {
	w := r.Witness
	if err := replay.Replay(v.now.flat, v.now.props, replay.SC, w, replay.Expect{Claim: replay.ClaimBeginning}); err != nil {
		return err
	}
	if err := holdsRace(v.now.flat, w, r.StoreStep, r.LoadStep); err != nil {
		return err
	}
	if thread, other := w.Threads[w.Steps[r.StoreStep].Thread], w.Threads[w.Steps[len(w.Steps)-1].Thread]; r.Thread != thread || r.Other != other {
		return fmt.Errorf("the race is between %s and %s, not %s and %s", thread, other, r.Thread, r.Other)
	}
	return nil
}

// order holds a happens-before relation and its cycle against the steps.
func (v *verifier) order(w *verdict.Witness, nodes []verdict.TraceNode, edges, cycle []verdict.TraceEdge) error {
	tr := trace.New(v.now.flat, w)
	want := traceEdges(tr.Edges)
	if !reflect.DeepEqual(nodes, traceNodes(v.now.flat, w, tr)) || !slices.Equal(edges, want) {
		return fmt.Errorf("the happens-before relation is not that of the steps")
	}
	if len(cycle) == 0 {
		return fmt.Errorf("there is no cycle in the happens-before relation")
	}
	for i, e := range cycle {
		from, to := nodes[e.From], nodes[e.To]
		forward := e.Kind == "po" && from.Thread == to.Thread && e.From < e.To
		if next := cycle[(i+1)%len(cycle)]; e.To != next.From || !forward && !slices.Contains(want, e) {
			return fmt.Errorf("the cycle is none: %s to %s", from.Text, to.Text)
		}
	}
	return nil
}
