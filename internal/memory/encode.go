package memory

// Encoding. A state becomes a short byte string: small numbers take one byte, dead registers are
// left out, and components that the program cannot use (block table, statuses, the holder of a
// section) do not appear. Equal strings mean equal states. Decode restores the state, with dead
// registers 0.

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

// A state has parts that change independently: one per thread with its buffer, static memory
// in pieces, and the rest (the holder of a section, blocks). Encode writes all of them; searches
// that store each part once encode them one by one.

// partUnits is how many elements of static memory make a part.
const partUnits = 16

// Codec encodes and decodes the states of a system. It is immutable and shared by workers.
type Codec struct {
	y      *System
	units  int     // elements of static memory in a part
	pieces *Pieces // of large blocks; nil: blocks are encoded with all their bytes
}

// Codec returns the codec of the system.
func (y *System) Codec() *Codec { return &y.codec }

// ByElement returns a codec that encodes as c does, and for which every element of static memory is a part.
func (c *Codec) ByElement() *Codec { return &Codec{c.y, 1, nil} }

// Parts returns how many parts a state has.
func (c *Codec) Parts() int { return len(c.y.threads) + c.memoryParts() + 1 }

func (c *Codec) memoryParts() int { return (len(c.y.static.units) + c.units - 1) / c.units }

// memoryPart returns the units of a part of static memory.
func (c *Codec) memoryPart(i int) []unit {
	units := c.y.static.units
	return units[i*c.units : min(len(units), (i+1)*c.units)]
}

// EncodePart appends part i to out. The parts of the threads come first, the rest is last.
func (c *Codec) EncodePart(s *State, i int, out []byte) []byte {
	if i < len(c.y.threads) {
		return c.EncodeThread(s, i, out)
	}
	if i -= len(c.y.threads); i < c.memoryParts() {
		return encodeUnits(s, c.memoryPart(i), out)
	}
	return c.EncodeRest(s, s.Holder(), out)
}

// DecodePart reads part i and returns the rest of the input. All parts must be read in order after Reset. If all steps
// since the parts were last read have been undone, parts that have not changed may be left out instead.
func (c *Codec) DecodePart(s *State, i int, in []byte) []byte {
	switch n := len(c.y.threads); {
	case i < n:
		return c.DecodeThread(s, i, in)
	case i < n+c.memoryParts():
		return decodeUnits(s, c.memoryPart(i-n), in)
	default:
		return c.DecodeRest(s, in)
	}
}

// Reset prepares a state for decoding. The steps taken so far cannot be undone any more.
func (c *Codec) Reset(s *State) {
	c.pieces.reset()
	s.undo, s.removed, s.saved = s.undo[:0], s.removed[:0], s.saved[:0]
	s.over, s.faulted = false, false
	s.holder = -1
	s.mem = s.mem[:len(c.y.static.initial)]
	if s.masks != nil {
		s.masks = s.masks[:len(s.mem)]
	}
}

// Encode appends the state to out. The state must have neither failed nor
// exited: such states are not stored.
func (c *Codec) Encode(s *State, out []byte) []byte {
	for t := range c.y.threads {
		out = c.EncodeThread(s, t, out)
	}
	return c.EncodeRest(s, s.Holder(), c.EncodeStatic(s, out))
}

// Decode sets s to the encoded state. The steps taken so far cannot be undone any more.
func (c *Codec) Decode(s *State, in []byte) {
	c.Reset(s)
	for t := range c.y.threads {
		in = c.DecodeThread(s, t, in)
	}
	c.DecodeShared(s, in)
}

// DecodeShared reads static memory and the rest, which must be all that is left.
func (c *Codec) DecodeShared(s *State, in []byte) {
	in = decodeUnits(s, c.y.static.units, in)
	if in = c.DecodeRest(s, in); len(in) != 0 {
		panic("BUG: trailing bytes in an encoded state")
	}
}

// EncodeStatic appends all of static memory.
func (c *Codec) EncodeStatic(s *State, out []byte) []byte {
	return encodeUnits(s, c.y.static.units, out)
}

func encodeUnits(s *State, units []unit, out []byte) []byte {
	for i := range units {
		u := &units[i]
		out = putNumber(out, extend(s.load(int(u.off), int(u.size)), int(u.size), u.signed))
		if u.masked {
			out = putNumber(out, extend(maskAt(s, int(u.off), int(u.size)), int(u.size), true))
		}
	}
	return out
}

func decodeUnits(s *State, units []unit, in []byte) []byte {
	var v int64
	for i := range units {
		u := &units[i]
		v, in = getNumber(in)
		s.put(int(u.off), int(u.size), uint64(v))
		if u.masked {
			v, in = getNumber(in)
			putBytes(s.masks[u.off:], int(u.size), uint64(v))
		}
	}
	return in
}

// HasSections reports whether states say which thread holds an atomic section.
func (c *Codec) HasSections() bool { return c.y.hasSections }

// EncodeRest appends the holder of the atomic section and the blocks. It writes holder in place
// of the state's own, so that a caller can leave the thread unnamed.
func (c *Codec) EncodeRest(s *State, holder int, out []byte) []byte {
	if c.y.hasSections {
		out = putNumber(out, int64(holder))
	}
	if c.y.hasBlocks {
		out = c.encodeBlocks(s, out)
	}
	return out
}

// DecodeRest reads what EncodeRest wrote and returns the rest of the input.
func (c *Codec) DecodeRest(s *State, in []byte) []byte {
	if c.y.hasSections {
		var v int64
		v, in = getNumber(in)
		s.holder = int32(v)
	}
	if c.y.hasBlocks {
		in = c.decodeBlocks(s, in)
	}
	return in
}

// SetHolder makes thread t the holder of the atomic section of a state that is being decoded.
func (c *Codec) SetHolder(s *State, t int) { s.holder = int32(t) }

// AppendAddress encodes an address; static addresses take few bytes.
func (c *Codec) AppendAddress(out []byte, addr uint64) []byte {
	return c.y.static.putAddress(out, addr)
}

// ReadAddress reads what AppendAddress wrote and returns the rest of the input.
func (c *Codec) ReadAddress(in []byte) (uint64, []byte) {
	addr, _, in := c.y.static.getAddress(in)
	return addr, in
}

// EncodeThread appends the part of thread t.
func (c *Codec) EncodeThread(s *State, t int, out []byte) []byte {
	y := c.y
	tc := &y.threads[t]
	if y.hasStatus {
		status := s.status[t]
		if status == assumed {
			status = running // the location says it
		}
		out = append(out, byte(status))
		if status == notStarted {
			return out
		}
		if status != running {
			out = putNumber(out, int64(s.wait[t]))
		}
	}
	live := tc.kept
	if y.Thread(s, t).Stuck() {
		out = putNumber(out, int64(-1-s.pc[t]))
	} else {
		out = putNumber(out, int64(s.pc[t]))
		live = tc.live.at(s.pc[t])
	}
	for _, r := range live {
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
			out = y.static.putAddress(out, e.Addr)
			out = putNumber(out, int64(e.Size))
			if e.Kind == StoreEntry {
				out = putNumber(out, extend(e.Val, int(e.Size), true))
				if y.masked {
					out = putNumber(out, extend(e.Mask, int(e.Size), true))
				}
			}
		}
	}
	return out
}

func (c *Codec) encodeBlocks(s *State, out []byte) []byte {
	for t := range s.fresh {
		out = putNumber(out, int64(s.fresh[t]))
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.kind == cellBlock {
			// A cell that holds 0 is the same as a cell that was never written.
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
		if c.y.hasSites && b.kind == heapBlock && !b.free {
			out = putNumber(out, int64(b.site))
			out = putNumber(out, s.rank(b))
		}
		if c.pieces.has(n) {
			out = c.pieces.encode(s, off, n, out)
			continue
		}
		out = encodeBytes(s, off, n, out)
	}
	return append(out, 0)
}

// encodeBytes appends bytes of blocks, and which of their bits are undefined.
func encodeBytes(s *State, off, n int, out []byte) []byte {
	first := off
	for ; n >= 8; off, n = off+8, n-8 {
		out = putNumber(out, int64(s.load(off, 8)))
	}
	out = append(out, s.mem[off:off+n]...)
	if s.masks != nil {
		out = appendMasks(out, s.masks[first:off+n])
	}
	return out
}

// decodeBytes appends the bytes that encodeBytes wrote, and returns the rest of the input.
func decodeBytes(s *State, n int, in []byte) []byte {
	var v int64
	for ; n >= 8; n -= 8 {
		v, in = getNumber(in)
		s.mem = append(s.mem, 0, 0, 0, 0, 0, 0, 0, 0)
		s.put(len(s.mem)-8, 8, uint64(v))
	}
	s.mem = append(s.mem, in[:n]...)
	return in[n:]
}

// rank returns the position of a block among the blocks in use of its allocation site, from 1.
// Numbers that grow without end would distinguish states that behave alike.
func (s *State) rank(b *block) int64 {
	n := int64(1)
	for i := range s.blocks {
		if o := &s.blocks[i]; !o.free && o.kind == heapBlock && o.site == b.site && o.order < b.order {
			n++
		}
	}
	return n
}

// DecodeThread reads the part of thread t and returns the rest of the input.
func (c *Codec) DecodeThread(s *State, t int, in []byte) []byte {
	y := c.y
	tc := &y.threads[t]
	regs := y.regsOf(s, t)
	s.emptyBuffer(t)
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
	live := tc.kept
	if v < 0 {
		s.pc[t], s.status[t] = int32(-1-v), assumed
	} else {
		live = tc.live.at(s.pc[t])
	}
	for _, r := range live {
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
			e.Addr, e.off, in = y.static.getAddress(in)
			v, in = getNumber(in)
			e.Size = uint32(v)
			if e.Kind == StoreEntry {
				v, in = getNumber(in)
				e.Val = truncate(v, int(e.Size))
				if y.masked {
					v, in = getNumber(in)
					e.Mask = truncate(v, int(e.Size))
				}
			}
		}
		s.sizes.add(&e)
		s.bufs[t] = append(s.bufs[t], e)
	}
	return in
}

func (c *Codec) decodeBlocks(s *State, in []byte) []byte {
	var v int64
	for t := range s.fresh {
		v, in = getNumber(in)
		s.fresh[t] = uint64(v)
	}
	s.blocks, s.mem = s.blocks[:0], s.mem[:len(c.y.static.initial)]
	if s.masks != nil {
		s.masks = s.masks[:len(s.mem)]
	}
	c.pieces.begin()
	for in[0] != 0 {
		tag := in[0] - 2
		b := block{kind: blockKind(tag / 2), free: tag%2 == 1, off: int32(len(s.mem)), size: WordSize}
		v, in = getNumber(in[1:])
		b.addr = uint64(v)
		if b.kind != cellBlock {
			v, in = getNumber(in)
			b.size = uint32(v)
		}
		if c.y.hasSites && b.kind == heapBlock && !b.free {
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
		if b.kind != cellBlock && c.pieces.has(n) {
			in = c.pieces.decode(s, n, in)
		} else if in = decodeBytes(s, n, in); s.masks != nil {
			in = readMasks(s, b.kind != cellBlock && !b.empty, in)
		}
		s.blocks = append(s.blocks, b)
	}
	return in[1:]
}
