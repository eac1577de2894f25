package pipeline

import (
	"context"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
	"fencepost/query"
)

// reportProgress returns what engines report their progress to, nil if the caller asks for none. The engine runs under a
// model to answer a question about another, or about the same.
func reportProgress(o *query.Options, model, under memory.Model) func(query.Progress) {
	if o.Progress == nil {
		return nil
	}
	return func(p query.Progress) {
		p.Model, p.Under = query.Model(model.String()), query.Model(under.String())
		o.Progress(p)
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
	_ = budget.Spend(ctx, 0) // nothing is done before the first turn; the engine says what it was that ended it
	report := task.Progress
	if report == nil {
		return e.Run(ctx, task)
	}
	named := *task
	named.Progress = func(p query.Progress) {
		p.Engine = query.Engine(e.Name)
		report(p)
	}
	named.Progress(query.Progress{})
	defer named.Progress(query.Progress{Ended: true})
	return e.Run(ctx, &named)
}
