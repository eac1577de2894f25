package fences

import (
	"context"

	"fencepost/internal/engine/fences"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// unsupported answers if an execution reaches a construct that is not supported. If none does, the
// search is about the program without these constructs: fences only take executions away. Robustness
// needs a search under SC only, as in question robust.
func (r *Repairer) unsupported(ctx context.Context) (*verdict.Result, error) {
	if r.model == memory.C11 {
		return nil, nil // the engine says what executions reach
	}
	model := r.model
	if r.opt.For == query.ForRobustness {
		model = memory.SC
	}
	flat, met, err := pipeline.Reachable(ctx, r.run.Program, r.Flat, model, &r.opt.Options)
	if err != nil {
		return nil, err
	}
	if met == nil {
		if flat != r.Flat {
			r.Flat = flat
			r.Fences = transform.NewFences(r.Flat, r.run.Props, r.run.Sites)
		}
		return nil, nil
	}
	return r.run.Conclude(&pipeline.Conclusion{Question: r.result().Question, Model: r.model, Engine: fences.Name, Outcome: met, Given: r.givenBounds()}), nil
}
