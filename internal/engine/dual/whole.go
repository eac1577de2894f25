//go:build !fencepost_small

package dual

import (
	"context"

	"fencepost/internal/engine"
)

// linked says why the engine does not take a task; nil if it does.
func linked(t *engine.Task) error { return supports(t) }

func answer(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	return run(ctx, task, opt)
}
