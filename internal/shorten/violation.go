package shorten

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
	"fencepost/internal/memory/reduce"
)

// machine executes the program of a task and recognises the violation.
type machine struct {
	task  *engine.Task
	v     *engine.Violation
	y     *memory.System
	graph *graph // of a witness under c11
	eager *reduce.Runner
	judge *engine.Judge
	loops *endless.Test // nil before the first use
	steps []memory.Step
	// What the improvements of a witness look at now and then; nil: they never stop.
	ctx    context.Context
	polled int
}

// stopped reports whether the improvements must end. It looks at the context at every
// hundredth call.
func (m *machine) stopped() bool {
	if m.ctx == nil {
		return false
	}
	m.polled++
	return m.polled%100 == 0 && m.ctx.Err() != nil
}

func newMachine(task *engine.Task, v *engine.Violation) *machine {
	y := memory.New(task.Program, task.Model, task.MemoryOptions())
	eager := reduce.NewRunner(reduce.NewPlan(y, task.EagerOptions()))
	return &machine{task: task, v: v, y: y, eager: eager, judge: engine.NewJudge(y)}
}

// over reports whether the program has ended in s, and whether it ended with the
// violation.
func (m *machine) over(s *memory.State) (ended, shown bool) {
	if f, failed := s.Fault(); failed {
		edge := ir.NoEdge
		if f.Edge != nil {
			edge = f.Edge.ID
		}
		return true, m.v.Kind == engine.CheckFailed && f.Class == m.v.Class && edge == m.v.Edge
	}
	return s.Over(), false
}

// shown reports whether s shows the violation although the program has not failed in it.
func (m *machine) shown(s *memory.State) bool {
	switch m.v.Kind {
	case engine.GoalReached:
		return m.judge.Goal(s, &m.task.Props.Goals[m.v.Goal])
	case engine.FinalViolated:
		return m.y.Final(s) && m.judge.Final(s, m.task.Props.Final)
	case engine.Deadlock:
		return m.stuck(s)
	case engine.NonTermination:
		if m.loops == nil {
			m.loops = endless.New(m.y)
		}
		return m.loops.Holds(s)
	default:
		return false
	}
}

func (m *machine) stuck(s *memory.State) bool {
	if m.y.Final(s) {
		return false
	}
	s.Withheld = false
	m.steps = m.y.Enabled(s, m.steps[:0])
	for _, st := range m.steps {
		if st.Kind != memory.Wake {
			return false
		}
	}
	return !s.Withheld && m.y.Deadlocked(s)
}

// supported reports whether this package can recognise the violation in a state.
func supported(v *engine.Violation) bool {
	if v.Witness.Repeats > 0 {
		return false // the state before the steps that repeat is like any other
	}
	switch v.Kind {
	case engine.CheckFailed, engine.GoalReached, engine.FinalViolated, engine.Deadlock, engine.NonTermination:
		return true
	default:
		return false
	}
}
