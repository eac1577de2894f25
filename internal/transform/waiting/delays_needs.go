package waiting

import (
	"fencepost/internal/ir"
)

// mostNeeded is how many words the sets of needed variables of one function may have. A program with more is beyond
// any search, and keeps its delays.
const mostNeeded = 1 << 25

const wordBits = 64

// needed has the variables that are needed at each location, as bits: registers first, then the objects that are
// variables.
type needed struct {
	objects map[ir.ObjectID]int // number of the bit of each
	words   int                 // per location
	bits    []uint64
}

// at returns the set of a location.
func (n *needed) at(l ir.Loc) []uint64 { return n.bits[int(l)*n.words:][:n.words] }

// bit returns the number of a variable's bit, -1 if it has none.
func (n *needed) bit(v variable) int {
	if v >= 0 {
		return int(v)
	}
	if i, ok := n.objects[ir.ObjectID(^v)]; ok {
		return i
	}
	return -1
}

// has reports whether a variable is needed at a location.
func (n *needed) has(l ir.Loc, v variable) bool {
	i := n.bit(v)
	return i >= 0 && n.at(l)[i/wordBits]>>(i%wordBits)&1 != 0
}

// add makes a variable needed and reports whether it was not.
func (n *needed) add(l ir.Loc, v variable) bool {
	if n.has(l, v) || n.bit(v) < 0 {
		return false
	}
	i := n.bit(v)
	n.at(l)[i/wordBits] |= 1 << (i % wordBits)
	return true
}

// flow makes what is needed after an edge needed before it, but for the variables that the edge gives a value, and
// reports whether that was new.
func (n *needed) flow(from, to ir.Loc, written [3]variable) bool {
	var word [3]int
	var mask [3]uint64
	for i, v := range written {
		word[i] = -1
		if b := n.bit(v); b >= 0 {
			word[i], mask[i] = b/wordBits, 1<<(b%wordBits)
		}
	}
	more := false
	set := n.at(from)
	for i, x := range n.at(to) {
		for k, w := range word {
			if w == i {
				x &^= mask[k]
			}
		}
		if x&^set[i] != 0 {
			set[i] |= x
			more = true
		}
	}
	return more
}

// needs returns the needed variables by location, if what was found makes no difference; nil if there are too many.
func (d *delayer) needs(found []delay) *needed {
	n := &needed{objects: map[ir.ObjectID]int{}}
	for o := range d.objects {
		n.objects[o] = len(d.f.Regs) + len(n.objects)
	}
	n.words = (len(d.f.Regs) + len(n.objects) + wordBits - 1) / wordBits
	if n.words*len(d.f.Locs) > mostNeeded {
		return nil
	}
	n.bits = make([]uint64, n.words*len(d.f.Locs))
	free := map[int32]bool{}
	for _, l := range found {
		free[l.drop], free[l.keep] = true, true
	}
	into := make([][]int32, len(d.f.Locs))
	var work []int32
	waits := make([]bool, len(d.f.Edges))
	for i := range d.f.Edges {
		into[d.f.Edges[i].To] = append(into[d.f.Edges[i].To], int32(i))
		work, waits[i] = append(work, int32(i)), true
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work, waits[i] = work[:len(work)-1], false
		if !d.before(n, &d.f.Edges[i], free[i]) {
			continue
		}
		for _, k := range into[d.f.Edges[i].From] {
			if !waits[k] {
				work, waits[k] = append(work, k), true
			}
		}
	}
	return n
}

// before makes needed what is needed before an edge, and reports whether that was new. The value of a free edge makes
// no difference.
func (d *delayer) before(n *needed, e *ir.Edge, free bool) bool {
	more := false
	add := func(v variable) { more = n.add(e.From, v) || more }
	v, val, only := d.assigns(&e.Op)
	written := [3]variable{nothing, nothing, nothing}
	switch {
	case only:
		written[0] = v
		if n.has(e.To, v) {
			uses(val, add)
		}
	case !free && !holds(&e.Op):
		e.Op.Uses(func(r ir.Reg) { add(variable(r)) })
	}
	if e.Op.Dst != ir.NoReg {
		written[1] = variable(e.Op.Dst)
	}
	if e.Op.Dst2 != ir.NoReg {
		written[2] = variable(e.Op.Dst2)
	}
	return n.flow(e.From, e.To, written) || more
}
