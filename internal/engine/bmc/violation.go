package bmc

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Violations: from a model of the formula to an execution that is checked.

// violation decodes the solver's model for a question and adds the violation. With any, every
// failing check will do.
func (r *run) violation(q *question, any bool) error {
	rec, err := decode(r.x, r.y, r.solver.Value, q, any)
	if err != nil {
		return fmt.Errorf("a model does not execute: %w", err)
	}
	v := engine.Violation{Kind: q.kind, Edge: ir.NoEdge, Goal: q.goal, Witness: rec.Witness()}
	if f, failed := rec.State().Fault(); failed {
		v.Kind, v.Class = engine.CheckFailed, f.Class
		if f.Edge != nil {
			v.Edge = f.Edge.ID
		}
	}
	if err := r.holds(&v, rec.State()); err != nil {
		return err
	}
	r.out.Violations = append(r.out.Violations, v)
	return nil
}

// holds returns an error unless the execution ends in the violation.
func (r *run) holds(v *engine.Violation, s *memory.State) error {
	judge, ok := engine.NewJudge(r.y), true
	switch v.Kind {
	case engine.CheckFailed:
		_, ok = s.Fault()
	case engine.GoalReached:
		ok = judge.Goal(s, &r.task.Props.Goals[v.Goal])
	case engine.FinalViolated:
		ok = r.y.Final(s) && judge.Final(s, r.task.Props.Final)
	case engine.Deadlock:
		ok = r.y.Deadlocked(s)
	}
	if !ok {
		return fmt.Errorf("the execution of a model does not show the violation: %s", v.Kind)
	}
	return nil
}
