package rf

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// Explored has the counts of an exploration.
type Explored struct {
	Complete, Classes, Graphs, Checks int64
	Part                              float64 // of the exploration that is over, for estimates
}

// ExploreAll explores the classes of a task and passes the steps of an execution of each to each.
func ExploreAll(task *engine.Task, opt Options, each func(steps []memory.Step)) (Explored, error) {
	y := memory.New(task.Program, task.Model, task.MemoryOptions())
	cs := newCells()
	for {
		var all [][]memory.Step
		x := newExploration(context.Background(), &job{Task: task, Options: opt}, y, cs)
		x.atEnd = func([]node) { all = append(all, append([]memory.Step{}, x.run.m.Steps...)) }
		x.runAll()
		if cs.split() {
			cs.again()
			continue
		}
		for _, s := range all {
			each(s)
		}
		c := &x.out.counts
		var err error
		if x.out.Result.Unknown != "" {
			err = &engine.Unsupported{What: x.out.Result.Unknown}
		}
		return Explored{c.Complete, c.All(), c.graphs, c.checks, x.explored}, err
	}
}
