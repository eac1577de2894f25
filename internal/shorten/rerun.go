package shorten

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Rerun executes a witness again and returns it with the names, positions and notes
// that the program gives to its steps now.
func Rerun(p *ir.Program, model memory.Model, w *verdict.Witness) (*verdict.Witness, error) {
	_, r, err := rerun(p, model, w)
	if err != nil {
		return nil, err
	}
	return r.Witness(), nil
}

// Waiting is a thread and the operation that it waits in.
type Waiting struct {
	Thread string
	Edge   *ir.Edge
}

// Blocked returns the threads that wait at the end of an execution, each with the
// operation that it waits in.
func Blocked(p *ir.Program, model memory.Model, w *verdict.Witness) ([]Waiting, error) {
	y, r, err := rerun(p, model, w)
	if err != nil {
		return nil, err
	}
	var all []Waiting
	for t, name := range w.Threads {
		if e := y.Thread(r.State(), t).BlockedOn(); e != nil {
			all = append(all, Waiting{name, e})
		}
	}
	return all, nil
}

// rerun executes a witness and returns the recorder at its end.
func rerun(p *ir.Program, model memory.Model, w *verdict.Witness) (*memory.System, *engine.Recorder, error) {
	var g *graph
	if memory.HasC11 && model == memory.C11 {
		model, g = memory.SC, newGraph(w)
	}
	m := &machine{y: memory.New(p, model, memory.Options{Fences: g != nil}), graph: g}
	list, ok := scheduleOf(w, m)
	if !ok {
		return nil, nil, fmt.Errorf("the witness is not an execution under %s", model)
	}
	r := engine.NewRecorder(m.y)
	for i, it := range list {
		g.before(m.y, r.State(), i)
		st, ok := m.find(r.State(), it)
		if !ok {
			return nil, nil, fmt.Errorf("step %d is not enabled when the witness is executed again", i)
		}
		r.Step(st)
		g.after(m.y, r.State(), i)
	}
	g.end(m.y, r.State())
	return m.y, r, nil
}
