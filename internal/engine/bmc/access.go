package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Accesses to memory, as a thread sees them.

// resolve finds the views an access can go to, and lets it fail where there is no
// memory. It returns whether the address is good.
func (x *encoder) resolve(t *thread, l *location, st *step, s *local, addr *ir.Expr, size int, obj ir.ObjectID, a *access) gate {
	at := x.flow.places(addr, size, obj, x.flow.threads[t.id].at[l.id])
	w := x.eval(x.scope(s), addr)
	good := low
	for _, p := range at.places {
		is := x.equal(w, constWord(int64(p.addr)))
		if len(at.places) == 1 && len(at.bad) == 0 && !at.wide {
			is = high
		}
		if is != low {
			a.goals = append(a.goals, goal{x.cells.at[p], is})
			good = x.or(good, is)
		}
	}
	var spots []spot
	for _, g := range a.goals {
		spots = append(spots, spot{place: g.place, is: g.is})
	}
	life, known := x.lifetime(t, l, st, spots), good
	good = x.all(known, life.early.not(), life.dead.not())
	bad := map[ir.CheckClass]gate{
		ir.OutOfBounds:  x.and(known, life.early),
		ir.UseAfterFree: x.all(known, life.early.not(), life.dead),
	}
	for _, b := range at.bad {
		bad[b.class] = x.or(bad[b.class], x.equal(w, constWord(b.addr)))
	}
	if at.wide {
		x.elsewhere(st, w, size, obj, known, bad)
	}
	for class := ir.CheckUnset; class <= ir.Overflow; class++ {
		if g := bad[class]; g != low {
			x.fail(t, l, st, x.and(st.tries, g), class)
		}
	}
	return good
}

// elsewhere sorts out addresses that no tracked location has: an error, or memory
// that is not tracked, where the thread is cut off.
func (x *encoder) elsewhere(st *step, w word, size int, obj ir.ObjectID, good gate, bad map[ir.CheckClass]gate) {
	inside := func(o *ir.Object) gate {
		if o.Size < int64(size) {
			return low
		}
		first, last := constWord(int64(o.Addr)), constWord(int64(o.Addr)+o.Size-int64(size))
		return x.and(x.less(w, first).not(), x.less(last, w).not())
	}
	rest, untracked := good.not(), low
	if obj != ir.NoObject {
		in := inside(&x.prog.Objects[obj])
		bad[ir.OutOfBounds] = x.or(bad[ir.OutOfBounds], x.and(rest, in.not()))
		rest = x.and(rest, in)
	}
	for i := range x.prog.Objects {
		in := inside(&x.prog.Objects[i])
		untracked = x.or(untracked, x.and(rest, in))
		rest = x.and(rest, in.not())
	}
	if x.prog.Cells {
		limit := constWord(ir.CellLimit * ir.CellUnit)
		aligned := x.any(w.bit(0), w.bit(1), w.bit(2)).not()
		in := x.all(aligned, x.less(w, limit), x.less(constWord(-ir.CellLimit*ir.CellUnit), w))
		bad[ir.BadAddress] = x.or(bad[ir.BadAddress], x.and(rest, in.not()))
		untracked = x.or(untracked, x.and(rest, in))
	} else {
		null := x.lessUnsigned(w, constWord(nullPage))
		bad[ir.NullDeref] = x.or(bad[ir.NullDeref], x.and(rest, null))
		bad[ir.OutOfBounds] = x.or(bad[ir.OutOfBounds], x.and(rest, null.not()))
	}
	if g := x.and(st.tries, untracked); g != low {
		x.cuts = append(x.cuts, &cut{g, "locations", len(x.cells.views), st.e})
	}
}

// seenAt is what a load can read, as the analysis found it.
func (x *encoder) seenAt(t *thread, e *ir.Edge, a *access, typ ir.Type) analysis.Interval {
	if v, ok := x.flow.seen[threadEdge{t.id, e}]; ok {
		return v.Interval
	}
	return x.seenRange(a, typ)
}

// seenRange is what there can be where an access goes.
func (x *encoder) seenRange(a *access, typ ir.Type) analysis.Interval {
	var out values
	for _, g := range a.goals {
		at := target{places: []place{g.place}}
		out = out.join(x.flow.loadAt(at, typ))
	}
	if !out.some {
		return analysis.Single(0)
	}
	return out.Interval
}

// accessMemory encodes load, abstract load, await, store and read-modify-write.
func (x *encoder) accessMemory(t *thread, l *location, st *step, s *local) {
	op := &st.e.Op
	a := &access{direct: l.inner || op.Kind == ir.RMW}
	if op.Kind == ir.RMW {
		st.drain = st.tries // before it can fail, too
	}
	st.tries = x.and(st.tries, x.resolve(t, l, st, s, op.Addr, op.Type.Size(), op.Obj, a))
	if op.Writes() {
		forbidden := low
		for _, g := range a.goals {
			if x.readOnly(g.place) {
				forbidden = x.or(forbidden, g.is)
			}
		}
		x.fail(t, l, st, x.and(st.tries, forbidden), ir.ReadOnly)
		st.tries = x.and(st.tries, forbidden.not())
	}
	st.access, st.runs = a, st.tries
	if op.Kind == ir.Store {
		made := operands(op.Val, func(r ir.Reg) analysis.Interval { return s.regs[r].Interval })
		a.out = x.narrow(st, x.eval(x.scope(s), op.Val), made...)
		st.tries = st.runs
		x.keep(t, s, a, high)
		if x.ownStore(t, l, st.e) {
			a.silent, a.ts = true, s.latest
			return
		}
		st.writes = st.tries
		if !a.direct {
			x.mem.issue(s, a, st.tries)
			x.storesTo(t, l, st, a)
		}
		return
	}
	if x.ownLoad(t, l, st.e) {
		w := constWord(0)
		for _, g := range a.goals {
			w = x.muxWord(g.is, s.regs[x.mine(t, g.cell)], w)
		}
		s.regs[op.Dst] = x.wrap(op.Type, w)
		return
	}
	signed := ir.Type{Bits: op.Type.Bits, Signed: true}
	a.val = x.inputWord(x.seenAt(t, st.e, a, signed))
	seen := x.wrap(op.Type, a.val)
	st.reads = st.tries
	if op.Kind != ir.RMW && !l.inner {
		x.mem.forward(s, a)
	}
	sc := x.scope(s)
	sc.seen = seen
	if op.Cond != nil && op.Kind != ir.AbstractLoad {
		x.demand(x.truth(sc, op.Cond), st.tries) // it could have stopped before
	}
	switch op.Kind {
	case ir.AbstractLoad:
		x.choose(st, s, seen)
		return
	case ir.RMW:
		x.rmw(t, st, s, seen)
	}
	if op.Dst != ir.NoReg {
		s.regs[op.Dst] = seen
	}
}

// readOnly reports whether a place must not be written.
func (x *encoder) readOnly(p place) bool {
	o := x.prog.FindObject(p.addr, p.size)
	return o != ir.NoObject && x.prog.Objects[o].ReadOnly
}

func (x *encoder) rmw(t *thread, st *step, s *local, old word) {
	op := &st.e.Op
	val := x.eval(x.scope(s), op.Val)
	wrote := high
	next := val
	switch op.RMW {
	case ir.Xchg:
	case ir.FetchAdd:
		next = x.binary(ir.Add, op.Type, old, val)
	case ir.FetchAnd:
		next = x.binary(ir.And, op.Type, old, val)
	case ir.FetchOr:
		next = x.binary(ir.Or, op.Type, old, val)
	case ir.FetchXor:
		next = x.binary(ir.Xor, op.Type, old, val)
	case ir.Cas:
		wrote = x.equal(old, x.wrap(op.Type, val))
		next = x.eval(x.scope(s), op.Val2)
	default:
		panic("BUG: unknown read-modify-write")
	}
	if op.RMW == ir.FetchAdd {
		next = x.narrow(st, next, old.Interval, val.Interval)
	}
	st.access.out = x.wrap(op.Type, next)
	st.writes = x.and(st.runs, wrote)
	x.keep(t, s, st.access, wrote)
	if op.Dst2 != ir.NoReg {
		s.regs[op.Dst2] = truthWord(wrote)
	}
}

// mutex encodes lock, trylock and unlock. A mutex is a word: 0 when free, else the
// owner plus one in the low half and the depth minus one in the high half. All of
// them drain, except re-locking an owned recursive mutex and its inner unlock.
func (x *encoder) mutex(t *thread, l *location, st *step, s *local) {
	op := &st.e.Op
	a := &access{direct: true}
	asks := st.tries
	st.tries = x.and(st.tries, x.resolve(t, l, st, s, op.Addr, wordType.Size(), op.Obj, a))
	a.val = x.inputWord(x.seenRange(a, wordType))
	st.access, st.reads, st.runs = a, st.tries, st.tries
	const depth = 1 << 32
	old, recursive, checks := a.val, op.Mutex == ir.RecursiveMutex, op.Mutex == ir.ErrorCheckMutex
	own := x.equal(x.wrap(ir.U32, old), constWord(int64(t.id+1)))
	free, there := x.equal(old, constWord(0)), x.equal(old, constWord(ir.DestroyedMutex)).not()
	x.fail(t, l, st, x.and(st.tries, there.not()), ir.Destroyed)
	deep, again := low, low
	if recursive {
		deep, again = x.and(own, x.less(old, constWord(depth)).not()), own
	}
	result := constWord(0)
	switch op.Kind {
	case ir.Unlock:
		st.drain = x.and(asks, x.and(st.tries, deep).not())
		a.out = x.muxWord(deep, x.binary(ir.Sub, wordType, old, constWord(depth)), constWord(0))
		st.writes = x.and(st.tries, own)
		if checks {
			result = x.muxWord(own, constWord(0), constWord(ir.EPERM))
		} else {
			x.fail(t, l, st, x.all(st.tries, there, own.not()), ir.BadUnlock)
			st.runs = st.writes
		}
	default:
		st.drain = x.and(asks, x.and(st.tries, again).not())
		a.out = x.muxWord(again, x.binary(ir.Add, wordType, old, constWord(depth)), constWord(int64(t.id+1)))
		takes := x.or(free, again)
		st.writes = x.and(st.tries, takes)
		if op.Kind == ir.TryLock {
			result = x.muxWord(takes, constWord(0), constWord(ir.EBUSY))
			break
		}
		can := takes
		if checks {
			can = x.or(can, own)
			result = x.muxWord(own, constWord(ir.EDEADLK), constWord(0))
		}
		x.demand(can, st.tries, there)
	}
	st.runs = x.and(st.runs, there)
	if op.Dst != ir.NoReg {
		s.regs[op.Dst] = result
	}
}

// join waits for a thread's end. Whether the handle is that of a thread that runs
// depends on when it is asked.
func (x *encoder) join(t *thread, l *location, st *step, s *local) {
	op := &st.e.Op
	st.handle = x.eval(x.scope(s), op.Val)
	st.badJoin = x.input()
	x.fail(t, l, st, x.and(st.tries, st.badJoin), ir.BadJoin)
	st.runs = x.and(st.tries, st.badJoin.not())
	st.drain = st.tries
	if op.Dst == ir.NoReg {
		return
	}
	var r values
	for u := range x.flow.results {
		r = r.join(x.flow.results[u])
	}
	st.joined = x.inputWord(r.Interval)
	s.regs[op.Dst] = st.joined
}
