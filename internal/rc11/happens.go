package rc11

import "slices"

// Happens-before, by vector clocks: the clock of an event has for each thread the number of its events that happen before
// the event or are the event itself. Events are visited in an order that respects program order, reads-from and After.

// clock is a vector clock; nil: all components are 0.
type clock []int32

// join returns the maximum of both in each component. It may return one of its arguments.
func join(a, b clock) clock {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	out := a
	for i, n := range b {
		if n > out[i] {
			if &out[0] == &a[0] {
				out = slices.Clone(a)
			}
			out[i] = n
		}
	}
	return out
}

// releases has what a write hands to those who acquire from it: the clocks of the heads of its release sequences.
type releases struct {
	all clock
	// unshared leaves out unlocks of readers.
	unshared clock
}

// linearize sorts the events so that program order, reads-from, After and Woken go forward. It reports false if that is not
// possible. Of several events that could come next, one of the thread of the last one is preferred, then one of the
// first thread.
func (s *Solver) linearize(g *Graph) bool {
	n := len(g.Events)
	s.index = slices.Grow(s.index[:0], n)[:n]
	s.threads = slices.Grow(s.threads[:0], g.Threads)[:g.Threads]
	for t := range s.threads {
		s.threads[t] = s.threads[t][:0]
	}
	for e := range g.Events {
		t := g.Events[e].Thread
		s.index[e] = int32(len(s.threads[t]))
		s.threads[t] = append(s.threads[t], int32(e))
	}
	s.line = s.line[:0]
	done := func(e int32) bool { return e == None || s.placed[e] }
	s.placed = append(s.placed[:0], make([]bool, n)...)
	next := make([]int, g.Threads)
	for len(s.line) < n {
		moved := false
		for t := range s.threads {
			for next[t] < len(s.threads[t]) {
				e := s.threads[t][next[t]]
				ev := &g.Events[e]
				waits := func(a int32) bool { return !done(a) }
				if slices.ContainsFunc(ev.From, waits) || slices.ContainsFunc(ev.After, waits) || slices.ContainsFunc(ev.Woken, waits) {
					break
				}
				s.line, s.placed[e], moved = append(s.line, e), true, true
				next[t]++
			}
		}
		if !moved {
			return false
		}
	}
	return true
}

// clocksOf computes the clocks of all events.
func (s *Solver) clocksOf(g *Graph) {
	n := len(g.Events)
	s.clock = append(s.clock[:0], make([]clock, n)...)
	s.given = append(s.given[:0], make([]releases, n)...)
	fence := make([]clock, g.Threads)   // at the last release fence of the thread
	pending := make([]clock, g.Threads) // what an acquire fence of the thread gets
	for _, e := range s.line {
		ev := &g.Events[e]
		t, i := ev.Thread, s.index[e]
		var now clock
		if i > 0 {
			now = s.clock[s.threads[t][i-1]]
		}
		for _, a := range ev.After {
			now = join(now, s.clock[a])
		}
		switch ev.Kind {
		case Read:
			if ev.Mode == Plain {
				break
			}
			for _, w := range ev.From {
				if w == None {
					continue
				}
				seen := s.given[w].all
				if ev.Shared {
					seen = s.given[w].unshared
				}
				pending[t] = join(pending[t], seen)
				if ev.Mode.acquires() {
					now = join(now, seen)
				}
			}
		case Fence:
			if ev.Mode.acquires() {
				now = join(now, pending[t])
			}
		}
		mine := make(clock, g.Threads)
		copy(mine, now)
		mine[t] = i + 1
		s.clock[e] = mine
		switch {
		case ev.Kind == Fence && ev.Mode.releases():
			fence[t] = mine
		case ev.Kind == Write && ev.Mode != Plain:
			s.give(g, e, fence[t])
		}
	}
}

// give computes what an atomic write hands on. fence is the clock of the last release fence before it.
func (s *Solver) give(g *Graph, e int32, fence clock) {
	ev := &g.Events[e]
	var out releases
	head := fence
	if ev.Mode.releases() {
		head = s.clock[e]
	}
	out.all, out.unshared = head, head
	if ev.Shared {
		out.unshared = fence
	}
	if ev.Update {
		if w := g.Events[s.before(g, e)].From[0]; w != None {
			out.all = join(out.all, s.given[w].all)
			out.unshared = join(out.unshared, s.given[w].unshared)
		}
	}
	s.given[e] = out
}

// before returns the event before e in its thread.
func (s *Solver) before(g *Graph, e int32) int32 { return s.threads[g.Events[e].Thread][s.index[e]-1] }

// HappensBefore reports whether a happens before b, in the graph of the last question.
func (s *Solver) HappensBefore(a, b int32) bool {
	return a != b && s.clock[b][s.g.Events[a].Thread] > s.index[a]
}
