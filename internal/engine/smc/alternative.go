package smc

// Events that have no place in an execution: choices that were not made, and
// second events of races that have changed.

// alternative deals with an event that has no place in the execution: another choice
// of the first event's thread, or a second event that has changed. It could stand behind any of the
// events that do not happen after the first and that it need not wait for. Those places matter
// that it depends on, and the first at which it is possible.
func (x *explorer) alternative(r *race, p int32, lb label) {
	x.places = x.places[:0]
	v := &x.seq
	v.items, v.second = v.items[:0], none
	from := 0
	for i := int(r.first) + 1; i < len(x.ev); i++ {
		n := len(v.items)
		if int32(i) == r.second {
			continue
		}
		x.keep(r.first, i, v)
		if r.second != none && len(v.items) > n && x.precedes(int32(i), x.clock(r.second)) {
			from = n + 1
		}
	}
	x.seek(int(r.first))
	mark, log := x.s.Mark(), len(x.threadLog)
	x.dry, x.lenient = true, r.second != none
	for k := 0; ; k++ {
		if k >= from && x.open(p, lb) {
			at, n := x.s.Mark(), len(x.threadLog)
			pl := place{k: k}
			x.perform(p, lb, &pl.ev)
			x.s.Undo(at)
			x.undoThreads(n)
			if len(x.places) == 0 || dependent(&pl.ev, x.get(v, k-1)) {
				x.places = append(x.places, pl)
			}
		}
		if k == len(v.items) {
			break
		}
		var e event
		x.perform(x.ev[v.items[k].i].proc, x.ev[v.items[k].i].label, &e)
	}
	x.dry, x.lenient = false, false
	x.issued = x.issued[:0]
	x.s.Undo(mark)
	x.undoThreads(log)
	for i := range x.places {
		x.placed(r, &x.places[i])
	}
	r.done = false // where it could stand depends on what follows
}

// place is where an alternative could stand, and what it would do there.
type place struct {
	k  int // behind so many events of v
	ev event
}

// placed demands v with an alternative in its place.
func (x *explorer) placed(r *race, pl *place) {
	v := &x.seq
	v.items, v.second = v.items[:0], none
	i := int(r.first) + 1
	for ; len(v.items) < pl.k; i++ {
		if int32(i) != r.second {
			x.keep(r.first, i, v)
		}
	}
	v.turn, v.last = pl.k, pl.ev
	v.last.idx = x.countBefore(pl.ev.proc, r.first, v)
	v.items = append(v.items, item{i: none})
	x.rest(r.first, i, v)
	x.demand(r)
}

// open reports whether a process can do what a label says.
func (x *explorer) open(p int32, lb label) bool {
	t := int(x.procs[p].thread)
	if x.procs[p].aux {
		_, ok := x.y.FindFlush(x.s, t, x.procs[p].addr, x.procs[p].size)
		return ok && !x.threads[t].jam
	}
	x.list(t)
	for _, o := range x.options {
		if o.edge == lb.edge && (o.choice == lb.choice || lb.choice == anyChoice || x.lenient) {
			return true
		}
	}
	return false
}
