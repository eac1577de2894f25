package machine

import (
	"errors"
	"slices"

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
func (m *Machine) notePrevious(e *Event) {
	if m.Uses.Compares && e.N > 0 && e.Acc[0].Mode&Writes != 0 && IsMemory(e.Acc[0].Addr) {
		e.Prev = m.Sys.ReadRaw(m.State, e.Acc[0].Addr, int(e.Acc[0].Size))
	}
}

// addAccess adds an access to memory, and to the block that it lies in.
func (m *Machine) addAccess(e *Event, addr uint64, size int, how Mode) {
	e.Add(addr, size, how)
	if m.Uses.Heap {
		m.addBlock(e, addr)
	}
}

// addBlock notes that an access needs its block. For a thread, a block is freed as soon as the free
// is in its buffer: such an access forwards from the free.
func (m *Machine) addBlock(e *Event, addr uint64) {
	b, ok := m.State.BlockAt(addr, 1)
	if !ok {
		return
	}
	if e.Flags&IsUpdate == 0 {
		for _, en := range m.State.Buffer(ir.ThreadID(e.Thread)) {
			if en.Kind == memory.FreeEntry && en.Addr == b {
				e.From = ReadsFrom{One: en.Tag, Forwarded: 0xff}
				e.Add(TokenBase+b, 8, Reads)
				return
			}
		}
	}
	e.Add(TokenBase+b, 8, Reads|Always)
}

// addBuffer notes that a store enters or leaves a buffer, where a global fence may wait for that.
func (m *Machine) addBuffer(e *Event) {
	if m.Uses.Global && m.Sys.Model != memory.SC {
		e.Add(BufferToken, 8, Reads)
	}
}

// describe notes the accesses of a step that is about to be taken, except for accesses that depend
// on its outcome.
func (m *Machine) describe(t int, st memory.Step, op *ir.Op, e *Event) {
	if op.MustDrain() && m.Sys.Model != memory.SC {
		e.Flags |= Drains
	}
	if st.Kind == memory.Relock {
		mutex := m.Sys.Thread(m.State, t).Mutex(st.Edge)
		e.Flags |= Drains | IsMutex | Locks | Acquires | m.mayVanish(mutex)
		m.addAccess(e, mutex, 8, Reads|Writes)
		return
	}
	addr, size := m.Sys.Thread(m.State, t).Address(st.Edge)
	switch op.Kind {
	case ir.Load, ir.Await:
		m.addAccess(e, addr, size, Reads)
	case ir.AbstractLoad:
		e.Flags |= Varies
		m.addAccess(e, addr, size, Reads)
	case ir.Store:
		if m.Sys.Model == memory.SC {
			m.addAccess(e, addr, size, Writes)
		} else {
			m.addBlock(e, addr)
			m.addBuffer(e)
		}
	case ir.RMW:
		how := Reads | Writes
		if m.opt.Stores && op.Blind() {
			how = Writes
		}
		m.addAccess(e, addr, size, how)
		if op.RMW == ir.Cas || op.Cond != nil {
			e.Flags |= Varies
		}
		if op.RMW == ir.Cas && op.Cond == nil && op.Undef.Dst == ir.NoReg && m.State.Holder() < 0 {
			e.Flags |= Compares
			e.Old, e.Want = m.Sys.ReadRaw(m.State, addr, size), m.Sys.Thread(m.State, t).Expected(st.Edge)
		}
	case ir.Lock, ir.TryLock, ir.Unlock:
		m.mutex(t, op, addr, e)
	case ir.CondWait:
		e.Flags |= IsMutex | m.mayVanish(m.Sys.Thread(m.State, t).Mutex(st.Edge))
		m.addAccess(e, m.Sys.Thread(m.State, t).Mutex(st.Edge), 8, Reads|Writes)
		if e.Label.Choice == 0 {
			e.Add(addr, 8, Reads|Writes)
		}
	case ir.Signal, ir.Broadcast, ir.Barrier:
		e.Flags |= Varies
		m.addAccess(e, addr, 8, Reads|Writes)
	default:
		m.describeControl(t, st, op, addr, e)
	}
}

// mayVanish returns the flag varies for a mutex in a block that may be freed: on a freed block the
// operation fails instead of waiting.
func (m *Machine) mayVanish(addr uint64) Flags {
	if _, block := m.State.BlockAt(addr, 1); block && m.Uses.Frees {
		return Varies
	}
	return 0
}

// mutex notes the accesses of lock, trylock and unlock. An operation that only returns an error, or that fails, reads the
// mutex; all others write it.
func (m *Machine) mutex(t int, op *ir.Op, addr uint64, e *Event) {
	word := m.Sys.ReadRaw(m.State, addr, memory.WordSize)
	e.Flags |= IsMutex | m.mayVanish(addr)
	if op.Mutex.Kind == ir.RecursiveMutex && !m.opt.Stores {
		m.noteRecursive(t, addr)
	}
	how := Reads | Writes
	switch {
	case op.Kind == ir.Lock && word == 0:
		e.Flags |= Locks | Acquires
	case op.Kind == ir.TryLock && word == 0:
		e.Flags |= Varies | Acquires
	case op.Kind == ir.TryLock:
		e.Flags |= Varies
		if int(uint32(word))-1 != t || op.Mutex.Kind != ir.RecursiveMutex {
			how = Reads
		}
	case op.Kind == ir.Unlock && int(uint32(word))-1 != t, op.Kind == ir.Lock && op.Mutex.Kind == ir.ErrorCheckMutex && int(uint32(word))-1 == t:
		how = Reads // an error is returned, or the check of the operation fails
	}
	// Relocking a recursive mutex and unlocking it again do not drain, even if the buffer is empty
	// now: in another order of events it may not be.
	mine := word != 0 && int(uint32(word))-1 == t && op.Mutex.Kind == ir.RecursiveMutex
	if mine && (op.Kind != ir.Unlock || word>>32 > 0) {
		e.Flags &^= Drains
	}
	m.addAccess(e, addr, 8, how)
}

// noteRecursive notes a recursive mutex. It gives up if thread t has stored to it while it had it: the thread
// can do the present operation before the store reaches memory and after, so the event would depend on an update of its
// own thread.
func (m *Machine) noteRecursive(t int, addr uint64) {
	if !slices.Contains(m.recursive, addr) {
		m.recursive = append(m.recursive, addr)
	}
	if m.StoredToHeld(t, addr) {
		m.Err = errors.New("a thread stores to a recursive mutex that it has")
	}
}

// describeControl notes the accesses of operations on threads and on the heap.
func (m *Machine) describeControl(t int, st memory.Step, op *ir.Op, addr uint64, e *Event) {
	switch op.Kind {
	case ir.Spawn:
		if len(op.Call.Threads) > 1 && m.Uses.Shared {
			e.Flags |= Varies // by the threads that have started
		}
		for _, u := range op.Call.Threads {
			e.Add(SpawnBase+8*uint64(u), 8, Reads|Writes)
			if !m.State.Started(u) {
				break
			}
		}
	case ir.Join:
		e.Flags |= Joins
		e.Other = int32(1 + m.Sys.Thread(m.State, t).JoinTarget(st.Edge))
		if u := m.Sys.Thread(m.State, t).JoinHandle(st.Edge); u >= 0 && m.Uses.Joins {
			e.Flags |= Varies
			e.Add(SpawnBase+8*uint64(u), 8, Reads|Writes)
		}
	case ir.Alloc:
		e.Flags |= Varies
		how := Reads
		if st.Choice != 0 {
			how |= Writes
			e.Flags |= Allocates
			b, _ := m.State.BlockAt(uint64(st.Choice), 1)
			e.Add(TokenBase+b, 8, Reads|Writes)
			for _, en := range m.State.Buffer(ir.ThreadID(t)) {
				if en.Kind == memory.FreeEntry && en.Addr == b {
					e.Cancel = en.Tag
				}
			}
		}
		if m.Uses.Frees {
			e.Add(HeapToken, 8, how)
		}
	case ir.Free:
		if b, ok := m.State.BlockAt(addr, 1); ok && m.Sys.Model == memory.SC {
			e.Add(TokenBase+b, 8, Reads|Writes)
			e.Add(HeapToken, 8, Reads|Writes)
		} else if ok {
			m.addBlock(e, addr)
			m.addBuffer(e)
		}
	case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Bound, ir.Unsupported:
	case ir.Fence:
		if op.Fence == ir.GlobalFence && m.Sys.Model != memory.SC {
			e.Add(BufferToken, 8, Reads|Writes)
		}
	default:
		panic("BUG: unexpected operation " + op.Kind.String())
	}
}

// after notes what depends on the outcome of a step.
func (m *Machine) after(t int, st memory.Step, op *ir.Op, e *Event) {
	ev := &m.State.Event
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad:
		m.forwards(e, ev.Forwarded, &ev.ForwardedFrom)
	case ir.RMW:
		if !ev.Wrote {
			e.Acc[0].Mode = Reads
		}
	case ir.Fence:
		if op.Fence == ir.StoreStoreFence && m.Sys.Model == memory.PSO {
			m.Threads.addEpoch(t)
		}
	case ir.Spawn:
		e.Other = int32(ev.Other)
		m.Begin(ev.Other - 1)
		m.Reached = append(m.Reached, int32(ev.Other-1))
	case ir.Signal:
		if st.Choice >= 0 {
			m.Reached = append(m.Reached, int32(st.Choice))
		}
	case ir.CondWait:
		if st.Kind == memory.Exec && e.Label.Choice == 1 {
			m.apply(t, memory.Step{Thread: int32(t), Kind: memory.Wake, Edge: st.Edge})
		}
	case ir.Broadcast, ir.Barrier:
		n := 0
		for _, u := range m.waiting {
			if _, woken := m.State.Waiting(ir.ThreadID(u)); woken || m.State.Running(ir.ThreadID(u)) {
				m.waiting[n] = u
				n++
			}
		}
		m.Reached = append(m.Reached, m.waiting[:n]...)
	}
}

// waiters lists in m.waiting the threads that wait for a signal or at a barrier.
func (m *Machine) waiters() {
	m.waiting = m.waiting[:0]
	for u := range m.Threads.Now {
		if _, woken := m.State.Waiting(ir.ThreadID(u)); m.State.Started(ir.ThreadID(u)) && !m.State.Running(ir.ThreadID(u)) && !woken {
			m.waiting = append(m.waiting, int32(u))
		}
	}
}
