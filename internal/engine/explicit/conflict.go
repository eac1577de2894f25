package explicit

import "fencepost/internal/memory"

// What conflicts with what in one state, for persistent and sleep sets. What
// locations touch does not change, so conflicts between them are computed once and
// kept in a table; what buffers hold is looked at anew in every state.

// look answers for the state it was last pointed at.
type look struct {
	y       *memory.System
	pending []memory.Footprint // what the entries in each thread's buffer touch
	full    []bool             // whether there are any
	table   []uint8            // per pair of locations, nil if there are too many
	locs    int
}

const (
	known       = 1 << iota
	nextFuture  // the first's edges conflict with what the second's thread may ever do
	nextNext    // their edges conflict
	maxLocPairs = 1 << 22
)

func newLook(y *memory.System) *look {
	n := y.Threads()
	l := &look{y: y, pending: make([]memory.Footprint, n), full: make([]bool, n), locs: y.Locs()}
	if l.locs*l.locs <= maxLocPairs {
		l.table = make([]uint8, l.locs*l.locs)
	}
	return l
}

// at points it at a state.
func (l *look) at(s *memory.State) {
	for t := range l.pending {
		if l.full[t] {
			l.pending[t] = memory.Footprint{}
		}
		if l.full[t] = l.y.Buffered(s, t); l.full[t] {
			l.y.Pending(s, t, &l.pending[t])
		}
	}
}

// pair is what is known of the locations of two threads.
func (l *look) pair(s *memory.State, t, u int) uint8 {
	if l.table == nil {
		return l.compute(s, t, u)
	}
	e := &l.table[l.y.LocID(s, t)*l.locs+l.y.LocID(s, u)]
	if *e == 0 {
		*e = l.compute(s, t, u)
	}
	return *e
}

func (l *look) compute(s *memory.State, t, u int) uint8 {
	next := l.y.NextEdges(s, t)
	out := uint8(known)
	if next.Conflicts(l.y.FutureEdges(s, u)) {
		out |= nextFuture
	}
	if next.Conflicts(l.y.NextEdges(s, u)) {
		out |= nextNext
	}
	return out
}

// disturbs reports whether something thread u may ever do conflicts with what t
// can do next.
func (l *look) disturbs(s *memory.State, t, u int) bool {
	if l.y.Started(s, t) && l.y.Started(s, u) && l.pair(s, t, u)&nextFuture != 0 {
		return true
	}
	return l.full[t] && (l.pending[t].Conflicts(l.y.FutureEdges(s, u)) || l.full[u] && l.pending[t].Conflicts(&l.pending[u])) ||
		l.full[u] && l.y.NextEdges(s, t).Conflicts(&l.pending[u])
}

// bothEdges, edgesAndPending and bothPending report conflicts between the next
// edges or buffers of two threads.
func (l *look) bothEdges(s *memory.State, t, u int) bool {
	return l.y.Started(s, t) && l.y.Started(s, u) && l.pair(s, t, u)&nextNext != 0
}

func (l *look) edgesAndPending(s *memory.State, t, u int) bool {
	return l.full[u] && l.y.NextEdges(s, t).Conflicts(&l.pending[u])
}

func (l *look) bothPending(t, u int) bool {
	return l.full[t] && l.full[u] && l.pending[t].Conflicts(&l.pending[u])
}
