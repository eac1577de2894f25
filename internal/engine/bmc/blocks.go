package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Allocated memory [TNIFLP16 §IV]. Blocks lie at known addresses and their cells are
// tracked like any others; an address has memory behind it from when its block was
// allocated.

// allocation is a step that gives a block.
type allocation struct {
	thread *thread
	loc    *location
	gives  gate
}

// alloc gives the thread its next block.
func (x *encoder) alloc(t *thread, l *location, st *step, s *local) {
	last := len(s.regs) - 1
	at := x.flow.threads[t.id].at[l.id]
	size := x.eval(x.scope(s), st.e.Op.Val)
	sizes := evalValues(x.prog, at, values{}, st.e.Op.Val)
	addr, used := constWord(0), s.regs[last]
	for _, u := range at[len(t.f.Regs)].set {
		for _, n := range sizes.set {
			is := x.and(x.equal(s.regs[last], constWord(u)), x.equal(size, constWord(n)))
			if is == low {
				continue
			}
			base, next := memory.FreshBlock(t.id, uint64(u), n)
			addr, used = x.muxWord(is, constWord(int64(base)), addr), x.muxWord(is, constWord(int64(next)), used)
			b := place{base, int(max(1, n))}
			x.allocs[b] = append(x.allocs[b], allocation{t, l, x.and(st.tries, is)})
		}
	}
	s.regs[last] = used
	s.regs[st.e.Op.Dst] = addr
}

// early lets an access fail that comes to a block before it is allocated. When that
// is depends on when the access takes place.
func (x *encoder) early(st *step, a *access, good gate, bad map[ir.CheckClass]gate) gate {
	for _, g := range a.goals {
		if x.flow.blockAt(g.place) == nil {
			continue
		}
		if st.early == low {
			st.early = x.input()
		}
		st.blocks = append(st.blocks, g)
	}
	if st.early == low {
		return good
	}
	bad[ir.OutOfBounds] = x.or(bad[ir.OutOfBounds], x.and(good, st.early))
	return x.and(good, st.early.not())
}

// allocated demands at a point that an access finds its block allocated, or fails.
func (x *encoder) allocated(t *thread, l *location, st *step, round int, now gate) {
	late := low
	for _, g := range st.blocks {
		done := low
		for _, a := range x.allocs[x.flow.blockAt(g.place).place] {
			done = x.or(done, x.and(a.gives, x.by(a.thread, a.loc, round, t, l)))
		}
		late = x.or(late, x.and(g.is, done.not()))
	}
	x.demand(x.same(st.early, late), x.and(now, l.reached))
}
