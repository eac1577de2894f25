package rf

import (
	"slices"
	"sort"

	"fencepost/internal/memory"
)

// What must come before what in every witness of a graph, as a vector clock per node.
//
// The nodes are the operations and the updates of stores. They form chains: the operations of a thread; under TSO the
// updates of a thread; under PSO the updates of a thread to a cell. The clock of a node says, per chain, how many
// nodes of it come before. The relation starts with program order, the order of buffers, causes, and from each write
// to its foreign reads, and grows by rules [BCGPT21] until nothing changes. A cycle means that there is no witness.
// Let r read cell c from w, let f(w) be the node at which w reaches memory, w' another write of c, and s
// the newest write of c by r's own thread before r:
//
//	S1  w is of another thread, and s exists: f(s) before f(w)
//	S2  f(w') before r, w' of another thread than r: f(w') before f(w); none if r reads the initial value
//	S3  f(w) before f(w'), w' not of r's thread: r before f(w'); always so if r reads the initial value
//
// Of a chain, only the newest write of c that comes before a node has to be looked at, and of the reads of a write
// only the last one of each thread: the others follow.
//
// An operation on a recursive mutex, which need not wait until the buffer is empty, reads memory even if the buffer has
// a store to the mutex. For it, the writes of its own thread are like those of others.
//
// A read-modify-write is one node that reads and writes, so two of them cannot read from one write:
// each would have to come before the other.
//
// Parts of operations are added one by one and taken away in the opposite order, as the exploration does it. A part
// makes clocks grow only where it says something new, so a step that goes on where the last one ended costs as much
// as there are chains, whatever the length of the execution.

// maxChains is how many chains have entries in clocks. Updates of further ones are in none: less follows then, and
// the search for a witness decides.
const maxChains = 512

// point is a node of the relation.
type point struct {
	chain  int32 // none: in no clock
	at     int32 // index of the operation in its thread
	thread int32
	update bool
	writes bool  // the operation writes memory at this node
	reads  int32 // how many reads of the operation have been added
	out    int32 // first edge to a later node, or none
	clock  []int32
}

// arc is an edge of the relation.
type arc struct{ from, to, next int32 }

// written is a write of a cell.
type written struct {
	node    int32
	readers []int32 // the last read of each thread
}

// writesOf has the writes of a cell in a chain.
type writesOf struct {
	chain  int32
	thread int32
	list   []written
}

// cellWrites has the writes of a cell, and the reads of its initial value.
type cellWrites struct {
	chains []writesOf
	first  []int32 // the last read of each thread
}

// clocks is the relation for a graph. Its memory is reused.
type clocks struct {
	model   memory.Model
	g       *graph
	nodes   []point
	ops     [][]int32 // per thread, the node of each operation
	ups     [][]int32 // per thread, the node of the update of each operation, or none
	arcs    []arc
	cells   []cellWrites
	chains  [][]int32          // the nodes of each chain that has entries in clocks
	number  map[[2]int32]int32 // under PSO, the chain of a thread and a cell
	updates [][]int32          // per thread, the chains of its updates
	queue   []int32            // nodes whose clocks have grown
	trail   []change
	room    arena
}

// change is a change that can be taken back.
type change struct {
	kind    byte
	a, b, n int32
	clock   []int32
}

const (
	newNode byte = iota
	newArc
	newClock
	newWrite
	newReader
	otherReader
	newFirst
	otherFirst
	newRead
	nowWrites
)

// reset makes the relation that of an empty part of a graph.
func (cl *clocks) reset(g *graph) {
	threads := len(g.threads)
	cl.g = g
	cl.nodes, cl.arcs, cl.trail, cl.queue = cl.nodes[:0], cl.arcs[:0], cl.trail[:0], cl.queue[:0]
	cl.room.reset()
	for len(cl.ops) < threads {
		cl.ops, cl.ups, cl.updates = append(cl.ops, nil), append(cl.ups, nil), append(cl.updates, nil)
	}
	for t := range cl.ops {
		cl.ops[t], cl.ups[t], cl.updates[t] = cl.ops[t][:0], cl.ups[t][:0], cl.updates[t][:0]
	}
	for c := range cl.cells {
		at := &cl.cells[c]
		for k := range at.chains {
			at.chains[k].list = at.chains[k].list[:0]
		}
		at.chains, at.first = at.chains[:0], at.first[:0]
	}
	cl.chains = cl.chains[:0]
	clear(cl.number)
	for range threads {
		cl.chain(none)
	}
}

// chain makes a new chain; of a thread's updates unless thread is none.
func (cl *clocks) chain(thread int32) int32 {
	n := int32(len(cl.chains))
	if n < int32(cap(cl.chains)) {
		cl.chains = cl.chains[:n+1]
		cl.chains[n] = cl.chains[n][:0]
	} else {
		cl.chains = append(cl.chains, nil)
	}
	if thread != none {
		cl.updates[thread] = append(cl.updates[thread], n)
	}
	return n
}

// chainOf returns the chain of the update of an operation.
func (cl *clocks) chainOf(t int32, o *op) int32 {
	if cl.model != memory.PSO {
		if len(cl.updates[t]) == 0 {
			return cl.chain(t)
		}
		return cl.updates[t][0]
	}
	key := [2]int32{t, o.writes[0]}
	if n, ok := cl.number[key]; ok {
		return n
	}
	if len(cl.chains) >= maxChains {
		return none
	}
	if cl.number == nil {
		cl.number = map[[2]int32]int32{}
	}
	n := cl.chain(t)
	cl.number[key] = n
	return n
}

// op returns the operation of a node.
func (cl *clocks) op(n int32) *op { return &cl.g.threads[cl.nodes[n].thread][cl.nodes[n].at] }

// entry returns the entry of a clock.
func entry(clock []int32, chain int32) int32 {
	if int(chain) < len(clock) {
		return clock[chain]
	}
	return 0
}

// has reports whether a comes before b.
func (cl *clocks) has(a, b int32) bool {
	p := &cl.nodes[a]
	return p.chain >= 0 && entry(cl.nodes[b].clock, p.chain) > p.at
}

// raise adds to the clock of b what comes before a, and a. It reports whether that was new.
func (cl *clocks) raise(a, b int32) bool {
	p, q := &cl.nodes[a], &cl.nodes[b]
	grows := p.chain >= 0 && entry(q.clock, p.chain) <= p.at
	for k := 0; k < len(p.clock) && !grows; k++ {
		grows = p.clock[k] > entry(q.clock, int32(k))
	}
	if !grows {
		return false
	}
	clock := cl.room.take(max(len(p.clock), len(q.clock), int(p.chain)+1))
	n := copy(clock, q.clock)
	clear(clock[n:])
	for k, v := range p.clock {
		clock[k] = max(clock[k], v)
	}
	if p.chain >= 0 {
		clock[p.chain] = max(clock[p.chain], p.at+1)
	}
	cl.trail = append(cl.trail, change{kind: newClock, a: b, clock: q.clock})
	q.clock = clock
	return true
}

// add puts a before b. It returns false if that makes a cycle.
func (cl *clocks) add(a, b int32) bool {
	if a == b || cl.has(b, a) {
		return false
	}
	if cl.has(a, b) {
		return true
	}
	p := &cl.nodes[a]
	cl.arcs = append(cl.arcs, arc{a, b, p.out})
	p.out = int32(len(cl.arcs)) - 1
	cl.trail = append(cl.trail, change{kind: newArc})
	if cl.raise(a, b) {
		cl.queue = append(cl.queue, b)
	}
	return true
}

// grow applies the rules until nothing changes. It returns false if there is a cycle.
func (cl *clocks) grow() bool {
	for len(cl.queue) > 0 {
		n := cl.queue[len(cl.queue)-1]
		cl.queue = cl.queue[:len(cl.queue)-1]
		ok := !cl.has(n, n)
		for e := cl.nodes[n].out; e != none && ok; e = cl.arcs[e].next {
			if to := cl.arcs[e].to; cl.raise(n, to) {
				cl.queue = append(cl.queue, to)
			}
		}
		if !ok || !cl.rules(n) {
			cl.queue = cl.queue[:0]
			return false
		}
	}
	return true
}

// rules applies S2 and S3 to a node.
func (cl *clocks) rules(n int32) bool {
	p, o := cl.nodes[n], cl.op(n)
	for k := range p.reads {
		if r := &o.reads[k]; !r.pool && !cl.older(n, o, r) {
			return false
		}
	}
	if p.writes {
		for _, c := range o.writes {
			if !cl.readBefore(n, c) {
				return false
			}
		}
	}
	return true
}

// newest returns the newest write in a chain that comes before the node with a clock, or nil.
func (w *writesOf) newest(cl *clocks, clock []int32) *written {
	n := entry(clock, w.chain)
	k := len(w.list) - 1
	if k < 0 || n == 0 {
		return nil
	}
	if cl.nodes[w.list[k].node].at >= n {
		k = sort.Search(k, func(k int) bool { return cl.nodes[w.list[k].node].at >= n }) - 1
	}
	if k < 0 {
		return nil
	}
	return &w.list[k]
}

// older applies S2 to a read of node n.
func (cl *clocks) older(n int32, o *op, r *read) bool {
	source := cl.source(r)
	at := &cl.cells[r.cell]
	for k := range at.chains {
		w := &at.chains[k]
		if w.chain < 0 || w.thread == cl.nodes[n].thread && !o.again {
			continue
		}
		v := w.newest(cl, cl.nodes[n].clock)
		if v == nil || v.node == source || v.node == n {
			continue
		}
		if source == none || !cl.add(v.node, source) {
			return false
		}
	}
	return true
}

// readBefore applies S3 to the write of cell c at node n.
func (cl *clocks) readBefore(n, c int32) bool {
	at := &cl.cells[c]
	for k := range at.chains {
		w := &at.chains[k]
		if w.chain < 0 {
			continue
		}
		if v := w.newest(cl, cl.nodes[n].clock); v != nil && v.node != n && !cl.allBefore(v.readers, n) {
			return false
		}
	}
	return true
}

// allBefore puts reads before a write, except those of its own thread, for which program order says enough.
func (cl *clocks) allBefore(readers []int32, n int32) bool {
	for _, r := range readers {
		if r != n && (cl.nodes[r].thread != cl.nodes[n].thread || cl.op(r).again) && !cl.add(r, n) {
			return false
		}
	}
	return true
}

// source returns the node at which the source of a read reaches memory, or none.
func (cl *clocks) source(r *read) int32 {
	if r.from == initial {
		return none
	}
	return cl.reaches(r.from.t(), int(r.from.index))
}

// reaches returns the node at which the write of an operation reaches memory.
func (cl *clocks) reaches(t, i int) int32 {
	if n := cl.ups[t][i]; n != none {
		return n
	}
	return cl.ops[t][i]
}

// at returns the writes of a cell.
func (cl *clocks) at(c int32) *cellWrites {
	for int(c) >= len(cl.cells) {
		cl.cells = append(cl.cells, cellWrites{})
	}
	return &cl.cells[c]
}

// arena has room for clocks, which are given back in the opposite order.
type arena struct {
	blocks [][]int32
	block  int
	used   int
}

const arenaBlock = 1 << 11

func (r *arena) reset() { r.block, r.used = 0, 0 }

// take returns room for n numbers.
func (r *arena) take(n int) []int32 {
	if r.block < len(r.blocks) && r.used+n > len(r.blocks[r.block]) {
		r.block, r.used = r.block+1, 0
	}
	for r.block == len(r.blocks) {
		r.blocks = append(r.blocks, make([]int32, max(n, arenaBlock)))
	}
	if n > len(r.blocks[r.block]) {
		r.blocks[r.block] = make([]int32, n)
	}
	out := r.blocks[r.block][r.used : r.used+n : r.used+n]
	r.used += n
	return out
}

// moment is a state of the relation to which undo returns.
type moment struct{ trail, block, used int }

func (cl *clocks) mark() moment { return moment{len(cl.trail), cl.room.block, cl.room.used} }

// undo takes everything back that was added after a moment.
func (cl *clocks) undo(m moment) {
	for len(cl.trail) > m.trail {
		c := &cl.trail[len(cl.trail)-1]
		cl.takeBack(c)
		cl.trail = cl.trail[:len(cl.trail)-1]
	}
	cl.queue = cl.queue[:0]
	cl.room.block, cl.room.used = m.block, m.used
}

func (cl *clocks) takeBack(c *change) {
	switch c.kind {
	case newNode:
		p := &cl.nodes[len(cl.nodes)-1]
		if p.update {
			cl.ups[p.thread][p.at] = none
		} else {
			cl.ops[p.thread], cl.ups[p.thread] = cl.ops[p.thread][:p.at], cl.ups[p.thread][:p.at]
		}
		if p.chain >= 0 {
			cl.chains[p.chain] = cl.chains[p.chain][:len(cl.chains[p.chain])-1]
		}
		cl.nodes = cl.nodes[:len(cl.nodes)-1]
	case newArc:
		e := &cl.arcs[len(cl.arcs)-1]
		cl.nodes[e.from].out = e.next
		cl.arcs = cl.arcs[:len(cl.arcs)-1]
	case newClock:
		cl.nodes[c.a].clock = c.clock
	case newWrite:
		w := &cl.cells[c.a].chains[c.b]
		w.list = w.list[:len(w.list)-1]
	case newReader:
		w := &cl.cells[c.a].chains[c.b].list[c.n]
		w.readers = w.readers[:len(w.readers)-1]
	case otherReader:
		w := &cl.cells[c.a].chains[c.b].list[c.n]
		w.readers[c.clock[0]] = c.clock[1]
	case newFirst:
		at := &cl.cells[c.a]
		at.first = at.first[:len(at.first)-1]
	case otherFirst:
		cl.cells[c.a].first[c.b] = c.n
	case newRead:
		cl.nodes[c.a].reads--
	case nowWrites:
		cl.nodes[c.a].writes = false
	}
}

// same reports the index of the reader of a thread, or -1.
func (cl *clocks) same(readers []int32, thread int32) int {
	return slices.IndexFunc(readers, func(r int32) bool { return cl.nodes[r].thread == thread })
}
