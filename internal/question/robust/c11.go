package robust

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// againstC11 answers the question about C11's own model.
func againstC11(ctx context.Context, run *pipeline.Run, q *question) (*verdict.Result, error) {
	flat, err := pipeline.ForC11(q.Program, q.flat)
	if err != nil {
		return nil, err
	}
	run.Stage = "engine rf"
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout)
	defer cancel()
	return supervise.Run(ctx, run.Stage, supervise.OfStage(q.opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		how := &pipeline.Asked{CheckOptions: query.CheckOptions{Options: q.opt.Options}, Given: pipeline.GivenBy(&q.opt.Options)}
		res, err := pipeline.RobustC11(ctx, q.Program, flat, how)
		if err == nil {
			pipeline.WarnLoadBuffering(res, flat)
		}
		return res, err
	})
}
