package rf

import (
	"slices"

	"fencepost/internal/machine"
)

// The graph: what has happened, without the order of writes that no read tells apart.
//
// A graph has the operations of each thread in program order, and for each read the operation that
// it reads from. An operation is one event of package machine. It is added in parts: the choice of
// an edge, its reads one by one, the choice that depends on what was read, and its write. Each part
// has a stamp, and stamps grow in the order in which the parts were added. An operation is complete
// when its last part has been added; until then nothing comes after it in its thread.

// ref names an operation. The zero value is none; initial stands for the initial values.
type ref struct {
	thread int32 // 1 + thread
	index  int32
}

var initial = ref{}

func refOf(t, i int) ref { return ref{int32(t) + 1, int32(i)} }

func (r ref) t() int { return int(r.thread) - 1 }

// read is a read of one cell.
type read struct {
	cell  int32
	stamp int32
	from  ref
	pool  bool   // of an allocation: the source is the free of the block that it uses
	block uint64 // that block; 0: a fresh one
}

// choice is a choice that depends on what was read, or one inside a section.
type choice struct {
	stamp  int32
	later  bool          // it was not the first alternative
	before machine.Label // the label without it
}

// op is an operation of a thread.
//
// shape: all that is known of an operation, with the part of each field said in its comment
type op struct {
	label machine.Label

	// What is known before the operation reads.
	cells   []int32 // that it reads, in this order
	causes  []ref   // operations of other threads that let it happen
	join    int32   // 1 + the thread that it joins; 0: none
	drains  bool    // comes after all updates of its thread
	global  bool    // happens only while all buffers are empty
	mutex   bool    // reads the word of a mutex, or which threads have started, and may have to wait
	again   bool    // locks a recursive mutex, or unlocks one: it reads memory, not the buffer of its thread
	unlock  bool
	picked  machine.Label // the label before the choices after that of the edge
	pick    int32         // stamp of the choice of the edge; 0: there was none
	later   bool          // the choice of the edge was not the first one
	reads   []read        // never changed in place
	choices []choice      // the other choices; never changed in place
	orders  orders        // under c11
	signals bool          // a signal or broadcast
	unit    unit          // for one that reads several cells and writes

	effect
	done int32   // stamp of the last part; 0: not complete
	past []int32 // per thread: how many operations happen before it, itself included
}

// effect is the outcome of an operation, known when all reads and choices are.
type effect struct {
	// The outcome, known when all reads and choices are.
	known    bool
	buffered bool     // a store that enters the buffer
	ends     bool     // the thread stops
	waits    bool     // the mutex is held: the thread waits
	blocks   []uint64 // that it needs: those of its accesses, and the one that it frees
	frees    bool
	allocs   bool
	epoch    int32    // store-store fences before the store
	ord      int32    // number of the store among the buffered stores of the thread
	writes   []int32  // cells
	words    []uint64 // what these cells hold afterwards, if the program has recursive mutexes
	masks    []uint64 // which bits of these are undefined, under c11
	wakes    []int32  // threads that were started or woken
	ended    []ref    // a join that waits for its thread: the last operation of that thread, and what started it; not nil
}

// complete reports whether all parts of the operation have been added.
func (o *op) complete() bool { return o.done != 0 }

// direct reports whether the operation writes memory while older stores of its thread may be in the buffer.
func (o *op) direct() bool { return o.again && !o.drains }

// freed returns the blocks that the operation frees. The first of two cells per block that it writes is the pool of
// the block, the other one the block itself.
func (o *op) freed() []uint64 {
	if !o.frees || o.ends {
		return nil
	}
	return o.blocks
}

// inPool returns the blocks of a pool that the operation frees.
func (o *op) inPool(c int32) []uint64 {
	var out []uint64
	for k, b := range o.freed() {
		if o.writes[2*k] == c {
			out = append(out, b)
		}
	}
	return out
}

// needs reports whether the operation needs a block. A section does not: it reads whether the block was freed.
func (o *op) needs(b uint64) bool { return !o.unit.section && slices.Contains(o.blocks, b) }

// at returns the index of a cell among the writes, or -1.
func (o *op) at(c int32) int { return slices.Index(o.writes, c) }

// graph is the operations of each thread.
type graph struct {
	threads [][]op
	stamp   int32       // the newest
	cells   []cellIndex // see index.go
	woken   [][]ref     // per thread, the complete operations that start or wake it
}

func newGraph(threads int) *graph {
	return &graph{threads: make([][]op, threads), woken: make([][]ref, threads)}
}

// op returns an operation.
func (g *graph) op(r ref) *op { return &g.threads[r.t()][r.index] }

// next returns a new stamp.
func (g *graph) next() int32 {
	g.stamp++
	return g.stamp
}

// last returns the last operation of thread t, or nil.
func (g *graph) last(t int) *op {
	if n := len(g.threads[t]); n > 0 {
		return &g.threads[t][n-1]
	}
	return nil
}

// cut is a part of a graph that is closed under reads-from and program order: the parts with
// smaller stamps than before, and the operations of past. The zero value is the whole graph.
type cut struct {
	before int32   // 0: all stamps
	past   []int32 // per thread, operations; may be nil
}

// noStamp is before all stamps.
const noStamp = -1

// has reports whether a part with a stamp belongs to the cut, given its operation.
func (c *cut) has(t, i int, stamp int32) bool {
	if c.before == 0 || stamp != 0 && stamp < c.before {
		return true
	}
	return c.past != nil && i < int(c.past[t])
}

// whole reports whether a complete operation belongs to the cut with all its parts.
func (c *cut) whole(t, i int, o *op) bool {
	return o.complete() && c.has(t, i, o.done)
}

// restrict returns a copy of the graph with only what belongs to the cut. Room is left for one more
// operation per thread. The copy has no index.
func (g *graph) restrict(c *cut) *graph { return g.restrictTo(newGraph(len(g.threads)), c) }

// restrictTo is restrict with the memory of another graph, which is not used any more.
func (g *graph) restrictTo(out *graph, c *cut) *graph {
	out.stamp = g.stamp
	for t := range g.threads {
		n := 0
		for i := range g.threads[t] {
			if !c.some(t, i, &g.threads[t][i]) {
				break
			}
			n++
		}
		ops := append(slices.Grow(out.threads[t][:0], n+4), g.threads[t][:n]...)
		if n > 0 && !c.whole(t, n-1, &ops[n-1]) {
			ops[n-1].shrink(c, t, n-1)
		}
		out.threads[t] = ops
	}
	return out
}

// some reports whether a part of an operation belongs to the cut.
func (c *cut) some(t, i int, o *op) bool {
	if c.before == 0 || c.past != nil && i < int(c.past[t]) {
		return true
	}
	first := o.done
	switch {
	case o.pick != 0:
		first = o.pick
	case len(o.reads) > 0 && (len(o.choices) == 0 || o.reads[0].stamp < o.choices[0].stamp):
		first = o.reads[0].stamp
	case len(o.choices) > 0:
		first = o.choices[0].stamp
	}
	return first != 0 && first < c.before
}

// shrink takes away the parts that do not belong to the cut.
func (o *op) shrink(c *cut, t, i int) {
	n := 0
	for n < len(o.reads) && c.has(t, i, o.reads[n].stamp) {
		n++
	}
	o.reads = o.reads[:n:n]
	if o.unit.is {
		o.cells = o.cells[:n:n]
		if !c.has(t, i, o.unit.stalled) {
			o.unit.stalled = 0
		}
	}
	o.unchoose(func(stamp int32) bool { return !c.has(t, i, stamp) })
	if o.unit.stalled == 0 {
		o.forget()
	}
}

// unchoose takes the choices away from the first one on whose stamp is rejected.
func (o *op) unchoose(reject func(stamp int32) bool) {
	for k := range o.choices {
		if reject(o.choices[k].stamp) {
			o.label, o.choices = o.choices[k].before, o.choices[:k:k]
			return
		}
	}
}

// forget makes the outcome unknown again.
func (o *op) forget() {
	o.known, o.buffered, o.ends, o.waits, o.writes, o.wakes, o.done, o.past = false, false, false, false, nil, nil, 0, nil
	o.blocks, o.words, o.masks, o.ended = nil, nil, nil, nil
}

// pastOf returns what happens before an operation, itself included: program order, reads-from and
// causes, transitively.
func (g *graph) pastOf(t, i int) []int32 {
	o := &g.threads[t][i]
	out := make([]int32, len(g.threads))
	join := func(p []int32) {
		for u, n := range p {
			out[u] = max(out[u], n)
		}
	}
	if i > 0 {
		join(g.threads[t][i-1].past)
	}
	for k := range o.reads {
		if o.reads[k].from != initial {
			join(g.op(o.reads[k].from).past)
		}
	}
	for _, c := range o.causes {
		join(g.op(c).past)
	}
	for _, c := range o.ended {
		join(g.op(c).past)
	}
	out[t] = int32(i) + 1
	return out
}

// lastStamp returns the stamp of the last part of an operation that does not write, a new one if there
// is no part yet.
func (g *graph) lastStamp(o *op) int32 {
	stamp := o.pick
	if o.ended != nil { // a join that fails all the same: it came when its thread ended, long after it has read
		return g.next()
	}
	if n := len(o.reads); n > 0 {
		stamp = max(stamp, o.reads[n-1].stamp)
	}
	if n := len(o.choices); n > 0 {
		stamp = max(stamp, o.choices[n-1].stamp)
	}
	if stamp == 0 {
		stamp = g.next()
	}
	return stamp
}
