package bmc

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Allocated memory [TNIFLP16 §IV]. Blocks are at known addresses, and their cells are tracked like
// others. Whether a block exists when a thread accesses it is not kept per round like memory. It is
// determined by the few allocations and frees of the block, each of which runs at most once. While
// a thread is encoded it is an input (lifetime); lifetimes.go constrains this input.
//
// Differs from the paper, which has no free: a free is a store with a timestamp like any other, and
// a freed block can be allocated again, by the rules of docs/models.md.

// event is an allocation or a free of a block, at a location of a thread.
type event struct {
	thread *thread
	loc    *location
	is     gate
	ts     word // of a free: when it reaches memory
	direct bool // of a free: at once
}

// again is a freed block that an allocation can return, and the condition under which it does.
type again struct {
	*block
	picks gate
}

// entry is a store to a block, or a free of it, in a buffer.
type entry struct {
	event
	*block
	frees bool
}

// lifetime says whether the blocks that an access can go to exist.
type lifetime struct {
	thread *thread
	loc    *location
	spots  []spot
	early  gate // not allocated yet
	dead   gate // freed
}

// spot is an address in a block that an access can go to.
type spot struct {
	byteRange
	is    gate
	begin bool // the block has to begin at the address
	stack bool // and be of this kind
}

// in reports whether the access can go to a block.
func (s spot) in(b *block) bool {
	if s.begin {
		return b.addr == s.addr && b.stack == s.stack
	}
	return b.contains(s.byteRange)
}

// lifetime adds the inputs for an access. Memory outside blocks always exists.
func (lf *lifetimes) lifetime(t *thread, l *location, st *step, spots []spot) *lifetime {
	out := &lifetime{thread: t, loc: l, early: low, dead: low}
	for _, s := range spots {
		if !slices.ContainsFunc(lf.x.flow.blocks, s.in) {
			continue
		}
		if out.early == low {
			out.early = lf.x.c.input()
		}
		for _, b := range lf.x.flow.blocks {
			if s.in(b) && b.freed && out.dead == low {
				out.dead = lf.x.c.input()
				st.sees = lf.x.c.or(st.sees, st.tries)
			}
		}
		out.spots = append(out.spots, s)
	}
	if len(out.spots) > 0 {
		lf.lives = append(lf.lives, out)
	}
	return out
}

// alloc encodes an allocation: it returns the thread's next block, or one that was freed.
func (x *encoder) alloc(t *thread, l *location, st *step, s *local) {
	last := ir.Reg(len(t.f.Regs) + len(x.poolList))
	at := x.flow.threads[t.id].at[l.id]
	size := x.c.eval(x.scope(s), st.e.Op.Val)
	sizes := evalValues(x.prog, at, values{}, st.e.Op.Val)
	addr, before, rest := constWord(0), s.regs.at(int(last)), st.tries
	used := before
	allocated := at.at(len(t.f.Regs))
	most := allocated.Hi
	for _, n := range sizes.set {
		for _, b := range x.flow.again(t.id, most, n, &st.e.Op) {
			takes := x.c.all(rest, x.c.equal(size, constWord(n)), x.c.input())
			if takes == low {
				continue
			}
			rest = x.c.and(rest, takes.not())
			addr = x.c.muxWord(takes, constWord(int64(b.addr)), addr)
			st.again = append(st.again, again{b, takes})
			st.sees = st.tries
			x.lifetimes.again[b] = append(x.lifetimes.again[b], event{thread: t, loc: l, is: takes})
		}
	}
	for _, u := range allocated.set {
		for _, n := range sizes.set {
			gives := x.c.all(rest, x.c.equal(before, constWord(u)), x.c.equal(size, constWord(n)))
			if gives == low {
				continue
			}
			base, next := memory.FreshBlock(t.id, uint64(u), n, &st.e.Op)
			addr, used = x.c.muxWord(gives, constWord(int64(base)), addr), x.c.muxWord(gives, constWord(int64(next)), used)
			b := x.flow.blockOf(byteRange{base, int(n)}, st.e.Op.Block.Stack)
			x.lifetimes.fresh[b] = append(x.lifetimes.fresh[b], event{thread: t, loc: l, is: gives})
		}
	}
	s.set(last, used)
	s.set(st.e.Op.Dst, addr)
}

// free encodes a free. It is a store of which only the time matters, after a store-store fence.
func (x *encoder) free(t *thread, l *location, st *step, s *local) {
	addr := x.c.eval(x.scope(s), st.e.Op.Addr)
	null := x.c.equal(addr, constWord(0))
	var spots []spot
	known := low
	blocks := x.flow.starting(evalValues(x.prog, x.flow.threads[t.id].at[l.id], values{}, st.e.Op.Addr), st.e.Op.Block.Stack)
	for i, b := range blocks {
		is := x.c.equal(addr, constWord(int64(b.addr)))
		known = x.c.or(known, is)
		if i == 0 || blocks[i-1].addr != b.addr {
			spots = append(spots, spot{byteRange{b.addr, 1}, is, true, b.stack})
		}
	}
	life := x.lifetimes.lifetime(t, l, st, spots)
	good := x.c.and(known, life.early.not())
	x.fail(t, l, st, x.c.all(st.tries, null.not(), good.not()), ir.InvalidFree)
	x.fail(t, l, st, x.c.all(st.tries, good, life.dead), ir.DoubleFree)
	ends := x.c.all(st.tries, good, life.dead.not())
	st.runs = x.c.or(ends, x.c.and(st.tries, null))
	a := &access{direct: l.inner || x.model == memory.SC}
	if !a.direct {
		latest, floor := s.latest, s.floor
		x.mem.storeStore(s)
		x.mem.issue(s, a, ends)
		s.latest, s.floor = x.c.muxWord(null, latest, s.latest), x.c.muxWord(null, floor, s.floor)
	}
	st.access, st.ends = a, ends
	if x.lifetimes.frees == nil {
		x.lifetimes.frees = map[*block][]event{}
	}
	for _, b := range blocks {
		f := event{thread: t, loc: l, is: x.c.and(ends, x.c.equal(addr, constWord(int64(b.addr)))), ts: a.ts, direct: a.direct}
		x.lifetimes.frees[b] = append(x.lifetimes.frees[b], f)
		if !a.direct {
			x.lifetimes.pending = append(x.lifetimes.pending, entry{f, b, true})
		}
	}
}

// storesTo notes a store whose block may be freed when it reaches memory.
func (lf *lifetimes) storesTo(t *thread, l *location, st *step, a *access) {
	if lf.x.model == memory.SC {
		return
	}
	for _, g := range a.goals {
		for _, b := range lf.x.flow.blocksAt(g.byteRange) {
			if b.freed {
				lf.pending = append(lf.pending, entry{event{thread: t, loc: l, is: lf.x.c.and(st.writes, g.is), ts: a.ts}, b, false})
			}
		}
	}
}
