package robust

import (
	"encoding/binary"
	"sort"

	"fencepost/internal/memory"
)

// phase of the search. The zero value is unset.
type phase uint8

const (
	_        phase = iota
	before         // nobody delays: plain SC, shared by all attacks
	delaying       // the attacker delays its stores
	closing        // the attacker has stopped after its load; helpers close the cycle
)

// level is how a byte was accessed since the attacker's load.
type level uint8

const (
	untouched level = iota
	loaded
	stored
)

// touched is a byte and its level.
type touched struct {
	addr  uint64
	level level
}

// attack is what a state knows besides the program's own state.
type attack struct {
	phase    phase
	attacker int
	store    int32  // edge of the delayed store
	addr     uint64 // and where it writes
	size     int
	load     int32 // edge of the load, in phase closing, if attacks are told apart

	levels   []touched // sorted by address
	involved uint32    // helpers that have an action behind the load

	// A section in progress in phase closing is one action: what it has touched so
	// far, and whether something of it comes behind the load.
	section   []touched
	qualified bool
}

// touch raises the level of the bytes of an access.
func touch(list []touched, addr uint64, size int, l level) []touched {
	for a := addr; a < addr+uint64(size); a++ {
		i := sort.Search(len(list), func(i int) bool { return list[i].addr >= a })
		if i < len(list) && list[i].addr == a {
			list[i].level = max(list[i].level, l)
			continue
		}
		list = append(list, touched{})
		copy(list[i+1:], list[i:])
		list[i] = touched{a, l}
	}
	return list
}

// highest is the highest level of the bytes of an access.
func highest(list []touched, addr uint64, size int) level {
	best := untouched
	i := sort.Search(len(list), func(i int) bool { return list[i].addr >= addr })
	for ; i < len(list) && list[i].addr < addr+uint64(size); i++ {
		best = max(best, list[i].level)
	}
	return best
}

// copyOf is an independent copy.
func (a *attack) copyOf() attack {
	c := *a
	c.levels = append([]touched(nil), a.levels...)
	c.section = append([]touched(nil), a.section...)
	return c
}

// encode appends the whole state. A stopped attacker's own part is left out: it
// does nothing any more.
func encode(y *memory.System, s *memory.State, a *attack, out []byte) []byte {
	out = append(out, byte(a.phase))
	if a.phase != before {
		out = binary.AppendUvarint(out, uint64(a.attacker))
		out = binary.AppendUvarint(out, uint64(a.store))
		out = binary.AppendUvarint(out, a.addr)
		out = append(out, byte(a.size))
	}
	if a.phase == closing {
		out = binary.AppendVarint(out, int64(a.load))
		out = binary.AppendUvarint(out, uint64(a.involved))
		out = appendTouched(out, a.levels)
		out = appendTouched(out, a.section)
		out = append(out, boolByte(a.qualified))
	}
	for i := range y.Parts() {
		if a.phase == closing && i == a.attacker {
			continue
		}
		n := len(out)
		out = append(out, 0, 0)
		out = y.EncodePart(s, i, out)
		binary.LittleEndian.PutUint16(out[n:], uint16(len(out)-n-2))
	}
	return out
}

func appendTouched(out []byte, list []touched) []byte {
	out = binary.AppendUvarint(out, uint64(len(list)))
	last := uint64(0)
	for _, t := range list {
		out = binary.AppendUvarint(out, t.addr-last)
		out = append(out, byte(t.level))
		last = t.addr
	}
	return out
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// decode sets s and a to a stored state.
func decode(y *memory.System, s *memory.State, a *attack, in []byte) {
	*a = attack{phase: phase(in[0]), attacker: -1, levels: a.levels[:0], section: a.section[:0]}
	in = in[1:]
	number := func() uint64 {
		v, n := binary.Uvarint(in)
		in = in[n:]
		return v
	}
	if a.phase != before {
		a.attacker = int(number())
		a.store = int32(number())
		a.addr = number()
		a.size = int(in[0])
		in = in[1:]
	}
	if a.phase == closing {
		v, n := binary.Varint(in)
		in = in[n:]
		a.load = int32(v)
		a.involved = uint32(number())
		list := func(out []touched) []touched {
			last := uint64(0)
			for range number() {
				last += number()
				out = append(out, touched{last, level(in[0])})
				in = in[1:]
			}
			return out
		}
		a.levels = list(a.levels)
		a.section = list(a.section)
		a.qualified = in[0] != 0
		in = in[1:]
	}
	y.Restore(s, a.attacker, a.phase == closing)
	for i := range y.Parts() {
		if a.phase == closing && i == a.attacker {
			continue
		}
		n := binary.LittleEndian.Uint16(in)
		y.DecodePart(s, i, in[2:2+n])
		in = in[2+n:]
	}
}
