package bmc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// What is asked, as gates. Goals, final conditions and deadlocks are tested in the last state of an
// execution. That is enough, since every thread can be stopped: each state is the last of some
// execution.

// asker encodes what is asked about the last state of a run.
type asker struct{ x *encoder }

// question is one violation to search for.
type question struct {
	kind engine.ViolationKind
	is   gate
	fail *failure
	goal int
	// For an error of a store or free when it reaches memory: its class, and the condition that no
	// error of another class comes before.
	late  ir.CheckClass
	first gate
}

// questions returns the violations that are not excluded already.
func (as *asker) questions() []question {
	var out []question
	for _, f := range as.x.fails {
		out = append(out, question{kind: engine.CheckFailed, is: f.fails, fail: f})
	}
	out = append(out, as.x.lifetimes.lateQuestions()...)
	for i := range as.x.props.Goals {
		out = append(out, question{kind: engine.GoalReached, is: as.goal(&as.x.props.Goals[i]), goal: i})
	}
	if f := as.x.props.Final; f != nil {
		holds := as.cond(f.Cond)
		if f.Quantifier == property.Forall {
			holds = holds.not()
		}
		out = append(out, question{kind: engine.FinalViolated, is: as.x.c.and(as.ended(), holds)})
	}
	if as.x.props.Deadlock {
		out = append(out, question{kind: engine.Deadlock, is: as.deadlock()})
	}
	n := 0
	for _, q := range out {
		if q.is != low {
			out[n] = q
			n++
		}
	}
	return out[:n]
}

// goal returns whether the threads end at the locations of a goal.
func (as *asker) goal(g *property.Goal) gate {
	is := high
	for _, at := range g.At {
		t := as.x.threads[at.Thread]
		here := low
		for _, id := range at.Locs {
			l := t.at[id]
			if l == nil || l.reached == low {
				continue
			}
			rests := l.rest
			if l.inner {
				rests = as.x.c.and(l.reached, l.stops)
				if g.MentionsMemory() {
					rests = as.x.c.and(rests, as.allInMemory())
				}
			}
			here = as.x.c.or(here, rests)
		}
		is = as.x.c.and(is, here)
	}
	if g.With != nil {
		is = as.x.c.and(is, as.cond(g.With))
	}
	return as.x.c.and(is, as.x.lifetimes.orderly(g.MentionsMemory()))
}

// cond returns a condition on the last state, with all stores in memory.
func (as *asker) cond(c *property.Cond) gate {
	return as.x.c.truth(scope{prog: as.x.prog, regs: tableOf(as.vars(c.Vars))}, c.Expr)
}

func (as *asker) vars(vars []property.Var) []word {
	var out []word
	for _, v := range vars {
		if v.IsMemory() {
			view := as.x.cells.at[byteRange{v.Addr, v.Type.Size()}]
			out = append(out, as.x.c.wrap(v.Type, as.x.c.read(view, as.x.mem.final(view.cell))))
		} else {
			out = append(out, as.x.seq.regAt(as.x.threads[v.Thread], v.Reg))
		}
	}
	return out
}

// ended returns whether all threads that were started have ended.
func (as *asker) ended() gate {
	is := as.x.lifetimes.orderly(true)
	for _, t := range as.x.threads {
		is = as.x.c.and(is, as.x.c.or(t.started.not(), as.hasEnded(t)))
	}
	return is
}

func (as *asker) hasEnded(t *thread) gate {
	is := low
	for _, l := range t.locs {
		if l.ends && l.reached != low {
			is = as.x.c.or(is, l.reached)
		}
	}
	return is
}

// hasReturned returns whether a thread has ended by a return.
func (as *asker) hasReturned(t *thread) gate {
	is := low
	for _, l := range t.locs {
		if l.ends && l.reached != low && t.f.Returns(l.id) {
			is = as.x.c.or(is, l.reached)
		}
	}
	return is
}

// deadlock returns whether no step is possible although a thread waits, and no thread is stopped by
// an assumption.
func (as *asker) deadlock() gate {
	stuck, waiting := high, low
	for _, t := range as.x.threads {
		blocked := low
		for _, l := range t.locs {
			// A thread rests inside a section only for a goal. No store reaches memory there, so the
			// last state, with all stores in memory, says nothing about it.
			if l.reached == low || l.rest == low || l.ends || l.inner {
				continue
			}
			disabled, waits := high, false
			for _, st := range l.steps {
				disabled = as.x.c.and(disabled, as.disabled(l, st))
				waits = waits || canWait(&st.e.Op)
			}
			if waits {
				blocked = as.x.c.or(blocked, as.x.c.and(l.rest, disabled))
			}
		}
		waiting = as.x.c.or(waiting, blocked)
		stuck = as.x.c.and(stuck, as.x.c.any(t.started.not(), as.hasEnded(t), blocked))
	}
	if m := as.x.prog.Main; m != ir.NoThread {
		stuck = as.x.c.and(stuck, as.hasReturned(as.x.threads[m]).not())
	}
	return as.x.c.all(stuck, waiting, as.x.lifetimes.orderly(true))
}

// canWait reports whether a thread can wait at an instruction.
func canWait(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.Join, ir.Await, ir.Barrier:
		return true
	case ir.CondWait:
		return !op.Timed
	}
	return op.Kind == ir.RMW && op.Cond != nil
}

// disabled returns whether a step is not possible in the last state, with all stores in memory.
func (as *asker) disabled(l *location, st *step) gate {
	op := &st.e.Op
	switch op.Kind {
	case ir.CondWait, ir.Barrier:
		if l.wait == nil {
			return low
		}
		return as.stillWaits(l, st)
	case ir.Assume:
		return as.x.c.truth(as.x.scope(l.state), op.Val).not()
	case ir.Await, ir.RMW, ir.Lock:
		if op.Kind == ir.RMW && op.Cond == nil {
			return low
		}
		out := low
		for _, g := range st.access.goals {
			if op.Writes() && as.x.readOnly(g.byteRange) { // an error does not wait
				continue
			}
			out = as.x.c.or(out, as.x.c.all(g.is, as.x.lifetimes.gone(g.byteRange).not(), as.passes(l, st, as.x.c.read(g.view, as.x.mem.final(g.cell))).not()))
		}
		return out
	case ir.Join:
		out := low
		for _, u := range as.x.threads {
			is := as.x.c.equal(st.handle, constWord(int64(u.id)))
			out = as.x.c.or(out, as.x.c.all(is, u.started, as.hasEnded(u).not()))
		}
		return out
	}
	return low
}

// passes returns whether an instruction that waits for a value in memory continues with the value
// seen.
func (as *asker) passes(l *location, st *step, seen word) gate {
	op := &st.e.Op
	if op.Kind == ir.Lock {
		me := int64(0)
		for _, t := range as.x.threads {
			if t.at != nil && int(l.id) < len(t.at) && t.at[l.id] == l {
				me = int64(t.id + 1)
			}
		}
		can := as.x.c.or(as.x.c.equal(seen, constWord(0)), as.x.c.equal(seen, constWord(ir.DestroyedMutex)))
		if op.Mutex.Kind != ir.NormalMutex {
			can = as.x.c.or(can, as.x.c.equal(as.x.c.wrap(ir.U32, seen), constWord(me)))
		}
		return can
	}
	sc := as.x.scope(l.state)
	sc.seen = as.x.c.wrap(op.Type, seen)
	return as.x.c.truth(sc, op.Cond)
}
