package trace

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// How an execution becomes a graph. Everything through which one thread can observe
// another has addresses that events read and write. Store order, reads-from and
// conflict then order all of it like memory:
//
//   - the bytes of memory, which include the words of mutexes;
//   - a condition variable: a wait, a wake-up and a signal that wakes a thread write it,
//     a signal that is lost reads it;
//   - a barrier: every arrival writes it;
//   - the lifetime of a block: an allocation and a free write it, accesses to the block
//     read it. A buffered store or free does so when it reaches memory.
//
// Orders between threads that no address expresses are synchronisation edges: from a
// spawn to the child, from a thread's last event to its join, from a signal to the
// woken thread, from the last arrival at a barrier to the threads it releases.

// builder builds the trace of an execution step by step.
type builder struct {
	p   *ir.Program
	w   *verdict.Witness
	t   *Trace
	ops map[ir.EdgeID]*ir.Op

	of         []int            // per step: its event, or -1
	last       []int            // per thread: its newest event, or -1
	section    []int            // per thread: the event of the atomic section it is in, or -1
	started    map[int]int      // per thread: the event that spawned it
	next       map[int][]int    // per thread: events of other threads that synchronise with its next event
	orders     map[uint64][]int // per address: events in the order in which they wrote it
	reads      []read
	several    []int            // per thread: not 0 if several threads can start it
	blocks     []verdict.Access // all blocks that were allocated
	unbuffered map[int]bool     // steps of buffered stores that have left their buffer
}

// read is one address that an event reads.
type read struct {
	event int
	addr  uint64
	from  int // event whose write is read; -1 for the initial value
	// condition says that the address stands for a condition variable.
	condition bool
	unused    bool // what was read is not used
	lifetime  bool // the address stands for the lifetime of a block
	reuse     bool // the event is an allocation that uses a freed block
}

// start is the start of a thread that several threads can start.
type start struct{ event, thread int }

// lifetime is set in the address that stands for the lifetime of a block. No byte has
// such an address: those of cells with negative numbers are larger.
const lifetime = 1 << 63

func (b *builder) op(st *verdict.Step) *ir.Op {
	if st.Edge < 0 {
		return nil
	}
	return b.ops[ir.EdgeID(st.Edge)]
}

func (b *builder) step(i int) {
	st := &b.w.Steps[i]
	op := b.op(st)
	switch st.Kind {
	case verdict.StepFlush:
		if e := b.of[st.Of]; e >= 0 {
			b.of[i] = e
			b.unbuffered[st.Of] = true
			b.t.Events[e].Steps = append(b.t.Events[e].Steps, i)
			b.takeEffect(e, &b.w.Steps[st.Of])
		}
		return
	case verdict.StepLoad:
		e := b.event(i)
		b.load(e, i, st)
	case verdict.StepStore:
		e := b.event(i)
		if !st.Free {
			b.t.Events[e].Writes = append(b.t.Events[e].Writes, b.access(i, st, st.Value))
		}
		if !st.Buffered {
			b.takeEffect(e, st)
		}
	case verdict.StepRMW:
		e, before := b.event(i), len(b.reads)
		b.load(e, i, st)
		for k := before; k < len(b.reads); k++ {
			b.reads[k].unused = op != nil && op.Blind()
		}
		if st.Wrote {
			b.t.Events[e].Writes = append(b.t.Events[e].Writes, b.access(i, st, st.Written))
			b.write(e, st.Addr, st.Size)
		}
	case verdict.StepWake:
		b.accessSync(b.event(i), st)
		return
	case verdict.StepFail:
		return // the failure of a check is no event
	}
	if op != nil {
		b.control(i, st, op)
	}
}

// control adds atomic sections, synchronisation and allocations.
func (b *builder) control(i int, st *verdict.Step, op *ir.Op) {
	switch op.Kind {
	case ir.AtomicBegin:
		b.section[st.Thread] = b.event(i)
	case ir.AtomicEnd:
		b.of[i] = b.section[st.Thread]
		b.section[st.Thread] = -1
	case ir.Spawn:
		e := b.event(i)
		if st.Other > 0 {
			b.started[st.Other-1] = e
			b.next[st.Other-1] = append(b.next[st.Other-1], e)
			if b.several[st.Other-1] > 0 {
				b.t.starts = append(b.t.starts, start{e, st.Other - 1})
			}
		}
	case ir.Join:
		e := b.event(i)
		if u := st.Other - 1; u >= 0 {
			from, ok := b.last[u], b.last[u] >= 0
			if !ok { // a thread without events still comes after its spawn
				from, ok = b.started[u]
			}
			if ok {
				b.t.Edges = append(b.t.Edges, Edge{From: from, To: e, Kind: SY})
			}
		}
	case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		e := b.event(i)
		b.accessSync(e, st)
		for _, u := range st.Wakes {
			b.next[u] = append(b.next[u], e)
		}
	case ir.Alloc:
		b.alloc(b.event(i), st)
	}
}

// alloc adds an allocation. If a free of the block is in the buffer of the same thread,
// the allocation cancels it: the free takes effect here and not later.
func (b *builder) alloc(e int, st *verdict.Step) {
	for j := range b.w.Steps {
		f := &b.w.Steps[j]
		if b.of[j] >= 0 && f.Free && f.Kind == verdict.StepStore && f.Buffered && f.Thread == st.Thread && f.Addr == uint64(st.Choice) && !b.unbuffered[j] {
			b.unbuffered[j] = true
			b.takeEffect(b.of[j], f)
		}
	}
	for _, t := range st.Accesses {
		if _, known := b.block(t.Addr); !known {
			b.blocks = append(b.blocks, t)
		}
		b.seeLifetime(e, t.Addr)
		b.reads[len(b.reads)-1].reuse = st.Choice != 0
		b.orders[t.Addr|lifetime] = append(b.orders[t.Addr|lifetime], e)
	}
}

// accessSync adds the accesses of a step to condition variables, mutexes and barriers.
func (b *builder) accessSync(e int, st *verdict.Step) {
	for i, t := range st.Accesses {
		first := len(b.reads)
		b.see(e, t.Addr, t.Size)
		for k := first; k < len(b.reads); k++ {
			b.reads[k].condition = i == 0 && b.atCondition(st)
		}
		b.seeBlock(e, t.Addr)
		if t.Wrote {
			b.write(e, t.Addr, t.Size)
		}
	}
}

// atCondition reports whether the first access of a step is to a condition variable.
func (b *builder) atCondition(st *verdict.Step) bool {
	switch op := b.op(st); {
	case op == nil:
		return false
	case op.Kind == ir.CondWait:
		return st.Kind == verdict.StepWake || len(st.Accesses) == 2
	default:
		return op.Kind == ir.Signal || op.Kind == ir.Broadcast
	}
}

// event returns the event of step i: that of the atomic section it is in, or a new one.
func (b *builder) event(i int) int {
	st := &b.w.Steps[i]
	if e := b.section[st.Thread]; e >= 0 {
		b.of[i] = e
		b.t.Events[e].Steps = append(b.t.Events[e].Steps, i)
		return e
	}
	e := len(b.t.Events)
	b.t.Events = append(b.t.Events, Event{Thread: st.Thread, Steps: []int{i}})
	if prev := b.last[st.Thread]; prev >= 0 {
		b.t.Edges = append(b.t.Edges, Edge{From: prev, To: e, Kind: PO})
	}
	for _, other := range b.next[st.Thread] {
		b.t.Edges = append(b.t.Edges, Edge{From: other, To: e, Kind: SY})
	}
	delete(b.next, st.Thread)
	b.last[st.Thread] = e
	b.of[i] = e
	return e
}

func (b *builder) access(i int, st *verdict.Step, v int64) Access {
	return Access{Step: i, Addr: st.Addr, Size: st.Size, Value: v, Name: st.Location}
}

func (b *builder) load(e, i int, st *verdict.Step) {
	b.t.Events[e].Reads = append(b.t.Events[e].Reads, b.access(i, st, st.Value))
	if st.ReadsMemory() {
		b.seeBlock(e, st.Addr)
	}
	for k := range st.Size {
		if from := st.ReadsFrom(k); from > 0 {
			b.reads = append(b.reads, read{event: e, addr: st.Addr + uint64(k), from: b.of[from-1]})
		} else {
			b.see(e, st.Addr+uint64(k), 1)
		}
	}
}

// see adds reads of the values that the addresses have now.
func (b *builder) see(e int, addr uint64, size int) {
	for k := range uint64(size) {
		r := read{event: e, addr: addr + k, from: -1}
		if order := b.orders[r.addr]; len(order) > 0 {
			r.from = order[len(order)-1]
		}
		b.reads = append(b.reads, r)
	}
}

// seeBlock adds a read of the lifetime of the block that contains addr, if there is one.
func (b *builder) seeBlock(e int, addr uint64) {
	if block, ok := b.block(addr); ok {
		b.seeLifetime(e, block)
	}
}

// seeLifetime adds a read of the lifetime of a block.
func (b *builder) seeLifetime(e int, block uint64) {
	b.see(e, block|lifetime, 1)
	b.reads[len(b.reads)-1].lifetime = true
}

// block returns the address of the block that contains addr, and whether there is one.
func (b *builder) block(addr uint64) (uint64, bool) {
	for _, t := range b.blocks {
		if addr-t.Addr < uint64(t.Size) {
			return t.Addr, true
		}
	}
	return 0, false
}

// write adds a write that reaches memory now.
func (b *builder) write(e int, addr uint64, size int) {
	for k := range uint64(size) {
		b.orders[addr+k] = append(b.orders[addr+k], e)
	}
}

// takeEffect adds the writes of a store or free that reaches memory now.
func (b *builder) takeEffect(e int, st *verdict.Step) {
	if st.Free {
		b.seeLifetime(e, st.Addr)
		b.orders[st.Addr|lifetime] = append(b.orders[st.Addr|lifetime], e)
		return
	}
	b.seeBlock(e, st.Addr)
	b.write(e, st.Addr, st.Size)
}
