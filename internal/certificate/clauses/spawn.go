package clauses

import (
	"fencepost/internal/ir"
)

// The start and the end of threads. A spawn starts the first of its threads that has not started.

func (x *encoder) spawn(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	op := &e.Op
	p := t.point(x, on, false)
	x.drained(on, p)
	var args []word
	for _, a := range op.Call.Args {
		args = append(args, x.eval(a, x.values(at)))
	}
	next, handle, left := at.clone(), number(0), yes
	for _, child := range op.Call.Threads {
		c := x.threads[child]
		if x.starter(child) != t.id || x.p.Threads[child].Start || c.done {
			refuse("threads that several threads can start")
		}
		started := at.flag(at.started, child)
		now := x.and(left, -started)
		next.started[child] = x.or(started, now)
		handle = x.chooseWord(now, number(int64(child)), handle)
		if first := x.and(on, now); first != no {
			c.starts = append(c.starts, begin{first, args, p})
		}
		left = x.and(left, started)
	}
	next.set(op.Dst, handle)
	x.cuts = append(x.cuts, Bad{On: x.and(on, left), What: "threads", Edge: e.ID, Bound: true})
	return next, x.and(on, -left)
}

func (s *path) flag(flags map[ir.ThreadID]Lit, t ir.ThreadID) Lit {
	if l, ok := flags[t]; ok {
		return l
	}
	return no
}

// starter returns the only thread that can start a thread, NoThread if there are several.
func (x *encoder) starter(child ir.ThreadID) ir.ThreadID {
	found := ir.NoThread
	for u := range x.p.Threads {
		f := x.p.ThreadFunc(ir.ThreadID(u))
		for i := range f.Edges {
			for _, c := range f.Edges[i].Op.Call.Threads {
				if c == child && found != ir.NoThread && found != ir.ThreadID(u) {
					return ir.NoThread
				}
				if c == child {
					found = ir.ThreadID(u)
				}
			}
		}
	}
	return found
}

// joins is an operation that waits for a thread: all that this thread did comes before it.
type joins struct {
	on     Lit
	target ir.ThreadID
	point  int
}

func (x *encoder) joinThread(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	handle := x.eval(e.Op.Val, x.values(at))
	p := t.point(x, on, false)
	x.drained(on, p)
	next, goes, result, known := at.clone(), no, number(0), no
	for u, c := range x.threads {
		is := x.equal(handle, number(int64(u)))
		if is == no {
			continue
		}
		known = x.or(known, is)
		id := ir.ThreadID(u)
		if x.starter(id) != t.id || c.done { // whether it has started, and was joined, depends on the order of the threads
			x.beyond(x.and(on, is), e.ID, "a thread is joined by another one than that which has started it")
			continue
		}
		joined := at.flag(at.joined, id)
		x.wrong(x.every(on, is, x.or(-at.flag(at.started, id), joined)), e.ID, "a check fails: "+ir.BadJoin.String())
		next.joined[id] = x.or(joined, is)
		through := x.every(is, c.ended, at.flag(at.started, id), -joined)
		x.joins = append(x.joins, joins{x.and(on, through), id, p})
		goes, result = x.or(goes, through), x.chooseWord(is, c.result, result)
	}
	x.wrong(x.and(on, -known), e.ID, "a check fails: "+ir.BadJoin.String())
	next.set(e.Op.Dst, result)
	return next, x.and(on, goes)
}
