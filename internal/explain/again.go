package explain

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Again records an execution once more, with the names, positions and notes that the
// program gives to its steps now.
func Again(p *ir.Program, model memory.Model, w *verdict.Witness) (*verdict.Witness, error) {
	m := &machine{y: memory.New(p, model, memory.Options{})}
	list, ok := scheduleOf(w, m)
	if !ok {
		return nil, fmt.Errorf("it is not an execution under %s", model)
	}
	r := engine.NewRecorder(m.y)
	for i, it := range list {
		st, ok := m.find(r.State(), it)
		if !ok {
			return nil, fmt.Errorf("step %d: it cannot be taken again", i)
		}
		r.Step(st)
	}
	return r.Witness(), nil
}
