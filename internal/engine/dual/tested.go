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
	seen := map[string]bool{}
	var reached engine.Outcome
	var visit func() error
	visit = func() error {
		if s.Over() {
			out.Exits = 1
		}
		if s.Over() || s.Faulted() || out.Ends || len(seen) >= maxForward {
			return nil
		}
		key := string(y.Codec().Encode(s, nil))
		if seen[key] {
			return nil
		}
		seen[key] = true
		if out.Ends = y.Final(s); out.Ends {
			return nil
		}
		if err := budget.Spend(ctx, 4*budget.Microsecond); err != nil {
			return err
		}
		for _, st := range y.Enabled(s, nil) {
			mark := s.Mark()
			y.Apply(s, st)
			err := visit()
			s.Undo(mark)
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(); err != nil {
		return err
	}
	reached.AddReached(y, s)
	out.ChecksReached = reached.ChecksReached
	return nil
}
