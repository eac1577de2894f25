package traces

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "traces"

// Options are the options of the question.
type Options struct {
	pipeline.Options
	// By is the equivalence of executions: "" or pipeline.ByTrace, or pipeline.ByReadsFrom.
	By string
	// Algorithm of the exploration by traces: "" or "optimal", or "source". If it is set and By is
	// pipeline.ByReadsFrom, traces are explored, and counted by their reads-from classes.
	Algorithm string
	// Fingerprint asks for the fingerprint of the reads-from classes. It takes memory for a hash per
	// class.
	Fingerprint bool
	// CrossCheck explores by traces and by reads-from classes, and fails if the fingerprints differ.
	CrossCheck bool
}

// Defaults returns the documented defaults.
func Defaults() Options { return Options{Options: pipeline.Defaults()} }

// Validate returns a *pipeline.OptionError for an option with a value that it cannot have.
func (o *Options) Validate() error {
	switch o.By {
	case "", pipeline.ByTrace, pipeline.ByReadsFrom:
	default:
		return &pipeline.OptionError{Option: "by", Value: o.By, Want: "trace or reads-from"}
	}
	exploration := check.Options{Algorithm: o.Algorithm}
	return exploration.Validate()
}

// Run explores one execution for every Shasha-Snir trace of a program under a model. each, if not nil, is
// called with every complete trace, in order; without it they are only counted.
func Run(ctx context.Context, in pipeline.Input, model string, opt Options, each func(*verdict.Trace)) (set verdict.TraceSet, diags []verdict.Diagnostic, err error) {
	run := pipeline.Open(in)
	err = run.Do(ctx, func(ctx context.Context) error {
		if err := opt.Validate(); err != nil {
			return err
		}
		set, err = explore(ctx, run, model, opt, each)
		if over := (*pipeline.OverLimit)(nil); errors.As(err, &over) {
			set = verdict.TraceSet{
				Program: run.Input.Name, Model: model, Asked: pipeline.NewAsked(Command, opt), Sources: run.Sources(), Reason: over.Error(),
			}
			err = nil
		}
		return err
	})
	return set, run.Diagnostics, err
}

func explore(ctx context.Context, run *pipeline.Run, name string, opt Options, each func(*verdict.Trace)) (set verdict.TraceSet, err error) {
	model, err := pipeline.ParseModel(name)
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
	by := cmp.Or(opt.By, pipeline.ByTrace)
	for _, e := range opt.explorers(by) {
		if err := run.Supports(e, run.ExploreTask(flat, model, &opt.Options)); err != nil {
			return set, err
		}
	}
	run.Stage = "exploration under " + name
	ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	set = verdict.TraceSet{Program: run.Input.Name, Model: name, By: by, Asked: pipeline.NewAsked(Command, opt), Sources: run.Sources()}
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
	x := &exploration{run: run, flat: flat, model: model, opt: &opt, by: by, each: each, set: &set}
	if err := x.explore(ctx, by == pipeline.ByReadsFrom && opt.Algorithm == ""); err != nil || !opt.CrossCheck {
		return set, err
	}
	return set, x.crossCheck(ctx)
}

// explorers returns the engines that the exploration needs.
func (o *Options) explorers(by string) []*engine.Engine {
	lists := smc.New(smc.Options{Traces: true})
	switch {
	case o.CrossCheck:
		return []*engine.Engine{&lists, &rf.Engine}
	case by == pipeline.ByReadsFrom && o.Algorithm == "":
		return []*engine.Engine{&rf.Engine}
	default:
		return []*engine.Engine{&lists}
	}
}
