package dual

// Single steps, without the normal form: the rules of [AABN18] on normalised buffers. Tests compare
// them with the normal form; they are much slower.

// smallSteps calls give with the configurations that lead to c by one step of a thread.
func (m *model) smallSteps(c *config, p int, give func(*config, step)) {
	th, s, b := m.threadOf(c, p), c.at[p], c.bufs[p]
	for _, i := range th.in[s] {
		tr := &th.trans[i]
		set := func(b []message) *config {
			d := c.clone()
			d.at[p], d.bufs[p] = tr.from, b
			return d
		}
		one := step{thread: int32(p), kind: single, trans: i}
		switch tr.kind {
		case local:
			give(set(b), one)
		case read:
			if prev, _, possible := undoRead(b, tr.cell, tr.value); possible {
				give(set(prev), one)
			}
		case write:
			if v := c.mem[tr.cell]; v != anything && v != tr.value {
				continue
			}
			for _, prev := range undoWrite(b, tr.cell, tr.value) {
				d := set(prev)
				d.mem[tr.cell] = anything
				give(d, one)
			}
		case exclusive:
			if len(b) == 0 {
				m.undoSingle(c, p, i, give)
			}
		}
	}
	for _, cell := range th.waits[s].before(b, m.cells()) {
		d := c.clone()
		d.bufs[p] = prepend(fromSelf(cell, anything), b)
		give(d, step{thread: int32(p), kind: deletes})
	}
	m.undoPropagate(c, p, give)
}
