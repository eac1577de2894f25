package smc

import (
	"slices"

	"fencepost/internal/memory"
)

// Reversing races [AAJS17 §6].
//
// At the end of an execution, for every race of a first and a second event, let v be the
// events behind the first that do not happen after it, with the second moved in
// front of the first. The state before the first must lead on to v: either something that
// has been explored there, or sleeps there, is a weak initial of v, so that v is covered; or v goes
// into the wakeup tree.
//
// Whole executions are needed: with v cut off behind the second event, an event that v
// goes on to depend on would pass as a weak initial, and executions would be lost.
// So a race is looked at again at the end of every execution it is in, unless
// it is settled for good: something that sleeps is itself an event of v up to the second
// event, and the reversed event touches nothing that the second did not, so that it is an
// initial of every other v of the race. (If it touches more, events that follow in another execution may depend on
// it, and it is tried behind them, too.) It would not do to be content with a branch
// of the tree that v begins with: where that branch leads, the sleep set may hide the
// rest of v, and then only the tree leads to it.
//
// Differs from the paper: in v the second event stands where it stood, not at the
// end; the two are the same trace. What the second event touches when it comes first is looked at
// again: a compare-exchange may fail then, a section take another way. Events
// behind it that turn out to depend on it now are left out of v with all that
// happens after them. Bytes that a load saw in memory as an update of its own thread left
// them are forwarded in v if this update is not in v.

// reverseAll reverses the races of an execution that has come to its end.
func (x *explorer) reverseAll() {
	for k := range x.races {
		if r := &x.races[k]; !r.done {
			x.reverse(r)
			if x.stopped {
				return
			}
		}
	}
	if x.mutexes {
		x.pendingLocks()
	}
}

// reverse deals with one race.
func (x *explorer) reverse(r *race) {
	switch {
	case r.second == none && !r.lock && x.chosen(r):
		r.done = true
	case r.second == none && !r.lock:
		x.alternative(r, r.proc, r.label)
	case !x.sequence(r):
	case r.second != none && x.moves(r):
		x.alternative(r, x.ev[r.second].proc, x.ev[r.second].label)
	default:
		x.demand(r)
	}
}

// chosen reports whether a choice that touches nothing has been explored in place of
// the first event, or is going to be: it could stand anywhere.
func (x *explorer) chosen(r *race) bool {
	free := func(e *event) bool {
		return e.proc == r.proc && e.label == r.label && e.size() == 0 && e.cancel == none && e.other == 0 && e.flags&(drains|ends) == 0
	}
	n := &x.nodes[r.first]
	for k := range n.sleep {
		if free(&n.sleep[k]) {
			return true
		}
	}
	for _, c := range n.wut {
		if len(c.children) == 0 && free(&c.ev) {
			return true
		}
	}
	if n.shared {
		n.sh.mu.Lock()
		defer n.sh.mu.Unlock()
		return slices.ContainsFunc(n.sh.children[n.cur+1:], func(c *shared) bool { return c.leaf && free(c.ev) })
	}
	return false
}

// moves reports whether the reversed event depends on events of v that the second
// event did not depend on: then it matters where it stands.
func (x *explorer) moves(r *race) bool {
	v := &x.seq
	if sameAccesses(&v.last, &x.ev[r.second]) {
		return false
	}
	for k := range v.items {
		if i := v.items[k].i; i != none && !x.precedes(i, x.clock(r.second)) && dependent(x.get(v, k), &v.last) {
			return true
		}
	}
	return false
}

// demand sees to it that v is explored.
func (x *explorer) demand(r *race) {
	v := &x.seq
	n := &x.nodes[r.first]
	for k := range n.sleep {
		if c := x.leads(&n.sleep[k], v); c != notInitial {
			r.done = c >= 0 && c <= v.turn && r.second != none && within(&v.last, &x.ev[r.second])
			return
		}
	}
	x.present, x.slept, x.passed, x.led = &x.ev[r.first], n.sleep, x.passed[:0], x.led[:0]
	if n.shared {
		x.insertShared(n.sh, n.cur+1, v)
		return
	}
	n.wut = x.insert(n.wut, v)
}

// sequence builds v; it reports whether there is one.
func (x *explorer) sequence(r *race) bool {
	v := &x.seq
	v.items = v.items[:0]
	v.second = r.second
	limit := int(r.second)
	if r.second == none {
		limit = len(x.ev)
	}
	for i := int(r.first) + 1; i < limit; i++ {
		x.keep(r.first, i, v)
	}
	v.turn = len(v.items)
	switch {
	case r.second == none:
		v.last = x.attempt(r)
	case x.compareAgain(r, v):
	case x.ev[r.second].flags&varies != 0:
		if !x.elsewhere(r.first, v, x.ev[r.second].proc, x.ev[r.second].label) {
			return false
		}
	default:
		v.last = x.ev[r.second]
		v.last.src.pend = x.pendingIn(r.first, r.second, &v.last)
	}
	v.items = append(v.items, item{i: none})
	if r.second == none {
		return true
	}
	for i := int(r.second) + 1; i < len(x.ev); i++ {
		x.keep(r.first, i, v)
	}
	return true
}

// compareAgain makes the reversed event of a compare-exchange, if what it would read
// is easy to tell: the first event does not write what it reads, or writes just that.
func (x *explorer) compareAgain(r *race, v *sequence) bool {
	f, e := &x.ev[r.first], &x.ev[r.second]
	if e.flags&compares == 0 || e.flags&ends != 0 || e.size() != 1 {
		return false
	}
	old := e.old
	for k := range f.size() {
		if a := f.at(k); a.mode&writes != 0 && conflict(a, &e.acc[0]) {
			if f.size() != 1 || a.addr != e.acc[0].addr || a.size != e.acc[0].size || f.flags&varies != 0 && f.flags&compares == 0 {
				return false
			}
			old = f.prev
		}
	}
	v.last = *e
	v.last.old = old
	v.last.acc[0].mode = reads
	if old == e.want {
		v.last.acc[0].mode = reads | writes
	}
	return true
}

// keep adds event i to v unless it happens after the first event.
func (x *explorer) keep(first int32, i int, v *sequence) {
	if x.precedes(first, x.clock(int32(i))) {
		return
	}
	e := &x.ev[i]
	it := item{i: int32(i), pend: e.src.pend}
	if e.src.own != 0 {
		it.pend = x.pendingIn(first, v.second, e)
	}
	v.items = append(v.items, it)
}

// rest adds the events from number i on that do not happen after the first, except
// those that depend on the reversed event where it stands now, and what happens after them.
func (x *explorer) rest(first int32, i int, v *sequence) {
	x.left = x.left[:0]
next:
	for ; i < len(x.ev); i++ {
		n := len(v.items)
		x.keep(first, i, v)
		if len(v.items) == n {
			continue
		}
		for _, l := range x.left {
			if x.precedes(l, x.clock(int32(i))) {
				v.items = v.items[:n]
				continue next
			}
		}
		if e := x.get(v, n); e.proc == v.last.proc || dependent(e, &v.last) {
			x.left = append(x.left, int32(i))
			v.items = v.items[:n]
		}
	}
}

// elsewhere finds what the process would do after v instead of the first event: it
// is tried. It reports whether the process can do anything.
func (x *explorer) elsewhere(first int32, v *sequence, p int32, lb label) bool {
	x.seek(int(first))
	mark, log := x.s.Mark(), len(x.threadLog)
	x.dry, x.lenient = true, true
	var e event
	for k := range v.items {
		it := &x.ev[v.items[k].i]
		x.perform(it.proc, it.label, &e)
	}
	ok := x.possible(int(p), &lb)
	if ok {
		x.perform(p, lb, &v.last)
		v.last.idx = x.countBefore(p, first, v)
	}
	x.dry, x.lenient = false, false
	x.issued = x.issued[:0]
	x.s.Undo(mark)
	x.undoThreads(log)
	return ok
}

// possible reports whether thread t can do what a label says, or, if that choice
// is gone, anything from the same edge.
func (x *explorer) possible(t int, lb *label) bool {
	x.list(t)
	for _, o := range x.options {
		if o.edge == lb.edge {
			return true
		}
	}
	return false
}

// countBefore is the number that the next event of p has after v.
func (x *explorer) countBefore(p, first int32, v *sequence) int32 {
	n := x.count[p]
	for i := int(first); i < len(x.ev); i++ {
		if x.ev[i].proc == p {
			n--
		}
	}
	for k := range v.items {
		if v.items[k].i != none && x.ev[v.items[k].i].proc == p {
			n++
		}
	}
	return n + 1
}

// pendingLocks reverses what threads that wait for a mutex at the end would have
// done, had they come before the one that has it.
func (x *explorer) pendingLocks() {
	x.pending = x.pending[:0]
	x.forward(len(x.ev))
	for t := range x.threads {
		if r, ok := x.pendingLock(t); ok {
			x.pending = append(x.pending, r)
		}
	}
	for k := range x.pending {
		x.reverse(&x.pending[k])
	}
}

func (x *explorer) pendingLock(t int) (race, bool) {
	if x.threads[t].stop != goesOn {
		return race{}, false
	}
	x.list(t)
	var h memory.Hindered
	var lb label
	if x.y.Running(x.s, t) {
		for _, o := range x.hidden {
			if hx := x.y.Hinders(x.s, t, o.edge); hx.Why == memory.Held {
				h, lb = hx, label{edge: o.edge}
			}
		}
	} else if edge, woken := x.y.WaitingEdge(x.s, t); woken && len(x.options) == 0 {
		h, lb = x.y.Hinders(x.s, t, edge), label{edge: edge}
	}
	if h.Why != memory.Held {
		return race{}, false
	}
	f := x.acquirer(h.Addr)
	if f == none || x.ev[f].thread == int32(t) {
		return race{}, false
	}
	if x.scratch == nil || len(x.scratch) < x.stride {
		x.scratch = make([]int32, x.stride)
	}
	c := x.scratch[:x.stride]
	clear(c)
	if b := x.base[t]; b != none {
		join(c, x.clock(b))
	}
	x.joinBuffers(int32(t), c)
	if x.precedes(f, c) {
		return race{}, false
	}
	return race{first: f, second: none, proc: int32(t), label: lb, lock: true}, true
}

// attempt is the lock of a thread that waits at the end.
func (x *explorer) attempt(r *race) event {
	e := event{
		proc: r.proc, thread: r.proc, ord: none, cancel: none, label: r.label,
		flags: drains | isMutex | locks | acquires,
	}
	e.touch(x.ev[r.first].acc[0].addr, 8, reads|writes)
	e.idx = x.count[r.proc] + 1
	return e
}
