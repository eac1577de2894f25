package pipeline

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// What a safe rests on: fences and atomic operations without which the program is
// not safe. Each is taken away alone and the weaker program is searched within a small
// number of states; what is not found there is not said. Only for programs that
// were small to begin with, so that the answer does not wait for it.

const (
	reliedStates   = 5_000 // of the answer itself, and of each weaker program
	reliedSuspects = 24
)

// relies lists what the safety of a program needs.
func (p *program) relies(ctx context.Context, flat *ir.Program, model memory.Model, res *verdict.Result, opt Options) ([]verdict.Reliance, error) {
	if res.Stats.States > reliedStates || !res.Coverage.Exhaustive || memory.Unlisted(flat) != nil {
		return nil, nil
	}
	var out []verdict.Reliance
	try := func(kind verdict.RelianceKind, at source.Span, weaker *ir.Program) error {
		task := p.task(weaker, model, opt)
		task.KeepGoing, task.Progress = false, nil
		task.Limits.States, task.Limits.Workers = reliedStates, 1
		found, err := explicit.Engine.Run(ctx, task)
		if err != nil || len(found.Violations) == 0 {
			return err
		}
		v := &found.Violations[0]
		if v.Kind == engine.FinalViolated && p.observes() {
			return nil
		}
		if err := p.replay(weaker, model, v); err != nil {
			return fmt.Errorf("a violation of a weaker program does not replay: %w", err)
		}
		pos := position(at)
		out = append(out, verdict.Reliance{Kind: kind, Pos: &pos, Without: p.describe(v, found).Reason})
		return nil
	}
	suspects := 0
	for _, f := range presentFences(flat) {
		if suspects++; suspects > reliedSuspects {
			return out, nil
		}
		if err := try("fence", f.pos, transform.WithoutFences(flat, []source.Span{f.pos})); err != nil {
			return nil, err
		}
	}
	for _, at := range atomics(flat) {
		if suspects++; suspects > reliedSuspects {
			return out, nil
		}
		if err := try("atomic", at, transform.WithoutRMW(flat, at)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b verdict.Reliance) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	return out, nil
}

// atomics is where the program has read-modify-writes.
func atomics(p *ir.Program) []source.Span {
	var out []source.Span
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind == ir.RMW && e.Pos.IsValid() && !slices.Contains(out, e.Pos) {
				out = append(out, e.Pos)
			}
		}
	}
	return out
}
