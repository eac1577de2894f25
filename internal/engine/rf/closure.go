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
// A read-modify-write is one node that reads and writes, so two of them cannot read from one write:
// each would have to come before the other.

// closure is a relation between nodes, as a set of predecessors for each.
type closure struct {
	nodes  int
	words  int
	before []uint64
}

func (cl *closure) set(n int32) []uint64 {
	return cl.before[int(n)*cl.words : (int(n)+1)*cl.words]
}

func (cl *closure) has(a, b int32) bool { return cl.set(b)[a/64]>>(a%64)&1 != 0 }

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

// ready reports whether all predecessors of a node have happened.
func (cl *closure) ready(n int32, or *order) bool {
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
	n := 2 * len(or.items)
	cl := &closure{nodes: n, words: (n + 63) / 64}
	cl.before = make([]uint64, n*cl.words)
	if !or.base(cl) {
		return nil, false
	}
	if d != nil && !or.impose(cl, d) {
		return nil, false
	}
	writers := make([][]int32, or.cells)
	for i := range or.items {
		if it := &or.items[i]; it.whole {
			for _, c := range it.op.writes {
				writers[c] = append(writers[c], int32(i))
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range or.items {
			for k := or.items[i].from; k < or.items[i].to; k++ {
				grew, ok := or.saturate(cl, int32(i), &or.reads[k], writers[or.reads[k].cell])
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
func (or *order) base(cl *closure) bool {
	ok := true
	before := func(a, b int32) { ok = ok && cl.add(a, b) }
	count := int32(len(or.items))
	for t := range len(or.start) - 1 {
		for n := or.start[t]; n < or.start[t+1]; n++ {
			it := &or.items[n]
			if n > or.start[t] {
				before(n-1, n)
			}
			if it.whole && it.op.buffered {
				before(n, count+n)
			}
			for m := or.start[t]; m < n; m++ {
				d := &or.items[m]
				if !d.op.buffered {
					continue
				}
				if it.op.drains {
					before(count+m, n)
				}
				if it.whole && it.op.buffered && (or.model == memory.TSO || d.op.epoch < it.op.epoch || overlap(d.op.writes, it.op.writes)) {
					before(count+m, count+n)
				}
			}
		}
	}
	for i := range or.items {
		it := &or.items[i]
		for _, c := range it.op.causes {
			before(or.start[c.t()]+c.index, int32(i))
		}
		if u := it.op.join - 1; u >= 0 {
			for n := or.start[u]; n < or.start[u+1]; n++ {
				before(n, int32(i))
				if or.items[n].whole && or.items[n].op.buffered {
					before(count+n, int32(i))
				}
			}
		}
		for k := it.from; k < it.to; k++ {
			r := &or.reads[k]
			if r.from == none || or.items[r.from].thread == it.thread {
				continue
			}
			before(or.written(r.from), int32(i))
			if r.newest != none {
				before(or.written(r.newest), or.written(r.from))
			}
		}
	}
	return ok
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
		if w == r.from || w == i || or.items[w].thread == or.items[i].thread {
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
