package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
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
// Then the engines run side by side, and the first definite answer wins: a
// violation, or a safe for all executions. If nobody gives one, a safe with bounds
// does, then an unknown with what everyone said. Two definite answers that
// contradict each other are an internal error.

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
	for _, a := range all {
		log = append(log, report(a))
	}
	res.Engines, res.By = log, by
	if res.Verdict == verdict.Safe && model != memory.SC {
		res.Relies, err = p.relies(ctx, flat, model, res, opt)
	}
	return res, err
}

// robustFirst asks whether the program is robust, or returns nil where that cannot
// be asked. Only a robust without bounds counts as one.
func (p *program) robustFirst(ctx context.Context, flat *ir.Program, opt Options) (*verdict.EngineReport, error) {
	task := robustTask(p, flat, opt)
	task.KeepGoing = false
	task.Limits.States = quickStates
	if robust.Engine.Supports(task) != nil {
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
	quick.engine, quick.limit = &engines[0], quickStates
	before := []*asked{}
	if quick.engine.Supports(p.task(flat, q.under, opt)) == nil {
		p.ask(ctx, &quick, flat, opt)
		if quick.err != nil || !quick.cut || quick.res.Verdict != verdict.Unknown || ctx.Err() != nil {
			return []*asked{&quick}, quick.res, quick.err
		}
		before = append(before, &quick)
	}
	all := []*asked{}
	for i := range engines {
		if engines[i].Supports(p.task(flat, q.under, opt)) == nil {
			one := q
			one.engine = &engines[i]
			all = append(all, &one)
		}
	}
	res, err := race(ctx, all, func(ctx context.Context, a *asked) { p.ask(ctx, a, flat, shared(opt, len(all))) })
	return append(before, all...), res, err
}

// shared are the options of one among n that run side by side.
func shared(opt Options, n int) Options {
	opt.Workers = max(1, workers(opt)/n)
	opt.Memory /= int64(n)
	return opt
}

// race asks several engines side by side.
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
	switch {
	case failed != nil:
		return nil, failed
	case first != nil:
		return first, nil
	default:
		return bestOf(all), nil
	}
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

// bestOf picks among answers none of which is definite: one with bounds on the
// program, else an unknown that tells everybody's reason. That few rounds of all
// threads show no violation is worth saying, but nobody asked for so few: it is
// no safe unless that engine was asked for, or is the only one that takes the
// program.
func bestOf(all []*asked) *verdict.Result {
	for _, a := range all {
		if a.res.Verdict != verdict.Unknown && (a.engine.Name != bmc.Engine.Name || len(all) == 1) {
			return a.res
		}
	}
	res := all[0].res
	if len(all) > 1 {
		var reasons []string
		for _, a := range all {
			reason := a.res.Reason
			if a.res.Verdict != verdict.Unknown {
				reason = "no violation within its bounds"
			}
			reasons = append(reasons, a.engine.Name+": "+reason)
		}
		res.Reason = strings.Join(reasons, "; ")
	}
	return res
}

func report(a *asked) verdict.EngineReport {
	return verdict.EngineReport{
		Engine: a.engine.Name, Question: a.res.Question, Model: a.under.String(), Verdict: a.res.Verdict, Reason: a.res.Reason,
		States: a.res.Stats.States, Seconds: a.res.Stats.Seconds,
	}
}
