package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Conditions. A wait is two steps of a thread: it releases its mutex and waits, and
// later it takes the mutex again. A thread may wake without a signal at any time, and
// it loses nothing by doing so just before it takes its mutex, so for all questions but
// deadlock signals mean nothing. For deadlock it counts who was woken: at a signal one
// of those that wait there is, if there are any.

//
// A barrier is two steps as well: a thread arrives, and goes on once the last one has
// arrived. Who is waiting at a barrier follows from who has arrived and was not let go.

// wait is a thread waiting at a condition or a barrier.
type wait struct {
	thread *thread
	from   *location // where the wait begins
	at     *location // where the thread is while it waits
	begin  *step
	index  int
	cond   word // address
	last   gate // of a barrier: the thread is the last to arrive
	woken  gate // by a signal or the last arrival, up to the point the sequence has come to
}

// signal is a wait that a signal can end.
type signal struct {
	*wait
	picks gate
}

// waitsInside reports whether a thread can wait in the middle of an instruction.
func waitsInside(e *ir.Edge) bool { return e.Op.Kind == ir.CondWait || e.Op.Kind == ir.Barrier }

// addWait makes the location in which a thread waits.
func (x *encoder) addWait(t *thread, from *location, index int) *location {
	w := &wait{thread: t, from: from, index: index}
	w.at = &location{id: from.id, pos: -1, wait: w, stops: low}
	x.waits = append(x.waits, w)
	return w.at
}

// surveyCondition is the places of a condition or barrier and of the mutex that goes with
// it.
func (x *encoder) surveyCondition(e *ir.Edge, regs []values) []place {
	out := x.flow.places(e.Op.Addr, wordType.Size(), e.Op.Obj, regs).places
	if e.Op.Kind == ir.CondWait {
		out = append(out, x.flow.places(e.Op.Val2, wordType.Size(), ir.NoObject, regs).places...)
	}
	return out
}

// waitOf is the wait that an edge of a location begins.
func (x *encoder) waitOf(l *location, st *step) *wait {
	for _, w := range x.waits {
		if w.from == l && w.index == st.index {
			return w
		}
	}
	panic("BUG: a wait without its location")
}

// beginWait releases the mutex.
func (x *encoder) beginWait(t *thread, l *location, st *step, s *local) {
	w := x.waitOf(l, st)
	w.begin, w.cond = st, x.eval(x.scope(s), st.e.Op.Addr)
	st.drain = st.tries // before it can fail, too
	st.tries = x.and(st.tries, x.conditionAt(t, l, st, s))
	a := x.mutexAt(t, l, st, s)
	own := x.equal(x.wrap(ir.U32, a.val), constWord(int64(t.id+1)))
	x.fail(t, l, st, x.and(st.tries, own.not()), ir.BadWait)
	st.access, st.reads = a, st.tries
	a.out = constWord(0)
	st.runs = x.and(st.tries, own)
	st.writes = st.runs
}

// conditionAt fails where there is no memory for a condition; nothing is ever read there.
func (x *encoder) conditionAt(t *thread, l *location, st *step, s *local) gate {
	return x.resolve(t, l, st, s, st.e.Op.Addr, wordType.Size(), st.e.Op.Obj, &access{})
}

// mutexAt is the access to the mutex of a wait.
func (x *encoder) mutexAt(t *thread, l *location, st *step, s *local) *access {
	a := &access{direct: true}
	st.tries = x.and(st.tries, x.resolve(t, l, st, s, st.e.Op.Val2, wordType.Size(), ir.NoObject, a))
	a.val = x.inputWord(x.seenRange(a, wordType))
	return a
}

// endWait takes the mutex again.
func (x *encoder) endWait(t *thread, l *location, st *step, s *local) {
	a := x.mutexAt(t, l, st, s)
	there := x.equal(a.val, constWord(ir.DestroyedMutex)).not()
	x.fail(t, l, st, x.and(st.tries, there.not()), ir.Destroyed)
	x.demand(x.equal(a.val, constWord(0)), st.tries, there)
	a.out = constWord(int64(t.id + 1))
	st.access, st.reads, st.runs = a, st.tries, x.and(st.tries, there)
	st.writes = st.runs
	if r := st.e.Op.Dst; r != ir.NoReg {
		s.regs[r] = constWord(0)
	}
}

// arrive comes to a barrier.
func (x *encoder) arrive(t *thread, l *location, st *step, s *local) {
	w := x.waitOf(l, st)
	w.begin, w.cond, w.last = st, x.eval(x.scope(s), st.e.Op.Addr), x.input()
	a := &access{direct: true}
	st.drain = st.tries // before it can fail, too
	st.tries = x.and(st.tries, x.resolve(t, l, st, s, st.e.Op.Addr, wordType.Size(), st.e.Op.Obj, a))
	a.val = x.inputWord(x.seenRange(a, wordType))
	positive := x.less(constWord(0), a.val)
	x.fail(t, l, st, x.and(st.tries, positive.not()), ir.BadWait)
	st.access, st.reads = a, st.tries
	st.runs = x.and(st.tries, positive)
	if r := st.e.Op.Dst; r != ir.NoReg {
		s.regs[r] = truthWord(w.last)
	}
}

// meet lets an arrival take place at a point: the last one lets everybody go.
func (x *encoder) meet(t *thread, l *location, st *step, round int, now gate) {
	own, runs := x.waitOf(l, st), x.and(now, st.runs)
	count, waiting := constWord(1), make([]gate, len(x.waits))
	for i, w := range x.waits {
		if w.thread == t || w.begin == nil || w.begin.e.Op.Kind != ir.Barrier {
			continue
		}
		waiting[i] = x.all(w.begin.runs, x.by(w.thread, w.from, round, t, l), w.woken.not(), x.equal(w.cond, own.cond))
		count = x.binary(ir.Add, ir.S64, count, truthWord(waiting[i]))
	}
	last := x.less(count, st.access.val).not()
	x.demand(x.same(own.last, last), runs)
	for i, w := range x.waits {
		w.woken = x.or(w.woken, x.all(runs, last, waiting[i]))
	}
	own.woken = x.or(own.woken, x.and(runs, last))
}

// signal prepares the choice of whom a signal wakes.
func (x *encoder) signal(t *thread, l *location, st *step, s *local) {
	st.tries = x.and(st.tries, x.conditionAt(t, l, st, s))
	st.runs = st.tries
	addr := x.eval(x.scope(s), st.e.Op.Addr)
	rest := high
	for _, w := range x.waits {
		picks := high
		if st.e.Op.Kind == ir.Signal {
			picks = x.input()
			picks, rest = x.and(rest, picks), x.and(rest, picks.not())
		}
		st.signals = append(st.signals, signal{w, picks})
	}
	st.signalAt = addr
}

// wake lets a signal take place at a point.
func (x *encoder) wake(t *thread, l *location, st *step, round int, now gate) {
	runs := x.and(now, st.runs)
	some, one := low, low
	for _, sg := range st.signals {
		w := sg.wait
		if w.thread == t || w.begin == nil || w.at.pos < 0 || w.begin.e.Op.Kind == ir.Barrier {
			if st.e.Op.Kind == ir.Signal {
				x.demand(sg.picks.not(), runs)
			}
			continue
		}
		waiting := x.all(w.begin.runs, x.by(w.thread, w.from, round, t, l), x.by(w.thread, w.at, round, t, l).not(),
			w.woken.not(), x.equal(w.cond, st.signalAt))
		some, one = x.or(some, waiting), x.or(one, sg.picks)
		if st.e.Op.Kind == ir.Signal {
			x.demand(waiting, runs, sg.picks)
		}
		w.woken = x.or(w.woken, x.all(runs, waiting, sg.picks))
	}
	x.demand(one, runs, some)
}

// stillWaits is whether a thread that has not gone on from a wait cannot: nobody
// woke it, or the mutex is taken.
func (x *encoder) stillWaits(l *location, st *step) gate {
	if st.e.Op.Kind == ir.Barrier {
		return l.wait.woken.not()
	}
	free := low
	for _, g := range st.access.goals {
		word := x.mem.final(g.cell)
		free = x.or(free, x.and(g.is, x.any(x.gone(g.place), x.equal(word, constWord(0)), x.equal(word, constWord(ir.DestroyedMutex)))))
	}
	return x.and(l.wait.woken, free).not()
}

// wakeUp is the step by which a thread wakes without a signal, if it needs one.
func (d *decoder) wakeUp(t *thread, st *step) {
	wake := memory.Step{Thread: int32(t.id), Kind: memory.Wake, Edge: int32(st.index)}
	for _, can := range d.y.EnabledEdges(d.rec.State(), t.id, nil) {
		if can == wake {
			d.rec.Step(wake)
		}
	}
}

// signalled is the thread a signal wakes, or -1.
func (d *decoder) signalled(st *step) int64 {
	for _, sg := range st.signals {
		if d.is(sg.picks) {
			return int64(sg.thread.id)
		}
	}
	return -1
}
