package memory

import "fencepost/internal/ir"

// What robustness needs of the transition system (Options.Attacks): an attacker
// that buffers while everybody else writes memory at once, and that can be stopped
// for good [BDM13 §5.1].

// direct reports whether a store of thread t writes memory at once.
func (y *System) direct(s *State, t int) bool {
	return y.Model == SC || s.holder == int32(t) || y.attacks && s.attacker != int32(t)
}

// forget takes the bytes out of the attacker's buffer that a newer store, which follows,
// has: what is left of an entry stays, byte by byte. So the buffer is a map from bytes to
// values, whatever the order of the stores was.
func (y *System) forget(s *State, t int, addr uint64, size uint32) {
	changed := false
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
	if changed {
		y.normalize(s, t)
	}
}

// byteAt is an entry for one byte of a store.
func (e *Entry) byteAt(k uint32) Entry {
	b := *e
	b.Addr, b.Size, b.Val = e.Addr+uint64(k), 1, e.Val>>(8*k)&0xff
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

// Stop takes thread t out of the state for good, with what it has buffered. It
// has started and never ends: nobody can start it again, or join it.
func (s *State) Stop(t int) {
	s.setStatus(t, stopped)
	s.saveBuffer(t)
	s.bufs[t] = s.bufs[t][:0]
}

// InSection reports whether thread t holds the atomic section.
func (s *State) InSection(t int) bool { return s.holder == int32(t) }

// Restore is Reset for a state with an attacker, -1 for none, that may have been
// stopped.
func (y *System) Restore(s *State, attacker int, gone bool) {
	y.Reset(s)
	s.attacker = int32(attacker)
	if gone {
		s.status[attacker] = stopped
		s.bufs[attacker] = s.bufs[attacker][:0]
	}
}

// EncodeAttack appends the state, without the part of thread skip if that is not
// -1: a stopped attacker's is of no interest.
func (y *System) EncodeAttack(s *State, skip int, out []byte) []byte {
	for t := range y.threads {
		if t != skip {
			out = y.encodeThread(s, t, out)
		}
	}
	out = y.encodeUnits(s, y.units, out)
	return y.encodeRest(s, out)
}

// DecodeAttack reads what EncodeAttack wrote, after Restore.
func (y *System) DecodeAttack(s *State, skip int, in []byte) {
	for t := range y.threads {
		if t != skip {
			in = y.decodeThread(s, t, in)
		}
	}
	in = y.decodeUnits(s, y.units, in)
	if in = y.decodeRest(s, in); len(in) != 0 {
		panic("BUG: trailing bytes in an encoded state")
	}
}

// BlockOf is the address of the allocated block that holds the bytes, if they
// are not static.
func (y *System) BlockOf(s *State, addr uint64, size int) (uint64, bool) {
	if i := s.findBlock(addr, size); i >= 0 && s.blocks[i].kind != cellBlock {
		return s.blocks[i].addr, true
	}
	return 0, false
}

// Kind is the operation of a step's edge.
func (y *System) Kind(s *State, st Step) ir.OpKind { return y.Edge(s, st).Op.Kind }

// AppendPlace encodes an address, static ones in few bytes.
func (y *System) AppendPlace(out []byte, addr uint64) []byte { return y.putAddress(out, addr) }

// ReadPlace reads what AppendPlace wrote.
func (y *System) ReadPlace(in []byte) (uint64, []byte) {
	addr, _, in := y.getAddress(in)
	return addr, in
}
