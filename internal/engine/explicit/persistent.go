package explicit

import (
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
)

// Partial-order reduction by persistent sets (Godefroid 1996, [G96]).
//
// In a state, a set T of threads is persistent if nothing the other threads may ever do
// conflicts with a next step of a thread in T. Then all steps of the other threads can be
// postponed: expanding only T loses no deadlock, no final state, and, because of the cycle
// proviso, no failing check. T is found by starting from one thread and adding every thread
// whose future conflicts with the next steps of a thread in T, until no thread is added; the
// smallest such set is taken.
//
// The futures come from the automata (reduce.Footprint), so they hold for every execution. A
// thread's buffer belongs to it: its entries are among its next steps and its future.
//
// The cycle proviso: every cycle of an automaton has an open location, and a T with a thread at
// one is not used. Every cycle of states goes round a cycle of some automaton, so it has a state
// in which all threads are expanded.
//
// Properties: a step that enters or leaves a location which a goal names, or changes a register
// that a goal reads, is open as well, so that goals see all orders of such steps. With a goal
// that reads memory there is no reduction beyond local steps.

// persistentSets picks persistent sets for one worker.
type persistentSets struct {
	plan      *reduce.Plan
	conflicts *conflicts
	in        []bool
	order     []int
	best      []int
}

func newPersistentSets(y *system, c *conflicts) *persistentSets {
	n := y.mem.Threads()
	return &persistentSets{plan: y.plan, conflicts: c, in: make([]bool, n), order: make([]int, 0, n), best: make([]int, 0, n)}
}

// choose returns the threads of a persistent set with a step enabled in s, given how many steps
// each thread has, or nil if all threads must be expanded. The set begins with a thread that can
// move. A wake-up without a signal does not count: a deadlock may be a state in which only
// wake-ups are left, and none of them need happen on the way there.
func (p *persistentSets) choose(s *memory.State, enabled []int, moves []bool) []int {
	if h := s.Holder(); h >= 0 {
		// No other thread can reach memory until the section ends, and the holder
		// accesses nothing but memory.
		if enabled[h] > 0 && !p.plan.Open(s, h) {
			p.best = append(p.best[:0], h)
			return p.best
		}
		return nil
	}
	total := 0
	for _, n := range enabled {
		total += n
	}
	fewest := total
	p.best = p.best[:0]
	for t := range enabled {
		if !moves[t] || enabled[t] >= fewest || p.plan.Open(s, t) {
			continue
		}
		if n, ok := p.closure(s, t, enabled, fewest); ok {
			fewest = n
			p.best = append(p.best[:0], p.order...)
		}
	}
	if fewest == total {
		return nil
	}
	return p.best
}

// closure makes order the smallest persistent set that contains t, and counts its steps. It
// gives up at the limit.
func (p *persistentSets) closure(s *memory.State, t int, enabled []int, limit int) (int, bool) {
	clear(p.in)
	p.order = append(p.order[:0], t)
	p.in[t] = true
	n := 0
	for i := 0; i < len(p.order); i++ {
		t := p.order[i]
		n += enabled[t]
		if n >= limit || p.plan.Open(s, t) {
			return 0, false
		}
		for _, u := range p.conflicts.disturbers(s, t) {
			if !p.in[u] {
				p.in[u] = true
				p.order = append(p.order, u)
			}
		}
	}
	return n, true
}
