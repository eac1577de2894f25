package traces

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "traces"

// Run explores one execution for every Shasha-Snir trace of a program, or for every reads-from class.
func Run(ctx context.Context, in query.Input, opt query.TraceOptions) (query.TraceAnswer, error) {
	run := pipeline.Open(in)
	opt.Model = cmp.Or(opt.Model, query.TSO)
	var set verdict.TraceSet
	err := run.Do(ctx, func(ctx context.Context) error {
		err := opt.Validate()
		if err != nil {
			return err
		}
		set, err = explore(ctx, run, opt)
		if over := (*pipeline.OverLimit)(nil); errors.As(err, &over) {
			set = verdict.TraceSet{
				Program: run.Input.Name, Model: string(opt.Model), Asked: pipeline.NewAsked(Command, opt), Sources: run.Sources(), Reason: over.Error(),
			}
			err = nil
		}
		return err
	})
	return query.TraceAnswer{Set: set, Diagnostics: run.Diagnostics}, err
}

func explore(ctx context.Context, run *pipeline.Run, opt query.TraceOptions) (set verdict.TraceSet, err error) {
	model, err := pipeline.ParseAnyModel(opt.Model)
	if err != nil {
		return set, err
	}
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return set, err
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt.Options)
	if err != nil {
		return set, err
	}
	if err := run.ListsInputs(flat, "traces"); err != nil {
		return set, err
	}
	by := cmp.Or(opt.By, query.ByTrace)
	if memory.HasC11 && model == memory.C11 {
		if flat, err = forC11(run, flat, &opt); err != nil {
			return set, err
		}
		return graphs(ctx, run, flat, &opt, by)
	}
	for _, e := range explorers(&opt, by) {
		if err := run.Supports(e, run.ExploreTask(flat, model, &opt.Options)); err != nil {
			return set, err
		}
	}
	run.Stage = "exploration under " + string(opt.Model)
	ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	set = verdict.TraceSet{Program: run.Input.Name, Model: string(opt.Model), By: string(by), Asked: pipeline.NewAsked(Command, opt), Sources: run.Sources()}
	flat, met, err := pipeline.Reachable(ctx, run.Program, flat, model, &opt.Options)
	if err != nil {
		return set, err
	}
	if met != nil {
		set.Coverage, set.Stats, set.Reason = met.Coverage, met.Stats, met.Unknown
		if u := met.Coverage.Unsupported; u != nil {
			set.Reason = pipeline.ReachedReason(u)
			maps.Copy(set.Sources, run.Sources(u.Witness))
		}
		return set, nil
	}
	x := &exploration{run: run, flat: flat, model: model, opt: &opt, by: by, each: opt.Each, set: &set}
	if err := x.explore(ctx, by == query.ByReadsFrom && opt.Algorithm == ""); err != nil {
		return set, err
	}
	if opt.CrossCheck {
		if err := x.crossCheck(ctx); err != nil {
			return set, err
		}
	}
	return set, x.orbits(ctx)
}

// explorers returns the engines that the exploration needs.
func explorers(o *query.TraceOptions, by query.By) []*engine.Engine {
	lists := smc.New(smc.Options{Traces: true})
	switch {
	case o.CrossCheck:
		return []*engine.Engine{&lists, &rf.Engine}
	case by == query.ByReadsFrom && o.Algorithm == "":
		return []*engine.Engine{&rf.Engine}
	default:
		return []*engine.Engine{&lists}
	}
}
