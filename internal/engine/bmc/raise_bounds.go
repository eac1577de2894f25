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
// first step that unrolls far enough is the last. Otherwise rounds, times and lists are raised, too:
// straight to what the unrolled program can need if the formula for that is small, and by doubling
// otherwise, so that there is an answer for some bounds when the time is over.

// raise answers with growing bounds, up to the largest that could make a difference.
func raise(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	opt.Auto = false
	opt.Unroll, opt.Rounds, opt.Clock, opt.Queue = 1, 2, 2, 2
	var need Options
	choose := opt.Encoding == ""
	if choose {
		opt.Encoding = Order
	}
	var last *engine.Outcome
	for {
		out, err := encoded(ctx, task, opt, &need)
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
		grew, straight := false, fits(out, opt, need)
		for _, b := range out.Coverage.Bounds {
			if !b.Hit {
				continue
			}
			switch b.Name {
			case "rounds":
				opt.Rounds = raised(opt.Rounds, need.Rounds, straight)
			case "clock":
				opt.Clock = raised(opt.Clock, need.Clock, straight)
			case "queue":
				opt.Queue = raised(opt.Queue, need.Queue, straight)
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

// straightClauses is the size of formulas that are solved without smaller ones before. Of the programs of the corpus that
// need rounds, those with smaller formulas take less than a second, and most of those with larger ones minutes or more.
const straightClauses = 300_000

// fits reports whether the formula for the rounds, times and lists that the program needs is small. A formula grows at most
// with the product of the three.
func fits(out *engine.Outcome, opt, need Options) bool {
	size := float64(out.Stats.Clauses)
	for _, b := range [][2]int{{opt.Rounds, need.Rounds}, {opt.Clock, need.Clock}, {opt.Queue, need.Queue}} {
		size *= max(1, float64(b[1])/float64(b[0]))
	}
	return size <= straightClauses
}

// raised returns the next value of a bound that is below what the program needs.
func raised(value, need int, straight bool) int {
	if straight {
		return need
	}
	return min(2*value, need)
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
