package robust

import (
	"encoding/binary"

	"fencepost/internal/memory"
)

// Levels say how each byte was accessed since the attacker's load [BDM13 §5.2].
// They are kept as ranges: neighbours with one level are one range, so that equal
// levels have equal encodings and an access of any size costs one entry.

// level is how a byte was accessed since the attacker's load.
type level uint8

const (
	untouched level = iota
	loaded
	stored
)

// access is a range of bytes that an action reads, or reads and writes. The byte at a block's
// address plus blockExists stands for the existence of the block: allocating and freeing write
// it, accesses to the block read it.
type access struct {
	addr  uint64
	size  int
	write bool
}

// blockExists is beyond all addresses of bytes; cells with negative numbers lie above it.
const blockExists = 1 << 63

func (t *access) last() uint64 { return t.addr + uint64(t.size) - 1 }

func (t *access) level() level {
	if t.write {
		return stored
	}
	return loaded
}

// span is the bytes from lo to hi, both included, at a level.
type span struct {
	lo, hi uint64
	level  level
}

// levels are disjoint spans by address.
type levels []span

// raise lifts the bytes of an access to its level at least.
func (ls levels) raise(t *access) levels {
	lo, hi, l := t.addr, t.last(), t.level()
	i := 0
	for i < len(ls) && ls[i].hi < lo {
		i++
	}
	var cut [8]span // the spans that replace the overlapping ones
	fresh := cut[:0]
	at, done := lo, false
	j := i
	for ; j < len(ls) && ls[j].lo <= hi; j++ {
		s := ls[j]
		if s.lo < lo {
			fresh = append(fresh, span{s.lo, lo - 1, s.level})
			s.lo = lo
		}
		if at < s.lo {
			fresh = append(fresh, span{at, s.lo - 1, l})
		}
		in := span{s.lo, min(s.hi, hi), max(s.level, l)}
		fresh = append(fresh, in)
		if s.hi > hi {
			fresh = append(fresh, span{hi + 1, s.hi, s.level})
		}
		at, done = in.hi+1, in.hi == hi
	}
	if !done {
		fresh = append(fresh, span{at, hi, l})
	}
	return ls.splice(i, j, fresh)
}

// splice replaces the spans from i to j by others, and unites neighbours.
func (ls levels) splice(i, j int, fresh []span) levels {
	tail := append([]span(nil), ls[j:]...)
	ls = ls[:i]
	add := func(s span) {
		if n := len(ls); n > 0 && ls[n-1].level == s.level && ls[n-1].hi+1 == s.lo {
			ls[n-1].hi = s.hi
			return
		}
		ls = append(ls, s)
	}
	for _, s := range fresh {
		add(s)
	}
	for _, s := range tail {
		add(s)
	}
	return ls
}

// conflicts reports whether an access comes after one that the levels record [BDM13 Lemma 3]: it
// reads a byte that was stored, or writes one that was loaded or stored.
func (ls levels) conflicts(t *access) bool {
	for i := range ls {
		if s := &ls[i]; s.lo <= t.last() && t.addr <= s.hi && (t.write || s.level == stored) {
			return true
		}
	}
	return false
}

// appendTo encodes the levels.
func (ls levels) appendTo(y *memory.System, out []byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(ls)))
	for _, s := range ls {
		out = y.Codec().AppendAddress(out, s.lo)
		out = binary.AppendUvarint(out, (s.hi-s.lo)<<1|uint64(s.level-loaded))
	}
	return out
}

// readLevels decodes into a slice that may be reused.
func readLevels(y *memory.System, ls levels, in []byte) (levels, []byte) {
	ls = ls[:0]
	n, k := binary.Uvarint(in)
	in = in[k:]
	for range n {
		var s span
		s.lo, in = y.Codec().ReadAddress(in)
		v, k := binary.Uvarint(in)
		in = in[k:]
		s.hi, s.level = s.lo+v>>1, loaded+level(v&1)
		ls = append(ls, s)
	}
	return ls, in
}
