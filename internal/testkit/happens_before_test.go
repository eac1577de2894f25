package testkit_test

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// A second implementation of C11's happens-before: by the text of the standard, as a
// relation over all events, for small executions. internal/trace/races.go makes one pass
// with vector clocks and takes memory orders from the ir. Here the lines of the C program
// say what each step is. The ir says only that a step reads, writes, allocates and so on.

// memoryOrder is a C11 memory order. An access with none is not atomic.
type memoryOrder int

const (
	none memoryOrder = iota
	relaxed
	acquire
	release
	acqRel
	seqCst
)

func (o memoryOrder) acquires() bool { return o == acquire || o == acqRel || o == seqCst }
func (o memoryOrder) releases() bool { return o == release || o == acqRel || o == seqCst }

// callKind says which function a line of a C program calls.
type callKind int

const (
	plainAccess callKind = iota
	atomicAccess
	fenceCall
	mutexLock // also trylock and timedlock
	mutexUnlock
	condWait // also timed
	semCall
	rwCall
	spinCall
	onceCall
	keyCall // thread-specific data, whose accesses are inside the library
)

// cLine says what a line of a C program does.
type cLine struct {
	call        callKind
	order, fail memoryOrder
	mutex       string // of a condition wait
}

// hbEvent is a step of an execution that is no flush.
type hbEvent struct {
	step   int
	thread int
	op     ir.OpKind
	line   cLine
	st     *verdict.Step

	reads, writes bool // whether the event reads or writes memory
	from          int  // the event whose write an atomic read reads, or -1
	life          int  // in a heap block: how often the block had been allocated
	whole         bool // the event is an allocation or a free, which write the whole block
	size          uint64
}

// history is an execution in the terms of the standard.
type history struct {
	p      *ir.Program
	events []hbEvent
	mo     map[uint64][]int // per atomic object: its modification order, as events
	hb     [][]bool
	blocks map[uint64]uint64 // per heap block: its size
}

// lineOf returns what the line at a position does.
type lineOf func(*verdict.Pos) cLine

// newHistory returns the history of an execution, without happens-before.
func newHistory(p *ir.Program, w *verdict.Witness, lines lineOf) *history {
	h := &history{p: p, mo: map[uint64][]int{}, blocks: map[uint64]uint64{}}
	ops := map[ir.EdgeID]*ir.Op{}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	event := map[int]int{}    // per step: its event
	buffer := map[int][]int{} // per thread: events whose store is in its buffer
	lives := map[uint64]int{}
	for i := range w.Steps {
		st := &w.Steps[i]
		switch st.Kind {
		case verdict.StepFlush:
			e := event[st.Of]
			for k, x := range buffer[st.Thread] {
				if x == e {
					buffer[st.Thread] = append(append([]int{}, buffer[st.Thread][:k]...), buffer[st.Thread][k+1:]...)
					h.modify(e)
					break
				}
			}
			continue
		case verdict.StepFail, verdict.StepWake:
			continue
		}
		op := ops[ir.EdgeID(st.Edge)]
		e := hbEvent{step: i, thread: st.Thread, op: op.Kind, line: lines(st.Pos), st: st, from: -1, size: uint64(st.Size)}
		switch st.Kind {
		case verdict.StepLoad:
			e.reads = true
		case verdict.StepStore:
			e.writes = true
		case verdict.StepRMW:
			e.reads, e.writes = true, st.Wrote
			if op.Sync.Marks.Has(ir.AsStore) { // the exchange that a seq_cst store is on x86
				e.op, e.reads, e.writes = ir.Store, false, true
			}
		}
		switch op.Kind {
		case ir.Alloc:
			if !op.Block.Stack {
				h.blocks[st.Accesses[0].Addr] = uint64(st.Accesses[0].Size)
				lives[st.Accesses[0].Addr]++
				e.whole, e.writes, e.size = true, true, uint64(st.Accesses[0].Size)
			}
		case ir.Free:
			size, heap := h.blocks[st.Addr]
			e.whole, e.writes, e.size = heap, heap, size
		}
		if block, ok := h.block(e.addr()); ok {
			e.life = lives[block]
		}
		if e.line.call == atomicAccess && e.reads {
			e.from = h.readsFrom(&e, buffer[e.thread])
		}
		event[i] = len(h.events)
		h.events = append(h.events, e)
		if e.writes && e.line.call == atomicAccess {
			if st.Buffered {
				buffer[e.thread] = append(buffer[e.thread], event[i])
			} else {
				h.modify(event[i])
			}
		}
	}
	return h
}

// modify appends a write to the modification order of its object.
func (h *history) modify(e int) {
	addr := h.events[e].addr()
	h.mo[addr] = append(h.mo[addr], e)
}

// readsFrom returns the write that an atomic read reads from: the newest one in the buffer
// of its thread, else the last one in memory, else -1.
func (h *history) readsFrom(e *hbEvent, buffer []int) int {
	for k := len(buffer) - 1; k >= 0; k-- {
		if h.events[buffer[k]].addr() == e.addr() {
			return buffer[k]
		}
	}
	if mo := h.mo[e.addr()]; len(mo) > 0 {
		return mo[len(mo)-1]
	}
	return -1
}

func (e *hbEvent) addr() uint64 {
	if e.op == ir.Alloc {
		return e.st.Accesses[0].Addr
	}
	return e.st.Addr
}

// block returns the address of the heap block that contains addr, and whether one does.
func (h *history) block(addr uint64) (uint64, bool) {
	for b, size := range h.blocks {
		if addr-b < size {
			return b, true
		}
	}
	return 0, false
}

// happensBefore computes the relation [C11 §5.1.2.4p18]: sequenced before and
// synchronises with, closed transitively. Dependencies do not count: consume is acquire.
func (h *history) happensBefore() {
	n := len(h.events)
	h.hb = make([][]bool, n)
	for i := range h.hb {
		h.hb[i] = make([]bool, n)
		for j := i + 1; j < n; j++ {
			a, b := &h.events[i], &h.events[j]
			h.hb[i][j] = a.thread == b.thread || h.library(i, j)
		}
	}
	h.threads()
	h.barriers()
	h.atomics()
	// No event happens before an earlier one, so one pass from the end closes the relation.
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			if h.hb[i][k] && !h.closed(i, k) {
				for j := k + 1; j < n; j++ {
					h.hb[i][j] = h.hb[i][j] || h.hb[k][j]
				}
			}
		}
	}
}

// closed reports whether event i happens before an earlier event of k's thread. Then i is
// already related to all events that k happens before.
func (h *history) closed(i, k int) bool {
	for j := k - 1; j > i; j-- {
		if h.events[j].thread == h.events[k].thread {
			return h.hb[i][j]
		}
	}
	return false
}

// next returns the first event of a thread after event i, or -1.
func (h *history) next(thread, i int) int {
	for j := i + 1; j < len(h.events); j++ {
		if h.events[j].thread == thread {
			return j
		}
	}
	return -1
}

// threads adds spawns and joins: the completion of thrd_create synchronises with the beginning of the thread
// [C11 §7.26.5.1p2], and the completion of the thread with the return of thrd_join
// [§7.26.5.6p2].
func (h *history) threads() {
	for i := range h.events {
		e := &h.events[i]
		for j := range h.events {
			if h.events[j].thread != e.st.Other-1 {
				continue
			}
			switch {
			case e.op == ir.Spawn && j > i:
				h.hb[i][j] = true
			case e.op == ir.Join && j < i:
				h.hb[j][i] = true
			}
		}
	}
}

// barriers adds the barriers: an arrival happens before every event of the threads of the
// same round after the barrier.
func (h *history) barriers() {
	waits := map[uint64][]int{} // per barrier: the arrivals of the current round
	for i := range h.events {
		e := &h.events[i]
		if e.op != ir.Barrier {
			continue
		}
		addr := e.st.Accesses[0].Addr
		waits[addr] = append(waits[addr], i)
		if len(waits[addr]) < 2 { // all barriers in these programs are for two threads
			continue
		}
		for _, a := range waits[addr] {
			for _, b := range waits[addr] {
				if n := h.next(h.events[b].thread, max(a, b)); n >= 0 {
					h.hb[a][n] = true
				}
			}
		}
		delete(waits, addr)
	}
}

// library reports whether event i synchronises with the later event j through a call of a
// library function.
func (h *history) library(i, j int) bool {
	a, b := &h.events[i], &h.events[j]
	switch {
	case h.unlocks(a) != 0 && h.unlocks(a) == h.locks(b):
		return true // [C11 §7.26.4.4p2]: prior calls to mtx_unlock
	case a.line.call == semCall && b.line.call == semCall && a.addr() == b.addr():
		return a.change() == 1 && b.change() == -1
	case a.line.call == rwCall && b.line.call == rwCall && a.addr() == b.addr():
		return h.readersAndWriters(a, b)
	case a.line.call == spinCall && b.line.call == spinCall && a.addr() == b.addr():
		return a.op == ir.Store && b.change() == 1
	case a.line.call == onceCall && b.line.call == onceCall && a.addr() == b.addr():
		// [C11 §7.26.2.1p2]: the completion of an effective call, with all subsequent calls.
		return a.op == ir.Store && b.reads && b.st.Value == 2
	case a.op == ir.Free && b.op == ir.Alloc && a.addr() == b.addr():
		// [C11 §7.22.3p1]. Earlier frees of the block happen before the latest one.
		return a.st.Free
	case a.op == ir.AtomicEnd && b.op == ir.AtomicBegin:
		return true
	}
	return false
}

// change returns the difference that a read-modify-write makes to the value.
func (e *hbEvent) change() int64 {
	if e.op != ir.RMW {
		return 0
	}
	return e.st.Written - e.st.Value
}

// readersAndWriters reports whether a synchronises with b, two events of a reader-writer
// lock. The unlock of a writer synchronises with all later locks, that of a reader with
// later locks of writers.
func (h *history) readersAndWriters(a, b *hbEvent) bool {
	writerUnlocks := a.st.Value == -1 && a.change() == 1
	readerUnlocks := a.st.Value > 0 && a.change() == -1
	writerLocks := b.st.Value == 0 && b.change() == -1
	readerLocks := b.st.Value >= 0 && b.change() == 1
	return writerUnlocks && (writerLocks || readerLocks) || readerUnlocks && writerLocks
}

// unlocks returns the mutex that an event unlocks, or 0. A condition wait unlocks its mutex
// when it begins and locks it when it ends. A timed wait may do so with read-modify-writes.
func (h *history) unlocks(e *hbEvent) uint64 {
	switch {
	case e.line.call == mutexUnlock && e.st.Wrote, e.line.call == condWait && e.st.Kind == verdict.StepRMW && e.st.Written == 0:
		return e.addr()
	case e.line.call == condWait && e.op == ir.CondWait && len(e.st.Accesses) == 2:
		return h.object(e.line.mutex)
	}
	return 0
}

// locks returns the mutex that an event locks, or 0.
func (h *history) locks(e *hbEvent) uint64 {
	switch {
	case e.line.call == mutexLock && e.st.Wrote, e.line.call == condWait && e.st.Kind == verdict.StepRMW && e.st.Written != 0:
		return e.addr()
	case e.line.call == condWait && e.op == ir.CondWait && len(e.st.Accesses) == 1:
		return h.object(e.line.mutex)
	}
	return 0
}

func (h *history) object(name string) uint64 {
	for _, o := range h.p.Objects {
		if o.Name == name {
			return o.Addr
		}
	}
	panic("no object " + name)
}

// atomics adds the edges from release operations and release fences to acquire operations
// and acquire fences [C11 §5.1.2.4p11, §7.17.4p2-4].
func (h *history) atomics() {
	for r := range h.events {
		read := &h.events[r]
		if read.line.call != atomicAccess || !read.reads || read.from < 0 {
			continue
		}
		order := read.line.order
		if read.op == ir.RMW && !read.writes {
			order = read.line.fail
		}
		// The read itself can acquire, and acquire fences after it.
		var to []int
		if order.acquires() {
			to = append(to, r)
		}
		for f := r + 1; f < len(h.events); f++ {
			if e := &h.events[f]; e.thread == read.thread && e.line.call == fenceCall && e.line.order.acquires() {
				to = append(to, f)
			}
		}
		mo := h.mo[read.addr()]
		for k, x := range mo {
			if !h.inSequence(mo[k:], read.from) {
				continue
			}
			write := &h.events[x]
			// The write itself can release, and release fences before it.
			var from []int
			if write.line.order.releases() {
				from = append(from, x)
			}
			for f := range x {
				if e := &h.events[f]; e.thread == write.thread && e.line.call == fenceCall && e.line.order.releases() {
					from = append(from, f)
				}
			}
			for _, a := range from {
				for _, b := range to {
					if h.events[a].thread != h.events[b].thread {
						h.hb[a][b] = true
					}
				}
			}
		}
	}
}

// inSequence reports whether a write is in the release sequence whose head is the first
// event of mo, a suffix of a modification order [C11 §5.1.2.4p10].
func (h *history) inSequence(mo []int, write int) bool {
	head := &h.events[mo[0]]
	for k, x := range mo {
		e := &h.events[x]
		if k > 0 && e.thread != head.thread && e.op != ir.RMW {
			return false
		}
		if x == write {
			return true
		}
	}
	return false
}

// races returns all pairs of events that race [C11 §5.1.2.4p25], as steps.
func (h *history) races() map[[2]int]bool {
	h.happensBefore()
	out := map[[2]int]bool{}
	for i := range h.events {
		for j := i + 1; j < len(h.events); j++ {
			a, b := &h.events[i], &h.events[j]
			if a.thread != b.thread && (a.writes || b.writes) && !(a.isAtomic() && b.isAtomic()) && h.meet(a, b) && !h.hb[i][j] && !h.hb[j][i] {
				out[[2]int{a.step, b.step}] = true
			}
		}
	}
	return out
}

// isAtomic reports whether the event counts as an atomic access. Accesses of the library to
// its objects do.
func (e *hbEvent) isAtomic() bool { return !e.whole && e.line.call != plainAccess }

// meet reports whether two events access a common byte of the same object.
func (h *history) meet(a, b *hbEvent) bool {
	x, y := a.addr(), b.addr()
	return a.accesses() && b.accesses() && a.life == b.life && (x-y < b.size || y-x < a.size)
}

// accesses reports whether the event is an access to memory by the program.
func (e *hbEvent) accesses() bool {
	return (e.reads || e.writes) && e.size > 0 && e.line.call != keyCall
}
