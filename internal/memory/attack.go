package memory

// Attacks (Options.Attacks): the rules for robustness against TSO [BDM13 §5.1] and PSO. One
// thread, the attacker, buffers its stores while all others write memory at once. What it
// buffers never reaches memory, and the attacker can be stopped for good.
//
// Under TSO the attacker buffers all its stores. Under PSO it buffers the first one, and later
// ones only if they have to wait for it: a store that shares a byte with the buffer, every store
// after a store-store fence, and every free, which brings such a fence. A marker at the end of
// the buffer says that such a fence was passed; where it stands does not
// matter, since no entry leaves. While Hold is set it buffers stores that need not wait as well.

// direct reports whether a store of thread t writes memory at once, for all that is known without
// its address.
func (y *System) direct(s *State, t int) bool {
	return y.Model == SC || s.holder == int32(t) || y.Attacks && s.attacker != int32(t)
}

// directAt reports whether a store of thread t to these bytes writes memory at once.
func (y *System) directAt(s *State, t int, addr uint64, size uint8) bool {
	if y.direct(s, t) {
		return true
	}
	if !y.Attacks || y.Model != PSO || len(s.bufs[t]) == 0 || s.Hold {
		return false
	}
	for i := range s.bufs[t] {
		if e := &s.bufs[t][i]; e.Kind == Marker || overlaps(addr, uint32(size), e.Addr, e.Size) {
			return false
		}
	}
	return true
}

// keep adds an entry to the attacker's buffer, before the marker. No entry leaves this buffer, and
// stores in it do not overlap: their order does not matter.
func (y *System) keep(s *State, t int, e Entry) {
	b := s.bufs[t]
	if n := len(b); n > 0 && b[n-1].Kind == Marker {
		b = b[:n-1]
	}
	first := len(b) == 0
	s.push(t, normalPosition(b, e), e)
	if e.Kind == FreeEntry && !first {
		y.storeStoreFence(s, t)
	}
}

// overwrite removes the bytes from the attacker's buffer that a newer store is about to
// write. The other bytes of an entry stay, one by one. So the buffer is a map from bytes to
// values, whatever the order of the stores was.
func (y *System) overwrite(s *State, t int, addr uint64, size uint32) {
	changed := false
	n := len(s.bufs[t])
	fenced := n > 0 && s.bufs[t][n-1].Kind == Marker
	for i := len(s.bufs[t]) - 1; i >= 0; i-- {
		e := s.bufs[t][i]
		if e.Kind != StoreEntry || !overlaps(addr, size, e.Addr, e.Size) {
			continue
		}
		changed = true
		s.remove(t, i)
		for k := range e.Size {
			if at := e.Addr + uint64(k); !overlaps(addr, size, at, 1) {
				s.push(t, i, e.byteAt(k))
			}
		}
	}
	if !changed {
		return
	}
	s.normalize(t)
	if n := len(s.bufs[t]); fenced && n == 0 {
		s.push(t, 0, Entry{Kind: Marker}) // the newer store is about to come
	}
}

// byteAt returns an entry for one byte of a store.
func (e *Entry) byteAt(k uint32) Entry {
	b := *e
	b.Addr, b.Size, b.Val, b.Mask = e.Addr+uint64(k), 1, e.Val>>(8*k)&0xff, e.Mask>>(8*k)&0xff
	if e.off >= 0 {
		b.off += int32(k)
	}
	return b
}

// Attack makes t the thread that buffers from now on.
func (s *State) Attack(t int) {
	s.undo = append(s.undo, undo{kind: undoAttacker, old: int64(s.attacker)})
	s.attacker = int32(t)
}

// Stop removes thread t from the state for good, with its buffer. The thread has started and
// never ends: no thread can start it again, or join it.
func (s *State) Stop(t int) {
	s.setStatus(t, stopped)
	s.saveBuffer(t)
	s.bufs[t] = s.bufs[t][:0]
}

// ResetAttack is Reset for a state with an attacker, -1 for none, that may have been stopped.
func (c *Codec) ResetAttack(s *State, attacker int, isStopped bool) {
	c.Reset(s)
	s.attacker = int32(attacker)
	if isStopped {
		s.status[attacker] = stopped
		s.bufs[attacker] = s.bufs[attacker][:0]
	}
}
