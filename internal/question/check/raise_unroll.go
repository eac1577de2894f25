package check

import (
	"context"
	"sync/atomic"

	"fencepost/internal/budget"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/pipeline"
	"fencepost/query"
)

// More rounds of loops. smc ends a search that meets the default bound of loops early on, and begins again with twice
// the bound: most loops end somewhere. If that helps nothing, it searches within the default bound.
// If the default bound of loops alone prevents an answer for all executions, smc, rf and bmc are
// asked again with twice the bound, as long as that is cheap: the last search took less work than the engines have done
// that are still at their first search. A search that meets the larger bound, too, says nothing new: the first answer stays.

const (
	mostUnrolled = 64 * query.DefaultUnroll
	// cheapRound is work that is cheap whatever the others have done: a loop without end costs little more.
	cheapRound = 10 * budget.Millisecond
)

// countsRounds reports whether an engine has a bound of loops that is raised.
func countsRounds(name string) bool {
	return name == smc.Engine.Name || name == rf.Engine.Name || name == bmc.Engine.Name
}

// earlyBound is the work after which a search that meets its first bound goes on.
const earlyBound = 5 * budget.Millisecond

// askDeeper asks an engine. smc is asked with more and more rounds of loops while it meets the bound early on.
func askDeeper(ctx context.Context, q *question, a *pipeline.Asking, how pipeline.Asked) {
	if a.Engine.Name != smc.Engine.Name || q.opt.Unroll != 0 || budget.Of(ctx) == nil {
		q.Ask(ctx, a, q.flat, how)
		return
	}
	deeper, work := how, budget.Of(ctx)
	for deeper.Unroll = query.DefaultUnroll; deeper.Unroll <= mostUnrolled; deeper.Unroll *= 2 {
		before := work.Spent()
		next, stopped := askUntilBound(ctx, q, a, deeper)
		if !stopped && (deeper.Unroll == query.DefaultUnroll || next.Err != nil || definite(next.Result)) {
			a.Take(next)
			return
		}
		if !stopped || work.Spent()-before > 4*earlyBound {
			break
		}
	}
	q.Ask(ctx, a, q.flat, how)
}

// askUntilBound asks an engine for an answer, and reports whether the search was ended since it met its bound: the
// default one early on, or a larger one.
func askUntilBound(ctx context.Context, q *question, a *pipeline.Asking, how pipeline.Asked) (*pipeline.Asking, bool) {
	work := budget.Of(ctx)
	before := work.Spent()
	var stopped atomic.Bool
	next := &pipeline.Asking{Engine: a.Engine, Model: a.Model, Under: a.Under, Share: a.Share, AtBound: func() bool {
		if how.Unroll == query.DefaultUnroll && work.Spent()-before > earlyBound {
			return false
		}
		stopped.Store(true)
		return true
	}}
	if how.Unroll == query.DefaultUnroll {
		how.Unroll = 0
	}
	q.Ask(ctx, next, q.flat, how)
	return next, stopped.Load() && next.Err == nil && !definite(next.Result)
}

// raiseUnroll asks an engine that has answered within the default bound of loops again. others returns the work of the
// engines that are still at their first search; this one is none of them any more.
func raiseUnroll(ctx context.Context, q *question, a *pipeline.Asking, how pipeline.Asked, others func() int64) {
	if !countsRounds(a.Engine.Name) || q.opt.Unroll != 0 || q.opt.BMC.Auto {
		return
	}
	work, before := budget.Of(ctx), int64(0)
	last := a
	for how.Unroll = 2 * query.DefaultUnroll; how.Unroll <= mostUnrolled && onlyMet(last, "unroll"); how.Unroll *= 2 {
		spent := work.Spent() - before
		if before += spent; spent > max(cheapRound, others()) {
			return
		}
		if last = askAgain(ctx, q, a, how); last == nil {
			return
		}
	}
}

// onlyMet reports whether only bounds of a name prevent an answer.
func onlyMet(a *pipeline.Asking, name string) bool {
	if a.Err != nil || a.Cut || !a.Result.BoundedOnly {
		return false
	}
	for _, b := range a.Result.Coverage.Met() {
		if b.Name != name {
			return false
		}
	}
	return true
}
