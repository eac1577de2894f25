package explicit

import (
	"math/bits"

	"fencepost/internal/memory"
)

// Partial-order reduction by persistent sets (Godefroid 1996, [G96]).
//
// In a state some set T of threads is looked for such that nothing the others may
// ever do conflicts with what the threads of T can do next. Then the others' steps
// can all be postponed: expanding only T loses no deadlock, no final state, and,
// because of the cycle proviso, no failing check. T is found by starting from one
// thread and adding every thread whose future conflicts with the next steps of
// those in T, until none does; the smallest such set is taken.
//
// The futures come from the automata (memory.Footprint), so they hold for every
// execution. A thread's buffer belongs to it: its entries are among its next steps
// and its future.
//
// The cycle proviso: every cycle of an automaton has an open location, and a T
// with a thread at one is not used. Every cycle of states goes round a cycle of
// some automaton, so it has a state that is expanded whole.
//
// Properties: a step that enters or leaves a location which a goal names, or
// changes a register it reads, is open as well, so that goals see all orders of
// such steps. With a goal that reads memory there is no reduction beyond local
// steps.

// reducer picks persistent sets for one worker.
type reducer struct {
	y      *memory.System
	next   []memory.Footprint
	future []memory.Footprint
	in     []bool
	order  []int
	best   []int
}

func newReducer(y *memory.System) *reducer {
	n := y.Threads()
	return &reducer{
		y: y, next: make([]memory.Footprint, n), future: make([]memory.Footprint, n), in: make([]bool, n),
		order: make([]int, 0, n), best: make([]int, 0, n),
	}
}

// choose is the threads of a persistent set with a step enabled in s, given how
// many steps each thread has, or nil if all threads must be expanded.
func (r *reducer) choose(s *memory.State, enabled []int) []int {
	if h := s.Holder(); h >= 0 {
		// Nobody else can reach memory until the section ends, and the holder
		// touches nothing but memory.
		if enabled[h] > 0 && !r.y.Open(s, h) {
			r.best = append(r.best[:0], h)
			return r.best
		}
		return nil
	}
	for t := range r.next {
		r.next[t], r.future[t] = memory.Footprint{}, memory.Footprint{}
		r.y.Next(s, t, &r.next[t])
		r.y.Future(s, t, &r.future[t])
	}
	total := 0
	for _, n := range enabled {
		total += n
	}
	fewest := total
	r.best = r.best[:0]
	for t := range enabled {
		if enabled[t] == 0 || enabled[t] >= fewest {
			continue
		}
		if n, ok := r.close(s, t, enabled, fewest); ok {
			fewest = n
			r.best = append(r.best[:0], r.order...)
		}
	}
	if fewest == total {
		return nil
	}
	return r.best
}

// close makes order the smallest persistent set of threads with t, and counts its
// steps; it gives up at the limit.
func (r *reducer) close(s *memory.State, t int, enabled []int, limit int) (int, bool) {
	clear(r.in)
	r.order = append(r.order[:0], t)
	r.in[t] = true
	n := 0
	for i := 0; i < len(r.order); i++ {
		t := r.order[i]
		n += enabled[t]
		if n >= limit || r.y.Open(s, t) {
			return 0, false
		}
		for u := range r.in {
			if !r.in[u] && r.next[t].Conflicts(&r.future[u]) {
				r.in[u] = true
				r.order = append(r.order, u)
			}
		}
	}
	return n, true
}

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

// sleepers is what the next steps in one state touch, apart for the edges and the
// buffer of each thread.
type sleepers struct {
	y      *memory.System
	flush  []memory.Footprint
	masks  []uint32 // per bit: the bits independent of it
	filled uint32   // bits for which masks is computed in this state
}

func newSleepers(y *memory.System) *sleepers {
	n := y.Threads()
	return &sleepers{y: y, flush: make([]memory.Footprint, n), masks: make([]uint32, 2*n)}
}

// look prepares for a state.
func (k *sleepers) look(s *memory.State) {
	k.filled = 0
	for t := range k.flush {
		k.flush[t] = memory.Footprint{}
		k.y.Pending(s, t, &k.flush[t])
	}
}

// independent is the steps of other threads that bit's steps are independent of.
func (k *sleepers) independent(s *memory.State, bit uint32) uint32 {
	i := bits.TrailingZeros32(bit)
	if k.filled&bit != 0 {
		return k.masks[i]
	}
	t := i / 2
	mine := &k.flush[t]
	if bit == edgesBit(t) {
		mine = k.y.NextEdges(s, t)
	}
	var out uint32
	for u := range k.flush {
		if u == t {
			continue
		}
		if !mine.Conflicts(&k.flush[u]) {
			out |= flushBit(u)
		}
		if !mine.Conflicts(k.y.NextEdges(s, u)) && !k.y.Waits(s, u) {
			out |= edgesBit(u)
		}
	}
	k.filled |= bit
	k.masks[i] = out
	return out
}
