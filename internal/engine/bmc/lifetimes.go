package bmc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// When blocks are there. Each allocation and free runs at most once, so what an access
// finds is said about pairs of them: has this free taken effect when the access takes
// place, and was the block given again in between? For that two things are taken from
// the sequentialized program: the order in which threads leave locations, and the time
// of the clock when they do.
//
// A store or free that reaches memory after its block was freed is an error. The run
// that the formula describes goes on behind such an error as if nothing had happened, so
// questions about what comes later demand that there was none before (orderly).
//
// A thread that gets back a block whose free still waits in its own buffer takes the free
// back. Here such a free keeps its time, at which nothing happens.

// noteTime keeps the time of the clock at a point.
func (x *encoder) noteTime(l *location, now gate) {
	if w, ok := x.when[l]; ok {
		x.when[l] = x.muxWord(now, x.mem.now(), w)
	} else {
		x.when[l] = x.mem.now()
	}
}

// before is whether a thread leaves location a before another one, or the same, leaves
// b: of locations that are left at all.
func (x *encoder) before(t *thread, a *location, u *thread, b *location) gate {
	if t == u {
		if a.pos < b.pos {
			return high
		}
		return low
	}
	key := [2]*location{a, b}
	if g, ok := x.orders[key]; ok {
		return g
	}
	out := low
	for round := range u.turns {
		now := x.and(u.turn(round, b.pos), u.turn(round-1, b.pos).not())
		out = x.or(out, x.and(now, x.by(t, a, round, u, b)))
	}
	x.orders[key] = out
	return out
}

// follow ties the lifetimes of blocks to what happens to them.
func (x *encoder) follow() {
	for _, b := range x.flow.blocks {
		list, exists := x.heap.frees[b], low
		for _, e := range x.heap.fresh[b] {
			exists = x.or(exists, e.is)
		}
		for i := range list {
			f := &list[i]
			f.is = x.and(f.is, exists) // of blocks that lie at one address there is at most one
			if f.direct {
				f.ts = x.when[f.loc]
			} else {
				x.demand(x.less(f.ts, x.when[f.loc]).not(), f.is) // not before it was issued
			}
		}
	}
	for _, life := range x.heap.lives {
		late, dead := low, low
		for _, s := range life.spots {
			there := low
			for _, b := range x.flow.blocks {
				if !s.in(b) {
					continue
				}
				for _, e := range x.heap.fresh[b] {
					there = x.or(there, x.and(e.is, x.before(e.thread, e.loc, life.thread, life.loc)))
				}
				if life.dead != low {
					dead = x.or(dead, x.and(s.is, x.freed(b, life.thread, life.loc)))
				}
			}
			late = x.or(late, x.and(s.is, there.not()))
		}
		x.demand(x.same(life.early, late))
		if life.dead != low {
			x.demand(x.same(life.dead, dead))
		}
	}
	for _, b := range x.flow.blocks {
		for _, e := range x.heap.again[b] {
			x.demand(x.freed(b, e.thread, e.loc), e.is)
		}
	}
}

// freed is whether a block is free for a thread when it leaves a location: the thread
// has freed it, or another one has and that is in memory, and it was not given again.
func (x *encoder) freed(b *block, t *thread, l *location) gate {
	out := low
	for i := range x.heap.frees[b] {
		f := &x.heap.frees[b][i]
		g := x.and(f.is, x.effective(f, t, l))
		if g == low {
			continue
		}
		for _, r := range x.heap.again[b] {
			g = x.and(g, x.all(r.is, x.effective(f, r.thread, r.loc), x.before(r.thread, r.loc, t, l)).not())
		}
		out = x.or(out, g)
	}
	return out
}

// effective is whether a free holds for a thread that leaves a location.
func (x *encoder) effective(f *event, t *thread, l *location) gate {
	before := x.before(f.thread, f.loc, t, l)
	if f.thread == t || before == low {
		return before
	}
	return x.and(before, x.less(x.when[l], f.ts).not())
}

// comesLate is whether a store or free comes to memory when its block is free there. What the
// thread freed itself is no matter: it would not have come to store, and its stores
// are in memory before its free is.
func (x *encoder) comesLate(e *entry) gate {
	out := low
	for i := range x.heap.frees[e.block] {
		f := &x.heap.frees[e.block][i]
		if f.thread == e.thread {
			continue
		}
		first := x.or(x.less(f.ts, e.ts), x.and(x.equal(f.ts, e.ts), x.before(f.thread, f.loc, e.thread, e.loc)))
		g := x.all(e.is, f.is, first)
		for _, r := range x.heap.again[e.block] {
			inTime := x.or(x.before(r.thread, r.loc, e.thread, e.loc), x.less(x.when[r.loc], e.ts))
			g = x.and(g, x.all(r.is, x.effective(f, r.thread, r.loc), inTime).not())
		}
		out = x.or(out, g)
	}
	if !e.frees || out == low {
		return out
	}
	for _, r := range x.heap.again[e.block] { // taken back
		if r.thread == e.thread {
			out = x.and(out, x.all(r.is, x.before(e.thread, e.loc, r.thread, r.loc), x.less(x.when[r.loc], e.ts)).not())
		}
	}
	return out
}

// gone is whether a block is not there in the last state, with everything in memory.
func (x *encoder) gone(p place) gate {
	blocks := x.flow.blocksAt(p)
	if len(blocks) == 0 {
		return low
	}
	there, out := low, low
	for _, b := range blocks {
		for _, e := range x.heap.fresh[b] {
			there = x.or(there, e.is)
		}
		for i := range x.heap.frees[b] {
			f := &x.heap.frees[b][i]
			g := f.is
			for _, r := range x.heap.again[b] {
				g = x.and(g, x.and(r.is, x.effective(f, r.thread, r.loc)).not())
			}
			out = x.or(out, g)
		}
	}
	return x.or(out, there.not())
}

// late is a kind of error that stores or frees run into when they reach memory.
type late struct {
	class ir.CheckClass
	is    gate
	first gate // and nothing runs into another before
}

// lateErrors lists them.
func (x *encoder) lateErrors() []late {
	type failing struct {
		*entry
		is gate
	}
	kinds := map[ir.CheckClass][]failing{}
	for i := range x.heap.pending {
		e := &x.heap.pending[i]
		if g := x.comesLate(e); g != low {
			class := ir.UseAfterFree
			if e.frees {
				class = ir.DoubleFree
			}
			kinds[class] = append(kinds[class], failing{e, g})
		}
	}
	var out []late
	for _, pair := range [][2]ir.CheckClass{{ir.UseAfterFree, ir.DoubleFree}, {ir.DoubleFree, ir.UseAfterFree}} {
		l := late{class: pair[0], is: low, first: low}
		for _, e := range kinds[pair[0]] {
			first := e.is
			for _, o := range kinds[pair[1]] {
				first = x.and(first, x.or(o.is.not(), x.less(e.ts, o.ts)))
			}
			l.is, l.first = x.or(l.is, e.is), x.or(l.first, first)
		}
		if l.is != low {
			out = append(out, l)
		}
	}
	return out
}

// orderly is whether nothing runs into an error on its way to memory: up to the end of
// the run, or with all, ever.
func (x *encoder) orderly(all bool) gate {
	out := high
	for i := range x.heap.pending {
		e := &x.heap.pending[i]
		g := x.comesLate(e)
		if !all {
			g = x.and(g, x.less(x.mem.now(), e.ts).not())
		}
		out = x.and(out, g.not())
	}
	return out
}

// lateQuestions asks for errors on the way to memory.
func (x *encoder) lateQuestions() []question {
	var out []question
	for _, l := range x.lateErrors() {
		out = append(out, question{kind: engine.CheckFailed, is: l.is, late: l.class, first: l.first})
	}
	return out
}
