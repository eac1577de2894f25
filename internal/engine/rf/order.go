package rf

import "fencepost/internal/memory"

// Finding a witness: an execution in which exactly the operations of a graph happen, every read
// reads from its source, and all buffers are empty in the end.
//
// The state of the simulation is how far each thread is, which stores have reached memory, and the
// last writer of each cell. Three kinds of steps can be taken as soon as they are possible, since
// no execution is lost by it: what writes nothing; a store that enters its buffer; and a write from
// which no read is left to be done. A write is possible only if no read is left that would read what it
// overwrites. The remaining choices are between writes that are still to be read. The first attempt
// takes the first such write every time. If it does not come to its end, the clocks (clocks.go)
// say whether there is a witness at all as far as they can tell, and a depth-first search within
// them decides, with a memo of the sets of steps that lead nowhere: such a set determines
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
	// If the machine has run the node: the number of this run, and of nodes before it.
	ran int64
	at  int32
}

// is reports whether two nodes are the same step.
func (n node) is(m node) bool {
	return n.thread == m.thread && n.index == m.index && n.update == m.update
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
	after    *clocks // nil: the first attempt
	relation clocks  // of a part of a graph
	memo     map[string]bool
	key      []byte
	later    []node

	lastBy []int32

	work *int64 // counted since the last check of the limits
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
// nil. It depends on the operations and sources of the part, and on nothing else. The slice is valid until the next
// call.
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
	cl := &or.relation
	cl.model = or.model
	if !cl.build(g, &c) || d != nil && !cl.impose(d) {
		return nil, false
	}
	or.after = cl
	return or.searchAll()
}

// searchAll looks for a witness that the clocks allow.
func (or *order) searchAll() ([]node, bool) {
	or.memo = map[string]bool{}
	or.begin()
	return or.seq, or.search()
}

// change returns an execution of the whole graph, given its clocks, and one of the graph before something was added or
// taken away, which is kept as far as possible. The slice is valid until the next call.
func (or *order) change(g *graph, cl *clocks, seq []node) ([]node, bool) {
	or.build(g, &cut{})
	if or.bad {
		return nil, false
	}
	or.after = cl
	or.begin()
	if or.replay(seq) {
		return or.seq, true
	}
	return or.searchAll()
}

// replay runs the simulation in the order of an execution, and puts off what is not possible. Nodes that the graph does
// not have are left out. It returns false if something is never possible.
func (or *order) replay(seq []node) bool {
	or.later = or.later[:0]
	for _, n := range seq {
		if k := or.start[n.thread] + n.index; k < or.start[n.thread+1] && (!n.update || or.items[k].whole && or.items[k].op.buffered) {
			if !or.step(n) {
				or.later = append(or.later, n)
			}
		}
	}
	for moved := true; moved; {
		moved = false
		left := or.later[:0]
		for _, n := range or.later {
			if or.step(n) {
				moved = true
			} else {
				left = append(left, n)
			}
		}
		or.later = left
	}
	return or.ended()
}

// step lets a node happen if it is possible.
func (or *order) step(n node) bool {
	k := or.start[n.thread] + n.index
	it := &or.items[k]
	if n.update {
		base := int32(len(or.items))
		if k >= or.now.pos[n.thread] || !or.leaves(int(n.thread), k) || !or.writable(k, it) || !or.allowed(base+k) {
			return false
		}
		or.do(base + k)
		return true
	}
	if or.now.pos[n.thread] != k || !or.canDo(k) {
		return false
	}
	or.do(k)
	return true
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
	clear(s.left)
	clear(s.first)
	for i := range or.reads {
		if r := &or.reads[i]; !r.block {
			*or.readsLeft(r.from, r.cell)++
		}
	}
	s.pos = append(s.pos[:0], or.start[:len(or.start)-1]...)
	s.head = append(s.head[:0], s.pos...)
	s.globals = len(or.globals)
	if or.after != nil {
		s.done = append(s.done[:0], make([]int32, len(or.after.chains))...)
	}
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
