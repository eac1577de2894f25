package prove

import (
	"context"
	"errors"

	"fencepost/internal/engine"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Contradict searches instances of up to largest threads per template for an execution that violates a check. If there is
// one it tries to prove the program all the same, without what the search knows. Run would not: it shows the
// execution. The result is nil if no execution was found, and refused says that proofs do not take the program. The time
// limit of opt is for the proof: what is not proved within it counts as not proved.
func Contradict(ctx context.Context, in query.Input, opt query.ProveOptions, largest int, limit int64) (res *verdict.Result, refused bool, err error) {
	run := pipeline.Open(in)
	opt.C.Uninitialised = query.UninitialisedZero // as Run
	answer, err := run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options, Annotations: true}); err != nil {
			return nil, err
		}
		q := &question{Program: run.Program, opt: opt}
		if err := q.flatten(); err != nil {
			return nil, err
		}
		found, err := q.instances(in).refute(ctx, largest, limit)
		if err != nil || found == nil || found.Question == "deadlock" { // which proofs do not exclude
			return nil, err
		}
		if res, err = q.unsupported(ctx); err != nil || res != nil {
			return nil, err
		}
		limited, cancel := supervise.TimeLimit(ctx, opt.Timeout)
		defer cancel()
		res, err = q.prove(limited, false)
		if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
			return nil, q.Refuse(q.Unsupported(err))
		}
		return nil, err
	})
	return res, answer.HasErrors(), err
}
