package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// The portfolio: which engines answer, and in which order.
//
// A program that is robust has no execution under TSO that SC has not, up to what
// the questions can see [BDM13 §3]: the same accesses read the same values and
// stores reach memory in the same order, so assertions, goals, final states
// and deadlocks are those of SC. So under TSO robustness is asked first, and the
// SC engines decide if it holds. Otherwise, and under the other models, the engines
// are asked directly.
//
// First everything is tried within a small number of states, one after the other:
// most programs end there, and which engine answers does not depend on the clock.
// If that does not finish, or meets a bound that the user did not set, the engines run
// side by side, and the first definite answer wins: a violation, or a safe for all
// executions. If nobody gives one, a safe within bounds that the user set does, then an
// unknown with the bounds that were met, or with what everyone said. Two definite answers
// that contradict each other are an internal error.

// quickStates is the size of the first attempts.
const quickStates = 20_000

// Contradiction is two engines that answer the same question differently. One of
// them is wrong, so neither answer is shown as one.
type Contradiction struct{ A, B *verdict.Result }

func (c *Contradiction) Error() string {
	both, err := json.Marshal([]*verdict.Result{c.A, c.B})
	if err != nil {
		both = []byte(err.Error())
	}
	return fmt.Sprintf("engines contradict each other: %s says %s, %s says %s\n%s", c.A.Engine, c.A.Verdict, c.B.Engine, c.B.Verdict, both)
}

// asked is one question to one engine and its answer.
type asked struct {
	engine *engine.Engine
	model  memory.Model // the question is about
	under  memory.Model // the engine is run under: model, or SC for a robust program
	limit  int64        // states
	cut    bool         // it did not finish
	res    *verdict.Result
	err    error
}

// portfolio answers a program's own questions under one model.
func (p *program) portfolio(ctx context.Context, flat *ir.Program, model memory.Model, opt Options) (*verdict.Result, error) {
	var log []verdict.EngineReport
	under, by := model, ""
	if model == memory.TSO {
		rob, err := p.robustFirst(ctx, flat, opt)
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
	all, res, err := p.attempts(ctx, flat, asked{model: model, under: under}, opt)
	if err != nil {
		return nil, err
	}
	res.Engines, res.By = append(log, reports(all)...), by
	if res.Verdict == verdict.Safe && model != memory.SC {
		res.Relies, err = p.relies(ctx, flat, model, res, opt)
	}
	return res, err
}

// robustFirst asks whether the program is robust, or returns nil where that cannot
// be asked, or does not help: states inside atomic sections are not those of SC. Only a robust without bounds counts as one.
func (p *program) robustFirst(ctx context.Context, flat *ir.Program, opt Options) (*verdict.EngineReport, error) {
	task := robustTask(p, flat, opt)
	task.KeepGoing = false
	task.Limits.States = quickStates
	if robust.Engine.Supports(task) != nil || engine.InsideSections(flat, p.props) != "" {
		return nil, nil
	}
	out, err := robust.Engine.Run(ctx, task)
	if err != nil {
		return nil, err
	}
	r := &verdict.EngineReport{
		Engine: robust.Engine.Name, Question: Robustness, Model: memory.TSO.String(),
		States: out.Stats.States, Seconds: out.Stats.Seconds,
	}
	switch {
	case len(out.Violations) > 0:
		r.Verdict = verdict.Unsafe
		if _, err := p.attack(flat, &out.Violations[0]); err != nil {
			return nil, fmt.Errorf("the witness of an attack does not hold: %w", err)
		}
	case out.Unknown != "":
		r.Verdict, r.Reason = verdict.Unknown, out.Unknown
	case !out.Coverage.Exhaustive:
		r.Verdict, r.Reason = verdict.Unknown, "robust, but only within bounds"
	default:
		r.Verdict = verdict.Safe
	}
	return r, nil
}

// attempts asks the first engine alone, within a small number of states, and then
// all. It returns who was asked, and the answer.
func (p *program) attempts(ctx context.Context, flat *ir.Program, q asked, opt Options) ([]*asked, *verdict.Result, error) {
	quick := q
	quick.engine, quick.limit = &explicit.Engine, quickStates
	if quick.engine.Supports(p.task(flat, q.under, opt)) != nil {
		return p.others(ctx, flat, &q, opt)
	}
	p.ask(ctx, &quick, flat, opt)
	first := []*asked{&quick}
	switch {
	case quick.err != nil || ctx.Err() != nil:
		return first, quick.res, quick.err
	case quick.res.BoundedOnly:
		all, res, err := p.others(ctx, flat, &quick, opt)
		return append(first, all...), res, err
	case quick.cut && quick.res.Verdict == verdict.Unknown:
		all, res, err := p.others(ctx, flat, &q, opt)
		return append(first, all...), res, err
	default:
		return first, quick.res, nil
	}
}

// others asks all engines side by side but the one that came to its end already, if q
// has one. It returns who was asked, and the best answer of all.
func (p *program) others(ctx context.Context, flat *ir.Program, q *asked, opt Options) ([]*asked, *verdict.Result, error) {
	if q.engine != nil && opt.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.patience)
		defer cancel()
	}
	var all []*asked
	list := engines(opt)
	for i := range list {
		one := &asked{engine: &list[i], model: q.model, under: q.under}
		if q.engine != nil && q.engine.Name == one.engine.Name || one.engine.Supports(p.task(flat, q.under, opt)) != nil {
			continue
		}
		all = append(all, one)
	}
	res, err := race(ctx, all, func(ctx context.Context, a *asked) { p.ask(ctx, a, flat, shared(opt, len(all))) })
	switch {
	case err != nil || res != nil:
		return all, res, err
	case q.engine != nil:
		return all, bestOf(append([]*asked{q}, all...)), nil
	default:
		return all, bestOf(all), nil
	}
}

// shared are the options of one among n that run side by side.
func shared(opt Options, n int) Options {
	opt.Workers = max(1, workers(opt)/n)
	opt.Memory /= int64(n)
	return opt
}

// race asks several engines side by side. It returns the first definite answer, nil if
// there is none.
func race(ctx context.Context, all []*asked, ask func(context.Context, *asked)) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan *asked)
	for _, a := range all {
		go func() { ask(ctx, a); done <- a }()
	}
	var first *verdict.Result
	var failed error
	for range all {
		a := <-done
		switch {
		case a.err != nil:
			failed = a.err
			cancel()
		case !definite(a.res):
		case first == nil:
			first = a.res
			cancel()
		case first.Verdict != a.res.Verdict:
			failed = &Contradiction{first, a.res}
		}
	}
	if failed != nil {
		return nil, failed
	}
	return first, nil
}

// definite reports whether an answer needs no other: a violation, or a safe for
// all executions.
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

// bestOf picks among answers none of which is definite: one within bounds that the user
// set, else one that names the bounds it met, else an unknown that tells everybody's
// reason. That few rounds of all threads show no violation is worth little beside the
// others: bmc's bounds are named only if it is the only one to take the program.
func bestOf(all []*asked) *verdict.Result {
	for _, a := range all {
		if a.res.Verdict != verdict.Unknown {
			return a.res
		}
	}
	for _, a := range all {
		if a.res.BoundedOnly && (a.engine.Name != bmc.Engine.Name || len(all) == 1) {
			return a.res
		}
	}
	res := all[0].res
	if len(all) > 1 {
		var reasons []string
		for _, a := range all {
			reasons = append(reasons, a.engine.Name+": "+a.res.Reason)
		}
		res.Reason, res.BoundedOnly = strings.Join(reasons, "; "), false
	}
	return res
}

func reports(all []*asked) []verdict.EngineReport {
	var out []verdict.EngineReport
	for _, a := range all {
		out = append(out, report(a))
	}
	return out
}

func report(a *asked) verdict.EngineReport {
	return verdict.EngineReport{
		Engine: a.engine.Name, Question: a.res.Question, Model: a.under.String(), Verdict: a.res.Verdict, Reason: a.res.Reason,
		States: a.res.Stats.States, Seconds: a.res.Stats.Seconds,
	}
}
