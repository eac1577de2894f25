package explain

import (
	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Shorten looks for a witness of the same violation that is easier to read. It
// returns the violation's own if it finds none, or if the kind of violation is one
// whose witness has a form of its own, such as an attack's.
func Shorten(task *engine.Task, v *engine.Violation) *verdict.Witness {
	if !supported(v) {
		return v.Witness
	}
	m := newMachine(task, v)
	list, ok := scheduleOf(v.Witness, m)
	if !ok {
		return v.Witness // replay will say what is wrong with it
	}
	list, w, ok := m.run(list)
	if !ok {
		return v.Witness
	}
	list, w = rearrange(m, list, w)
	if steps, ok := best(m, w); ok {
		return recordSteps(m, steps)
	}
	return m.record(list)
}

func recordSteps(m *machine, steps []memory.Step) *verdict.Witness {
	r := engine.NewRecorder(m.y)
	for _, st := range steps {
		r.Step(st)
	}
	return r.Witness()
}
