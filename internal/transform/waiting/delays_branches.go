package waiting

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Which branches have ways that only compute something until they meet.

// mostBetween is how many locations may lie between a branch and the location where its ways meet.
const mostBetween = 256

// branches returns the branches in loops that make no difference if nothing that is written on their ways is needed where
// the ways meet. loops are delays: whether one of them is left out or not, control comes to its end.
func (d *delayer) branches(n *analysis.Loops, loops []delay) []delay {
	var out []delay
	var after []ir.Loc
	ends := map[ir.Loc]*delay{}
	for i := range loops {
		ends[loops[i].head] = &loops[i]
	}
	for l := range d.f.Locs {
		at := ir.Loc(l)
		if len(n.Around[l]) == 0 || ends[at] != nil || !d.divides(at) {
			continue
		}
		if after == nil {
			after = analysis.Postdominators(d.f)
		}
		if after[l] < 0 {
			continue
		}
		w := ways{d: d, ends: ends, end: after[l], seen: map[ir.Loc]bool{at: true}}
		edges := d.f.Out(at)
		if w.along(d.f.Edges[edges[0]].To) && w.along(d.f.Edges[edges[1]].To) {
			out = append(out, delay{head: at, drop: edges[0], keep: edges[1], end: w.end, writes: w.writes})
		}
	}
	return out
}

// divides reports whether a location has two edges, of which each execution takes one.
func (d *delayer) divides(l ir.Loc) bool {
	edges := d.f.Out(l)
	if len(edges) != 2 {
		return false
	}
	one, other := &d.f.Edges[edges[0]].Op, &d.f.Edges[edges[1]].Op
	return one.Kind == ir.Assume && other.Kind == ir.Assume && ir.Negate(one.Val).Equal(other.Val)
}

// ways goes along the ways from a branch to the location where they meet.
type ways struct {
	d      *delayer
	ends   map[ir.Loc]*delay // by head: loops that only count
	end    ir.Loc            // where the ways meet
	seen   map[ir.Loc]bool   // true while control may come back to the location, which would be a loop
	writes []variable
}

// along reports whether all ways from a location come to the end, and do nothing but assign to variables before.
func (w *ways) along(at ir.Loc) bool {
	if at == w.end {
		return true
	}
	if open, ok := w.seen[at]; ok {
		return !open
	}
	if len(w.seen) == mostBetween {
		return false
	}
	w.seen[at] = true
	ok := w.leave(at)
	w.seen[at] = false
	return ok
}

// leave takes the edges of a location.
func (w *ways) leave(at ir.Loc) bool {
	if loop := w.ends[at]; loop != nil {
		w.writes = append(w.writes, loop.writes...)
		return w.along(loop.end)
	}
	edges := w.d.f.Out(at)
	if w.d.divides(at) {
		return w.along(w.d.f.Edges[edges[0]].To) && w.along(w.d.f.Edges[edges[1]].To)
	}
	if len(edges) != 1 {
		return false
	}
	e := &w.d.f.Edges[edges[0]]
	if v, _, ok := w.d.assigns(&e.Op); ok {
		w.writes = append(w.writes, v)
	} else if e.Op.Kind != ir.Nop && !holds(&e.Op) {
		return false
	}
	return w.along(e.To)
}

// holds reports whether an operation checks what is always true.
func holds(op *ir.Op) bool {
	if op.Kind != ir.Assert {
		return false
	}
	c, ok := op.Val.IsConst()
	return ok && c != 0
}
