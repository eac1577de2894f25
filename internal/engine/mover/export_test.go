package mover

import (
	"context"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
)

// LimitQuestions bounds the work that the solver does for one question. It returns what restores the limit.
func LimitQuestions(work int) (restore func()) {
	old := queryLimit
	queryLimit.Work = work
	return func() { queryLimit = old }
}

// ProveAndCompare proves a program and returns, beside the outcome, the inferred invariants that are false in a
// state of an instance with sizes threads per template, and how often an invariant was compared with a state.
func ProveAndCompare(ctx context.Context, p *ir.Program, props *property.Set, opt Options, reach program.Reach, sizes ...int) (out *Outcome, bad []string, compared int, err error) {
	asker, err := encode.NewAsker(ctx, opt.solvers())
	if err != nil {
		return nil, nil, 0, err
	}
	defer asker.Close()
	pr := &prover{Problem: &encode.Problem{Ctx: ctx, Asker: asker}}
	if err := pr.prepare(program.Clone(p), props, opt); err != nil {
		return nil, nil, 0, err
	}
	if out, err = pr.prove(opt); err != nil {
		return nil, nil, 0, err
	}
	bad, compared = pr.known.Audit(ctx, reach, sizes...)
	return out, bad, compared, nil
}
