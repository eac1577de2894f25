package fences

import (
	"context"

	"fencepost/internal/engine/fences"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// unsupported answers if an execution reaches a construct that is not supported. If none does, the
// search is about the program without these constructs: fences only take executions away. Robustness
// needs a search under SC only, as in question robust.
func (r *Repairer) unsupported(ctx context.Context) (*verdict.Result, error) {
	for i := range r.parts {
		if r.parts[i].model == memory.C11 {
			continue // the engine says what executions reach
		}
		model := r.parts[i].model
		if r.opt.For == query.ForRobustness {
			model = memory.SC
		}
		flat, met, err := pipeline.Reachable(ctx, r.run.Program, r.parts[i].flat, model, &r.opt.Options)
		if err != nil {
			return nil, err
		}
		if met != nil {
			res := r.run.Conclude(&pipeline.Conclusion{Question: r.result().Question, Model: r.parts[i].model, Engine: fences.Name, Outcome: met, Given: r.givenBounds()})
			res.Model = string(r.opt.Model)
			return res, nil
		}
		if flat != r.parts[i].flat {
			r.setFlat(i, flat)
		}
	}
	return nil, nil
}
