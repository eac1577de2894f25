package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// Atomic sections are one point of the sequence: no thread stops inside. But a goal may name a
// location inside a section. There a thread can stop for ever, if no other thread accesses memory
// after that. All other steps of the other threads could have come before the section.

// stayInside demands that a section runs to its end, unless a check fails in it or the thread stops
// there for ever: while a thread waits inside, all other threads wait. over says that a bound or exit
// ends the path of the thread here.
func (x *encoder) stayInside(l *location, gone, over gate) {
	if over != low && x.leftInside == low {
		x.leftInside = x.c.input()
	}
	failed := low
	for _, f := range x.fails {
		if f.loc == l {
			failed = x.c.or(failed, f.fails)
		}
	}
	x.c.demand(x.c.any(gone, failed, l.stops, x.c.and(over, x.leftInside)), l.reached)
}

// refuseEndless refuses a free inside a section that a thread may never leave: other threads can
// still issue stores, and their block may be freed.
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

// noTurnAfter demands that no thread has a turn after a thread has stopped inside a section in a
// round.
func (sq *sequencer) noTurnAfter(t *thread, l *location, round int) {
	stops := sq.x.c.all(l.reached, l.stops, t.turn(round, l.pos), t.turn(round-1, l.pos).not())
	for _, u := range sq.x.threads {
		if u == t || len(u.turns) == 0 {
			continue
		}
		last := round
		if u.id > t.id {
			last--
		}
		for pos := range u.turns[0] {
			sq.x.c.demand(u.turn(last, pos), stops, u.turn(len(u.turns)-1, pos))
		}
	}
}

// allInMemory returns whether no store is in a buffer in the last state.
func (as *asker) allInMemory() gate {
	out := high
	for _, t := range as.x.threads {
		for _, l := range t.locs {
			if l.reached != low && l.rest != low {
				out = as.x.c.and(out, as.x.c.and(l.rest, as.x.c.less(as.x.mem.now(), l.state.latest)).not())
			}
		}
	}
	return out
}
