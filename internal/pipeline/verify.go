package pipeline

import (
	"cmp"
	"context"
	"errors"
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
	"fencepost/verdict"
)

// Verification of stored answers. The program is read again, replay follows each witness, and
// what the result claims is held against what was computed; no engine takes part in that. What
// no execution shows (that there is none, how far the search went, final states, proofs) is
// asked again as the result says it was asked, and compared field by field. A result says
// which program it is about, so everything is read under the names it has there.

// VerifyAnswer is what Verify says.
type VerifyAnswer struct {
	Checks      []TraceCheck
	Diagnostics []verdict.Diagnostic
	// NotChecked names the fields that nothing was held against.
	NotChecked []string
}

// HasErrors reports whether the program was refused.
func (a *VerifyAnswer) HasErrors() bool { return Answer{Diagnostics: a.Diagnostics}.HasErrors() }

// TraceCheck is the judgement on one execution, or on something else that a result says.
type TraceCheck struct {
	Name  string // such as violation, attack 2, answer
	Model string
	Claim string // what it is said to show
	Steps int    // of an execution
	// Err is what is wrong, nil if nothing. Step is the step it is about, from 0, or
	// -1.
	Err  error
	Step int
	// Open: a limit was reached before anything could be said. Err says which.
	Open bool
}

// Verify checks stored results about a program.
func Verify(ctx context.Context, in Input, results []verdict.Result, opt Options) (answer VerifyAnswer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	v := &verifier{ctx: ctx, given: in, flags: opt, stage: &stage}
	for i := range results {
		if !v.result(&results[i]) {
			return VerifyAnswer{Diagnostics: v.diags}, nil
		}
	}
	return VerifyAnswer{Checks: v.checks, Diagnostics: v.diags, NotChecked: notChecked}, nil
}

type verifier struct {
	ctx    context.Context
	given  Input   // as the caller names the files
	flags  Options // of the caller
	stage  *string
	diags  []verdict.Diagnostic
	checks []TraceCheck

	in     Input         // the program under the names of the result
	opt    Options       // with which the result was asked for
	litmus LitmusOptions // the same
	fence  FenceOptions  // the same
	now    *target
	first  int // check of the result at hand
}

// spoiled reports whether something in the result at hand was rejected. Then the rest need not be
// asked again.
func (v *verifier) spoiled() bool {
	return slices.ContainsFunc(v.checks[v.first:], func(c TraceCheck) bool { return c.Err != nil })
}

// target is a program ready to be executed.
type target struct {
	*program
	flat *ir.Program
	unit *litmus.Unit // nil but for litmus
}

// result verifies one result; false if the program is refused.
func (v *verifier) result(r *verdict.Result) bool {
	if err := v.begin(r.Program, r.Asked, r.Sources); err != nil {
		v.judge(r.Model, "sources", "the program", err)
		return true
	}
	if r.Instance > 0 {
		v.opt.Threads, v.opt.Instances = r.Instance, r.Instance
	}
	*v.stage = "front end"
	v.first = len(v.checks)
	ok := false
	switch {
	case r.Litmus != nil:
		ok = v.loadLitmus(r.Litmus.Loops)
	case r.Repair != nil && !r.Repair.Removal:
		return v.repair(r)
	default:
		ok = v.load()
	}
	if !ok {
		return false
	}
	*v.stage = "replay"
	v.executions(r)
	v.judge(r.Model, "sources", "the program", v.sources(r.Sources, r))
	v.answer(r)
	return true
}

// executions follows every execution of a result.
func (v *verifier) executions(r *verdict.Result) {
	executions := r.Executions()
	for k := range executions {
		v.checks = append(v.checks, v.check(r, &executions[k]))
	}
}

// judge adds what was found about something that is no execution.
func (v *verifier) judge(model, name, claim string, err error) {
	open := errors.Is(err, errOpen)
	v.checks = append(v.checks, TraceCheck{Name: name, Model: model, Claim: claim, Err: err, Step: -1, Open: open})
}

// errOpen is in an error that says why something could not be decided.
var errOpen = errors.New("not decided")

// begin takes up what a result says was asked, and the names it has for files.
func (v *verifier) begin(program string, asked *verdict.Asked, sources map[string]string) error {
	if asked == nil {
		return fmt.Errorf("the result does not say what was asked")
	}
	if path.Base(program) != path.Base(v.given.Name) {
		return fmt.Errorf("the result is about %s, not %s", path.Base(program), path.Base(v.given.Name))
	}
	v.in = v.given
	v.in.Name, v.in.More = program, slices.Clone(v.given.More)
	for i := range v.in.More {
		f := &v.in.More[i]
		if f.Name = nameIn(sources, f.Name); f.Name == "" {
			return fmt.Errorf("the result has no text of %s", v.given.More[i].Name)
		}
	}
	for _, f := range append([]File{{v.in.Name, v.in.Text}}, v.in.More...) {
		if text, ok := sources[f.Name]; !ok {
			return fmt.Errorf("the result has no text of %s", f.Name)
		} else if text != string(f.Text) {
			return fmt.Errorf("the text of %s is not that in the result", path.Base(f.Name))
		}
	}
	v.fence = FenceDefaults()
	if err := recall(asked.Options, &v.fence); err != nil {
		return err
	}
	v.opt = v.fence.Options
	v.flags.override(&v.opt)
	dir, here := path.Dir(program), path.Dir(v.given.Name)
	if read := v.flags.C.Include; read != nil {
		v.opt.C.Include = func(name string) ([]byte, bool) {
			if rest, ok := strings.CutPrefix(name, dir+"/"); ok && dir != "." {
				name = path.Join(here, rest)
			} else if dir == "." && !path.IsAbs(name) {
				name = path.Join(here, name)
			}
			return read(name)
		}
	}
	v.fence.Options = v.opt
	v.litmus = LitmusOptions{Options: v.opt}
	err := recall(asked.Options, &v.litmus)
	v.litmus.Options = v.opt
	return err
}

// override sets what the caller asks of the verification itself.
func (o *Options) override(opt *Options) {
	opt.Workers, opt.Progress = o.Workers, o.Progress
	opt.Timeout = cmp.Or(o.Timeout, opt.Timeout)
	opt.Memory = cmp.Or(o.Memory, opt.Memory)
	opt.Lang = cmp.Or(o.Lang, opt.Lang)
	opt.Unroll = cmp.Or(o.Unroll, opt.Unroll)
	opt.Threads = cmp.Or(o.Threads, opt.Threads)
	from, to := reflect.ValueOf(o.C), reflect.ValueOf(&opt.C).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// nameIn is what a result calls a file, "" if it has none of this name or several.
func nameIn(sources map[string]string, name string) string {
	found := ""
	for s := range sources {
		switch {
		case s == name:
			return s
		case path.Base(s) != path.Base(name):
		case found != "":
			return ""
		default:
			found = s
		}
	}
	return found
}

// sources compares the texts a result carries with those that its executions point at.
func (v *verifier) sources(stored map[string]string, r *verdict.Result) error {
	now := *r
	v.now.carrySources(&now)
	return sameSources(stored, now.Sources)
}

// sameSources compares the texts that are stored with those that belong there.
func sameSources(stored, want map[string]string) error {
	for name, text := range want {
		if got, ok := stored[name]; !ok {
			return fmt.Errorf("the result has no text of %s", name)
		} else if got != text {
			return fmt.Errorf("the text of %s is not that in the result", name)
		}
	}
	for name := range stored {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("%s is no part of the program, or the answer does not point at it", name)
		}
	}
	return nil
}

func (v *verifier) load() bool {
	return v.flatten(load(v.ctx, v.in, v.opt))
}

// flatten makes a program ready, unless something is wrong with it.
func (v *verifier) flatten(p *program) bool {
	defer func() { v.diags = p.diags }()
	if !p.ok() {
		return false
	}
	if v.opt.Deadlock {
		p.props.Deadlock = true
	}
	flat := p.flat(v.opt)
	if flat == nil {
		return false
	}
	v.now = &target{program: p, flat: flat}
	return true
}

// loadLitmus reads a litmus test; loops says that its loops are searched as they are.
func (v *verifier) loadLitmus(loops bool) bool {
	r := &litmusRun{program: newProgram(v.in), opt: v.litmus}
	if loops {
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
	v.now = &target{program: r.program, flat: r.flat, unit: unit}
	return true
}

func (v *verifier) check(r *verdict.Result, e *verdict.Execution) TraceCheck {
	c := TraceCheck{Name: e.Name, Model: r.Model, Steps: len(e.Witness.Steps), Step: -1}
	var want replay.Expect
	c.Claim, want, c.Err = v.replay(r, e)
	if c.Err == nil {
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
	case e.Triangle != nil:
		return "an execution with a triangular race", want, v.race(e.Triangle)
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
	text, pos := dataRaceText(v.now.flat, e.Witness, race)
	if text != e.Reason {
		return fmt.Errorf("step %d: expected %q, computed %q", race.Second, e.Reason, text)
	}
	if !reflect.DeepEqual(pos, e.Pos) {
		return fmt.Errorf("pos: the race is said to be at another place than it is")
	}
	if last := len(untilRace(v.now.flat, e.Witness, race).Steps); last != len(e.Witness.Steps) {
		return fmt.Errorf("end: expected the race in the last step, computed step %d", last-1)
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
	if e.Reason != cyclicReason || e.Pos != nil {
		return fmt.Errorf("the reason is said to be %q, but is %q", e.Reason, cyclicReason)
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
	question := string(e.Question)
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
	case string(StateRobustness):
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
	if store.Thread != load.Thread || load.Kind != verdict.StepLoad && a.Action == "" || a.StoreStep > a.LoadStep || flush < a.LoadStep {
		return fmt.Errorf("step %d: this store is not delayed past step %d", a.StoreStep, a.LoadStep)
	}
	if a.Thread != w.Threads[store.Thread] {
		return fmt.Errorf("step %d: the store is of thread %s, not %s", a.StoreStep, w.Threads[store.Thread], a.Thread)
	}
	return v.order(w, a.Nodes, a.Edges, a.Cycle)
}

// race holds the execution and the three accesses of a triangular race against what
// is computed.
func (v *verifier) race(r *verdict.Triangle) error {
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
