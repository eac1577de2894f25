package smc

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Locks and joins that did not happen [AAJS17 §7].

// pendingEvents reverses the locks and joins that threads wait at when the execution ends: each could have
// come before the event that took the mutex, or that started the thread.
func (rv *reverser) pendingEvents() {
	rv.pending = rv.pending[:0]
	rv.path.forward(len(rv.exec.events))
	for t := range rv.run.Threads.Now {
		rv.pendingLocks(t)
		if rv.run.Uses.Joins || rv.run.Uses.Shared {
			rv.pendingJoins(t)
		}
	}
	for k := range rv.pending {
		rv.reverse(&rv.pending[k])
	}
}

// pendingLocks adds the reversible races of the locks that thread t waits at.
func (rv *reverser) pendingLocks(t int) {
	if rv.run.Threads.Now[t].Stop != machine.Runs {
		return
	}
	rv.run.List(t)
	th := rv.run.Sys.Thread(rv.run.State, t)
	if !rv.run.State.Running(ir.ThreadID(t)) {
		if edge, woken := rv.run.State.Waiting(ir.ThreadID(t)); woken && len(rv.run.Options) == 0 {
			rv.pendingLock(t, edge, th.Hindrance(edge))
		}
		return
	}
	for _, o := range rv.run.Hidden {
		rv.pendingLock(t, o.Edge, th.Hindrance(o.Edge))
	}
}

// pendingLock adds the reversible race of a lock that thread t waits at. It adds nothing if h has another reason.
func (rv *reverser) pendingLock(t int, edge int32, h memory.Hindered) {
	if h.Why != memory.Held {
		return
	}
	if f := rv.exec.acquirer(h.Addr); f != none && rv.exec.events[f].Thread != int32(t) && !rv.past(t, f) {
		rv.pending = append(rv.pending, reversible{first: f, second: none, proc: int32(t), label: label{Edge: edge}, lock: true})
	}
	rv.exec.overwritten = rv.exec.overwritten || rv.run.StoredToHeld(t, h.Addr) || rv.exec.marked(h.Addr, int32(t), func(f int32) bool { return rv.past(t, f) })
}

// pendingJoins adds the reversible races of the joins that thread t waits at, and of the spawns for which no thread is
// left: other spawns have started them.
func (rv *reverser) pendingJoins(t int) {
	if rv.run.Threads.Now[t].Stop != machine.Runs || !rv.run.State.Running(ir.ThreadID(t)) {
		return
	}
	th := rv.run.Sys.Thread(rv.run.State, t)
	for i := range int32(th.EdgeCount()) {
		if len(th.EnabledEdge(i, nil)) > 0 {
			continue
		}
		for _, f := range rv.startedBy(th, i) {
			if rv.exec.events[f].Thread != int32(t) && !rv.past(t, f) {
				rv.pending = append(rv.pending, reversible{first: f, second: none, proc: int32(t), label: label{Edge: i}})
			}
		}
	}
}

// startedBy returns the events before which edge i of a thread is possible: for a join, the start of the thread to be
// joined; for a spawn, the starts of all threads that it could start, which may be independent of each other. The result
// is valid until the next call.
func (rv *reverser) startedBy(th memory.Thread, i int32) []int32 {
	out := rv.starts[:0]
	switch op := th.Op(i); op.Kind {
	case ir.Join:
		if u := th.JoinTarget(i); u >= 0 {
			out = append(out, rv.exec.starter(u))
		}
	case ir.Spawn:
		for _, u := range op.Call.Threads {
			out = append(out, rv.exec.starter(int(u)))
		}
	}
	rv.starts = slices.DeleteFunc(out, func(f int32) bool { return f == none })
	return rv.starts
}

// past reports whether event f happens before what thread t does next, if that drains.
func (rv *reverser) past(t int, f int32) bool {
	ex := rv.exec
	if b := ex.base[t]; b != none && ex.before(f, b) {
		return true
	}
	if b := ex.waitsFor(int32(t)); b != none && ex.before(f, b) {
		return true
	}
	for _, p := range ex.procs.Buffers[t] {
		if l := ex.procs.Last[p]; l != none && ex.before(f, l) {
			return true
		}
	}
	return false
}

// attempt returns the lock of a thread that waits for it at the end.
func (rv *reverser) attempt(r *reversible) event {
	e := event{
		Proc: r.proc, Thread: r.proc, Ord: none, Cancel: none, Label: r.label,
		Flags: drains | isMutex | locks | acquires,
	}
	holder := &rv.exec.events[r.first]
	e.Idx = rv.run.Procs.Count[r.proc] + 1
	if r.without != 0 {
		did := &rv.exec.events[r.without-1]
		if did.Proc != r.proc {
			did, holder = holder, did
		}
		e.Idx = did.Idx
	}
	e.Add(holder.Acc[0].Addr, 8, reads|writes)
	return e
}

// Locks, joins and spawns of threads that do something else instead.
//
// A thread that has a choice may find a lock, a join or a spawn among what it can choose, and cannot do it now. If it
// never can in the execution, the lock could still have come before the event that took the mutex, the join before the
// event that started the thread, and the spawn before an event that started one of its threads. At the end the thread
// does not wait for it, so it is not pending there.

// blockedChoice adds to rv.pending what thread t could have done before another event: what a label says, which it cannot
// do in the state of the machine, where it could do event i of the execution instead.
func (rv *reverser) blockedChoice(t int, lb label, i int32) {
	th := rv.run.Sys.Thread(rv.run.State, t)
	var before []int32
	h := th.Hindrance(lb.Edge)
	switch h.Why {
	case memory.Held:
		before = append(rv.starts[:0], rv.exec.newest(h.Addr, func(f int32) bool {
			return rv.exec.events[f].Flags&acquires != 0 && rv.exec.events[f].Accesses(h.Addr) && !rv.after(i, f)
		}))
		rv.exec.overwritten = rv.exec.overwritten || rv.exec.marked(h.Addr, int32(t), func(f int32) bool { return rv.pastOf(i, f) })
	case memory.Others, memory.NoThread:
		before = rv.startedBy(th, lb.Edge)
	}
	for _, f := range before {
		if f == none || f >= i && rv.after(i, f) || rv.exec.events[f].Thread == int32(t) || rv.pastOf(i, f) {
			continue
		}
		rv.pending = append(rv.pending, reversible{first: min(f, i), second: none, proc: int32(t), label: label{Edge: lb.Edge}, lock: h.Why == memory.Held, without: 1 + max(f, i)})
	}
}

// after reports whether event f is event i or happens after it.
func (rv *reverser) after(i, f int32) bool { return rv.exec.before(i, f) }

// pastOf reports whether event f happens before what the thread of event i could do instead of that, if it drains.
func (rv *reverser) pastOf(i, f int32) bool {
	ex := rv.exec
	if b := ex.bases[rv.path.nodes[i+1].bases].old; b != none && ex.before(f, b) {
		return true
	}
	if b := ex.waitsFor(ex.events[i].Thread); b != none && b < i && ex.before(f, b) {
		return true
	}
	for _, st := range ex.stores[ex.events[i].Thread] {
		if st.ev < i && st.upd != none && ex.before(f, st.upd) {
			return true
		}
	}
	return false
}

// left reports whether event i is left out of the sequence of a race although it may not happen after the first event.
func (rv *reverser) left(r *reversible, i int) bool {
	return r.without != 0 && rv.after(r.without-1, int32(i))
}
