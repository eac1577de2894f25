package rf

import (
	"sync"
	"sync/atomic"

	"fencepost/internal/machine"
)

// Cells: the parts of memory that are read and written as a whole. A read has one source per cell.
//
// The partition is the coarsest one in which every access that was met is a union of cells. It is
// found on the way: an access that begins or ends inside a cell splits that cell, and the
// exploration starts again with the finer partition.

// span is a range of bytes.
type span struct {
	addr uint64
	size int
}

// cells numbers the cells, for all workers.
type cells struct {
	mu    sync.Mutex
	list  []span
	bytes map[uint64]int32 // the cell of each byte
	known map[span][]int32 // the cells of each range that was accessed
	torn  atomic.Bool      // a cell was split, so what was explored is void
	size  atomic.Int32     // of list
}

func newCells() *cells {
	return &cells{bytes: map[uint64]int32{}, known: map[span][]int32{}}
}

// of returns the cells of a range of bytes. The slice must not be changed.
func (cs *cells) of(addr uint64, size int) []int32 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	at := span{addr, size}
	if out, ok := cs.known[at]; ok {
		return out
	}
	cs.divide(addr)
	cs.divide(addr + uint64(size))
	var out []int32
	for b := addr; b != addr+uint64(size); {
		c, ok := cs.bytes[b]
		if !ok {
			end := b + 1
			for end != addr+uint64(size) {
				if _, taken := cs.bytes[end]; taken {
					break
				}
				end++
			}
			c = cs.add(b, int(end-b))
		}
		out = append(out, c)
		b += uint64(cs.list[c].size)
	}
	cs.known[at] = out
	return out
}

// add makes a new cell.
func (cs *cells) add(addr uint64, size int) int32 {
	c := int32(len(cs.list))
	cs.list = append(cs.list, span{addr, size})
	cs.size.Store(c + 1)
	for b := range uint64(size) {
		cs.bytes[addr+b] = c
	}
	return c
}

// divide makes sure that no cell has bytes on both sides of an address.
func (cs *cells) divide(addr uint64) {
	c, ok := cs.bytes[addr]
	if !ok || cs.list[c].addr == addr {
		return
	}
	at := cs.list[c]
	cs.list[c].size = int(addr - at.addr)
	cs.add(addr, at.size-cs.list[c].size)
	clear(cs.known)
	cs.torn.Store(true)
}

// split reports whether a cell was split.
func (cs *cells) split() bool { return cs.torn.Load() }

// again begins another exploration with the present cells.
func (cs *cells) again() { cs.torn.Store(false) }

// count returns how many cells there are.
func (cs *cells) count() int { return int(cs.size.Load()) }

// address returns the address of a cell.
func (cs *cells) address(c int32) uint64 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.list[c].addr
}

// span returns the bytes of a cell.
func (cs *cells) span(c int32) span {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.list[c]
}

// pool reports whether a cell stands for freed blocks.
func (cs *cells) pool(c int32) bool { return machine.IsPool(cs.address(c)) }

// overlapping returns the cells that have some of the bytes of a range. It makes no new ones.
func (cs *cells) overlapping(addr uint64, size int) []int32 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var out []int32
	for b := range uint64(size) {
		if c, ok := cs.bytes[addr+b]; ok && (len(out) == 0 || out[len(out)-1] != c) {
			out = append(out, c)
		}
	}
	return out
}
