package smc

import (
	"fencepost/internal/machine"
	"slices"
)

// Reversing races [AAJS17 §6].
//
// This happens at the end of an execution, for every reversible race of a first and a second event.
// Let v be the events after the first event that do not happen after it, with the second event in
// its new position before the first. The node before the first event must lead on to v. If an event
// that sleeps at the node, or has been explored from it, is a weak initial of v, then v is covered.
// Otherwise v is inserted into the wakeup tree of the node.
//
// Why v needs the whole execution: if v ended after the second event, an event could pass as a weak
// initial although a later event of v depends on it, and executions would be lost. So a race is
// reversed again at the end of every execution that contains it, with three exceptions.
//
// The first (reversible.until): v is compared with sleeping events and led along the wakeup tree, and each of these
// decisions depends on the events of v up to some point only: an event that is compared is found in v, or an event of
// v depends on it, or a new branch ends because nothing sleeps any more. In another execution in which all events up to
// that point are the same, the decisions are the same, and v arrives at the same leaf: while the first event is on the
// path, what sleeps at the node before it stays, and the tree there only grows at the end of its lists.
//
// The second (reversible.done): a race need not be reversed again if (1) a sleeping event is an event of v up
// to the second event, and (2) the reversed event accesses nothing that the second event does not
// access. Then the sleeping event is an initial of v in every other execution with the race.
// Without (2), an event of another execution may depend on the reversed event, and the reversed
// event has to be tried after that event, too. A branch of the wakeup tree that v begins with would
// not be enough for (1). The nodes of that branch have sleep sets of their own, and an execution
// through the branch that continues like v may be cut off by one of them. Then the rest of v is
// explored only if v is inserted below the branch.
//
// The third (repeated): a race of b and g, reversed at the node m before b, needs no reversal if an event f that sleeps at
// m is independent of all events of v that do not happen after g. Then g has raced with f in the same way, and the
// executions after f have demanded what v demands. In detail: suppose the exploration of a node m.t lacks an execution
// m.t.s. Let s' be the longest prefix of s that has a weak initial among the events that sleep at m.t or were explored
// from there, and b the first of these that was explored, from m, and let g be the next event of s. The
// events that sleep at m.b are no weak initials of t.s'.g, or else they would be of a longer prefix, so some execution
// that begins with m.b.t.s'.g was explored. In it b races with g, and t.s'.g is a prefix of v. If v is demanded at m, it
// arrives at m.t, because what keeps it from going there is a weak initial of t.s'.g. Then an event is explored from m.t
// that is a weak initial of s'.g, against the choice of b. If v is not demanded because of f, f is independent of t.s',
// too, and was explored before b, against the choice of b. Sequences that are not demanded make no execution be explored
// twice or be cut off. g must be possible after f, with the same accesses.
//
// Differs from the paper: in v the second event comes as early as it can, instead of at the end; both are
// linearizations of the same trace. Most often it wakes all that sleeps, and the branch ends with it. If its accesses
// may change when it comes first, it stays where it was. The accesses of the second event are determined again, because
// they may change when it comes first: a compare-exchange may fail then, a section may take another
// branch. Later events that depend on the changed event are left out of v, with all events that
// happen after them. A load may have read bytes from memory after an update of its own thread. If
// that update is not in v, the load forwards these bytes in v.

// reverser reverses the races of an execution that has ended.
type reverser struct {
	path *path
	run  *machine.Machine
	exec *execution
	tree *inserter

	tail *tail

	// Scratch.
	seq       sequence
	pending   []reversible
	starts    []int32
	positions []position
}

// reverseAll reverses the races of an execution that has ended.
func (rv *reverser) reverseAll() {
	for k := range rv.exec.reversible {
		if r := &rv.exec.reversible[k]; !r.done && (r.until == 0 || int(r.until) > rv.path.low) {
			rv.reverse(r)
			if rv.run.Err != nil || rv.tail.clash {
				return
			}
		}
	}
	rv.path.low = len(rv.exec.events)
	if rv.tail.length == 0 && (rv.run.Uses.Mutexes || rv.run.Uses.Joins || rv.run.Uses.Shared) {
		rv.pendingEvents()
	}
	if rv.exec.overwritten {
		rv.run.Err = machine.ErrMutexWritten
	}
}

// reverse reverses one race.
func (rv *reverser) reverse(r *reversible) {
	r.until = 0
	switch {
	case r.second == none && !r.lock && rv.choiceCovered(r):
		r.done = true
	case r.second == none && !r.lock:
		rv.alternative(r, r.proc, r.label)
	case !rv.sequence(r):
		r.until = r.second + 1
	case r.second != none && !rv.seq.same && rv.dependsOnMore(r):
		rv.alternative(r, rv.exec.events[r.second].Proc, rv.exec.events[r.second].Label)
	default:
		rv.tree.reach = 0
		rv.demand(r)
		if r.second != none && (rv.seq.same || sameAccesses(&rv.seq.last, &rv.exec.events[r.second])) {
			r.until = rv.seq.events(rv.tree.reach)
		}
	}
}

// choiceCovered reports whether another choice, instead of the first event, has been explored or is
// in the wakeup tree. It does so only for choices without accesses, whose position in v does not
// matter. What a thread waits for at the end is no such choice, although its label may be that of one.
func (rv *reverser) choiceCovered(r *reversible) bool {
	if r.proc != rv.exec.events[r.first].Proc || r.without != 0 {
		return false
	}
	free := func(e *event) bool {
		return e.Proc == r.proc && e.Label == r.label && e.Size() == 0 && e.Cancel == none && e.Other == 0 && e.Flags&(drains|ends) == 0
	}
	n := &rv.path.nodes[r.first]
	for k := range n.sleep {
		if free(&n.sleep[k]) {
			return true
		}
	}
	for c := n.wut.first; c != nil; c = c.next {
		if c.below.n == 0 && free(&c.ev) {
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

// dependsOnMore reports whether the reversed event depends on events of v that the second event did
// not depend on. Then its position in v matters.
func (rv *reverser) dependsOnMore(r *reversible) bool {
	v := &rv.seq
	if sameAccesses(&v.last, &rv.exec.events[r.second]) {
		return false
	}
	for k := range v.items {
		if i := v.items[k].i; i != none && !rv.exec.before(i, r.second) && dependent(v.get(k), &v.last) {
			return true
		}
	}
	return false
}

// demand makes sure that v is explored: it is covered, or is inserted into the wakeup tree.
func (rv *reverser) demand(r *reversible) {
	v := &rv.seq
	n := &rv.path.nodes[r.first]
	repeats := rv.mayRepeat(r)
	for k := range n.sleep {
		if c := rv.tree.leads(&n.sleep[k], v); c != notInitial || rv.tail.clash {
			r.done = c >= 0 && v.items[c].i < r.second && subsetOf(&v.last, &rv.exec.events[r.second])
			return
		}
		if repeats && rv.tree.stop == v.turn && rv.tree.repeated(&n.sleep[k], v) {
			return
		}
	}
	if rv.tail.clash {
		return
	}
	rv.tree.begin(&rv.exec.events[r.first], n.sleep)
	if n.shared {
		rv.tree.insertShared(n.sh, n.cur+1, v)
		return
	}
	rv.tree.insert(&n.wut, v)
}

// mayRepeat reports whether another event may have raced with the second event of a race in the same way: that event is
// possible whatever comes first, with the same accesses.
func (rv *reverser) mayRepeat(r *reversible) bool {
	if r.second == none || rv.tree.sourceDPOR || rv.run.Uses.Heap || rv.run.Uses.Global || rv.run.Uses.Joins || rv.run.Uses.Shared {
		return false
	}
	return rv.exec.events[r.second].Flags&(varies|isMutex|locks|joins|allocates) == 0
}

// sequence builds v in rv.seq. It returns false if the reversed event is not possible.
func (rv *reverser) sequence(r *reversible) bool {
	v := &rv.seq
	v.reset(r.second)
	if r.second != none && rv.exec.events[r.second].Flags&(varies|locks|joins) == 0 && !rv.tree.sourceDPOR {
		v.early(r.first)
		return true
	}
	limit := int(r.second)
	if r.second == none {
		limit = len(rv.exec.events)
	}
	for i := int(r.first) + 1; i < limit; i++ {
		if !rv.left(r, i) {
			v.appendEvent(r.first, i)
		}
	}
	v.turn = len(v.items)
	switch {
	case r.second == none:
		v.last = rv.attempt(r)
	case rv.compareAgain(r, v):
	case rv.exec.events[r.second].Flags&varies != 0:
		if !rv.tryReversed(r.first, v, rv.exec.events[r.second].Proc, rv.exec.events[r.second].Label) {
			return false
		}
	default:
		v.last = rv.exec.events[r.second]
		v.last.From.Forwarded = rv.exec.forwardedIn(r.first, r.second, &v.last)
	}
	v.appendReversed()
	if r.second == none {
		return true
	}
	for i := int(r.second) + 1; i < len(rv.exec.events); i++ {
		v.appendEvent(r.first, i)
	}
	return true
}

// compareAgain makes the reversed event of a compare-exchange from the descriptions of the two
// events. It returns false if they do not tell what the compare-exchange would read: they do if the
// first event does not write these bytes, or writes exactly these.
func (rv *reverser) compareAgain(r *reversible, v *sequence) bool {
	f, e := &rv.exec.events[r.first], &rv.exec.events[r.second]
	if e.Flags&machine.Compares == 0 || e.Flags&ends != 0 || e.Size() != 1 {
		return false
	}
	old := e.Old
	for k := range f.Size() {
		if a := f.At(k); a.Mode&writes != 0 && conflict(a, &e.Acc[0]) {
			if f.Size() != 1 || a.Addr != e.Acc[0].Addr || a.Size != e.Acc[0].Size || f.Flags&varies != 0 && f.Flags&machine.Compares == 0 {
				return false
			}
			old = f.Prev
		}
	}
	v.last = *e
	v.last.Old = old
	v.last.Acc[0].Mode = reads
	if old == e.Want {
		v.last.Acc[0].Mode = reads | writes
	}
	return true
}

// tryReversed finds what process p does after v by performing v and then the label. It
// returns false if the process can do nothing there.
func (rv *reverser) tryReversed(first int32, v *sequence, p int32, lb label) bool {
	start := rv.beginTrial(first, true)
	var e event
	for k := range v.items {
		it := &rv.exec.events[v.items[k].i]
		rv.run.Perform(it.Proc, it.Label, &e)
	}
	ok := rv.run.Possible(int(p), &lb)
	if ok {
		rv.run.Perform(p, lb, &v.last)
		rv.tail.compare(&v.last)
		v.last.Idx = rv.exec.countBefore(p, first, v)
	}
	rv.endTrial(start)
	return ok && !rv.tail.clash
}

// beginTrial brings the machine to the node before an event, where events are then tried. It
// returns what endTrial needs to return there.
func (rv *reverser) beginTrial(first int32, lenient bool) machine.Mark {
	rv.path.seek(int(first))
	rv.run.Dry, rv.run.Lenient = true, lenient
	return rv.run.Mark()
}

func (rv *reverser) endTrial(start machine.Mark) {
	rv.run.Dry, rv.run.Lenient = false, false
	rv.run.Issued = rv.run.Issued[:0]
	rv.run.Undo(start)
}
