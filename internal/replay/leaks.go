//go:build !fencepost_small

package replay

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Memory leaks, by the definition: blocks are reached one by one until no further block is.

// lost returns the blocks of the heap that nothing reaches in a final state.
func (m *machine) lost(s *state) []property.Block {
	reached := map[uint64]bool{}
	for {
		before := len(reached)
		for _, o := range m.p.Objects {
			if !o.Ends && !o.Cells {
				s.reachFrom(o.Addr, o.Size, reached)
			}
		}
		for _, b := range s.blocks {
			if !b.freed && (reached[b.addr] || b.stack && m.inMain(b.site)) {
				s.reachFrom(b.addr, b.size, reached)
			}
		}
		if len(reached) == before {
			break
		}
	}
	var out []property.Block
	for _, b := range s.blocks {
		if !b.freed && !b.stack && !reached[b.addr] {
			out = append(out, property.Block{Addr: b.addr, Size: b.size, Site: b.site})
		}
	}
	return out
}

// inMain reports whether the main thread has an edge.
func (m *machine) inMain(id ir.EdgeID) bool {
	if m.p.Main == ir.NoThread {
		return false
	}
	for _, e := range m.p.ThreadFunc(m.p.Main).Edges {
		if e.ID == id {
			return true
		}
	}
	return false
}

// reachFrom adds the blocks of the heap that eight bytes in a piece of memory point into.
func (s *state) reachFrom(addr uint64, size int64, reached map[uint64]bool) {
	for k := int64(0); k+8 <= size; k++ {
		to := s.read(addr+uint64(k), 8) << 16 >> 16 // addresses have 48 bits
		for _, b := range s.blocks {
			if !b.stack && !b.freed && to >= b.addr && to < b.addr+uint64(max(b.size, 1)) {
				reached[b.addr] = true
			}
		}
	}
}
