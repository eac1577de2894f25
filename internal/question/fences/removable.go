package fences

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/engine/fences"
	"fencepost/internal/pipeline"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// removable removes one fence after the other, as long as nothing breaks: the program that is left needs
// each of its fences.
func (r *Repairer) removable(ctx context.Context) (*verdict.Result, error) {
	res := r.result()
	found, err := r.checkFlat(ctx, &r.parts[0], r.Flat, r.run.Props, 0)
	if err != nil {
		return nil, err
	}
	res.Reason, res.Coverage, res.Warnings, res.Stats = found.Reason, found.Coverage, found.Warnings, found.Stats
	fail(res, found.Status)
	if found.Status == fences.Bad {
		b := r.broken(&found.Breaks[0])
		res.Repair.Before = b
		res.Reason = b.Reason()
	}
	if found.Status != fences.Good {
		return res, nil
	}
	present := transform.PresentFences(r.Flat)
	res.Repair.Present = len(present)
	var removed []source.Span
	undecided, why := 0, ""
	for _, f := range present {
		less := transform.WithoutFences(r.Flat, append(slices.Clone(removed), f.Pos))
		found, err := r.checkFlat(ctx, &r.parts[0], less, r.run.Props, 0)
		if err != nil {
			return nil, err
		}
		res.Stats.States += found.Stats.States
		res.Stats.Transitions += found.Stats.Transitions
		res.Stats.Seconds += found.Stats.Seconds
		pos := pipeline.Position(f.Pos)
		switch found.Status {
		case fences.Good:
			removed = append(removed, f.Pos)
			res.Repair.Redundant = append(res.Repair.Redundant, verdict.Fence{
				Pos: &pos, Kind: f.Kind.String(), Thread: strings.Join(f.Threads, ", "), Label: r.run.Slice(f.Pos),
			})
			res.Coverage, res.Warnings = found.Coverage, found.Warnings
		case fences.Bad:
		default:
			undecided, why = undecided+1, found.Reason
			res.Warnings = append(res.Warnings, verdict.Warning{
				Code: "FP0923", Message: "it is not known whether this fence is needed: " + found.Reason, Pos: &pos,
			})
		}
	}
	if undecided > 0 {
		res.Verdict, res.Reason = verdict.Unknown, fmt.Sprintf("it is not known whether %d of %d fences are needed: %s", undecided, len(present), why)
		return res, nil
	}
	pipeline.Hold(res, r.givenBounds())
	r.run.Restrict(res, &r.opt.Options)
	return res, nil
}
