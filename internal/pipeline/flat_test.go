package pipeline

import (
	"context"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// CheckFlat answers the questions about a flat program without a text, as Check does:
// by the engine that the options name, or by the portfolio. An engine that does not take
// the program refuses it.
func CheckFlat(ctx context.Context, flat *ir.Program, props *property.Set, model memory.Model, opt Options) (res *verdict.Result, refused bool, err error) {
	stage := "engines"
	in := Input{Name: "flat"}
	defer caught(&stage, in, &err)
	p := newProgram(in)
	p.ir, p.props = flat, props
	if _, refused := p.refusedBy(opt, flat, model.String()); refused {
		return nil, true, nil
	}
	res, err = p.answer(ctx, flat, model, opt)
	return res, false, err
}
