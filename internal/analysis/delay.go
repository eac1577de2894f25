package analysis

import "fencepost/internal/ir"

// How far a store can be delayed. Under TSO and PSO a store waits in the buffer of its
// thread while the thread goes on, up to an operation that drains the buffer. The loads on
// the way are the loads that the store can be delayed past.

// Drains reports whether the thread's buffer is empty after the operation in every state.
// The operations on a recursive mutex do not count: a thread that owns the mutex already
// executes them without draining.
func Drains(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock:
		return op.Mutex.Kind != ir.RecursiveMutex
	}
	return op.MustDrain()
}

// Undrained reports, by location, whether control can get there from l without an operation
// that drains the buffer. A store that leads to l can be delayed past the edges that leave
// these locations, except past an edge that drains. Edges for which stop returns true are not taken
// either. stop may be nil; it is not called on edges that drain or end the thread.
func Undrained(f *ir.Func, l ir.Loc, stop func(*ir.Edge) bool) []bool {
	return Reachable(f, l, func(e *ir.Edge) bool {
		return !e.Op.Terminal() && !Drains(&e.Op) && (stop == nil || !stop(e))
	})
}

// Reachable reports, by location, whether control can get there from one by edges that may be taken.
func Reachable(f *ir.Func, from ir.Loc, may func(*ir.Edge) bool) []bool {
	reached := make([]bool, len(f.Locs))
	reached[from] = true
	for work := []ir.Loc{from}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(at) {
			if e := &f.Edges[i]; !reached[e.To] && may(e) {
				reached[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return reached
}
