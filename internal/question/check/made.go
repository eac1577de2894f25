//go:build !fencepost_small

package check

import (
	"bytes"
	"context"
	"errors"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/query"
	"fencepost/verdict"
)

// Made is a program that fencepost has made, with a question about it for which there can be a proof.
type Made struct {
	Input   query.Input
	Model   memory.Model
	Options query.Options
	// Stuck asks whether threads can wait for ever.
	Stuck bool
	// Final returns what no final state violates.
	Final func(flat *ir.Program) (*property.Final, error)
}

// provable returns the program and the question that proofs are about.
func (m *Made) provable(ctx context.Context) (*question, *ir.Program, replay.Model, error) {
	model, err := replay.ParseModel(m.Model.String())
	if err != nil {
		return nil, nil, 0, err
	}
	run := pipeline.Open(m.Input)
	opt := m.Options
	opt.Timeout = 0
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt}); err != nil {
		return nil, nil, 0, err
	}
	props := &property.Set{Checks: true, Deadlock: m.Stuck}
	run.Props = props
	if m.Stuck {
		flat, err := run.FlattenFixed(opt)
		if err != nil {
			return nil, nil, 0, err
		}
		pipeline.AskDefaultEndless(&query.Endless{}, props, flat)
	}
	plain, err := pipeline.FlattenPlain(run.Program, opt)
	if err == nil && model == replay.C11 {
		plain, err = pipeline.ForC11(run.Program, plain)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	if m.Final != nil {
		if props.Final, err = m.Final(plain); err != nil {
			return nil, nil, 0, err
		}
	}
	return &question{Program: run.Program, model: m.Model, opt: query.CheckOptions{Options: m.Options}}, plain, model, nil
}

// Prove makes a proof. by is the engine that has the answer, "" if that does not matter.
func (m *Made) Prove(ctx context.Context, by string) ([]byte, error) {
	q, plain, model, err := m.provable(ctx)
	if err != nil {
		return nil, err
	}
	file, err := search(ctx, q, by, certificate.Statement{}, plain, q.Props, model)
	if refuted := (*certificate.Refuted)(nil); errors.As(err, &refuted) {
		return nil, &certificate.Refuted{What: WhatFailed(plain, refuted), Edge: ir.NoEdge, Class: refuted.Class, Beyond: refuted.Beyond}
	}
	return file.Bytes(), err
}

// Check checks a proof, and returns what it covers.
func (m *Made) Check(ctx context.Context, proof []byte) (verdict.Coverage, error) {
	r, err := certificate.Open(bytes.NewReader(proof))
	if err != nil {
		return verdict.Coverage{}, err
	}
	defer r.Close()
	q, plain, model, err := m.provable(ctx)
	if err != nil {
		return verdict.Coverage{}, err
	}
	covered, err := certificate.Check(ctx, r, plain, q.Props, model)
	if err != nil {
		return verdict.Coverage{}, err
	}
	return Coverage(plain, covered), nil
}
