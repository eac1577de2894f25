package dual

// The steps of the search, backward. docs/engines/dual.md has the argument why these are enough: every
// execution under TSO has a counterpart in the semantics with load buffers in a normal form, in
// which
//
//   - a thread whose store buffer is empty has an empty load buffer, and takes its steps at
//     once: reads from memory, writes, everything exclusive;
//   - a thread that lags stands before a store, the oldest message of its buffer is from memory, and
//     it moves by bursts (burst.go);
//   - a message from memory is added to a buffer only while the thread lags, or begins to lag.
//
// Differs from the paper: [AABN18] has single steps, which small_steps.go has too.

// step is how a configuration leads to the one from which it was found. The zero value is unset.
type step struct {
	thread int32
	kind   stepKind
	trans  int32   // single
	steps  []small // burst
	cell   int32   // propagate
}

type stepKind uint8

const (
	_         stepKind = iota
	single             // one transition
	burst              // a store and what follows
	propagate          // the value of a cell is added to the buffer
	deletes            // the oldest messages leave the buffer, up to and with the first own one
)

// predecessors calls give with the configurations that lead to c in one step. It returns false if
// the work ended early.
func (m *model) predecessors(c *config, give func(*config, step), work func() bool) bool {
	for p := range c.at {
		if c.at[p] == anything {
			m.wake(c, p, give)
			continue
		}
		th, s, b := m.threadOf(c, p), c.at[p], c.bufs[p]
		if m.opt.SmallSteps {
			m.smallSteps(c, p, give)
			continue
		}
		if len(b) == 0 {
			for _, i := range th.in[s] {
				m.undoSingle(c, p, i, give)
			}
		}
		m.undoPropagate(c, p, give)
		if len(b) > 0 && !th.writes[s] {
			panic("BUG: a thread that lags does not stand before a store")
		}
		found, ok := m.burstsTo(th, s, b, work)
		if !ok {
			return false
		}
		for i := range found {
			u := &found[i]
			tr := &th.trans[u.trans]
			if v := c.mem[tr.cell]; v != anything && v != tr.value {
				continue
			}
			d := c.clone()
			d.at[p], d.bufs[p], d.mem[tr.cell] = tr.from, u.buf, anything
			give(d, step{thread: int32(p), kind: burst, steps: u.steps})
		}
	}
	return true
}

// wake lets a thread that is in any state have done something that matters to the rest of c: nothing
// else is worth undoing.
func (m *model) wake(c *config, p int, give func(*config, step)) {
	th := m.threads[p]
	for i := range th.trans {
		tr := &th.trans[i]
		switch {
		case !m.matters(c, tr) || tr.to == th.failed: // nothing happens after a failure
		case th.template:
			d := c.with(int32(p))
			m.undoSingle(d, len(d.at)-1, int32(i), give)
		default:
			m.undoSingle(c, p, int32(i), give)
		}
	}
}

// matters reports whether a transition changes something that c says.
func (m *model) matters(c *config, tr *trans) bool {
	switch tr.kind {
	case write:
		return c.mem[tr.cell] == tr.value
	case exclusive:
		for _, a := range tr.accesses {
			if a.new != a.old && c.mem[a.cell] != anything {
				return true
			}
		}
		return tr.other > 0 && tr.before != tr.after && c.at[tr.other-1] == tr.after
	default:
		return false
	}
}

// undoSingle undoes a transition of a thread with an empty buffer.
func (m *model) undoSingle(c *config, p int, i int32, give func(*config, step)) {
	tr := &m.threadOf(c, p).trans[i]
	d := c.clone()
	d.at[p] = tr.from
	switch tr.kind {
	case read, write:
		if v := d.mem[tr.cell]; v != anything && v != tr.value {
			return
		}
		d.mem[tr.cell] = tr.value
		if tr.kind == write {
			d.mem[tr.cell] = anything
		}
	case exclusive:
		for _, a := range tr.accesses {
			if v := d.mem[a.cell]; v != anything && a.new != anything && v != a.new {
				return
			}
			d.mem[a.cell] = a.old
		}
		if tr.other > 0 {
			t := tr.other - 1
			if d.at[t] != anything && (d.at[t] != tr.after || len(d.bufs[t]) > 0) {
				return
			}
			d.at[t] = tr.before
		}
	}
	give(d, step{thread: int32(p), kind: single, trans: i})
}

// undoPropagate takes the newest message from the buffer of a thread, if it is from memory.
func (m *model) undoPropagate(c *config, p int, give func(*config, step)) {
	b := c.bufs[p]
	if len(b) == 0 || b[len(b)-1].self() {
		return
	}
	o := b[len(b)-1]
	if v := c.mem[o.cell()]; v != anything && v != o.value() {
		return
	}
	d := c.clone()
	d.bufs[p], d.mem[o.cell()] = b[:len(b)-1:len(b)-1], o.value()
	give(d, step{thread: int32(p), kind: propagate, cell: o.cell()})
}
