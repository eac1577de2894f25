package memory

import "fencepost/internal/ir"

// What robustness needs of the transition system (Options.Attacks): an attacker
// that buffers while everybody else writes memory at once, and that can be stopped
// for good [BDM13 §5.1].

// direct reports whether a store of thread t writes memory at once.
func (y *System) direct(s *State, t int) bool {
	return y.Model == SC || s.holder == int32(t) || y.attacks && s.attacker != int32(t)
}

// forget drops the pending store to exactly this place: a newer one follows, and a
// load sees only the newest.
func (s *State) forget(t int, addr uint64, size uint32) {
	for i := range s.bufs[t] {
		if e := &s.bufs[t][i]; e.Kind == StoreEntry && e.Addr == addr && e.Size == size {
			s.remove(t, i)
			return
		}
	}
}

// Attack makes t the thread that buffers from now on.
func (s *State) Attack(t int) {
	s.undo = append(s.undo, undo{kind: undoAttacker, old: int64(s.attacker)})
	s.attacker = int32(t)
}

// Stop takes thread t out of the state for good, with what it has buffered.
func (s *State) Stop(t int) {
	s.setStatus(t, notStarted)
	s.saveBuffer(t)
	s.bufs[t] = s.bufs[t][:0]
}

// InSection reports whether thread t holds the atomic section.
func (s *State) InSection(t int) bool { return s.holder == int32(t) }

// Restore is Reset for a state with an attacker, -1 for none, that may have been
// stopped.
func (y *System) Restore(s *State, attacker int, stopped bool) {
	y.Reset(s)
	s.attacker = int32(attacker)
	if stopped {
		s.status[attacker] = notStarted
		s.bufs[attacker] = s.bufs[attacker][:0]
	}
}

// Kind is the operation of a step's edge.
func (y *System) Kind(s *State, st Step) ir.OpKind { return y.Edge(s, st).Op.Kind }
