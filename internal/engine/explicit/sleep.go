package explicit

import (
	"math/bits"

	"fencepost/internal/memory"
)

// Sleep sets [G96 §5]. If in a state the steps p and q are independent and p is
// looked at first, then after q nothing is lost by not looking at p: q p and p q
// lead to the same state, and p q is looked at. So q's successor sleeps on p, and
// goes on to as long as only steps independent of p are taken. A state reached
// in several ways sleeps on what all of them sleep on; if a way arrives later that
// sleeps on less, the difference is looked at then (package search).
//
// What sleeps is all edges of one thread, or all flushes of its buffer, as one.
// That makes sets small and stable: a thread that sleeps has not moved, and an
// independent step neither enables nor disables any of its edges.

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

// sleepers computes sleep sets for one worker.
type sleepers struct {
	y      *memory.System
	look   *look
	masks  []uint32 // per bit: the bits independent of it
	filled uint32   // bits for which masks is computed in this state
}

func newSleepers(y *memory.System, l *look) *sleepers {
	return &sleepers{y: y, look: l, masks: make([]uint32, 2*y.Threads())}
}

// independent is the steps of other threads that bit's steps are independent of.
func (k *sleepers) independent(s *memory.State, bit uint32) uint32 {
	i := bits.TrailingZeros32(bit)
	if k.filled&bit != 0 {
		return k.masks[i]
	}
	t := i / 2
	edges := bit == edgesBit(t)
	var out uint32
	for u := range k.look.pending {
		if u == t {
			continue
		}
		if edges && !k.look.edgesAndPending(s, t, u) || !edges && !k.look.bothPending(t, u) {
			out |= flushBit(u)
		}
		if !k.y.Waits(s, u) && (edges && !k.look.bothEdges(s, t, u) || !edges && !k.look.edgesAndPending(s, u, t)) {
			out |= edgesBit(u)
		}
	}
	k.filled |= bit
	k.masks[i] = out
	return out
}
