package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Performing an event: the steps of package memory it consists of, and what it
// touches on the way.

// stop is why a thread does not go on although its state would let it. The zero
// value: it does.
type stop uint8

const (
	goesOn  stop = iota
	failed       // a check failed
	exited       // exit was called
	refused      // an await was refused, or a round of a loop changed nothing
	stuck        // a section cannot be finished
	bounded      // a loop would begin a round too many
)

// threadState is what an execution says about a thread beyond memory's state.
type threadState struct {
	ord   int32 // stores issued
	epoch int32 // store-store fences passed
	stop  stop
	jam   bool // an update failed: what is in the buffer stays there
	// effects counts what others can notice.
	effects int32
}

// issued is a store that an event put into a buffer.
type issued struct {
	thread, ord, epoch int32
}

func (x *explorer) setThread(t int, v threadState) {
	x.threadLog = append(x.threadLog, savedThread{int32(t), none, x.threads[t]})
	x.threads[t] = v
}

// savedThread is what a thread was before a change.
type savedThread struct {
	thread int32
	loop   int32 // none, or the loop whose state was changed; it is on a stack of its own
	old    threadState
}

// affected counts something that others can notice.
func (x *explorer) affected(t int) {
	v := x.threads[t]
	v.effects++
	x.setThread(t, v)
}

// apply takes a step of memory's; it reports whether the thread goes on.
func (x *explorer) apply(t int, st memory.Step) bool {
	mark, from := x.s.Mark(), x.s.PC(ir.ThreadID(t))
	x.s.Tag = x.threads[t].ord
	x.y.Apply(x.s, st)
	if !x.dry {
		x.steps = append(x.steps, st)
	}
	if f, bad := x.s.Fault(); bad {
		if !x.dry {
			x.checkFailed(f)
			x.steps = x.steps[:len(x.steps)-1]
		}
		x.s.Undo(mark)
		x.halt(t, st, failed)
		return false
	}
	if x.s.Over() {
		if !x.dry {
			x.steps = x.steps[:len(x.steps)-1]
		}
		x.s.Undo(mark)
		x.halt(t, st, exited)
		return false
	}
	if x.s.Event.Buffered {
		v := x.threads[t]
		if x.s.Event.Free && x.y.Model == memory.PSO {
			v.epoch++ // a free comes after all stores before it
		}
		x.issued = append(x.issued, issued{int32(t), v.ord, v.epoch})
		v.ord++
		v.effects++
		x.setThread(t, v)
	}
	if x.loops != nil {
		if x.s.Event.Wrote {
			x.affected(t)
		}
		x.loopStep(t, from, st)
	}
	return true
}

func (x *explorer) halt(t int, st memory.Step, why stop) {
	v := x.threads[t]
	if st.Kind == memory.Flush {
		v.jam = true
	} else {
		v.stop = why
	}
	x.setThread(t, v)
}

// settle runs a thread on through what concerns nobody else.
func (x *explorer) settle(t int) {
	x.runLocal(t)
	x.visits(t) // where it comes to rest
}

func (x *explorer) runLocal(t int) {
	stop := x.heldUp[t]
	for x.threads[t].stop == goesOn && x.y.Private(x.s, t) {
		if x.dry {
			x.local = x.y.Advance(x.s, t, stop, x.local[:0])
		} else {
			x.steps = x.y.Advance(x.s, t, stop, x.steps)
		}
		if !x.y.Private(x.s, t) {
			return
		}
		x.local = x.y.EnabledEdges(x.s, t, x.local[:0])
		if len(x.local) != 1 {
			return
		}
		x.visits(t)
		st := x.local[0]
		op := x.y.Op(x.s, t, st.Edge)
		if !x.apply(t, st) {
			return
		}
		if op.Kind == ir.Fence && op.Fence == ir.StoreStoreFence && x.y.Model == memory.PSO {
			v := x.threads[t]
			v.epoch++
			x.setThread(t, v)
		}
	}
}

// anyChoice in a label asks for the first step of the edge, whichever it is.
const anyChoice = -1 << 63

// perform lets process p do what the label says and describes it in e. The caller
// numbers the event.
func (x *explorer) perform(p int32, lb label, e *event) {
	x.issued = x.issued[:0]
	x.reached = x.reached[:0]
	*e = event{proc: p, thread: x.procs[p].thread, fwd: none, own: none, ord: none, link: none, cancel: none, label: lb}
	t := int(e.thread)
	if x.procs[p].aux {
		x.flush(t, p, e)
		return
	}
	st, ok := x.find(t, &lb)
	if !ok {
		x.refuse(t, lb, e)
		return
	}
	e.label = lb
	op := x.y.Op(x.s, t, st.Edge)
	if op.Kind == ir.AtomicBegin {
		x.section(t, st, e)
		return
	}
	x.describe(t, st, op, e)
	if x.loops != nil && affects(op) {
		x.affected(t)
	}
	if op.Kind == ir.Broadcast || op.Kind == ir.Barrier {
		x.waiters()
	}
	x.notePrevious(e)
	if !x.apply(t, st) {
		e.flags |= ends
		return
	}
	x.after(t, st, op, e)
	x.settle(t)
	for _, u := range x.reached {
		x.settle(int(u))
	}
}

// affects reports whether an operation may change something for others, or the
// thread's place in the world; stores that are buffered are counted where they are
// issued, and a compare-exchange where it has written.
func affects(op *ir.Op) bool {
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Fence, ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert:
		return false
	case ir.RMW:
		return op.RMW != ir.Cas
	}
	return true
}

// find is the step a label stands for. It makes anyChoice definite.
func (x *explorer) find(t int, lb *label) (memory.Step, bool) {
	x.local = x.local[:0]
	if x.y.Running(x.s, t) {
		x.local = x.y.EnabledEdge(x.s, t, lb.edge, x.local)
	} else {
		x.local = x.y.EnabledEdges(x.s, t, x.local)
	}
	for _, st := range x.local {
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
		if x.y.Op(x.s, t, st.Edge).Kind == ir.CondWait && st.Kind == memory.Exec {
			return st, true // the choice is ours, see after
		}
	}
	if x.lenient {
		for _, st := range x.local {
			if st.Kind != memory.Wake {
				lb.choice = st.Choice
				return st, true
			}
		}
	}
	return memory.Step{}, false
}

// refuse is an await, or a read-modify-write that waits, whose condition does not
// hold for what it reads.
func (x *explorer) refuse(t int, lb label, e *event) {
	h := x.y.Hinders(x.s, t, lb.edge)
	if h.Why != memory.Refusal {
		panic("BUG: an event that is not enabled is performed")
	}
	op := x.y.Op(x.s, t, lb.edge)
	e.flags |= ends
	if op.Kind == ir.RMW {
		e.flags |= drains | varies
	} else if op.Kind == ir.AbstractLoad {
		e.flags |= varies
	}
	x.touch(e, h.Addr, h.Size, reads)
	if h.Own {
		e.fwd = h.From
	}
	v := x.threads[t]
	v.stop = refused
	x.setThread(t, v)
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
				e.fwd = en.Tag
				e.touch(tokenBase+b, 8, reads)
				return
			}
		}
	}
	e.touch(tokenBase+b, 8, reads|always)
}

// flush lets an entry reach memory.
func (x *explorer) flush(t int, p int32, e *event) {
	pr := &x.procs[p]
	st, ok := x.y.FindFlush(x.s, t, pr.addr, pr.size)
	if !ok {
		panic("BUG: an update that is not enabled is performed")
	}
	en := x.s.Buffer(ir.ThreadID(t))[st.Index]
	e.flags |= isUpdate
	e.ord = en.Tag
	if en.Kind == memory.FreeEntry {
		b, _ := x.y.Block(x.s, en.Addr)
		e.touch(tokenBase+b, 8, reads|writes)
		e.touch(heapToken, 8, reads|writes)
	} else {
		x.touch(e, en.Addr, int(en.Size), writes)
		x.notePrevious(e)
	}
	if !x.apply(t, st) {
		e.flags |= ends
	}
}

// describe notes what a step is about to touch, apart from what only its outcome
// tells.
func (x *explorer) describe(t int, st memory.Step, op *ir.Op, e *event) {
	if op.MustDrain() && x.y.Model != memory.SC {
		e.flags |= drains
	}
	if st.Kind == memory.Relock {
		m := x.y.MutexOf(x.s, t, st.Edge)
		e.flags |= drains | isMutex | locks | acquires
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
		e.flags |= isMutex
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

// mutex notes lock, trylock and unlock. Only a trylock of a held mutex leaves it as
// it is.
func (x *explorer) mutex(t int, op *ir.Op, addr uint64, e *event) {
	word := x.y.MutexWord(x.s, addr)
	e.flags |= isMutex
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
	}
	if len(x.s.Buffer(ir.ThreadID(t))) > 0 {
		e.flags &^= drains // inside a recursive mutex
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
		if ev.Own {
			e.fwd = ev.From
		}
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
