package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The accesses of an event.

// affects reports whether an operation may have an effect that other threads notice. Buffered
// stores are counted when they are issued, and read-modify-writes if they have changed a value.
func affects(op *ir.Op) bool {
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Fence, ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.RMW:
		return false
	}
	return true
}

// notePrevious notes the bytes that a write is about to overwrite, for compareAgain.
func (m *machine) notePrevious(e *event) {
	if m.uses.compares && e.n > 0 && e.acc[0].mode&writes != 0 && e.acc[0].addr < spawnBase {
		e.prev = m.sys.ReadRaw(m.state, e.acc[0].addr, int(e.acc[0].size))
	}
}

// addAccess adds an access to memory, and to the block that it lies in.
func (m *machine) addAccess(e *event, addr uint64, size int, how mode) {
	e.add(addr, size, how)
	if m.uses.heap {
		m.addBlock(e, addr)
	}
}

// addBlock notes that an access needs its block. For a thread, a block is freed as soon as the free
// is in its buffer: such an access forwards from the free.
func (m *machine) addBlock(e *event, addr uint64) {
	b, ok := m.state.BlockAt(addr, 1)
	if !ok {
		return
	}
	if e.flags&isUpdate == 0 {
		for _, en := range m.state.Buffer(ir.ThreadID(e.thread)) {
			if en.Kind == memory.FreeEntry && en.Addr == b {
				e.from = readsFrom{one: en.Tag, forwarded: 0xff}
				e.add(tokenBase+b, 8, reads)
				return
			}
		}
	}
	e.add(tokenBase+b, 8, reads|always)
}

// describe notes the accesses of a step that is about to be taken, except for accesses that depend
// on its outcome.
func (m *machine) describe(t int, st memory.Step, op *ir.Op, e *event) {
	if op.MustDrain() && m.sys.Model != memory.SC {
		e.flags |= drains
	}
	if st.Kind == memory.Relock {
		mutex := m.sys.Thread(m.state, t).Mutex(st.Edge)
		e.flags |= drains | isMutex | locks | acquires | m.mayVanish(mutex)
		m.addAccess(e, mutex, 8, reads|writes)
		return
	}
	addr, size := m.sys.Thread(m.state, t).Address(st.Edge)
	switch op.Kind {
	case ir.Load, ir.Await:
		m.addAccess(e, addr, size, reads)
	case ir.AbstractLoad:
		e.flags |= varies
		m.addAccess(e, addr, size, reads)
	case ir.Store:
		if m.sys.Model == memory.SC {
			m.addAccess(e, addr, size, writes)
		} else {
			m.addBlock(e, addr)
		}
	case ir.RMW:
		m.addAccess(e, addr, size, reads|writes)
		if op.RMW == ir.Cas || op.Cond != nil {
			e.flags |= varies
		}
		if op.RMW == ir.Cas && op.Cond == nil && m.state.Holder() < 0 {
			e.flags |= compares
			e.old, e.want = m.sys.ReadRaw(m.state, addr, size), m.sys.Thread(m.state, t).Expected(st.Edge)
		}
	case ir.Lock, ir.TryLock, ir.Unlock:
		m.mutex(t, op, addr, e)
	case ir.CondWait:
		e.flags |= isMutex | m.mayVanish(m.sys.Thread(m.state, t).Mutex(st.Edge))
		m.addAccess(e, m.sys.Thread(m.state, t).Mutex(st.Edge), 8, reads|writes)
		if e.label.choice == 0 {
			e.add(addr, 8, reads|writes)
		}
	case ir.Signal, ir.Broadcast, ir.Barrier:
		e.flags |= varies
		m.addAccess(e, addr, 8, reads|writes)
	default:
		m.describeControl(t, st, op, addr, e)
	}
}

// mayVanish returns the flag varies for a mutex in a block that may be freed: on a freed block the
// operation fails instead of waiting.
func (m *machine) mayVanish(addr uint64) flags {
	if _, block := m.state.BlockAt(addr, 1); block && m.uses.frees {
		return varies
	}
	return 0
}

// mutex notes the accesses of lock, trylock and unlock. An operation that only
// returns an error reads the mutex; all others write it.
func (m *machine) mutex(t int, op *ir.Op, addr uint64, e *event) {
	word := m.sys.ReadRaw(m.state, addr, memory.WordSize)
	e.flags |= isMutex
	e.flags |= m.mayVanish(addr)
	how := reads | writes
	switch {
	case op.Kind == ir.Lock && word == 0:
		e.flags |= locks | acquires
	case op.Kind == ir.TryLock && word == 0:
		e.flags |= varies | acquires
	case op.Kind == ir.TryLock:
		e.flags |= varies
		if int(uint32(word))-1 != t || op.Mutex != ir.RecursiveMutex {
			how = reads
		}
	case op.Mutex == ir.ErrorCheckMutex && (op.Kind == ir.Lock) == (int(uint32(word))-1 == t):
		how = reads // only an error is returned
	}
	// Relocking a recursive mutex and unlocking it again do not drain, even if the buffer is empty
	// now: in another order of events it may not be.
	mine := word != 0 && int(uint32(word))-1 == t && op.Mutex == ir.RecursiveMutex
	if mine && (op.Kind != ir.Unlock || word>>32 > 0) {
		e.flags &^= drains
	}
	m.addAccess(e, addr, 8, how)
}

// describeControl notes the accesses of operations on threads and on the heap.
func (m *machine) describeControl(t int, st memory.Step, op *ir.Op, addr uint64, e *event) {
	switch op.Kind {
	case ir.Spawn:
		for _, u := range op.Threads {
			e.add(spawnBase+8*uint64(u), 8, reads|writes)
			if !m.state.Started(u) {
				break
			}
		}
	case ir.Join:
		e.other = int32(1 + m.sys.Thread(m.state, t).JoinTarget(st.Edge))
	case ir.Alloc:
		e.flags |= varies
		how := reads
		if st.Choice != 0 {
			how |= writes
			e.flags |= allocates
			b, _ := m.state.BlockAt(uint64(st.Choice), 1)
			e.add(tokenBase+b, 8, reads|writes)
			for _, en := range m.state.Buffer(ir.ThreadID(t)) {
				if en.Kind == memory.FreeEntry && en.Addr == b {
					e.cancel = en.Tag
				}
			}
		}
		if m.uses.frees {
			e.add(heapToken, 8, how)
		}
	case ir.Free:
		if b, ok := m.state.BlockAt(addr, 1); ok && m.sys.Model == memory.SC {
			e.add(tokenBase+b, 8, reads|writes)
			e.add(heapToken, 8, reads|writes)
		} else if ok {
			m.addBlock(e, addr)
		}
	case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Bound, ir.Unsupported, ir.Fence:
	default:
		panic("BUG: unexpected operation " + op.Kind.String())
	}
}

// after notes what depends on the outcome of a step.
func (m *machine) after(t int, st memory.Step, op *ir.Op, e *event) {
	ev := &m.state.Event
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad:
		m.forwards(e, ev.Forwarded, &ev.ForwardedFrom)
	case ir.RMW:
		if !ev.Wrote {
			e.acc[0].mode = reads
		}
	case ir.Fence:
		if op.Fence == ir.StoreStoreFence && m.sys.Model == memory.PSO {
			m.threads.addEpoch(t)
		}
	case ir.Spawn:
		e.other = int32(ev.Other)
		m.begin(ev.Other - 1)
		m.reached = append(m.reached, int32(ev.Other-1))
	case ir.Signal:
		if st.Choice >= 0 {
			m.reached = append(m.reached, int32(st.Choice))
		}
	case ir.CondWait:
		if st.Kind == memory.Exec && e.label.choice == 1 {
			m.apply(t, memory.Step{Thread: int32(t), Kind: memory.Wake, Edge: st.Edge})
		}
	case ir.Broadcast, ir.Barrier:
		n := 0
		for _, u := range m.waiting {
			if _, woken := m.state.Waiting(ir.ThreadID(u)); woken || m.state.Running(ir.ThreadID(u)) {
				m.waiting[n] = u
				n++
			}
		}
		m.reached = append(m.reached, m.waiting[:n]...)
	}
}

// waiters lists in m.waiting the threads that wait for a signal or at a barrier.
func (m *machine) waiters() {
	m.waiting = m.waiting[:0]
	for u := range m.threads.now {
		if _, woken := m.state.Waiting(ir.ThreadID(u)); m.state.Started(ir.ThreadID(u)) && !m.state.Running(ir.ThreadID(u)) && !woken {
			m.waiting = append(m.waiting, int32(u))
		}
	}
}
