//go:build !fencepost_small

package bmc

import (
	"context"

	"fencepost/internal/engine"
)

// linked says why the engine does not take a task; nil if it does.
func linked(t *engine.Task) error { return supports(t) }

func search(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	if opt.Auto {
		return raise(ctx, task, opt)
	}
	return attempt(ctx, task, withDefaults(opt))
}
