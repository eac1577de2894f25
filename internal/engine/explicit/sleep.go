package explicit

import (
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

// A sleep set has a bit for the edges and one for the flushes of each of the first threads, up to maxSleepers bits. Other
// threads never sleep: a sleep set may leave out whatever it likes.

// maxSleepers is how many bits a sleep set has at most.
const maxSleepers = 64

// sleepBits returns how many bits the sleep sets of a program with some threads have.
func sleepBits(threads int) int { return min(2*threads, maxSleepers) }

// edgesOf is the number of the edges of a thread among what can sleep.
func edgesOf(t int) int { return 2 * t }

// flushesOf is the number of the flushes of a thread among what can sleep.
func flushesOf(t int) int { return 2*t + 1 }

// sleeperOf is the number of what a step belongs to.
func sleeperOf(st memory.Step) int {
	if st.Kind == memory.Flush {
		return flushesOf(int(st.Thread))
	}
	return edgesOf(int(st.Thread))
}

// bitOf returns the bit of a number in sleep sets, 0 if it has none.
func bitOf(sleeper int) uint64 {
	if sleeper < 0 || sleeper >= maxSleepers {
		return 0
	}
	return 1 << sleeper
}

// sleepSets computes sleep sets for one worker.
type sleepSets struct {
	plan      *reduce.Plan
	conflicts *conflicts
	masks     []uint64 // by number: the bits independent of it
	filled    []bool   // by number: masks is computed in this state
}

func newSleepSets(y *system, c *conflicts) *sleepSets {
	n := 2 * y.mem.Threads()
	return &sleepSets{plan: y.plan, conflicts: c, masks: make([]uint64, n), filled: make([]bool, n)}
}

// independent returns the steps of other threads that the steps of a number are independent of.
func (l *sleepSets) independent(s *memory.State, sleeper int) uint64 {
	if l.filled[sleeper] {
		return l.masks[sleeper]
	}
	t := sleeper / 2
	edges := sleeper == edgesOf(t)
	var out uint64
	for u := range min(len(l.conflicts.pending), maxSleepers/2) {
		if u == t {
			continue
		}
		if edges && !l.conflicts.edgesAndPending(s, t, u) || !edges && !l.conflicts.bothPending(t, u) {
			out |= bitOf(flushesOf(u))
		}
		if !l.plan.Waits(s, u) && (edges && !l.conflicts.bothEdges(s, t, u) || !edges && !l.conflicts.edgesAndPending(s, u, t)) {
			out |= bitOf(edgesOf(u))
		}
	}
	l.filled[sleeper], l.masks[sleeper] = true, out
	return out
}
