package check

import (
	"context"
	"errors"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/query"
	"fencepost/verdict"
)

// CheckFlat answers the questions about a flat program without a text, as Run does: by the engine that
// the options name, or by the portfolio. An engine that does not take the program refuses it.
func CheckFlat(ctx context.Context, flat *ir.Program, props *property.Set, model memory.Model, opt query.CheckOptions) (res *verdict.Result, refused bool, err error) {
	run := pipeline.Open(query.Input{Name: "flat"})
	run.IR, run.Props = flat, props
	q := &question{Program: run.Program, flat: flat, model: model, opt: opt}
	err = run.Do(ctx, func(ctx context.Context) (err error) {
		if len(opt.Engines) > 0 {
			if err := q.refused(); errors.Is(err, pipeline.ErrRefused) {
				refused = true
				return nil
			}
		}
		res, err = q.answer(ctx)
		return err
	})
	return res, refused, err
}
