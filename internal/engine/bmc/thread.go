package bmc

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Threads. Each thread is encoded once, in topological order of its locations: under which
// condition it reaches a location, and with which registers.

// visible reports whether an edge of a location can be noticed by other threads, so that the thread
// has to stop before it.
func (x *encoder) visible(t *thread, l *location) bool {
	if l.wait != nil {
		return true
	}
	for _, i := range t.f.Out(l.id) {
		if e := &t.f.Edges[i]; !e.Op.Local() && e.Op.Kind != ir.Exit && !x.privateLoad(t, l, e) && !x.privateStore(t, l, e) {
			return true
		}
	}
	if l.ends {
		return x.joins
	}
	if l.id == t.f.Entry && !x.prog.Threads[t.id].Start {
		return true
	}
	return x.asksFor(t, l)
}

// asksFor reports whether a goal names a location.
func (x *encoder) asksFor(t *thread, l *location) bool {
	for _, g := range x.props.Goals {
		for _, at := range g.At {
			if int(at.Thread) == t.id && slices.Contains(at.Locs, l.id) {
				return true
			}
		}
	}
	return false
}

// privateLoad reports whether a load can only read what its thread wrote last, or what no thread
// writes. Other threads do not notice such a load: its value is the same in memory and in the
// buffer.
func (x *encoder) privateLoad(t *thread, l *location, e *ir.Edge) bool {
	if e.Op.Kind != ir.Load {
		return false
	}
	at := x.flow.ranges(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, x.flow.threads[t.id].at[l.id])
	if at.wide || len(at.bad) > 0 || slices.ContainsFunc(at.ranges, func(p byteRange) bool { return len(x.flow.blocksAt(p)) > 0 }) {
		return false
	}
	return !slices.ContainsFunc(at.ranges, func(p byteRange) bool { return !x.cells.at[p].cell.private(t.id) })
}

// privateStore reports whether a store goes to thread-private cells. It does not matter when such a
// store reaches memory.
func (x *encoder) privateStore(t *thread, l *location, e *ir.Edge) bool {
	if e.Op.Kind != ir.Store {
		return false
	}
	at := x.flow.ranges(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, x.flow.threads[t.id].at[l.id])
	return !at.wide && len(at.bad) == 0 && !slices.ContainsFunc(at.ranges, func(p byteRange) bool { return x.cells.at[p].cell.user != t.id })
}

// keep notes what a thread wrote to cells that only this thread writes.
func (x *encoder) keep(t *thread, s *local, a *access, wrote gate) {
	for _, g := range a.goals {
		if g.cell.writer == t.id && !g.cell.mixed() {
			w := x.c.muxWord(x.c.and(g.is, wrote), x.c.wrap(g.cell.typ(), a.out), s.cells.at(g.cell.id))
			s.cells = s.cells.set(g.cell.id, w)
		}
	}
}

func (x *encoder) thread(t *thread) {
	t.started = high
	s := &local{latest: constWord(0), floor: constWord(0)}
	var regs []word
	for i, r := range t.f.Regs {
		w := constWord(r.Init)
		if i < t.f.Params {
			if x.prog.Threads[t.id].Start {
				w = constWord(x.prog.Threads[t.id].Args[i])
			} else if v := x.flow.args[t.id][i]; v.some {
				w = x.c.inputWord(v.Interval)
			}
			t.params = append(t.params, w)
		}
		regs = append(regs, w)
	}
	for range x.poolList {
		regs = append(regs, constWord(0))
	}
	s.regs = tableOf(append(regs, constWord(0))) // bytes allocated
	s.cells = newTable(len(x.cells.list), func(i int) word { return constWord(x.flow.initialCell(x.cells.list[i])) })
	s.newest = newTable(len(x.cells.parts), func(int) newestStore { return newestStore{ts: constWord(0), val: constWord(0)} })
	if !x.prog.Threads[t.id].Start {
		t.started = x.c.input()
	}
	if len(t.locs) == 0 {
		return
	}
	t.at[t.f.Entry].arrivals = []arrival{{t.started, s}}
	for _, l := range t.locs {
		x.location(t, l)
	}
}

// location merges the states that arrive at a location, and encodes its edges.
func (x *encoder) location(t *thread, l *location) {
	l.reached = low
	live := func(r int) bool {
		return l.wait != nil || r >= len(t.f.Regs) || x.facts.IsLive(x.prog.Threads[t.id].Func, l.id, ir.Reg(r))
	}
	for i, a := range l.arrivals {
		l.reached = x.c.or(l.reached, a.taken)
		if i == 0 {
			l.state = a.state
		} else {
			l.state = x.c.merge(a.taken, a.state, l.state, live)
		}
	}
	l.arrivals = nil
	if l.reached == low {
		l.rest = low
		return
	}
	x.clamp(t, l)
	may := l.reached
	if x.visible(t, l) {
		x.addPosition(t, l)
		may = x.c.and(may, t.turn(x.opt.Rounds, l.pos))
	}
	if l.inner && l.wait == nil && x.asksFor(t, l) {
		l.stops = x.c.input()
		may = x.c.and(may, l.stops.not())
	}
	out := t.f.Out(l.id)
	if l.wait != nil {
		out = out[l.wait.index : l.wait.index+1]
	}
	picks := x.picks(l, out, t.f)
	gone := low
	cuts, exits := len(x.cuts), len(x.exits)
	for i, index := range out {
		e, pick := &t.f.Edges[index], picks[i]
		if l.wait != nil {
			i = l.wait.index
		}
		asks := x.c.and(may, pick)
		st := &step{e: e, index: i, asks: asks, tries: asks, reads: low, writes: low, drain: low, sees: low, ends: low}
		l.steps = append(l.steps, st)
		after := *l.state
		x.step(t, l, st, &after)
		gone = x.c.or(gone, st.runs)
		to := t.at[e.To]
		if waitsInside(e) && l.wait == nil {
			to = x.waitOf(l, st).at
		}
		if to != nil && st.runs != low {
			to.arrivals = append(to.arrivals, arrival{st.runs, &after})
		}
	}
	l.rest = x.c.and(l.reached, gone.not())
	if l.inner {
		over := x.c.any(x.exits[exits:]...)
		for _, k := range x.cuts[cuts:] {
			over = x.c.or(over, k.cuts)
		}
		x.stayInside(l, gone, over)
	}
}

// clamp restricts registers to the values of the value flow.
func (x *encoder) clamp(t *thread, l *location) {
	if l.wait != nil {
		return
	}
	s := *l.state
	known := x.flow.threads[t.id].at[l.id]
	x.facts.EachLive(x.prog.Threads[t.id].Func, l.id, func(r ir.Reg) {
		v, w := known.at(int(r)), s.regs.at(int(r))
		switch {
		case !v.some:
			s.set(r, constWord(0))
		case v.Interval != w.Interval && v.SubsetOf(w.Interval):
			s.set(r, fit(w.bits, v.Interval))
		}
	})
	l.state = &s
}

// picks returns the conditions under which the edges of a location are taken. Where assumptions
// exclude each other no choice is needed.
func (x *encoder) picks(l *location, out []int32, f *ir.Func) []gate {
	picks := make([]gate, len(out))
	var conds []gate
	for i, index := range out {
		picks[i] = high
		if op := &f.Edges[index].Op; op.Kind == ir.Assume {
			conds = append(conds, x.c.truth(x.scope(l.state), op.Val))
		}
	}
	exclusive := len(conds) == len(out)
	for i := range conds {
		for j := range i {
			exclusive = exclusive && x.c.and(conds[i], conds[j]) == low
		}
	}
	if len(out) < 2 || exclusive {
		return picks
	}
	rest := high
	for i := range picks[:len(picks)-1] {
		g := x.c.input()
		picks[i] = x.c.and(rest, g)
		rest = x.c.and(rest, g.not())
	}
	picks[len(picks)-1] = rest
	return picks
}

func (x *encoder) scope(s *local) scope { return scope{prog: x.prog, regs: s.regs} }

// step encodes an instruction: under which condition it runs, and its effect.
func (x *encoder) step(t *thread, l *location, st *step, s *local) {
	op := &st.e.Op
	st.runs = st.tries
	switch op.Kind {
	case ir.Nop:
	case ir.Assign:
		made := operands(op.Val, func(r ir.Reg) analysis.Interval { return s.regs.at(int(r)).Interval })
		s.set(op.Dst, x.limitWidth(st, x.c.eval(x.scope(s), op.Val), made...))
	case ir.Assume:
		st.runs = x.c.and(st.tries, x.c.truth(x.scope(s), op.Val))
	case ir.Assert:
		holds := x.c.truth(x.scope(s), op.Val)
		x.fail(t, l, st, x.c.and(st.tries, holds.not()), op.Report.Class)
		st.runs = x.c.and(st.tries, holds)
		if !op.Report.Class.Beside() {
			x.checks = append(x.checks, st.tries)
		}
	case ir.Havoc:
		x.choose(t, st, s, word{})
	case ir.Fence:
		if op.Fence == ir.StoreStoreFence {
			x.mem.storeStore(s)
		} else {
			st.drain = st.tries
		}
	case ir.AtomicBegin:
		st.drain = st.tries
	case ir.AtomicEnd:
	case ir.Bound, ir.Unsupported:
		x.cuts = append(x.cuts, &cut{cuts: st.tries, name: engine.BoundAt(st.e).Name, value: engine.BoundAt(st.e).Value, edge: st.e})
		st.runs = low
	case ir.Exit: // steps of others after it could as well come before
		x.exits = append(x.exits, st.tries)
		st.runs = low
	case ir.Return, ir.ThreadExit:
		if op.Val != nil {
			t.result = x.c.muxWord(st.tries, x.c.eval(x.scope(s), op.Val), t.result)
		}
	case ir.CondWait:
		if l.wait == nil {
			x.beginWait(t, l, st, s)
		} else {
			x.endWait(t, l, st, s)
		}
	case ir.Barrier: // leaving it only needs to be released
		if l.wait == nil {
			x.arrive(t, l, st, s)
		}
	case ir.Signal, ir.Broadcast:
		x.signal(t, l, st, s)
	case ir.Alloc:
		x.alloc(t, l, st, s)
	case ir.Free:
		x.free(t, l, st, s)
	case ir.Spawn:
		x.spawn(t, st, s)
	case ir.Join:
		x.join(t, l, st, s)
	case ir.Lock, ir.TryLock, ir.Unlock:
		x.mutex(t, l, st, s)
	default:
		x.accessMemory(t, l, st, s)
	}
	if to := st.e.To; t.f.Ends(to) && st.runs != low && (!waitsInside(st.e) || l.wait != nil) {
		t.latest = x.c.muxWord(st.runs, s.latest, t.latest)
	}
}

// choose encodes the value of a havoc or an abstract load.
func (x *encoder) choose(t *thread, st *step, s *local, seen word) {
	op := &st.e.Op
	r := analysis.AllNumbers
	if op.Range.Bounded {
		r = analysis.Between(op.Range.Lo, op.Range.Hi)
	}
	if v := x.flow.threads; len(v) > 0 && op.Cond != nil && seen.bits == nil {
		r = x.chosenRange(t, st, s, r)
	}
	st.choice, st.hasChoice = x.c.inputWord(r), true
	s.set(op.Dst, st.choice)
	if op.Cond != nil {
		sc := x.scope(s)
		sc.seen = seen
		st.runs = x.c.and(st.runs, x.c.truth(sc, op.Cond))
	}
}

// chosenRange returns the range of a havoc under its constraint.
func (x *encoder) chosenRange(t *thread, st *step, s *local, r analysis.Interval) analysis.Interval {
	regs := newTable(len(t.f.Regs), func(i int) values { return rangeValues(s.regs.at(i).Interval) })
	dst := int(st.e.Op.Dst)
	regs = regs.set(dst, rangeValues(r))
	refine(x.prog, &regs, st.e.Op.Cond)
	if v := regs.at(dst); v.some {
		return v.Interval
	}
	return r
}

func (x *encoder) fail(t *thread, l *location, st *step, g gate, class ir.CheckClass) {
	if g != low {
		x.fails = append(x.fails, &failure{fails: g, class: class, thread: t, loc: l, step: st})
	}
}
