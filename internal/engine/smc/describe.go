package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// What an event touches.

// affects reports whether an operation may change something for others, or the
// thread's place in the world; stores that are buffered are counted where they are
// issued, and read-modify-writes where they have changed something.
func affects(op *ir.Op) bool {
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Fence, ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.RMW:
		return false
	}
	return true
}

// notePrevious keeps what a write is about to overwrite, for compareAgain.
func (x *explorer) notePrevious(e *event) {
	if x.compares && e.n > 0 && e.acc[0].mode&writes != 0 && e.acc[0].addr < spawnBase {
		e.prev = x.y.Raw(x.s, e.acc[0].addr, int(e.acc[0].size))
	}
}

// touch notes an access to memory, and to the block it lies in.
func (x *explorer) touch(e *event, addr uint64, size int, m mode) {
	e.touch(addr, size, m)
	if x.heap {
		x.touchBlock(e, addr)
	}
}

// touchBlock notes that an access needs its block. A block whose free is still in
// the own buffer is gone for its thread: that it is, is forwarded.
func (x *explorer) touchBlock(e *event, addr uint64) {
	b, ok := x.y.Block(x.s, addr)
	if !ok {
		return
	}
	if e.flags&isUpdate == 0 {
		for _, en := range x.s.Buffer(ir.ThreadID(e.thread)) {
			if en.Kind == memory.FreeEntry && en.Addr == b {
				e.src = sources{one: en.Tag, pend: 0xff}
				e.touch(tokenBase+b, 8, reads)
				return
			}
		}
	}
	e.touch(tokenBase+b, 8, reads|always)
}

// describe notes what a step is about to touch, apart from what only its outcome
// tells.
func (x *explorer) describe(t int, st memory.Step, op *ir.Op, e *event) {
	if op.MustDrain() && x.y.Model != memory.SC {
		e.flags |= drains
	}
	if st.Kind == memory.Relock {
		m := x.y.MutexOf(x.s, t, st.Edge)
		e.flags |= drains | isMutex | locks | acquires | x.mayVanish(m)
		x.touch(e, m, 8, reads|writes)
		return
	}
	addr, size := x.y.Address(x.s, t, st.Edge)
	switch op.Kind {
	case ir.Load, ir.Await:
		x.touch(e, addr, size, reads)
	case ir.AbstractLoad:
		e.flags |= varies
		x.touch(e, addr, size, reads)
	case ir.Store:
		if x.y.Model == memory.SC {
			x.touch(e, addr, size, writes)
		} else {
			x.touchBlock(e, addr)
		}
	case ir.RMW:
		x.touch(e, addr, size, reads|writes)
		if op.RMW == ir.Cas || op.Cond != nil {
			e.flags |= varies
		}
		if op.RMW == ir.Cas && op.Cond == nil && x.s.Holder() < 0 {
			e.flags |= compares
			e.old, e.want = x.y.Raw(x.s, addr, size), x.y.Compared(x.s, t, st.Edge)
		}
	case ir.Lock, ir.TryLock, ir.Unlock:
		x.mutex(t, op, addr, e)
	case ir.CondWait:
		e.flags |= isMutex | x.mayVanish(x.y.MutexOf(x.s, t, st.Edge))
		x.touch(e, x.y.MutexOf(x.s, t, st.Edge), 8, reads|writes)
		if e.label.choice == 0 {
			e.touch(addr, 8, reads|writes)
		}
	case ir.Signal, ir.Broadcast, ir.Barrier:
		e.flags |= varies
		x.touch(e, addr, 8, reads|writes)
	default:
		x.describeControl(t, st, op, addr, e)
	}
}

// mayVanish is the flag of an operation on a mutex inside a block: where the block is
// freed the operation fails, and need not wait.
func (x *explorer) mayVanish(addr uint64) flags {
	if _, block := x.y.Block(x.s, addr); block && x.frees {
		return varies
	}
	return 0
}

// mutex notes lock, trylock and unlock. Only a trylock of a held mutex leaves it as
// it is.
func (x *explorer) mutex(t int, op *ir.Op, addr uint64, e *event) {
	word := x.y.MutexWord(x.s, addr)
	e.flags |= isMutex
	e.flags |= x.mayVanish(addr)
	m := reads | writes
	switch {
	case op.Kind == ir.Lock && word == 0:
		e.flags |= locks | acquires
	case op.Kind == ir.TryLock && word == 0:
		e.flags |= varies | acquires
	case op.Kind == ir.TryLock:
		e.flags |= varies
		if int(uint32(word))-1 != t || op.Mutex != ir.RecursiveMutex {
			m = reads
		}
	case op.Mutex == ir.ErrorCheckMutex && (op.Kind == ir.Lock) == (int(uint32(word))-1 == t):
		m = reads // only an error is returned
	}
	// Inside a recursive mutex nothing drains, whether or not something is in the
	// buffer just now: in another order it may be.
	mine := word != 0 && int(uint32(word))-1 == t && op.Mutex == ir.RecursiveMutex
	if mine && (op.Kind != ir.Unlock || word>>32 > 0) {
		e.flags &^= drains
	}
	x.touch(e, addr, 8, m)
}

func (x *explorer) describeControl(t int, st memory.Step, op *ir.Op, addr uint64, e *event) {
	switch op.Kind {
	case ir.Spawn:
		for _, u := range op.Threads {
			e.touch(spawnBase+8*uint64(u), 8, reads|writes)
			if !x.s.Started(u) {
				break
			}
		}
	case ir.Join:
		e.other = int32(1 + x.y.JoinTarget(x.s, t, st.Edge))
	case ir.Alloc:
		e.flags |= varies
		m := reads
		if st.Choice != 0 {
			m |= writes
			e.flags |= allocates
			b, _ := x.y.Block(x.s, uint64(st.Choice))
			e.touch(tokenBase+b, 8, reads|writes)
			for _, en := range x.s.Buffer(ir.ThreadID(t)) {
				if en.Kind == memory.FreeEntry && en.Addr == b {
					e.cancel = en.Tag
				}
			}
		}
		if x.frees {
			e.touch(heapToken, 8, m)
		}
	case ir.Free:
		if b, ok := x.y.Block(x.s, addr); ok && x.y.Model == memory.SC {
			e.touch(tokenBase+b, 8, reads|writes)
			e.touch(heapToken, 8, reads|writes)
		} else if ok {
			x.touchBlock(e, addr)
		}
	case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Bound, ir.Fence:
	default:
		panic("BUG: unexpected operation " + op.Kind.String())
	}
}

// after notes what only the outcome of a step tells.
func (x *explorer) after(t int, st memory.Step, op *ir.Op, e *event) {
	ev := &x.s.Event
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad:
		x.forwards(e, ev.Own, &ev.Sources)
	case ir.RMW:
		if !ev.Wrote {
			e.acc[0].mode = reads
		}
	case ir.Fence:
		if op.Fence == ir.StoreStoreFence && x.y.Model == memory.PSO {
			v := x.threads[t]
			v.epoch++
			x.setThread(t, v)
		}
	case ir.Spawn:
		e.other = int32(ev.Other)
		x.begin(ev.Other - 1)
		x.reached = append(x.reached, int32(ev.Other-1))
	case ir.Signal:
		if st.Choice >= 0 {
			x.reached = append(x.reached, int32(st.Choice))
		}
	case ir.CondWait:
		if st.Kind == memory.Exec && e.label.choice == 1 {
			x.apply(t, memory.Step{Thread: int32(t), Kind: memory.Wake, Edge: st.Edge})
		}
	case ir.Broadcast, ir.Barrier:
		n := 0
		for _, u := range x.waiting {
			if _, woken := x.y.WaitingEdge(x.s, int(u)); woken || x.y.Running(x.s, int(u)) {
				x.waiting[n] = u
				n++
			}
		}
		x.reached = append(x.reached, x.waiting[:n]...)
	}
}

// waiters lists the threads that wait for a signal or at a barrier.
func (x *explorer) waiters() {
	x.waiting = x.waiting[:0]
	for u := range x.threads {
		if _, woken := x.y.WaitingEdge(x.s, u); x.s.Started(ir.ThreadID(u)) && !x.y.Running(x.s, u) && !woken {
			x.waiting = append(x.waiting, int32(u))
		}
	}
}
