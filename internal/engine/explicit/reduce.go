package explicit

import "fencepost/internal/memory"

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
	y     *memory.System
	look  *look
	in    []bool
	order []int
	best  []int
}

func newReducer(y *memory.System, l *look) *reducer {
	n := y.Threads()
	return &reducer{y: y, look: l, in: make([]bool, n), order: make([]int, 0, n), best: make([]int, 0, n)}
}

// choose is the threads of a persistent set with a step enabled in s, given how
// many steps each thread has, or nil if all threads must be expanded. The set begins
// with a thread that can move: a wake-up without a signal does not count, because
// a deadlock may be a state in which those are all that is left, and on the way
// there none of them need happen.
func (r *reducer) choose(s *memory.State, enabled []int, moves []bool) []int {
	if h := s.Holder(); h >= 0 {
		// Nobody else can reach memory until the section ends, and the holder
		// touches nothing but memory.
		if enabled[h] > 0 && !r.y.Open(s, h) {
			r.best = append(r.best[:0], h)
			return r.best
		}
		return nil
	}
	total := 0
	for _, n := range enabled {
		total += n
	}
	fewest := total
	r.best = r.best[:0]
	for t := range enabled {
		if !moves[t] || enabled[t] >= fewest || r.y.Open(s, t) {
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
			if !r.in[u] && r.look.disturbs(s, t, u) {
				r.in[u] = true
				r.order = append(r.order, u)
			}
		}
	}
	return n, true
}
