package memory

import "fencepost/internal/ir"

// Store buffers. TSO keeps one queue per thread. PSO keeps one queue per thread and location;
// here it is one list per thread, in which an entry may leave when no older entry overlaps it
// and no marker is before it.
//
// Under PSO two lists that differ only in the order of entries that do not overlap are the same
// state. Lists are therefore kept in the lexicographic normal form of the trace monoid whose
// letters are entries, where two entries commute unless they overlap or one is a marker: no
// entry could move left past greater ones. Insertion at the right position keeps the normal
// form; a removal restores it where accesses of different sizes overlap, or markers are left (sizes).

// append adds an entry to the buffer of t under the rules of the model.
func (y *System) append(s *State, t int, e Entry) {
	if y.Attacks {
		y.keep(s, t, e)
		return
	}
	b := s.bufs[t]
	at := len(b)
	if y.Model == PSO {
		if e.Kind == FreeEntry && len(b) > 0 && b[len(b)-1].Kind != Marker {
			s.push(t, len(b), Entry{Kind: Marker})
			b = s.bufs[t]
		}
		at = normalPosition(b, e)
	}
	s.push(t, at, e)
}

// normalPosition returns the position of a new entry in the normal form of b: before the first
// greater one among the last entries that all commute with it.
func normalPosition(b []Entry, e Entry) int {
	at := len(b)
	for i := len(b) - 1; i >= 0; i-- {
		if dependent(&b[i], &e) {
			break
		}
		if greater(&b[i], &e) {
			at = i
		}
	}
	return at
}

func dependent(a, b *Entry) bool {
	return a.Kind == Marker || b.Kind == Marker || overlaps(a.Addr, a.Size, b.Addr, b.Size)
}

func greater(a, b *Entry) bool { return a.Addr > b.Addr }

// normalize restores the normal form after a removal: no marker at the front, no two markers
// side by side, entries in order.
func (s *State) normalize(t int) {
	for i := 0; i < len(s.bufs[t]); {
		if b := s.bufs[t]; b[i].Kind == Marker && (i == 0 || b[i-1].Kind == Marker) {
			s.remove(t, i)
		} else {
			i++
		}
	}
	if isNormal(s.bufs[t]) {
		return
	}
	s.saveBuffer(t)
	old := s.saved[len(s.saved)-1]
	out := s.bufs[t][:0]
	for _, e := range old {
		out = insertEntry(out, normalPosition(out, e), e)
	}
	s.bufs[t] = out
}

func isNormal(b []Entry) bool {
	for i := range b {
		if normalPosition(b[:i], b[i]) != i {
			return false
		}
	}
	return true
}

// storeStoreFence makes later entries wait for the entries in the buffer.
func (y *System) storeStoreFence(s *State, t int) {
	if b := s.bufs[t]; y.Model == PSO && len(b) > 0 && b[len(b)-1].Kind != Marker {
		s.push(t, len(b), Entry{Kind: Marker})
	}
}

// full reports whether the bounded buffer of t has no room.
func (y *System) full(s *State, t int) bool {
	bound := y.threads[t].bound
	if bound == 0 || len(s.bufs[t]) < bound {
		return false
	}
	n := 0
	for i := range s.bufs[t] {
		if s.bufs[t][i].Kind != Marker {
			n++
		}
	}
	return n >= bound
}

// flushable appends the flush steps of thread t.
func (y *System) flushable(s *State, t int, out []Step) []Step {
	b := s.bufs[t]
	if len(b) == 0 || s.holder >= 0 || y.Attacks {
		// The buffer of the holder is empty: its section drained it, and stores write memory. If
		// its section only loads, the entries are the same before and after it.
		return out
	}
	if y.Model == TSO {
		return append(out, Step{Thread: int32(t), Kind: Flush})
	}
next:
	for i := range b {
		if b[i].Kind == Marker {
			break
		}
		for j := range i {
			if dependent(&b[j], &b[i]) {
				continue next
			}
		}
		out = append(out, Step{Thread: int32(t), Kind: Flush, Index: int32(i)})
	}
	return out
}

// flush lets one entry reach memory.
func (y *System) flush(s *State, t, i int) {
	e := s.remove(t, i)
	if y.Model == PSO && s.sizes.mixed {
		s.normalize(t)
	}
	if s.Record {
		s.Event = Event{Memory: true, Addr: e.Addr, Size: int(e.Size), From: e.Tag, Free: e.Kind == FreeEntry}
		if e.Kind == StoreEntry {
			s.Event.Value = extend(e.Val, int(e.Size), e.Signed)
		} else {
			s.Event.Size = 0
		}
	}
	if e.Kind == FreeEntry {
		b := s.findBlock(e.Addr, 1)
		if b < 0 || s.blocks[b].free {
			s.fail(Fault{Class: ir.DoubleFree, Thread: int32(t), Addr: e.Addr, Tag: e.Tag})
			return
		}
		s.freeBlock(b, true)
		return
	}
	if e.off >= 0 { // static memory is always there
		s.setMem(int(e.off), int(e.Size), e.Val)
		putMask(y, s, int(e.off), int(e.Size), e.Mask)
		return
	}
	off, fault := y.resolve(s, e.Addr, int(e.Size), int32(ir.NoObject))
	if fault != 0 {
		s.fail(Fault{Class: fault, Thread: int32(t), Addr: e.Addr, Tag: e.Tag})
		return
	}
	y.writeAt(s, off, e.Addr, int(e.Size), e.Val, e.Mask)
}
