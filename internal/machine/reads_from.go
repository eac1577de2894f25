package machine

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

// ReadsFrom says which bytes of a load come from stores of its own thread. The zero value: none.
type ReadsFrom struct {
	Table     *[8]int32 // per byte the ordinal of the store, or none. It never changes. nil: one for all bytes
	One       int32
	Forwarded uint8 // bytes that are forwarded from the buffer
	Seen      uint8 // bytes that were read from memory after the update of the store
}

// StoreOf returns the ordinal of the store that byte k, one of forwarded or seen, comes from.
func (s *ReadsFrom) StoreOf(k int) int32 {
	if s.Table != nil {
		return s.Table[k]
	}
	return s.One
}

// BytesOf returns the bytes among part that come from a store. part is a subset of forwarded and
// seen.
func (s *ReadsFrom) BytesOf(ord int32, part uint8) uint8 {
	if s.Table == nil {
		if s.One != ord {
			return 0
		}
		return part
	}
	m := uint8(0)
	for k, o := range s.Table {
		if o == ord {
			m |= 1 << k
		}
	}
	return m & part
}

// Reached notes that the update of a store has happened: its bytes are read from memory now.
func (s *ReadsFrom) Reached(ord int32) { s.Forwarded &^= s.BytesOf(ord, s.Forwarded) }

// forwards notes the bytes that a load forwards from the buffer, and the stores they come from.
func (m *Machine) forwards(e *Event, bytes uint8, tags *[8]int32) {
	if bytes == 0 {
		return
	}
	s := &e.From
	s.Forwarded, s.One = bytes, tags[bits.TrailingZeros8(bytes)]
	for k := range tags {
		if bytes>>k&1 != 0 && tags[k] != s.One {
			table := *tags
			for j := range table {
				if bytes>>j&1 == 0 {
					table[j] = None
				}
			}
			s.Table = m.Tables.Share(&table)
			return
		}
	}
}

// ReadsFromTables has one table for each contents.
type ReadsFromTables map[[8]int32]*[8]int32

// Share returns the table with the contents of t.
func (tb ReadsFromTables) Share(t *[8]int32) *[8]int32 {
	if p := tb[*t]; p != nil {
		return p
	}
	p := new([8]int32)
	*p = *t
	tb[*t] = p
	return p
}

// Bytes returns the bytes of an access, a bit each.
func (a *Access) Bytes() uint8 { return uint8(1<<a.Size - 1) }

// Shift converts a set of bytes to one that counts from an address n bytes lower.
func Shift(m uint8, n int64) uint8 {
	switch {
	case n >= 8 || n <= -8:
		return 0
	case n >= 0:
		return m << n
	default:
		return m >> -n
	}
}
