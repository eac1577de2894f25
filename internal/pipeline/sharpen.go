package pipeline

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Sharpening. A search prefers short executions, and leaves stores in their buffers
// that might as well have reached memory. The idea: store by store, try the same
// execution with the store reaching memory at once, and keep that if it is an
// execution and still bad. What remains delayed had to be, so the clause that fence
// insertion reads off it is short.

// planned is a step of an execution to try: a step of the witness, or the arrival of
// the store at one.
type planned struct {
	step   int
	arrive bool
}

// sharpener tries executions that are like a given one.
type sharpener struct {
	p     *program
	flat  *ir.Program
	model memory.Model
	y     *memory.System
	v     *engine.Violation
	steps []verdict.Step // of the given execution
}

// sharpen makes the witness of a violation delay fewer stores.
func (p *program) sharpen(flat *ir.Program, model memory.Model, v *engine.Violation) {
	if model == memory.SC {
		return
	}
	h := &sharpener{p: p, flat: flat, model: model, y: memory.New(flat, model, memory.Options{}), v: v, steps: v.Witness.Steps}
	var plan []planned
	for i := range h.steps {
		switch st := &h.steps[i]; {
		case st.Kind == verdict.StepFlush:
			plan = append(plan, planned{st.Of, true})
		case st.Edge < 0:
			return // a store that fails on arrival must not arrive sooner
		default:
			plan = append(plan, planned{i, false})
		}
	}
	for i := range h.steps {
		if st := &h.steps[i]; st.Kind != verdict.StepStore || !st.Buffered {
			continue
		}
		arrival := planned{i, true}
		try := slices.DeleteFunc(slices.Clone(plan), func(x planned) bool { return x == arrival })
		try = slices.Insert(try, slices.Index(try, planned{i, false})+1, arrival)
		if slices.Equal(try, plan) {
			continue
		}
		if w := h.attempt(try); w != nil {
			plan, v.Witness = try, w
		}
	}
}

// attempt runs a plan; nil if it is no execution, or not bad.
func (h *sharpener) attempt(plan []planned) *verdict.Witness {
	rec := engine.NewRecorder(h.y)
	now := make(map[int]int32, len(plan)) // where the steps of the given execution stand
	var enabled []memory.Step
	for n, x := range plan {
		enabled = h.y.Enabled(rec.State(), enabled[:0])
		i := slices.IndexFunc(enabled, func(st memory.Step) bool { return h.is(x, rec.State(), st, now) })
		if i < 0 {
			return nil
		}
		if !x.arrive {
			now[x.step] = int32(n)
		}
		rec.Step(enabled[i])
	}
	one := *h.v
	one.Witness = rec.Witness()
	if h.p.replay(h.flat, h.model, &one) != nil {
		return nil
	}
	return one.Witness
}

// is reports whether a step of the model is the one planned.
func (h *sharpener) is(x planned, s *memory.State, st memory.Step, now map[int]int32) bool {
	was := &h.steps[x.step]
	switch {
	case int(st.Thread) != was.Thread || (st.Kind == memory.Flush) != x.arrive:
		return false
	case x.arrive:
		return s.Buffer(ir.ThreadID(st.Thread))[st.Index].Tag == now[x.step]
	default:
		return (st.Kind == memory.Wake) == (was.Kind == verdict.StepWake) && st.Choice == was.Choice && int(h.y.Edge(s, st).ID) == was.Edge
	}
}
