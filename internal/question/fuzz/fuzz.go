package fuzz

import (
	"cmp"
	"context"

	"fencepost/internal/engine/fuzz"
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
		e := fuzz.New(fuzz.Options{
			Seed: uint64(cmp.Or(opt.Seed, 1)), Runs: int64(opt.Runs), Depth: cmp.Or(opt.Depth, query.DefaultDepth),
			Buffer: cmp.Or(opt.Buffer, query.FuzzBuffer),
		})
		var results []verdict.Result
		for _, name := range opt.Models.OrTSO() {
			model, err := pipeline.ParseAnyModel(name)
			if err != nil {
				return nil, err
			}
			asked := pipeline.Asked{CheckOptions: how, Given: pipeline.GivenBy(&opt.Options)}
			if err := pipeline.FillsUnder(run.Program, flat, model); err != nil {
				return nil, err
			}
			if err := run.Supports(&e, run.QuestionTask(flat, model, &asked)); err != nil {
				return nil, err
			}
			run.Stage = "executions under " + string(name)
			a := &pipeline.Asking{Engine: &e, Model: model, Under: model}
			under, cancel := supervise.TimeLimit(ctx, opt.Timeout)
			run.Ask(under, a, flat, asked)
			cancel()
			if a.Err != nil {
				return nil, a.Err
			}
			results = append(results, *a.Result)
		}
		return results, nil
	})
}
