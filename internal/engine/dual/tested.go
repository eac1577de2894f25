package dual

import (
	"context"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// Whether a safe is about anything: some execution must come to its end or to a check. A search
// backward from the ends would be as large as the search for a violation, so a few states are visited forward
// under SC, whose executions are executions under TSO in which no store waits.

// maxForward bounds the states that are visited.
const maxForward = 20_000

// tested adds to a safe whether an execution comes to its end, or to a check.
func tested(ctx context.Context, task *engine.Task, out *engine.Outcome) error {
	y := memory.New(task.Program, memory.SC, task.MemoryOptions())
	s := y.NewState()
	err := y.Visit(s, maxForward, func() (bool, error) {
		switch {
		case s.Over():
			out.Exits = 1
			return false, nil
		case s.Faulted():
			return false, nil
		case y.Final(s):
			out.Ends = true
			return true, nil
		}
		return false, budget.Spend(ctx, 4*budget.Microsecond)
	})
	if err != nil {
		return err
	}
	var reached engine.Outcome
	reached.AddReached(y, s)
	out.ChecksReached = reached.ChecksReached
	return nil
}
