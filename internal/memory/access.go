package memory

import (
	"sort"

	"fencepost/internal/ir"
)

// nullPage is the range of addresses taken as dereferenced null pointers.
const nullPage = 4096

// resolveStatic finds static bytes: their offset in State.mem, or -1 if the
// address is not static. obj, if not ir.NoObject, is the object the bytes must
// lie in.
func (y *System) resolveStatic(addr uint64, size int, obj int32) (int, ir.CheckClass) {
	if obj != int32(ir.NoObject) {
		o := &y.Prog.Objects[obj]
		if addr-o.Addr >= uint64(o.Size) || uint64(o.Size)-(addr-o.Addr) < uint64(size) {
			return -1, ir.OutOfBounds
		}
	}
	for i := range y.segments {
		seg := &y.segments[i]
		if d := addr - seg.base; d < seg.size {
			if seg.size-d < uint64(size) {
				return -1, 0
			}
			off := seg.off + int(d)
			if id := y.objectAt[off]; id == 0 || y.objectAt[off+size-1] != id {
				return -1, 0
			}
			return off, 0
		}
	}
	return -1, 0
}

// resolve finds the bytes of an access. An offset of -1 without a fault is a
// cell that was never written: it holds 0.
func (y *System) resolve(s *State, addr uint64, size int, obj int32) (int, ir.CheckClass) {
	off, fault := y.resolveStatic(addr, size, obj)
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

// staticOff keeps an offset only if it lies in static memory: blocks move.
func (y *System) staticOff(off int) int32 {
	if off < len(y.memInit) {
		return int32(off)
	}
	return -1
}

// blockAfter is the index of the first block beyond addr.
func (s *State) blockAfter(addr uint64) int {
	return sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].addr > addr })
}

// findBlock is the index of the block that holds the bytes, or -1.
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

// locate resolves an access of thread t as it issues it: on top of resolve, a
// block the thread itself has freed is gone for it.
func (y *System) locate(s *State, t int, e *edge, addr uint64) (int, ir.CheckClass) {
	if e.off >= 0 {
		return int(e.off), 0
	}
	off, fault := y.resolve(s, addr, int(e.size), e.obj)
	if fault == 0 && y.forbidden(e, off) {
		return -1, ir.ReadOnly
	}
	if fault == 0 && s.freedByOwn(t, addr) {
		return -1, ir.UseAfterFree
	}
	if y.own != nil && fault == 0 && y.stray(e, off, addr) {
		s.Err = ErrStray
	}
	return off, fault
}

// freedByOwn reports whether thread t has a pending free of the block at addr.
func (s *State) freedByOwn(t int, addr uint64) bool {
	for i := range s.bufs[t] {
		if e := &s.bufs[t][i]; e.Kind == FreeEntry && addr-e.Addr < uint64(e.Size) {
			return true
		}
	}
	return false
}

// writeAt writes bytes that resolve found; a cell that did not exist yet comes
// into being unless it stays 0.
func (y *System) writeAt(s *State, off int, addr uint64, size int, v uint64) {
	if off < 0 {
		if v == 0 {
			return
		}
		off = int(s.blocks[s.addBlock(addr, uint32(size), cellBlock)].off)
	}
	s.setMem(off, size, v)
}

func (s *State) readAt(off, size int) uint64 {
	if off < 0 {
		return 0
	}
	return s.load(off, size)
}

type source uint8

const (
	fromMemory source = iota
	fromBuffer
	stalled // the newest overlapping entry does not cover the load
)

// forward looks for the newest own entry that overlaps a load.
func (s *State) forward(t int, addr uint64, size int) (uint64, source, int32) {
	b := s.bufs[t]
	for i := len(b) - 1; i >= 0; i-- {
		e := &b[i]
		if e.Kind == Marker || !overlaps(addr, uint32(size), e.Addr, e.Size) {
			continue
		}
		d := addr - e.Addr
		if e.Kind != StoreEntry || d >= uint64(e.Size) || uint64(e.Size)-d < uint64(size) {
			return 0, stalled, 0
		}
		return e.Val >> (8 * d) & (^uint64(0) >> (64 - 8*uint(size))), fromBuffer, e.Tag
	}
	return 0, fromMemory, 0
}
