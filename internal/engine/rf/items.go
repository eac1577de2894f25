package rf

// The operations of a graph as items of a simulation, with the sources of their reads.

// build lists the operations of a cut.
func (or *order) build(g *graph, c *cut) {
	or.g, or.bad = g, false
	or.items, or.start, or.reads, or.globals = or.items[:0], or.start[:0], or.reads[:0], or.globals[:0]
	left := int32(0)
	for t := range g.threads {
		or.start = append(or.start, int32(len(or.items)))
		for i := range g.threads[t] {
			o := &g.threads[t][i]
			if !c.some(t, i, o) {
				break
			}
			it := item{op: o, thread: int32(t), index: int32(i), whole: c.whole(t, i, o), left: left}
			it.direct = it.whole && !o.buffered && len(o.writes) > 0
			if it.whole {
				left += int32(len(o.writes))
			}
			if o.global {
				or.globals = append(or.globals, int32(len(or.items)))
			}
			or.items = append(or.items, it)
			if !it.whole {
				break
			}
		}
	}
	or.start = append(or.start, int32(len(or.items)))
	or.now.left = append(or.now.left[:0], make([]int32, left)...)
	or.resolve(c)
	*or.work += buildCost * int64(len(or.items))
}

// resolve finds the sources of the reads.
func (or *order) resolve(c *cut) {
	or.lastBy = or.lastBy[:0]
	for range or.cells {
		or.lastBy = append(or.lastBy, none)
	}
	or.now.first = append(or.now.first[:0], make([]int32, or.cells)...)
	for n := range or.items {
		it := &or.items[n]
		it.from = int32(len(or.reads))
		for k := range it.op.reads {
			r := &it.op.reads[k]
			if !it.whole && !c.has(int(it.thread), int(it.index), r.stamp) {
				break
			}
			out := resolved{cell: r.cell, from: none, newest: none, block: r.pool, raw: it.op.again}
			if n := or.lastBy[r.cell]; n >= or.start[it.thread] && !out.block && !out.raw {
				out.newest = n
			}
			if r.from != initial {
				out.from = or.start[r.from.t()] + r.from.index
			}
			direct := out.from != none && or.items[out.from].op.direct()
			if out.newest != none && out.from != out.newest && !direct && (out.from == none || or.items[out.from].thread == it.thread) {
				or.bad = true
				return
			}
			or.reads = append(or.reads, out)
		}
		it.to = int32(len(or.reads))
		if it.whole {
			for _, c := range it.op.writes {
				if !it.op.direct() {
					or.lastBy[c] = int32(n)
				}
			}
		}
	}
}
