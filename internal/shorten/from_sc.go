package shorten

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// FromSC turns a witness under SC into one under the task's model, in which every store
// reaches memory at once.
func FromSC(task *engine.Task, v *engine.Violation) (*verdict.Witness, error) {
	under := *task
	under.Model = memory.SC
	list, ok := scheduleOf(v.Witness, newMachine(&under, v))
	if !ok {
		return nil, fmt.Errorf("the witness is not an execution under SC")
	}
	m := newMachine(task, v)
	r := engine.NewRecorder(m.y)
	for i, it := range list {
		st, ok := m.find(r.State(), it)
		if !ok {
			return nil, fmt.Errorf("step %d cannot be taken under %s", i+1, task.Model)
		}
		r.Step(st)
		for len(r.State().Buffer(ir.ThreadID(it.thread))) > 0 {
			m.steps = m.y.EnabledThread(r.State(), it.thread, m.steps[:0])
			if len(m.steps) == 0 || m.steps[0].Kind != memory.Flush {
				return nil, fmt.Errorf("the store of step %d cannot reach memory", i+1)
			}
			r.Step(m.steps[0])
		}
	}
	return r.Witness(), nil
}
