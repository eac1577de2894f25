package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Accesses to memory, from the side of a thread.

// resolve finds the views that an access can go to, and makes it fail at addresses without memory.
// It returns the gate that says that the address is valid.
func (x *encoder) resolve(t *thread, l *location, st *step, s *local, addr *ir.Expr, size int, obj ir.ObjectID, a *access) gate {
	at := x.flow.ranges(addr, size, obj, x.flow.threads[t.id].at[l.id])
	w := x.c.eval(x.scope(s), addr)
	good := low
	for _, p := range at.ranges {
		is := x.c.equal(w, constWord(int64(p.addr)))
		if len(at.ranges) == 1 && len(at.bad) == 0 && !at.wide {
			is = high
		}
		if is != low {
			a.goals = append(a.goals, goal{x.cells.at[p], is})
			good = x.c.or(good, is)
		}
	}
	var spots []spot
	for _, g := range a.goals {
		spots = append(spots, spot{byteRange: g.byteRange, is: g.is})
	}
	life, known := x.lifetimes.lifetime(t, l, st, spots), good
	good = x.c.all(known, life.early.not(), life.dead.not())
	bad := map[ir.CheckClass]gate{
		ir.OutOfBounds:  x.c.and(known, life.early),
		ir.UseAfterFree: x.c.all(known, life.early.not(), life.dead),
	}
	for _, b := range at.bad {
		bad[b.class] = x.c.or(bad[b.class], x.c.equal(w, constWord(b.addr)))
	}
	if at.wide {
		x.untracked(st, w, size, obj, known, bad)
	}
	for class := ir.CheckUnset; class <= ir.Overflow; class++ {
		if g := bad[class]; g != low {
			x.fail(t, l, st, x.c.and(st.tries, g), class)
		}
	}
	return good
}

// untracked handles addresses outside all tracked cells: they are an error, or memory that is not
// tracked, where the thread is cut off.
func (x *encoder) untracked(st *step, w word, size int, obj ir.ObjectID, good gate, bad map[ir.CheckClass]gate) {
	inside := func(o *ir.Object) gate {
		if o.Size < int64(size) {
			return low
		}
		first, last := constWord(int64(o.Addr)), constWord(int64(o.Addr)+o.Size-int64(size))
		return x.c.and(x.c.less(w, first).not(), x.c.less(last, w).not())
	}
	rest, untracked := good.not(), low
	if obj != ir.NoObject {
		in := inside(&x.prog.Objects[obj])
		bad[ir.OutOfBounds] = x.c.or(bad[ir.OutOfBounds], x.c.and(rest, in.not()))
		rest = x.c.and(rest, in)
	}
	for i := range x.prog.Objects {
		in := inside(&x.prog.Objects[i])
		untracked = x.c.or(untracked, x.c.and(rest, in))
		rest = x.c.and(rest, in.not())
	}
	if x.prog.Cells {
		limit := constWord(ir.CellLimit * ir.CellUnit)
		aligned := x.c.any(w.bit(0), w.bit(1), w.bit(2)).not()
		in := x.c.all(aligned, x.c.less(w, limit), x.c.less(constWord(-ir.CellLimit*ir.CellUnit), w))
		bad[ir.BadAddress] = x.c.or(bad[ir.BadAddress], x.c.and(rest, in.not()))
		untracked = x.c.or(untracked, x.c.and(rest, in))
	} else {
		null := x.c.lessUnsigned(w, constWord(nullPage))
		bad[ir.NullDeref] = x.c.or(bad[ir.NullDeref], x.c.and(rest, null))
		bad[ir.OutOfBounds] = x.c.or(bad[ir.OutOfBounds], x.c.and(rest, null.not()))
	}
	if g := x.c.and(st.tries, untracked); g != low {
		x.cuts = append(x.cuts, &cut{g, "locations", len(x.cells.views), st.e})
	}
}

// seenAt returns the range of the values that a load can read, as the value flow found it.
func (x *encoder) seenAt(t *thread, e *ir.Edge, a *access, typ ir.Type) analysis.Interval {
	if v, ok := x.flow.seen[threadEdge{t.id, e}]; ok {
		return v.Interval
	}
	return x.seenRange(a, typ)
}

// seenRange returns the range of the values in the views of an access.
func (x *encoder) seenRange(a *access, typ ir.Type) analysis.Interval {
	var out values
	for _, g := range a.goals {
		at := target{ranges: []byteRange{g.byteRange}}
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
		st.drain = st.tries // even if it fails
	}
	st.tries = x.c.and(st.tries, x.resolve(t, l, st, s, op.Addr, op.Type.Size(), op.Obj, a))
	if op.Writes() {
		forbidden := low
		for _, g := range a.goals {
			if x.readOnly(g.byteRange) {
				forbidden = x.c.or(forbidden, g.is)
			}
		}
		x.fail(t, l, st, x.c.and(st.tries, forbidden), ir.ReadOnly)
		st.tries = x.c.and(st.tries, forbidden.not())
	}
	st.access, st.runs = a, st.tries
	if op.Kind == ir.Store {
		made := operands(op.Val, func(r ir.Reg) analysis.Interval { return s.regs.at(int(r)).Interval })
		a.out = x.limitWidth(st, x.c.eval(x.scope(s), op.Val), made...)
		st.tries = st.runs
		x.keep(t, s, a, high)
		if x.privateStore(t, l, st.e) {
			a.silent, a.ts = true, s.latest
			return
		}
		st.writes = st.tries
		if !a.direct {
			x.mem.issue(s, a, st.tries)
			x.lifetimes.storesTo(t, l, st, a)
		}
		return
	}
	if x.privateLoad(t, l, st.e) {
		w := constWord(0)
		for _, g := range a.goals {
			w = x.c.muxWord(g.is, s.cells.at(g.cell.id), w)
		}
		s.set(op.Dst, x.c.wrap(op.Type, w))
		return
	}
	signed := ir.Type{Bits: op.Type.Bits, Signed: true}
	a.val = x.c.inputWord(x.seenAt(t, st.e, a, signed))
	seen := x.c.wrap(op.Type, a.val)
	st.reads = st.tries
	if op.Kind != ir.RMW && !l.inner {
		x.mem.forward(s, a)
	}
	sc := x.scope(s)
	sc.seen = seen
	if op.Cond != nil && op.Kind != ir.AbstractLoad {
		x.c.demand(x.c.truth(sc, op.Cond), st.tries) // otherwise the thread stops before it
	}
	switch op.Kind {
	case ir.AbstractLoad:
		x.choose(t, st, s, seen)
		return
	case ir.RMW:
		x.rmw(t, st, s, seen)
	}
	if op.Dst != ir.NoReg {
		s.set(op.Dst, seen)
	}
}

// readOnly reports whether bytes must not be written.
func (x *encoder) readOnly(p byteRange) bool {
	o := x.prog.FindObject(p.addr, p.size)
	return o != ir.NoObject && x.prog.Objects[o].ReadOnly
}

func (x *encoder) rmw(t *thread, st *step, s *local, old word) {
	op := &st.e.Op
	val := x.c.eval(x.scope(s), op.Val)
	wrote := high
	next := val
	switch op.RMW {
	case ir.Xchg:
	case ir.FetchAdd:
		next = x.c.binary(ir.Add, op.Type, old, val)
	case ir.FetchAnd:
		next = x.c.binary(ir.And, op.Type, old, val)
	case ir.FetchOr:
		next = x.c.binary(ir.Or, op.Type, old, val)
	case ir.FetchXor:
		next = x.c.binary(ir.Xor, op.Type, old, val)
	case ir.Cas:
		wrote = x.c.equal(old, x.c.wrap(op.Type, val))
		next = x.c.eval(x.scope(s), op.Val2)
	default:
		panic("BUG: unknown read-modify-write")
	}
	if op.RMW == ir.FetchAdd {
		next = x.limitWidth(st, next, old.Interval, val.Interval)
	}
	st.access.out = x.c.wrap(op.Type, next)
	st.writes = x.c.and(st.runs, wrote)
	x.keep(t, s, st.access, wrote)
	if op.Dst2 != ir.NoReg {
		s.set(op.Dst2, truthWord(wrote))
	}
}

// mutex encodes lock, trylock and unlock. A mutex is a word: 0 when free, otherwise the thread that
// has it plus one in the low half and the depth minus one in the high half. All of them drain,
// except for relocking a recursive mutex and the unlock of such a lock.
func (x *encoder) mutex(t *thread, l *location, st *step, s *local) {
	op := &st.e.Op
	a := &access{direct: true}
	st.tries = x.c.and(st.tries, x.resolve(t, l, st, s, op.Addr, wordType.Size(), op.Obj, a))
	a.val = x.c.inputWord(x.seenRange(a, wordType))
	st.access, st.reads, st.runs = a, st.tries, st.tries
	const depth = 1 << 32
	old, recursive, checks := a.val, op.Mutex.Kind == ir.RecursiveMutex, op.Mutex.Kind == ir.ErrorCheckMutex
	newest := x.c.equal(x.c.wrap(ir.U32, old), constWord(int64(t.id+1)))
	free, there := x.c.equal(old, constWord(0)), x.c.equal(old, constWord(ir.DestroyedMutex)).not()
	x.fail(t, l, st, x.c.and(st.tries, there.not()), ir.Destroyed)
	deep, again := low, low
	if recursive {
		deep, again = x.c.and(newest, x.c.less(old, constWord(depth)).not()), newest
	}
	result := constWord(0)
	switch op.Kind {
	case ir.Unlock:
		st.drain = x.c.and(st.asks, x.c.and(st.tries, deep).not())
		a.out = x.c.muxWord(deep, x.c.binary(ir.Sub, wordType, old, constWord(depth)), constWord(0))
		st.writes = x.c.and(st.tries, newest)
		if checks {
			result = x.c.muxWord(newest, constWord(0), constWord(ir.EPERM))
		} else {
			x.fail(t, l, st, x.c.all(st.tries, there, newest.not()), ir.BadUnlock)
			st.runs = st.writes
		}
	default:
		st.drain = x.c.and(st.asks, x.c.and(st.tries, again).not())
		a.out = x.c.muxWord(again, x.c.binary(ir.Add, wordType, old, constWord(depth)), constWord(int64(t.id+1)))
		takes := x.c.or(free, again)
		st.writes = x.c.and(st.tries, takes)
		if op.Kind == ir.TryLock {
			result = x.c.muxWord(takes, constWord(0), constWord(ir.EBUSY))
			break
		}
		can := takes
		if checks {
			can = x.c.or(can, newest)
			result = x.c.muxWord(newest, constWord(ir.EDEADLK), constWord(0))
		}
		x.c.demand(can, st.tries, there)
	}
	st.runs = x.c.and(st.runs, there)
	if op.Dst != ir.NoReg {
		s.set(op.Dst, result)
	}
}

// join encodes a join. Whether the handle is that of a running thread depends on the time of the
// join.
func (x *encoder) join(t *thread, l *location, st *step, s *local) {
	op := &st.e.Op
	st.handle = x.c.eval(x.scope(s), op.Val)
	st.badJoin = x.c.input()
	x.fail(t, l, st, x.c.and(st.tries, st.badJoin), ir.BadJoin)
	st.runs = x.c.and(st.tries, st.badJoin.not())
	st.drain = st.tries
	if op.Dst == ir.NoReg {
		return
	}
	var r values
	for u := range x.flow.results {
		r = r.join(x.flow.results[u])
	}
	st.joined = x.c.inputWord(r.Interval)
	s.set(op.Dst, st.joined)
}
