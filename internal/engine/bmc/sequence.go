package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// The sequentialized program: rounds, in each of them the threads in order, and of
// each thread the points at which it can touch memory.

// connect ties what threads give each other: arguments and results.
func (x *encoder) connect() {
	starts := make([]gate, len(x.threads))
	for _, t := range x.threads {
		for _, l := range t.locs {
			for _, st := range l.steps {
				for _, to := range st.targets {
					u := x.threads[to.thread]
					starts[u.id] = x.or(starts[u.id], to.is)
					for i, a := range to.args {
						x.demandEqual(u.params[i], a, to.is)
					}
				}
				if st.handle.bits != nil && st.joined.bits != nil {
					for _, u := range x.threads {
						x.demandEqual(st.joined, u.result, st.runs, x.equal(st.handle, constWord(int64(u.id))))
					}
				}
			}
		}
	}
	for _, t := range x.threads {
		if !x.prog.Threads[t.id].Start {
			x.demand(x.same(t.started, starts[t.id]))
		}
	}
}

// realSwitches demands that a thread has its turn again only after another one has
// run. Any schedule can be written so, each stretch of a thread in the earliest round
// that the stretch before it allows, and then takes the fewest rounds; others would only
// be the same executions again.
func (x *encoder) realSwitches() {
	runs := make([][]gate, x.opt.Rounds+1)
	for round := range runs {
		for _, t := range x.threads {
			any := low
			if round < len(t.turns) {
				for pos := range t.turns[round] {
					any = x.or(any, x.and(t.turn(round, pos), t.turn(round-1, pos).not()))
				}
			}
			runs[round] = append(runs[round], any)
		}
	}
	for round := 1; round < len(runs); round++ {
		for t, again := range runs[round] {
			between := append(slices.Clone(runs[round-1][t+1:]), runs[round][:t]...)
			x.demand(x.any(between...), again)
		}
	}
}

// sequentialize adds the points.
func (x *encoder) sequentialize() {
	x.realSwitches()
	for round := range x.opt.Rounds + 1 {
		for _, t := range x.threads {
			if round >= len(t.turns) {
				continue
			}
			if !x.prog.Threads[t.id].Start {
				x.demand(x.startedBy(t, round, t, t.locs[0]), t.turn(round, 0))
			}
			for _, l := range t.locs {
				if l.pos >= 0 && l.reached != low {
					x.point(t, l, round)
				}
				if l.stops != low && l.reached != low {
					x.nobodyAfter(t, l, round)
				}
			}
		}
	}
}

// point is a place of the sequentialized program where a thread can do something.
type point struct {
	thread *thread
	loc    *location
	now    gate // the location falls into this round
	clock  word
}

func (x *encoder) point(t *thread, l *location, round int) {
	now := x.and(t.turn(round, l.pos), t.turn(round-1, l.pos).not())
	if !l.inner {
		writes, looks := low, low
		for _, st := range l.steps {
			writes, looks = x.or(writes, st.writes), x.any(looks, st.drain, st.reads, st.sees)
		}
		x.mem.step(x.and(now, x.or(writes, looks)), x.and(now, looks))
	}
	x.points = append(x.points, point{t, l, now, x.mem.now()})
	if x.heap.frees != nil {
		x.noteTime(l, now)
	}
	for _, st := range l.steps {
		x.mem.drained(l.state, x.and(now, st.drain))
		if st.handle.bits != nil {
			x.await(t, l, st, round, now)
		}
		if st.e.Op.Kind == ir.Barrier && l.wait == nil {
			x.meet(t, l, st, round, now)
		} else if st.e.Op.Kind == ir.Barrier {
			x.demand(l.wait.woken, now, st.runs)
		}
		if len(st.signals) > 0 {
			x.wake(t, l, st, round, now)
		}
		if st.reads != low {
			x.mem.read(st.access, x.and(now, st.reads))
		}
		if st.writes != low {
			x.mem.write(st.access, x.and(now, st.writes))
		}
	}
}

// startedBy is whether a thread has been started when another is at a location in a
// round.
func (x *encoder) startedBy(t *thread, round int, other *thread, at *location) gate {
	if x.prog.Threads[t.id].Start {
		return high
	}
	out := low
	for _, u := range x.threads {
		for _, l := range u.locs {
			for _, st := range l.steps {
				for _, to := range st.targets {
					if to.thread == t.id {
						out = x.or(out, x.and(to.is, x.by(u, l, round, other, at)))
					}
				}
			}
		}
	}
	return out
}

// await is a join at a point: the thread has been started, has ended, and its
// stores have reached memory.
func (x *encoder) await(t *thread, at *location, st *step, round int, now gate) {
	tries := x.and(now, st.tries)
	known := low
	for _, u := range x.threads {
		is := x.equal(st.handle, constWord(int64(u.id)))
		if is == low {
			continue
		}
		started := low
		if u.id != t.id {
			started = x.startedBy(u, round, t, at)
		} else {
			started = high
		}
		known = x.or(known, x.and(is, started))
		ended := low
		for _, l := range u.locs {
			if l.ends && l.reached != low {
				ended = x.or(ended, x.and(l.reached, x.by(u, l, round, t, at)))
			}
		}
		waits := x.all(now, st.runs, is)
		x.demand(ended, waits)
		x.mem.drained(&local{latest: u.latest}, waits)
	}
	x.demand(x.same(st.badJoin, x.or(known.not(), x.joinedBy(t, at, st, round))), tries)
}

// joinedBy is whether the thread that a join waits for has been joined when the join
// takes place in a round.
func (x *encoder) joinedBy(t *thread, at *location, st *step, round int) gate {
	out := low
	for _, u := range x.threads {
		for _, l := range u.locs {
			for _, other := range l.steps {
				if other != st && other.handle.bits != nil {
					out = x.or(out, x.all(other.runs, x.equal(other.handle, st.handle), x.by(u, l, round, t, at)))
				}
			}
		}
	}
	return out
}

// regAt is a register of a thread where the thread comes to rest.
func (x *encoder) regAt(t *thread, r ir.Reg) word {
	out := constWord(0)
	for _, l := range t.locs {
		if l.reached != low && l.rest != low {
			out = x.muxWord(l.rest, l.state.regs[r], out)
		}
	}
	return out
}
