package pipeline

import (
	"context"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
)

// Progress is how far an engine has come.
type Progress struct {
	Model   string // that is asked about
	Under   string // that the engine runs under: Model, or SC for a robust program
	Engine  string // "": a search that is no engine's
	Ended   bool   // the last report of the engine
	States  int64
	Waiting int64 // states found and not yet expanded
	Depth   int
	Elapsed time.Duration
	// Of engines that explore executions: how many so far, and the range of the latest estimates of
	// their total.
	Executions int64
	Low, High  int64
}

// engineProgress adapts Progress to what engines call, nil if there is none. The engine runs under a
// model to answer a question about another, or about the same.
func (o *Options) engineProgress(model, under memory.Model) func(engine.Progress) {
	if o.Progress == nil {
		return nil
	}
	report := o.Progress
	return func(g engine.Progress) {
		report(Progress{
			Model: model.String(), Under: under.String(), Engine: g.Engine, Ended: g.Ended,
			States: g.States, Waiting: g.Waiting, Depth: g.Depth, Elapsed: g.Elapsed,
			Executions: g.Executions, Low: g.Low, High: g.High,
		})
	}
}

// RunEngine runs an engine, and reports its progress under its name: when it begins, as it goes, and
// when it ends.
func RunEngine(ctx context.Context, e *engine.Engine, task *engine.Task) (*engine.Outcome, error) {
	out, err := runNamed(ctx, e, task)
	if err != nil || out.Unknown != "" || len(out.Violations) > 0 || !task.Props.Endless || out.Ended() {
		return out, err
	}
	if rests, err := endless.Rests(ctx, memory.New(task.Program, memory.SC, task.MemoryOptions())); err == nil {
		out.Rests = rests // an error says that no time is left to look
	}
	return out, nil
}

// runNamed runs an engine whose progress is reported under its name.
func runNamed(ctx context.Context, e *engine.Engine, task *engine.Task) (*engine.Outcome, error) {
	report := task.Progress
	if report == nil {
		return e.Run(ctx, task)
	}
	named := *task
	named.Progress = func(g engine.Progress) {
		g.Engine = e.Name
		report(g)
	}
	named.Progress(engine.Progress{})
	defer named.Progress(engine.Progress{Ended: true})
	return e.Run(ctx, &named)
}
