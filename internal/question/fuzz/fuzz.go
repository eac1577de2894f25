package fuzz

import (
	"cmp"
	"context"

	"fencepost/internal/engine/fuzz"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "fuzz"

// Run looks for violations of the program's own questions under each model.
func Run(ctx context.Context, in query.Input, opt query.FuzzOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	run.Asks("", opt.Models.OrTSO()...)
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		how := opt.Check()
		flat, err := check.Read(ctx, run, &how)
		if err != nil {
			return nil, err
		}
		return pipeline.UnderEach(opt.Models, func(_ query.Model, model memory.Model) (*verdict.Result, error) {
			return under(ctx, run, flat, model, &opt)
		})
	})
}

// UnrollC11 is how many rounds of a loop an execution under c11 has, unless the user says how many.
const UnrollC11 = 128

// under answers under one model.
func under(ctx context.Context, run *pipeline.Run, flat *ir.Program, model memory.Model, opt *query.FuzzOptions) (*verdict.Result, error) {
	how := opt.Check()
	asked := pipeline.Asked{CheckOptions: how, Given: pipeline.GivenBy(&opt.Options)}
	seed, runs, depth := uint64(cmp.Or(opt.Seed, 1)), int64(opt.Runs), cmp.Or(opt.Depth, query.DefaultDepth)
	e := fuzz.New(fuzz.Options{Seed: seed, Runs: runs, Depth: depth, Buffer: cmp.Or(opt.Buffer, query.FuzzBuffer)})
	if memory.HasC11 && model == memory.C11 {
		var err error
		if flat, err = pipeline.ForC11(run.Program, flat); err != nil {
			return nil, err
		}
		e = rf.New(rf.Options{Walk: &rf.Walk{Seed: seed, Runs: runs, Depth: depth}})
		if asked.Unroll == 0 {
			asked.Unroll = UnrollC11
		}
	}
	if err := pipeline.FillsUnder(run.Program, flat, model); err != nil {
		return nil, err
	}
	if err := run.Supports(&e, run.QuestionTask(flat, model, &asked)); err != nil {
		return nil, err
	}
	run.Stage = "executions under " + model.String()
	a := &pipeline.Asking{Engine: &e, Model: model, Under: model}
	limited, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	run.Ask(limited, a, flat, asked)
	if a.Err == nil && memory.HasC11 && model == memory.C11 {
		pipeline.WarnLoadBuffering(a.Result, flat)
	}
	return a.Result, a.Err
}
