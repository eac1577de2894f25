package lazy

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// The tail of a practical extension: what the thread does after the load before its buffered stores are
// written. Local instructions concern no other thread, so they can come before the stores as well, and
// then a value that was loaded is tested and forgotten before the stores are written. Otherwise every value that the load can
// return would be kept while others run. A goal after the load is reached with the stores still
// pending.
//
// The tail is a copy of the automaton from the end of sigma on, through local instructions, up to the
// locations at which the thread does anything else, a goal stands or the thread ends. The stores are written there. A
// thread that is stopped by its assumptions in the tail writes its stores and then stops for good.
//
// Differs from the paper: it writes the stores right after the load [BCDM15 App. B (9)-(10)].

// maxTail bounds the locations of a tail.
const maxTail = 64

// goalLocs returns the locations of a thread that goals name.
func goalLocs(props *property.Set, t ir.ThreadID) map[ir.Loc]bool {
	out := map[ir.Loc]bool{}
	for i := range props.Goals {
		for _, at := range props.Goals[i].At {
			if at.Thread == t {
				for _, l := range at.Locs {
					out[l] = true
				}
			}
		}
	}
	return out
}

// tail builds the tail from a location; at is its copy.
func (w *extender) tail(from, at ir.Loc) {
	w.tails = map[ir.Loc]ir.Loc{from: at}
	work := []ir.Loc{from}
	for len(work) > 0 {
		l := work[0]
		work = work[1:]
		at := w.tails[l]
		if !w.goesOn(l) {
			w.flush(at, l, false)
			continue
		}
		for _, i := range w.src.Out(l) {
			e := w.src.Edges[i]
			w.e = &e
			to, known := w.tails[e.To]
			if !known {
				to = w.loc("e")
				w.tails[e.To] = to
				work = append(work, e.To)
			}
			w.edge(at, e.Op, to, true)
		}
		w.stops(l, at)
	}
}

// goesOn reports whether the tail goes on at a location.
func (w *extender) goesOn(l ir.Loc) bool {
	out := w.src.Out(l)
	if w.goalLocs[l] || len(w.tails) > maxTail {
		return false
	}
	for _, i := range out {
		switch w.src.Edges[i].Op.Kind {
		case ir.Nop, ir.Assign, ir.Assume, ir.Assert:
		default:
			return false
		}
	}
	return len(out) > 0
}

// stops writes the stores of a thread at assumptions of which none holds.
func (w *extender) stops(l, at ir.Loc) {
	var some *ir.Expr
	for _, i := range w.src.Out(l) {
		op := &w.src.Edges[i].Op
		if op.Kind != ir.Assume {
			return
		}
		holds := ir.Binary(ir.Ne, ir.S64, op.Val, ir.Int(0))
		if some == nil {
			some = holds
		} else {
			some = ir.Binary(ir.Or, ir.S64, some, holds)
		}
	}
	none := ir.NewOp(ir.Assume)
	none.Val = ir.Binary(ir.Eq, ir.S64, some, ir.Int(0))
	never := ir.NewOp(ir.Assume)
	never.Val = ir.Int(0)
	lost := w.then(at, none)
	end := w.loc("e")
	w.flush(lost, end, false)
	w.edge(end, never, end, false)
}
