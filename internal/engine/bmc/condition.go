package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Conditions. A wait is two steps of a thread: it releases its mutex and waits, and later it takes
// the mutex again. A thread may wake spuriously at any time, and can as well do so just before it
// takes its mutex. So signals matter only for deadlocks. For these the encoding says which threads
// were woken: a signal wakes one of the threads that wait at the condition, if there are any.
//
// A barrier is two steps, too: a thread arrives, and continues when the last thread has arrived.
// The threads that wait at a barrier have arrived and have not been released.

// wait is a thread waiting at a condition or a barrier.
type wait struct {
	thread *thread
	from   *location // where the wait begins
	at     *location // where the thread is while it waits
	begin  *step
	index  int
	cond   word // address
	last   gate // of a barrier: the thread is the last to arrive
	woken  gate // by a signal or the last arrival, up to the current point of the sequence
}

// signal is a wait that a signal can end, and the condition under which it does.
type signal struct {
	*wait
	picks gate
}

// waitsInside reports whether an instruction consists of two steps, with a wait between them.
func waitsInside(e *ir.Edge) bool { return e.Op.Kind == ir.CondWait || e.Op.Kind == ir.Barrier }

// addWait adds the location in which a thread waits.
func (x *encoder) addWait(t *thread, from *location, index int) *location {
	w := &wait{thread: t, from: from, index: index}
	w.at = &location{id: from.id, pos: -1, wait: w, stops: low}
	x.waits = append(x.waits, w)
	return w.at
}

// condition returns the bytes of a condition or barrier and of its mutex.
func (sv *scan) condition(e *ir.Edge, regs table[values]) []byteRange {
	out := sv.x.flow.ranges(e.Op.Addr, wordType.Size(), e.Op.Obj, regs).ranges
	if e.Op.Kind == ir.CondWait {
		out = append(out, sv.x.flow.ranges(e.Op.Val2, wordType.Size(), ir.NoObject, regs).ranges...)
	}
	return out
}

// waitOf returns the wait that an edge of a location begins.
func (x *encoder) waitOf(l *location, st *step) *wait {
	for _, w := range x.waits {
		if w.from == l && w.index == st.index {
			return w
		}
	}
	panic("BUG: a wait without its location")
}

// beginWait encodes the first step of a wait, which releases the mutex.
func (x *encoder) beginWait(t *thread, l *location, st *step, s *local) {
	w := x.waitOf(l, st)
	w.begin, w.cond = st, x.c.eval(x.scope(s), st.e.Op.Addr)
	st.drain = st.tries // even if it fails
	st.tries = x.c.and(st.tries, x.conditionAt(t, l, st, s))
	a := x.mutexAt(t, l, st, s)
	newest := x.c.equal(x.c.wrap(ir.U32, a.val), constWord(int64(t.id+1)))
	x.fail(t, l, st, x.c.and(st.tries, newest.not()), ir.BadWait)
	st.access, st.reads = a, st.tries
	a.out = constWord(0)
	st.runs = x.c.and(st.tries, newest)
	st.writes = st.runs
}

// conditionAt makes a step fail if there is no memory at the address of its condition. Conditions
// are never read.
func (x *encoder) conditionAt(t *thread, l *location, st *step, s *local) gate {
	return x.resolve(t, l, st, s, st.e.Op.Addr, wordType.Size(), st.e.Op.Obj, &access{})
}

// mutexAt returns the access to the mutex of a wait.
func (x *encoder) mutexAt(t *thread, l *location, st *step, s *local) *access {
	a := &access{direct: true}
	st.tries = x.c.and(st.tries, x.resolve(t, l, st, s, st.e.Op.Val2, wordType.Size(), ir.NoObject, a))
	a.val = x.c.inputWord(x.seenRange(a, wordType))
	return a
}

// endWait encodes the second step of a wait, which takes the mutex.
func (x *encoder) endWait(t *thread, l *location, st *step, s *local) {
	a := x.mutexAt(t, l, st, s)
	there := x.c.equal(a.val, constWord(ir.DestroyedMutex)).not()
	x.fail(t, l, st, x.c.and(st.tries, there.not()), ir.Destroyed)
	x.c.demand(x.c.equal(a.val, constWord(0)), st.tries, there)
	a.out = constWord(int64(t.id + 1))
	st.access, st.reads, st.runs = a, st.tries, x.c.and(st.tries, there)
	st.writes = st.runs
	s.set(st.e.Op.Dst, constWord(0))
}

// arrive encodes the arrival at a barrier.
func (x *encoder) arrive(t *thread, l *location, st *step, s *local) {
	w := x.waitOf(l, st)
	w.begin, w.cond, w.last = st, x.c.eval(x.scope(s), st.e.Op.Addr), x.c.input()
	a := &access{direct: true}
	st.drain = st.tries // even if it fails
	st.tries = x.c.and(st.tries, x.resolve(t, l, st, s, st.e.Op.Addr, wordType.Size(), st.e.Op.Obj, a))
	a.val = x.c.inputWord(x.seenRange(a, wordType))
	positive := x.c.less(constWord(0), a.val)
	x.fail(t, l, st, x.c.and(st.tries, positive.not()), ir.BadWait)
	st.access, st.reads = a, st.tries
	st.runs = x.c.and(st.tries, positive)
	s.set(st.e.Op.Dst, truthWord(w.last))
}

// meet encodes an arrival at a point of the sequence: the last one releases all threads.
func (sq *sequencer) meet(t *thread, l *location, st *step, round int, now gate) {
	newest, runs := sq.x.waitOf(l, st), sq.x.c.and(now, st.runs)
	count, waiting := constWord(1), make([]gate, len(sq.x.waits))
	for i, w := range sq.x.waits {
		if w.thread == t || w.begin == nil || w.begin.e.Op.Kind != ir.Barrier {
			continue
		}
		waiting[i] = sq.x.c.all(w.begin.runs, sq.x.by(w.thread, w.from, round, t, l), w.woken.not(), sq.x.c.equal(w.cond, newest.cond))
		count = sq.x.c.binary(ir.Add, ir.S64, count, truthWord(waiting[i]))
	}
	last := sq.x.c.less(count, st.access.val).not()
	sq.x.c.demand(sq.x.c.same(newest.last, last), runs)
	for i, w := range sq.x.waits {
		w.woken = sq.x.c.or(w.woken, sq.x.c.all(runs, last, waiting[i]))
	}
	newest.woken = sq.x.c.or(newest.woken, sq.x.c.and(runs, last))
}

// signal encodes the choice of the thread that a signal wakes.
func (x *encoder) signal(t *thread, l *location, st *step, s *local) {
	st.tries = x.c.and(st.tries, x.conditionAt(t, l, st, s))
	st.runs = st.tries
	addr := x.c.eval(x.scope(s), st.e.Op.Addr)
	rest := high
	for _, w := range x.waits {
		picks := high
		if st.e.Op.Kind == ir.Signal {
			picks = x.c.input()
			picks, rest = x.c.and(rest, picks), x.c.and(rest, picks.not())
		}
		st.signals = append(st.signals, signal{w, picks})
	}
	st.signalAt = addr
}

// wake encodes a signal at a point of the sequence.
func (sq *sequencer) wake(t *thread, l *location, st *step, round int, now gate) {
	runs := sq.x.c.and(now, st.runs)
	some, one := low, low
	for _, sg := range st.signals {
		w := sg.wait
		if w.thread == t || w.begin == nil || w.at.pos < 0 || w.begin.e.Op.Kind == ir.Barrier {
			if st.e.Op.Kind == ir.Signal {
				sq.x.c.demand(sg.picks.not(), runs)
			}
			continue
		}
		waiting := sq.x.c.all(w.begin.runs, sq.x.by(w.thread, w.from, round, t, l), sq.wentOn(w, round, t, l).not(),
			w.woken.not(), sq.x.c.equal(w.cond, st.signalAt))
		some, one = sq.x.c.or(some, waiting), sq.x.c.or(one, sg.picks)
		if st.e.Op.Kind == ir.Signal {
			sq.x.c.demand(waiting, runs, sg.picks)
		}
		w.woken = sq.x.c.or(w.woken, sq.x.c.all(runs, waiting, sg.picks))
	}
	sq.x.c.demand(one, runs, some)
}

// wentOn returns whether a thread has left its wait when thread t is at a location in a round. A thread that
// failed when it took its mutex counts as one that has not come to that step yet.
func (sq *sequencer) wentOn(w *wait, round int, t *thread, l *location) gate {
	runs := low
	for _, st := range w.at.steps {
		runs = sq.x.c.or(runs, st.runs)
	}
	return sq.x.c.and(runs, sq.x.by(w.thread, w.at, round, t, l))
}

// stillWaits returns whether a thread that has not left its wait cannot leave it: it was not woken,
// or the mutex is taken.
func (as *asker) stillWaits(l *location, st *step) gate {
	if st.e.Op.Kind == ir.Barrier {
		return l.wait.woken.not()
	}
	free := low
	for _, g := range st.access.goals {
		word := as.x.mem.final(g.cell)
		free = as.x.c.or(free, as.x.c.and(g.is, as.x.c.any(as.x.lifetimes.gone(g.byteRange), as.x.c.equal(word, constWord(0)), as.x.c.equal(word, constWord(ir.DestroyedMutex)))))
	}
	return as.x.c.and(l.wait.woken, free).not()
}

// wakeUp runs the step of a spurious wake-up, if the thread needs one.
func (d *decoder) wakeUp(t *thread, st *step) {
	wake := memory.Step{Thread: int32(t.id), Kind: memory.Wake, Edge: int32(st.index)}
	for _, can := range d.y.EnabledEdges(d.rec.State(), t.id, nil) {
		if can == wake {
			d.rec.Step(wake)
		}
	}
}

// signalled returns the thread that a signal wakes, or -1. The order of events does not say it, because a
// thread that was not woken wakes spuriously when it goes on: any choice will do.
func (d *decoder) signalled(do memory.Step, st *step) int64 {
	if d.x.order != nil {
		for _, can := range d.y.EnabledEdges(d.rec.State(), int(do.Thread), nil) {
			if can.Kind == memory.Exec && can.Edge == do.Edge {
				return can.Choice
			}
		}
	}
	for _, sg := range st.signals {
		if d.is(sg.picks) {
			return int64(sg.thread.id)
		}
	}
	return -1
}
