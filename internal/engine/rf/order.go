package rf

import (
	"slices"

	"fencepost/internal/memory"
)

// Finding a witness: an execution in which exactly the operations of a graph happen, every read
// reads from its source, and all buffers are empty in the end.
//
// The state of the simulation is how far each thread is, which stores have reached memory, and the
// last writer of each cell. Three kinds of steps can be taken as soon as they are possible, since
// no execution is lost by it: what writes nothing; a store that enters its buffer; and a write from
// which no read is left to be done. A write is possible only if no read is left that would read what it
// overwrites. The remaining choices are between writes that are still to be read. The first attempt
// takes the first such write every time. If it does not come to its end, the closure (closure.go)
// says whether there is a witness at all as far as it can tell, and a depth-first search within
// the closure decides, with a memo of the sets of steps that lead nowhere: such a set determines
// what can still happen, since of each cell at most one value that is in memory or was there has
// reads left to be done, and that value is the newest.
//
// While a global fence, which happens only while all buffers are empty, is left to be done, a store that enters its buffer
// is a choice, too.
//
// The result depends on the graph only, not on the order in which it was made: operations are
// numbered by thread and program order.

// node is a step of a witness: an operation, or the update of its store.
type node struct {
	thread, index int32
	update        bool
}

// item is an operation in the simulation.
type item struct {
	op     *op
	thread int32
	index  int32
	whole  bool
	direct bool  // writes memory itself
	from   int32 // its reads in order.reads
	to     int32
	left   int32 // index of its first count in order.left, one per cell that it writes
}

// joins reports whether the item comes after the end of another thread.
func (it *item) joins() bool { return it.whole && it.op.ended != nil }

// resolved is a read whose source is an item.
type resolved struct {
	cell   int32
	from   int32 // item, or none
	newest int32 // the newest item of the thread before that writes the cell, or none
	// block says that the read is of an allocation: the source is the free of the block that it uses, and any free
	// before it can be the source.
	block bool
	raw   bool // reads memory even if a store of its thread is in the buffer
}

const none = -1

// order finds witnesses. Its memory is reused.
type order struct {
	model memory.Model
	cells int // how many there are

	g     *graph
	items []item
	start []int32 // per thread, and one more
	reads []resolved
	bad   bool

	globals []int32 // items that happen only while all buffers are empty

	// The simulation.
	now      simulation
	stack    []simulation
	seq      []node
	after    *closure // nil: the first attempt
	relation closure
	memo     map[string]bool
	key      []byte

	lastBy []int32
}

// simulation is the state of the simulation.
type simulation struct {
	pos     []int32 // per thread: its next item
	pending []int32 // per thread: stores in the buffer
	flushed []bool  // per item: its write is in memory
	mem     []int32 // per cell: its last writer, or none
	left    []int32 // per item and cell it writes: reads of it that are left to be done
	first   []int32 // per cell: reads of its initial value that are left to be done
	seq     int
}

func (s *simulation) copyTo(d *simulation) {
	d.pos = append(d.pos[:0], s.pos...)
	d.pending = append(d.pending[:0], s.pending...)
	d.flushed = append(d.flushed[:0], s.flushed...)
	d.mem = append(d.mem[:0], s.mem...)
	d.left = append(d.left[:0], s.left...)
	d.first = append(d.first[:0], s.first...)
	d.seq = s.seq
}

// demand says more about a witness than the sources of reads.
type demand struct {
	last   []ref   // operations after which nothing happens but others of them
	finals []final // the last writers of cells
	// updates has two operations whose writes reach memory in this order; the zero value: none.
	updates [2]ref
}

// final is the last writer of a cell.
type final struct {
	cell int32
	by   ref
}

// witness returns an execution of the part of the graph in a cut, which meets a demand if that is not
// nil. The slice is valid until the next call.
func (or *order) witness(g *graph, c cut, d *demand) ([]node, bool) {
	or.build(g, &c)
	if or.bad {
		return nil, false
	}
	or.after = nil
	if d == nil {
		or.begin()
		if or.attempt() {
			return or.seq, true
		}
	}
	cl, ok := or.close(d)
	if !ok {
		return nil, false
	}
	or.after, or.memo = cl, map[string]bool{}
	or.begin()
	return or.seq, or.search()
}

// readsLeft returns the count of reads of a cell from an item that are left to be done.
func (or *order) readsLeft(from, cell int32) *int32 {
	if from == none {
		return &or.now.first[cell]
	}
	it := &or.items[from]
	return &or.now.left[it.left+int32(it.op.at(cell))]
}

// begin puts the simulation into the initial state.
func (or *order) begin() {
	s := &or.now
	if or.after != nil { // counts were used up by the first attempt
		clear(s.left)
		clear(s.first)
		for i := range or.reads {
			if r := &or.reads[i]; !r.block {
				*or.readsLeft(r.from, r.cell)++
			}
		}
	}
	s.pos = append(s.pos[:0], or.start[:len(or.start)-1]...)
	s.pending = append(s.pending[:0], make([]int32, len(s.pos))...)
	s.flushed = append(s.flushed[:0], make([]bool, len(or.items))...)
	s.mem = s.mem[:0]
	for range or.cells {
		s.mem = append(s.mem, none)
	}
	or.seq, s.seq = or.seq[:0], 0
}

// ended reports whether everything has happened.
func (or *order) ended() bool {
	for t, p := range or.now.pos {
		if p != or.start[t+1] || or.now.pending[t] > 0 {
			return false
		}
	}
	return true
}

// attempt runs the simulation without going back.
func (or *order) attempt() bool {
	for {
		or.advance()
		if or.ended() {
			return true
		}
		n, ok := or.choice(0)
		if !ok {
			return false
		}
		or.do(n)
	}
}

// search runs the simulation with all choices.
func (or *order) search() bool {
	or.advance()
	if or.ended() {
		return true
	}
	or.key = or.key[:0]
	for n := range or.items {
		b := byte(0)
		if int32(n) < or.now.pos[or.items[n].thread] {
			b = 1
		}
		if or.now.flushed[n] {
			b |= 2
		}
		or.key = append(or.key, b)
	}
	key := string(or.key)
	if or.memo[key] {
		return false
	}
	depth := len(or.stack)
	or.stack = append(or.stack, simulation{})
	or.now.copyTo(&or.stack[depth])
	for k := 0; ; k++ {
		n, ok := or.choice(k)
		if !ok {
			break
		}
		or.do(n)
		if or.search() {
			or.stack = or.stack[:depth]
			return true
		}
		or.stack[depth].copyTo(&or.now)
		or.seq = or.seq[:or.now.seq]
	}
	or.stack = or.stack[:depth]
	or.memo[key] = true
	return false
}

// advance takes the steps that need no choice.
func (or *order) advance() {
	for moved := true; moved; {
		moved = false
		for t := range or.now.pos {
			for or.now.pending[t] > 0 {
				n, ok := or.update(t, func(n int32) bool { return or.unread(n) })
				if !ok {
					break
				}
				or.do(n)
				moved = true
			}
			for or.now.pos[t] < or.start[t+1] {
				n := or.now.pos[t]
				if or.items[n].direct && !or.unread(n) || or.holdsUp(n) || !or.canDo(n) {
					break
				}
				or.do(int32(n))
				moved = true
			}
		}
	}
}

// holdsUp reports whether item n is a store that would enter the buffer, and may keep a global fence from happening.
func (or *order) holdsUp(n int32) bool {
	return or.items[n].whole && or.items[n].op.buffered && slices.ContainsFunc(or.globals, func(g int32) bool { return !or.happened(g) })
}

// choice returns the k-th possible write that is still to be read: an item that writes memory
// itself, or the update of an item, which is numbered after all items.
func (or *order) choice(k int) (int32, bool) {
	for t := range or.now.pos {
		if or.now.pending[t] > 0 {
			n, ok := or.update(t, func(int32) bool {
				k--
				return k < 0
			})
			if ok {
				return n, true
			}
		}
		if n := or.now.pos[t]; n < or.start[t+1] && (or.items[n].direct || or.holdsUp(n)) && or.canDo(n) {
			if k--; k < 0 {
				return n, true
			}
		}
	}
	return 0, false
}

// update returns the first update of thread t that is possible and accepted.
func (or *order) update(t int, accept func(int32) bool) (int32, bool) {
	base := int32(len(or.items))
	seen := int32(0)
	for n := or.start[t]; n < or.now.pos[t] && seen < or.now.pending[t]; n++ {
		it := &or.items[n]
		if !it.op.buffered || or.now.flushed[n] {
			continue
		}
		seen++
		if or.leaves(t, n) && or.writable(n, it) && or.allowed(base+n) && accept(n) {
			return base + n, true
		}
		if or.model == memory.TSO {
			break
		}
	}
	return 0, false
}

// leaves reports whether the store of item n may leave the buffer before others in it.
func (or *order) leaves(t int, n int32) bool {
	it := &or.items[n]
	for m := or.start[t]; m < n; m++ {
		d := &or.items[m]
		if !d.op.buffered || or.now.flushed[m] {
			continue
		}
		if or.model == memory.TSO || d.op.epoch < it.op.epoch || overlap(d.op.writes, it.op.writes) {
			return false
		}
	}
	return true
}

func overlap(a, b []int32) bool {
	return slices.ContainsFunc(a, func(c int32) bool { return slices.Contains(b, c) })
}

// unread reports whether no read from item n is left to be done.
func (or *order) unread(n int32) bool {
	it := &or.items[n]
	for k := range it.op.writes {
		if or.now.left[it.left+int32(k)] > 0 {
			return false
		}
	}
	return true
}

// writable reports whether no read of what an item overwrites is left to be done, except its own.
func (or *order) writable(n int32, it *item) bool {
	for _, c := range it.op.writes {
		left := *or.readsLeft(or.now.mem[c], c)
		if left > 0 && it.direct {
			for _, r := range or.reads[it.from:it.to] {
				if r.cell == c && r.from == or.now.mem[c] {
					left--
				}
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// source returns what item n would read from a cell now.
func (or *order) source(r *resolved) int32 {
	if !r.raw && r.newest != none && or.items[r.newest].op.buffered && !or.now.flushed[r.newest] {
		return r.newest
	}
	return or.now.mem[r.cell]
}

// canDo reports whether item n, the next of its thread, can happen now.
func (or *order) canDo(n int32) bool {
	it := &or.items[n]
	t := it.thread
	if it.op.drains && or.now.pending[t] > 0 || !or.allowed(n) {
		return false
	}
	if it.op.global && slices.ContainsFunc(or.now.pending, func(n int32) bool { return n > 0 }) {
		return false
	}
	for _, c := range it.op.causes {
		if or.now.pos[c.t()] <= or.start[c.t()]+c.index {
			return false
		}
	}
	if u := it.op.join - 1; it.joins() && (or.now.pos[u] != or.start[u+1] || or.now.pending[u] > 0) {
		return false
	}
	for k := it.from; k < it.to; k++ {
		r := &or.reads[k]
		if r.block {
			if r.from != none && or.items[r.from].thread != t && !or.now.flushed[r.from] {
				return false
			}
		} else if or.source(r) != r.from {
			return false
		}
	}
	return !it.direct || or.writable(n, it)
}

// allowed reports whether the closure allows a node now.
func (or *order) allowed(node int32) bool {
	return or.after == nil || or.after.allows(node, or)
}

// happened reports whether a node has happened.
func (or *order) happened(node int32) bool {
	if n := node - int32(len(or.items)); n >= 0 {
		return or.now.flushed[n]
	}
	return node < or.now.pos[or.items[node].thread]
}

// do lets a node happen.
func (or *order) do(node int32) {
	if n := node - int32(len(or.items)); n >= 0 {
		it := &or.items[n]
		or.now.pending[it.thread]--
		or.reach(n, it)
		or.seq = append(or.seq, step(it, true))
		or.now.seq = len(or.seq)
		return
	}
	it := &or.items[node]
	or.now.pos[it.thread]++
	for _, r := range or.reads[it.from:it.to] {
		if !r.block {
			*or.readsLeft(r.from, r.cell)--
		}
	}
	switch {
	case it.whole && it.op.buffered:
		or.now.pending[it.thread]++
	case it.direct:
		or.reach(node, it)
	}
	or.seq = append(or.seq, step(it, false))
	or.now.seq = len(or.seq)
}

func step(it *item, update bool) node { return node{it.thread, it.index, update} }

// reach lets the write of an item reach memory.
func (or *order) reach(n int32, it *item) {
	or.now.flushed[n] = true
	for _, c := range it.op.writes {
		or.now.mem[c] = n
	}
}

// refOf returns the operation of an item; none is the initial value.
func (or *order) refOf(n int32) ref {
	if n == none {
		return initial
	}
	return ref{or.items[n].thread + 1, or.items[n].index}
}

// lastIn reports whether reads have their sources at the end of the witness that was just found.
func (or *order) lastIn(reads []read) bool {
	return !slices.ContainsFunc(reads, func(r read) bool { return !r.pool && or.refOf(or.now.mem[r.cell]) != r.from })
}
