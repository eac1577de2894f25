package reduce

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Footprints, for persistent and sleep sets: what the next steps of a thread access, and what
// any later step may access. Memory is divided into at most 255 atoms, the elements of static
// objects or coarser; one more stands for everything that is not static. Two steps of different
// threads whose footprints do not conflict are independent: in either order they lead to the
// same state, and neither enables, disables or changes the other.
//
// Atoms also stand for what is not memory proper. A mutex, condition or barrier accesses its
// word. The beginning and end of an atomic section access everything, since they lock all other
// threads out of memory and let them in again. Allocation accesses what is not static.
//
// These footprints differ from those of package analysis: they distinguish reads from writes,
// the next step from all later ones, and are bit sets, because a search compares them in every
// state.

const (
	atomCount = 256
	footWords = atomCount / 64
	otherAtom = atomCount - 1
)

// Footprint is the atoms read and written.
type Footprint struct {
	r, w [footWords]uint64
}

// Conflicts reports whether one footprint writes an atom that the other reads or writes.
func (a *Footprint) Conflicts(b *Footprint) bool {
	for i := range a.r {
		if a.w[i]&(b.r[i]|b.w[i])|a.r[i]&b.w[i] != 0 {
			return true
		}
	}
	return false
}

// Add makes a the union of both.
func (a *Footprint) Add(b *Footprint) {
	for i := range a.r {
		a.r[i] |= b.r[i]
		a.w[i] |= b.w[i]
	}
}

func (a *Footprint) access(atom uint8, write bool) {
	if write {
		a.w[atom/64] |= 1 << (atom % 64)
	} else {
		a.r[atom/64] |= 1 << (atom % 64)
	}
}

func (a *Footprint) accessAll() {
	for i := range a.r {
		a.r[i], a.w[i] = ^uint64(0), ^uint64(0)
	}
}

// atoms divides static memory.
type atoms struct {
	of      []uint8             // by offset of static memory
	start   map[ir.ObjectID]int // offset of each object
	perUnit bool                // an atom per element; otherwise one for all elements of an object
}

// newAtoms divides static memory into an atom per element, if there are not too many.
func newAtoms(y *memory.System) atoms {
	a := atoms{start: map[ir.ObjectID]int{}}
	size, units := 0, 0
	y.EachUnit(func(off, n int, o ir.ObjectID) {
		size, units = max(size, off+n), units+1
		if at, ok := a.start[o]; !ok || off < at {
			a.start[o] = off
		}
	})
	a.of, a.perUnit = make([]uint8, size), units < otherAtom
	unit := 0
	y.EachUnit(func(off, n int, o ir.ObjectID) {
		atom := uint8(o % otherAtom)
		if a.perUnit {
			atom = uint8(unit)
		}
		unit++
		for i := range n {
			a.of[off+i] = atom
		}
	})
	return a
}

// addFootprints divides memory into atoms and computes what the edges of every location, and
// all that may come after them, access.
func (p *Plan) addFootprints() {
	p.atoms = newAtoms(p.y)
	starters, severalJoin := p.starters(), p.y.Prog.SeveralJoin()
	for t := range p.locs {
		f := p.y.Prog.ThreadFunc(ir.ThreadID(t))
		for l := range p.locs[t] {
			lc := &p.locs[t][l]
			for _, i := range f.Out(ir.Loc(l)) {
				e := &f.Edges[i]
				next, future := p.edgeFootprints(e)
				for _, u := range e.Op.Call.Threads {
					if starters[u] > 1 { // the thread it starts depends on the spawns of other threads
						next.access(otherAtom, true)
						future.access(otherAtom, true)
					}
				}
				// Whether a join fails depends on whether the thread was started, and on other joins of it.
				if severalJoin && (e.Op.Kind == ir.Spawn || e.Op.Kind == ir.Join) {
					next.access(otherAtom, true)
					future.access(otherAtom, true)
				}
				lc.next.Add(&next)
				lc.future.Add(&future)
				// The end of a thread, which a join waits for, is not memory.
				if e.Op.Kind == ir.Join {
					lc.open, lc.waits = true, true
				}
			}
		}
	}
	// A spawn may access everything that the started thread may access.
	order := make([][]ir.Loc, len(p.locs))
	for t := range p.locs {
		order[t] = analysis.ReversePostorder(p.y.Prog.ThreadFunc(ir.ThreadID(t)))
	}
	for changed := true; changed; {
		changed = false
		for t := range p.locs {
			changed = p.spreadBack(t, order[t]) || changed
		}
	}
}

// starters counts the spawns that can start each thread, once for every thread that executes
// them. Front ends give every spawn threads of its own.
func (p *Plan) starters() []int {
	out := make([]int, len(p.locs))
	for t := range p.locs {
		f := p.y.Prog.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			for _, u := range f.Edges[i].Op.Call.Threads {
				out[u]++
			}
		}
	}
	return out
}

// spreadBack propagates the futures of a thread backwards once and reports whether one grew. order has the locations as
// control comes to them, so that only loops need another time.
func (p *Plan) spreadBack(t int, order []ir.Loc) bool {
	changed := false
	f := p.y.Prog.ThreadFunc(ir.ThreadID(t))
	for _, l := range slices.Backward(order) {
		lc := &p.locs[t][l]
		before := lc.future
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			lc.future.Add(&p.locs[t][e.To].future)
			for _, u := range e.Op.Call.Threads {
				lc.future.Add(&p.locs[u][p.y.Prog.ThreadFunc(u).Entry].future)
			}
		}
		changed = changed || lc.future != before
	}
	return changed
}

// edgeFootprints returns what an edge accesses at once, and what it accesses at all: a
// buffered store reaches memory later.
func (p *Plan) edgeFootprints(e *ir.Edge) (next, future Footprint) {
	op := &e.Op
	if p.y.PrivateAccess(e) && (op.Kind == ir.Load || op.Kind == ir.Store) {
		return next, future // no other thread accesses the memory, or the search is stopped
	}
	foot := p.facts.Footprint(e)
	switch op.Kind {
	case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Bound, ir.Unsupported, ir.Fence:
		return next, future
	case ir.Load, ir.Await, ir.AbstractLoad:
		p.addBytes(&next, foot, false)
	case ir.Store:
		p.addBytes(&future, foot, true)
		if p.y.Model == memory.SC {
			next = future
		} else if !p.y.StaticAccess(e) {
			next.access(otherAtom, false) // whether the block exists
		}
	case ir.Free:
		future.access(otherAtom, true)
		next.access(otherAtom, true)
	case ir.Alloc:
		next.access(otherAtom, true)
	case ir.RMW, ir.Lock, ir.TryLock, ir.Unlock, ir.Signal, ir.Broadcast, ir.Barrier:
		p.addBytes(&next, foot, true)
		p.addBytes(&next, foot, false)
	case ir.Spawn, ir.Join:
		// Only what an atomic section locks out; spreadBack adds what a spawned thread
		// accesses.
		next.access(otherAtom, false)
	case ir.AtomicBegin, ir.AtomicEnd, ir.CondWait:
		next.accessAll()
	default:
		panic("BUG: unexpected operation " + op.Kind.String())
	}
	future.Add(&next)
	return next, future
}

// addBytes adds the atoms of the bytes that an operation may access.
func (p *Plan) addBytes(f *Footprint, foot analysis.Footprint, write bool) {
	if foot.Anything {
		for a := range atomCount {
			f.access(uint8(a), write)
		}
		return
	}
	for _, r := range foot.Ranges {
		covered := int64(0)
		for id := range p.y.Prog.Objects {
			o := &p.y.Prog.Objects[id]
			lo, hi := max(r.Lo, int64(o.Addr)), min(r.Hi, int64(o.Addr)+o.Size)
			if lo >= hi {
				continue
			}
			covered += hi - lo
			p.addObject(f, ir.ObjectID(id), int(lo-int64(o.Addr)), int(hi-int64(o.Addr)), write)
		}
		if covered < r.Hi-r.Lo {
			f.access(otherAtom, write)
		}
	}
}

// addObject adds the atoms of the bytes from lo to hi of an object.
func (p *Plan) addObject(f *Footprint, o ir.ObjectID, lo, hi int, write bool) {
	start := p.atoms.start[o]
	if !p.atoms.perUnit {
		f.access(p.atoms.of[start], write)
		return
	}
	for at := lo; at < hi; at++ {
		f.access(p.atoms.of[start+at], write)
	}
}

var nothing Footprint

// NextEdges returns what the edges of thread t access, enabled or not.
func (p *Plan) NextEdges(s *memory.State, t int) *Footprint {
	if !s.Started(ir.ThreadID(t)) {
		return &nothing
	}
	return &p.at(s, t).next
}

// FutureEdges returns everything that thread t may access from here on, except through
// entries that are in its buffer now.
func (p *Plan) FutureEdges(s *memory.State, t int) *Footprint {
	if !s.Started(ir.ThreadID(t)) {
		return &nothing
	}
	return &p.at(s, t).future
}

// AddPending adds to f what the entries in the buffer of thread t access.
func (p *Plan) AddPending(s *memory.State, t int, f *Footprint) {
	for i := range s.Buffer(ir.ThreadID(t)) {
		e := &s.Buffer(ir.ThreadID(t))[i]
		switch off := e.StaticOffset(); {
		case e.Kind == memory.Marker:
		case off < 0:
			f.access(otherAtom, true)
		default:
			for j := range e.Size {
				f.access(p.atoms.of[off+int(j)], true)
			}
		}
	}
}
