package traces

import (
	"context"
	"errors"
	"maps"

	"fencepost/internal/engine/smc"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "traces"

// Options are the options of the question.
type Options struct {
	pipeline.Options
	// Algorithm of the exploration: "" or "optimal", or "source".
	Algorithm string
}

// Defaults returns the documented defaults.
func Defaults() Options { return Options{Options: pipeline.Defaults()} }

// Validate returns a *pipeline.OptionError for an option with a value that it cannot have.
func (o *Options) Validate() error {
	exploration := check.Options{Algorithm: o.Algorithm}
	return exploration.Validate()
}

// Run explores one execution for every Shasha-Snir trace of a program under a model. each, if not nil, is
// called with every complete trace, in order; without it they are only counted.
func Run(ctx context.Context, in pipeline.Input, model string, opt Options, each func(*verdict.Trace)) (set verdict.TraceSet, diags []verdict.Diagnostic, err error) {
	run := pipeline.Open(in)
	err = run.Do(func() error {
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
	if err := run.Explorable(flat, model, &opt.Options); err != nil {
		return set, err
	}
	run.Stage = "engine smc under " + name
	ctx, cancel := opt.Limit(ctx)
	defer cancel()
	set = verdict.TraceSet{Program: run.Input.Name, Model: name, Asked: pipeline.NewAsked(Command, opt), Sources: run.Sources()}
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
	task := run.ExploreTask(flat, model, &opt.Options)
	how := smc.Options{SourceDPOR: opt.Algorithm == "source", Traces: true}
	var broken error
	if each != nil {
		task.Limits.Workers = 1 // traces are listed in the same order every time
		how.Visit = func(w *verdict.Witness) {
			t, err := run.Trace(flat, model, w)
			if err != nil && broken == nil {
				broken = err
			}
			if broken != nil {
				return
			}
			set.Count++
			t.Number = int(set.Count)
			if t.Cycle != nil {
				set.Cyclic++
			}
			maps.Copy(set.Sources, run.Sources(t.Witness))
			each(t)
		}
	}
	out, err := smc.New(how).Run(ctx, task)
	if err == nil {
		err = broken
	}
	if err != nil {
		return set, err
	}
	set.Count = out.Stats.FinalStates
	if set.Count == 0 && out.Unknown == "" && out.Exits == 0 {
		out.Unknown = "no execution comes to its end"
	}
	pipeline.Mark(&out.Coverage, opt.Given())
	set.Reason, set.Coverage, set.Stats, set.Warnings = out.Unknown, out.Coverage, out.Stats, out.Warnings
	return set, nil
}
