package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"fencepost/internal/diag"
	"fencepost/internal/engine"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// LitmusOptions say how litmus tests run. Of Options, Timeout, Memory, Buffer,
// Unroll, Workers and NoReduction count.
type LitmusOptions struct {
	Options
	// Witnesses asks for an execution for every outcome that SC does not allow.
	Witnesses bool
}

// litmusRun is a test on its way through the models.
type litmusRun struct {
	*program
	unit *litmus.Unit
	flat *ir.Program
	opt  LitmusOptions
	sc   *scOutcomes // nil: not asked for

	complete map[string]bool // models under which every final state was found
	early    bool            // executions end before the test does
	states   int64           // to look at, 0: no limit
}

// scOutcomes is what SC allows.
type scOutcomes struct {
	states   map[string]bool
	complete bool
}

// Litmus runs a litmus test under each model.
func Litmus(ctx context.Context, in Input, models []string, opt LitmusOptions) (verdict.LitmusTest, error) {
	return newLitmusRun(in, opt).answer(ctx, in, models, opt)
}

func newLitmusRun(in Input, opt LitmusOptions) *litmusRun {
	return &litmusRun{program: newProgram(in), opt: opt, complete: map[string]bool{}}
}

func (r *litmusRun) answer(ctx context.Context, in Input, models []string, opt LitmusOptions) (test verdict.LitmusTest, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	defer func() {
		for i := range test.Results {
			test.Results[i].Asked = newAsked(askedLitmus, opt)
		}
	}()

	test = verdict.LitmusTest{File: in.Name, Name: in.Name}
	var unit *litmus.Unit
	var diags *diag.List
	read := func() { unit, diags = litmus.Parse(r.file, litmus.Options{C: cOptions(opt.Options)}) }
	if over := within(ctx, opt.Options, read); over != "" {
		test.Diagnostics = unread(in, over).diags
		return test, nil
	}
	r.report(diags)
	stage = "passes"
	if unit.Program != nil {
		r.prepare(unit)
	}
	test.Diagnostics = r.diags
	if r.flat == nil {
		return test, nil
	}
	if d, refused := r.unlistedInputs(r.flat, "litmus"); refused {
		test.Diagnostics = append(r.diags, d)
		return test, nil
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	if test.Results, err = r.answers(ctx, models, &stage); err != nil {
		return test, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	if loops := r.asTheyAre(test.Results); loops != nil {
		more, err := loops.answers(ctx, models, &stage)
		if err != nil {
			return test, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
		}
		if !slices.ContainsFunc(more, undecided) {
			test.Results, r.complete = more, loops.complete
		}
	}
	return test, nil
}

// answers runs the test under each model.
func (r *litmusRun) answers(ctx context.Context, models []string, stage *string) ([]verdict.Result, error) {
	var results, out []verdict.Result
	for _, name := range r.order(models) {
		*stage = "engine explicit under " + name
		model, ok := memory.ParseModel(name)
		if !ok {
			return nil, fmt.Errorf("unknown memory model %q", name)
		}
		res, err := r.run(ctx, model)
		if err != nil {
			return nil, err
		}
		results = append(results, *res)
	}
	for _, name := range models {
		i := slices.IndexFunc(results, func(res verdict.Result) bool { return res.Model == name })
		out = append(out, results[i])
	}
	return out, nil
}

// loopStates is how many states of a test with its loops are looked at, where nobody
// asked for that.
const loopStates = 200_000

// asTheyAre is the same test with its loops, where unrolling left something open and the
// user has not said how often loops run; else nil. Many loops go over few values, and
// there the search comes to an end.
func (r *litmusRun) asTheyAre(results []verdict.Result) *litmusRun {
	if r.opt.Unroll != 0 || !slices.ContainsFunc(results, undecided) {
		return nil
	}
	p := *r.program
	loops := &litmusRun{program: &p, opt: r.opt, states: loopStates, complete: map[string]bool{}}
	loops.opt.Unroll = -1
	loops.prepare(r.unit)
	return loops
}

// undecided reports whether a test is.
func undecided(res verdict.Result) bool {
	return res.Verdict == verdict.Unknown || res.Litmus.Verdict == "Unknown" || res.Litmus.Observation == "Unknown"
}

// order puts SC first if others are to be compared with it.
func (r *litmusRun) order(models []string) []string {
	if !r.opt.Witnesses {
		return models
	}
	sc := memory.SC.String()
	return append([]string{sc}, slices.DeleteFunc(slices.Clone(models), func(m string) bool { return m == sc })...)
}

// prepare makes the program that is searched.
func (r *litmusRun) prepare(unit *litmus.Unit) {
	r.unit, r.ir, r.props = unit, unit.Program, unit.Props
	flat := r.inlined(unit)
	if flat == nil || r.opt.Unroll < 0 {
		r.flat = flat
		return
	}
	unrolled, props, err := transform.Unroll(flat, unit.Props, r.opt.unroll())
	if err != nil {
		r.diags = append(r.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0905", Pos: verdict.Pos{File: r.input.Name}, Message: err.Error(),
		})
		return
	}
	r.flat, r.props = unrolled, props
}

// inlined is the program without calls; nil if that is too large.
func (r *litmusRun) inlined(unit *litmus.Unit) *ir.Program {
	if errs := ir.Verify(unit.Program); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the front end made a broken program: %v", errs[0]))
	}
	if unit.InC() {
		return r.program.flat(r.opt.Options)
	}
	// One function per thread and no calls: the program is flat as it is.
	flat := *unit.Program
	flat.Form = ir.Flat
	if errs := ir.Verify(&flat); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: the front end made a broken program: %v", errs[0]))
	}
	return &flat
}

// run answers under one model.
func (r *litmusRun) run(ctx context.Context, model memory.Model) (*verdict.Result, error) {
	task := &engine.Task{
		Program: r.flat, Props: r.props, Model: model, Finals: true, KeepGoing: true, NoReduction: r.opt.NoReduction,
		Limits: engine.Limits{Memory: r.opt.Memory, States: r.states, Buffer: r.opt.buffer(), Workers: r.opt.Workers},
	}
	if task.Limits.Workers <= 0 {
		task.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	if r.sc != nil {
		task.WitnessFinal = func(final string) bool {
			line, ok := r.line(final)
			return ok && !r.sc.states[line]
		}
	}
	out, by, err := allFinals(ctx, task, r.opt.Options)
	if err != nil {
		return nil, err
	}
	witnesses, err := r.check(model, out)
	if err != nil {
		return nil, err
	}
	sum, err := r.unit.Summarize(out.Finals)
	if err != nil {
		return nil, err
	}
	res := &verdict.Result{
		Program: r.input.Name, Model: model.String(), Engine: by.Name,
		Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings, FinalStates: sum.States,
	}
	opt := r.opt.Options
	opt.KeepGoing = true
	r.conclude(res, out, opt)
	r.restrict(res, r.opt.Options)
	res.Litmus = r.herd(sum, out, witnesses)
	r.carrySources(res)
	r.complete[model.String()] = out.Unknown == "" && out.Coverage.Exhaustive
	if r.opt.Witnesses && model == memory.SC {
		r.sc = &scOutcomes{states: map[string]bool{}, complete: out.Unknown == "" && out.Coverage.Exhaustive}
		for _, s := range sum.States {
			r.sc.states[s] = true
		}
	}
	return res, nil
}

// line is a final state as herd prints it; false if the filter drops it.
func (r *litmusRun) line(final string) (string, bool) {
	sum, err := r.unit.Summarize([]string{final})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if len(sum.States) == 0 {
		return "", false
	}
	return sum.States[0], true
}

// check replays every execution of the outcome. Those for final states are taken
// out and returned by state.
func (r *litmusRun) check(model memory.Model, out *engine.Outcome) (map[string]*verdict.Witness, error) {
	witnesses := map[string]*verdict.Witness{}
	var rest []engine.Violation
	for i := range out.Violations {
		v := out.Violations[i]
		against, claim := r.program, v
		if v.Kind == engine.FinalReached {
			against = r.ending(v.Final)
			claim.Kind = engine.FinalViolated
		}
		if err := against.replay(r.flat, model, &claim); err != nil {
			return nil, fmt.Errorf("the witness of a %s does not replay: %w", v.Kind, err)
		}
		if r.opt.Witnesses {
			r.addTexts(v.Witness)
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

// ending is the program with another question: does it end in a final state?
func (r *litmusRun) ending(final string) *program {
	values, err := r.unit.Values(final)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	is := ir.Int(1)
	for i, v := range values {
		is = ir.Binary(ir.LAnd, ir.S64, is, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v)))
	}
	p := *r.program
	p.props = &property.Set{Final: &property.Final{
		Quantifier: property.Exists,
		Cond:       &property.Cond{Vars: r.props.Observe, Expr: is, Text: final},
	}}
	return &p
}

// herd says what herd would.
func (r *litmusRun) herd(sum *litmus.Summary, out *engine.Outcome, witnesses map[string]*verdict.Witness) *verdict.Litmus {
	l := &verdict.Litmus{
		Name: r.unit.Name, Kind: r.unit.Kind(), Condition: r.unit.Condition, Hash: r.unit.Hash(),
		Verdict: "No", Observation: sum.Observation(), Positive: sum.Positive, Negative: sum.Negative,
		Outcomes: make([]verdict.LitmusOutcome, len(sum.States)), Loops: r.opt.Unroll < 0,
	}
	if sum.Ok {
		l.Verdict = "Ok"
	}
	for i, s := range sum.States {
		l.Outcomes[i] = verdict.LitmusOutcome{State: s, Holds: sum.Holds[i], SC: r.sc.status(s), Witness: witnesses[s]}
	}
	// What some state shows stays true, however far the search got.
	shown := sum.Positive > 0 && r.unit.Quantifier != property.Forall || sum.Negative > 0 && r.unit.Quantifier == property.Forall
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
			l.Notes = append(l.Notes, "some executions end early: "+r.describe(v, out).Reason)
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
