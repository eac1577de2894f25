package check

import (
	"context"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/pipeline"
	"fencepost/query"
)

// Longer buffers. A program with loops can need longer buffers than the default bound allows and yet
// none of any length: a thread stores ten times and then comes to a fence. So if only the default
// bound of buffers prevents an answer for all executions, the search is repeated with twice the bound,
// as long as it stays small. A search that meets the larger bounds, too, says nothing new: the first
// answer stays.

const (
	longestBuffer = 8 * query.DefaultBuffer
	raisedStates  = 200_000 // of a search, for another one with a larger bound
)

// askRaising asks an engine, and asks again with longer buffers, or more rounds of loops, where their bounds alone
// prevent an answer. others returns the work of the engines that are still at
// their first search.
func (q *question) askRaising(ctx context.Context, a *pipeline.Asking, how pipeline.Asked, others func() int64) {
	askDeeper(ctx, q, a, how)
	raiseUnroll(ctx, q, a, how, others)
	if a.Engine.Name != explicit.Engine.Name || q.opt.Buffer > 0 {
		return
	}
	last := a
	for how.Buffer = 2 * query.DefaultBuffer; how.Buffer <= longestBuffer && onlyBuffers(last); how.Buffer *= 2 {
		if last = askAgain(ctx, q, a, how); last == nil {
			return
		}
	}
}

// askAgain asks the engine of a again, which takes a definite answer or an error; then it returns nil.
func askAgain(ctx context.Context, q *question, a *pipeline.Asking, how pipeline.Asked) *pipeline.Asking {
	next := &pipeline.Asking{Engine: a.Engine, Model: a.Model, Under: a.Under, Share: a.Share}
	q.Ask(ctx, next, q.flat, how)
	if next.Err != nil || definite(next.Result) {
		a.Take(next)
		return nil
	}
	return next
}

// onlyBuffers reports whether only the bound of buffers prevents an answer, and the search was small.
func onlyBuffers(a *pipeline.Asking) bool {
	return onlyMet(a, "buffer") && a.Result.Stats.States <= raisedStates
}
