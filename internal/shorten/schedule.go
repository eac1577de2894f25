package shorten

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// item is a step without the values and buffer positions that depend on the order of the
// steps, so that it can be moved.
type item struct {
	thread int
	kind   memory.StepKind
	edge   ir.EdgeID // other than flushes
	choice int64
	of     int // a flush: the item that made the entry
}

// schedule is an execution as a list of items.
type schedule []item

// weight measures how hard an execution is to read.
type weight struct{ delayed, switches, steps int }

func (a weight) less(b weight) bool {
	if a.delayed != b.delayed {
		return a.delayed < b.delayed
	}
	if a.switches != b.switches {
		return a.switches < b.switches
	}
	return a.steps < b.steps
}

func (a weight) plus(b weight) weight {
	return weight{a.delayed + b.delayed, a.switches + b.switches, a.steps + b.steps}
}

// scheduleOf returns the schedule of a witness, or false if the witness cannot be
// executed.
func scheduleOf(w *verdict.Witness, m *machine) (schedule, bool) {
	s := m.y.NewState()
	var out schedule
	for i := range w.Steps {
		st := &w.Steps[i]
		it := item{thread: st.Thread, kind: memory.Exec, edge: ir.EdgeID(st.Edge), choice: st.Choice, of: -1}
		switch st.Kind {
		case verdict.StepFlush:
			it.kind, it.of = memory.Flush, st.Of
		case verdict.StepWake:
			it.kind = memory.Wake
		case verdict.StepFail:
			if st.Edge < 0 {
				it.kind, it.of = memory.Flush, st.Of
			}
		}
		s.Tag = int32(i)
		m.graph.before(m.y, s, i)
		step, ok := m.find(s, it)
		if !ok && it.kind == memory.Exec { // a woken thread takes its mutex
			it.kind = memory.Relock
			step, ok = m.find(s, it)
		}
		if !ok {
			return nil, false
		}
		m.y.Apply(s, step)
		m.graph.after(m.y, s, i)
		out = append(out, it)
	}
	return out, true
}

// find returns the enabled step that an item stands for.
func (m *machine) find(s *memory.State, it item) (memory.Step, bool) {
	m.steps = m.y.EnabledThread(s, it.thread, m.steps[:0])
	for _, st := range m.steps {
		if st.Kind != it.kind {
			continue
		}
		if st.Kind == memory.Flush {
			if int(s.Buffer(ir.ThreadID(it.thread))[st.Index].Tag) == it.of {
				return st, true
			}
		} else if m.y.EdgeOf(s, st).ID == it.edge && st.Choice == it.choice {
			return st, true
		}
	}
	return memory.Step{}, false
}

// run executes a schedule until it shows the violation. It returns the executed part and
// its weight, or false if the schedule cannot be executed or does not show the violation.
func (m *machine) run(list schedule) (done schedule, w weight, ok bool) {
	s := m.y.NewState()
	last, fresh := -1, -1 // the thread that ran last; the item whose entry may still be flushed at once
	for i, it := range list {
		if m.stopped() {
			return nil, w, false
		}
		if m.shown(s) {
			return list[:i], countDelayed(w, fresh), true
		}
		s.Tag = int32(i)
		st, found := m.find(s, it)
		if !found {
			return nil, w, false
		}
		before := len(s.Buffer(ir.ThreadID(it.thread)))
		m.y.Apply(s, st)
		w.steps++
		if it.kind == memory.Flush {
			if it.of != fresh {
				w = countDelayed(w, fresh)
			}
			fresh = -1
		} else {
			w = countDelayed(w, fresh)
			fresh = -1
			if len(s.Buffer(ir.ThreadID(it.thread))) > before {
				fresh = i
			}
			if last >= 0 && last != it.thread {
				w.switches++
			}
			last = it.thread
		}
		if ended, shows := m.over(s); ended {
			return list[:i+1], countDelayed(w, fresh), shows
		}
	}
	return list, countDelayed(w, fresh), m.shown(s)
}

// countDelayed adds the entry of item fresh, which did not reach memory at once, to the
// delayed ones.
func countDelayed(w weight, fresh int) weight {
	if fresh >= 0 {
		w.delayed++
	}
	return w
}

// record returns the witness of a schedule that can be executed.
func (m *machine) record(list schedule) *verdict.Witness {
	r := engine.NewRecorder(m.y)
	for i, it := range list {
		st, ok := m.find(r.State(), it)
		if !ok {
			panic("BUG: a schedule that ran does not run again")
		}
		if len(r.Witness().Steps) != i {
			panic("BUG: a step was not recorded")
		}
		r.Step(st)
	}
	return r.Witness()
}
