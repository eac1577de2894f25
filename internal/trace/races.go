package trace

import (
	"cmp"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Data races by C11's definition [C11 §5.1.2.4]: two accesses of different threads to
// a common byte, at least one of them a write and at least one not atomic, neither of
// which happens before the other. Happens-before is the transitive closure of program
// order and synchronises-with:
//
//   - a release operation with an acquire operation that reads from its release
//     sequence, also through release and acquire fences [C11 §7.17.4]; an exchange that
//     stands for a seq_cst store reads nothing;
//   - the unlock of a mutex with later locks of it; a condition wait is an unlock and a
//     lock, and a signal synchronises with nothing;
//   - the post of a semaphore with later waits; the unlock of a reader-writer lock with
//     later locks, but that of a reader with writers only; the unlock of a spin lock with
//     later locks; the completion of a once function with later calls;
//   - the arrivals at a barrier with the departures of the same round;
//   - a spawn with the thread, and the thread with its join;
//   - the free of a block with the allocation that reuses it [C11 §7.22.3];
//   - the end of an atomic section with the next one.
//
// A call that fails synchronises with nothing. The allocation and the free of a heap
// block count as writes of the whole block. Operations on mutexes, condition variables
// and barriers count as atomic accesses to them.
//
// The detector makes one pass over an execution with vector clocks, one component per
// thread. One pass suffices because an access reads from earlier steps only, so
// happens-before always goes forward.

// Race is a data race: two steps of an execution.
type Race struct{ First, Second int }

// FindRace returns the first data race of an execution, in the order of second accesses,
// and whether there is one.
func FindRace(p *ir.Program, w *verdict.Witness) (Race, bool) {
	n := len(w.Threads)
	d := &raceDetector{
		w: w, ops: map[ir.EdgeID]*ir.Op{},
		clocks: make([]clock, n), fence: make([]clock, n), pending: make([]clock, n), buffers: make([][]int, n),
		contributes: map[int]clock{}, sequences: map[uint64][]release{}, sync: map[uint64]*syncObject{},
		accesses: map[uint64][]raceAccess{},
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			d.ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	for t := range d.clocks {
		d.clocks[t] = make(clock, n)
		d.clocks[t][t] = 1
	}
	for i := range w.Steps {
		if first, found := d.step(i); found {
			return Race{first, i}, true
		}
	}
	return Race{}, false
}

// clock is a vector clock: per thread, the number of its steps that happened before.
type clock []int

// joined returns a new clock, the maximum of both in each component.
func joined(a, b clock) clock {
	out := slices.Clone(a)
	if out == nil {
		return slices.Clone(b)
	}
	for i, n := range b {
		out[i] = max(out[i], n)
	}
	return out
}

// raceAccess is the latest access of a thread to a byte, among accesses that agree in
// write and atomic.
type raceAccess struct {
	step   int
	thread int
	when   int // the component of the thread in its clock at the access
	write  bool
	atomic bool
}

// release is the head of a release sequence: a release operation, or an atomic store
// after a release fence.
type release struct {
	thread int
	clock  clock // an acquire that reads from the sequence joins it
}

// syncObject is a mutex, semaphore, lock or once control. Its clocks are joined from the
// threads that released it: byReaders from readers of a reader-writer lock, given from all
// others.
type syncObject struct{ given, byReaders clock }

// raceBlock is a block between its allocation and the allocation that reuses it.
type raceBlock struct {
	addr  uint64
	size  int
	stack bool
	life  []raceAccess // allocation and free of a heap block, as writes
	freed clock        // clock of the free; nil if the block is not freed
}

// raceDetector is the state of the detector between two steps.
type raceDetector struct {
	w   *verdict.Witness
	ops map[ir.EdgeID]*ir.Op

	clocks  []clock // per thread
	fence   []clock // per thread: its clock at the last release fence
	pending []clock // per thread: the clock that an acquire fence would join
	buffers [][]int // per thread: the steps of the stores in its buffer

	contributes map[int]clock           // per step of a store: the clock with which it heads a release sequence
	sequences   map[uint64][]release    // per byte: heads of the release sequences of the value in memory, one per thread
	sync        map[uint64]*syncObject  // per address, and under sectionKey
	accesses    map[uint64][]raceAccess // per byte
	blocks      []raceBlock             // by address
}

// sectionKey is the key of atomic sections among the objects that synchronise.
const sectionKey = ^uint64(0)

// step advances the detector by step i. If the step races, it returns the step of the
// earlier access.
func (d *raceDetector) step(i int) (first int, found bool) {
	st := &d.w.Steps[i]
	if st.Kind == verdict.StepFlush {
		k := slices.Index(d.buffers[st.Thread], st.Of)
		if k >= 0 {
			d.buffers[st.Thread] = slices.Delete(d.buffers[st.Thread], k, k+1)
			d.reach(st.Of)
		}
		return 0, false
	}
	op, t := d.ops[ir.EdgeID(st.Edge)], st.Thread
	if op == nil || st.Kind == verdict.StepFail || st.Kind == verdict.StepWake {
		return 0, false
	}
	switch {
	case op.Accesses():
		now := d.now(i, st.Kind == verdict.StepStore || st.Wrote, op.Sync.Order != ir.Plain)
		if first, found = d.access(st.Addr, st.Size, now); !found {
			if op.Sync.Kind != ir.SyncUnset {
				d.library(t, st.Addr, op.Sync.Kind)
			} else {
				d.atomic(i, op)
			}
		}
	case op.Kind == ir.Alloc:
		d.alloc(i, op)
	case op.Kind == ir.Free:
		first, found = d.free(i)
	case st.Kind == verdict.StepRMW:
		if first, found = d.access(st.Addr, st.Size, d.now(i, st.Wrote, true)); !found {
			d.mutex(st, op)
		}
	default:
		for _, a := range st.Accesses {
			if first, found = d.access(a.Addr, a.Size, d.now(i, a.Wrote, true)); found {
				return first, true
			}
		}
		d.control(st, op)
	}
	d.clocks[t][t]++
	return first, found
}

// now returns an access of step i.
func (d *raceDetector) now(i int, write, atomic bool) raceAccess {
	t := d.w.Steps[i].Thread
	return raceAccess{step: i, thread: t, when: d.clocks[t][t], write: write, atomic: atomic}
}

// races reports whether the earlier access a and the access now to the same byte race.
func (d *raceDetector) races(a, now raceAccess) bool {
	return a.thread != now.thread && (a.write || now.write) && !(a.atomic && now.atomic) && a.when > d.clocks[now.thread][a.thread]
}

// access records an access. If an earlier access races with it, it returns that one's step.
func (d *raceDetector) access(addr uint64, size int, now raceAccess) (int, bool) {
	for k := range uint64(size) {
		list := d.accesses[addr+k]
		for _, a := range list {
			if d.races(a, now) {
				return a.step, true
			}
		}
		same := func(a raceAccess) bool {
			return a.thread == now.thread && a.write == now.write && a.atomic == now.atomic
		}
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i] = now
		} else {
			d.accesses[addr+k] = append(list, now)
		}
	}
	if b := d.blockAt(addr); b != nil {
		for _, a := range b.life {
			if d.races(a, now) {
				return a.step, true
			}
		}
	}
	return 0, false
}

// reach makes the write of a step reach memory, where it continues or ends the release
// sequences of the old value.
func (d *raceDetector) reach(step int) {
	st, op := &d.w.Steps[step], d.ops[ir.EdgeID(d.w.Steps[step].Edge)]
	if op == nil || !op.Accesses() || op.Sync.Kind != ir.SyncUnset {
		return
	}
	for k := range uint64(st.Size) {
		var heads []release
		for _, h := range d.sequences[st.Addr+k] {
			if op.Sync.Order != ir.Plain && (op.Kind == ir.RMW && !op.Sync.Marks.Has(ir.AsStore) || h.thread == st.Thread) {
				heads = append(heads, h)
			}
		}
		if c := d.contributes[step]; c != nil {
			i := slices.IndexFunc(heads, func(h release) bool { return h.thread == st.Thread })
			if i < 0 {
				heads = append(heads, release{st.Thread, c})
			} else {
				heads[i].clock = joined(heads[i].clock, c)
			}
		}
		d.sequences[st.Addr+k] = heads
	}
}

func acquires(o ir.Order) bool {
	return o == ir.Acquire || o == ir.Consume || o == ir.AcqRel || o == ir.SeqCst
}

func releases(o ir.Order) bool { return o == ir.Release || o == ir.AcqRel || o == ir.SeqCst }

// atomic updates happens-before for an access to memory by step i.
func (d *raceDetector) atomic(i int, op *ir.Op) {
	st := &d.w.Steps[i]
	t := st.Thread
	if st.Kind != verdict.StepStore && op.Sync.Order != ir.Plain && !op.Sync.Marks.Has(ir.AsStore) {
		order := op.Sync.Order
		if st.Kind == verdict.StepRMW && !st.Wrote && op.Sync.Fail != ir.OrderUnset {
			order = op.Sync.Fail
		}
		if seen := d.seen(st); seen != nil {
			d.pending[t] = joined(d.pending[t], seen)
			if acquires(order) {
				d.clocks[t] = joined(d.clocks[t], seen)
			}
		}
	}
	if st.Kind != verdict.StepStore && !st.Wrote {
		return
	}
	switch {
	case releases(op.Sync.Order):
		d.contributes[i] = slices.Clone(d.clocks[t])
	case op.Sync.Order != ir.Plain && d.fence[t] != nil:
		d.contributes[i] = d.fence[t]
	}
	if st.Buffered {
		d.buffers[t] = append(d.buffers[t], i)
	} else {
		d.reach(i)
	}
}

// seen returns the joined clocks of all release sequences that a load reads from, or nil.
// A forwarded byte reads from no other thread's release.
func (d *raceDetector) seen(st *verdict.Step) clock {
	var seen clock
	for k := range uint64(st.Size) {
		forwards := func(i int) bool { return st.Addr+k-d.w.Steps[i].Addr < uint64(d.w.Steps[i].Size) }
		if slices.ContainsFunc(d.buffers[st.Thread], forwards) {
			continue
		}
		for _, h := range d.sequences[st.Addr+k] {
			seen = joined(seen, h.clock)
		}
	}
	return seen
}

// library updates happens-before for an access inside a call of a library function.
func (d *raceDetector) library(t int, addr uint64, kind ir.SyncKind) {
	switch kind {
	case ir.SyncInspect:
	case ir.SyncTake:
		d.take(t, addr)
	case ir.SyncTakeShared:
		if o := d.sync[addr]; o != nil {
			d.clocks[t] = joined(d.clocks[t], o.given)
		}
	case ir.SyncGive:
		d.give(t, addr)
	case ir.SyncGiveShared:
		o := d.object(addr)
		o.byReaders = joined(o.byReaders, d.clocks[t])
	default:
		panic("BUG: unknown synchronisation")
	}
}

// object returns the object with the key. It makes one if there is none.
func (d *raceDetector) object(key uint64) *syncObject {
	if d.sync[key] == nil {
		d.sync[key] = &syncObject{}
	}
	return d.sync[key]
}

// take orders thread t after all threads that gave to the object.
func (d *raceDetector) take(t int, key uint64) {
	if o := d.sync[key]; o != nil {
		d.clocks[t] = joined(joined(d.clocks[t], o.given), o.byReaders)
	}
}

// give orders thread t before all threads that take from the object later.
func (d *raceDetector) give(t int, key uint64) {
	o := d.object(key)
	o.given = joined(o.given, d.clocks[t])
}

// mutex updates happens-before for a lock, trylock or unlock. One that fails writes nothing.
func (d *raceDetector) mutex(st *verdict.Step, op *ir.Op) {
	switch {
	case !st.Wrote:
	case op.Kind == ir.Unlock:
		d.give(st.Thread, st.Addr)
	default:
		d.take(st.Thread, st.Addr)
	}
}

// control updates happens-before for all other operations.
func (d *raceDetector) control(st *verdict.Step, op *ir.Op) {
	t := st.Thread
	switch op.Kind {
	case ir.Fence, ir.Nop:
		if acquires(op.Sync.Order) && d.pending[t] != nil {
			d.clocks[t] = joined(d.clocks[t], d.pending[t])
		}
		if releases(op.Sync.Order) {
			d.fence[t] = slices.Clone(d.clocks[t])
		}
	case ir.Spawn:
		if u := st.Other - 1; u >= 0 {
			d.clocks[u] = joined(d.clocks[u], d.clocks[t])
		}
	case ir.Join:
		if u := st.Other - 1; u >= 0 {
			d.clocks[t] = joined(d.clocks[t], d.clocks[u])
		}
	case ir.AtomicBegin:
		d.take(t, sectionKey)
	case ir.AtomicEnd:
		d.give(t, sectionKey)
	case ir.CondWait:
		d.wait(st)
	case ir.Barrier:
		d.barrier(st)
	}
}

// wait updates happens-before for a step of a condition wait. The step that releases the
// mutex has two accesses, to the condition variable and to the mutex; the step that locks
// it again has one.
func (d *raceDetector) wait(st *verdict.Step) {
	switch len(st.Accesses) {
	case 2:
		d.give(st.Thread, st.Accesses[1].Addr)
	case 1:
		d.take(st.Thread, st.Accesses[0].Addr)
	}
}

// barrier updates happens-before for an arrival at a barrier. At the last arrival of a
// round, the clocks of all its threads become the maximum of their clocks.
func (d *raceDetector) barrier(st *verdict.Step) {
	all := d.clocks[st.Thread]
	for _, u := range st.Wakes {
		all = joined(all, d.clocks[u])
	}
	d.clocks[st.Thread] = slices.Clone(all)
	for _, u := range st.Wakes {
		d.clocks[u] = slices.Clone(all)
		d.clocks[u][u]++
	}
}

// alloc begins the life of a block. Earlier accesses to its bytes were to another object.
func (d *raceDetector) alloc(i int, op *ir.Op) {
	st := &d.w.Steps[i]
	if len(st.Accesses) == 0 {
		return
	}
	addr, size := st.Accesses[0].Addr, st.Accesses[0].Size
	at, known := slices.BinarySearchFunc(d.blocks, addr, func(b raceBlock, a uint64) int { return cmp.Compare(b.addr, a) })
	if !known {
		d.blocks = slices.Insert(d.blocks, at, raceBlock{addr: addr})
	}
	b := &d.blocks[at]
	if known {
		d.forget(b)
		d.clocks[st.Thread] = joined(d.clocks[st.Thread], b.freed)
	}
	*b = raceBlock{addr: addr, size: size, stack: op.Block.Stack}
	if !b.stack {
		b.life = append(b.life, d.now(i, true, false))
	}
}

// forget deletes the accesses and synchronisation of the bytes of a block.
func (d *raceDetector) forget(b *raceBlock) {
	for a := range d.accesses {
		if a-b.addr < uint64(b.size) {
			delete(d.accesses, a)
		}
	}
	for a := range d.sequences {
		if a-b.addr < uint64(b.size) {
			delete(d.sequences, a)
		}
	}
	for a := range d.sync {
		if a-b.addr < uint64(b.size) {
			delete(d.sync, a)
		}
	}
}

// free ends the life of a block. It counts as a write of the whole block.
func (d *raceDetector) free(i int) (first int, found bool) {
	st := &d.w.Steps[i]
	b := d.blockAt(st.Addr)
	if !st.Free || b == nil {
		return 0, false // free of null
	}
	b.freed = slices.Clone(d.clocks[st.Thread])
	if b.stack {
		return 0, false
	}
	now := d.now(i, true, false)
	inspect := func(a raceAccess) {
		if d.races(a, now) && (!found || a.step < first) {
			first, found = a.step, true
		}
	}
	for addr, list := range d.accesses {
		if addr-b.addr < uint64(b.size) {
			for _, a := range list {
				inspect(a)
			}
		}
	}
	for _, a := range b.life {
		inspect(a)
	}
	b.life = append(b.life, now)
	return first, found
}

// blockAt returns the block that contains the byte at addr, or nil.
func (d *raceDetector) blockAt(addr uint64) *raceBlock {
	i, found := slices.BinarySearchFunc(d.blocks, addr, func(b raceBlock, a uint64) int { return cmp.Compare(b.addr, a) })
	if !found {
		i--
	}
	if i < 0 || addr != d.blocks[i].addr && addr-d.blocks[i].addr >= uint64(d.blocks[i].size) {
		return nil
	}
	return &d.blocks[i]
}
