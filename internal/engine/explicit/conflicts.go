package explicit

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
)

// Which steps conflict in one state, for persistent and sleep sets. The accesses of a location's
// edges do not change, so conflicts between locations are computed once and kept in a table;
// the accesses of buffer entries are computed anew in every state.

// conflicts answers for the state it was last moved to.
type conflicts struct {
	plan    *reduce.Plan
	pending []reduce.Footprint // what the entries in each thread's buffer access
	full    []bool             // whether there are any
	rows    [][]int            // per thread: the threads that may disturb it, where it was asked
	asked   []bool
	table   []uint8 // per pair of locations, nil if there are too many
	locs    int
}

const (
	known       = 1 << iota
	nextFuture  // the first's edges conflict with what the second's thread may ever do
	nextNext    // their edges conflict
	maxLocPairs = 1 << 22
)

func newConflicts(y *system) *conflicts {
	n := y.mem.Threads()
	c := &conflicts{plan: y.plan, pending: make([]reduce.Footprint, n), full: make([]bool, n), rows: make([][]int, n), asked: make([]bool, n), locs: y.plan.Locs()}
	if c.locs*c.locs <= maxLocPairs {
		c.table = make([]uint8, c.locs*c.locs)
	}
	return c
}

// moveTo makes s the state that is asked about.
func (c *conflicts) moveTo(s *memory.State) {
	clear(c.asked)
	for t := range c.pending {
		if c.full[t] {
			c.pending[t] = reduce.Footprint{}
		}
		if c.full[t] = len(s.Buffer(ir.ThreadID(t))) > 0; c.full[t] {
			c.plan.AddPending(s, t, &c.pending[t])
		}
	}
}

// pair returns the conflicts between the locations of two threads.
func (c *conflicts) pair(s *memory.State, t, u int) uint8 {
	if c.table == nil {
		return c.compute(s, t, u)
	}
	e := &c.table[c.plan.LocID(s, t)*c.locs+c.plan.LocID(s, u)]
	if *e == 0 {
		*e = c.compute(s, t, u)
	}
	return *e
}

func (c *conflicts) compute(s *memory.State, t, u int) uint8 {
	next := c.plan.NextEdges(s, t)
	out := uint8(known)
	if next.Conflicts(c.plan.FutureEdges(s, u)) {
		out |= nextFuture
	}
	if next.Conflicts(c.plan.NextEdges(s, u)) {
		out |= nextNext
	}
	return out
}

// started reports whether both threads have started.
func started(s *memory.State, t, u int) bool {
	return s.Started(ir.ThreadID(t)) && s.Started(ir.ThreadID(u))
}

// disturbers returns the other threads that may take a step which conflicts with a next step of t. Every persistent set
// that t belongs to asks, so they are found once for each state.
func (c *conflicts) disturbers(s *memory.State, t int) []int {
	if !c.asked[t] {
		c.asked[t] = true
		row := c.rows[t][:0]
		for u := range c.pending {
			if u != t && c.disturbs(s, t, u) {
				row = append(row, u)
			}
		}
		c.rows[t] = row
	}
	return c.rows[t]
}

// disturbs reports whether a step that thread u may ever take conflicts with a next step of t.
func (c *conflicts) disturbs(s *memory.State, t, u int) bool {
	if started(s, t, u) && c.pair(s, t, u)&nextFuture != 0 {
		return true
	}
	return c.full[t] && (c.pending[t].Conflicts(c.plan.FutureEdges(s, u)) || c.full[u] && c.pending[t].Conflicts(&c.pending[u])) ||
		c.full[u] && c.plan.NextEdges(s, t).Conflicts(&c.pending[u])
}

// bothEdges reports whether the next edges of two threads conflict.
func (c *conflicts) bothEdges(s *memory.State, t, u int) bool {
	return started(s, t, u) && c.pair(s, t, u)&nextNext != 0
}

// edgesAndPending reports whether the next edges of t conflict with the buffer of u.
func (c *conflicts) edgesAndPending(s *memory.State, t, u int) bool {
	return c.full[u] && c.plan.NextEdges(s, t).Conflicts(&c.pending[u])
}

// bothPending reports whether the buffers of two threads conflict.
func (c *conflicts) bothPending(t, u int) bool {
	return c.full[t] && c.full[u] && c.pending[t].Conflicts(&c.pending[u])
}
