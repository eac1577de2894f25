package bmc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// What is asked, as gates. A state that a question is about can always be the last
// one of a run, since every thread can be stopped: goals, final conditions and
// deadlock are tested where the last round has left the threads.

// question is a way to violate what is asked.
type question struct {
	kind engine.ViolationKind
	is   gate
	fail *failure
	goal int
	// Of an error of a store or free on its way to memory: its class, and that no other
	// class of them comes before.
	late  ir.CheckClass
	first gate
}

// questions lists the ways that are not ruled out already.
func (x *encoder) questions() []question {
	var out []question
	for _, f := range x.fails {
		out = append(out, question{kind: engine.CheckFailed, is: f.fails, fail: f})
	}
	out = append(out, x.lateQuestions()...)
	for i := range x.props.Goals {
		out = append(out, question{kind: engine.GoalReached, is: x.goal(&x.props.Goals[i]), goal: i})
	}
	if f := x.props.Final; f != nil {
		holds := x.cond(f.Cond)
		if f.Quantifier == property.Forall {
			holds = holds.not()
		}
		out = append(out, question{kind: engine.FinalViolated, is: x.and(x.ended(), holds)})
	}
	if x.props.Deadlock {
		out = append(out, question{kind: engine.Deadlock, is: x.deadlock()})
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

// goal is whether the threads rest where a goal says.
func (x *encoder) goal(g *property.Goal) gate {
	is := high
	for _, at := range g.At {
		t := x.threads[at.Thread]
		here := low
		for _, id := range at.Locs {
			l := t.at[id]
			if l == nil || l.reached == low {
				continue
			}
			rests := l.rest
			if l.inner {
				rests = x.and(l.reached, l.stops)
				if g.MentionsMemory() {
					rests = x.and(rests, x.allInMemory())
				}
			}
			here = x.or(here, rests)
		}
		is = x.and(is, here)
	}
	if g.With != nil {
		is = x.and(is, x.cond(g.With))
	}
	return x.and(is, x.orderly(g.MentionsMemory()))
}

// cond is a condition on the last state, with everything in memory.
func (x *encoder) cond(c *property.Cond) gate {
	return x.truth(scope{prog: x.prog, regs: x.vars(c.Vars)}, c.Expr)
}

func (x *encoder) vars(vars []property.Var) []word {
	var out []word
	for _, v := range vars {
		if v.IsMemory() {
			view := x.cells.at[place{v.Addr, v.Type.Size()}]
			out = append(out, x.wrap(v.Type, x.read(view, x.mem.final(view.cell))))
		} else {
			out = append(out, x.regAt(x.threads[v.Thread], v.Reg))
		}
	}
	return out
}

// ended is whether all threads that were started have ended.
func (x *encoder) ended() gate {
	is := x.orderly(true)
	for _, t := range x.threads {
		is = x.and(is, x.or(t.started.not(), x.hasEnded(t)))
	}
	return is
}

func (x *encoder) hasEnded(t *thread) gate {
	is := low
	for _, l := range t.locs {
		if l.ends && l.reached != low {
			is = x.or(is, l.reached)
		}
	}
	return is
}

// hasReturned is whether a thread has ended by a return.
func (x *encoder) hasReturned(t *thread) gate {
	is := low
	for _, l := range t.locs {
		if l.ends && l.reached != low && t.f.Returns(l.id) {
			is = x.or(is, l.reached)
		}
	}
	return is
}

// deadlock is whether nothing can happen although a thread waits, and none is
// stopped by an assumption.
func (x *encoder) deadlock() gate {
	stuck, waiting := high, low
	for _, t := range x.threads {
		blocked := low
		for _, l := range t.locs {
			if l.reached == low || l.rest == low || l.ends {
				continue
			}
			disabled, waits := high, false
			for _, st := range l.steps {
				disabled = x.and(disabled, x.disabled(l, st))
				waits = waits || canWait(&st.e.Op)
			}
			if waits {
				blocked = x.or(blocked, x.and(l.rest, disabled))
			}
		}
		waiting = x.or(waiting, blocked)
		stuck = x.and(stuck, x.any(t.started.not(), x.hasEnded(t), blocked))
	}
	if m := x.prog.Main; m != ir.NoThread {
		stuck = x.and(stuck, x.hasReturned(x.threads[m]).not())
	}
	return x.all(stuck, waiting, x.orderly(true))
}

// canWait reports whether an instruction is one a thread can wait at.
func canWait(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.Join, ir.Await, ir.Barrier:
		return true
	case ir.CondWait:
		return !op.Timed
	}
	return op.Kind == ir.RMW && op.Cond != nil
}

// disabled is whether a step could not be taken in the last state, when everything
// has reached memory.
func (x *encoder) disabled(l *location, st *step) gate {
	op := &st.e.Op
	switch op.Kind {
	case ir.CondWait, ir.Barrier:
		if l.wait == nil {
			return low
		}
		return x.stillWaits(l, st)
	case ir.Assume:
		return x.truth(x.scope(l.state), op.Val).not()
	case ir.Await, ir.RMW, ir.Lock:
		if op.Kind == ir.RMW && op.Cond == nil {
			return low
		}
		out := low
		for _, g := range st.access.goals {
			if op.Writes() && x.readOnly(g.place) { // an error needs no waiting
				continue
			}
			out = x.or(out, x.all(g.is, x.gone(g.place).not(), x.passes(l, st, x.read(g.view, x.mem.final(g.cell))).not()))
		}
		return out
	case ir.Join:
		out := low
		for _, u := range x.threads {
			is := x.equal(st.handle, constWord(int64(u.id)))
			out = x.or(out, x.all(is, u.started, x.hasEnded(u).not()))
		}
		return out
	}
	return low
}

// passes is whether an instruction that waits for a value in memory goes on with one.
func (x *encoder) passes(l *location, st *step, seen word) gate {
	op := &st.e.Op
	if op.Kind == ir.Lock {
		me := int64(0)
		for _, t := range x.threads {
			if t.at != nil && int(l.id) < len(t.at) && t.at[l.id] == l {
				me = int64(t.id + 1)
			}
		}
		can := x.or(x.equal(seen, constWord(0)), x.equal(seen, constWord(ir.DestroyedMutex)))
		if op.Mutex != ir.NormalMutex {
			can = x.or(can, x.equal(x.wrap(ir.U32, seen), constWord(me)))
		}
		return can
	}
	sc := x.scope(l.state)
	sc.seen = x.wrap(op.Type, seen)
	return x.truth(sc, op.Cond)
}
