package mover

import (
	"context"

	"fencepost/internal/ir"
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
func ProveAndCompare(ctx context.Context, p *ir.Program, props *property.Set, opt Options, reach Reach, sizes ...int) (out *Outcome, bad []string, compared int, err error) {
	asker, err := newAsker(ctx, opt.solvers())
	if err != nil {
		return nil, nil, 0, err
	}
	defer asker.close()
	pr := &prover{problem: &problem{ctx: ctx, asker: asker}}
	if err := pr.prepare(clone(p), props, opt); err != nil {
		return nil, nil, 0, err
	}
	if out, err = pr.prove(opt); err != nil {
		return nil, nil, 0, err
	}
	bad, compared = pr.known.audit(ctx, reach, sizes...)
	return out, bad, compared, nil
}
