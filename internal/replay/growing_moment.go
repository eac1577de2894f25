//go:build !fencepost_small

package replay

import "fencepost/internal/ir"

// Happens-before of an execution that grows, event by event: each event comes after all that it depends on, so that a
// vector of numbers of events says what happens before it. The matrices of axioms.go say the same in another way.

// Data races under SC, TSO and PSO. What a thread can depend on (hb) is more than what happens before by C11: a relaxed
// read orders nothing. So if data races are asked about, both are kept. An exchange that stands for a seq_cst store reads
// nothing by C11, and fences order atomic accesses, not calls of functions that synchronise. Of release sequences the
// happens-before here has what C++20 has of them, as the axioms do: later stores of the thread, with which C11 and C17 go
// on, depend on the order of all stores, which a class does not say. It has nothing that C11 does not have, so no data
// race is missed; one that is found may be none.

// moment has the number of events of each thread that have happened.
type moment []int

func (m moment) has(e *event) bool { return e.thread < len(m) && m[e.thread] > e.index }

// joined returns what is in either of two moments.
func (m moment) joined(o moment) moment {
	if len(m) < len(o) {
		m, o = o, m
	}
	out := append(moment(nil), m...)
	for i, n := range o {
		out[i] = max(out[i], n)
	}
	return out
}

// threadMoments has the moments of a thread that its later events need.
type threadMoments struct {
	now     moment // its last event
	pending moment // what the reads so far would acquire at a fence
}

// advance computes the moments of the events that the last step added.
func (x *Growing) advance() {
	x.order()
	if x.model == C11 || !x.props.DataRaces {
		return
	}
	y := *x
	y.model, y.hb, y.threads = C11, x.syncs, x.syncThreads
	y.order()
	x.syncs, x.syncThreads = y.hb, y.threads
}

// order computes these moments, by the model of x.
func (x *Growing) order() {
	for i := x.fresh; i < len(x.g.events); i++ {
		e := &x.g.events[i]
		th := &x.threads[e.thread]
		now := th.now.joined(make(moment, len(x.threads)))
		for _, by := range e.after {
			if by < i {
				now = now.joined(x.hb[by])
			}
		}
		now[e.thread] = e.index + 1
		switch {
		case x.model != C11: // a thread can depend on what it has done and read
			if e.kind == 'R' && e.from >= 0 {
				now = now.joined(x.hb[e.from])
			}
		case e.kind == 'R' && e.from >= 0 && e.order != ir.Plain && !e.store:
			sent := x.message(e.from)
			got := sent[0]
			if !e.shared {
				got = got.joined(sent[1])
			}
			if !x.props.DataRaces || !e.library {
				th.pending = th.pending.joined(got)
			}
			if acquiring(e.order) {
				now = now.joined(got)
			}
		case e.kind == 'F' && acquiring(e.order):
			now = now.joined(th.pending)
		}
		th.now = now
		x.hb = append(x.hb, now)
	}
	// The event of a join comes before the one that ends the thread which is joined.
	for i := x.fresh; i < len(x.g.events); i++ {
		for _, by := range x.g.events[i].after {
			if by > i {
				x.hb[i] = x.hb[i].joined(x.hb[by])
				x.threads[x.g.events[i].thread].now = x.threads[x.g.events[i].thread].now.joined(x.hb[by])
			}
		}
	}
}

// Happens reports whether one event happens before another.
func (x *Growing) Happens(a, b int) bool { return a != b && x.hb[b].has(&x.g.events[a]) }
