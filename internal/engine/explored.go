package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost/internal/ir"
	"fencepost/internal/search"
	"fencepost/query"
	"fencepost/verdict"
)

// From a search to an outcome: what every engine that uses package search says about the end of
// its search.

// SearchProblem returns the problem of a task for package search: its limits, and progress since
// start. The engine adds its own fields.
func (t *Task) SearchProblem(start time.Time, worker func() search.Worker) search.Problem {
	p := search.Problem{
		Worker:  worker,
		Workers: t.Limits.Workers,
		Memory:  t.Limits.MemoryLimit,
		States:  t.Limits.States,
		All:     t.KeepGoing,
	}
	if t.Progress != nil {
		p.Progress = func(p search.Progress) {
			t.Progress(query.Progress{States: p.States, Waiting: p.States - p.Expanded, Depth: p.Depth, Elapsed: time.Since(start)})
		}
	}
	return p
}

// Explored returns the outcome of a search: the reason why it did not finish, and its
// statistics. Violations and coverage are the engine's to add.
func (t *Task) Explored(ctx context.Context, res *search.Result) *Outcome {
	return &Outcome{
		Unknown: t.unfinished(ctx, res),
		Stats:   verdict.Stats{States: res.States, Transitions: res.Transitions, Depth: res.Depth, Bytes: res.Bytes},
	}
}

// unfinished returns why a search did not finish, or "".
func (t *Task) unfinished(ctx context.Context, res *search.Result) string {
	switch res.Stop {
	case search.Complete, search.Found:
		return ""
	case search.OutOfMemory:
		return fmt.Sprintf("memory limit of %s reached after %d states", t.Limits.MemoryText(), res.States)
	case search.OutOfStates:
		return fmt.Sprintf("limit of %d states reached", t.Limits.States)
	case search.OutOfTime:
		if errors.Is(ctx.Err(), context.Canceled) {
			return fmt.Sprintf("interrupted after %d states", res.States)
		}
		return fmt.Sprintf("time limit reached after %d states", res.States)
	case search.Failed:
		return res.Err.Error()
	default:
		panic("BUG: unknown end of search")
	}
}

// BoundAt returns the bound that an execution was cut off by at an edge: a bound of a pass, the
// number of threads that a spawn in a loop can start, or an operation that is not supported.
func BoundAt(e *ir.Edge) verdict.Bound {
	b := verdict.Bound{Name: e.Op.Report.Msg, Hit: true, Pos: Pos(e)}
	switch e.Op.Kind {
	case ir.Unsupported:
		b.Name, b.Code, b.What = verdict.BoundUnsupported, e.Op.Report.Code, e.Op.Report.Msg
	case ir.Spawn:
		b.Name, b.Value = "threads", len(e.Op.Call.Threads)
	default:
		v, _ := e.Op.Val.IsConst()
		b.Value = int(v)
	}
	return b
}
