package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/litmus"
	"fencepost/internal/question/robust"
	"fencepost/internal/replay"
	"fencepost/internal/trace"
	"fencepost/query"
	"fencepost/verdict"
)

// Results checks stored results about a program.
func Results(ctx context.Context, in query.Input, results []verdict.Result, opt query.Options) (query.VerifyAnswer, error) {
	v := &verifier{ctx: ctx, given: in, flags: opt, run: pipeline.Open(in)}
	results, other := aboutGiven(in.Name, results)
	return v.answer(append(slices.Clone(notChecked), other...), func() error {
		for i := range results {
			if err := v.result(&results[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

type verifier struct {
	ctx    context.Context
	given  query.Input   // as the caller names the files
	flags  query.Options // of the caller
	run    *pipeline.Run
	checks []query.VerifyCheck

	in       query.Input   // the program under the names of the result
	question *question     // that the result answers
	opt      query.Options // with which the program is read for the result at hand
	now      *target
	first    int // check of the result at hand
}

// answer does the work, and collects what was found.
func (v *verifier) answer(notChecked []string, work func() error) (query.VerifyAnswer, error) {
	refused := false
	err := v.barrier(func() error {
		err := work()
		refused = errors.Is(err, pipeline.ErrRefused)
		return err
	})
	if err != nil || refused {
		return query.VerifyAnswer{Diagnostics: v.run.Diagnostics}, err
	}
	return query.VerifyAnswer{Checks: v.checks, Diagnostics: v.run.Diagnostics, NotChecked: notChecked}, nil
}

// barrier catches panics. Its report names the stage of the run at hand, which work may replace.
func (v *verifier) barrier(work func() error) error {
	outer := pipeline.Open(v.given)
	return outer.Do(v.ctx, func(ctx context.Context) error {
		v.ctx = ctx
		defer func() { outer.Stage = v.run.Stage }()
		return work()
	})
}

// spoiled reports whether something in the result at hand was rejected. Then the rest is not asked again.
func (v *verifier) spoiled() bool {
	return slices.ContainsFunc(v.checks[v.first:], func(c query.VerifyCheck) bool { return c.Err != nil })
}

// target is a program ready to be executed.
type target struct {
	*pipeline.Program
	flat *ir.Program
}

// result verifies one result. It returns an error if the program is refused. A program that exceeds a
// limit leaves the result open.
func (v *verifier) result(r *verdict.Result) error {
	err := v.readAndVerify(r)
	if over := (*pipeline.OverLimit)(nil); errors.As(err, &over) {
		v.judge(r.Model, "sources", "the program", fmt.Errorf("%w: %w", errOpen, over))
		return nil
	}
	return err
}

func (v *verifier) readAndVerify(r *verdict.Result) error {
	if err := v.begin(r.Program, r.Asked, r.Sources); err != nil {
		v.judge(r.Model, "sources", "the program", err)
		return nil
	}
	if r.Instance > 0 {
		v.opt.Threads, v.opt.Instances = r.Instance, r.Instance
	}
	v.first = len(v.checks)
	var err error
	switch {
	case r.Litmus != nil:
		err = v.readLitmus(r.Litmus.Loops)
	case r.Repair != nil && !r.Repair.Removal:
		return v.repair(r)
	case r.Linearizability != nil && r.Linearizability.Client == "":
		return v.clients(r)
	case r.Linearizability != nil:
		err = v.readClient(r.Linearizability)
	default:
		err = v.read()
	}
	if err != nil {
		return err
	}
	v.run.Stage = "replay"
	v.executions(r)
	v.judge(r.Model, "sources", "the program", v.sources(r.Sources, r))
	v.rest(r)
	return nil
}

// executions replays every execution of a result.
func (v *verifier) executions(r *verdict.Result) {
	executions := r.Executions()
	for k := range executions {
		v.checks = append(v.checks, v.check(r, &executions[k]))
	}
}

// judge adds a judgement on something that is no execution.
func (v *verifier) judge(model, name, shows string, err error) {
	open := errors.Is(err, errOpen)
	v.checks = append(v.checks, query.VerifyCheck{Name: name, Model: model, Shows: shows, Err: err, Step: -1, Open: open})
}

// errOpen is in an error that says why something could not be decided.
var errOpen = errors.New("not decided")

// begin begins with a result: with what was asked, and the names that the result has for files.
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
	for _, f := range append([]query.File{{Name: v.in.Name, Text: v.in.Text}}, v.in.More...) {
		stored := pipeline.StoredText(f.Text)
		if text, ok := sources[f.Name]; !ok {
			return fmt.Errorf("the result has no text of %s", f.Name)
		} else if text != stored && !(stored != string(f.Text) && f.Name == v.in.Name) { // the listing is compared later
			return fmt.Errorf("the text of %s differs from the text in the result", path.Base(f.Name))
		}
	}
	v.run = pipeline.Open(v.in)
	return v.recall(asked)
}

// nameIn returns the name of a file in a result, "" if the result has no such file or several.
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

// read reads the program and makes it flat.
func (v *verifier) read() error {
	if q := v.question.fences; q != nil && !q.Remove { // an answer without a repair
		rep, _, err := fences.Prepare(v.ctx, v.run, *q)
		if err == nil {
			v.now = &target{Program: v.run.Program, flat: rep.Flat}
		}
		return err
	}
	_, proof := v.question.options.(*query.ProveOptions)
	if err := v.run.Read(v.ctx, pipeline.ReadOptions{Options: v.opt, Annotations: proof}); err != nil {
		return err
	}
	v.question.add(v.run.Props)
	flat, err := v.run.Flatten(v.opt)
	if err == nil {
		v.question.addDefault(v.run.Props, flat)
	}
	v.now = &target{Program: v.run.Program, flat: flat}
	return err
}

// readLitmus reads a litmus test; loops says that its loops are searched as they are.
func (v *verifier) readLitmus(loops bool) error {
	opt := query.LitmusOptions{Options: v.opt}
	test, err := litmus.Read(v.ctx, v.run, opt, loops)
	v.now = &target{Program: v.run.Program, flat: test.Flat}
	return err
}

func (v *verifier) check(r *verdict.Result, e *verdict.Execution) query.VerifyCheck {
	c := query.VerifyCheck{Name: e.Name, Model: r.Model, Steps: len(e.Witness.Steps), Step: -1}
	var want replay.Expect
	if isC11(modelOf(r, e)) {
		flat, err := pipeline.ForC11(v.now.Program, v.now.flat)
		if err != nil {
			c.Shows, c.Err = "a graph", err
			return c
		}
		defer func(was *target) { v.now = was }(v.now)
		v.now = &target{Program: v.now.Program, flat: flat}
	}
	if c.Shows, want, c.Err = v.replay(r, e); c.Err == nil {
		c.Err = v.words(r, e, want)
	}
	if c.Err != nil {
		fmt.Sscanf(c.Err.Error(), "step %d", &c.Step)
	}
	return c
}

// replay executes the steps and judges what the execution shows, which it puts into words.
func (v *verifier) replay(r *verdict.Result, e *verdict.Execution) (shows string, want replay.Expect, err error) {
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
		return "an execution with a triangular race", want, v.triangle(e.Triangle)
	case strings.HasPrefix(e.Name, "outcome"):
		return e.Reason, want, v.outcome(e, model)
	case strings.HasPrefix(e.Name, "ending"):
		want = replay.Expect{Target: replay.TargetState, Final: strings.TrimPrefix(e.Reason, verdict.EndsIn)}
		return e.Reason, want, replay.Replay(v.now.flat, v.now.Props, model, e.Witness, want)
	case model == replay.C11 && (e.Question == verdict.DataRaces || e.Question == verdict.Robustness && pipeline.DataRaceReason(e.Reason)):
		return "a graph with a data race", want, v.unorderedAccesses(e)
	case model == replay.C11 && e.Question == verdict.Robustness:
		return "a graph that SC does not have", want, v.notSC(e)
	case e.Question == verdict.DataRaces:
		return "an execution with a data race", want, v.dataRace(e, model)
	case e.Question == verdict.MemoryLeaks:
		return "an execution with a memory leak", want, v.leak(e, model)
	case e.Question == verdict.Robustness:
		return "an execution whose trace has a cycle", want, v.cyclic(r, e, model)
	}
	shows, expects, err := v.expected(e)
	if err != nil {
		return shows, want, err
	}
	for _, want = range expects { // goals may look alike: one is enough
		if err = replay.Replay(v.now.flat, v.now.Props, model, e.Witness, want); err == nil {
			break
		}
	}
	if err == nil && e.Cause != nil && len(e.Cause.Nodes) > 0 && model != replay.C11 {
		err = v.order(e.Witness, e.Cause.Nodes, e.Cause.Edges, e.Cause.Cycle)
	}
	return shows, want, err
}

// dataRace checks that the two accesses that the result names race in an execution.
func (v *verifier) dataRace(e *verdict.Execution, model replay.Model) error {
	if err := replay.Replay(v.now.flat, v.now.Props, model, e.Witness, replay.Expect{Target: replay.TargetPrefix}); err != nil {
		return err
	}
	dataRace, found := trace.FindRace(v.now.flat, e.Witness)
	if !found {
		return fmt.Errorf("end: expected a data race, computed none")
	}
	text, pos := check.RaceText(v.now.flat, e.Witness, dataRace)
	if text != e.Reason {
		return fmt.Errorf("step %d: expected %q, computed %q", dataRace.Second, e.Reason, text)
	}
	if !reflect.DeepEqual(pos, e.Pos) {
		return fmt.Errorf("pos: the result gives a wrong position of the race")
	}
	if last := len(check.UntilRace(v.now.flat, e.Witness, dataRace).Steps); last != len(e.Witness.Steps) {
		return fmt.Errorf("end: expected the race in the last step, computed step %d", last-1)
	}
	return nil
}

// leak checks that the blocks that the result names are lost at the end of an execution.
func (v *verifier) leak(e *verdict.Execution, model replay.Model) error {
	lost, err := replay.FinalText(v.now.flat, model, e.Witness, &property.Set{Leaks: true})
	if err != nil {
		return err
	}
	if lost == "" {
		return fmt.Errorf("end: expected a memory leak, computed none")
	}
	text, pos := check.LeakText(v.now.flat, lost)
	if text != e.Reason {
		return fmt.Errorf("end: expected %q, computed %q", e.Reason, text)
	}
	if !reflect.DeepEqual(pos, e.Pos) {
		return fmt.Errorf("pos: the result gives a wrong position of the allocation")
	}
	return nil
}

// cyclic compares an execution with the trace that has a cycle according to the result.
func (v *verifier) cyclic(r *verdict.Result, e *verdict.Execution, model replay.Model) error {
	if err := pipeline.ReplayTrace(v.now.flat, model, e.Witness); err != nil {
		return err
	}
	if r.Trace == nil {
		return fmt.Errorf("the result has no trace")
	}
	if e.Reason != check.CyclicReason || e.Pos != nil {
		return fmt.Errorf("the result gives the reason %q, but the reason is %q", e.Reason, check.CyclicReason)
	}
	return v.order(e.Witness, r.Trace.Nodes, r.Trace.Edges, r.Trace.Cycle)
}

// threads compares the names of the threads.
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

// expected returns what replay has to find at the end.
func (v *verifier) expected(e *verdict.Execution) (string, []replay.Expect, error) {
	props := v.now.Props
	question := string(e.Question)
	if e.Verdict == verdict.Observed {
		question = property.Exists.String()
	}
	switch question {
	case "goal":
		var all, here []replay.Expect
		for i := range props.Goals {
			want := replay.Expect{Target: replay.TargetGoal, Goal: i}
			all = append(all, want)
			if at := pipeline.Position(props.Goals[i].Pos); e.Pos != nil && at.Line == e.Pos.Line && at.Col == e.Pos.Col {
				here = append(here, want)
			}
		}
		if len(all) == 0 {
			return "a goal state", nil, fmt.Errorf("the program has no goal")
		}
		if len(here) > 0 {
			all = here
		}
		return "a goal state", all, nil
	case string(verdict.StateRobustness):
		if n := len(e.Witness.Steps); n > 0 && e.Witness.Steps[n-1].Note != "" {
			return "an execution to a failed check", failedChecks(e.Witness.Steps[n-1].Edge), nil
		}
		_, final, ok := strings.Cut(e.Reason, robust.NewFinalState)
		if !ok {
			return "an execution to a final state", nil, fmt.Errorf("the reason does not name a final state: %q", e.Reason)
		}
		return "an execution to a final state", []replay.Expect{{Target: replay.TargetState, Final: final}}, nil
	case string(verdict.NonTermination):
		return "an execution that never ends", []replay.Expect{{Target: replay.TargetEndless}}, nil
	case "deadlock":
		return "a deadlock", []replay.Expect{{Target: replay.TargetDeadlock}}, nil
	case property.Exists.String(), property.Never.String(), property.Forall.String():
		shows := "a final state that decides " + question
		if props.Final == nil || props.Final.Quantifier.String() != question {
			return shows, nil, fmt.Errorf("the program has no final condition with %s", question)
		}
		return shows, []replay.Expect{{Target: replay.TargetFinal}}, nil
	}
	class, ok := ir.ParseCheckClass(question)
	if question == string(verdict.Linearizable) && v.question.lin != nil { // the client ends with an assertion
		class, ok = ir.Assertion, true
	}
	if !ok {
		return question, nil, fmt.Errorf("fencepost cannot verify the answer to %q", question)
	}
	if len(e.Witness.Steps) == 0 {
		return "a failed check: " + question, nil, fmt.Errorf("an execution without steps cannot fail a check")
	}
	last := e.Witness.Steps[len(e.Witness.Steps)-1]
	if class == ir.NotSupported {
		return "an execution to a construct that is not supported", []replay.Expect{{Target: replay.TargetCheck, Class: class, Edge: ir.EdgeID(last.Edge)}}, nil
	}
	return "a failed check: " + question, []replay.Expect{{Target: replay.TargetCheck, Class: class, Edge: ir.EdgeID(last.Edge)}}, nil
}

// failedChecks expects that a check of any class fails at an edge.
func failedChecks(edge int) []replay.Expect {
	var all []replay.Expect
	for class := ir.Assertion; class <= ir.ReadOnly; class++ {
		all = append(all, replay.Expect{Target: replay.TargetCheck, Class: class, Edge: ir.EdgeID(edge)})
	}
	return all
}

// outcome compares the final state with the one that the result names.
func (v *verifier) outcome(e *verdict.Execution, model replay.Model) error {
	values, err := replay.Final(v.now.flat, model, e.Witness, v.now.Props.Observe)
	if err != nil {
		return err
	}
	want := strings.TrimPrefix(e.Reason, verdict.EndsIn)
	if v.now.Litmus == nil {
		return fmt.Errorf("only litmus tests have outcomes")
	}
	if got := v.now.Litmus.State(values); got != want {
		return fmt.Errorf("end: expected the final state %s, computed %s", want, got)
	}
	return nil
}

// triangle compares the execution and the three accesses of a triangular race with what is computed.
func (v *verifier) triangle(r *verdict.Triangle) error {
	w := r.Witness
	if err := replay.Replay(v.now.flat, v.now.Props, replay.SC, w, replay.Expect{Target: replay.TargetPrefix}); err != nil {
		return err
	}
	if err := trace.Triangle(v.now.flat, w, r.StoreStep, r.LoadStep); err != nil {
		return err
	}
	if thread, other := w.Threads[w.Steps[r.StoreStep].Thread], w.Threads[w.Steps[len(w.Steps)-1].Thread]; r.Thread != thread || r.Other != other {
		return fmt.Errorf("the race is between %s and %s, not %s and %s", thread, other, r.Thread, r.Other)
	}
	return nil
}

// order compares a happens-before relation and its cycle with the steps.
func (v *verifier) order(w *verdict.Witness, nodes []verdict.TraceNode, edges, cycle []verdict.TraceEdge) error {
	tr := trace.New(v.now.flat, w)
	want := pipeline.TraceEdges(tr.Edges)
	if !reflect.DeepEqual(nodes, pipeline.TraceNodes(v.now.flat, w, tr)) || !slices.Equal(edges, want) {
		return fmt.Errorf("the happens-before relation is not that of the steps")
	}
	if len(cycle) == 0 {
		return fmt.Errorf("there is no cycle in the happens-before relation")
	}
	for i, e := range cycle {
		from, to := nodes[e.From], nodes[e.To]
		forward := e.Kind == "po" && from.Thread == to.Thread && e.From < e.To
		if next := cycle[(i+1)%len(cycle)]; e.To != next.From || !forward && !slices.Contains(want, e) {
			return fmt.Errorf("the stored cycle is not a cycle of the relation: see the edge from %s to %s", from.Text, to.Text)
		}
	}
	return nil
}
