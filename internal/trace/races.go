package trace

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Data races by C11's definition [C11 §5.1.2.4]: two accesses of different threads to
// a common byte, at least one of them a write and at least one not atomic, neither of
// which happens before the other. Happens-before is program order and
// synchronization: a release to an acquire that reads from it or from its release
// sequence, also through fences; an unlock to the next lock of the mutex; arrivals at a barrier to
// departures; spawn to the thread, and the thread to its join; the end of an atomic section to the next.
//
// One pass over an execution with vector clocks, one component per thread: what an
// access reads has been issued before it, so happens-before never goes back.

// Race is two steps of an execution that race.
type Race struct{ First, Second int }

// FindRace is the first data race of an execution, by its second access.
func FindRace(p *ir.Program, w *verdict.Witness) (Race, bool) {
	d := &raceDetector{
		p: p, w: w, ops: map[ir.EdgeID]*ir.Op{}, clocks: make([][]int, len(w.Threads)), fence: make([][]int, len(w.Threads)),
		pending: make([][]int, len(w.Threads)), releases: map[int][]int{}, newest: map[uint64]int{}, sync: map[uint64][]int{},
		accesses: map[uint64][]raceAccess{}, rounds: map[uint64]*round{}, inside: make([]*round, len(w.Threads)),
		held: make([][]uint64, len(w.Threads)), waits: map[int]uint64{},
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			d.ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	for t := range d.clocks {
		d.clocks[t] = make([]int, len(w.Threads))
		d.clocks[t][t] = 1
	}
	for i := range w.Steps {
		if first, found := d.step(i); found {
			return Race{first, i}, true
		}
	}
	return Race{}, false
}

type raceAccess struct {
	step   int
	thread int
	when   int // the thread's own component
	write  bool
	atomic bool
}

type raceDetector struct {
	p   *ir.Program
	w   *verdict.Witness
	ops map[ir.EdgeID]*ir.Op

	clocks   [][]int
	fence    [][]int          // per thread: its clock at the last release fence
	pending  [][]int          // per thread: what an acquire fence would acquire
	releases map[int][]int    // per store, by step: what an acquire of it gets
	newest   map[uint64]int   // per byte: 1 + the step whose write is in memory
	sync     map[uint64][]int // per mutex, and of the section
	accesses map[uint64][]raceAccess
	held     [][]uint64        // per thread: the mutexes it has, in order
	waits    map[int]uint64    // threads that wait at a condition: their mutex
	rounds   map[uint64]*round // per barrier
	inside   []*round          // per thread: the round it waits in
}

// sectionKey stands for the atomic section among mutexes.
const sectionKey = ^uint64(0)

func joinInto(a, b []int) []int {
	if a == nil {
		a = make([]int, len(b))
	}
	for i, n := range b {
		a[i] = max(a[i], n)
	}
	return a
}

func (d *raceDetector) step(i int) (first int, found bool) {
	st := &d.w.Steps[i]
	if st.Kind == verdict.StepFlush {
		d.reach(st.Of, st)
		return 0, false
	}
	op, t := d.ops[ir.EdgeID(st.Edge)], st.Thread
	if op == nil || st.Kind == verdict.StepFail {
		return 0, false
	}
	if r := d.inside[t]; r != nil { // it has left its barrier
		d.clocks[t] = joinInto(d.clocks[t], r.clock)
		d.inside[t], r.over = nil, true
	}
	if op.Accesses() {
		if first, found = d.access(i, st, op); found {
			return first, true
		}
		d.synchronize(i, st, op)
	} else {
		d.control(st, op)
	}
	d.clocks[t][t]++
	return 0, false
}

// reach lets the write of a step reach memory.
func (d *raceDetector) reach(step int, st *verdict.Step) {
	for k := range uint64(st.Size) {
		d.newest[st.Addr+k] = 1 + step
	}
}

// access looks for an earlier access that races with this one.
func (d *raceDetector) access(i int, st *verdict.Step, op *ir.Op) (int, bool) {
	t := st.Thread
	now := raceAccess{step: i, thread: t, when: d.clocks[t][t], write: st.Kind == verdict.StepStore || st.Wrote, atomic: op.Order != ir.Plain}
	for k := range uint64(st.Size) {
		for _, a := range d.accesses[st.Addr+k] {
			if a.thread != t && (a.write || now.write) && !(a.atomic && now.atomic) && a.when > d.clocks[t][a.thread] {
				return a.step, true
			}
		}
		d.accesses[st.Addr+k] = append(d.accesses[st.Addr+k], now)
	}
	return 0, false
}

func acquires(o ir.Order) bool {
	return o == ir.Acquire || o == ir.Consume || o == ir.AcqRel || o == ir.SeqCst
}

func releases(o ir.Order) bool { return o == ir.Release || o == ir.AcqRel || o == ir.SeqCst }

// synchronize does what an atomic access means for happens-before.
func (d *raceDetector) synchronize(i int, st *verdict.Step, op *ir.Op) {
	t := st.Thread
	var seen []int
	if st.Kind == verdict.StepLoad || st.Kind == verdict.StepRMW {
		for k := range uint64(st.Size) {
			from := d.newest[st.Addr+k]
			if st.From > 0 {
				from = st.From
			}
			if r := d.releases[from-1]; from > 0 && r != nil {
				seen = joinInto(seen, r)
			}
		}
		order := op.Order
		if st.Kind == verdict.StepRMW && !st.Wrote && op.Fail != ir.OrderUnset {
			order = op.Fail
		}
		if seen != nil && op.Order != ir.Plain {
			d.pending[t] = joinInto(d.pending[t], seen)
			if acquires(order) {
				d.clocks[t] = joinInto(d.clocks[t], seen)
			}
		}
	}
	if st.Kind != verdict.StepStore && !st.Wrote {
		return
	}
	var out []int
	if releases(op.Order) {
		out = joinInto(out, d.clocks[t])
	} else if op.Order != ir.Plain && d.fence[t] != nil {
		out = joinInto(out, d.fence[t])
	}
	if st.Kind == verdict.StepRMW && seen != nil { // it continues the release sequence
		out = joinInto(out, seen)
	}
	if out != nil {
		d.releases[i] = out
	}
	if !st.Buffered {
		d.reach(i, st)
	}
}

// control does what everything else means for happens-before.
func (d *raceDetector) control(st *verdict.Step, op *ir.Op) {
	t := st.Thread
	switch op.Kind {
	case ir.Fence, ir.Nop:
		if acquires(op.Order) && d.pending[t] != nil {
			d.clocks[t] = joinInto(d.clocks[t], d.pending[t])
		}
		if releases(op.Order) {
			d.fence[t] = joinInto(nil, d.clocks[t])
		}
	case ir.Spawn:
		if u := st.Other - 1; u >= 0 {
			d.clocks[u] = joinInto(d.clocks[u], d.clocks[t])
		}
	case ir.Join:
		if u := st.Other - 1; u >= 0 {
			d.clocks[t] = joinInto(d.clocks[t], d.clocks[u])
		}
	case ir.Lock, ir.TryLock:
		if st.Wrote {
			d.take(t, st.Addr)
			d.held[t] = append(d.held[t], st.Addr)
		}
	case ir.Unlock:
		d.give(t, st.Addr)
		if k := slices.Index(d.held[t], st.Addr); k >= 0 {
			d.held[t] = slices.Delete(d.held[t], k, k+1)
		}
	case ir.AtomicBegin:
		d.take(t, sectionKey)
	case ir.AtomicEnd:
		d.give(t, sectionKey)
	case ir.CondWait:
		d.wait(t)
	case ir.Barrier:
		d.barrier(t, op)
	}
}

func (d *raceDetector) take(t int, key uint64) {
	if c := d.sync[key]; c != nil {
		d.clocks[t] = joinInto(d.clocks[t], c)
	}
}

func (d *raceDetector) give(t int, key uint64) { d.sync[key] = joinInto(d.sync[key], d.clocks[t]) }

// wait is a condition wait: its first step gives the mutex the thread took last, its
// last step takes it back.
func (d *raceDetector) wait(t int) {
	if key, waiting := d.waits[t]; waiting {
		d.take(t, key)
		d.held[t] = append(d.held[t], key)
		delete(d.waits, t)
		return
	}
	if n := len(d.held[t]); n > 0 {
		key := d.held[t][n-1]
		d.give(t, key)
		d.held[t] = d.held[t][:n-1]
		d.waits[t] = key
	}
}

// round is what those who meet at a barrier know together. It is over when the first
// of them goes on.
type round struct {
	clock []int
	over  bool
}

// barrier is an arrival.
func (d *raceDetector) barrier(t int, op *ir.Op) {
	key := d.barrierAt(op.Addr)
	r := d.rounds[key]
	if r == nil || r.over {
		r = &round{}
		d.rounds[key] = r
	}
	r.clock = joinInto(r.clock, d.clocks[t])
	d.inside[t] = r
}

// barrierAt is the address of a barrier. Those whose address is computed count as
// one.
func (d *raceDetector) barrierAt(e *ir.Expr) uint64 {
	if e.Op == ir.AddrOf {
		return d.p.Objects[e.Obj].Addr + uint64(e.Value)
	}
	v, _ := e.IsConst()
	return uint64(v)
}
