package pipeline

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/memory"
	"fencepost/query"
)

// AllFinals collects final states with the engine explicit, and returns the engine that found them. If
// that meets a bound that the user did not set, smc is asked, which does not bound buffers. Under C11's own model rf is.
func AllFinals(ctx context.Context, task *engine.Task, opt *query.Options) (*engine.Outcome, *engine.Engine, error) {
	task.Finals, task.KeepGoing = true, true
	task.Limits.Unroll = 0
	if memory.HasC11 && task.Model == memory.C11 {
		out, err := RunEngine(ctx, &rf.Engine, task)
		if err == nil {
			Mark(&out.Coverage, GivenBy(opt))
		}
		return out, &rf.Engine, err
	}
	out, err := RunEngine(ctx, &explicit.Engine, task)
	if err != nil {
		return nil, nil, err
	}
	Mark(&out.Coverage, GivenBy(opt))
	if out.Unknown != "" || out.Coverage.Complete() || smc.Engine.Supports(task) != nil {
		return out, &explicit.Engine, nil
	}
	unrolled := *task
	unrolled.Limits.Unroll = opt.UnrollBound()
	more, err := RunEngine(ctx, &smc.Engine, &unrolled)
	if err != nil {
		return nil, nil, err
	}
	Mark(&more.Coverage, GivenBy(opt))
	if more.Unknown != "" || !more.Coverage.Complete() {
		return out, &explicit.Engine, nil
	}
	return more, &smc.Engine, nil
}
