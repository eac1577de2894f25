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
	present := r.presentFences()
	res.Repair.Present = len(present)
	var removed []source.Span
	undecided, why := 0, ""
	for _, f := range present {
		less := transform.WithoutFences(r.Flat, append(slices.Clone(removed), f.all...))
		found, err := r.checkFlat(ctx, &r.parts[0], less, r.run.Props, 0)
		if err != nil {
			return nil, err
		}
		res.Stats.States += found.Stats.States
		res.Stats.Transitions += found.Stats.Transitions
		res.Stats.Seconds += found.Stats.Seconds
		switch found.Status {
		case fences.Good:
			removed = append(removed, f.all...)
			res.Repair.Redundant = append(res.Repair.Redundant, f.Fence)
			res.Coverage, res.Warnings = found.Coverage, found.Warnings
		case fences.Bad:
		default:
			undecided, why = undecided+1, found.Reason
			res.Warnings = append(res.Warnings, verdict.Warning{
				Code: "FP0923", Message: "it is not known whether this fence is needed: " + found.Reason, Pos: f.Pos,
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

// presentFence is a fence of the program, and all its positions: of machine code, those of the instructions that the compiler
// made of one position in the source.
type presentFence struct {
	verdict.Fence
	all []source.Span
}

// presentFences returns the fences of the program that are statements, in the order of the text.
func (r *Repairer) presentFences() []presentFence {
	var out []presentFence
	for _, f := range transform.PresentFences(r.Flat) {
		pos := pipeline.Position(f.Pos)
		if r.run.Locate != nil {
			r.run.Locate(&pos)
		}
		same := slices.IndexFunc(out, func(p presentFence) bool {
			return pos.Source != "" && p.Pos.Source == pos.Source && p.Kind == f.Kind.String()
		})
		if same < 0 {
			out = append(out, presentFence{Fence: verdict.Fence{
				Pos: &pos, Kind: f.Kind.String(), Thread: strings.Join(f.Threads, ", "), Label: r.run.Slice(f.Pos),
			}, all: []source.Span{f.Pos}})
			continue
		}
		one := &out[same]
		if one.Instructions == nil {
			one.Instructions = []verdict.Pos{*one.Pos}
		}
		one.Instructions, one.all = append(one.Instructions, pos), append(one.all, f.Pos)
		for _, t := range f.Threads {
			if !slices.Contains(strings.Split(one.Thread, ", "), t) {
				one.Thread += ", " + t
			}
		}
	}
	return out
}
