package rf

import (
	"math/bits"
	"slices"

	"fencepost/internal/memory"
)

// What must come before what in every witness of a graph.
//
// The nodes are the operations and, after them, the updates of stores. The relation starts with
// program order, the order of buffers, and from each write to its foreign reads, and grows by rules
// [BCGPT21] until nothing changes. A cycle means that there is no witness. Let r read
// cell c from w, let f(w) be the node at which w reaches memory, w' another write of c, and s the
// newest write of c by r's own thread before r:
//
//	S1  w is of another thread, and s exists: f(s) before f(w)
//	S2  f(w') before r, w' of another thread than r: f(w') before f(w); none if r reads the initial value
//	S3  f(w) before f(w'), w' not of r's thread: r before f(w'); always so if r reads the initial value
//
// An operation on a recursive mutex, which need not wait until the buffer is empty, reads memory even if the buffer has
// a store to the mutex. For it, the writes of its own thread are like those of others.
//
// A read-modify-write is one node that reads and writes, so two of them cannot read from one write:
// each would have to come before the other.

// closure is a relation between nodes, as a set of predecessors for each. Its memory is reused.
type closure struct {
	nodes   int
	words   int
	before  []uint64
	edges   [][2]int32 // what the relation starts with
	degree  []int32
	next    []int32 // per edge: the next edge from the same node
	first   []int32 // per node: its first edge
	ready   []int32
	writers [][]int32 // per cell
}

// reset makes the relation empty.
func (cl *closure) reset(nodes, cells int) {
	cl.nodes, cl.words = nodes, (nodes+63)/64
	n := nodes * cl.words
	if cap(cl.before) < n {
		cl.before = make([]uint64, n)
	}
	cl.before = cl.before[:n]
	clear(cl.before)
	cl.edges = cl.edges[:0]
	for len(cl.writers) < cells {
		cl.writers = append(cl.writers, nil)
	}
	for c := range cl.writers {
		cl.writers[c] = cl.writers[c][:0]
	}
}

func (cl *closure) set(n int32) []uint64 {
	return cl.before[int(n)*cl.words : (int(n)+1)*cl.words]
}

func (cl *closure) has(a, b int32) bool {
	return cl.before[int(b)*cl.words+int(a>>6)]>>(a&63)&1 != 0
}

// edge adds a pair that the relation starts with.
func (cl *closure) edge(a, b int32) { cl.edges = append(cl.edges, [2]int32{a, b}) }

// sort makes the relation the transitive closure of the edges. It returns false if there is a cycle.
func (cl *closure) sort() bool {
	cl.degree, cl.first, cl.next, cl.ready = cl.degree[:0], cl.first[:0], cl.next[:0], cl.ready[:0]
	for range cl.nodes {
		cl.degree, cl.first = append(cl.degree, 0), append(cl.first, none)
	}
	for k, e := range cl.edges {
		cl.degree[e[1]]++
		cl.next = append(cl.next, cl.first[e[0]])
		cl.first[e[0]] = int32(k)
	}
	for n, d := range cl.degree {
		if d == 0 {
			cl.ready = append(cl.ready, int32(n))
		}
	}
	for k := 0; k < len(cl.ready); k++ {
		a := cl.ready[k]
		from := cl.set(a)
		for e := cl.first[a]; e != none; e = cl.next[e] {
			b := cl.edges[e][1]
			to := cl.set(b)
			for i, w := range from {
				to[i] |= w
			}
			to[a>>6] |= 1 << (a & 63)
			if cl.degree[b]--; cl.degree[b] == 0 {
				cl.ready = append(cl.ready, b)
			}
		}
	}
	return len(cl.ready) == cl.nodes
}

// add puts a before b. It returns false if that makes a cycle.
func (cl *closure) add(a, b int32) bool {
	if cl.has(a, b) {
		return true
	}
	if a == b || cl.has(b, a) {
		return false
	}
	from := cl.set(a)
	for z := range int32(cl.nodes) {
		if z == b || cl.has(b, z) {
			to := cl.set(z)
			for k, w := range from {
				to[k] |= w
			}
			to[a/64] |= 1 << (a % 64)
		}
	}
	return true
}

// allows reports whether all predecessors of a node have happened.
func (cl *closure) allows(n int32, or *order) bool {
	for k, w := range cl.set(n) {
		for ; w != 0; w &= w - 1 {
			if !or.happened(int32(k*64 + bits.TrailingZeros64(w))) {
				return false
			}
		}
	}
	return true
}

// written returns the node at which the write of an item reaches memory.
func (or *order) written(n int32) int32 {
	if or.items[n].op.buffered {
		return int32(len(or.items)) + n
	}
	return n
}

// close computes the closure, with a demand that may be nil. It returns false if there is a cycle.
func (or *order) close(d *demand) (*closure, bool) {
	cl := &or.relation
	cl.reset(2*len(or.items), or.cells)
	or.base(cl)
	if !cl.sort() || d != nil && !or.impose(cl, d) {
		return nil, false
	}
	for i := range or.items {
		if it := &or.items[i]; it.whole {
			for _, c := range it.op.writes {
				cl.writers[c] = append(cl.writers[c], int32(i))
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range or.items {
			for k := or.items[i].from; k < or.items[i].to; k++ {
				if or.reads[k].block {
					continue
				}
				grew, ok := or.saturate(cl, int32(i), &or.reads[k], cl.writers[or.reads[k].cell])
				if !ok {
					return nil, false
				}
				changed = changed || grew
			}
		}
	}
	return cl, true
}

// impose adds a demand.
func (or *order) impose(cl *closure, d *demand) bool {
	count := int32(len(or.items))
	for _, r := range d.last {
		last := or.start[r.t()] + r.index
		for n := range count {
			if slices.Contains(d.last, or.refOf(n)) {
				continue
			}
			if !cl.add(n, last) || or.items[n].whole && or.items[n].op.buffered && !cl.add(count+n, last) {
				return false
			}
		}
	}
	if u := d.updates; u[0] != initial {
		first, second := or.start[u[0].t()]+u[0].index, or.start[u[1].t()]+u[1].index
		if !cl.add(or.written(first), or.written(second)) {
			return false
		}
	}
	for _, f := range d.finals {
		by := or.start[f.by.t()] + f.by.index
		for n := range count {
			if it := &or.items[n]; n != by && it.whole && it.op.at(f.cell) >= 0 && !cl.add(or.written(n), or.written(by)) {
				return false
			}
		}
	}
	return true
}

// base adds program order, the order of buffers, causes, and rule S1.
func (or *order) base(cl *closure) {
	count := int32(len(or.items))
	for t := range len(or.start) - 1 {
		from := or.start[t] // the first store that may be in the buffer
		for n := or.start[t]; n < or.start[t+1]; n++ {
			it := &or.items[n]
			if n > or.start[t] {
				cl.edge(n-1, n)
			}
			store := it.whole && it.op.buffered
			if store {
				cl.edge(n, count+n)
			}
			if !store && !it.op.drains {
				continue
			}
			for m := n - 1; m >= from; m-- {
				d := &or.items[m]
				if !d.op.buffered {
					continue
				}
				if it.op.drains {
					cl.edge(count+m, n)
				} else if or.model == memory.TSO || d.op.epoch < it.op.epoch || overlap(d.op.writes, it.op.writes) {
					cl.edge(count+m, count+n)
				}
				if or.model == memory.TSO { // the others come before this one
					break
				}
			}
			if it.op.drains {
				from = n
			}
		}
	}
	for i := range or.items {
		or.baseOf(cl, int32(i))
	}
}

// baseOf adds the causes of an item, and rule S1.
func (or *order) baseOf(cl *closure, i int32) {
	it := &or.items[i]
	for _, c := range it.op.causes {
		cl.edge(or.start[c.t()]+c.index, i)
	}
	if u := it.op.join - 1; it.joins() {
		for n := or.start[u]; n < or.start[u+1]; n++ {
			cl.edge(n, i)
			if or.items[n].whole && or.items[n].op.buffered {
				cl.edge(int32(len(or.items))+n, i)
			}
		}
	}
	for k := it.from; k < it.to; k++ {
		r := &or.reads[k]
		if r.from == none || or.items[r.from].thread == it.thread && !r.raw {
			continue
		}
		if or.written(r.from) != i {
			cl.edge(or.written(r.from), i)
		}
		if r.newest != none {
			cl.edge(or.written(r.newest), or.written(r.from))
		}
	}
}

// saturate applies S2 and S3 to a read of item i. It returns whether the relation grew, and false if
// there is a cycle.
func (or *order) saturate(cl *closure, i int32, r *resolved, writers []int32) (grew, ok bool) {
	add := func(a, b int32) bool {
		if cl.has(a, b) {
			return true
		}
		grew = true
		return cl.add(a, b)
	}
	for _, w := range writers {
		if w == r.from || w == i || or.items[w].thread == or.items[i].thread && !r.raw {
			continue
		}
		f := or.written(w)
		if r.from == none {
			if !add(i, f) {
				return grew, false
			}
			continue
		}
		source := or.written(r.from)
		if cl.has(f, i) && !add(f, source) || cl.has(source, f) && !add(i, f) {
			return grew, false
		}
	}
	return grew, true
}
