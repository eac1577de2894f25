package rf

import "fencepost/internal/rc11"

// What the machine holds and memory does not: who waits for a condition and at a barrier, and what has become of threads. A stale
// read of it does not exist.

// beforeStart lets a join that finds that its thread has not started come before the start: it fails, and the machine, which holds
// what has become of threads, has not started the thread then.
func (m *graphs) beforeStart(e int32) {
	for w := range m.in.Events {
		if ev := &m.in.Events[w]; ev.Kind == rc11.Write && ev.Cells[0] == m.in.Events[e].Cells[0] && m.ops[w] != m.ops[e] {
			at := m.first[m.ops[w].t()][m.ops[w].index]
			m.in.Events[at].Woken = append(m.in.Events[at].Woken, e)
		}
	}
}

// comesFirst lets a read whose write is not added yet come before other read-modify-writes with the same source: the machine,
// which holds who waits for a condition and at a barrier, has not run those when it runs this one. If one of them comes before the
// read by porf, there is no order with the write in it, and the graph counts as inconsistent.
func (m *graphs) comesFirst(e int32) {
	r := &m.in.Events[e]
	for u := range m.in.Events {
		ev := &m.in.Events[u]
		if int32(u) != e && ev.Kind == rc11.Read && ev.Cells[0] == r.Cells[0] && ev.From[0] == r.From[0] &&
			u+1 < len(m.in.Events) && m.in.Events[u+1].Update && m.ops[u] == m.ops[u+1] {
			ev.Woken = append(ev.Woken, e)
		}
	}
}
