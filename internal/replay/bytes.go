package replay

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Memory is little-endian bytes, zero where nothing was written.

func (s *state) findWord(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(s.words, addr, func(w word, a uint64) int {
		switch {
		case w.addr < a:
			return -1
		case w.addr > a:
			return 1
		}
		return 0
	})
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

// read is the size bytes at addr as an unsigned number.
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

// cut is the low size bytes of v.
func cut(v uint64, size int) uint64 {
	if size >= 8 {
		return v
	}
	return v & (1<<(8*size) - 1)
}

// setByte is v with byte k, from the lowest, replaced.
func setByte(v uint64, k int, b byte) uint64 {
	return v&^(0xff<<(8*k)) | uint64(b)<<(8*k)
}

// overlap reports whether two stretches of bytes share one. The differences wrap,
// which is right at both ends of the address space.
func overlap(a uint64, n int64, b uint64, m int64) bool {
	return a-b < uint64(m) || b-a < uint64(n)
}

// inside reports whether the n bytes at a lie within the m bytes at b.
func inside(a uint64, n int64, b uint64, m int64) bool {
	return a-b <= uint64(m) && uint64(n) <= uint64(m)-(a-b)
}

// violation is an error the program made.
type violation struct {
	class   ir.CheckClass
	message string
}

// check says what is wrong with an access, or nil. own is the buffer of the
// thread that makes it, obj the object it must stay inside, if any.
func (m *machine) check(s *state, own []entry, obj ir.ObjectID, addr uint64, size int) *violation {
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
		case pendingFree(own, b.addr) >= 0:
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

// isCell reports whether the access is to a cell mem[e] with an e that fits.
func isCell(addr uint64, size int) bool {
	e := int64(addr) / ir.CellUnit
	return int64(addr)%ir.CellUnit == 0 && size == ir.CellUnit && -ir.CellLimit < e && e < ir.CellLimit
}

// checkFlush says what is wrong with a buffered store that reaches memory. It
// was right when it was issued, so only its block can have been freed since.
func (m *machine) checkFlush(s *state, e entry) *violation {
	if m.check(s, nil, ir.NoObject, e.addr, e.size) == nil {
		return nil
	}
	return &violation{ir.UseAfterFree, fmt.Sprintf("store of %d bytes at 0x%x reaches a freed block", e.size, e.addr)}
}
