package check

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// What a safe relies on: fences and atomic operations without which the program is not safe. Each is
// removed alone, and the weaker program is searched up to a small number of states; a violation that is
// not found there is not reported. This is done for small programs only, so that the answer does not
// wait for it.

const (
	reliedStates      = 5_000 // of the answer itself, and of each weaker program
	reliedTransitions = 4 * reliedStates
	reliedSuspects    = 24
)

// reliedWork returns how much work all weaker programs may take together. The search must not cost much more than the
// answer did, which some engines find without storing states.
func reliedWork(res *verdict.Result) int64 {
	if res.Stats.States == 0 {
		return max(4*budget.Millisecond, res.Stats.Transitions*budget.Microsecond)
	}
	return max(10*budget.Millisecond, 4*res.Stats.States*budget.Microsecond)
}

// relies lists what the safety of a program relies on.
func (q *question) relies(ctx context.Context, res *verdict.Result) ([]verdict.Reliance, error) {
	if res.Stats.States > reliedStates || res.Stats.Transitions > reliedTransitions || !res.Coverage.Exhaustive || memory.Unlisted(q.flat) != nil {
		return nil, nil
	}
	how, first := askedBy(&q.opt), pipeline.Engines(&q.opt)[0]
	var out []verdict.Reliance
	work := budget.New()
	work.Grant(reliedWork(res))
	limited, cancel := context.WithCancel(budget.With(ctx, work))
	defer cancel()
	go func() {
		select {
		case <-work.Used():
			cancel()
		case <-limited.Done():
		}
	}()
	try := func(kind verdict.RelianceKind, at source.Span, weaker *ir.Program) error {
		task := q.QuestionTask(weaker, q.model, &how)
		task.KeepGoing, task.Progress = false, nil
		if task.Limits.States, task.Limits.Workers = reliedStates, 1; limited.Err() != nil {
			return nil
		}
		found, err := first.Run(limited, task)
		if err != nil || len(found.Violations) == 0 {
			return err
		}
		v := &found.Violations[0]
		if v.Kind == engine.FinalViolated && q.Observes() {
			return nil
		}
		if err := q.Replay(weaker, q.model, v); err != nil {
			return fmt.Errorf("a violation of a weaker program does not replay: %w", err)
		}
		if v.Kind == engine.NonTermination {
			if v.Waits, err = pipeline.Loops(weaker, q.model, v.Witness); err != nil {
				return err
			}
		}
		pos := pipeline.Position(at)
		out = append(out, verdict.Reliance{Kind: kind, Pos: &pos, Without: q.Describe(v).Reason})
		return nil
	}
	suspects := 0
	for _, f := range transform.PresentFences(q.flat) {
		if suspects++; suspects > reliedSuspects {
			return out, nil
		}
		if err := try("fence", f.Pos, transform.WithoutFences(q.flat, []source.Span{f.Pos})); err != nil {
			return nil, err
		}
	}
	for _, at := range atomics(q.flat) {
		if suspects++; suspects > reliedSuspects {
			return out, nil
		}
		if err := try("atomic", at, transform.WithoutRMW(q.flat, at)); err != nil {
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

// atomics returns where the program has read-modify-writes.
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
