package machine

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// What can happen next.

// List finds what thread t can do. The labels are in m.options; m.hidden has the edges that are
// not possible now and may be later.
func (m *Machine) List(t int) {
	m.Options, m.Hidden = m.Options[:0], m.Hidden[:0]
	if !m.State.Started(ir.ThreadID(t)) || m.Threads.Now[t].Stop != Runs || m.Ordered.wait(m, t) && m.Ordered.here(m, t) {
		return
	}
	if !m.State.Running(ir.ThreadID(t)) {
		m.Enabled = m.Sys.EnabledEdges(m.State, t, m.Enabled[:0])
		for _, st := range m.Enabled {
			if st.Kind != memory.Wake {
				m.Options = append(m.Options, Label{Edge: st.Edge, Choice: st.Choice})
			}
		}
		return
	}
	for i := range int32(m.Sys.Thread(m.State, t).EdgeCount()) {
		m.Enabled = m.Sys.Thread(m.State, t).EnabledEdge(i, m.Enabled[:0])
		for _, st := range m.Enabled {
			m.Options = append(m.Options, Label{Edge: i, Choice: st.Choice})
			if m.Sys.Thread(m.State, t).Op(i).Kind == ir.CondWait {
				m.Options = append(m.Options, Label{Edge: i, Choice: 1})
			}
		}
		if len(m.Enabled) > 0 {
			continue
		}
		switch m.Sys.Thread(m.State, t).Hindrance(i).Why {
		case memory.Refusal:
			m.Options = append(m.Options, Label{Edge: i})
		case memory.Buffer, memory.Held, memory.Others, memory.NoThread:
			m.Hidden = append(m.Hidden, Label{Edge: i, Choice: AnyChoice})
		}
	}
}

// Possible reports whether thread t has an enabled step on the edge of the label, whatever its
// choice.
func (m *Machine) Possible(t int, lb *Label) bool {
	m.List(t)
	for _, o := range m.Options {
		if o.Edge == lb.Edge {
			return true
		}
	}
	return false
}

// CanUpdate reports whether the oldest entry of a thread for an address can reach memory. An entry that has failed to do
// so stays in the buffer. Others do not wait for it, unless the model says so.
func (m *Machine) CanUpdate(t int, addr uint64, size uint32) bool {
	st, ok := m.Sys.Thread(m.State, t).FindFlush(addr, size)
	if ok && m.Ordered.wait(m, t) && m.Ordered.inBuffer(m, t) && m.State.Buffer(ir.ThreadID(t))[st.Index].Tag == 0 {
		return false
	}
	return ok && (!m.Threads.Now[t].BufferStuck || !slices.Contains(m.Threads.Now[t].failed, m.State.Buffer(ir.ThreadID(t))[st.Index].Tag))
}

// Open reports whether process p can do what a label says.
func (m *Machine) Open(p int32, lb Label) bool {
	t := int(m.Procs.List[p].Thread)
	if m.Procs.List[p].Buffer {
		return m.CanUpdate(t, m.Procs.List[p].Addr, m.Procs.List[p].Size)
	}
	m.List(t)
	for _, o := range m.Options {
		if o.Edge == lb.Edge && (o.Choice == lb.Choice || lb.Choice == AnyChoice || m.Lenient) {
			return true
		}
	}
	return false
}

// BufferOf returns the process of a buffer entry of thread t.
func (m *Machine) BufferOf(t int, e *memory.Entry) int32 {
	if m.Sys.Model == memory.TSO {
		return m.Procs.Buffers[t][0]
	}
	p := Process{Thread: int32(t), Buffer: true, Addr: e.Addr, Size: e.Size}
	for _, id := range m.Procs.Buffers[t] {
		if m.Procs.List[id] == p {
			return id
		}
	}
	return m.Procs.Number(p)
}

// FreeingProcess returns the buffer of thread t that would free the block which an alloc with
// this label takes back, or none.
func (m *Machine) FreeingProcess(t int, lb Label) int32 {
	out := int32(None)
	buf := m.State.Buffer(ir.ThreadID(t))
	for i := range buf {
		if buf[i].Kind == memory.FreeEntry && buf[i].Addr == uint64(lb.Choice) {
			out = m.BufferOf(t, &buf[i])
		}
	}
	return out
}
