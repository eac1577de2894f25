package machine

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Faults returns the checks that stopped threads, by thread: what fails if the thread, or its buffer,
// takes its next step. A check inside an atomic section, which was taken back, has no edge.
func (m *Machine) Faults() []memory.Fault {
	var out []memory.Fault
	for t := range m.Threads.Now {
		now := &m.Threads.Now[t]
		if now.Stop == Failed {
			m.Enabled = m.Sys.EnabledEdges(m.State, t, m.Enabled[:0])
			out = append(out, m.faultOf(t, m.Enabled))
		}
		if now.BufferStuck {
			var steps []memory.Step
			for _, en := range m.State.Buffer(ir.ThreadID(t)) {
				if st, ok := m.Sys.Thread(m.State, t).FindFlush(en.Addr, en.Size); ok {
					steps = append(steps, st)
				}
			}
			out = append(out, m.faultOf(t, steps))
		}
	}
	return out
}

// faultOf returns the check that the first of some steps fails which fails one.
func (m *Machine) faultOf(t int, steps []memory.Step) memory.Fault {
	for _, st := range steps {
		mark := m.State.Mark()
		m.Sys.Apply(m.State, st)
		f, bad := m.State.Fault()
		m.State.Undo(mark)
		if bad {
			return f
		}
	}
	return memory.Fault{Class: ir.Assertion, Thread: int32(t)}
}
