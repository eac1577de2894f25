package memory

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Footprints, for partial-order reduction: what a thread's next steps touch, and
// what anything it may ever do touches. Memory is divided into at most 255 atoms,
// the elements of static objects or coarser; one more stands for everything that
// is not static. Two steps of different threads whose footprints do not conflict
// are independent: in either order they lead to the same state, and neither
// enables, disables or changes the other.
//
// Atoms also stand for what is not memory proper: a mutex, condition or barrier
// touches its word, the beginning and end of a section everything, since they keep
// everybody else from memory and let them back, allocation what is not static.

const (
	atoms     = 256
	footWords = atoms / 64
	otherAtom = atoms - 1
)

// Footprint is the atoms read and written.
type Footprint struct {
	r, w [footWords]uint64
}

// Conflicts reports whether one writes what the other reads or writes.
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

func (a *Footprint) touch(atom uint8, write bool) {
	if write {
		a.w[atom/64] |= 1 << (atom % 64)
	} else {
		a.r[atom/64] |= 1 << (atom % 64)
	}
}

func (a *Footprint) touchAll() {
	for i := range a.r {
		a.r[i], a.w[i] = ^uint64(0), ^uint64(0)
	}
}

// addFootprints divides memory into atoms and computes what every location's
// edges, and all that may follow them, touch.
func (y *System) addFootprints(facts *analysis.Facts) {
	y.atomOf = make([]uint8, len(y.memInit))
	y.atomPerUnit = len(y.units) < otherAtom
	for i, u := range y.units {
		for j := range int(u.size) {
			at := int(u.off) + j
			if y.atomPerUnit {
				y.atomOf[at] = uint8(i)
			} else {
				y.atomOf[at] = uint8((y.objectAt[at] - 1) % otherAtom)
			}
		}
	}
	starters := y.starters()
	for t := range y.threads {
		tc := &y.threads[t]
		for l := range tc.locs {
			lc := &tc.locs[l]
			for i := range lc.edges {
				next, future := y.edgeFootprints(&lc.edges[i], facts)
				for _, u := range lc.edges[i].ir.Op.Threads {
					if starters[u] > 1 { // whom it starts depends on whom others have started
						next.touch(otherAtom, true)
						future.touch(otherAtom, true)
					}
				}
				lc.next.Add(&next)
				lc.future.Add(&future)
				// What a join waits for is not memory.
				if lc.edges[i].kind == ir.Join {
					lc.open, lc.waits = true, true
				}
			}
		}
	}
	// Threads are started by spawns: those reach what their threads reach.
	for changed := true; changed; {
		changed = false
		for t := range y.threads {
			changed = y.spread(&y.threads[t]) || changed
		}
	}
}

// starters is how many spawns can start each thread, one for every thread that
// executes it. Front ends give every spawn threads of its own.
func (y *System) starters() []int {
	out := make([]int, len(y.threads))
	for t := range y.threads {
		for l := range y.threads[t].locs {
			edges := y.threads[t].locs[l].edges
			for i := range edges {
				for _, u := range edges[i].ir.Op.Threads {
					out[u]++
				}
			}
		}
	}
	return out
}

// spread propagates futures backwards once; it reports whether anything changed.
func (y *System) spread(tc *threadCode) bool {
	changed := false
	for l := len(tc.locs) - 1; l >= 0; l-- {
		lc := &tc.locs[l]
		before := lc.future
		for i := range lc.edges {
			e := &lc.edges[i]
			lc.future.Add(&tc.locs[e.to].future)
			for _, u := range e.ir.Op.Threads {
				lc.future.Add(&y.threads[u].locs[y.threads[u].entry].future)
			}
		}
		changed = changed || lc.future != before
	}
	return changed
}

// edgeFootprints is what executing an edge touches at once, and what it touches
// at all: a buffered store reaches memory later.
func (y *System) edgeFootprints(e *edge, facts *analysis.Facts) (next, future Footprint) {
	op := &e.ir.Op
	if e.own && (op.Kind == ir.Load || op.Kind == ir.Store) {
		return next, future // nobody else comes there, or the search is stopped
	}
	place := facts.Footprint(e.ir)
	switch op.Kind {
	case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Bound, ir.Fence:
		return next, future
	case ir.Load, ir.Await, ir.AbstractLoad:
		y.touchPlace(&next, place, false)
	case ir.Store:
		y.touchPlace(&future, place, true)
		if y.Model == SC {
			next = future
		} else if !y.staticPlace(op, place) {
			next.touch(otherAtom, false) // whether the block is there
		}
	case ir.Free:
		future.touch(otherAtom, true)
		next.touch(otherAtom, true)
	case ir.Alloc:
		next.touch(otherAtom, true)
	case ir.RMW, ir.Lock, ir.TryLock, ir.Unlock, ir.Signal, ir.Broadcast, ir.Barrier:
		y.touchPlace(&next, place, true)
		y.touchPlace(&next, place, false)
	case ir.Spawn, ir.Join:
		// Nothing but what a section keeps out; whom a spawn starts is added by
		// spread.
		next.touch(otherAtom, false)
	case ir.AtomicBegin, ir.AtomicEnd, ir.CondWait:
		next.touchAll()
	default:
		panic("BUG: unexpected operation " + op.Kind.String())
	}
	future.Add(&next)
	return next, future
}

func (y *System) touchPlace(f *Footprint, place analysis.Footprint, write bool) {
	if place.Anything {
		for a := range atoms {
			f.touch(uint8(a), write)
		}
		return
	}
	for _, r := range place.Ranges {
		covered := int64(0)
		for id := range y.Prog.Objects {
			o := &y.Prog.Objects[id]
			lo, hi := max(r.Lo, int64(o.Addr)), min(r.Hi, int64(o.Addr)+o.Size)
			if lo >= hi {
				continue
			}
			covered += hi - lo
			y.touchObject(f, o, int(lo-int64(o.Addr)), int(hi-int64(o.Addr)), write)
		}
		if covered < r.Hi-r.Lo {
			f.touch(otherAtom, write)
		}
	}
}

// touchObject touches the bytes from lo to hi of an object.
func (y *System) touchObject(f *Footprint, o *ir.Object, lo, hi int, write bool) {
	start, _ := y.resolveStatic(o.Addr, 1, int32(ir.NoObject))
	if !y.atomPerUnit {
		f.touch(y.atomOf[start], write)
		return
	}
	for at := lo; at < hi; at++ {
		f.touch(y.atomOf[start+at], write)
	}
}

var nothing Footprint

// NextEdges is what the edges of thread t touch, enabled or not.
func (y *System) NextEdges(s *State, t int) *Footprint {
	if s.status[t] == notStarted {
		return &nothing
	}
	return &y.threads[t].locs[s.pc[t]].next
}

// FutureEdges is everything thread t may ever touch from here on, entries that
// are pending now apart.
func (y *System) FutureEdges(s *State, t int) *Footprint {
	if s.status[t] == notStarted {
		return &nothing
	}
	return &y.threads[t].locs[s.pc[t]].future
}

// Buffered reports whether thread t has entries pending.
func (y *System) Buffered(s *State, t int) bool { return len(s.bufs[t]) > 0 }

// Pending adds what the entries in the buffer of thread t touch.
func (y *System) Pending(s *State, t int, f *Footprint) {
	for i := range s.bufs[t] {
		e := &s.bufs[t][i]
		switch {
		case e.Kind == Marker:
		case e.off < 0:
			f.touch(otherAtom, true)
		default:
			for j := range e.Size {
				f.touch(y.atomOf[e.off+int32(j)], true)
			}
		}
	}
}

// Started reports whether a thread has begun to run.
func (y *System) Started(s *State, t int) bool { return s.status[t] != notStarted }

// Locs is how many locations all threads have, and LocID numbers them.
func (y *System) Locs() int {
	n := 0
	for t := range y.threads {
		n += len(y.threads[t].locs)
	}
	return n
}

// LocID is the number of the location thread t is at.
func (y *System) LocID(s *State, t int) int { return y.threads[t].locBase + int(s.pc[t]) }

// Waits reports whether an edge of thread t waits for something that is not
// memory: another thread's end.
func (y *System) Waits(s *State, t int) bool { return y.threads[t].locs[s.pc[t]].waits }

// Open reports whether thread t's next step must be interleaved with everything:
// a property sees it, it cuts a cycle, or it is about other threads.
func (y *System) Open(s *State, t int) bool {
	return y.threads[t].locs[s.pc[t]].open
}

// Threads is how many there are.
func (y *System) Threads() int { return len(y.threads) }

// EnabledOf appends the steps of one thread and its buffer.
func (y *System) EnabledOf(s *State, t int, out []Step) []Step {
	if s.over || s.faulted {
		return out
	}
	out = y.flushable(s, t, out)
	return y.EnabledEdges(s, t, out)
}

// Holder is the thread inside an atomic section, or -1.
func (s *State) Holder() int { return int(s.holder) }
