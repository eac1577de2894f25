//go:build !fencepost_small

package robust

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/replay"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// certify proves that a program is robust, if the options ask for that (docs/certificates.md).
func certify(ctx context.Context, run *pipeline.Run, q *question, res *verdict.Result) error {
	if !q.opt.Wanted() || res.Verdict != verdict.Safe {
		return nil
	}
	run.Stage = "certificate under " + res.Model
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout)
	defer cancel()
	proof, plain, covered, err := prove(ctx, q)
	refuted := (*certificate.Refuted)(nil)
	switch {
	case errors.As(err, &refuted) && res.Coverage.Exhaustive && !refuted.Beyond:
		return fmt.Errorf("engine %s says robust, and the checker of certificates refutes it: %s", res.Engine, check.WhatFailed(plain, refuted))
	case errors.As(err, &refuted):
		pipeline.Uncertified(res, "outside of what the engine covers, "+check.WhatFailed(plain, refuted))
		return nil
	case errors.Is(err, pipeline.ErrRefused):
		return err
	case err != nil:
		pipeline.Uncertified(res, check.InTime(ctx, err).Error())
		return nil
	}
	res.Coverage.Certificate = &verdict.Certificate{Kind: covered.Kind, Size: covered.Size, Bytes: int64(len(proof))}
	pipeline.Certified(res, check.Coverage(plain, covered), pipeline.GivenBy(&q.opt.Options))
	if q.opt.Certificate != nil && res.Verdict == verdict.Safe {
		_, err = q.opt.Certificate.Write(proof)
	}
	return err
}

// prove makes a proof and checks it.
func prove(ctx context.Context, q *question) ([]byte, *ir.Program, *certificate.Covered, error) {
	model, plain, err := provable(q)
	if err != nil {
		return nil, nil, nil, err
	}
	var file bytes.Buffer
	statement := certificate.Statement{Tool: q.opt.Tool, Names: check.NamesOf(&q.Input), Asked: pipeline.NewAsked(Command, q.opt)}
	if _, err := certificate.Attacks(ctx, &file, statement, plain, model, q.opt.Memory); err != nil {
		return nil, plain, nil, err
	}
	r, err := certificate.Open(bytes.NewReader(file.Bytes()))
	if err != nil {
		return nil, plain, nil, err
	}
	defer r.Close()
	covered, err := certificate.CheckRobust(ctx, r, plain, model)
	return file.Bytes(), plain, covered, err
}

// provable returns the program that proofs are about.
func provable(q *question) (replay.Model, *ir.Program, error) {
	if q.opt.Criterion != "" && q.opt.Criterion != query.CriterionTrace {
		return 0, nil, fmt.Errorf("there are no certificates for the criterion %s", q.opt.Criterion)
	}
	model, err := replay.ParseModel(q.model.String())
	if err != nil {
		return 0, nil, err
	}
	opt := q.opt.Options
	opt.Timeout = 0 // counts from the reading, and these passes have run within it before
	plain, err := pipeline.FlattenPlain(q.Program, opt)
	return model, plain, err
}

// VerifyCertificate checks a certificate of robust. The error of a check says why it was refused. override changes the
// options with which a program of this name was read.
func VerifyCertificate(ctx context.Context, in query.Input, r *certificate.Reader, override func(opt *query.Options, name string)) (query.VerifyAnswer, error) {
	var asked query.RobustOptions
	return check.Verify(ctx, in, r, &asked, &asked.Options, override, func(ctx context.Context, run *pipeline.Run) (string, error) {
		if err := run.Read(ctx, pipeline.ReadOptions{Options: asked.Options}); err != nil {
			return "", err
		}
		m, err := pipeline.ParseAnyModel(query.Model(r.Model))
		if err != nil {
			return "", &query.DamagedError{Why: err.Error()}
		}
		model, plain, err := provable(&question{Program: run.Program, model: m, opt: asked})
		if err != nil {
			return "", err
		}
		ctx, cancel := supervise.TimeLimit(ctx, asked.Timeout)
		defer cancel()
		covered, err := certificate.CheckRobust(ctx, r, plain, model)
		if err != nil {
			return "", check.InTime(ctx, err)
		}
		return check.Proved("robust", covered, check.Coverage(plain, covered), r), nil
	})
}
