package check

import (
	"bytes"
	"context"

	"fencepost/internal/certificate"
	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/query"
	"fencepost/verdict"
)

// Proof makes a certificate of a kind whatever the answer is, and checks it. It returns nil if the checker accepts.
func Proof(ctx context.Context, in query.Input, opt query.CheckOptions, model query.Model, kind string) error {
	run := pipeline.Open(in)
	return run.Do(ctx, func(ctx context.Context) error {
		if _, err := Read(ctx, run, &opt); err != nil {
			return err
		}
		m, err := pipeline.ParseAnyModel(model)
		if err != nil {
			return err
		}
		q := &question{Program: run.Program, model: m, opt: opt}
		loops := kind != certificate.KindClauses && (run.Props.Endless || run.Props.Fairness != 0)
		rules, plain, props, err := provable(q, loops)
		if err != nil {
			return err
		}
		var file bytes.Buffer
		switch kind {
		case certificate.KindClauses:
			_, err = certificate.Clauses(ctx, &file, certificate.Statement{}, plain, props, rules, opt.UnrollBound(), fewClauses)
		case certificate.KindClasses:
			_, err = certificate.Classes(ctx, &file, certificate.Statement{}, plain, props, rules, 3*smallTree)
		default:
			limits := certificate.Limits{Buffer: longBuffer, Bytes: 20 << 20}
			_, err = certificate.States(ctx, &file, certificate.Statement{}, plain, props, rules, limits)
		}
		if err != nil {
			return err
		}
		r, err := certificate.Open(&file)
		if err != nil {
			return err
		}
		defer r.Close()
		covered, err := certificate.Check(ctx, r, plain, props, rules)
		if err != nil {
			return err
		}
		if c := Coverage(plain, covered); !c.Exhaustive {
			return &BoundError{c.BoundText()}
		}
		return nil
	})
}

// fewClauses asks the solver only about formulas that are small.
func fewClauses(ctx context.Context, clauses [][]int32, step func([]int32, []int) error) (func(int32) bool, error) {
	if len(clauses) > 40_000 {
		return nil, certificate.ErrTooLarge
	}
	return refuter(0)(ctx, clauses, step)
}

// BoundError is the error of a proof that covers executions up to a bound.
type BoundError struct{ Bounds string }

func (e *BoundError) Error() string { return "the proof covers executions up to " + e.Bounds }

// ProofUnderC11 makes a certificate whatever the answer is, and checks it. It returns nil if the checker accepts.
func ProofUnderC11(ctx context.Context, in query.Input, opt query.CheckOptions) error {
	run := pipeline.Open(in)
	return run.Do(ctx, func(ctx context.Context) error {
		if _, err := Read(ctx, run, &opt); err != nil {
			return err
		}
		m, err := pipeline.ParseAnyModel(query.Model(replay.C11.String()))
		if err != nil {
			return err
		}
		q := &question{Program: run.Program, model: m, opt: opt}
		_, _, _, err = prove(ctx, q, &verdict.Result{})
		return err
	})
}
