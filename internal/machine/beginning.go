package machine

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The order in which threads that can be exchanged begin (docs/engines/symmetry.md).
//
// The beginning of a thread is its event at a location, Options.Begin; if that is a store into the buffer, it is the update
// of the first store of the thread. Without a location it is its first event; if the thread has put a store into its buffer
// by then, it is the update of the first store. With Options.After it is possible only after the beginning of another
// thread.

// chain notes which threads Options.After names.
func (m *Machine) chain() {
	if m.After == nil {
		return
	}
	m.chained = make([]bool, len(m.After))
	for t, a := range m.After {
		if a != None {
			m.chained[t], m.chained[a] = true, true
		}
	}
}

// waits reports whether the beginning of thread t has to wait for that of another thread.
func (m *Machine) waits(t int) bool {
	a := m.After[t]
	return a != None && !m.Threads.Now[t].Begun && !m.Threads.Now[a].Begun
}

// beginsInBuffer reports whether the beginning of thread t, which has not happened, is an update.
func (m *Machine) beginsInBuffer(t int) bool {
	if l := m.opt.Begin[t]; l != None {
		f := m.Sys.Prog.ThreadFunc(ir.ThreadID(t))
		return m.Sys.Model != memory.SC && f.Edges[f.Out(l)[0]].Op.Kind == ir.Store
	}
	return len(m.State.Buffer(ir.ThreadID(t))) > 0
}

// atBeginning reports whether the next event of thread t, whose beginning has not happened, is its beginning.
func (m *Machine) atBeginning(t int) bool {
	l := m.opt.Begin[t]
	return (l == None || l == m.State.PC(ir.ThreadID(t))) && !m.beginsInBuffer(t)
}

// begins reports whether what process p does next is the beginning of its thread; or, under PSO, the update of another
// store, which the event shows.
func (m *Machine) begins(p int32) bool {
	pr := &m.Procs.List[p]
	t := int(pr.Thread)
	if !m.chained[t] || m.Threads.Now[t].Begun {
		return false
	}
	return pr.Buffer && m.beginsInBuffer(t) || !pr.Buffer && m.atBeginning(t)
}

// noteBeginning notes that event e, which was performed, is the beginning of its thread.
func (m *Machine) noteBeginning(e *Event) {
	if e.Flags&IsUpdate != 0 && e.Ord != 0 {
		return
	}
	e.Flags |= Begins
	v := m.Threads.Now[e.Thread]
	v.Begun = true
	m.Threads.set(int(e.Thread), v)
}
