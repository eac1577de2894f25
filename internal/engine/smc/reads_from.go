package smc

import "math/bits"

// Where the bytes of a load come from.
//
// A load forwards a byte from the newest store in its thread's buffer that has the byte, and reads
// the other bytes from memory, all in one step. Which store of the thread is the newest one with a
// byte depends on program order only. Whether that store is still in the buffer depends on the
// execution. So an event names that store for each byte of its first access, and two masks say
// which bytes are forwarded from it and which were read from memory after its update.
//
// Most loads have one store for all such bytes, or none. Only loads with several stores need a
// table, which is shared by all events with the same contents.

// readsFrom says which bytes of a load come from stores of its own thread. The zero value: none.
type readsFrom struct {
	table     *[8]int32 // per byte the ordinal of the store, or none. It never changes. nil: one for all bytes
	one       int32
	forwarded uint8 // bytes that are forwarded from the buffer
	seen      uint8 // bytes that were read from memory after the update of the store
}

// storeOf returns the ordinal of the store that byte k, one of forwarded or seen, comes from.
func (s *readsFrom) storeOf(k int) int32 {
	if s.table != nil {
		return s.table[k]
	}
	return s.one
}

// bytesOf returns the bytes among part that come from a store. part is a subset of forwarded and
// seen.
func (s *readsFrom) bytesOf(ord int32, part uint8) uint8 {
	if s.table == nil {
		if s.one != ord {
			return 0
		}
		return part
	}
	m := uint8(0)
	for k, o := range s.table {
		if o == ord {
			m |= 1 << k
		}
	}
	return m & part
}

// reached notes that the update of a store has happened: its bytes are read from memory now.
func (s *readsFrom) reached(ord int32) { s.forwarded &^= s.bytesOf(ord, s.forwarded) }

// forwards notes the bytes that a load forwards from the buffer, and the stores they come from.
func (m *machine) forwards(e *event, bytes uint8, tags *[8]int32) {
	if bytes == 0 {
		return
	}
	s := &e.from
	s.forwarded, s.one = bytes, tags[bits.TrailingZeros8(bytes)]
	for k := range tags {
		if bytes>>k&1 != 0 && tags[k] != s.one {
			table := *tags
			for j := range table {
				if bytes>>j&1 == 0 {
					table[j] = none
				}
			}
			s.table = m.tables.share(&table)
			return
		}
	}
}

// sees notes that an event reads some bytes of an access from memory after the update of a store of
// its own thread.
func (ex *execution) sees(e *event, a *access, part uint8, ord int32) {
	s := &e.from
	known := s.forwarded | s.seen
	switch {
	case a.mode&always != 0: // its own thread has freed the block; no other bytes matter
		*s = readsFrom{one: ord, seen: 0xff}
		return
	case known == 0:
		s.one = ord
	case s.table != nil || s.one != ord:
		var table [8]int32
		for k := range table {
			switch {
			case part>>k&1 != 0:
				table[k] = ord
			case known>>k&1 != 0:
				table[k] = s.storeOf(k)
			default:
				table[k] = none
			}
		}
		s.table = ex.tables.share(&table)
	}
	s.seen |= part
}

// readsFromTables has one table for each contents.
type readsFromTables map[[8]int32]*[8]int32

// share returns the table with the contents of t.
func (tb readsFromTables) share(t *[8]int32) *[8]int32 {
	if p := tb[*t]; p != nil {
		return p
	}
	p := new([8]int32)
	*p = *t
	tb[*t] = p
	return p
}

// forwardedIn returns the bytes that an event forwards in a sequence without the first event of a
// reversible race and without the events that happen after the first: the bytes that it forwarded
// in the execution, and bytes that it read from memory after an update that is not in the sequence.
func (ex *execution) forwardedIn(first, second int32, e *event) uint8 {
	forwarded := e.from.forwarded
	for left := e.from.seen; left != 0; {
		ord := e.from.storeOf(bits.TrailingZeros8(left))
		part := e.from.bytesOf(ord, left)
		left &^= part
		if u := ex.stores[e.thread][ord].upd; u >= first && u != second && (u == first || ex.precedes(first, ex.clock(u))) {
			forwarded |= part
		}
	}
	return forwarded
}

// attachment is a range of bytes that a load forwarded from a store.
type attachment struct {
	addr uint64
	ev   int32
	ord  int32 // of the store
	prev int32 // the attachment before it at the same store
	mask uint8
}

// attach attaches load i to the stores that it forwards bytes from.
func (ex *execution) attach(i int32) {
	e := &ex.events[i]
	for left := e.from.forwarded; left != 0; {
		ord := e.from.storeOf(bits.TrailingZeros8(left))
		part := e.from.bytesOf(ord, left)
		left &^= part
		st := &ex.stores[e.thread][ord]
		for k := range e.size() {
			if a := e.at(k); a.mode&always == 0 {
				ex.attached = append(ex.attached, attachment{addr: a.addr, ev: i, ord: ord, prev: st.loads, mask: part & a.bytes()})
				st.loads = int32(len(ex.attached) - 1)
			}
		}
	}
}

// detach takes back all attachments but the first n. All of them are attachments of event e.
func (ex *execution) detach(e *event, n int) {
	for k := len(ex.attached) - 1; k >= n; k-- {
		ex.stores[e.thread][ex.attached[k].ord].loads = ex.attached[k].prev
	}
	ex.attached = ex.attached[:n]
}

// findAttached adds to ex.found the loads that forwarded bytes of access a from the store whose
// update is o.
func (ex *execution) findAttached(o *event, a *access) {
	for k := ex.stores[o.thread][o.ord].loads; k != none; k = ex.attached[k].prev {
		if l := &ex.attached[k]; shift(a.bytes(), int64(a.addr-l.addr))&l.mask != 0 {
			ex.addFound(l.ev)
		}
	}
}

// bytes returns the bytes of an access, a bit each.
func (a *access) bytes() uint8 { return uint8(1<<a.size - 1) }

// shift converts a set of bytes to one that counts from an address n bytes lower.
func shift(m uint8, n int64) uint8 {
	switch {
	case n >= 8 || n <= -8:
		return 0
	case n >= 0:
		return m << n
	default:
		return m >> -n
	}
}
