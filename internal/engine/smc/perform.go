package smc

import (
	"slices"

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
	// held is the mutexes it has, once for each time it locked them; only with
	// Options.IdleRounds. The slice is never changed.
	held []uint64
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
	var mutex *ir.Op
	if st.Kind == memory.Exec && x.loops != nil {
		if op := x.y.Op(x.s, t, st.Edge); x.passing(op) {
			mutex = op
		}
	}
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
		switch {
		case mutex != nil:
			x.noteMutex(t, mutex)
		case x.s.Event.Wrote && x.s.Event.Written != x.s.Event.Value:
			x.affected(t)
		}
		x.loopStep(t, from, st)
	}
	return true
}

// passing reports whether an operation changes only who has which mutex, which counts
// when the thread is at the head of a loop again.
func (x *explorer) passing(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
		return x.task.IdleRounds > 0
	}
	return false
}

// noteMutex notes a mutex that thread t has just taken or let go.
func (x *explorer) noteMutex(t int, op *ir.Op) {
	if !x.s.Event.Wrote || op.Kind == ir.CondWait { // who waits has the mutex again behind it
		return
	}
	v := x.threads[t]
	addr := x.s.Event.Addr
	if op.Kind != ir.Unlock {
		v.held = append(slices.Clone(v.held), addr)
	} else if k := slices.Index(v.held, addr); k >= 0 {
		v.held = slices.Delete(slices.Clone(v.held), k, k+1)
	}
	slices.Sort(v.held)
	x.setThread(t, v)
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
	for left := endless; x.threads[t].stop == goesOn && x.y.Private(x.s, t); left-- {
		if x.dry {
			x.local = x.y.Advance(x.s, t, stop, left, x.local[:0])
			left -= len(x.local)
		} else {
			n := len(x.steps)
			x.steps = x.y.Advance(x.s, t, stop, left, x.steps)
			left -= len(x.steps) - n
		}
		if !x.y.Private(x.s, t) {
			return
		}
		if left <= 0 {
			x.cutHere(t)
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
	*e = event{proc: p, thread: x.procs[p].thread, ord: none, cancel: none, label: lb}
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
	if x.count[p] > endless {
		x.cutHere(t)
		e.flags |= ends
		return
	}
	if x.loops != nil && affects(op) && !x.passing(op) {
		x.affected(t)
	}
	if op.Kind == ir.Broadcast || op.Kind == ir.Barrier {
		x.waiters()
	}
	x.notePrevious(e)
	if !x.apply(t, st) {
		e.flags = e.flags&^acquires | ends
		return
	}
	x.after(t, st, op, e)
	x.settle(t)
	for _, u := range x.reached {
		x.settle(int(u))
	}
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
	x.forwards(e, h.Own, &h.Sources)
	v := x.threads[t]
	v.stop = refused
	x.setThread(t, v)
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
