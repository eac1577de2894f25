package smc

// Events that the execution does not contain: choices that were not made, and second events
// of reversible races that would do something else if they came first.

// position is where in a sequence an alternative event could come, and the event there.
type position struct {
	k  int // after so many events of the sequence
	ev event
}

// alternative demands executions with an event that the execution does not contain: the event of
// process p with label lb. It is another choice of the first event's thread, or the second event
// where that changes when it comes first. Let the sequence be all events that do not happen after
// the first. The alternative event could come after any of them, if it need not wait for a later
// one. Only some positions make a difference: the first at which it is possible, and those after an
// event that it depends on, before that event or after it. An alloc that takes back a block whose free
// is in the buffer depends on the update of the free, and no longer shows that when the update has happened.
func (rv *reverser) alternative(r *reversible, p int32, lb label) {
	rv.positions = rv.positions[:0]
	v := &rv.seq
	v.reset(none)
	from := 0
	for i := int(r.first) + 1; i < len(rv.exec.events); i++ {
		n := len(v.items)
		if int32(i) == r.second || rv.left(r, i) {
			continue
		}
		v.appendEvent(r.first, i)
		before := r.second == none && rv.exec.events[i].Proc == p || r.second != none && rv.exec.before(int32(i), r.second)
		if len(v.items) > n && before {
			from = n + 1
		}
	}
	start := rv.beginTrial(r.first, r.second != none)
	open := false
	var pos, last position
	for k := 0; ; k++ {
		was := open
		open = k >= from && rv.run.Open(p, lb)
		if open {
			at := rv.run.Mark()
			last, pos = pos, position{k: k}
			rv.run.Perform(p, lb, &pos.ev)
			rv.tail.compare(&pos.ev)
			rv.run.Undo(at)
			if !was || dependent(&pos.ev, v.get(k-1)) || dependent(&last.ev, v.get(k-1)) {
				rv.positions = append(rv.positions, pos)
			}
		}
		if k == len(v.items) {
			break
		}
		var e event
		rv.run.Perform(rv.exec.events[v.items[k].i].Proc, rv.exec.events[v.items[k].i].Label, &e)
	}
	known := len(rv.pending)
	if !open && len(rv.positions) == 0 && r.second == none && r.without == 0 && !rv.run.Procs.List[p].Buffer {
		rv.blockedChoice(int(p), lb, r.first)
	}
	rv.endTrial(start)
	if rv.tail.clash {
		return
	}
	if len(rv.pending) > known {
		for k := known; k < len(rv.pending); k++ {
			rv.reverse(&rv.pending[k])
		}
		rv.pending = rv.pending[:known]
		return // there are no positions for r, and rv.positions may have others by now
	}
	for i := range rv.positions {
		rv.demandAt(r, &rv.positions[i])
	}
	r.done = false // the positions depend on the rest of the execution
}

// demandAt demands the sequence with an alternative event at a position.
func (rv *reverser) demandAt(r *reversible, pos *position) {
	v := &rv.seq
	v.reset(none)
	i := int(r.first) + 1
	for ; len(v.items) < pos.k; i++ {
		if int32(i) != r.second && !rv.left(r, i) {
			v.appendEvent(r.first, i)
		}
	}
	v.turn, v.last = pos.k, pos.ev
	v.last.Idx = rv.exec.countBefore(pos.ev.Proc, r.first, v)
	v.appendReversed()
	v.appendRest(r.first, r.without-1, i)
	if r.second == none && rv.tree.leads(&rv.exec.events[r.first], v) != notInitial {
		return // what was possible before the first event is possible after it, too: another spawn has taken the last thread
	}
	rv.demand(r)
}
