package rf

import "slices"

// Revisits: a write that was just added is given to a read that was added before [KMGV22]. What was added
// after the read, and does not happen before the write, is taken away. A revisit is made only from the
// graph in which all of that, and the read, have canonical sources and first choices.

// readers returns how many reads could be given a write.
func readers(x *explorer, w *op) int {
	n := 0
	for c := range w.written() {
		for _, p := range x.g.cell(c).reads {
			if p.index < w.past[p.thread] {
				continue
			}
			if x.g.threads[p.thread][p.index].reads[p.k].pool {
				n += len(w.inPool(c))
			} else {
				n++
			}
		}
	}
	return n
}

// revisit gives the write of operation i of thread t to read k of operation j of thread u, which does not happen
// before it. seq is a witness of the graph without the write.
func (x *explorer) revisit(t, i, u, j, k int, seq []node) {
	w, o := &x.g.threads[t][i], &x.g.threads[u][j]
	r := &o.reads[k]
	if !r.pool {
		x.give(t, i, u, j, k, 0, seq)
		return
	}
	for _, b := range w.inPool(r.cell) {
		if !x.stopped() {
			x.give(t, i, u, j, k, b, seq)
		}
	}
}

// give makes a revisit. block is the block that an allocation uses then.
func (x *explorer) give(t, i, u, j, k int, block uint64, seq []node) {
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
	var g *graph
	if n := len(x.spare); n > 0 {
		g, x.spare = x.spare[n-1], x.spare[:n-1]
	} else {
		g = newGraph(len(x.g.threads))
	}
	x.g.restrictTo(g, &cut{before: r.stamp, past: w.past})
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
	old, mem := x.g, x.mem
	x.g = g
	x.drain(u, part)
	g.reindex()
	if !x.model.enter(g) {
		x.skip()
	} else if next, ok := x.change(seq); !ok {
		x.skip()
	} else if !x.share(0) {
		n := len(next)
		x.keep(n, n)
		x.visit(x.adopt(next))
		x.keep(-n, -n)
	}
	x.model.leave()
	x.g, x.mem = old, mem
	x.spare = append(x.spare, g)
}

// late is a part of a graph that a revisit takes away: a read, or the write of an operation.
type late struct {
	stamp int32
	t, i  int
	k     int // the read, or none
}

// maximal reports whether read k of operation j of thread u, and everything that was added after it
// and is not in past, has canonical sources and choices, and no read that was added earlier than its
// source would lose the source.
//
// Canonical sources come about in this way: a witness of what is kept, which is a function of it, is extended by
// what was added after the read, in the order in which it was added, and every read reads what memory holds at the end.
func (x *explorer) maximal(u, j, k int, past []int32) bool {
	r := &x.g.threads[u][j].reads[k]
	stamp := r.stamp
	if !r.pool && k == 0 && replaced(x, r, past) {
		return false
	}
	var parts []late
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
				if kept || r.stamp < stamp {
					continue
				}
				if r.pool && (r.from != initial || r.block != 0) || n == 0 && !r.pool && replaced(x, r, past) {
					return false
				}
				if !r.pool {
					parts = append(parts, late{r.stamp, t, i, n})
				}
			}
			if !kept && o.done > stamp && len(o.writes) > 0 {
				parts = append(parts, late{o.done, t, i, none})
			}
		}
	}
	slices.SortFunc(parts, func(a, b late) int { return int(a.stamp - b.stamp) })
	return canonical(x, parts, stamp, past) && !stalledInVain(x, stamp, past)
}

// replaced reports whether the source of a read is not the last write of its cell in the graph of what
// was added before, and of past, as far as that follows without a search.
func replaced(x *explorer, r *read, past []int32) bool {
	c := cut{before: r.stamp, past: past}
	at := x.g.cell(r.cell)
	for u, list := range at.by {
		if len(list) == 0 || r.from != initial && u != r.from.t() {
			continue
		}
		first := 0
		if r.from != initial {
			first = at.after(u, r.from.index+1)
		}
		for _, j := range list[first:] {
			o := &x.g.threads[u][j]
			if !c.whole(u, int(j), o) {
				break
			}
			if !o.direct() {
				return true
			}
		}
	}
	return false
}

// canonical reports whether parts, in the order in which they were added after a stamp, have their canonical sources.
func canonical(x *explorer, parts []late, stamp int32, past []int32) bool {
	if !slices.ContainsFunc(parts, func(p late) bool { return p.k != none }) {
		return true
	}
	seq, ok := x.witness(cut{before: stamp, past: past}, nil)
	if !ok {
		panic("BUG: a part of a graph has no witness")
	}
	end := atEnd(x)
	// last reports whether an operation with some reads can be the last one.
	last := func(reads []read) bool {
		return !slices.ContainsFunc(reads, func(r read) bool { return !r.pool && end[r.cell] != r.from })
	}
	for _, p := range parts {
		o := &x.g.threads[p.t][p.i]
		switch {
		case p.k == none && last(o.reads):
			for _, c := range o.writes {
				end[c] = refOf(p.t, p.i)
			}
		case p.k == none: // the operation stands further in front, as earlier reads of it demand
			if seq, ok = x.witness(cut{before: p.stamp + 1, past: past}, nil); !ok {
				return false
			}
			end = atEnd(x)
		case last(o.reads[:p.k]) || x.run.c11: // under c11 a read of the last write fits, whatever else the operation reads
			if end[o.reads[p.k].cell] != o.reads[p.k].from {
				return false
			}
		default:
			if x.model.holds(seq, node{thread: int32(p.t), index: int32(p.i)}, o.reads[p.k].cell) != o.reads[p.k].from {
				return false
			}
		}
	}
	return true
}

// atEnd returns the last write of each cell in the witness that was just found. The slice is valid until the next call.
func atEnd(x *explorer) []ref {
	x.end = x.end[:0]
	for c := range x.run.cells.count() {
		x.end = append(x.end, x.model.last(int32(c)))
	}
	return x.end
}
