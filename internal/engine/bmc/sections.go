package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// Atomic sections are one point: no thread stops inside. Goals may be about the inside of
// a section, though. There its thread can stop for good, if nobody does anything that
// needs memory after that; whatever else others could still do they could have done
// before the section began.

// stayInside demands that a section is run to its end unless a check fails in it or the
// thread stops there for good: a thread that waits inside keeps everybody else
// waiting.
func (x *encoder) stayInside(l *location, gone gate) {
	failed := low
	for _, f := range x.fails {
		if f.loc == l {
			failed = x.or(failed, f.fails)
		}
	}
	x.demand(x.any(gone, failed, l.stops), l.reached)
}

// refuseEndless refuses a free inside a section that a thread may never leave: others can
// still put stores into their buffers, and find the block freed.
func refuseEndless(f *ir.Func, inside []bool) {
	var free *ir.Edge
	waits := false
	for l := range f.Locs {
		out := f.Out(ir.Loc(l))
		if !inside[l] || len(out) == 0 {
			continue
		}
		can := false
		for i, index := range out {
			e := &f.Edges[index]
			switch e.Op.Kind {
			case ir.Free:
				free, can = e, true
			case ir.Assume:
				can = can || slices.ContainsFunc(out[:i], func(j int32) bool { return opposite(&f.Edges[j].Op, &e.Op) })
			case ir.AbstractLoad, ir.Havoc:
				can = can || e.Op.Cond == nil
			default:
				can = can || !canWait(&e.Op)
			}
		}
		waits = waits || !can
	}
	if free != nil && waits {
		refuse(free, "bounded model checking does not encode a free inside an atomic section that can wait")
	}
}

// nobodyAfter demands that nobody has a turn after a thread has stopped inside a section
// in a round.
func (x *encoder) nobodyAfter(t *thread, l *location, round int) {
	stops := x.all(l.reached, l.stops, t.turn(round, l.pos), t.turn(round-1, l.pos).not())
	for _, u := range x.threads {
		if u == t || len(u.turns) == 0 {
			continue
		}
		last := round
		if u.id > t.id {
			last--
		}
		for pos := range u.turns[0] {
			x.demand(u.turn(last, pos), stops, u.turn(len(u.turns)-1, pos))
		}
	}
}

// allInMemory is whether no store waits in the last state.
func (x *encoder) allInMemory() gate {
	out := high
	for _, t := range x.threads {
		for _, l := range t.locs {
			if l.reached != low && l.rest != low {
				out = x.and(out, x.and(l.rest, x.less(x.mem.now(), l.state.latest)).not())
			}
		}
	}
	return out
}
