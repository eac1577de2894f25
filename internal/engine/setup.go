package engine

import (
	"context"

	"fencepost/internal/budget"
	"fencepost/internal/ir"
	"fencepost/internal/search"
)

// Stage is a part of setting up an engine: what it costs for an edge of the program, as work. The time of each stage
// grows with the size of the program and little more.
type Stage int64

// The stages that engines share.
const (
	Compiling Stage = 3000 // memory.New
	Reducing  Stage = 1000 // reduce.NewPlan
	Looping   Stage = 5000 // endless.New
	Awaiting  Stage = 4000 // waiting.Await
	Counting  Stage = 6000 // machine.New
	Attacking Stage = 6000 // the plan of robustness: filters, doubts, stores that are held
	Extending Stage = 5000 // an extension of lazy, for an edge of its result
)

// SetUp counts stages as work before they begin, so that an engine whose set-up takes longer than its turn waits for
// more. It returns nil if the stages may begin, and the outcome of the task if the time is over.
func (t *Task) SetUp(ctx context.Context, stages ...Stage) *Outcome {
	cost := int64(0)
	for _, s := range stages {
		cost += int64(s)
	}
	if budget.Begin(ctx, cost*t.edges()) != nil {
		return t.Explored(ctx, &search.Result{Stop: search.OutOfTime})
	}
	return nil
}

// rebuildCost is the cost of a step, as work, when an execution that a search has found is run again.
const rebuildCost = 4000

// Rebuilt counts an execution of so many steps, which was run again on the compiled program.
func (t *Task) Rebuilt(ctx context.Context, steps int) {
	budget.Count(ctx, int64(Compiling)*t.edges()+rebuildCost*int64(steps))
}

// edges returns how many edges the threads have together.
func (t *Task) edges() int64 {
	n := 0
	for th := range t.Program.Threads {
		n += len(t.Program.ThreadFunc(ir.ThreadID(th)).Edges)
	}
	return int64(n)
}
