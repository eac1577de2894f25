package fences

import (
	"context"
	"fmt"
	"time"

	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// certify proves that the changed program is as it should be, if the options ask for that. That no cheaper set suffices is
// not part of the proof: the answer has an execution for each.
func (r *Repairer) certify(ctx context.Context, at []ir.FenceAt, res *verdict.Result) error {
	if !r.opt.Wanted() || res.Verdict != verdict.Safe {
		return nil
	}
	r.run.Stage = "certificate of the changed program"
	in, ok := r.Rewrite(at)
	if !ok {
		return fmt.Errorf("a fence is not in a file of the program")
	}
	proofs := query.Proofs{Certified: true, Tool: r.opt.Tool}
	if len(r.before) == 0 { // else no file has the changed program
		proofs.Certificate = r.opt.Certificate
	}
	var left time.Duration
	if end, limited := ctx.Deadline(); limited {
		left = max(time.Until(end), time.Millisecond)
	}
	answer, err := r.againWith(ctx, in, proofs, left)
	if err != nil {
		return fmt.Errorf("checking the changed program: %w", err)
	}
	for i := range answer.Results {
		again := &answer.Results[i]
		if again.Verdict != verdict.Safe && again.Verdict != verdict.NotObserved || again.Coverage.Certificate == nil {
			res.Verdict, res.Reason, res.BoundedOnly = again.Verdict, again.Reason, false
			if again.Verdict != verdict.Unknown {
				pipeline.Uncertified(res, "the changed program is "+again.Verdict.String())
			}
			return nil
		}
		pipeline.Certified(res, again.Coverage, r.givenBounds())
		res.Coverage.Certificate = again.Coverage.Certificate
	}
	return nil
}
