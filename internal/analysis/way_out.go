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
// A way out is an edge that leaves the loop. It depends on what the thread reads
//   - if it accesses memory or waits for other threads itself, or
//   - if it is a condition on a register that carries what was read, or
//   - if it is control dependent on a branch of the loop on such a condition.
//
// A register carries what was read if an operation sets it that reads memory, other threads or an input, that
// computes with such a register, or that is control dependent on a branch on one. A location of the loop is that
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
	for l, c := range comp {
		if c >= 0 {
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
	in         []bool // by location
	known      bool   // depends was computed
	depends    bool
	carries    []bool // by register: it carries what was read
	controlled []bool // by location: it is control dependent on a branch on what was read
}

// hasWayOut reports whether the loop has a way out that depends on what the thread reads.
func (l *loop) hasWayOut() bool {
	if !l.known {
		l.known, l.depends = true, l.findWayOut()
	}
	return l.depends
}

func newLoop(f *ir.Func) *loop { return &loop{f: f, in: make([]bool, len(f.Locs))} }

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
	l.carries, l.controlled = make([]bool, len(l.f.Regs)), make([]bool, len(l.f.Locs))
	branched := make([]bool, len(l.f.Locs))
	for grew := true; grew; {
		grew = false
		for i := range l.f.Edges {
			e := &l.f.Edges[i]
			if e.Op.Kind == ir.Assume && l.uses(&e.Op) && len(l.f.Out(e.From)) > 1 && !branched[e.From] {
				branched[e.From], grew = true, true
				l.addControlled(e.From)
			}
			grew = l.carry(e) || grew
		}
	}
	for _, at := range l.locs {
		for _, i := range l.f.Out(at) {
			if e := &l.f.Edges[i]; !l.inside(e) && !e.Op.CutsOff() && (!e.Op.Local() || l.uses(&e.Op) || l.controlled[at]) {
				return true
			}
		}
	}
	return false
}

// uses reports whether an operation uses a register that carries what was read.
func (l *loop) uses(op *ir.Op) bool {
	found := false
	op.Uses(func(r ir.Reg) { found = found || l.carries[r] })
	return found
}

// carry marks the registers that an edge sets, if they carry what was read, and reports whether it marked a new one.
func (l *loop) carry(e *ir.Edge) bool {
	reads := e.Op.Kind == ir.Havoc || !e.Op.Local() && e.Op.Kind != ir.Alloc && e.Op.Kind != ir.Spawn
	if !reads && !l.uses(&e.Op) && !l.controlled[e.From] {
		return false
	}
	grew := false
	e.Op.Defs(func(r ir.Reg) {
		grew = grew || !l.carries[r]
		l.carries[r] = true
	})
	return grew
}

// addControlled marks the locations that are control dependent on a branch.
func (l *loop) addControlled(branch ir.Loc) {
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
