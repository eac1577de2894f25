package bmc

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Allocated memory [TNIFLP16 §IV]. Blocks lie at known addresses and their cells are
// tracked like any others. Whether a block is there when a thread comes to it is not kept
// per round like memory: it follows from the few allocations and frees of the block,
// each of which runs at most once. While threads are followed it is an input (lifetime);
// lifetimes.go says what it is.
//
// Differs from the paper, which has no free: a free is a store whose time is chosen like
// that of any other, and a freed block can be given again, by the rules of docs/models.md.

// heap is what happens to blocks.
type heap struct {
	fresh map[*block][]event
	again map[*block][]event
	frees map[*block][]event // nil if nothing is ever freed
	lives []*lifetime
	// pending is the stores and frees that find out when they reach memory whether their
	// block is still there.
	pending []entry
}

func newHeap() heap {
	return heap{fresh: map[*block][]event{}, again: map[*block][]event{}}
}

// event is something that happens to a block at a location of a thread.
type event struct {
	thread *thread
	loc    *location
	is     gate
	ts     word // of a free: when it reaches memory
	direct bool // of a free: at once
}

// again is a choice of an allocation to give a freed block.
type again struct {
	*block
	picks gate
}

// entry is a store or a free of a block while it waits to reach memory.
type entry struct {
	event
	*block
	frees bool
}

// lifetime is whether the blocks an access can go to are there.
type lifetime struct {
	thread *thread
	loc    *location
	spots  []spot
	early  gate // not allocated yet
	dead   gate // freed
}

// spot is a place in a block to which an access can go.
type spot struct {
	place
	is    gate
	begin bool // the block has to begin there
	stack bool // and be of this kind
}

// in reports whether a block is one the access can go to.
func (s spot) in(b *block) bool {
	if s.begin {
		return b.addr == s.addr && b.stack == s.stack
	}
	return b.contains(s.place)
}

// lifetime adds the inputs for an access. Places outside blocks are always there.
func (x *encoder) lifetime(t *thread, l *location, st *step, spots []spot) *lifetime {
	out := &lifetime{thread: t, loc: l, early: low, dead: low}
	for _, s := range spots {
		if !slices.ContainsFunc(x.flow.blocks, s.in) {
			continue
		}
		if out.early == low {
			out.early = x.input()
		}
		for _, b := range x.flow.blocks {
			if s.in(b) && b.freed && out.dead == low {
				out.dead = x.input()
				st.sees = x.or(st.sees, st.tries)
			}
		}
		out.spots = append(out.spots, s)
	}
	if len(out.spots) > 0 {
		x.heap.lives = append(x.heap.lives, out)
	}
	return out
}

// alloc gives the thread its next block, or one that was freed.
func (x *encoder) alloc(t *thread, l *location, st *step, s *local) {
	last := len(s.regs) - 1
	at := x.flow.threads[t.id].at[l.id]
	size := x.eval(x.scope(s), st.e.Op.Val)
	sizes := evalValues(x.prog, at, values{}, st.e.Op.Val)
	addr, used, rest := constWord(0), s.regs[last], st.tries
	most := at[len(t.f.Regs)].Hi
	for _, n := range sizes.set {
		for _, b := range x.flow.again(t.id, most, n, st.e.Op.Stack) {
			takes := x.all(rest, x.equal(size, constWord(n)), x.input())
			if takes == low {
				continue
			}
			rest = x.and(rest, takes.not())
			addr = x.muxWord(takes, constWord(int64(b.addr)), addr)
			st.again = append(st.again, again{b, takes})
			st.sees = st.tries
			x.heap.again[b] = append(x.heap.again[b], event{thread: t, loc: l, is: takes})
		}
	}
	for _, u := range at[len(t.f.Regs)].set {
		for _, n := range sizes.set {
			gives := x.all(rest, x.equal(s.regs[last], constWord(u)), x.equal(size, constWord(n)))
			if gives == low {
				continue
			}
			base, next := memory.FreshBlock(t.id, uint64(u), n)
			addr, used = x.muxWord(gives, constWord(int64(base)), addr), x.muxWord(gives, constWord(int64(next)), used)
			b := x.flow.blockOf(place{base, int(n)}, st.e.Op.Stack)
			x.heap.fresh[b] = append(x.heap.fresh[b], event{thread: t, loc: l, is: gives})
		}
	}
	s.regs[last] = used
	s.regs[st.e.Op.Dst] = addr
}

// free ends a block. It is a store of which only the time matters, behind a store-store
// fence.
func (x *encoder) free(t *thread, l *location, st *step, s *local) {
	addr := x.eval(x.scope(s), st.e.Op.Addr)
	null := x.equal(addr, constWord(0))
	var spots []spot
	known := low
	blocks := x.flow.starting(evalValues(x.prog, x.flow.threads[t.id].at[l.id], values{}, st.e.Op.Addr), st.e.Op.Stack)
	for i, b := range blocks {
		is := x.equal(addr, constWord(int64(b.addr)))
		known = x.or(known, is)
		if i == 0 || blocks[i-1].addr != b.addr {
			spots = append(spots, spot{place{b.addr, 1}, is, true, b.stack})
		}
	}
	life := x.lifetime(t, l, st, spots)
	good := x.and(known, life.early.not())
	x.fail(t, l, st, x.all(st.tries, null.not(), good.not()), ir.InvalidFree)
	x.fail(t, l, st, x.all(st.tries, good, life.dead), ir.DoubleFree)
	ends := x.all(st.tries, good, life.dead.not())
	st.runs = x.or(ends, x.and(st.tries, null))
	a := &access{direct: l.inner || x.model == memory.SC}
	if !a.direct {
		latest, floor := s.latest, s.floor
		x.mem.storeStore(s)
		x.mem.issue(s, a, ends)
		s.latest, s.floor = x.muxWord(null, latest, s.latest), x.muxWord(null, floor, s.floor)
	}
	st.access, st.ends = a, ends
	if x.heap.frees == nil {
		x.heap.frees = map[*block][]event{}
	}
	for _, b := range blocks {
		f := event{thread: t, loc: l, is: x.and(ends, x.equal(addr, constWord(int64(b.addr)))), ts: a.ts, direct: a.direct}
		x.heap.frees[b] = append(x.heap.frees[b], f)
		if !a.direct {
			x.heap.pending = append(x.heap.pending, entry{f, b, true})
		}
	}
}

// storesTo notes a store that can find its block freed when it reaches memory.
func (x *encoder) storesTo(t *thread, l *location, st *step, a *access) {
	if x.model == memory.SC {
		return
	}
	for _, g := range a.goals {
		for _, b := range x.flow.blocksAt(g.place) {
			if b.freed {
				x.heap.pending = append(x.heap.pending, entry{event{thread: t, loc: l, is: x.and(st.writes, g.is), ts: a.ts}, b, false})
			}
		}
	}
}
