package trace

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// How an execution becomes a graph. Whatever two threads can use to notice each
// other is a place that events read and write, so that store order, source and
// conflict order it like memory:
//
//   - the bytes of memory, the words of mutexes among them;
//   - a condition: waiting for it, waking and being woken write it, a signal nobody
//     hears reads it;
//   - a barrier: every arrival writes it;
//   - whether a block is there: allocating and freeing write that, accesses to the
//     block read it, a buffered store and a buffered free when they reach memory.
//
// What goes from one thread to another without a place is synchronisation: from a
// spawn to the child, from a thread's last event to its join, from a signal to the
// woken thread, from the last arrival at a barrier to those it lets go.

// builder walks an execution.
type builder struct {
	p   *ir.Program
	w   *verdict.Witness
	t   *Trace
	ops map[ir.EdgeID]*ir.Op

	of      []int // event of each step, -1: none
	last    []int // newest event of each thread
	section []int // event of the section each thread is in, -1: none
	started map[int]int
	behind  map[int][]int    // per thread: events of others that its next one comes after
	orders  map[uint64][]int // per place: events in the order in which they wrote it
	reads   []read
	blocks  []verdict.Access // that were ever allocated
	gone    map[int]bool     // stores that are in no buffer any more
}

// read is a byte of a load: by whom, and the event whose write it saw.
type read struct {
	event int
	addr  uint64
	from  int // -1: the initial value
}

// blockPlace makes the place that says whether a block is there of its address. No
// byte has such an address: cells with negative numbers lie above.
const blockPlace = 1 << 63

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
			b.gone[st.Of] = true
			b.t.Events[e].Steps = append(b.t.Events[e].Steps, i)
			b.arrive(e, &b.w.Steps[st.Of])
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
			b.arrive(e, st)
		}
	case verdict.StepRMW:
		e := b.event(i)
		b.load(e, i, st)
		if st.Wrote {
			b.t.Events[e].Writes = append(b.t.Events[e].Writes, b.access(i, st, st.Written))
			b.reach(e, st.Addr, st.Size)
		}
	case verdict.StepWake:
		b.touch(b.event(i), st)
		return
	case verdict.StepFail:
		return // stops its thread, and is no event
	}
	if op != nil {
		b.control(i, st, op)
	}
}

// control notes sections, and what is not memory.
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
			b.behind[st.Other-1] = append(b.behind[st.Other-1], e)
		}
	case ir.Join:
		e := b.event(i)
		if u := st.Other - 1; u >= 0 {
			from, ok := b.last[u], b.last[u] >= 0
			if !ok { // a thread that has done nothing comes after its spawn all the same
				from, ok = b.started[u]
			}
			if ok {
				b.t.Edges = append(b.t.Edges, Edge{From: from, To: e, Kind: SY})
			}
		}
	case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		e := b.event(i)
		b.touch(e, st)
		for _, u := range st.Wakes {
			b.behind[u] = append(b.behind[u], e)
		}
	case ir.Alloc:
		b.alloc(b.event(i), st)
	}
}

// alloc gives a block to a thread. If its own free of the block is pending, the
// free is taken back: it has its effect here, and none later.
func (b *builder) alloc(e int, st *verdict.Step) {
	for j := range b.w.Steps {
		f := &b.w.Steps[j]
		if b.of[j] >= 0 && f.Free && f.Kind == verdict.StepStore && f.Buffered && f.Thread == st.Thread && f.Addr == uint64(st.Choice) && !b.gone[j] {
			b.gone[j] = true
			b.arrive(b.of[j], f)
		}
	}
	for _, t := range st.Accesses {
		if _, known := b.block(t.Addr); !known {
			b.blocks = append(b.blocks, t)
		}
		b.see(e, t.Addr|blockPlace, 1)
		b.orders[t.Addr|blockPlace] = append(b.orders[t.Addr|blockPlace], e)
	}
}

// touch reads, and writes, what the step touches besides memory.
func (b *builder) touch(e int, st *verdict.Step) {
	for _, t := range st.Accesses {
		b.see(e, t.Addr, t.Size)
		b.seeBlock(e, t.Addr)
		if t.Wrote {
			b.reach(e, t.Addr, t.Size)
		}
	}
}

// event is the node a step belongs to: its section's, or a new one.
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
	for _, other := range b.behind[st.Thread] {
		b.t.Edges = append(b.t.Edges, Edge{From: other, To: e, Kind: SY})
	}
	delete(b.behind, st.Thread)
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

// see reads places as they are now.
func (b *builder) see(e int, addr uint64, size int) {
	for k := range uint64(size) {
		r := read{event: e, addr: addr + k, from: -1}
		if order := b.orders[r.addr]; len(order) > 0 {
			r.from = order[len(order)-1]
		}
		b.reads = append(b.reads, r)
	}
}

// seeBlock reads whether the block that an access lies in is there.
func (b *builder) seeBlock(e int, addr uint64) {
	if block, ok := b.block(addr); ok {
		b.see(e, block|blockPlace, 1)
	}
}

func (b *builder) block(addr uint64) (uint64, bool) {
	for _, t := range b.blocks {
		if addr-t.Addr < uint64(t.Size) {
			return t.Addr, true
		}
	}
	return 0, false
}

// reach lets a write reach memory.
func (b *builder) reach(e int, addr uint64, size int) {
	for k := range uint64(size) {
		b.orders[addr+k] = append(b.orders[addr+k], e)
	}
}

// arrive lets a store or a free take effect.
func (b *builder) arrive(e int, st *verdict.Step) {
	if st.Free {
		b.see(e, st.Addr|blockPlace, 1)
		b.orders[st.Addr|blockPlace] = append(b.orders[st.Addr|blockPlace], e)
		return
	}
	b.seeBlock(e, st.Addr)
	b.reach(e, st.Addr, st.Size)
}
