package smc

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Performing an event: the steps of package memory that the event consists of.

// apply takes a step of package memory. It returns false if the step stops the thread.
func (m *machine) apply(t int, st memory.Step) bool {
	mark, from := m.state.Mark(), m.state.PC(ir.ThreadID(t))
	var mutex *ir.Op
	if st.Kind == memory.Exec && m.loops != nil {
		if op := m.sys.Thread(m.state, t).Op(st.Edge); m.passing(op) {
			mutex = op
		}
	}
	m.state.Tag = m.threads.now[t].ord
	m.sys.Apply(m.state, st)
	if !m.dry {
		m.steps = append(m.steps, st)
	}
	if f, bad := m.state.Fault(); bad {
		if !m.dry {
			m.checkFailed(f)
			m.steps = m.steps[:len(m.steps)-1]
		}
		m.state.Undo(mark)
		m.halt(t, st, failed)
		return false
	}
	if m.state.Over() {
		if !m.dry {
			m.steps = m.steps[:len(m.steps)-1]
		}
		m.state.Undo(mark)
		m.halt(t, st, exited)
		return false
	}
	if m.state.Event.Buffered {
		v := m.threads.now[t]
		if m.state.Event.Free && m.sys.Model == memory.PSO {
			v.epoch++ // a free comes after all stores before it
		}
		m.issued = append(m.issued, issued{int32(t), v.ord, v.epoch})
		v.ord++
		v.effects++
		m.threads.set(t, v)
	}
	if m.loops != nil {
		switch {
		case mutex != nil:
			m.noteMutex(t, mutex)
		case m.state.Event.Wrote && m.state.Event.Written != m.state.Event.Value:
			m.threads.addEffect(t)
		}
		m.loopStep(t, from, st)
	}
	return true
}

// passing reports whether an operation only changes which mutexes the thread has. Such a change
// counts as an effect of a round of a loop only if it lasts until the end of the round.
func (m *machine) passing(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
		return m.task.IdleRounds > 0
	}
	return false
}

// noteMutex notes the mutex that thread t has just locked or unlocked.
func (m *machine) noteMutex(t int, op *ir.Op) {
	if !m.state.Event.Wrote || op.Kind == ir.CondWait { // after the wait the thread has the mutex again
		return
	}
	v := m.threads.now[t]
	addr := m.state.Event.Addr
	if op.Kind != ir.Unlock {
		v.held = append(slices.Clone(v.held), addr)
	} else if k := slices.Index(v.held, addr); k >= 0 {
		v.held = slices.Delete(slices.Clone(v.held), k, k+1)
	}
	slices.Sort(v.held)
	m.threads.set(t, v)
}

// halt stops a thread, or its buffer if the step is an update.
func (m *machine) halt(t int, st memory.Step, why stop) {
	v := m.threads.now[t]
	if st.Kind == memory.Flush {
		v.bufferStuck = true
	} else {
		v.stop = why
	}
	m.threads.set(t, v)
}

// runLocal runs thread t to its next operation that others can notice.
func (m *machine) runLocal(t int) {
	m.runLocalSteps(t)
	m.arrive(t)
}

// arrive reports where thread t has arrived, unless events are only tried.
func (m *machine) arrive(t int) {
	if m.arrived != nil && !m.dry {
		m.arrived(t)
	}
}

func (m *machine) runLocalSteps(t int) {
	stop := m.stopsAt[t]
	for left := endless; m.threads.now[t].stop == runs && m.sys.Thread(m.state, t).Invisible(); left-- {
		if m.dry {
			m.enabled = m.sys.Thread(m.state, t).Advance(stop, left, m.enabled[:0])
			left -= len(m.enabled)
		} else {
			n := len(m.steps)
			m.steps = m.sys.Thread(m.state, t).Advance(stop, left, m.steps)
			left -= len(m.steps) - n
		}
		if !m.sys.Thread(m.state, t).Invisible() {
			return
		}
		if left <= 0 {
			m.cutHere(t)
			return
		}
		m.enabled = m.sys.EnabledEdges(m.state, t, m.enabled[:0])
		if len(m.enabled) != 1 {
			return
		}
		m.arrive(t)
		st := m.enabled[0]
		op := m.sys.Thread(m.state, t).Op(st.Edge)
		if !m.apply(t, st) {
			return
		}
		if op.Kind == ir.Fence && op.Fence == ir.StoreStoreFence && m.sys.Model == memory.PSO {
			m.threads.addEpoch(t)
		}
	}
}

// anyChoice in a label stands for the first step of the edge.
const anyChoice = -1 << 63

// perform lets process p do what the label says, and describes the event in e. The caller
// numbers the event.
func (m *machine) perform(p int32, lb label, e *event) {
	m.issued = m.issued[:0]
	m.reached = m.reached[:0]
	*e = event{proc: p, thread: m.procs.list[p].thread, ord: none, cancel: none, label: lb}
	t := int(e.thread)
	if m.procs.list[p].buffer {
		m.flush(t, p, e)
		return
	}
	st, ok := m.find(t, &lb)
	if !ok {
		m.refuse(t, lb, e)
		return
	}
	e.label = lb
	op := m.sys.Thread(m.state, t).Op(st.Edge)
	if op.Kind == ir.AtomicBegin {
		m.section(t, st, e)
		return
	}
	m.describe(t, st, op, e)
	if m.procs.count[p] > endless {
		m.cutHere(t)
		e.flags |= ends
		return
	}
	if m.loops != nil && affects(op) && !m.passing(op) {
		m.threads.addEffect(t)
	}
	if op.Kind == ir.Broadcast || op.Kind == ir.Barrier {
		m.waiters()
	}
	m.notePrevious(e)
	if !m.apply(t, st) {
		e.flags = e.flags&^acquires | ends
		return
	}
	m.after(t, st, op, e)
	m.runLocal(t)
	for _, u := range m.reached {
		m.runLocal(int(u))
	}
}

// find returns the step that a label stands for. It replaces anyChoice by the choice of the step.
func (m *machine) find(t int, lb *label) (memory.Step, bool) {
	m.enabled = m.enabled[:0]
	if m.state.Running(ir.ThreadID(t)) {
		m.enabled = m.sys.Thread(m.state, t).EnabledEdge(lb.edge, m.enabled)
	} else {
		m.enabled = m.sys.EnabledEdges(m.state, t, m.enabled)
	}
	for _, st := range m.enabled {
		if st.Kind == memory.Wake {
			continue
		}
		if st.Choice == lb.choice {
			return st, true
		}
		if lb.choice == anyChoice {
			lb.choice = st.Choice
			return st, true
		}
		if m.sys.Thread(m.state, t).Op(st.Edge).Kind == ir.CondWait && st.Kind == memory.Exec {
			return st, true // the choice is made in after
		}
	}
	if m.lenient {
		for _, st := range m.enabled {
			if st.Kind != memory.Wake {
				lb.choice = st.Choice
				return st, true
			}
		}
	}
	return memory.Step{}, false
}

// refuse performs an await, or a read-modify-write that waits, whose condition does not hold for
// the value it reads. The event is the read, and the thread stops there.
func (m *machine) refuse(t int, lb label, e *event) {
	h := m.sys.Thread(m.state, t).Hindrance(lb.edge)
	if h.Why != memory.Refusal {
		panic("BUG: an event that is not enabled is performed")
	}
	op := m.sys.Thread(m.state, t).Op(lb.edge)
	e.flags |= ends
	if op.Kind == ir.RMW {
		e.flags |= drains | varies
	} else if op.Kind == ir.AbstractLoad {
		e.flags |= varies
	}
	m.addAccess(e, h.Addr, h.Size, reads)
	m.forwards(e, h.Forwarded, &h.ForwardedFrom)
	m.threads.setStop(t, refused)
}

// flush performs an update: the oldest entry of buffer p goes to memory.
func (m *machine) flush(t int, p int32, e *event) {
	pr := &m.procs.list[p]
	st, ok := m.sys.Thread(m.state, t).FindFlush(pr.addr, pr.size)
	if !ok {
		panic("BUG: an update that is not enabled is performed")
	}
	en := m.state.Buffer(ir.ThreadID(t))[st.Index]
	e.flags |= isUpdate
	e.ord = en.Tag
	if en.Kind == memory.FreeEntry {
		b, _ := m.state.BlockAt(en.Addr, 1)
		e.add(tokenBase+b, 8, reads|writes)
		e.add(heapToken, 8, reads|writes)
	} else {
		m.addAccess(e, en.Addr, int(en.Size), writes)
		m.notePrevious(e)
	}
	if !m.apply(t, st) {
		e.flags |= ends
	}
}
