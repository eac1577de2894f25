package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// Starting threads. A spawn starts the first of its threads that has not been started. If one
// thread has all spawns of a pool, it counts them. Otherwise the thread that a spawn starts depends
// on the order of the spawns: it is an input, which startInOrder constrains.

// spawn encodes the start of the next thread of a pool.
func (x *encoder) spawn(t *thread, st *step, s *local) {
	op := &st.e.Op
	p := x.pools[op.Call.Threads[0]]
	shared := slices.ContainsFunc(op.Call.Threads, func(u ir.ThreadID) bool { return x.pools[u].shared })
	count := len(t.f.Regs) + p.index
	started := s.regs.at(count)
	st.runs = low
	handle := constWord(int64(op.Call.Threads[0]))
	for i, u := range op.Call.Threads {
		is := x.c.and(st.tries, x.c.equal(started, constWord(int64(i))))
		if shared {
			is = x.c.all(st.tries, st.runs.not(), x.c.input())
		}
		if is == low {
			continue
		}
		to := spawnTarget{thread: int(u), is: is}
		for _, a := range op.Call.Args {
			to.args = append(to.args, x.c.eval(x.scope(s), a))
		}
		st.targets = append(st.targets, to)
		handle = x.c.muxWord(is, constWord(int64(u)), handle)
		st.runs = x.c.or(st.runs, is)
	}
	if none := x.c.and(st.tries, st.runs.not()); none != low {
		x.cuts = append(x.cuts, &cut{none, "threads", p.size, st.e})
	}
	st.drain = st.runs
	if !shared {
		s.set(ir.Reg(count), x.c.binary(ir.Add, ir.S64, started, constWord(1)))
	}
	st.shared = shared
	s.set(op.Dst, handle)
}

// startInOrder constrains which thread a spawn starts, for spawns of a pool that several threads
// use: the first one that no earlier spawn has started.
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
	var before []gate // whether each earlier thread of the pool was started before
	for _, to := range st.targets {
		started := x.startedBefore(to.thread, t, l)
		x.c.demand(started.not(), to.is)
		for _, g := range before {
			x.c.demand(g, to.is)
		}
		before = append(before, started)
	}
	for _, g := range before {
		x.c.demand(g, st.tries, st.runs.not())
	}
}

// startedBefore returns whether a thread is started before thread t leaves a location.
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
						out = x.c.or(out, x.c.and(to.is, x.lifetimes.before(u, l, t, at)))
					}
				}
			}
		}
	}
	return out
}
