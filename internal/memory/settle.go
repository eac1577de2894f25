package memory

// Settling. After a step a thread runs on through steps that no other thread can
// notice (eager.go), up to a location that has a shared step, that a property
// looks at, that cuts a cycle, or where there is a choice: from there on several
// paths lead, which may meet again, so the state is stored. No other thread's
// steps are lost by this: the steps neither enable nor disable nor change them, so
// every run that interleaves others in between has a twin in which they come
// after, with the same memory, the same checks failing and the same final states.
// A check that fails ends the program, and others might have done something worth
// knowing before it did; so the state before the failure is visited, too.

// Settle runs thread t on and calls visit in the state it settles in, with the
// steps taken on the Trail. A check that fails is visited as well, before. The
// state is as before when Settle returns; visit must restore what it changes.
func (y *System) Settle(s *State, t int, visit func()) {
	mark, n := s.Mark(), len(s.trail)
	for !s.faulted && !s.over && s.status[t] == running && y.threads[t].locs[s.pc[t]].eager {
		steps := y.EnabledEdges(s, t, s.settling[:0])
		s.settling = steps
		if len(steps) != 1 {
			break
		}
		before := s.Mark()
		s.trail = append(s.trail, steps[0])
		y.Apply(s, steps[0])
		if s.faulted {
			visit()
			s.Undo(before)
			s.trail = s.trail[:len(s.trail)-1]
			break
		}
	}
	visit()
	s.Undo(mark)
	s.trail = s.trail[:n]
}

// Trail is the steps Settle took to the state being visited.
func (s *State) Trail() []Step { return s.trail }

// SettleAll settles all threads, as the initial state needs.
func (y *System) SettleAll(s *State, visit func()) {
	var from func(t int)
	from = func(t int) {
		if t == len(y.threads) || s.faulted {
			visit()
			return
		}
		y.Settle(s, t, func() { from(t + 1) })
	}
	from(0)
}
