package explicit

import (
	"math/bits"

	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
)

// Sleep sets [G96 §5]. Let the steps p and q be independent in a state, and let p be explored
// first. Then nothing is lost by not exploring p after q: q p and p q lead to the same state,
// and p q is explored. So the successor of q sleeps on p, and its successors do as long as only
// steps independent of p are taken. A state that is reached on several paths sleeps on the steps
// that all of them sleep on; if a path arrives later that sleeps on less, the difference is
// explored then (package search).
//
// All edges of a thread sleep together, and so do all flushes of its buffer. That makes the sets
// small and stable: a thread that sleeps has not moved, and an independent step neither enables
// nor disables any of its edges.

// maxSleepers is how many threads fit a sleep set: two bits each.
const maxSleepers = 16

func edgesBit(t int) uint32 { return 1 << (2 * t) }

func flushBit(t int) uint32 { return 2 << (2 * t) }

func bitOf(st memory.Step) uint32 {
	if st.Kind == memory.Flush {
		return flushBit(int(st.Thread))
	}
	return edgesBit(int(st.Thread))
}

// sleepSets computes sleep sets for one worker.
type sleepSets struct {
	plan      *reduce.Plan
	conflicts *conflicts
	masks     []uint32 // per bit: the bits independent of it
	filled    uint32   // bits for which masks is computed in this state
}

func newSleepSets(y *system, c *conflicts) *sleepSets {
	return &sleepSets{plan: y.plan, conflicts: c, masks: make([]uint32, 2*y.mem.Threads())}
}

// independent returns the steps of other threads that the steps of bit are independent of.
func (l *sleepSets) independent(s *memory.State, bit uint32) uint32 {
	i := bits.TrailingZeros32(bit)
	if l.filled&bit != 0 {
		return l.masks[i]
	}
	t := i / 2
	edges := bit == edgesBit(t)
	var out uint32
	for u := range l.conflicts.pending {
		if u == t {
			continue
		}
		if edges && !l.conflicts.edgesAndPending(s, t, u) || !edges && !l.conflicts.bothPending(t, u) {
			out |= flushBit(u)
		}
		if !l.plan.Waits(s, u) && (edges && !l.conflicts.bothEdges(s, t, u) || !edges && !l.conflicts.edgesAndPending(s, u, t)) {
			out |= edgesBit(u)
		}
	}
	l.filled |= bit
	l.masks[i] = out
	return out
}
