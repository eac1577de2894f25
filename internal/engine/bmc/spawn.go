package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// Starting threads. A spawn takes the first of its threads that has not been started. As
// long as one thread starts them all, it can count. Otherwise which one it is depends on
// the order in which others have started theirs: it is an input, and startInOrder
// says what it is.

// spawn starts the next thread of its pool.
func (x *encoder) spawn(t *thread, st *step, s *local) {
	op := &st.e.Op
	p := x.pools[op.Threads[0]]
	shared := slices.ContainsFunc(op.Threads, func(u ir.ThreadID) bool { return x.pools[u].shared })
	count := len(t.f.Regs) + p.index
	started := s.regs[count]
	st.runs = low
	handle := constWord(int64(op.Threads[0]))
	for i, u := range op.Threads {
		is := x.and(st.tries, x.equal(started, constWord(int64(i))))
		if shared {
			is = x.all(st.tries, st.runs.not(), x.input())
		}
		if is == low {
			continue
		}
		to := spawnTarget{thread: int(u), is: is}
		for _, a := range op.Args {
			to.args = append(to.args, x.eval(x.scope(s), a))
		}
		st.targets = append(st.targets, to)
		handle = x.muxWord(is, constWord(int64(u)), handle)
		st.runs = x.or(st.runs, is)
	}
	if none := x.and(st.tries, st.runs.not()); none != low {
		x.cuts = append(x.cuts, &cut{none, "threads", p.size, st.e})
	}
	st.drain = st.runs
	if !shared {
		s.regs[count] = x.binary(ir.Add, ir.S64, started, constWord(1))
	}
	st.shared = shared
	if op.Dst != ir.NoReg {
		s.regs[op.Dst] = handle
	}
}

// startInOrder says which threads spawns start that others compete with.
func (x *encoder) startInOrder() {
	for _, t := range x.threads {
		for _, l := range t.locs {
			for _, st := range l.steps {
				if st.shared {
					x.startNext(t, l, st)
				}
			}
		}
	}
}

func (x *encoder) startNext(t *thread, l *location, st *step) {
	var before []gate // started before, of the threads in front
	for _, to := range st.targets {
		started := x.startedBefore(to.thread, t, l)
		x.demand(started.not(), to.is)
		for _, g := range before {
			x.demand(g, to.is)
		}
		before = append(before, started)
	}
	for _, g := range before {
		x.demand(g, st.tries, st.runs.not())
	}
}

// startedBefore is whether a thread is started before another one leaves a location.
func (x *encoder) startedBefore(thread int, t *thread, at *location) gate {
	if x.prog.Threads[thread].Start {
		return high
	}
	out := low
	for _, u := range x.threads {
		for _, l := range u.locs {
			for _, st := range l.steps {
				for _, to := range st.targets {
					if to.thread == thread {
						out = x.or(out, x.and(to.is, x.before(u, l, t, at)))
					}
				}
			}
		}
	}
	return out
}
