package smc

import (
	"errors"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Atomic sections. A section is one event: it drains the buffer, no other thread accesses memory
// while it lasts, and its accesses are the accesses of the event. The choices inside it are part of
// the label. A section that cannot be finished, because of an assumption or an await inside, is
// taken back: the event consists of the section's reads, and the thread stops after it. No
// execution is lost, since the other threads can still do everything they could do before the
// section began.

// A label has room for maxInner choices inside a section, of maxAlternatives alternatives each.
const (
	maxInner        = 8
	maxAlternatives = 15
)

// section performs a section from AtomicBegin to AtomicEnd.
func (m *machine) section(t int, st memory.Step, e *event) {
	e.flags |= varies
	if m.sys.Model != memory.SC {
		e.flags |= drains
	}
	begin, steps := m.mark(), len(m.steps)
	takeBack := func(why stop) {
		m.undo(begin)
		if !m.dry {
			m.steps = m.steps[:steps]
		}
		m.issued = m.issued[:0]
		m.reached = m.reached[:0]
		m.threads.setStop(t, why)
		e.flags |= ends
		for i := range e.size() {
			e.at(i).mode &^= writes
		}
	}
	if !m.apply(t, st) {
		panic("BUG: a section does not begin")
	}
	inner, digits := e.label.inner, uint32(0)
	for depth := 0; m.state.Holder() == t; {
		m.enabled = m.sys.EnabledEdges(m.state, t, m.enabled[:0])
		if len(m.enabled) == 0 {
			m.refusals(t, e)
			takeBack(stuck)
			e.label.inner = digits
			return
		}
		pick, ok := m.choose(inner, &digits, &depth)
		if !ok {
			takeBack(stuck)
			return
		}
		st := m.enabled[pick]
		op := m.sys.Thread(m.state, t).Op(st.Edge)
		m.describeInner(t, st, op, e)
		if m.loops != nil && affects(op) && op.Kind != ir.AtomicEnd {
			m.threads.addEffect(t)
		}
		if op.Kind == ir.Broadcast {
			m.waiters()
		}
		if !m.apply(t, st) {
			takeBack(m.threads.now[t].stop)
			e.label.inner = digits
			return
		}
		if op.Kind == ir.Signal || op.Kind == ir.Broadcast || op.Kind == ir.Spawn {
			m.after(t, st, op, e)
		}
		if op.Kind == ir.RMW && !m.state.Event.Wrote {
			e.at(e.size() - 1 - m.tokens(op, e)).mode = reads
		}
	}
	e.label.inner = digits
	m.runLocal(t)
	for _, u := range m.reached {
		m.runLocal(int(u))
	}
}

// choose returns the index of the step inside a section that the label asks for, and notes the
// alternatives. It returns false if the label has no room for the choice.
func (m *machine) choose(inner uint32, digits *uint32, depth *int) (int, bool) {
	n := len(m.enabled)
	if n == 1 {
		return 0, true
	}
	if *depth == maxInner || n > maxAlternatives {
		m.err = errors.New("an atomic section has more choices than smc can tell apart")
		return 0, false
	}
	pick := min(int(inner>>(4**depth)&15), n-1)
	for i := range n {
		if i != pick && !m.dry {
			m.inner = append(m.inner, *digits|uint32(i)<<(4**depth))
		}
	}
	*digits |= uint32(pick) << (4 * *depth)
	*depth++
	return pick, true
}

// tokens returns how many accesses of an operation follow the one to its address: one if the
// address is in an allocated block, which is accessed as a whole, too.
func (m *machine) tokens(op *ir.Op, e *event) int {
	if op.Accesses() && e.at(e.size()-1).addr >= tokenBase {
		return 1
	}
	return 0
}

// describeInner notes the accesses of an operation inside a section, where stores go to memory at
// once.
func (m *machine) describeInner(t int, st memory.Step, op *ir.Op, e *event) {
	addr, size := m.sys.Thread(m.state, t).Address(st.Edge)
	switch {
	case op.Kind == ir.Store:
		m.addAccess(e, addr, size, writes)
	case op.Kind == ir.Free:
		if b, ok := m.state.BlockAt(addr, 1); ok {
			e.add(tokenBase+b, 8, reads|writes)
			e.add(heapToken, 8, reads|writes)
		}
	case op.Kind == ir.AtomicEnd:
	default:
		m.describe(t, st, op, e)
	}
}

// refusals notes what is read by the awaits that a section is stuck at.
func (m *machine) refusals(t int, e *event) {
	for i := range m.sys.Thread(m.state, t).EdgeCount() {
		op := m.sys.Thread(m.state, t).Op(int32(i))
		if op.Kind == ir.Await || op.Kind == ir.RMW || op.Kind == ir.AbstractLoad || op.Kind == ir.Lock {
			addr, size := m.sys.Thread(m.state, t).Address(int32(i))
			m.addAccess(e, addr, size, reads)
		}
	}
}
