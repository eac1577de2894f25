package memory

// Store buffers as queues. A buffer is a slice, so that its entries can be read one after the other. An entry that
// leaves at the front leaves its slot free: the slice begins one slot later, and when the step is undone it begins
// where it began before. Neither moves the other entries, however many there are.

// front is the free slots before the first entry of a buffer.
type front struct {
	array []Entry // the array of the buffer, from its first free slot on
	free  int
}

// of reports whether the slots precede buffer b. A buffer that has grown has another array.
func (f *front) of(b []Entry) bool {
	return f.free > 0 && cap(b) > 0 && cap(f.array) > f.free && &f.array[:f.free+1][f.free] == &b[:1][0]
}

// takeOut takes entry i out of the buffer of t.
func (s *State) takeOut(t, i int) {
	b, f := s.bufs[t], &s.fronts[t]
	if i > 0 || len(b) == 1 {
		s.bufs[t] = append(b[:i], b[i+1:]...)
		return
	}
	if !f.of(b) {
		*f = front{array: b}
	}
	f.free++
	s.bufs[t] = b[1:]
}

// putBack puts an entry where it was taken out.
func (s *State) putBack(t, i int, e Entry) {
	b, f := s.bufs[t], &s.fronts[t]
	if i > 0 || !f.of(b) {
		s.bufs[t] = insertEntry(b, i, e)
		return
	}
	f.free--
	b = f.array[f.free : f.free+1+len(b)]
	b[0] = e
	s.bufs[t] = b
}

// emptyBuffer empties the buffer of t, with all its slots for other entries.
func (s *State) emptyBuffer(t int) {
	b, f := s.bufs[t], &s.fronts[t]
	if f.of(b) {
		b = f.array
	}
	s.bufs[t] = b[:0]
	f.free = 0
}

// sizes notes whether entries of buffers can overlap without having the same bytes. While all are stores of one size at
// multiples of it, they cannot, and then a removal keeps the normal form of PSO: let f be the next entry with the bytes
// of the removed entry e. Between e and f there is nothing greater, since f would stand before that, and before e there
// is nothing greater that e could have moved past.
type sizes struct {
	one   uint32 // the size of all entries so far, 0: there were none
	mixed bool   // there were markers, frees or other sizes; this never changes back
}

func (z *sizes) add(e *Entry) {
	if z.one == 0 {
		z.one = e.Size
	}
	z.mixed = z.mixed || e.Kind != StoreEntry || e.Size != z.one || e.Size&(e.Size-1) != 0 || e.Addr&uint64(e.Size-1) != 0
}
