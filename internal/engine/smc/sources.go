package smc

import "math/bits"

// Where the bytes of a load come from.
//
// A byte that a store in the own buffer has is forwarded from the newest such store;
// the other bytes are read in memory, in the same step. Which own store is the newest
// with a byte is a matter of program order; whether it is still in the
// buffer is a matter of the execution. So an event names, for each byte of its first access, that
// store, and two masks say which bytes are forwarded from it and which were
// read in memory after its update.
//
// The bytes of most loads have one source, and of nearly all that are not forwarded no
// own one. Only where sources differ is there a table, which is shared by all events with the same.

// sources says where the bytes of a load come from. The zero value: all from memory,
// and there from others.
type sources struct {
	table *[8]int32 // ordinals of own stores, per byte, none: others'. It never changes. nil: one for all
	one   int32
	pend  uint8 // bytes that are forwarded
	own   uint8 // bytes that saw the update of the own store in memory
}

// of is the own store that byte k, of pend or own, comes from.
func (s *sources) of(k int) int32 {
	if s.table != nil {
		return s.table[k]
	}
	return s.one
}

// from is those bytes of a part of pend and own that come from an own store.
func (s *sources) from(ord int32, part uint8) uint8 {
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

// reached notes that the update of an own store has come: its bytes are in memory.
func (s *sources) reached(ord int32) { s.pend &^= s.from(ord, s.pend) }

// forwards notes the bytes that a load takes from the own buffer, and the stores they
// come from.
func (x *explorer) forwards(e *event, own uint8, tags *[8]int32) {
	if own == 0 {
		return
	}
	s := &e.src
	s.pend, s.one = own, tags[bits.TrailingZeros8(own)]
	for k := range tags {
		if own>>k&1 != 0 && tags[k] != s.one {
			table := *tags
			for j := range table {
				if own>>j&1 == 0 {
					table[j] = none
				}
			}
			s.table = x.shareTable(&table)
			return
		}
	}
}

// sees notes bytes of an access that an event found in memory as an own update
// left them.
func (x *explorer) sees(e *event, a *access, part uint8, ord int32) {
	s := &e.src
	known := s.pend | s.own
	switch {
	case a.mode&always != 0: // the own thread has freed the block, and nothing else matters
		*s = sources{one: ord, own: 0xff}
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
				table[k] = s.of(k)
			default:
				table[k] = none
			}
		}
		s.table = x.shareTable(&table)
	}
	s.own |= part
}

// shareTable is a table that is kept, with the same contents.
func (x *explorer) shareTable(t *[8]int32) *[8]int32 {
	if p := x.tables[*t]; p != nil {
		return p
	}
	p := new([8]int32)
	*p = *t
	x.tables[*t] = p
	return p
}

// pendingIn is the bytes of an event that are forwarded in a sequence without the
// first event of a race and what happens after it: those that were forwarded, and
// those that saw an own update which is not in the sequence.
func (x *explorer) pendingIn(first, second int32, e *event) uint8 {
	pend := e.src.pend
	for left := e.src.own; left != 0; {
		ord := e.src.of(bits.TrailingZeros8(left))
		part := e.src.from(ord, left)
		left &^= part
		if u := x.stores[e.thread][ord].upd; u >= first && u != second && (u == first || x.precedes(first, x.clock(u))) {
			pend |= part
		}
	}
	return pend
}

// attachment is bytes of a load that were forwarded from a store.
type attachment struct {
	addr uint64
	ev   int32
	ord  int32 // of the store
	prev int32 // the one before it at the same store
	mask uint8
}

// attach hangs event i on the stores that it forwards from.
func (x *explorer) attach(i int32) {
	e := &x.ev[i]
	for left := e.src.pend; left != 0; {
		ord := e.src.of(bits.TrailingZeros8(left))
		part := e.src.from(ord, left)
		left &^= part
		st := &x.stores[e.thread][ord]
		for k := range e.size() {
			if a := e.at(k); a.mode&always == 0 {
				x.attached = append(x.attached, attachment{addr: a.addr, ev: i, ord: ord, prev: st.loads, mask: part & a.bytes()})
				st.loads = int32(len(x.attached) - 1)
			}
		}
	}
}

// detach takes back the newest attachments, those of event e, down to number n.
func (x *explorer) detach(e *event, n int) {
	for k := len(x.attached) - 1; k >= n; k-- {
		x.stores[e.thread][x.attached[k].ord].loads = x.attached[k].prev
	}
	x.attached = x.attached[:n]
}

// findAttached finds the loads of bytes of a that forwarded them from the store whose update
// is o.
func (x *explorer) findAttached(o *event, a *access) {
	for k := x.stores[o.thread][o.ord].loads; k != none; k = x.attached[k].prev {
		if l := &x.attached[k]; shift(a.bytes(), int64(a.addr-l.addr))&l.mask != 0 {
			x.find1(l.ev)
		}
	}
}

// bytes is all bytes of an access, a bit each.
func (a *access) bytes() uint8 { return uint8(1<<a.size - 1) }

// shift moves a set of bytes to a place that begins n bytes before.
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
