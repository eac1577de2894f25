package replay

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Memory is little-endian bytes. A byte that was never written is zero.

func (s *state) findWord(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(s.words, addr, func(w word, a uint64) int { return cmp.Compare(w.addr, a) })
}

func (s *state) byteAt(addr uint64) byte {
	if i, ok := s.findWord(addr &^ 7); ok {
		return byte(s.words[i].value >> (8 * (addr & 7)))
	}
	return 0
}

func (s *state) setByte(addr uint64, b byte) {
	i, ok := s.findWord(addr &^ 7)
	if !ok {
		s.words = slices.Insert(s.words, i, word{addr: addr &^ 7})
	}
	shift := 8 * (addr & 7)
	s.words[i].value = s.words[i].value&^(0xff<<shift) | uint64(b)<<shift
	if s.words[i].value == 0 {
		s.words = slices.Delete(s.words, i, i+1)
	}
}

// read returns the size bytes at addr as an unsigned number.
func (s *state) read(addr uint64, size int) uint64 {
	var v uint64
	for i := size - 1; i >= 0; i-- {
		v = v<<8 | uint64(s.byteAt(addr+uint64(i)))
	}
	return v
}

func (s *state) write(addr uint64, size int, value int64) {
	for i := range size {
		s.setByte(addr+uint64(i), byte(uint64(value)>>(8*i)))
	}
}

// cut returns the low size bytes of v.
func cut(v uint64, size int) uint64 {
	if size >= 8 {
		return v
	}
	return v & (1<<(8*size) - 1)
}

// setByte returns v with byte k replaced by b. Byte 0 is the lowest.
func setByte(v uint64, k int, b byte) uint64 {
	return v&^(0xff<<(8*k)) | uint64(b)<<(8*k)
}

// overlap reports whether the n bytes at a and the m bytes at b have a byte in common.
// The differences wrap, which is right at both ends of the address space.
func overlap(a uint64, n int64, b uint64, m int64) bool {
	return a-b < uint64(m) || b-a < uint64(n)
}

// inside reports whether all of the n bytes at a are among the m bytes at b.
func inside(a uint64, n int64, b uint64, m int64) bool {
	return a-b <= uint64(m) && uint64(n) <= uint64(m)-(a-b)
}

// violation is a failed check of the program.
type violation struct {
	class   ir.CheckClass
	message string
}

// check returns the check that an access fails, or nil if the access is valid. buf is
// the buffer of the thread that makes the access. obj is the object that the access
// must stay inside, or NoObject for any.
func (m *machine) check(s *state, buf []entry, obj ir.ObjectID, addr uint64, size int) *violation {
	if obj != ir.NoObject {
		o := &m.p.Objects[obj]
		if inside(addr, int64(size), o.Addr, o.Size) {
			return nil
		}
		return &violation{ir.OutOfBounds, fmt.Sprintf("access of %d bytes at 0x%x is not inside %s", size, addr, o.Name)}
	}
	if m.p.FindObject(addr, size) != ir.NoObject {
		return nil
	}
	freed := false
	for _, b := range s.blocks {
		if !inside(addr, int64(size), b.addr, b.size) {
			continue
		}
		switch {
		case pendingFree(buf, b.addr) >= 0:
			return &violation{ir.UseAfterFree, fmt.Sprintf("access of %d bytes at 0x%x, in a block the thread has freed", size, addr)}
		case !b.freed:
			return nil
		}
		freed = true
	}
	switch {
	case freed && m.p.Cells:
		return &violation{ir.UseAfterFree, fmt.Sprintf("access of %d bytes at 0x%x, in a freed block", size, addr)}
	case m.p.Cells:
		if isCell(addr, size) {
			return nil
		}
		return &violation{ir.BadAddress, fmt.Sprintf("0x%x is not the address of a cell", addr)}
	case addr < 4096:
		return &violation{ir.NullDeref, fmt.Sprintf("access at 0x%x", addr)}
	case freed:
		return &violation{ir.UseAfterFree, fmt.Sprintf("access of %d bytes at 0x%x, in a freed block", size, addr)}
	default:
		return &violation{ir.OutOfBounds, fmt.Sprintf("access of %d bytes at 0x%x is not inside any object", size, addr)}
	}
}

// checkHeader returns the check that an access fails at the first bytes of a block of the heap, in front of what the
// program asked for. Only operations that are marked may access these bytes, and nothing else.
func (m *machine) checkHeader(s *state, op *ir.Op, addr uint64) *violation {
	if op.Sync.Marks.Has(ir.Header) {
		if i := s.blockAt(addr); i < 0 || s.blocks[i].stack {
			return &violation{ir.InvalidFree, fmt.Sprintf("no block of the heap begins at 0x%x", addr)}
		}
		return nil
	}
	for _, b := range s.blocks {
		if !b.stack && addr >= b.addr && addr < b.addr+uint64(m.lead) {
			return &violation{ir.OutOfBounds, fmt.Sprintf("0x%x is in front of the block at 0x%x", addr, b.addr+uint64(m.lead))}
		}
	}
	return nil
}

// isCell reports whether the access is to a cell mem[e] with an index e below the limit.
func isCell(addr uint64, size int) bool {
	e := int64(addr) / ir.CellUnit
	return int64(addr)%ir.CellUnit == 0 && size == ir.CellUnit && -ir.CellLimit < e && e < ir.CellLimit
}

// checkFlush returns the check that a buffered store fails when it reaches memory, or
// nil. The store was valid when the thread executed it, so the only possible failure is
// that its block has been freed since.
func (m *machine) checkFlush(s *state, e entry) *violation {
	if m.check(s, nil, ir.NoObject, e.addr, e.size) == nil {
		return nil
	}
	return &violation{ir.UseAfterFree, fmt.Sprintf("store of %d bytes at 0x%x reaches a freed block", e.size, e.addr)}
}
