package robust

import (
	"encoding/binary"

	"fencepost/internal/memory"
)

// phase of the search. The zero value is unset.
type phase uint8

const (
	_        phase = iota
	before         // no thread delays: plain SC, shared by all attacks
	delaying       // the attacker delays its stores
	closing        // the attacker has stopped after its load; helpers close the cycle
)

// attack is the part of a state that is not the state of the program.
type attack struct {
	phase    phase
	attacker int
	store    int32    // edge of the delayed store
	target   []access // what it will access when it reaches memory
	load     int32    // edge of the load, in phase closing

	// noticed says, in phase delaying, that the attacker has done something since
	// the store that others can notice.
	noticed bool

	levels   levels
	involved uint32 // helpers that have an action after the load
	// A section in progress in phase closing is one action: its accesses so far, and whether
	// one of them comes after the load.
	section   levels
	qualified bool
}

// set makes a a copy of b that shares nothing with it.
func (a *attack) set(b *attack) {
	target, ls, section := a.target, a.levels, a.section
	*a = *b
	a.target = append(target[:0], b.target...)
	a.levels = append(ls[:0], b.levels...)
	a.section = append(section[:0], b.section...)
}

// involve records that a thread has an action after the load.
func (a *attack) involve(t int) { a.involved |= 1 << t }

func (a *attack) isInvolved(t int) bool { return a.involved&(1<<t) != 0 }

// closed reports whether accesses at these levels come before the delayed store
// in happens-before.
func (a *attack) closed(ls levels) bool {
	for i := range a.target {
		if ls.conflicts(&a.target[i]) {
			return true
		}
	}
	return false
}

// codec writes and reads states.
type codec struct {
	y *memory.System
	// apart keeps attacks with different stores or loads apart in phase closing.
	// Else what the helpers may do does not depend on them, and states are merged.
	apart bool
	// symmetric encodes states up to the order of exchangeable threads, except if exact is
	// set; nil: there are none.
	symmetric *symmetry
	exact     bool
}

// encode appends the whole state. A stopped attacker's own part is left out: it
// does nothing any more.
func (c *codec) encode(s *memory.State, a *attack, out []byte) []byte {
	skip := -1
	out = append(out, byte(a.phase))
	if a.phase != before {
		attacker, store := a.attacker, a.store
		if c.symmetric != nil && !c.exact {
			attacker, store = c.symmetric.attacker(a)
		}
		out = append(out, byte(attacker))
		if a.phase == delaying || c.apart {
			out = binary.AppendUvarint(out, uint64(store))
		}
		out = append(out, byte(len(a.target))<<1|boolByte(a.noticed))
		for i := range a.target {
			t := &a.target[i]
			out = c.y.Codec().AppendAddress(out, t.addr)
			out = append(out, byte(t.size)<<1|boolByte(t.write))
		}
	}
	if a.phase == closing {
		skip = a.attacker
		if c.apart {
			out = binary.AppendUvarint(out, uint64(a.load))
		}
		if c.symmetric == nil {
			out = binary.AppendUvarint(out, uint64(a.involved))
		}
		out = a.levels.appendTo(c.y, out)
		if s.Holder() >= 0 {
			out = append(out, 1+boolByte(a.qualified))
			out = a.section.appendTo(c.y, out)
		} else {
			out = append(out, 0)
		}
	}
	if c.symmetric != nil {
		return c.symmetric.encode(c.y, s, a, c.exact, out)
	}
	return encodeSystem(c.y, s, skip, out)
}

// encodeSystem appends the state of the program, without the part of thread skip if that is not
// -1.
func encodeSystem(y *memory.System, s *memory.State, skip int, out []byte) []byte {
	mem := y.Codec()
	for t := range y.Threads() {
		if t != skip {
			out = mem.EncodeThread(s, t, out)
		}
	}
	return mem.EncodeRest(s, s.Holder(), mem.EncodeStatic(s, out))
}

// decodeSystem reads what encodeSystem wrote. The part of a stopped attacker was left out.
func decodeSystem(y *memory.System, s *memory.State, attacker int, stopped bool, in []byte) {
	mem := y.Codec()
	mem.ResetAttack(s, attacker, stopped)
	for t := range y.Threads() {
		if !stopped || t != attacker {
			in = mem.DecodeThread(s, t, in)
		}
	}
	mem.DecodeShared(s, in)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// decode sets s and a to a stored state.
func (c *codec) decode(s *memory.State, a *attack, in []byte) {
	*a = attack{phase: phase(in[0]), attacker: -1, target: a.target[:0], levels: a.levels[:0], section: a.section[:0]}
	in = in[1:]
	number := func() uint64 {
		v, n := binary.Uvarint(in)
		in = in[n:]
		return v
	}
	if a.phase != before {
		a.attacker = int(in[0])
		in = in[1:]
		if a.phase == delaying || c.apart {
			a.store = int32(number())
		}
		n := in[0] >> 1
		a.noticed = in[0]&1 != 0
		in = in[1:]
		for range n {
			var t access
			t.addr, in = c.y.Codec().ReadAddress(in)
			t.size, t.write = int(in[0]>>1), in[0]&1 != 0
			in = in[1:]
			a.target = append(a.target, t)
		}
	}
	if a.phase == closing {
		if c.apart {
			a.load = int32(number())
		}
		if c.symmetric == nil {
			a.involved = uint32(number())
		}
		a.levels, in = readLevels(c.y, a.levels, in)
		inSection := in[0]
		in = in[1:]
		if inSection != 0 {
			a.qualified = inSection == 2
			a.section, in = readLevels(c.y, a.section, in)
		}
	}
	if c.symmetric != nil {
		c.symmetric.decode(c.y, s, a, in)
		return
	}
	decodeSystem(c.y, s, a.attacker, a.phase == closing, in)
}
