package analysis

import (
	"slices"

	"fencepost/internal/ir"
)

// Ways out of loops. A thread in a loop waits for something if the loop has a way out that depends on what the
// thread reads. A loop without one is meant to go on for ever.
//
// A loop is a natural loop: the head dominates all of its locations, and from each of them a way leads back to the
// head. Where jumps lead into the middle of a cycle, it is a strongly connected component.
//
// A way out is an edge that leaves the loop, and does not only lead to a failed assertion. It depends on what the
// thread reads
//   - if it accesses memory or waits for other threads itself, or
//   - if it is a condition on a register that carries what was read, or
//   - if it is control dependent on a branch of the loop on such a condition.
//
// A register carries what was read if the operation that set it last reads memory, other threads or an input,
// computes with such a register, or is control dependent on a branch on one. A location of the loop is that
// if the loop also leads from the branch back to it without this location; one before the loop, if it can be reached
// from the branch, and the loop also without it.

// maxControlled is the size of a function, in locations, up to which it is computed which of them are control
// dependent on a branch. In larger ones every location that can be reached from the branch is said to be.
const maxControlled = 400

// WaysOut answers questions about the ways out of the loops of a function. It is not safe for concurrent use.
type WaysOut struct {
	loops []*loop // the smallest first
}

// NewWaysOut finds the loops of a function.
func NewWaysOut(f *ir.Func) *WaysOut {
	w := &WaysOut{}
	comp := Components(f, nil)
	byComponent := map[int32]*loop{}
	cyclic := make([]bool, len(f.Locs)) // by component
	for i := range f.Edges {
		if e := &f.Edges[i]; OnCycle(e, comp) {
			cyclic[comp[e.From]] = true
		}
	}
	for l, c := range comp {
		if c >= 0 && cyclic[c] {
			if byComponent[c] == nil {
				byComponent[c] = newLoop(f)
				w.loops = append(w.loops, byComponent[c])
			}
			byComponent[c].add(ir.Loc(l))
		}
	}
	dom := Dominators(f)
	incoming := make([][]int32, len(f.Locs))
	for i := range f.Edges {
		if e := &f.Edges[i]; !e.Op.Terminal() {
			incoming[e.To] = append(incoming[e.To], int32(i))
		}
	}
	byHead := map[ir.Loc]*loop{}
	for i := range f.Edges {
		e := &f.Edges[i]
		if e.Op.Terminal() || !dom.Reachable(e.From) || !dom.Dominates(e.To, e.From) {
			continue
		}
		if byHead[e.To] == nil {
			byHead[e.To] = newLoop(f)
			w.loops = append(w.loops, byHead[e.To])
		}
		byHead[e.To].add(e.To)
		for _, k := range naturalLoop(f, incoming, dom, int32(i)) {
			byHead[e.To].add(f.Edges[k].From)
		}
	}
	slices.SortStableFunc(w.loops, func(x, y *loop) int { return len(x.locs) - len(y.locs) })
	return w
}

// Depend reports whether the smallest loop around some locations has a way out that depends on what the thread
// reads.
func (w *WaysOut) Depend(locs []ir.Loc) bool {
	for _, l := range w.loops {
		if !slices.ContainsFunc(locs, func(at ir.Loc) bool { return !l.in[at] }) {
			return l.hasWayOut()
		}
	}
	return false
}

// Meant reports whether some loop has no way out that depends on what the thread reads. comp is -1 for locations
// whose loops do not count.
func (w *WaysOut) Meant(comp []int32) bool {
	return slices.ContainsFunc(w.loops, func(l *loop) bool { return comp[l.locs[0]] >= 0 && !l.hasWayOut() })
}

// loop is one loop.
type loop struct {
	f          *ir.Func
	locs       []ir.Loc
	in         map[ir.Loc]bool
	known      bool // depends was computed
	depends    bool
	carries    []Numbers[ir.Reg] // by location: the registers that carry what was read
	controlled []bool            // by location: it is control dependent on a branch on what was read
}

// hasWayOut reports whether the loop has a way out that depends on what the thread reads.
func (l *loop) hasWayOut() bool {
	if !l.known {
		l.known, l.depends = true, l.findWayOut()
	}
	return l.depends
}

func newLoop(f *ir.Func) *loop { return &loop{f: f, in: map[ir.Loc]bool{}} }

func (l *loop) add(at ir.Loc) {
	if !l.in[at] {
		l.in[at] = true
		l.locs = append(l.locs, at)
	}
}

// inside reports whether an edge stays in the loop.
func (l *loop) inside(e *ir.Edge) bool { return !e.Op.Terminal() && l.in[e.From] && l.in[e.To] }

// findWayOut computes what hasWayOut returns.
func (l *loop) findWayOut() bool {
	l.carries, l.controlled = make([]Numbers[ir.Reg], len(l.f.Locs)), make([]bool, len(l.f.Locs))
	for at := range l.carries {
		l.carries[at] = NoNumbers[ir.Reg](len(l.f.Regs))
	}
	branched := make([]bool, len(l.f.Locs))
	now, later := make([]bool, len(l.f.Locs)), make([]bool, len(l.f.Locs)) // locations about which more is known
	for at := range now {
		now[at] = true
	}
	grown := func(at ir.Loc) { now[at], later[at] = true, true }
	for grew := true; grew; now, later = later, now {
		grew = false
		clear(later)
		for i := range l.f.Edges {
			e := &l.f.Edges[i]
			if !now[e.From] {
				continue
			}
			if e.Op.Kind == ir.Assume && !branched[e.From] && l.uses(e) && len(l.f.Out(e.From)) > 1 {
				branched[e.From], grew = true, true
				l.addControlled(e.From, grown)
			}
			if l.carry(e) {
				grew = true
				grown(e.To)
			}
		}
		if l.leaves() { // what is known only grows
			return true
		}
	}
	return false
}

// leaves reports whether an edge is known to be a way out that depends on what the thread reads.
func (l *loop) leaves() bool {
	for _, at := range l.locs {
		for _, i := range l.f.Out(at) {
			if e := &l.f.Edges[i]; !l.inside(e) && !e.Op.CutsOff() && (!e.Op.Local() || l.uses(e) || l.controlled[at]) && !failsAfter(l.f, e) {
				return true
			}
		}
	}
	return false
}

// failsAfter reports whether all that comes after an edge is a failed assertion: machine code leaves a loop to fail, where
// the source fails inside it.
func failsAfter(f *ir.Func, e *ir.Edge) bool {
	for steps := 0; !e.Op.Terminal() && e.Op.Local() && steps < len(f.Locs); steps++ {
		out := f.Out(e.To)
		if len(out) != 1 {
			return false
		}
		e = &f.Edges[out[0]]
		if e.Op.Kind == ir.Assert {
			v, known := e.Op.Val.IsConst()
			return known && v == 0
		}
	}
	return false
}

// uses reports whether an edge uses a register that carries what was read.
func (l *loop) uses(e *ir.Edge) bool {
	found := false
	e.Op.Uses(func(r ir.Reg) { found = found || l.carries[e.From].Has(r) })
	return found
}

// carry marks the registers that carry what was read after an edge, and reports whether it marked a new one. What an edge
// sets carries only what it sets it to.
func (l *loop) carry(e *ir.Edge) bool {
	if e.Op.Terminal() {
		return false
	}
	reads := e.Op.Kind == ir.Havoc || !e.Op.Local() && e.Op.Kind != ir.Alloc && e.Op.Kind != ir.Spawn
	read := reads || l.uses(e) || l.controlled[e.From]
	after := l.carries[e.From]
	e.Op.Defs(func(r ir.Reg) { after.Put(r, read) })
	return l.carries[e.To].Add(after)
}

// addControlled marks the locations that are control dependent on a branch, and calls grown with the new ones.
func (l *loop) addControlled(branch ir.Loc, grown func(ir.Loc)) {
	reached := l.reach(branch, -1, l.in[branch])
	for at := range l.f.Locs {
		at := ir.Loc(at)
		if l.controlled[at] || !reached[at] || at == branch || l.in[at] != l.in[branch] {
			continue
		}
		switch {
		case len(l.f.Locs) > maxControlled:
			l.controlled[at] = true
		case l.in[branch]:
			l.controlled[at] = l.reach(branch, at, true)[branch]
		default:
			without := l.reach(branch, at, false)
			l.controlled[at] = slices.ContainsFunc(l.locs, func(in ir.Loc) bool { return without[in] })
		}
		if l.controlled[at] {
			grown(at)
		}
	}
}

// reach returns the locations that can be reached from one in at least one step, without another one; inside says that
// the way must stay in the loop.
func (l *loop) reach(from, without ir.Loc, inside bool) []bool {
	seen := make([]bool, len(l.f.Locs))
	for work := []ir.Loc{from}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range l.f.Out(at) {
			e := &l.f.Edges[i]
			if e.Op.Terminal() || seen[e.To] || e.To == without || inside && !l.in[e.To] {
				continue
			}
			seen[e.To] = true
			work = append(work, e.To)
		}
	}
	return seen
}
