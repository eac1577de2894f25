package memory

// Settling. After a step a thread runs on through steps that no other thread can
// notice (ir.Op.Local), up to a location that has a shared step, that a property
// looks at, or that cuts a cycle of local steps. No other thread's steps are lost
// by this: a local step neither enables nor disables nor changes them, so every
// run that interleaves others in between has a twin in which they come after,
// with the same memory, the same checks failing and the same final states. Local
// choices are all followed. A check that fails ends the program, and others might
// have done something worth knowing before it did; so the state before the
// failure is visited, too.

// Settle runs thread t on and calls visit in every state it settles in, with the
// local steps taken on the Trail. A failed check ends the run and is visited as
// well; a path that blocks at an assume is visited where it blocks. The state is
// as before when Settle returns; visit must restore what it changes.
func (y *System) Settle(s *State, t int, visit func()) {
	if s.faulted || s.over || s.status[t] != running || !y.threads[t].locs[s.pc[t]].eager {
		visit()
		return
	}
	n := len(s.trail)
	var fixed [4]Step
	steps := y.EnabledEdges(s, t, fixed[:0])
	if len(steps) == 0 {
		visit()
		return
	}
	failed := false
	for _, st := range steps {
		mark := s.Mark()
		s.trail = append(s.trail[:n], st)
		y.Apply(s, st)
		failed = failed || s.faulted
		y.Settle(s, t, visit)
		s.Undo(mark)
	}
	s.trail = s.trail[:n]
	if failed {
		visit()
	}
}

// Trail is the local steps Settle took to the state being visited.
func (s *State) Trail() []Step { return s.trail }

// SettleAll settles all threads, as the initial state needs.
func (y *System) SettleAll(s *State, visit func()) {
	var from func(t int)
	from = func(t int) {
		if t == len(y.threads) {
			visit()
			return
		}
		if s.faulted {
			visit()
			return
		}
		y.Settle(s, t, func() { from(t + 1) })
	}
	from(0)
}
