package check

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// The portfolio: which engines answer, and in which order.
//
// A robust program has no execution under TSO that SC has not, up to what the questions can see
// [BDM13 §3]: the same accesses read the same values and stores reach memory in the same order, so
// assertions, goals, final states and deadlocks are as under SC. So under TSO robustness is asked
// first, and if it holds the engines answer under SC. Otherwise, and under the other models, the
// engines are asked directly.
//
// First the questions are tried with a small number of states, one after the other: most programs end
// there, and which engine answers does not depend on the clock.
// If that does not finish, or meets a bound that the user did not set, the engines compete: they run
// at the same time, and the first definite answer wins: a violation, or a safe for all executions. If
// no engine gives one, a safe within bounds that the user set wins, then an unknown with the bounds
// that were met, or with the reasons of all engines. Two definite answers that contradict each other
// are an internal error.

// quickStates is the size of the first attempts.
const quickStates = 20_000

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
func (q *query) portfolio(ctx context.Context) (*verdict.Result, error) {
	var log []verdict.EngineReport
	under, by := q.model, ""
	if q.model == memory.TSO {
		rob, err := q.robustFirst(ctx)
		if err != nil {
			return nil, err
		}
		if rob != nil {
			log = append(log, *rob)
			if rob.Verdict == verdict.Safe {
				under, by = memory.SC, "robustness and SC exploration"
			}
		}
	}
	all, res, err := q.attempts(ctx, pipeline.Asking{Model: q.model, Under: under})
	if err != nil {
		return nil, err
	}
	res.Engines, res.By = append(log, reports(all)...), by
	if res.Verdict == verdict.Safe && q.model != memory.SC {
		res.Relies, err = q.relies(ctx, res)
	}
	return res, err
}

// robustFirst asks whether the program is robust. It returns nil where that cannot be asked, or does not
// help: states inside atomic sections are not those of SC. Only a robust without bounds counts.
func (q *query) robustFirst(ctx context.Context) (*verdict.EngineReport, error) {
	robust := pipeline.Engine("robust", pipeline.EngineOptions{})
	task := q.RobustTask(q.flat, &q.opt.Options)
	task.Limits.States = quickStates
	if robust.Supports(task) != nil || engine.InsideSections(q.flat, q.Props) != "" {
		return nil, nil
	}
	out, err := robust.Run(ctx, task)
	if err != nil {
		return nil, err
	}
	c := &pipeline.Conclusion{Question: verdict.Robustness, Model: memory.TSO, Engine: robust.Name, Outcome: out}
	if len(out.Violations) > 0 {
		if _, err := q.Attack(q.flat, &out.Violations[0]); err != nil {
			return nil, fmt.Errorf("the witness of an attack does not hold: %w", err)
		}
		c.Violation = &verdict.Violation{}
	} else if out.Unknown == "" && !out.Coverage.Exhaustive {
		c.Open = "robust, but only within bounds"
	}
	res := q.Conclude(c)
	return &verdict.EngineReport{
		Engine: robust.Name, Question: res.Question, Model: res.Model, Verdict: res.Verdict, Reason: res.Reason,
		States: res.Stats.States, Seconds: res.Stats.Seconds,
	}, nil
}

// attempts asks the first engine alone, with a small number of states, and then all engines. It returns
// the engines that were asked, and the answer.
func (q *query) attempts(ctx context.Context, first pipeline.Asking) ([]*pipeline.Asking, *verdict.Result, error) {
	how := q.opt.asked()
	quick := first
	quick.Engine, quick.States = pipeline.Engines(q.opt.engines())[0], quickStates
	if quick.Engine.Supports(q.QuestionTask(q.flat, first.Under, &how)) != nil {
		return Others(ctx, q.Program, q.flat, &first, q.opt)
	}
	q.Ask(ctx, &quick, q.flat, how)
	done := []*pipeline.Asking{&quick}
	switch {
	case quick.Err != nil || ctx.Err() != nil:
		return done, quick.Result, quick.Err
	case quick.Result.BoundedOnly:
		all, res, err := Others(ctx, q.Program, q.flat, &quick, q.opt)
		return append(done, all...), res, err
	case quick.Cut && quick.Result.Verdict == verdict.Unknown:
		all, res, err := Others(ctx, q.Program, q.flat, &first, q.opt)
		return append(done, all...), res, err
	default:
		return done, quick.Result, nil
	}
}

// Others asks all engines at the same time, except the one that has finished already, if a has one. It
// returns the engines that were asked, and the best answer of all.
func Others(ctx context.Context, p *pipeline.Program, flat *ir.Program, a *pipeline.Asking, opt Options) ([]*pipeline.Asking, *verdict.Result, error) {
	if a.Engine != nil && opt.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Patience)
		defer cancel()
	}
	how := opt.asked()
	var all []*pipeline.Asking
	for _, e := range pipeline.Engines(opt.engines()) {
		if a.Engine != nil && a.Engine.Name == e.Name || e.Supports(p.QuestionTask(flat, a.Under, &how)) != nil {
			continue
		}
		all = append(all, &pipeline.Asking{Engine: e, Model: a.Model, Under: a.Under})
	}
	how.Options = how.Options.Share(max(1, len(all)))
	res, err := compete(ctx, all, func(ctx context.Context, a *pipeline.Asking) { p.Ask(ctx, a, flat, how) })
	switch {
	case err != nil || res != nil:
		return all, res, err
	case a.Engine != nil:
		return all, bestOf(append([]*pipeline.Asking{a}, all...)), nil
	default:
		return all, bestOf(all), nil
	}
}

// compete asks several engines at the same time. It returns the first definite answer, nil if there is
// none.
func compete(ctx context.Context, all []*pipeline.Asking, ask func(context.Context, *pipeline.Asking)) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan *pipeline.Asking)
	for _, a := range all {
		go func() { ask(ctx, a); done <- a }()
	}
	var first *verdict.Result
	var failed error
	for range all {
		a := <-done
		switch {
		case a.Err != nil:
			failed = a.Err
			cancel()
		case !definite(a.Result):
		case first == nil:
			first = a.Result
			cancel()
		case first.Verdict != a.Result.Verdict:
			failed = &Contradiction{first, a.Result}
		}
	}
	if failed != nil {
		return nil, failed
	}
	return first, nil
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

// bestOf picks among answers none of which is definite: one within bounds that the user set, else one
// that names the bounds it met, else an unknown with the reasons of all engines. That few rounds of all
// threads show no violation is worth little beside the others: bmc's bounds are named only if no other
// engine takes the program.
func bestOf(all []*pipeline.Asking) *verdict.Result {
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

func reports(all []*pipeline.Asking) []verdict.EngineReport {
	var out []verdict.EngineReport
	for _, a := range all {
		out = append(out, report(a))
	}
	return out
}

func report(a *pipeline.Asking) verdict.EngineReport {
	return verdict.EngineReport{
		Engine: a.Engine.Name, Question: a.Result.Question, Model: a.Under.String(), Verdict: a.Result.Verdict, Reason: a.Result.Reason,
		States: a.Result.Stats.States, Seconds: a.Result.Stats.Seconds,
	}
}
