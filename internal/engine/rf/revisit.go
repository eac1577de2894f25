package rf

import "slices"

// Revisits: a write that was just added is given to a read that was added before [KMGV22]. What was added
// after the read, and does not happen before the write, is taken away. A revisit is made only from the
// graph in which all of that, and the read, have canonical sources and first choices.

// readers returns how many reads could be given a write.
func (x *explorer) readers(w *op) int {
	n := 0
	for u := range x.g.threads {
		for j := int(w.past[u]); j < len(x.g.threads[u]); j++ {
			for k := range x.g.threads[u][j].reads {
				if r := &x.g.threads[u][j].reads[k]; r.pool {
					n += len(w.inPool(r.cell))
				} else if w.at(r.cell) >= 0 {
					n++
				}
			}
		}
	}
	return n
}

// revisit gives the write of operation i of thread t to read k of operation j of thread u, which does not happen
// before it.
func (x *explorer) revisit(t, i, u, j, k int) {
	w, o := &x.g.threads[t][i], &x.g.threads[u][j]
	r := &o.reads[k]
	if w.at(r.cell) < 0 || x.stopped() {
		return
	}
	if !r.pool {
		x.give(t, i, u, j, k, 0)
		return
	}
	for _, b := range w.inPool(r.cell) {
		x.give(t, i, u, j, k, b)
	}
}

// give makes a revisit. block is the block that an allocation uses then.
func (x *explorer) give(t, i, u, j, k int, block uint64) {
	w, o := &x.g.threads[t][i], &x.g.threads[u][j]
	r := &o.reads[k]
	stamp := w.done
	w.done = 0
	ok := x.maximal(u, j, k, w.past)
	w.done = stamp
	if !ok {
		x.skip()
		return
	}
	g := x.g.restrict(&cut{before: r.stamp, past: w.past})
	if len(g.threads[u]) <= j { // the read is the first part of its operation
		part := *o
		g.threads[u] = append(g.threads[u], part)
	}
	part := &g.threads[u][j]
	part.forget()
	part.label, part.choices = o.label, o.choices
	part.unchoose(func(stamp int32) bool { return stamp > r.stamp })
	if part.unit.is {
		part.cells, part.unit.stalled = o.cells[:k+1:k+1], 0
	} else {
		part.label = part.picked
	}
	part.reads = append(slices.Clone(o.reads[:k]), read{cell: r.cell, stamp: r.stamp, from: refOf(t, i), pool: r.pool, block: block})
	old := x.g
	x.g = g
	x.drain(u, part)
	if next, ok := x.witness(cut{}, nil); !ok {
		x.skip()
	} else if !x.share(0) {
		n := len(next)
		x.keep(n, n)
		x.visit(slices.Clone(next))
		x.keep(-n, -n)
	}
	x.g = old
}

// maximal reports whether read k of operation j of thread u, and everything that was added after it
// and is not in past, has canonical sources and choices, and no read that was added earlier than its
// source would lose the source.
func (x *explorer) maximal(u, j, k int, past []int32) bool {
	stamp := x.g.threads[u][j].reads[k].stamp
	type late struct{ t, i, k int }
	var check []late
	for t := range x.g.threads {
		for i := range x.g.threads[t] {
			o := &x.g.threads[t][i]
			kept := i < int(past[t])
			if !kept && (o.later && o.pick > stamp || slices.ContainsFunc(o.choices, func(c choice) bool { return c.later && c.stamp > stamp })) {
				return false
			}
			for n := range o.reads {
				r := &o.reads[n]
				if v := r.from; v != initial && int(v.index) >= int(past[v.t()]) {
					if d := x.g.op(v).done; d > stamp && r.stamp < d {
						return false
					}
				}
				if !kept && r.stamp >= stamp {
					if r.pool && (r.from != initial || r.block != 0) || n == 0 && !r.pool && x.replaced(r, past) {
						return false
					}
					if !r.pool {
						check = append(check, late{t, i, n})
					}
				}
			}
		}
	}
	for _, l := range check {
		if !x.canonical(l.t, l.i, l.k, past) {
			return false
		}
	}
	return !stalledInVain(x, stamp, past)
}

// replaced reports whether the source of a read is not the last write of its cell in the graph of what
// was added before, and of past, as far as that follows without a search.
func (x *explorer) replaced(r *read, past []int32) bool {
	c := cut{before: r.stamp, past: past}
	for u := range x.g.threads {
		if r.from != initial && u != r.from.t() {
			continue
		}
		first := 0
		if r.from != initial {
			first = int(r.from.index) + 1
		}
		for j := first; j < len(x.g.threads[u]); j++ {
			if o := &x.g.threads[u][j]; o.at(r.cell) >= 0 && c.whole(u, j, o) && !o.direct() {
				return true
			}
		}
	}
	return false
}

// canonical reports whether read k of operation i of thread t has its canonical source in the graph of
// what was added before, and of past.
func (x *explorer) canonical(t, i, k int, past []int32) bool {
	r := &x.g.threads[t][i].reads[k]
	seq, ok := x.witness(cut{before: r.stamp, past: past}, nil)
	if !ok {
		panic("BUG: a part of a graph has no witness")
	}
	if x.find.lastIn(x.g.threads[t][i].reads[:k]) {
		return x.find.refOf(x.find.now.mem[r.cell]) == r.from
	}
	return x.sourceAt(seq, node{thread: int32(t), index: int32(i)}, r.cell) == r.from
}
