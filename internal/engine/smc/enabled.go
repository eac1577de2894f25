package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// What can happen next.

// pick returns a process and a label for an enabled event that is not in sleep. If possible it
// takes the thread that moved last or one of its buffers, since then the others need not be
// checked. last is that thread, or none.
func (m *machine) pick(sleep []event, last int32) (int32, label, bool) {
	if t := int(last); t >= 0 {
		if p, ok := m.pickBuffer(sleep, t); ok {
			return p, label{}, true
		}
		if lb, ok := m.pickThread(sleep, t); ok {
			return int32(t), lb, true
		}
	}
	for t := range m.threads.now {
		if p, ok := m.pickBuffer(sleep, t); ok {
			return p, label{}, true
		}
	}
	for t := range m.threads.now {
		if lb, ok := m.pickThread(sleep, t); ok {
			return int32(t), lb, true
		}
	}
	return 0, label{}, false
}

func (m *machine) pickBuffer(sleep []event, t int) (int32, bool) {
	buf := m.state.Buffer(ir.ThreadID(t))
	if len(buf) == 0 || m.threads.now[t].bufferStuck {
		return 0, false
	}
	for i := range buf {
		if buf[i].Kind == memory.Marker {
			break
		}
		if _, ok := m.sys.Thread(m.state, t).FindFlush(buf[i].Addr, buf[i].Size); !ok {
			continue
		}
		if p := m.bufferOf(t, &buf[i]); !asleep(sleep, p, label{}) {
			return p, true
		}
		if m.sys.Model == memory.TSO {
			break
		}
	}
	return 0, false
}

func (m *machine) pickThread(sleep []event, t int) (label, bool) {
	m.list(t)
	for _, lb := range m.options {
		if !asleep(sleep, int32(t), lb) {
			return lb, true
		}
	}
	return label{}, false
}

func asleep(sleep []event, p int32, lb label) bool {
	for i := range sleep {
		if sleep[i].proc == p && sleep[i].label == lb {
			return true
		}
	}
	return false
}

// list finds what thread t can do. The labels are in m.options; m.hidden has the edges that are
// not possible now and may be later.
func (m *machine) list(t int) {
	m.options, m.hidden = m.options[:0], m.hidden[:0]
	if !m.state.Started(ir.ThreadID(t)) || m.threads.now[t].stop != runs {
		return
	}
	if !m.state.Running(ir.ThreadID(t)) {
		m.enabled = m.sys.EnabledEdges(m.state, t, m.enabled[:0])
		for _, st := range m.enabled {
			if st.Kind != memory.Wake {
				m.options = append(m.options, label{edge: st.Edge, choice: st.Choice})
			}
		}
		return
	}
	for i := range int32(m.sys.Thread(m.state, t).EdgeCount()) {
		m.enabled = m.sys.Thread(m.state, t).EnabledEdge(i, m.enabled[:0])
		for _, st := range m.enabled {
			m.options = append(m.options, label{edge: i, choice: st.Choice})
			if m.sys.Thread(m.state, t).Op(i).Kind == ir.CondWait {
				m.options = append(m.options, label{edge: i, choice: 1})
			}
		}
		if len(m.enabled) > 0 {
			continue
		}
		switch m.sys.Thread(m.state, t).Hindrance(i).Why {
		case memory.Refusal:
			m.options = append(m.options, label{edge: i})
		case memory.Buffer, memory.Held, memory.Others:
			m.hidden = append(m.hidden, label{edge: i, choice: anyChoice})
		}
	}
}

// possible reports whether thread t has an enabled step on the edge of the label, whatever its
// choice.
func (m *machine) possible(t int, lb *label) bool {
	m.list(t)
	for _, o := range m.options {
		if o.edge == lb.edge {
			return true
		}
	}
	return false
}

// open reports whether process p can do what a label says.
func (m *machine) open(p int32, lb label) bool {
	t := int(m.procs.list[p].thread)
	if m.procs.list[p].buffer {
		_, ok := m.sys.Thread(m.state, t).FindFlush(m.procs.list[p].addr, m.procs.list[p].size)
		return ok && !m.threads.now[t].bufferStuck
	}
	m.list(t)
	for _, o := range m.options {
		if o.edge == lb.edge && (o.choice == lb.choice || lb.choice == anyChoice || m.lenient) {
			return true
		}
	}
	return false
}

// bufferOf returns the process of a buffer entry of thread t.
func (m *machine) bufferOf(t int, e *memory.Entry) int32 {
	if m.sys.Model == memory.TSO {
		return m.procs.buffers[t][0]
	}
	p := process{thread: int32(t), buffer: true, addr: e.Addr, size: e.Size}
	for _, id := range m.procs.buffers[t] {
		if m.procs.list[id] == p {
			return id
		}
	}
	return m.procs.add(p)
}

// freeingProcess returns the buffer of thread t that would free the block which an alloc with
// this label takes back, or none.
func (m *machine) freeingProcess(t int, lb label) int32 {
	out := int32(none)
	buf := m.state.Buffer(ir.ThreadID(t))
	for i := range buf {
		if buf[i].Kind == memory.FreeEntry && buf[i].Addr == uint64(lb.choice) {
			out = m.bufferOf(t, &buf[i])
		}
	}
	return out
}
