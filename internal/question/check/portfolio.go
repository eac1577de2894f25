package check

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// The portfolio: which engines answer.
//
// A robust program has no execution under TSO or PSO that SC has not, up to what the questions can see
// [BDM13 §3]: the same accesses read the same values and stores reach memory in the same order, so
// assertions, goals, final states and deadlocks are as under SC. So under these models robustness is one
// of the attempts, and if it holds the engines answer under SC instead.
//
// schedule.go says which attempt runs when. The first definite answer wins: a violation, or a safe for
// all executions. If no engine gives one, a safe within bounds that the user set wins, then an unknown
// with the bounds that were met, or with the reasons of all engines. Two definite answers that
// contradict each other are an internal error.

// Contradiction is two engines that answer the same question differently. One of them is wrong, so
// neither answer is shown.
type Contradiction struct{ A, B *verdict.Result }

func (c *Contradiction) Error() string {
	both, err := json.Marshal([]*verdict.Result{c.A, c.B})
	if err != nil {
		both = []byte(err.Error())
	}
	return fmt.Sprintf("engines contradict each other: %s says %s, %s says %s\n%s", c.A.Engine, c.A.Verdict, c.B.Engine, c.B.Verdict, both)
}

// portfolio answers a program's own questions under one model.
func (q *question) portfolio(ctx context.Context) (*verdict.Result, error) {
	s := q.schedule(pipeline.Asking{Model: q.model, Under: q.model}, nil)
	var rob *robustness
	if q.model != memory.SC && len(q.opt.Engines) == 0 {
		if rob = q.robustFirst(s); rob != nil {
			s.attempts = append([]*attempt{rob.attempt}, s.attempts...)
		}
	}
	res, err := s.answer(ctx)
	if err != nil {
		return nil, err
	}
	if res == nil {
		all := s.answered()
		if len(all) == 0 {
			return nil, &supervise.NotStopped{Stage: "the engines", End: ctx.Err()}
		}
		res = bestOf(all)
	}
	by := ""
	for _, a := range s.answered() {
		if a.Result == res && a.Under != a.Model {
			by = "robustness and SC exploration"
		}
	}
	res.Engines, res.By = s.reports(rob, res.Question), by
	if res.Verdict == verdict.Safe && q.model != memory.SC {
		res.Relies, err = q.relies(ctx, res)
	}
	return res, err
}

// schedule makes the attempts of all engines that take the program, except the one that has been
// asked already.
func (q *question) schedule(as pipeline.Asking, asked *engine.Engine) *schedule {
	s := &schedule{crossCheck: q.opt.CrossCheck, log: q.opt.Turns, memory: q.opt.Memory, grace: supervise.Grace(q.opt.Timeout) / 2}
	s.attempts = q.attempts(s, as, asked)
	return s
}

// attempts makes the attempts of all engines that take the program, except the one that has been
// asked already.
func (q *question) attempts(s *schedule, as pipeline.Asking, asked *engine.Engine) []*attempt {
	var all []*attempt
	how := askedBy(&q.opt)
	for _, e := range pipeline.Engines(&q.opt) {
		if asked != nil && asked.Name == e.Name || !takes(&q.opt, e.Name) {
			continue
		}
		by, err := takenBy(q, e, as.Under)
		if err != nil {
			continue
		}
		a := newAttempt(e, as.Model, as.Under, s)
		a.partial = by != q
		a.work = func(ctx context.Context) {
			by.askRaising(ctx, a.ask, how, func() int64 { return s.searching.without(budget.Of(ctx)) })
		}
		if a.partial {
			a.share.weight = weightPartial
		} else if e.Name == bmc.Engine.Name {
			a.share.foresees(bmc.Estimate(q.flat, boundsOfBMC(&q.opt)))
		}
		all = append(all, a)
	}
	return all
}

// takes reports whether the options name the engine, or none.
func takes(o *query.CheckOptions, name string) bool {
	return len(o.Engines) == 0 || slices.Contains(o.Engines, query.Engine(name))
}

// boundsOfBMC returns the bounds of bounded model checking.
func boundsOfBMC(o *query.CheckOptions) query.BMCOptions {
	b := o.BMC
	b.Unroll = o.Unroll
	return b
}

// takenBy returns the query as an engine takes it, or why the engine does not take it. An engine that does not ask
// whether loops end is asked the rest, if the user did not say which loops must end. Its violations count. That it
// finds none is an answer only if no other engine has one.
func takenBy(q *question, e *engine.Engine, under memory.Model) (*question, error) {
	how := askedBy(&q.opt)
	err := e.Supports(q.QuestionTask(q.flat, under, &how))
	if err == nil || q.opt.Liveness != "" || !q.Props.Endless {
		return q, err
	}
	props := *q.Props
	props.Endless, props.SomeEnd = false, true
	rest := *q
	rest.Program = q.With(&props)
	return &rest, e.Supports(rest.QuestionTask(q.flat, under, &how))
}

// robustness is the attempt to show that the program is robust.
type robustness struct {
	*attempt
	report verdict.EngineReport
}

// robustFirst makes the attempt that asks whether the program is robust. It returns nil where that
// cannot be asked, or does not help: states inside atomic sections are not those of SC. Only a robust
// without bounds counts.
func (q *question) robustFirst(s *schedule) *robustness {
	e := pipeline.Engine("robust", nil)
	task := q.RobustTask(q.flat, q.model, &q.opt.Options)
	if e.Supports(task) != nil || q.Props.Fairness != 0 || engine.InsideSections(q.flat, q.Props) != "" {
		return nil
	}
	r := &robustness{attempt: newAttempt(e, q.model, q.model, s)}
	task.Limits.Share = s.share
	r.work = func(ctx context.Context) { r.ask.Err = r.run(ctx, q, task) }
	r.then = func() []*attempt {
		if r.report.Verdict != verdict.Safe {
			return nil
		}
		if !s.crossCheck {
			s.drop()
		}
		return q.attempts(s, pipeline.Asking{Model: q.model, Under: memory.SC}, nil)
	}
	return r
}

// run asks whether the program is robust, and replays an attack.
func (r *robustness) run(ctx context.Context, q *question, task *engine.Task) (err error) {
	defer pipeline.Recover(r.ask, &err)
	out, err := pipeline.RunEngine(ctx, r.ask.Engine, task)
	if err != nil {
		return err
	}
	c := &pipeline.Conclusion{Question: verdict.Robustness, Model: q.model, Engine: r.ask.Engine.Name, Outcome: out}
	if len(out.Violations) > 0 {
		if _, err := q.Attack(q.flat, q.model, &out.Violations[0]); err != nil {
			return fmt.Errorf("the witness of an attack does not hold: %w", err)
		}
		c.Violation = &verdict.Violation{}
	} else if out.Unknown == "" && !out.Coverage.Exhaustive {
		c.Open = "robust, but only within bounds"
	}
	res := q.Conclude(c)
	r.report = verdict.EngineReport{
		Engine: r.ask.Engine.Name, Question: res.Question, Model: res.Model, Verdict: res.Verdict, Reason: res.Reason,
		States: res.Stats.States, Seconds: res.Stats.Seconds,
	}
	return nil
}

// Others asks all engines, except the one that has finished already, if a has one. It returns the
// engines that were asked, and the best answer of all.
func Others(ctx context.Context, p *pipeline.Program, flat *ir.Program, a *pipeline.Asking, opt query.CheckOptions) ([]verdict.EngineReport, *verdict.Result, error) {
	if a.Engine != nil && opt.OthersTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.OthersTime)
		defer cancel()
	}
	supervise.Wait(ctx)
	q := &question{Program: p, flat: flat, model: a.Model, opt: opt}
	s := q.schedule(*a, a.Engine)
	res, err := s.answer(ctx)
	if err != nil {
		return nil, nil, err
	}
	if res == nil {
		all := s.answered()
		if a.Engine != nil {
			all = append([]*pipeline.Asking{a}, all...)
		}
		if len(all) == 0 {
			return nil, nil, &supervise.NotStopped{Stage: "the engines", End: ctx.Err()}
		}
		res = bestOf(all)
	}
	return s.reports(nil, res.Question), res, nil
}

// definite reports whether an answer needs no other: a violation, or a safe for all executions.
func definite(r *verdict.Result) bool {
	switch r.Verdict {
	case verdict.Unsafe, verdict.Observed:
		return true
	case verdict.Safe, verdict.NotObserved:
		return r.Coverage.Exhaustive
	default:
		return false
	}
}

// reachedOnly reports whether nothing was left out of an answer but what comes after constructs that
// are not supported. No other engine has more to say then.
func reachedOnly(r *verdict.Result) bool {
	other := func(b verdict.Bound) bool { return b.Name != verdict.BoundUnsupported }
	return r.Verdict == verdict.Unknown && r.Coverage.Unsupported != nil && !slices.ContainsFunc(r.Coverage.Met(), other)
}

// nothingEnds reports whether all executions were searched, and there is no answer, since none of them ends. No
// other engine has more to say then.
func nothingEnds(r *verdict.Result) bool {
	asked := strings.Contains(string(r.Question), string(verdict.NonTermination))
	return asked && r.Verdict == verdict.Unknown && r.Coverage.Exhaustive && r.Coverage.Unsupported == nil
}

// bestOf picks among answers none of which is definite: one with an execution that reaches a construct
// that is not supported, else one within bounds that the user set, else one
// that names the bounds it met, else an unknown with the reasons of all engines. That few rounds of all
// threads show no violation is worth little beside the others: bmc's bounds are named only if no other
// engine takes the program.
func bestOf(all []*pipeline.Asking) *verdict.Result {
	for _, a := range all {
		if u := a.Result.Coverage.Unsupported; u != nil && a.Result.Verdict == verdict.Unknown {
			return a.Result
		}
	}
	for _, a := range all {
		if a.Result.Verdict != verdict.Unknown {
			return a.Result
		}
	}
	for _, a := range all {
		if a.Result.BoundedOnly && (a.Engine.Name != bmc.Engine.Name || len(all) == 1) {
			return a.Result
		}
	}
	res := all[0].Result
	if len(all) > 1 {
		var reasons []string
		for _, a := range all {
			reasons = append(reasons, a.Engine.Name+": "+a.Result.Reason)
		}
		res.Reason, res.BoundedOnly = strings.Join(reasons, "; "), false
	}
	return res
}

// answered returns the questions to engines that have ended with an answer.
func (s *schedule) answered() []*pipeline.Asking {
	var all []*pipeline.Asking
	for _, a := range s.attempts {
		if a.hasEnded() && a.then == nil && a.ask.Result != nil {
			all = append(all, a.ask)
		}
	}
	return all
}

// reports lists the engines that were asked. rob is nil if robustness was not among the attempts.
func (s *schedule) reports(rob *robustness, asked verdict.Question) []verdict.EngineReport {
	var out []verdict.EngineReport
	for _, a := range s.attempts {
		switch {
		case a.begun == nil: // it had no turn
		case !a.hasEnded() || a.ask.Result == nil && a.then == nil:
			out = append(out, verdict.EngineReport{
				Engine: a.ask.Engine.Name, Question: asked, Model: a.ask.Under.String(), Verdict: verdict.Unknown, Abandoned: true,
			})
		case a.then != nil:
			out = append(out, rob.report)
		default:
			out = append(out, report(a.ask))
		}
	}
	return out
}

func report(a *pipeline.Asking) verdict.EngineReport {
	return verdict.EngineReport{
		Engine: a.Engine.Name, Question: a.Result.Question, Model: a.Under.String(), Verdict: a.Result.Verdict, Reason: a.Result.Reason,
		States: a.Result.Stats.States, Seconds: a.Result.Stats.Seconds,
	}
}
