package bmc

import (
	"context"
	"errors"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// Raising the bounds step by step: small formulas first, since most bugs need few iterations and
// rounds. A step whose bounds provably exclude nothing is the last one. When the time is over, the
// answer of the last finished step still holds, up to its bounds.
//
// Where the order of events can be encoded, nothing but unrolling and width is bounded, and the
// first step that unrolls far enough is the last. Otherwise rounds, times and lists are raised, too.

// raise answers with growing bounds, up to the largest that could make a difference.
func raise(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	opt.Auto = false
	opt.Unroll, opt.Rounds, opt.Clock, opt.Queue = 1, 2, 2, 2
	choose := opt.Encoding == ""
	if choose {
		opt.Encoding = Order
	}
	var last *engine.Outcome
	for {
		out, err := encoded(ctx, task, opt)
		if u := (*notOrdered)(nil); errors.As(err, &u) && choose {
			opt.Encoding, choose = Rounds, false
			continue
		} else if u != nil {
			out.Unknown, err = u.Error(), nil
		}
		if err != nil {
			return nil, err
		}
		report(task, opt, out)
		switch {
		case out.Unknown != "" && last != nil && ctx.Err() != nil:
			return last, nil
		case out.Unknown != "" || len(out.Violations) > 0 || out.Coverage.Exhaustive:
			return out, nil
		}
		last = out
		grew := false
		for _, b := range out.Coverage.Bounds {
			if !b.Hit {
				continue
			}
			switch b.Name {
			case "rounds":
				opt.Rounds++
			case "clock":
				opt.Clock++
			case "queue":
				opt.Queue++
			case "unroll":
				opt.Unroll += (opt.Unroll + 1) / 2 // copies of a loop that cannot run cost little
			case "width":
				opt.Width *= 2
			default:
				continue
			}
			grew = true
		}
		if !grew {
			return out, nil
		}
	}
}

// report reports the result of a step.
func report(task *engine.Task, opt Options, out *engine.Outcome) {
	if opt.Report == nil {
		return
	}
	what := "nothing found"
	switch {
	case out.Unknown != "":
		what = out.Unknown
	case len(out.Violations) > 0:
		what = "violation found"
	case out.Coverage.Exhaustive:
		what = "nothing found, nothing left out"
	}
	bounds := fmt.Sprintf("unroll %d", opt.Unroll)
	if opt.Encoding == Rounds {
		bounds += fmt.Sprintf(", rounds %d", opt.Rounds)
	}
	if opt.Encoding == Rounds && task.Model != memory.SC {
		bounds += fmt.Sprintf(", clock %d, queue %d", opt.Clock, opt.Queue)
	}
	opt.Report(fmt.Sprintf("%s: %s: %s (%.2fs)", task.Model, bounds, what, out.Stats.Seconds))
}
