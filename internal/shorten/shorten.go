package shorten

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Witness returns a witness of the same violation that is at most as hard to read. It
// returns the violation's own witness if it finds no better one, and for kinds of
// violations whose witness has a fixed form, such as attacks. When ctx is done, it
// returns the best witness that it has found by then.
func Witness(ctx context.Context, task *engine.Task, v *engine.Violation) *verdict.Witness {
	if !supported(v) || ctx.Err() != nil {
		return v.Witness
	}
	m := newMachine(task, v)
	m.ctx = ctx
	list, ok := scheduleOf(v.Witness, m)
	if !ok {
		return v.Witness // replay reports what is wrong with it
	}
	list, w, ok := m.run(list)
	if !ok || m.stopped() {
		return v.Witness
	}
	list, w = rearrange(m, list, w)
	if steps, ok := shortest(m, w); ok {
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
