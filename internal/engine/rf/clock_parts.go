package rf

import (
	"sort"

	"fencepost/internal/memory"
)

// Adding parts of operations to the relation of clocks.go.

// node adds a node.
func (cl *clocks) node(p point) int32 {
	n := int32(len(cl.nodes))
	p.out = none
	cl.nodes = append(cl.nodes, p)
	if p.chain >= 0 {
		cl.chains[p.chain] = append(cl.chains[p.chain], n)
	}
	cl.trail = append(cl.trail, change{kind: newNode})
	return n
}

// begin adds operation i of thread t, without its reads and its write.
func (cl *clocks) begin(t, i int) bool {
	o := &cl.g.threads[t][i]
	n := cl.node(point{chain: int32(t), at: int32(i), thread: int32(t)})
	cl.ops[t], cl.ups[t] = append(cl.ops[t], n), append(cl.ups[t], none)
	ok := i == 0 || cl.add(cl.ops[t][i-1], n)
	for _, c := range o.causes {
		ok = ok && cl.add(cl.ops[c.t()][c.index], n)
	}
	return ok && (!o.drains || o.again || cl.drained(t, n)) && cl.grow()
}

// drained puts the updates of thread t before a node.
func (cl *clocks) drained(t int, n int32) bool {
	for _, c := range cl.updates[t] {
		if k := len(cl.chains[c]); k > 0 && !cl.add(cl.chains[c][k-1], n) {
			return false
		}
	}
	return true
}

// read adds the next read of operation i of thread t, which has it. It returns false if the graph has no witness then.
func (cl *clocks) read(t, i int) bool {
	o := &cl.g.threads[t][i]
	n := cl.ops[t][i]
	r := &o.reads[cl.nodes[n].reads]
	cl.nodes[n].reads++
	cl.trail = append(cl.trail, change{kind: newRead, a: n})
	if o.again && o.drains && !cl.drained(t, n) {
		return false
	}
	if r.pool {
		return (r.from == initial || r.from.t() == t || cl.add(cl.source(r), n)) && cl.grow()
	}
	cl.at(r.cell)
	return cl.from(t, n, o, r) && cl.older(n, o, r) && cl.overwrites(n, o, r) && cl.grow()
}

// from puts the source of a read before it, and notes the read.
func (cl *clocks) from(t int, n int32, o *op, r *read) bool {
	source := cl.source(r)
	if mine := cl.forwarded(t, o, r.cell); mine != none {
		foreign := source != none && (r.from.t() != t || cl.g.op(r.from).direct())
		if !foreign && source != mine || foreign && r.from.t() != t && !cl.add(mine, source) {
			return false
		}
	}
	if source == none {
		cl.noteFirst(r.cell, n)
		return true
	}
	if (r.from.t() != t || o.again) && source != n && !cl.add(source, n) {
		return false
	}
	cl.noteReader(r.cell, source, n)
	return true
}

// forwarded returns the node of the newest write of a cell by thread t that the next operation of the thread would read
// from the buffer, or none.
func (cl *clocks) forwarded(t int, o *op, c int32) int32 {
	if o.again {
		return none
	}
	best := int32(none)
	at := &cl.cells[c]
	for k := range at.chains {
		if at.chains[k].thread != int32(t) {
			continue
		}
		list := at.chains[k].list
		for j := len(list) - 1; j >= 0; j-- {
			n := list[j].node
			if best != none && cl.nodes[n].at <= cl.nodes[best].at {
				break
			}
			if !cl.op(n).direct() {
				best = n
				break
			}
		}
	}
	return best
}

// find returns where the write of a cell at a node is listed.
func (cl *clocks) find(c, n int32) (chain, k int) {
	at := &cl.cells[c]
	for chain := range at.chains {
		w := &at.chains[chain]
		if w.chain != cl.nodes[n].chain || w.thread != cl.nodes[n].thread {
			continue
		}
		k := sort.Search(len(w.list), func(k int) bool { return cl.nodes[w.list[k].node].at >= cl.nodes[n].at })
		if k < len(w.list) && w.list[k].node == n {
			return chain, k
		}
	}
	panic("BUG: a read from an operation that does not write the cell")
}

// noteReader notes that the operation at node n reads a cell from the write at a source.
func (cl *clocks) noteReader(c, source, n int32) {
	chain, k := cl.find(c, source)
	w := &cl.cells[c].chains[chain].list[k]
	if j := cl.same(w.readers, cl.nodes[n].thread); j >= 0 {
		old := cl.room.take(2)
		old[0], old[1] = int32(j), w.readers[j]
		cl.trail = append(cl.trail, change{kind: otherReader, a: c, b: int32(chain), n: int32(k), clock: old})
		w.readers[j] = n
		return
	}
	w.readers = append(w.readers, n)
	cl.trail = append(cl.trail, change{kind: newReader, a: c, b: int32(chain), n: int32(k)})
}

// noteFirst notes that the operation at node n reads the initial value of a cell.
func (cl *clocks) noteFirst(c, n int32) {
	at := &cl.cells[c]
	if j := cl.same(at.first, cl.nodes[n].thread); j >= 0 {
		cl.trail = append(cl.trail, change{kind: otherFirst, a: c, b: int32(j), n: at.first[j]})
		at.first[j] = n
		return
	}
	at.first = append(at.first, n)
	cl.trail = append(cl.trail, change{kind: newFirst, a: c})
}

// overwrites applies S3 to a new read: it comes before the first write of each chain that comes after its source.
func (cl *clocks) overwrites(n int32, o *op, r *read) bool {
	source := cl.source(r)
	at := &cl.cells[r.cell]
	for k := range at.chains {
		w := &at.chains[k]
		if w.thread == cl.nodes[n].thread && !o.again {
			continue
		}
		first := 0
		if source != none {
			first = sort.Search(len(w.list), func(k int) bool { return cl.has(source, w.list[k].node) })
		}
		if first < len(w.list) && w.list[first].node != n && !cl.add(n, w.list[first].node) {
			return false
		}
	}
	return true
}

// join puts a thread that has ended before operation i of thread t, which joins it.
func (cl *clocks) join(t, i int) bool {
	n, u := cl.ops[t][i], int(cl.g.threads[t][i].join)-1
	if k := len(cl.ops[u]); k > 0 && !cl.add(cl.ops[u][k-1], n) {
		return false
	}
	return cl.drained(u, n) && cl.grow()
}

// write adds the write of operation i of thread t. It returns false if the graph has no witness then.
func (cl *clocks) write(t, i int) bool {
	o := &cl.g.threads[t][i]
	n := cl.ops[t][i]
	if o.buffered {
		up := cl.node(point{chain: cl.chainOf(int32(t), o), at: int32(i), thread: int32(t), update: true, writes: true})
		cl.ups[t][i] = up
		if !cl.add(n, up) || !cl.inBuffer(t, up, o) {
			return false
		}
		n = up
	} else {
		cl.nodes[n].writes = true
		cl.trail = append(cl.trail, change{kind: nowWrites, a: n})
	}
	for c := range o.written() {
		cl.list(c, n)
	}
	for _, c := range o.writes {
		if !cl.readBefore(n, c) || !cl.allBefore(cl.cells[c].first, n) || cl.nodes[n].out != none && !cl.olderAfter(n, c) {
			return false
		}
	}
	return cl.grow()
}

// list notes that node n writes a cell.
func (cl *clocks) list(c, n int32) {
	p, at := &cl.nodes[n], cl.at(c)
	chain := -1
	for k := range at.chains {
		if at.chains[k].chain == p.chain && at.chains[k].thread == p.thread {
			chain = k
		}
	}
	if chain < 0 {
		chain = len(at.chains)
		if chain < cap(at.chains) {
			at.chains = at.chains[:chain+1]
			at.chains[chain] = writesOf{chain: p.chain, thread: p.thread, list: at.chains[chain].list[:0]}
		} else {
			at.chains = append(at.chains, writesOf{chain: p.chain, thread: p.thread})
		}
	}
	w := &at.chains[chain]
	if k := len(w.list); k < cap(w.list) {
		w.list = w.list[:k+1]
		w.list[k] = written{node: n, readers: w.list[k].readers[:0]}
	} else {
		w.list = append(w.list, written{node: n})
	}
	cl.trail = append(cl.trail, change{kind: newWrite, a: c, b: int32(chain)})
}

// olderAfter applies S2 to the reads of a cell that come after node n, which has just become a write of it.
func (cl *clocks) olderAfter(n, c int32) bool {
	at := &cl.cells[c]
	again := func(readers []int32) bool {
		for _, r := range readers {
			if cl.has(n, r) && !cl.rules(r) {
				return false
			}
		}
		return true
	}
	for k := range at.chains {
		for j := range at.chains[k].list {
			if !again(at.chains[k].list[j].readers) {
				return false
			}
		}
	}
	return again(at.first)
}

// inBuffer puts the updates of thread t that leave the buffer first before an update of its.
func (cl *clocks) inBuffer(t int, up int32, o *op) bool {
	for _, c := range cl.updates[t] {
		list := cl.chains[c]
		if len(list) > 0 && list[len(list)-1] == up {
			list = list[:len(list)-1]
		}
		k := len(list)
		if cl.model == memory.PSO && c != cl.nodes[up].chain {
			k = sort.Search(len(list), func(k int) bool { return cl.op(list[k]).epoch >= o.epoch })
		}
		if k > 0 && !cl.add(list[k-1], up) {
			return false
		}
	}
	if cl.model != memory.PSO {
		return true
	}
	for _, c := range o.writes {
		at := cl.at(c)
		for k := range at.chains {
			w := &at.chains[k]
			if j := len(w.list); w.thread == int32(t) && j > 0 && cl.nodes[w.list[j-1].node].update && w.list[j-1].node != up && !cl.add(w.list[j-1].node, up) {
				return false
			}
		}
	}
	return true
}

// impose adds a demand to the relation of a whole cut. It returns false if there is no witness that meets it.
func (cl *clocks) impose(d *demand) bool {
	for _, r := range d.last {
		last := cl.ops[r.t()][r.index]
		for n := range int32(len(cl.nodes)) {
			if p := &cl.nodes[n]; !p.update && cl.isLast(d, p) {
				continue
			}
			if !cl.add(n, last) {
				return false
			}
		}
	}
	if u := d.updates; u[0] != initial && !cl.add(cl.reaches(u[0].t(), int(u[0].index)), cl.reaches(u[1].t(), int(u[1].index))) {
		return false
	}
	for _, f := range d.finals {
		by := cl.reaches(f.by.t(), int(f.by.index))
		at := cl.at(f.cell)
		for k := range at.chains {
			for _, w := range at.chains[k].list {
				if w.node != by && !cl.add(w.node, by) {
					return false
				}
			}
		}
	}
	return cl.grow()
}

func (cl *clocks) isLast(d *demand, p *point) bool {
	for _, r := range d.last {
		if r == refOf(int(p.thread), int(p.at)) {
			return true
		}
	}
	return false
}

// build makes the relation that of the part of a graph in a cut. It returns false if that has no witness.
func (cl *clocks) build(g *graph, c *cut) bool {
	cl.reset(g)
	for moved := true; moved; {
		moved = false
		for t := range g.threads {
			for i := len(cl.ops[t]); i < len(g.threads[t]) && c.some(t, i, &g.threads[t][i]) && cl.ready(c, t, i); i++ {
				if !cl.whole(c, t, i) {
					return false
				}
				moved = true
				if !c.whole(t, i, &g.threads[t][i]) {
					break
				}
			}
		}
	}
	for t := range g.threads {
		if i := len(cl.ops[t]); i < len(g.threads[t]) && c.some(t, i, &g.threads[t][i]) && (i == 0 || c.whole(t, i-1, &g.threads[t][i-1])) {
			return false // it happens before itself
		}
	}
	return true
}

// ready reports whether everything that operation i of thread t needs has been added.
func (cl *clocks) ready(c *cut, t, i int) bool {
	o := &cl.g.threads[t][i]
	if i > 0 && !c.whole(t, i-1, &cl.g.threads[t][i-1]) {
		return false
	}
	has := func(r ref) bool { return r == initial || int(r.index) < len(cl.ops[r.t()]) }
	for k := range o.reads {
		if !has(o.reads[k].from) && (c.whole(t, i, o) || c.has(t, i, o.reads[k].stamp)) {
			return false
		}
	}
	for _, r := range o.causes {
		if !has(r) {
			return false
		}
	}
	for _, r := range o.ended {
		if c.whole(t, i, o) && !has(r) {
			return false
		}
	}
	return true
}

// whole adds the parts of operation i of thread t that belong to a cut.
func (cl *clocks) whole(c *cut, t, i int) bool {
	o := &cl.g.threads[t][i]
	if !cl.begin(t, i) {
		return false
	}
	whole := c.whole(t, i, o)
	for k := range o.reads {
		if !whole && !c.has(t, i, o.reads[k].stamp) {
			break
		}
		if !cl.read(t, i) {
			return false
		}
	}
	if !whole {
		return true
	}
	if o.ended != nil && !cl.join(t, i) {
		return false
	}
	return len(o.writes) == 0 || cl.write(t, i)
}
