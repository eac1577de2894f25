package smc

import (
	"fencepost/internal/machine"
	"math/bits"
)

// Which bytes of loads are forwarded, and the stores that those loads are attached to
// (machine.ReadsFrom).

// sees notes that an event reads some bytes of an access from memory after the update of a store of
// its own thread.
func (ex *execution) sees(e *event, a *access, part uint8, ord int32) {
	s := &e.From
	known := s.Forwarded | s.Seen
	switch {
	case a.Mode&always != 0: // its own thread has freed the block; no other bytes matter
		*s = machine.ReadsFrom{One: ord, Seen: 0xff}
		return
	case known == 0:
		s.One = ord
	case s.Table != nil || s.One != ord:
		var table [8]int32
		for k := range table {
			switch {
			case part>>k&1 != 0:
				table[k] = ord
			case known>>k&1 != 0:
				table[k] = s.StoreOf(k)
			default:
				table[k] = none
			}
		}
		s.Table = ex.tables.Share(&table)
	}
	s.Seen |= part
}

// forwardedIn returns the bytes that an event forwards in a sequence without the first event of a
// reversible race and without the events that happen after the first: the bytes that it forwarded
// in the execution, and bytes that it read from memory after an update that is not in the sequence.
func (ex *execution) forwardedIn(first, second int32, e *event) uint8 {
	forwarded := e.From.Forwarded
	for left := e.From.Seen; left != 0; {
		ord := e.From.StoreOf(bits.TrailingZeros8(left))
		part := e.From.BytesOf(ord, left)
		left &^= part
		if u := ex.stores[e.Thread][ord].upd; u >= first && u != second && (u == first || ex.before(first, u)) {
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
	for left := e.From.Forwarded; left != 0; {
		ord := e.From.StoreOf(bits.TrailingZeros8(left))
		part := e.From.BytesOf(ord, left)
		left &^= part
		st := &ex.stores[e.Thread][ord]
		for k := range e.Size() {
			if a := e.At(k); a.Mode&always == 0 {
				ex.attached = append(ex.attached, attachment{addr: a.Addr, ev: i, ord: ord, prev: st.loads, mask: part & a.Bytes()})
				st.loads = int32(len(ex.attached) - 1)
			}
		}
	}
}

// detach takes back all attachments but the first n. All of them are attachments of event e.
func (ex *execution) detach(e *event, n int) {
	for k := len(ex.attached) - 1; k >= n; k-- {
		ex.stores[e.Thread][ex.attached[k].ord].loads = ex.attached[k].prev
	}
	ex.attached = ex.attached[:n]
}

// findAttached adds to ex.found the loads that forwarded bytes of access a from the store whose
// update is o.
func (ex *execution) findAttached(o *event, a *access) {
	for k := ex.stores[o.Thread][o.Ord].loads; k != none; k = ex.attached[k].prev {
		if l := &ex.attached[k]; machine.Shift(a.Bytes(), int64(a.Addr-l.addr))&l.mask != 0 {
			ex.addFound(l.ev)
		}
	}
}
