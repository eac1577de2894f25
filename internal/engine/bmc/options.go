package bmc

import (
	"cmp"
	"context"

	"fencepost/internal/engine"
	"fencepost/query"
)

// Options are the bounds and switches of bounded model checking. The defaults replace bounds that
// are zero.
type Options = query.BMCOptions

// The encodings.
const (
	Rounds = query.EncodingRounds
	Order  = query.EncodingOrder
)

// Engine is bounded model checking with the default bounds.
var Engine = New(Options{})

// New returns the engine with bounds and switches.
func New(opt Options) engine.Engine {
	return engine.Engine{
		Name:     "bmc",
		Doc:      "all schedules of a number of rounds and all inputs in one formula",
		Papers:   []string{"TNIFLP16"},
		Supports: linked,
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			if err := linked(task); err != nil {
				return nil, err
			}
			opt := opt
			opt.Unroll = cmp.Or(opt.Unroll, task.Limits.Unroll)
			if opt.Encoding == "" && (opt.Rounds > 0 || opt.Clock > 0 || opt.Queue > 0) {
				opt.Encoding = Rounds
			}
			return search(ctx, task, opt)
		},
	}
}
