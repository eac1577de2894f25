package memory

import (
	"bytes"
	"slices"

	"fencepost/internal/ir"
)

// Encoding. A state becomes a short byte string: numbers take one byte when
// small, dead registers are left out, and components a program cannot use (block
// table, statuses, the holder of a section) do not appear. Equal strings mean
// equal states, and Decode gets the state back, dead registers as 0.

// Number coding: zigzag, then one byte below 248, else 247+n and n bytes.
const smallLimit = 248

func putNumber(out []byte, v int64) []byte {
	u := uint64(v)<<1 ^ uint64(v>>63)
	if u < smallLimit {
		return append(out, byte(u))
	}
	return putLarge(out, u)
}

func putLarge(out []byte, u uint64) []byte {
	n := 1
	for rest := u >> 8; rest != 0; rest >>= 8 {
		n++
	}
	out = append(out, byte(smallLimit-1+n))
	for range n {
		out = append(out, byte(u))
		u >>= 8
	}
	return out
}

func getNumber(in []byte) (int64, []byte) {
	u := uint64(in[0])
	in = in[1:]
	if u >= smallLimit {
		n := int(u - smallLimit + 1)
		u = 0
		for i := range n {
			u |= uint64(in[i]) << (8 * i)
		}
		in = in[n:]
	}
	return int64(u>>1) ^ -int64(u&1), in
}

// A state has parts that change apart from each other: one per thread with its
// buffer, static memory in pieces, and the rest (the holder of a section, blocks).
// Encode writes them all; searches that store parts once use them one by one.

// partUnits is how many elements of static memory make a part.
const partUnits = 16

// Parts is how many parts a state has.
func (y *System) Parts() int { return len(y.threads) + y.memoryParts() + 1 }

func (y *System) memoryParts() int { return (len(y.units) + partUnits - 1) / partUnits }

// EncodePart appends part i to out. The parts of symmetric threads are not sorted.
func (y *System) EncodePart(s *State, i int, out []byte) []byte {
	if i < len(y.threads) {
		return y.encodeMarked(s, i, out)
	}
	if i -= len(y.threads); i < y.memoryParts() {
		return y.encodeUnits(s, y.units[i*partUnits:min(len(y.units), (i+1)*partUnits)], out)
	}
	return y.encodeRest(s, out)
}

// DecodePart reads part i. Parts are to be read in order after Reset.
func (y *System) DecodePart(s *State, i int, in []byte) {
	switch {
	case i < len(y.threads):
		in = y.decodeMarked(s, i, in)
	case i < len(y.threads)+y.memoryParts():
		i -= len(y.threads)
		in = y.decodeUnits(s, y.units[i*partUnits:min(len(y.units), (i+1)*partUnits)], in)
	default:
		in = y.decodeRest(s, in)
	}
	if len(in) != 0 {
		panic("BUG: trailing bytes in an encoded part")
	}
}

// Reset prepares for decoding, and forgets how to undo.
func (y *System) Reset(s *State) {
	s.undo, s.removed, s.saved = s.undo[:0], s.removed[:0], s.saved[:0]
	s.over, s.faulted = false, false
	s.holder = -1
	s.mem = s.mem[:len(y.memInit)]
}

// Groups are the symmetric groups of threads, whose parts may be exchanged.
func (y *System) Groups() [][]ir.ThreadID { return y.groups }

// Encode appends the state to out. The state must have neither failed nor
// exited: those are not stored.
func (y *System) Encode(s *State, out []byte) []byte {
	if len(y.groups) > 0 {
		out = y.encodeSymmetric(s, out)
	} else {
		for t := range y.threads {
			out = y.encodeThread(s, t, out)
		}
	}
	out = y.encodeUnits(s, y.units, out)
	return y.encodeRest(s, out)
}

func (y *System) encodeUnits(s *State, units []unit, out []byte) []byte {
	for i := range units {
		u := &units[i]
		out = putNumber(out, extend(s.load(int(u.off), int(u.size)), int(u.size), u.signed))
	}
	return out
}

func (y *System) encodeRest(s *State, out []byte) []byte {
	if y.hasSections {
		holder := int64(s.holder)
		if holder >= 0 && y.group[holder] >= 0 {
			holder = holderInGroup
		}
		out = putNumber(out, holder)
	}
	if y.hasBlocks {
		out = y.encodeBlocks(s, out)
	}
	return out
}

// encodeMarked encodes a thread and, if it may be exchanged with others, whether
// it holds the section.
func (y *System) encodeMarked(s *State, t int, out []byte) []byte {
	out = y.encodeThread(s, t, out)
	if y.hasSections && y.group[t] >= 0 {
		out = append(out, byte(bit(s.holder == int32(t))))
	}
	return out
}

// holderInGroup says that the holder of the section is marked in its own part.
const holderInGroup = -2

// encodeSymmetric encodes the threads one by one and sorts the parts of every
// symmetric group.
func (y *System) encodeSymmetric(s *State, out []byte) []byte {
	s.parts, s.partEnd = s.parts[:0], s.partEnd[:0]
	for t := range y.threads {
		s.parts = y.encodeMarked(s, t, s.parts)
		s.partEnd = append(s.partEnd, len(s.parts))
	}
	part := func(t int) []byte {
		start := 0
		if t > 0 {
			start = s.partEnd[t-1]
		}
		return s.parts[start:s.partEnd[t]]
	}
	for t := range y.threads {
		g := y.group[t]
		if g < 0 {
			out = append(out, part(t)...)
			continue
		}
		// The k-th thread of a group gets the k-th smallest part.
		out = append(out, y.ranked(g, t, part)...)
	}
	return out
}

// ranked is the part whose rank in its group is the position of t there.
func (y *System) ranked(g, t int, part func(int) []byte) []byte {
	group := y.groups[g]
	want := slices.Index(group, ir.ThreadID(t))
	for i, u := range group {
		rank := 0
		for j, v := range group {
			if c := bytes.Compare(part(int(v)), part(int(u))); c < 0 || c == 0 && j < i {
				rank++
			}
		}
		if rank == want {
			return part(int(u))
		}
	}
	panic("BUG: no thread of that rank")
}

func (y *System) encodeThread(s *State, t int, out []byte) []byte {
	tc := &y.threads[t]
	if y.hasStatus {
		out = append(out, byte(s.status[t]))
		if s.status[t] == notStarted {
			return out
		}
		if s.status[t] != running {
			out = putNumber(out, int64(s.wait[t]))
		}
	}
	out = putNumber(out, int64(s.pc[t]))
	for _, r := range tc.live.at(s.pc[t]) {
		out = putNumber(out, s.regs[tc.regBase+int(r)])
	}
	if y.hasResults {
		out = putNumber(out, s.result[t])
	}
	if y.Model != SC {
		out = putNumber(out, int64(len(s.bufs[t])))
		for i := range s.bufs[t] {
			e := &s.bufs[t][i]
			out = append(out, byte(e.Kind))
			if e.Kind == Marker {
				continue
			}
			out = y.putAddress(out, e.Addr)
			out = putNumber(out, int64(e.Size))
			if e.Kind == StoreEntry {
				out = putNumber(out, extend(e.Val, int(e.Size), true))
			}
		}
	}
	return out
}

// putAddress writes static addresses as small offsets.
func (y *System) putAddress(out []byte, addr uint64) []byte {
	for i := range y.segments {
		if d := addr - y.segments[i].base; d < y.segments[i].size {
			return putNumber(putNumber(out, int64(1+i)), int64(d))
		}
	}
	return putNumber(putNumber(out, 0), int64(addr))
}

func (y *System) getAddress(in []byte) (uint64, int32, []byte) {
	i, in := getNumber(in)
	v, in := getNumber(in)
	if i == 0 {
		return uint64(v), -1, in
	}
	seg := &y.segments[i-1]
	return seg.base + uint64(v), int32(seg.off) + int32(v), in
}

func (y *System) encodeBlocks(s *State, out []byte) []byte {
	for t := range s.fresh {
		out = putNumber(out, int64(s.fresh[t]))
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.kind == cellBlock {
			// A cell that holds 0 is one that was never written.
			v := s.load(int(b.off), int(b.size))
			if v == 0 {
				continue
			}
			out = append(out, byte(2+2*b.kind))
			out = putNumber(out, int64(b.addr))
			out = putNumber(out, int64(v))
			continue
		}
		out = append(out, byte(2+2*int64(b.kind)+bit(b.free)))
		out = putNumber(out, int64(b.addr))
		off, n := int(b.off), int(b.size)
		if b.empty {
			n = 0
		}
		out = putNumber(out, int64(n))
		if y.hasSites && b.kind == heapBlock && !b.free {
			out = putNumber(out, int64(b.site))
			out = putNumber(out, s.rank(b))
		}
		for ; n >= 8; off, n = off+8, n-8 {
			out = putNumber(out, int64(s.load(off, 8)))
		}
		out = append(out, s.mem[off:off+n]...)
	}
	return append(out, 0)
}

// rank is the place of a block among the blocks in use of its site, from 1. Numbers that grow
// without end would tell states apart that nobody can.
func (s *State) rank(b *block) int64 {
	n := int64(1)
	for i := range s.blocks {
		if o := &s.blocks[i]; !o.free && o.kind == heapBlock && o.site == b.site && o.order < b.order {
			n++
		}
	}
	return n
}

// Decode sets s to the encoded state and forgets how to undo.
func (y *System) Decode(s *State, in []byte) {
	y.Reset(s)
	for t := range y.threads {
		in = y.decodeMarked(s, t, in)
	}
	in = y.decodeUnits(s, y.units, in)
	if in = y.decodeRest(s, in); len(in) != 0 {
		panic("BUG: trailing bytes in an encoded state")
	}
}

func (y *System) decodeMarked(s *State, t int, in []byte) []byte {
	in = y.decodeThread(s, t, in)
	if y.hasSections && y.group[t] >= 0 {
		if in[0] != 0 {
			s.holder = int32(t)
		}
		in = in[1:]
	}
	return in
}

func (y *System) decodeUnits(s *State, units []unit, in []byte) []byte {
	var v int64
	for i := range units {
		u := &units[i]
		v, in = getNumber(in)
		s.put(int(u.off), int(u.size), uint64(v))
	}
	return in
}

func (y *System) decodeRest(s *State, in []byte) []byte {
	if y.hasSections {
		var v int64
		if v, in = getNumber(in); v != holderInGroup {
			s.holder = int32(v)
		}
	}
	if y.hasBlocks {
		in = y.decodeBlocks(s, in)
	}
	return in
}

func (y *System) decodeThread(s *State, t int, in []byte) []byte {
	tc := &y.threads[t]
	regs := y.regsOf(s, t)
	s.bufs[t] = s.bufs[t][:0]
	s.wait[t], s.result[t] = 0, 0
	s.status[t] = running
	var v int64
	if y.hasStatus {
		s.status[t], in = threadStatus(in[0]), in[1:]
		if s.status[t] == notStarted {
			s.pc[t] = tc.entry
			for i := range regs {
				regs[i] = tc.regs[i].Init
			}
			copy(regs, tc.args)
			return in
		}
		if s.status[t] != running {
			v, in = getNumber(in)
			s.wait[t] = int32(v)
		}
	}
	clear(regs)
	v, in = getNumber(in)
	s.pc[t] = int32(v)
	for _, r := range tc.live.at(s.pc[t]) {
		regs[r], in = getNumber(in)
	}
	if y.hasResults {
		s.result[t], in = getNumber(in)
	}
	if y.Model == SC {
		return in
	}
	n, in := getNumber(in)
	for range n {
		e := Entry{Kind: EntryKind(in[0])}
		in = in[1:]
		if e.Kind != Marker {
			e.Addr, e.off, in = y.getAddress(in)
			v, in = getNumber(in)
			e.Size = uint32(v)
			if e.Kind == StoreEntry {
				v, in = getNumber(in)
				e.Val = truncate(v, int(e.Size))
			}
		}
		s.bufs[t] = append(s.bufs[t], e)
	}
	return in
}

func (y *System) decodeBlocks(s *State, in []byte) []byte {
	var v int64
	for t := range s.fresh {
		v, in = getNumber(in)
		s.fresh[t] = uint64(v)
	}
	s.blocks = s.blocks[:0]
	for in[0] != 0 {
		tag := in[0] - 2
		b := block{kind: blockKind(tag / 2), free: tag%2 == 1, off: int32(len(s.mem)), size: wordSize}
		v, in = getNumber(in[1:])
		b.addr = uint64(v)
		if b.kind != cellBlock {
			v, in = getNumber(in)
			b.size = uint32(v)
		}
		if y.hasSites && b.kind == heapBlock && !b.free {
			v, in = getNumber(in)
			b.site = int32(v)
			v, in = getNumber(in)
			b.order = int32(v)
		}
		n := int(b.size)
		if n == 0 {
			b.size, b.empty = 1, true
			s.mem = append(s.mem, 0)
		}
		for ; n >= 8; n -= 8 {
			v, in = getNumber(in)
			s.mem = append(s.mem, 0, 0, 0, 0, 0, 0, 0, 0)
			s.put(len(s.mem)-8, 8, uint64(v))
		}
		s.mem = append(s.mem, in[:n]...)
		in = in[n:]
		s.blocks = append(s.blocks, b)
	}
	return in[1:]
}
