package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// The sequentialized program: rounds, in each round the threads in order, and for each thread the
// points at which it can access memory.

// sequencer encodes the sequentialized program.
type sequencer struct {
	x      *encoder
	mem    pointwise
	points []point
}

// connect ties the arguments and results of threads.
func (sq *sequencer) connect() {
	starts := make([]gate, len(sq.x.threads))
	for _, t := range sq.x.threads {
		for _, l := range t.locs {
			for _, st := range l.steps {
				for _, to := range st.targets {
					u := sq.x.threads[to.thread]
					starts[u.id] = sq.x.c.or(starts[u.id], to.is)
					for i, a := range to.args {
						sq.x.c.demandEqual(u.params[i], a, to.is)
					}
				}
				if st.handle.bits != nil && st.joined.bits != nil {
					for _, u := range sq.x.threads {
						sq.x.c.demandEqual(st.joined, u.result, st.runs, sq.x.c.equal(st.handle, constWord(int64(u.id))))
					}
				}
			}
		}
	}
	for _, t := range sq.x.threads {
		if !sq.x.prog.Threads[t.id].Start {
			sq.x.c.demand(sq.x.c.same(t.started, starts[t.id]))
		}
	}
}

// realSwitches demands that a thread has a turn again only after another thread has run. Any
// schedule can be written so, with each stretch of a thread in the earliest possible round, and
// then takes the fewest rounds. Other ways to write it are the same executions again.
func (sq *sequencer) realSwitches() {
	runs := make([][]gate, sq.x.opt.Rounds+1)
	for round := range runs {
		for _, t := range sq.x.threads {
			any := low
			if round < len(t.turns) {
				for pos := range t.turns[round] {
					any = sq.x.c.or(any, sq.x.c.and(t.turn(round, pos), t.turn(round-1, pos).not()))
				}
			}
			runs[round] = append(runs[round], any)
		}
	}
	for round := 1; round < len(runs); round++ {
		for t, again := range runs[round] {
			between := append(slices.Clone(runs[round-1][t+1:]), runs[round][:t]...)
			sq.x.c.demand(sq.x.c.any(between...), again)
		}
	}
}

// run adds the points.
func (sq *sequencer) run() {
	sq.realSwitches()
	for round := range sq.x.opt.Rounds + 1 {
		for _, t := range sq.x.threads {
			if round >= len(t.turns) {
				continue
			}
			if !sq.x.prog.Threads[t.id].Start {
				sq.x.c.demand(sq.startedBy(t, round, t, t.locs[0]), t.turn(round, 0))
			}
			for _, l := range t.locs {
				if l.pos >= 0 && l.reached != low {
					sq.point(t, l, round)
				}
				if l.stops != low && l.reached != low {
					sq.noTurnAfter(t, l, round)
				}
			}
		}
	}
}

// point is a point of the sequentialized program at which a thread can take a step.
type point struct {
	thread *thread
	loc    *location
	now    gate // the thread leaves the location in this round
	clock  word
}

func (sq *sequencer) point(t *thread, l *location, round int) {
	now := sq.x.c.and(t.turn(round, l.pos), t.turn(round-1, l.pos).not())
	if !l.inner {
		writes, sees := low, low
		for _, st := range l.steps {
			writes, sees = sq.x.c.or(writes, st.writes), sq.x.c.any(sees, st.drain, st.reads, st.sees)
		}
		sq.mem.step(sq.x.c.and(now, sq.x.c.or(writes, sees)), sq.x.c.and(now, sees))
	}
	sq.points = append(sq.points, point{t, l, now, sq.mem.now()})
	if sq.x.lifetimes.frees != nil {
		sq.x.lifetimes.noteTime(l, now)
	}
	for _, st := range l.steps {
		sq.mem.drained(l.state, sq.x.c.and(now, st.drain))
		if st.handle.bits != nil {
			sq.await(t, l, st, round, now)
		}
		if st.e.Op.Kind == ir.Barrier && l.wait == nil {
			sq.meet(t, l, st, round, now)
		} else if st.e.Op.Kind == ir.Barrier {
			sq.x.c.demand(l.wait.woken, now, st.runs)
		}
		if len(st.signals) > 0 {
			sq.wake(t, l, st, round, now)
		}
		if st.reads != low {
			sq.mem.read(st.access, sq.x.c.and(now, st.reads))
		}
		if st.writes != low {
			sq.mem.write(st.access, sq.x.c.and(now, st.writes))
		}
	}
}

// startedBy returns whether thread t has been started when thread other is at a location in a
// round.
func (sq *sequencer) startedBy(t *thread, round int, other *thread, at *location) gate {
	if sq.x.prog.Threads[t.id].Start {
		return high
	}
	out := low
	for _, u := range sq.x.threads {
		for _, l := range u.locs {
			for _, st := range l.steps {
				for _, to := range st.targets {
					if to.thread == t.id {
						out = sq.x.c.or(out, sq.x.c.and(to.is, sq.x.by(u, l, round, other, at)))
					}
				}
			}
		}
	}
	return out
}

// await encodes a join at a point: the thread has been started, has ended, and its stores have
// reached memory.
func (sq *sequencer) await(t *thread, at *location, st *step, round int, now gate) {
	tries := sq.x.c.and(now, st.tries)
	known := low
	for _, u := range sq.x.threads {
		is := sq.x.c.equal(st.handle, constWord(int64(u.id)))
		if is == low {
			continue
		}
		started := low
		if u.id != t.id {
			started = sq.startedBy(u, round, t, at)
		} else {
			started = high
		}
		known = sq.x.c.or(known, sq.x.c.and(is, started))
		ended := low
		for _, l := range u.locs {
			if l.ends && l.reached != low {
				ended = sq.x.c.or(ended, sq.x.c.and(l.reached, sq.x.by(u, l, round, t, at)))
			}
		}
		waits := sq.x.c.all(now, st.runs, is)
		sq.x.c.demand(ended, waits)
		sq.drained(u, at, waits)
	}
	sq.x.c.demand(sq.x.c.same(st.badJoin, sq.x.c.or(known.not(), sq.joinedBy(t, at, st, round))), tries)
}

// drained demands that all stores of a thread that has ended are in memory when another leaves a
// location.
func (sq *sequencer) drained(u *thread, at *location, run gate) {
	if o := sq.x.order; o != nil {
		o.drained(u, nil, o.leaving(at), run)
		return
	}
	sq.mem.drained(&local{latest: u.latest}, run)
}

// joinedBy returns whether the thread of a join has been joined already when the join happens in a
// round.
func (sq *sequencer) joinedBy(t *thread, at *location, st *step, round int) gate {
	out := low
	for _, u := range sq.x.threads {
		for _, l := range u.locs {
			for _, other := range l.steps {
				if other != st && other.handle.bits != nil {
					out = sq.x.c.or(out, sq.x.c.all(other.runs, sq.x.c.equal(other.handle, st.handle), sq.x.by(u, l, round, t, at)))
				}
			}
		}
	}
	return out
}

// regAt returns a register of a thread at the location where the thread ends.
func (sq *sequencer) regAt(t *thread, r ir.Reg) word {
	out := constWord(0)
	for _, l := range t.locs {
		if l.reached != low && l.rest != low {
			out = sq.x.c.muxWord(l.rest, l.state.regs.at(int(r)), out)
		}
	}
	return out
}
