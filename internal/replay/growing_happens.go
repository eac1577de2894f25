//go:build !fencepost_small

package replay

import "fencepost/internal/ir"

// What C11's happens-before needs beside program order and reads-from, and data races by it: under C11, and where they are
// asked about under SC, TSO and PSO.

// What can be said about an execution that grows: whether the model allows it, whether it races, and what is wrong with
// it where nothing can be added.

// HasDataRace reports whether an event of the last step and an earlier one are a data race.
func (x *Growing) HasDataRace() bool {
	hb := x.hb
	switch {
	case x.model == C11:
	case x.props.DataRaces:
		hb = x.syncs
	default:
		return false // not asked
	}
	a := &axioms{events: x.g.events}
	for i := x.fresh; i < len(x.g.events); i++ {
		for j := range i {
			if a.conflict(i, j) && !hb[j].has(&x.g.events[i]) && !hb[i].has(&x.g.events[j]) {
				return true
			}
		}
	}
	return false
}

// message has the moments that a read can acquire from a write: the second one from unlocks of readers, which other
// readers do not acquire.
type message [2]moment

// message returns what a write sends: all that happened before it if it releases, or before the last release fence; and
// what the write that it updates sends.
func (x *Growing) message(w int) message {
	var out message
	for ; w >= 0; w = x.updates(w) {
		e := &x.g.events[w]
		var sent moment
		switch {
		case e.order == ir.Plain:
		case releasing(e.order):
			sent = x.hb[w]
		case x.props.DataRaces && e.library:
		default:
			sent = x.releasedBefore(w)
		}
		k := 0
		if e.shared {
			k = 1
		}
		out[k] = out[k].joined(sent)
	}
	return out
}

// updates returns the write that a read-modify-write with the write w reads, or -1.
func (x *Growing) updates(w int) int {
	if !x.g.events[w].update || x.g.events[w].store {
		return -1
	}
	return x.g.events[w-1].from
}

// releasedBefore returns the moment of the last release fence before an event in its thread.
func (x *Growing) releasedBefore(w int) moment {
	for i := w - 1; i >= 0; i-- {
		if e := &x.g.events[i]; e.thread == x.g.events[w].thread && e.kind == 'F' && releasing(e.order) {
			return x.hb[i]
		}
	}
	return nil
}
