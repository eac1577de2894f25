package machine

import (
	"errors"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Performing an event: the steps of package memory that the event consists of.

// apply takes a step of package memory. It returns false if the step stops the thread.
func (m *Machine) apply(t int, st memory.Step) bool {
	mark, from := m.State.Mark(), m.State.PC(ir.ThreadID(t))
	var mutex *ir.Op
	if st.Kind == memory.Exec && m.Loops != nil {
		if op := m.Sys.Thread(m.State, t).Op(st.Edge); m.passing(op) {
			mutex = op
		}
	}
	m.State.Tag = m.Threads.Now[t].Ord
	m.Sys.Apply(m.State, st)
	if !m.Dry {
		m.Steps = append(m.Steps, st)
	}
	if f, bad := m.State.Fault(); bad {
		if !m.Dry {
			m.CheckFailed(f)
			m.Steps = m.Steps[:len(m.Steps)-1]
		}
		m.State.Undo(mark)
		m.halt(t, st, Failed)
		return false
	}
	if m.State.Over() {
		if !m.Dry {
			m.Steps = m.Steps[:len(m.Steps)-1]
		}
		m.State.Undo(mark)
		m.halt(t, st, Exited)
		return false
	}
	if m.State.Event.Buffered {
		m.noteHeld(t)
		v := m.Threads.Now[t]
		if m.State.Event.Free && m.Sys.Model == memory.PSO {
			v.Epoch++ // a free comes after all stores before it
		}
		m.Issued = append(m.Issued, Issued{int32(t), v.Ord, v.Epoch})
		v.Ord++
		v.effects++
		m.Threads.set(t, v)
	}
	if m.Loops != nil {
		switch {
		case mutex != nil:
			m.noteMutex(t, mutex)
		case m.State.Event.Wrote && (m.State.Event.Written != m.State.Event.Value || m.State.Event.Remasked):
			m.Threads.addEffect(t)
		}
		m.loopStep(t, from, st)
	}
	return true
}

// noteHeld notes that thread t has just stored to a recursive mutex that it has, or will have when an older store of its
// buffer reaches memory. No operation on it need have been performed yet: any aligned word counts that looks like one.
func (m *Machine) noteHeld(t int) {
	ev := &m.State.Event
	if !m.Uses.Recursive || m.opt.Stores {
		return
	}
	note := func(addr uint64) {
		older := 0 // stores to the mutex in the buffer, with the present one
		for _, en := range m.State.Buffer(ir.ThreadID(t)) {
			if en.Addr < addr+memory.WordSize && addr < en.Addr+uint64(en.Size) {
				older++
			}
		}
		word := m.Sys.ReadRaw(m.State, addr, memory.WordSize)
		if (int(uint32(word))-1 == t || older > 1) && !m.StoredToHeld(t, addr) {
			v := m.Threads.Now[t]
			v.stored = append(slices.Clone(v.stored), addr)
			m.Threads.set(t, v)
		}
	}
	for addr := ev.Addr &^ (memory.WordSize - 1); addr < ev.Addr+uint64(ev.Size); addr += memory.WordSize {
		note(addr)
	}
	for _, addr := range m.recursive {
		if addr%memory.WordSize != 0 && ev.Addr < addr+memory.WordSize && addr < ev.Addr+uint64(ev.Size) {
			note(addr)
		}
	}
}

// StoredToHeld reports whether thread t has stored to the recursive mutex at addr while it had it, and has not drained
// its buffer since.
func (m *Machine) StoredToHeld(t int, addr uint64) bool {
	return slices.Contains(m.Threads.Now[t].stored, addr)
}

// passing reports whether an operation only changes which mutexes the thread has. Such a change
// counts as an effect of a round of a loop only if it lasts until the end of the round.
func (m *Machine) passing(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
		return m.opt.Passing
	}
	return false
}

// noteMutex notes the mutex that thread t has just locked or unlocked.
func (m *Machine) noteMutex(t int, op *ir.Op) {
	if !m.State.Event.Wrote || op.Kind == ir.CondWait { // after the wait the thread has the mutex again
		return
	}
	v := m.Threads.Now[t]
	addr := m.State.Event.Addr
	if op.Kind != ir.Unlock {
		v.held = append(slices.Clone(v.held), addr)
	} else if k := slices.Index(v.held, addr); k >= 0 {
		v.held = slices.Delete(slices.Clone(v.held), k, k+1)
	}
	slices.Sort(v.held)
	m.Threads.set(t, v)
}

// halt stops a thread, or its buffer if the step is an update.
func (m *Machine) halt(t int, st memory.Step, why Stop) {
	v := m.Threads.Now[t]
	if st.Kind == memory.Flush {
		v.BufferStuck, v.failed = true, append(slices.Clone(v.failed), m.State.Buffer(ir.ThreadID(t))[st.Index].Tag)
	} else {
		v.Stop = why
	}
	m.Threads.set(t, v)
}

// RunLocal runs thread t to its next operation that others can notice.
func (m *Machine) RunLocal(t int) {
	m.runLocalSteps(t)
	m.arrive(t)
}

// arrive reports where thread t has arrived, unless events are only tried.
func (m *Machine) arrive(t int) {
	if m.Arrived != nil && !m.Dry {
		m.Arrived(t)
	}
}

func (m *Machine) runLocalSteps(t int) {
	stop := m.StopsAt[t]
	for left := endless; m.Threads.Now[t].Stop == Runs && m.Sys.Thread(m.State, t).Invisible(); left-- {
		if m.Dry {
			m.Enabled = m.Sys.Thread(m.State, t).Advance(stop, left, m.Enabled[:0])
			left -= len(m.Enabled)
		} else {
			n := len(m.Steps)
			m.Steps = m.Sys.Thread(m.State, t).Advance(stop, left, m.Steps)
			left -= len(m.Steps) - n
		}
		if !m.Sys.Thread(m.State, t).Invisible() {
			return
		}
		if left <= 0 {
			m.cutHere(t)
			return
		}
		m.Enabled = m.Sys.EnabledEdges(m.State, t, m.Enabled[:0])
		if len(m.Enabled) != 1 {
			return
		}
		st := m.Enabled[0]
		op := m.Sys.Thread(m.State, t).Op(st.Edge)
		if m.opt.Stores && op.Kind == ir.Store {
			return
		}
		m.arrive(t)
		if !m.apply(t, st) {
			return
		}
		if op.Kind == ir.Fence && op.Fence == ir.StoreStoreFence && m.Sys.Model == memory.PSO {
			m.Threads.addEpoch(t)
		}
	}
}

// AnyChoice in a label stands for the first step of the edge, and cutChoice for the end of a thread that has too many
// events: if the event is performed again, the thread ends there again, whatever the execution has by then.
const (
	AnyChoice = -1 << 63
	cutChoice = AnyChoice + 1
)

// Perform lets process p do what the label says, and describes the event in e. The caller
// numbers the event.
func (m *Machine) Perform(p int32, lb Label, e *Event) {
	begins := m.Ordered.next(m, p)
	m.perform(p, lb, e)
	if begins {
		m.Ordered.note(m, e)
	}
}

func (m *Machine) perform(p int32, lb Label, e *Event) {
	m.Issued = m.Issued[:0]
	m.Reached = m.Reached[:0]
	m.Inside = m.Inside[:0]
	*e = Event{Proc: p, Thread: m.Procs.List[p].Thread, Ord: None, Cancel: None, Label: lb}
	t := int(e.Thread)
	if m.Procs.List[p].Buffer {
		m.flush(t, p, e)
		return
	}
	cut := lb.Choice == cutChoice || m.Procs.Count[p] > endless && !m.Dry
	if cut {
		lb.Choice = AnyChoice
	}
	st, ok := m.find(t, &lb)
	if !ok {
		m.refuse(t, lb, e)
		return
	}
	e.Label = lb
	op := m.Sys.Thread(m.State, t).Op(st.Edge)
	if op.Kind == ir.AtomicBegin {
		m.section(t, st, e)
		return
	}
	m.describe(t, st, op, e)
	if cut {
		m.cutHere(t)
		e.Label.Choice = cutChoice
		e.Flags |= Ends
		return
	}
	if m.Loops != nil && affects(op) && !m.passing(op) {
		m.Threads.addEffect(t)
	}
	if op.Kind == ir.Broadcast || op.Kind == ir.Barrier {
		m.waiters()
	}
	m.notePrevious(e)
	if !m.apply(t, st) {
		e.Flags = e.Flags&^Acquires | Ends
		return
	}
	m.after(t, st, op, e)
	if v := m.Threads.Now[t]; e.Flags&Drains != 0 && v.stored != nil {
		v.stored = nil
		m.Threads.set(t, v)
	}
	if op.Kind == ir.Store && m.Sys.Model == memory.SC || op.Kind == ir.RMW {
		m.noteMark(e, e.Acc[0].Addr, int(e.Acc[0].Size))
	}
	m.RunLocal(t)
	for _, u := range m.Reached {
		m.RunLocal(int(u))
	}
}

// noteMark notes in e that the bytes which it has just written are not all 0. Those of a mutex that was destroyed do not
// count: no thread waits for it.
func (m *Machine) noteMark(e *Event, addr uint64, size int) {
	if !m.Uses.Mutexes {
		return
	}
	if v := m.Sys.ReadRaw(m.State, addr, size); v != 0 && (size != memory.WordSize || int64(v) != ir.DestroyedMutex) {
		e.Flags |= Marks
	}
}

// find returns the step that a label stands for. It replaces anyChoice by the choice of the step.
func (m *Machine) find(t int, lb *Label) (memory.Step, bool) {
	m.Enabled = m.Enabled[:0]
	if m.State.Running(ir.ThreadID(t)) {
		m.Enabled = m.Sys.Thread(m.State, t).EnabledEdge(lb.Edge, m.Enabled)
	} else {
		m.Enabled = m.Sys.EnabledEdges(m.State, t, m.Enabled)
	}
	for _, st := range m.Enabled {
		if st.Kind == memory.Wake {
			continue
		}
		if st.Choice == lb.Choice {
			return st, true
		}
		if lb.Choice == AnyChoice {
			lb.Choice = st.Choice
			return st, true
		}
		if m.Sys.Thread(m.State, t).Op(st.Edge).Kind == ir.CondWait && st.Kind == memory.Exec {
			return st, true // the choice is made in after
		}
	}
	if m.Lenient {
		for _, st := range m.Enabled {
			if st.Kind != memory.Wake {
				lb.Choice = st.Choice
				return st, true
			}
		}
	}
	return memory.Step{}, false
}

// ErrMutexWritten says that a store, or something else that is no operation on a mutex, wrote a mutex.
var ErrMutexWritten = errors.New("a mutex is written by operations other than locks and unlocks, which this engine does not take")

// refuse performs an await, or a read-modify-write that waits, whose condition does not hold for
// the value it reads. The event is the read, and the thread stops there. A global fence is an await,
// too: its condition is that all buffers are empty.
func (m *Machine) refuse(t int, lb Label, e *Event) {
	h := m.Sys.Thread(m.State, t).Hindrance(lb.Edge)
	op := m.Sys.Thread(m.State, t).Op(lb.Edge)
	// Another order of events stops an operation on a mutex only if something else writes the mutex: it is held now, or
	// the operation must drain because the thread does not have it yet.
	if h.Why == memory.Held || h.Why == memory.Buffer && (op.Kind == ir.Lock || op.Kind == ir.TryLock || op.Kind == ir.Unlock) {
		m.Err = ErrMutexWritten
		m.Threads.setStop(t, Refused)
		return
	}
	if h.Why != memory.Refusal {
		panic("BUG: an event that is not enabled is performed")
	}
	e.Flags |= Ends
	m.Threads.setStop(t, Refused)
	switch op.Kind {
	case ir.Fence:
		e.Flags |= Drains
		e.Add(BufferToken, 8, Reads|Writes)
		return
	case ir.RMW:
		e.Flags |= Drains | Varies
	case ir.AbstractLoad:
		e.Flags |= Varies
	}
	m.addAccess(e, h.Addr, h.Size, Reads)
	m.forwards(e, h.Forwarded, &h.ForwardedFrom)
}

// flush performs an update: the oldest entry of buffer p goes to memory.
func (m *Machine) flush(t int, p int32, e *Event) {
	pr := &m.Procs.List[p]
	st, ok := m.Sys.Thread(m.State, t).FindFlush(pr.Addr, pr.Size)
	if !ok {
		panic("BUG: an update that is not enabled is performed")
	}
	en := m.State.Buffer(ir.ThreadID(t))[st.Index]
	e.Flags |= IsUpdate
	e.Ord = en.Tag
	if en.Kind == memory.FreeEntry {
		b, _ := m.State.BlockAt(en.Addr, 1)
		e.Add(TokenBase+b, 8, Reads|Writes)
		e.Add(HeapToken, 8, Reads|Writes)
	} else {
		m.addAccess(e, en.Addr, int(en.Size), Writes)
		m.notePrevious(e)
	}
	m.addBuffer(e)
	if !m.apply(t, st) {
		e.Flags |= Ends
	} else if en.Kind != memory.FreeEntry {
		m.noteMark(e, en.Addr, int(en.Size))
	}
}

// Update lets the first entry of the buffer of thread t reach memory. It returns false if that fails.
func (m *Machine) Update(t int) bool {
	return m.apply(t, memory.Step{Thread: int32(t), Kind: memory.Flush})
}
