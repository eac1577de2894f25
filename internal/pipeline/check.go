package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
	"fencepost/verdict"
)

// Check answers the program's own questions under each model.
func Check(ctx context.Context, in Input, models []string, opt Options) (answer Answer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	defer func() { remember(&answer, askedCheck, opt) }()

	p := load(ctx, in, opt)
	if !p.ok() {
		return Answer{Diagnostics: p.diags}, nil
	}
	if opt.Deadlock {
		p.props.Deadlock = true
	}
	if p.props.Empty() && !opt.Finals && !opt.Robustness && !opt.Races {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0900", Pos: verdict.Pos{File: in.Name},
			Message: "no assertion, goal or final condition: there is nothing to check",
			Notes:   []string{"add an assert, a goal or a final condition; or list the final states with --final-states"},
		})
		return Answer{Diagnostics: p.diags}, nil
	}
	stage = "passes"
	flat := p.flat(opt)
	if flat == nil {
		return Answer{Diagnostics: p.diags}, nil
	}
	if d, refused := p.unboundedThreads(flat); refused {
		return Answer{Diagnostics: append(p.diags, d)}, nil
	}
	for _, name := range models {
		if d, refused := p.refusedBy(opt, flat, name); refused {
			return Answer{Diagnostics: append(p.diags, d)}, nil
		}
		stage = "engines under " + name
		model, ok := memory.ParseModel(name)
		if !ok {
			return Answer{}, fmt.Errorf("unknown memory model %q", name)
		}
		if d, refused := p.refusedInputs(opt, flat, model); refused {
			return Answer{Diagnostics: append(p.diags, d)}, nil
		}
		if opt.Robustness || opt.Races {
			if d, refused := p.untraced(flat, model, opt); refused {
				return Answer{Diagnostics: append(p.diags, d)}, nil
			}
		}
		res, err := p.answer(ctx, flat, model, opt)
		if err != nil {
			return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
		}
		p.restrict(res, opt)
		answer.Results = append(answer.Results, *res)
	}
	answer.Diagnostics = p.diags
	return answer, nil
}

// caught turns a broken invariant into an error that names stage and input.
func caught(stage *string, in Input, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s, %s: %v\n%s", in.Name, *stage, r, stack())
	}
}

func stack() []byte {
	buf := make([]byte, 8<<10)
	return buf[:runtime.Stack(buf, false)]
}

// unboundedThreads refuses templates of any number of threads.
func (p *program) unboundedThreads(flat *ir.Program) (verdict.Diagnostic, bool) {
	for _, t := range flat.Threads {
		if t.Unbounded {
			return verdict.Diagnostic{
				Severity: verdict.SeverityError, Code: "FP0902", Pos: position(t.Pos),
				Message: fmt.Sprintf("thread %s stands for any number of threads", t.Name),
				Notes:   []string{"this check needs a fixed number: give --threads 2, for instance"},
			}, true
		}
	}
	return verdict.Diagnostic{}, false
}

// refusedBy says why the engine that was asked for cannot answer.
func (p *program) refusedBy(opt Options, flat *ir.Program, model string) (verdict.Diagnostic, bool) {
	m, ok := memory.ParseModel(model)
	if opt.Engine == "" || !ok {
		return verdict.Diagnostic{}, false
	}
	e, err := engineNamed(opt.Engine, opt)
	if err != nil {
		return verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0912", Pos: verdict.Pos{File: p.input.Name}, Message: err.Error()}, true
	}
	if err := e.Supports(p.task(flat, m, opt)); err != nil {
		return p.unsupported(err), true
	}
	return verdict.Diagnostic{}, false
}

// answer states the verdict under one model: by the engine asked for, or by the
// portfolio. What only the first engine can do, it does alone.
func (p *program) answer(ctx context.Context, flat *ir.Program, model memory.Model, opt Options) (*verdict.Result, error) {
	if opt.Timeout > 0 { // every model has the time to itself
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	if opt.Robustness {
		return p.robustByTraces(ctx, flat, model, opt)
	}
	if opt.Races {
		return p.withRaces(ctx, flat, model, opt)
	}
	e := &explicit.Engine
	if opt.Engine != "" {
		e, _ = engineNamed(opt.Engine, opt)
	} else if !opt.Finals && !opt.KeepGoing && !opt.NoReduction {
		return p.portfolio(ctx, flat, model, opt)
	}
	a := &asked{engine: e, model: model, under: model}
	p.ask(ctx, a, flat, opt)
	if a.err != nil || !a.res.BoundedOnly || opt.Engine != "" {
		return a.res, a.err
	}
	all, res, err := p.others(ctx, flat, a, opt)
	if err == nil {
		res.Engines = reports(append([]*asked{a}, all...))
	}
	return res, err
}

// task is the program's own questions under a model.
func (p *program) task(flat *ir.Program, model memory.Model, opt Options) *engine.Task {
	task := &engine.Task{
		Program: flat, Props: p.props, Model: model, Finals: opt.Finals, NoReduction: opt.NoReduction,
		Limits: engine.Limits{Memory: opt.Memory, Buffer: opt.buffer(), Unroll: opt.unroll(), Workers: workers(opt)},
		// An observation must not hide a violation that is further away.
		KeepGoing: opt.KeepGoing || opt.Finals || p.observes() && p.asksMore(),
	}
	if opt.Progress != nil {
		task.Progress = func(g engine.Progress) {
			opt.Progress(Progress{
				Model: model.String(), States: g.States, Waiting: g.Waiting, Depth: g.Depth, Elapsed: g.Elapsed,
				Executions: g.Executions, Low: g.Low, High: g.High,
			})
		}
	}
	return task
}

func workers(opt Options) int {
	if opt.Workers > 0 {
		return opt.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// ask runs an engine, replays what it found and states the verdict.
func (p *program) ask(ctx context.Context, a *asked, flat *ir.Program, opt Options) {
	defer func() {
		if r := recover(); r != nil { // it may be on a goroutine of its own
			a.err = fmt.Errorf("engine %s under %s: %v\n%s", a.engine.Name, a.under, r, stack())
		}
	}()
	task := p.task(flat, a.under, opt)
	task.Limits.States = a.limit
	out, err := a.engine.Run(ctx, task)
	if err != nil {
		a.err = err
		return
	}
	a.cut = out.Unknown != ""
	res := &verdict.Result{
		Program: p.input.Name, Model: a.model.String(), Engine: a.engine.Name,
		Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings, FinalStates: out.Finals,
	}
	for i := range out.Violations {
		if a.err = p.settle(a, task, &out.Violations[i]); a.err != nil {
			return
		}
	}
	if opt.Finals {
		res.LeftOut = p.leftOut()
	}
	res.Sources = p.sources(violationWitnesses(out)...)
	p.conclude(res, out, opt)
	if res.Witness != nil {
		res.Cause = p.cause(flat, a.model, res.Witness)
	}
	for i := range res.Others {
		res.Others[i].Cause = p.cause(flat, a.model, res.Others[i].Witness)
	}
	group(flat, res)
	a.res = res
}

// settle makes a violation ready to be shown: with a witness that is easy to read,
// under the model that was asked about, and replayed.
func (p *program) settle(a *asked, task *engine.Task, v *engine.Violation) error {
	v.Witness = shorten.Witness(task, v)
	if a.under != a.model {
		asking := *task
		asking.Model = a.model
		w, err := shorten.FromSC(&asking, v)
		if err != nil {
			return fmt.Errorf("the witness of a violation under %s is none under %s: %w", a.under, a.model, err)
		}
		v.Witness = w
	}
	if err := p.replay(task.Program, a.model, v); err != nil {
		return fmt.Errorf("the witness of a violation does not replay: %w", err)
	}
	p.addTexts(v.Witness)
	if v.Kind != engine.Deadlock {
		return nil
	}
	var err error
	v.Waits, err = p.waits(task.Program, a.model, v.Witness)
	return err
}

// waits says who waits at the end of an execution, and in what.
func (p *program) waits(flat *ir.Program, model memory.Model, w *verdict.Witness) (string, error) {
	all, err := shorten.Blocked(flat, model, w)
	var parts []string
	for _, one := range all {
		text := fmt.Sprintf("%s waits in %s", one.Thread, one.Edge.Op.Kind)
		if f := p.files[one.Edge.Pos.File]; f != nil && one.Edge.Pos.Line > 0 {
			pos := position(one.Edge.Pos)
			text = fmt.Sprintf("%s waits in %s (%s)", one.Thread, strings.Join(strings.Fields(f.Slice(one.Edge.Pos)), " "), shortPos(&pos))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", "), err
}

func violationWitnesses(out *engine.Outcome) []*verdict.Witness {
	var all []*verdict.Witness
	for i := range out.Violations {
		all = append(all, out.Violations[i].Witness)
	}
	return all
}

func (p *program) observes() bool {
	return p.props.Final != nil && p.props.Final.Quantifier == property.Exists
}

func (p *program) asksMore() bool {
	return p.props.Checks || len(p.props.Goals) > 0 || p.props.Deadlock
}

var claims = map[engine.ViolationKind]replay.Claim{
	engine.CheckFailed:   replay.ClaimCheck,
	engine.GoalReached:   replay.ClaimGoal,
	engine.FinalViolated: replay.ClaimFinal,
	engine.Deadlock:      replay.ClaimDeadlock,
}

// replay runs a witness through the independent interpreter.
func (p *program) replay(flat *ir.Program, model memory.Model, v *engine.Violation) error {
	m, err := replay.ParseModel(model.String())
	if err != nil {
		return err
	}
	return replay.Replay(flat, p.props, m, v.Witness, replay.Expect{
		Claim: claims[v.Kind], Class: v.Class, Edge: v.Edge, Goal: v.Goal,
	})
}

// addTexts gives every step the instruction as the user wrote it.
func (p *program) addTexts(w *verdict.Witness) {
	for i := range w.Steps {
		st := &w.Steps[i]
		if st.Pos == nil || p.files[st.Pos.File] == nil || st.Kind == verdict.StepFlush {
			continue
		}
		file := p.files[st.Pos.File]
		span := file.Span(0, 0)
		span.Line, span.Col, span.EndLine, span.EndCol = st.Pos.Line, st.Pos.Col, st.Pos.EndLine, st.Pos.EndCol
		st.Text = strings.Join(strings.Fields(file.Slice(span)), " ")
	}
}

// conclude states verdict, question and reason.
func (p *program) conclude(res *verdict.Result, out *engine.Outcome, opt Options) {
	mark(&res.Coverage, opt)
	var observed *engine.Violation
	for i := range out.Violations {
		v := &out.Violations[i]
		if v.Kind == engine.FinalViolated && p.observes() {
			observed = v
			continue
		}
		one := p.describe(v, out)
		if res.Verdict == verdict.Unset {
			res.Verdict, res.Question, res.Reason, res.Pos, res.Witness = verdict.Unsafe, one.Question, one.Reason, one.Pos, one.Witness
		} else if opt.KeepGoing {
			res.Others = append(res.Others, one)
		}
	}
	if res.Verdict != verdict.Unset {
		return
	}
	res.Question = p.question()
	if observed != nil {
		one := p.describe(observed, out)
		res.Verdict, res.Reason, res.Pos, res.Witness = verdict.Observed, one.Reason, one.Pos, one.Witness
		if p.asksMore() && out.Unknown != "" {
			res.Verdict = verdict.Unknown
			res.Reason = fmt.Sprintf("%s, but the rest is not decided: %s", one.Reason, out.Unknown)
		} else if p.asksMore() && !res.Coverage.Complete() {
			res.Verdict = verdict.Unknown
			res.Reason = fmt.Sprintf("%s, but the rest is not decided: no violation within: %s", one.Reason, res.Coverage.BoundText())
		} else if p.asksMore() && !out.Coverage.Exhaustive {
			res.Warnings = append(res.Warnings, verdict.Warning{
				Code: "FP0906", Message: "assertions, goals and deadlock were checked only within the bounds of the search",
			})
		}
		return
	}
	switch {
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	case out.Stats.Executions > 0 && out.Stats.FinalStates+out.Exits == 0 && !out.Ends:
		res.Verdict, res.Reason = verdict.Unknown, "no execution comes to its end"
	case p.props.Final != nil && out.Stats.FinalStates == 0 && !out.Ends:
		res.Verdict, res.Reason = verdict.Unknown, "no execution comes to an end, so the final condition was never tested"
	case p.props.Checks && !out.ChecksReached && out.Stats.FinalStates+out.Exits == 0 && !out.Ends && len(p.props.Goals) == 0 && !p.props.Deadlock:
		res.Verdict, res.Reason = verdict.Unknown, "no execution reaches an assertion or its end: nothing was checked"
	case cutOff(out) && !out.ChecksReached && out.Stats.FinalStates+out.Exits == 0 && !out.Ends:
		res.Verdict, res.Reason = verdict.Unknown, "no execution comes to an assertion or its end within the bounds"
	case p.observes():
		holds(res, verdict.NotObserved, opt)
	default:
		holds(res, verdict.Safe, opt)
	}
}

// finalStates is the question if there is none but to list the final states.
const finalStates = verdict.FinalStateList

// cutOff reports whether executions were cut off. A store that finds its buffer full
// waits, and its execution goes on.
func cutOff(out *engine.Outcome) bool {
	return slices.ContainsFunc(out.Coverage.Bounds, func(b verdict.Bound) bool { return b.Hit && b.Name != "buffer" })
}

// question names what was asked.
func (p *program) question() verdict.Question {
	var parts []string
	if p.props.Checks {
		parts = append(parts, "assertions")
	}
	if len(p.props.Goals) > 0 {
		parts = append(parts, "goals")
	}
	if p.props.Final != nil {
		parts = append(parts, p.props.Final.Quantifier.String())
	}
	if p.props.Deadlock {
		parts = append(parts, "deadlock")
	}
	if len(parts) == 0 {
		return finalStates
	}
	return verdict.Question(strings.Join(parts, ", "))
}

// describe says in words what a violation is.
func (p *program) describe(v *engine.Violation, out *engine.Outcome) verdict.Violation {
	one := verdict.Violation{Witness: v.Witness}
	switch v.Kind {
	case engine.CheckFailed:
		last := &v.Witness.Steps[len(v.Witness.Steps)-1]
		one.Question, one.Reason, one.Pos = verdict.Question(v.Class.String()), last.Note, last.Pos
	case engine.GoalReached:
		g := &p.props.Goals[v.Goal]
		pos := position(g.Pos)
		one.Question, one.Reason, one.Pos = "goal", "goal state reached", &pos
		if g.Name != "" {
			one.Reason += ": " + g.Name
		}
	case engine.FinalViolated:
		f := p.props.Final
		pos := position(f.Pos)
		one.Question, one.Pos = verdict.Question(f.Quantifier.String()), &pos
		switch f.Quantifier {
		case property.Exists:
			one.Reason = "a final state satisfies " + f.Cond.Text
		case property.Never:
			one.Reason = "a final state satisfies what must never hold: " + f.Cond.Text
		case property.Forall:
			one.Reason = "a final state does not satisfy " + f.Cond.Text
		}
	case engine.Deadlock:
		one.Question, one.Reason = "deadlock", "deadlock: no thread can go on, and one waits"
		if v.Waits != "" {
			one.Reason = "deadlock: " + v.Waits
		}
	default:
		panic("BUG: unknown violation")
	}
	return one
}
