package robust

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Sections that may depend on stores of two threads that both wait (second_delay.go). In a state in
// which the thread stands before the section, the search runs the section with the store t of the
// second thread in memory. In the violation the section finds t pending, and does the same up to the
// first byte that it reads and t has changed. What it does from there on is not known; it is among the
// edges that can follow inside the section. There is a doubt if with these, whatever they access, the
// section comes after the load and accesses what the delayed store writes, which it has not done both
// before: else the search has closed the cycle.

// maxSection bounds the steps that are tried inside a section.
const maxSection = 2000

// sectionDoubt has the edges of a section, and their accesses from each location on.
type sectionDoubt struct {
	facts *analysis.Facts
	out   map[ir.Loc][]*ir.Edge // the edges of the section by where they begin
	after map[ir.Loc][]edgeReach
}

// edgeReach has the bytes that an edge of a section may access.
type edgeReach struct {
	foot  analysis.Footprint
	write bool
}

func newSectionDoubt(facts *analysis.Facts, section []*ir.Edge) *sectionDoubt {
	c := &sectionDoubt{facts: facts, out: map[ir.Loc][]*ir.Edge{}, after: map[ir.Loc][]edgeReach{}}
	for _, e := range section {
		c.out[e.From] = append(c.out[e.From], e)
	}
	for l := range c.out {
		c.after[l] = c.reach(l)
	}
	return c
}

// reach returns what the section may access from a location on.
func (c *sectionDoubt) reach(from ir.Loc) []edgeReach {
	var out []edgeReach
	seen := map[ir.Loc]bool{from: true}
	for work := []ir.Loc{from}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range c.out[at] {
			switch {
			case e.Op.Accesses():
				out = append(out, edgeReach{c.facts.Footprint(e), e.Op.Writes()})
			case !plainInside(&e.Op):
				out = append(out, edgeReach{analysis.Footprint{Anything: true}, true})
			}
			if !seen[e.To] && e.Op.Kind != ir.AtomicEnd {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return out
}

// plainInside reports whether an operation of a section accesses no memory.
func plainInside(op *ir.Op) bool {
	return op.Local() || op.Kind == ir.Fence || op.Kind == ir.AtomicEnd
}

// mayConflict reports whether the section may conflict, from a location on, with accesses at these
// levels.
func (c *sectionDoubt) mayConflict(from ir.Loc, ls levels) bool {
	for _, p := range c.after[from] {
		for _, s := range ls {
			if !p.write && s.level != stored {
				continue
			}
			if p.foot.Anything || s.lo >= blockExists {
				return true
			}
			for _, r := range p.foot.Ranges {
				if uint64(r.Lo) <= s.hi && s.lo < uint64(r.Hi) {
					return true
				}
			}
		}
	}
	return false
}

// sectionWalk runs a section in a state, up to where it reads what a second store may have changed.
type sectionWalk struct {
	y    *memory.System
	s    *memory.State
	a    *attack
	d    *doubts
	c    *doubt
	k    int
	acts []access
	left int
}

// begin enters the section by an edge of its thread.
func (w *sectionWalk) begin(edge int32) {
	f := w.y.Prog.ThreadFunc(ir.ThreadID(w.k))
	for _, st := range w.y.EnabledEdges(w.s, w.k, nil) {
		if w.y.EdgeOf(w.s, st) == &f.Edges[edge] {
			mark := w.s.Mark()
			w.y.Apply(w.s, st)
			w.walk(w.a.isInvolved(w.k), false)
			w.s.Undo(mark)
		}
	}
}

// walk goes on inside the section. after says that it comes after the load, reaches that it has
// accessed what the delayed store writes.
func (w *sectionWalk) walk(after, reaches bool) {
	if w.left--; w.left < 0 {
		w.d.met.Store(true)
		return
	}
	pc := w.s.PC(ir.ThreadID(w.k))
	f := w.y.Prog.ThreadFunc(ir.ThreadID(w.k))
	for i, j := range f.Out(pc) {
		e := &f.Edges[j]
		addr, size := w.y.Thread(w.s, w.k).Address(int32(i))
		switch {
		case e.Op.Reads():
			// The access that reads the store is there in the violation, too.
			act := access{addr, size, e.Op.Writes()}
			a, b := w.count(after, reaches, &act)
			if m := w.d.second(w.y, w.s, w.a, w.k, w.c, addr, size); m != never && w.open(e.To, a, b) {
				w.d.meet(m)
			}
		case !plainInside(&e.Op) && e.Op.Kind != ir.Store && w.open(pc, after, reaches):
			w.d.meet(certainly)
		}
	}
	for _, st := range w.y.EnabledEdges(w.s, w.k, nil) {
		e := w.y.EdgeOf(w.s, st)
		if e.Op.Kind == ir.AtomicEnd {
			continue
		}
		mark := w.s.Mark()
		w.y.Apply(w.s, st)
		if _, failed := w.s.Fault(); !failed && !w.s.Over() {
			a, b := after, reaches
			w.acts = accesses(w.y, w.s, e.Op.Kind, w.acts[:0])
			for n := range w.acts {
				a, b = w.count(a, b, &w.acts[n])
			}
			w.walk(a, b)
		}
		w.s.Undo(mark)
	}
}

// count adds an access to what the section has done.
func (w *sectionWalk) count(after, reaches bool, act *access) (bool, bool) {
	var one [1]span
	return after || w.a.levels.conflicts(act), reaches || w.a.closed(levels(one[:0]).raise(act))
}

// open reports whether the section, in the violation, may close a cycle from a location on.
func (w *sectionWalk) open(pc ir.Loc, after, reaches bool) bool {
	if !after && !w.c.section.mayConflict(pc, w.a.levels) {
		return false
	}
	if reaches {
		return true
	}
	target := make(levels, 0, len(w.a.target))
	for i := range w.a.target {
		target = target.raise(&w.a.target[i])
	}
	return w.c.section.mayConflict(pc, target)
}
