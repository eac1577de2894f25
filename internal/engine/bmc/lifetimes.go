package bmc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// When blocks exist. Each allocation and free runs at most once, so the encoding is about pairs of
// an access and a free: has this free taken effect when the access happens, and was the block
// allocated again in between? For that it uses the order in which threads leave locations, and the
// time of the clock when they do.
//
// A store or free that reaches memory after its block was freed is an error. The execution of
// the formula continues after such an error as if nothing had happened. So questions about later
// states demand that no such error came before (orderly).
//
// A thread may get a block back whose free is still in its buffer, and the free is taken back. In
// the encoding such a free keeps its time, and nothing happens then.

// lifetimes encodes when blocks are there.
type lifetimes struct {
	x      *encoder
	when   map[*location]word    // the time at which a thread leaves a location
	orders map[[2]*location]gate // results of before
	fresh  map[*block][]event    // allocations that return a block for the first time
	again  map[*block][]event    // allocations that return a freed block
	frees  map[*block][]event    // nil if the program frees no block
	lives  []*lifetime
	// pending has the stores and frees whose block may be gone when they reach memory.
	pending []entry
}

func newLifetimes(x *encoder) *lifetimes {
	return &lifetimes{x: x, when: map[*location]word{}, orders: map[[2]*location]gate{}, fresh: map[*block][]event{}, again: map[*block][]event{}}
}

// noteTime notes the time of the clock at a point.
func (lf *lifetimes) noteTime(l *location, now gate) {
	if w, ok := lf.when[l]; ok {
		lf.when[l] = lf.x.c.muxWord(now, lf.x.mem.now(), w)
	} else {
		lf.when[l] = lf.x.mem.now()
	}
}

// before returns whether thread t leaves location a before thread u, which may be the same, leaves
// b. Both locations are left.
func (lf *lifetimes) before(t *thread, a *location, u *thread, b *location) gate {
	if t == u {
		if a.pos < b.pos {
			return high
		}
		return low
	}
	if o := lf.x.order; o != nil {
		return o.first(o.leaving(a), o.leaving(b))
	}
	key := [2]*location{a, b}
	if g, ok := lf.orders[key]; ok {
		return g
	}
	out := low
	for round := range u.turns {
		now := lf.x.c.and(u.turn(round, b.pos), u.turn(round-1, b.pos).not())
		out = lf.x.c.or(out, lf.x.c.and(now, lf.x.by(t, a, round, u, b)))
	}
	lf.orders[key] = out
	return out
}

// constrain ties the lifetimes of blocks to their allocations and frees.
func (lf *lifetimes) constrain() {
	for _, b := range lf.x.flow.blocks {
		list, exists := lf.frees[b], low
		for _, e := range lf.fresh[b] {
			exists = lf.x.c.or(exists, e.is)
		}
		for i := range list {
			f := &list[i]
			f.is = lf.x.c.and(f.is, exists) // an execution has at most one of the blocks at an address
			if f.direct {
				f.ts = lf.when[f.loc]
			} else {
				lf.x.c.demand(lf.x.c.less(f.ts, lf.when[f.loc]).not(), f.is) // not before it was issued
			}
		}
	}
	for _, life := range lf.lives {
		late, dead := low, low
		for _, s := range life.spots {
			there := low
			for _, b := range lf.x.flow.blocks {
				if !s.in(b) {
					continue
				}
				for _, e := range lf.fresh[b] {
					there = lf.x.c.or(there, lf.x.c.and(e.is, lf.before(e.thread, e.loc, life.thread, life.loc)))
				}
				if life.dead != low {
					dead = lf.x.c.or(dead, lf.x.c.and(s.is, lf.freed(b, life.thread, life.loc)))
				}
			}
			late = lf.x.c.or(late, lf.x.c.and(s.is, there.not()))
		}
		lf.x.c.demand(lf.x.c.same(life.early, late))
		if life.dead != low {
			lf.x.c.demand(lf.x.c.same(life.dead, dead))
		}
	}
	for _, b := range lf.x.flow.blocks {
		for _, e := range lf.again[b] {
			lf.x.c.demand(lf.freed(b, e.thread, e.loc), e.is)
		}
	}
}

// freed returns whether a block is freed for a thread when it leaves a location: the thread has
// freed it, or another thread has and the free is in memory, and it was not allocated again.
func (lf *lifetimes) freed(b *block, t *thread, l *location) gate {
	out := low
	for i := range lf.frees[b] {
		f := &lf.frees[b][i]
		g := lf.x.c.and(f.is, lf.effective(f, t, l))
		if g == low {
			continue
		}
		for _, r := range lf.again[b] {
			g = lf.x.c.and(g, lf.x.c.all(r.is, lf.effective(f, r.thread, r.loc), lf.before(r.thread, r.loc, t, l)).not())
		}
		out = lf.x.c.or(out, g)
	}
	return out
}

// effective returns whether a free has taken effect for a thread that leaves a location.
func (lf *lifetimes) effective(f *event, t *thread, l *location) gate {
	before := lf.before(f.thread, f.loc, t, l)
	if f.thread == t || before == low {
		return before
	}
	return lf.x.c.and(before, lf.x.c.less(lf.when[l], f.ts).not())
}

// comesLate returns whether a store or free reaches memory after its block was freed there. Frees
// of the same thread do not count: a store after them fails at once, and stores before them reach
// memory earlier.
func (lf *lifetimes) comesLate(e *entry) gate {
	out := low
	for i := range lf.frees[e.block] {
		f := &lf.frees[e.block][i]
		if f.thread == e.thread {
			continue
		}
		first := lf.x.c.or(lf.x.c.less(f.ts, e.ts), lf.x.c.and(lf.x.c.equal(f.ts, e.ts), lf.before(f.thread, f.loc, e.thread, e.loc)))
		g := lf.x.c.all(e.is, f.is, first)
		for _, r := range lf.again[e.block] {
			inTime := lf.x.c.or(lf.before(r.thread, r.loc, e.thread, e.loc), lf.x.c.less(lf.when[r.loc], e.ts))
			g = lf.x.c.and(g, lf.x.c.all(r.is, lf.effective(f, r.thread, r.loc), inTime).not())
		}
		out = lf.x.c.or(out, g)
	}
	if !e.frees || out == low {
		return out
	}
	for _, r := range lf.again[e.block] { // taken back
		if r.thread == e.thread {
			out = lf.x.c.and(out, lf.x.c.all(r.is, lf.before(e.thread, e.loc, r.thread, r.loc), lf.x.c.less(lf.when[r.loc], e.ts)).not())
		}
	}
	return out
}

// gone returns whether bytes belong to a block that does not exist in the last state, with all
// stores in memory.
func (lf *lifetimes) gone(p byteRange) gate {
	blocks := lf.x.flow.blocksAt(p)
	if len(blocks) == 0 {
		return low
	}
	there, out := low, low
	for _, b := range blocks {
		for _, e := range lf.fresh[b] {
			there = lf.x.c.or(there, e.is)
		}
		for i := range lf.frees[b] {
			f := &lf.frees[b][i]
			g := f.is
			for _, r := range lf.again[b] {
				g = lf.x.c.and(g, lf.x.c.and(r.is, lf.effective(f, r.thread, r.loc)).not())
			}
			out = lf.x.c.or(out, g)
		}
	}
	return lf.x.c.or(out, there.not())
}

// late is a class of errors of stores or frees when they reach memory.
type late struct {
	class ir.CheckClass
	is    gate
	first gate // it happens, and no error of another class before it
}

// lateErrors returns the classes that are possible.
func (lf *lifetimes) lateErrors() []late {
	type failing struct {
		*entry
		is gate
	}
	kinds := map[ir.CheckClass][]failing{}
	for i := range lf.pending {
		e := &lf.pending[i]
		if g := lf.comesLate(e); g != low {
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
				first = lf.x.c.and(first, lf.x.c.or(o.is.not(), lf.x.c.less(e.ts, o.ts)))
			}
			l.is, l.first = lf.x.c.or(l.is, e.is), lf.x.c.or(l.first, first)
		}
		if l.is != low {
			out = append(out, l)
		}
	}
	return out
}

// orderly returns whether no store or free has an error when it reaches memory: up to the end of
// the execution, or with all, ever.
func (lf *lifetimes) orderly(all bool) gate {
	out := high
	for i := range lf.pending {
		e := &lf.pending[i]
		g := lf.comesLate(e)
		if !all {
			g = lf.x.c.and(g, lf.x.c.less(lf.x.mem.now(), e.ts).not())
		}
		out = lf.x.c.and(out, g.not())
	}
	return out
}

// lateQuestions returns the questions for errors of stores and frees when they reach memory.
func (lf *lifetimes) lateQuestions() []question {
	var out []question
	for _, l := range lf.lateErrors() {
		out = append(out, question{kind: engine.CheckFailed, is: l.is, late: l.class, first: l.first})
	}
	return out
}
