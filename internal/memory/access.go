package memory

import (
	"sort"

	"fencepost/internal/ir"
)

// nullPage is the size of the first page: an access there is a null pointer dereference.
const nullPage = 4096

// resolve finds the bytes of an access. An offset of -1 without a fault is a
// cell that was never written: it holds 0.
func (y *System) resolve(s *State, addr uint64, size int, obj int32) (int, ir.CheckClass) {
	off, fault := y.static.find(addr, size, obj)
	if fault != 0 || off >= 0 {
		return off, fault
	}
	if i := s.findBlock(addr, size); i >= 0 {
		b := &s.blocks[i]
		if b.empty {
			return -1, ir.OutOfBounds
		}
		if b.free {
			return -1, ir.UseAfterFree
		}
		return int(b.off) + int(addr-b.addr), 0
	}
	if y.Prog.Cells {
		if cell := int64(addr) / ir.CellUnit; addr%ir.CellUnit != 0 || size != ir.CellUnit ||
			cell <= -ir.CellLimit || cell >= ir.CellLimit {
			return -1, ir.BadAddress
		}
		return -1, 0
	}
	if addr < nullPage {
		return -1, ir.NullDeref
	}
	return -1, ir.OutOfBounds
}

// blockAfter returns the index of the first block after addr.
func (s *State) blockAfter(addr uint64) int {
	return sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].addr > addr })
}

// findBlock returns the index of the block that holds the bytes, or -1.
func (s *State) findBlock(addr uint64, size int) int {
	if len(s.blocks) == 0 {
		return -1
	}
	i := s.blockAfter(addr) - 1
	if i < 0 {
		return -1
	}
	if b := &s.blocks[i]; addr-b.addr < uint64(b.size) && uint64(b.size)-(addr-b.addr) >= uint64(size) {
		return i
	}
	return -1
}

// locate resolves an access of thread t when it is issued. A block that the thread has freed is
// gone for the thread, even if the free is still in its buffer.
func (y *System) locate(s *State, t int, e *edge, addr uint64) (int, ir.CheckClass) {
	if e.off >= 0 {
		return int(e.off), 0
	}
	if e.header && !s.begins(addr) {
		return -1, ir.InvalidFree
	}
	off, fault := y.resolve(s, addr, int(e.size), e.obj)
	if fault == 0 && y.static.forbidden(e, off) {
		return -1, ir.ReadOnly
	}
	if fault == 0 && s.freedBy(t, addr) {
		return -1, ir.UseAfterFree
	}
	if fault == 0 && y.lead > 0 && !e.header && s.inFront(addr, int(e.size), y.lead) {
		return -1, ir.OutOfBounds
	}
	if y.private != nil && fault == 0 && y.stray(e, off, addr) {
		s.Err = ErrStray
	}
	return off, fault
}

// begins reports whether a block of the heap begins at an address, freed or not.
func (s *State) begins(addr uint64) bool {
	i := s.findBlock(addr, 1)
	return i >= 0 && s.blocks[i].kind == heapBlock && s.blocks[i].addr == addr
}

// inFront reports whether an access is to the first bytes of a block of the heap, which are in front of what the program
// asked for.
func (s *State) inFront(addr uint64, size int, lead uint64) bool {
	i := s.findBlock(addr, size)
	return i >= 0 && s.blocks[i].kind == heapBlock && addr-s.blocks[i].addr < lead
}

// freedBy reports whether thread t has a pending free of the block at addr.
func (s *State) freedBy(t int, addr uint64) bool {
	for i := range s.bufs[t] {
		if e := &s.bufs[t][i]; e.Kind == FreeEntry && addr-e.Addr < uint64(e.Size) {
			return true
		}
	}
	return false
}

// writeAt writes bytes that resolve found. A cell that does not exist yet is created, unless the
// value is 0.
func (y *System) writeAt(s *State, off int, addr uint64, size int, v, mask uint64) {
	if off < 0 {
		if v == 0 {
			return
		}
		off = int(s.blocks[s.addBlock(addr, uint32(size), cellBlock)].off)
	}
	s.setMem(off, size, v)
	putMask(y, s, off, size, mask)
}

func (s *State) readAt(off, size int) uint64 {
	if off < 0 {
		return 0
	}
	return s.load(off, size)
}

// byteMask returns the set of all bytes of an access, a bit each.
func byteMask(size int) uint8 { return uint8(1<<size - 1) }

// byteBits returns the bits of a set of bytes.
func byteBits(mask uint8) uint64 {
	// A bit of mask goes to the lowest bit of its byte, then fills the byte.
	v := uint64(mask)
	v = (v | v<<28) & 0x0000000f0000000f
	v = (v | v<<14) & 0x0003000300030003
	v = (v | v<<7) & 0x0101010101010101
	return v * 0xff
}

// forward finds the bytes of a load in the buffer of its thread, each in the newest entry that
// has it. It returns their values and which bytes they are; the other bytes come from memory. A
// pending free forwards nothing: a load of its block has failed already.
func (s *State) forward(t int, addr uint64, size int) (raw uint64, forwarded uint8) {
	b := s.bufs[t]
	all := byteMask(size)
	for i := len(b) - 1; i >= 0 && forwarded != all; i-- {
		e := &b[i]
		if e.Kind != StoreEntry || !overlaps(addr, uint32(size), e.Addr, e.Size) {
			continue
		}
		v, has := e.bytesFor(addr, size)
		has &^= forwarded
		raw |= v & byteBits(has)
		forwarded |= has
	}
	return raw, forwarded
}

// bytesFor returns the bytes that an entry has of an overlapping load, at their position in the
// load, and which bytes they are.
func (e *Entry) bytesFor(addr uint64, size int) (raw uint64, has uint8) {
	all := byteMask(size)
	if d := addr - e.Addr; d < uint64(e.Size) { // begins inside the entry
		return e.Val >> (8 * d), byteMask(int(e.Size)) >> d & all
	}
	d := e.Addr - addr
	return e.Val << (8 * d), byteMask(int(e.Size)) << d & all
}

// forwardedFrom returns the tags of the entries that the forwarded bytes of a load come from.
func (s *State) forwardedFrom(t int, addr uint64, size int) (tags [8]int32) {
	b := s.bufs[t]
	for k := range size {
		for i := len(b) - 1; i >= 0; i-- {
			if e := &b[i]; e.Kind == StoreEntry && overlaps(addr+uint64(k), 1, e.Addr, e.Size) {
				tags[k] = e.Tag
				break
			}
		}
	}
	return tags
}

// take returns the bytes that a load of thread t reads, and which of them are forwarded. off
// must be the offset that locate returned.
func (y *System) take(s *State, t int, e *edge, off int, addr uint64) (raw uint64, forwarded uint8) {
	if e.private || len(s.bufs[t]) == 0 {
		return s.readAt(off, int(e.size)), 0
	}
	raw, forwarded = s.forward(t, addr, int(e.size))
	if forwarded != byteMask(int(e.size)) {
		raw |= s.readAt(off, int(e.size)) &^ byteBits(forwarded)
	}
	return raw, forwarded
}
