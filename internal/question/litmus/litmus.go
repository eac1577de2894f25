package litmus

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/supervise"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "litmus"

// Test is a test on its way through the models.
type Test struct {
	run  *pipeline.Run
	Flat *ir.Program // the program that is searched, nil before Prepare
	opt  query.LitmusOptions
	sc   *scOutcomes // nil: not asked for

	complete map[string]bool // models under which every final state was found
	early    bool            // executions end before the test does
	states   int64           // limit of states, 0: none
}

// scOutcomes are the outcomes under SC.
type scOutcomes struct {
	states   map[string]bool
	complete bool
}

// Run runs a litmus test under each model.
func Run(ctx context.Context, in query.Input, opt query.LitmusOptions) (verdict.LitmusTest, error) {
	return newTest(pipeline.Open(in), opt).answer(ctx, opt.Models.OrTSO())
}

func newTest(run *pipeline.Run, opt query.LitmusOptions) *Test {
	return &Test{run: run, opt: opt, complete: map[string]bool{}}
}

// Read reads a test and makes the program that is searched; loops says that its loops are searched as they
// are.
func Read(ctx context.Context, run *pipeline.Run, opt query.LitmusOptions, loops bool) (*Test, error) {
	t := newTest(run, opt)
	if loops {
		t.opt.Unroll = -1
	}
	return t, t.read(ctx)
}

func (r *Test) read(ctx context.Context) error {
	how := pipeline.ReadOptions{Options: r.opt.Options}
	how.Lang = "litmus" // whatever the file is called
	if err := r.run.Read(ctx, how); err != nil {
		return err
	}
	r.run.Stage = "passes"
	return r.prepare()
}

func (r *Test) answer(ctx context.Context, models query.Models) (test verdict.LitmusTest, err error) {
	test = verdict.LitmusTest{File: r.run.Input.Name, Name: r.run.Input.Name}
	err = r.run.Do(ctx, func(ctx context.Context) (err error) {
		for _, name := range models {
			if _, err := pipeline.ParseAnyModel(name); err != nil {
				return err
			}
		}
		test.Results, err = r.results(ctx, models)
		return err
	})
	test.Diagnostics = r.run.Diagnostics
	for i := range test.Results {
		test.Results[i].Asked = pipeline.NewAsked(Command, r.opt)
	}
	return test, err
}

// results reads the test and searches it. A test that exceeds the limits before it is searched is unknown.
func (r *Test) results(ctx context.Context, models query.Models) ([]verdict.Result, error) {
	err := r.read(ctx)
	if err == nil {
		err = r.run.ListsInputs(r.Flat, "litmus")
	}
	if err == nil {
		ctx, cancel := supervise.TimeLimit(ctx, r.opt.Timeout)
		defer cancel()
		var results []verdict.Result
		results, err = supervise.Run(ctx, "the search", supervise.OfStage(r.opt.Timeout), func(ctx context.Context) ([]verdict.Result, error) { return r.search(ctx, models) })
		if err == nil {
			return results, nil
		}
	}
	var none []verdict.Result
	for _, model := range models {
		res := r.run.Undecided(model, err)
		if res == nil {
			return nil, err
		}
		none = append(none, r.unanswered(res))
	}
	return none, nil
}

// unanswered is a result without final states, with its reason as a note.
func (r *Test) unanswered(res *verdict.Result) verdict.Result {
	res.Litmus = &verdict.Litmus{Name: r.run.Input.Name, Verdict: "Unknown", Observation: "Unknown", Notes: []string{res.Reason}}
	if test := r.run.Litmus; test != nil { // it was read
		res.Litmus.Name, res.Litmus.Arch, res.Litmus.Kind, res.Litmus.Condition, res.Litmus.Hash = test.Name, test.Arch, test.Kind(), test.Condition, test.Hash()
	}
	return *res
}

// search runs the test under each model; a second time with its loops as they are where unrolling left
// something open.
func (r *Test) search(ctx context.Context, models query.Models) ([]verdict.Result, error) {
	if at := slices.Index(models, query.C11); at >= 0 && len(models) > 1 && r.run.Program.Orders == pipeline.OrdersNone {
		results, err := r.search(ctx, slices.Delete(slices.Clone(models), at, at+1))
		if err != nil {
			return nil, err
		}
		return slices.Insert(results, at, r.unanswered(r.run.WithoutOrders())), nil // the other models have answers
	}
	results, err := r.answers(ctx, models)
	if err != nil {
		return nil, err
	}
	loops, err := r.withLoops(results)
	if over := (*pipeline.OverLimit)(nil); errors.As(err, &over) {
		return results, nil // the first search has used all the time
	}
	if err != nil || loops == nil {
		return results, err
	}
	more, err := loops.answers(ctx, models)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(more, undecided) {
		results, r.complete = more, loops.complete
	}
	return results, nil
}

// answers runs the test under each model.
func (r *Test) answers(ctx context.Context, models query.Models) ([]verdict.Result, error) {
	var results, out []verdict.Result
	for _, name := range r.order(models) {
		r.run.Stage = "final states under " + string(name)
		model, err := pipeline.ParseAnyModel(name)
		if err != nil {
			return nil, err
		}
		res, err := r.under(ctx, model)
		if err != nil {
			return nil, err
		}
		results = append(results, *res)
	}
	for _, name := range models {
		i := slices.IndexFunc(results, func(res verdict.Result) bool { return res.Model == string(name) })
		out = append(out, results[i])
	}
	return out, nil
}

// loopStates is how many states of a test with its loops are searched, where the user did not ask for
// that.
const loopStates = 200_000

// withLoops returns the same test with its loops, where unrolling left something open and the user has
// not said how often loops run; else nil. Many loops go over few values, and there the search comes to an
// end.
func (r *Test) withLoops(results []verdict.Result) (*Test, error) {
	if r.opt.Unroll != 0 || !slices.ContainsFunc(results, undecided) {
		return nil, nil
	}
	run := *r.run
	p := *r.run.Program
	run.Program = &p
	loops := newTest(&run, r.opt)
	loops.states, loops.opt.Unroll = loopStates, -1
	p.Props = r.run.Litmus.Props
	return loops, loops.prepare()
}

// undecided reports whether a test is undecided.
func undecided(res verdict.Result) bool {
	return res.Verdict == verdict.Unknown || res.Litmus.Verdict == "Unknown" || res.Litmus.Observation == "Unknown"
}

// order puts SC first if others are to be compared with it.
func (r *Test) order(models query.Models) query.Models {
	if !r.opt.Witnesses {
		return models
	}
	return append(query.Models{query.SC}, slices.DeleteFunc(slices.Clone(models), func(m query.Model) bool { return m == query.SC })...)
}

// prepare makes the program that is searched.
func (r *Test) prepare() error {
	flat, err := r.inlined()
	if err != nil || r.opt.Unroll < 0 {
		r.Flat = flat
		return err
	}
	unrolled, props, err := transform.Unroll(flat, r.run.Props, r.opt.UnrollBound(), r.run.Stops(r.opt.Options))
	if over := (*pipeline.OverLimit)(nil); errors.As(err, &over) {
		return over
	}
	if err != nil {
		return r.run.Refuse(verdict.Diagnostic{Code: "FP0905", Message: err.Error()})
	}
	r.Flat, r.run.Props = unrolled, props
	return nil
}

// inlined returns the program without calls.
func (r *Test) inlined() (*ir.Program, error) {
	if r.run.Litmus.InC() {
		return r.run.Flatten(r.opt.Options)
	}
	// One function per thread and no calls: the program is flat as it is.
	flat := *r.run.IR
	flat.Form = ir.Flat
	if errs := ir.Verify(&flat); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the front end made a broken program: %v", errs[0]))
	}
	return &flat, nil
}

// under answers under one model.
func (r *Test) under(ctx context.Context, model memory.Model) (*verdict.Result, error) {
	flat := r.Flat
	if memory.HasC11 && model == memory.C11 {
		var err error
		if flat, err = pipeline.ForC11(r.run.Program, flat); err != nil {
			return nil, err
		}
	}
	task := r.run.Task(flat, model, &r.opt.Options)
	task.Limits.States, task.Progress = r.states, nil
	if r.opt.AllWitnesses {
		task.WitnessFinal = func(final string) bool {
			_, ok := r.line(final)
			return ok
		}
	} else if r.sc != nil {
		task.WitnessFinal = func(final string) bool {
			line, ok := r.line(final)
			return ok && !r.sc.states[line]
		}
	}
	out, by, err := pipeline.AllFinals(ctx, task, &r.opt.Options)
	if err != nil {
		return nil, err
	}
	supervise.Answered(ctx) // what is left is replay
	witnesses, err := r.check(flat, model, out)
	if err != nil {
		return nil, err
	}
	sum, err := r.run.Litmus.Summarize(out.Finals)
	if err != nil {
		return nil, err
	}
	res := r.run.ConcludeQuestions(model, by.Name, out, &pipeline.Asked{CheckOptions: query.CheckOptions{KeepGoing: true}, Given: pipeline.GivenBy(&r.opt.Options)})
	res.FinalStates = sum.States
	r.run.Restrict(res, &r.opt.Options)
	res.Litmus = r.herd(sum, out, witnesses)
	r.run.CarrySources(res)
	r.complete[model.String()] = out.Unknown == "" && out.Coverage.Exhaustive
	if r.opt.Witnesses && model == memory.SC {
		r.sc = &scOutcomes{states: map[string]bool{}, complete: out.Unknown == "" && out.Coverage.Exhaustive}
		for _, s := range sum.States {
			r.sc.states[s] = true
		}
	}
	return res, nil
}

// line returns a final state as herd prints it; false if the filter drops it.
func (r *Test) line(final string) (string, bool) {
	sum, err := r.run.Litmus.Summarize([]string{final})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if len(sum.States) == 0 {
		return "", false
	}
	return sum.States[0], true
}

// check replays every execution of the outcome. It removes the executions for final states from the
// outcome and returns them by state.
func (r *Test) check(flat *ir.Program, model memory.Model, out *engine.Outcome) (map[string]*verdict.Witness, error) {
	witnesses := map[string]*verdict.Witness{}
	var rest []engine.Violation
	for i := range out.Violations {
		v := out.Violations[i]
		against, shown := r.run.Program, v
		if v.Kind == engine.FinalReached {
			against = r.ending(v.Final)
			shown.Kind = engine.FinalViolated
		}
		if err := against.Replay(flat, model, &shown); err != nil {
			return nil, fmt.Errorf("the witness of a %s does not replay: %w", v.Kind, err)
		}
		if r.opt.Witnesses || r.opt.AllWitnesses {
			r.run.AddTexts(v.Witness)
		}
		if v.Kind != engine.FinalReached {
			rest = append(rest, v)
		} else if line, _ := r.line(v.Final); witnesses[line] == nil {
			witnesses[line] = v.Witness
		}
	}
	out.Violations = rest
	return witnesses, nil
}

// ending returns the program with another question: does it end in a final state?
func (r *Test) ending(final string) *pipeline.Program {
	values, err := r.run.Litmus.Values(final)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	is := ir.Int(1)
	for i, v := range values {
		is = ir.Binary(ir.LAnd, ir.S64, is, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v)))
	}
	return r.run.With(&property.Set{Final: &property.Final{
		Quantifier: property.Exists,
		Cond:       &property.Cond{Vars: r.run.Props.Observe, Expr: is, Text: final},
	}})
}

// herd returns what herd would print.
func (r *Test) herd(sum *litmus.Summary, out *engine.Outcome, witnesses map[string]*verdict.Witness) *verdict.Litmus {
	l := &verdict.Litmus{
		Name: r.run.Litmus.Name, Arch: r.run.Litmus.Arch, Kind: r.run.Litmus.Kind(), Condition: r.run.Litmus.Condition, Hash: r.run.Litmus.Hash(),
		Verdict: "No", Observation: sum.Observation(), Positive: sum.Positive, Negative: sum.Negative,
		Outcomes: make([]verdict.LitmusOutcome, len(sum.States)), Loops: r.opt.Unroll < 0,
	}
	if sum.Ok {
		l.Verdict = "Ok"
	}
	for i, s := range sum.States {
		l.Outcomes[i] = verdict.LitmusOutcome{State: s, Holds: sum.Holds[i], SC: r.sc.status(s), Witness: witnesses[s]}
	}
	// What a state shows stays true, however far the search got.
	shown := sum.Positive > 0 && r.run.Litmus.Quantifier != property.Forall || sum.Negative > 0 && r.run.Litmus.Quantifier == property.Forall
	reason := out.Unknown
	if reason == "" && len(out.Finals) == 0 {
		reason = "no execution comes to an end"
	}
	if reason != "" {
		l.Notes = append(l.Notes, reason)
	}
	if reason != "" || !out.Coverage.Complete() { // the notes name the bounds
		if !shown {
			l.Verdict = "Unknown"
		}
		if sum.Positive == 0 || sum.Negative == 0 {
			l.Observation = "Unknown"
		}
	}
	if reason == "" && len(sum.States) == 0 {
		l.Notes = append(l.Notes, "no final state satisfies the filter")
	}
	for i := range out.Violations {
		if v := &out.Violations[i]; v.Kind != engine.FinalViolated {
			r.early = true
			l.Notes = append(l.Notes, "some executions end early: "+r.run.Describe(v).Reason)
		}
	}
	return l
}

func (sc *scOutcomes) status(state string) verdict.SCStatus {
	switch {
	case sc == nil:
		return ""
	case sc.states[state]:
		return verdict.SCAllows
	case sc.complete:
		return verdict.SCForbids
	default:
		return verdict.SCUnknown
	}
}
