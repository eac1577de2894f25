package check

import (
	"context"

	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// ProofUnderC11 makes a certificate whatever the answer is, and checks it. It returns nil if the checker accepts.
func ProofUnderC11(ctx context.Context, in query.Input, opt query.CheckOptions) error {
	run := pipeline.Open(in)
	return run.Do(ctx, func(ctx context.Context) error {
		if _, err := Read(ctx, run, &opt); err != nil {
			return err
		}
		q := &question{Program: run.Program, model: memory.C11, opt: opt}
		_, _, _, err := prove(ctx, q, &verdict.Result{})
		return err
	})
}
