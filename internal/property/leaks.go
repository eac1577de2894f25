//go:build !fencepost_small

package property

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// Memory leaks. A block of the heap is lost in a final state if it was not freed and no pointer leads to it: neither one in
// a static object or in a thread-local object of main, nor one in a block that is not lost. A pointer is eight bytes at
// any address that hold, up to the upper 16 bits, the address of a byte of the block; so tags in the bits that addresses
// do not use, and pointers into the middle, are pointers. What automatic variables and results of threads held is
// gone: in a final state all threads have ended.

// pointerBits are the bits of a word that can be an address.
const pointerBits = 1<<48 - 1

// Lost returns the lost blocks of a final state, by address.
func Lost(p *ir.Program, v View) []Block {
	all := v.Blocks()
	heap := slices.DeleteFunc(slices.Clone(all), func(b Block) bool { return b.Stack || b.Freed })
	if len(heap) == 0 {
		return nil
	}
	found := make([]bool, len(heap))
	var todo []int
	scan := func(addr uint64, size int64) {
		pointers(v, addr, size, func(to uint64) {
			if i := blockOf(heap, to); i >= 0 && !found[i] {
				found[i] = true
				todo = append(todo, i)
			}
		})
	}
	for i := range p.Objects {
		if o := &p.Objects[i]; !o.Ends && !o.Cells {
			scan(o.Addr, o.Size)
		}
	}
	for _, b := range all {
		if b.Stack && !b.Freed && ofMain(p, b.Site) {
			scan(b.Addr, b.Size)
		}
	}
	for len(todo) > 0 {
		b := heap[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		scan(b.Addr, b.Size)
	}
	var out []Block
	for i, b := range heap {
		if !found[i] {
			out = append(out, b)
		}
	}
	return out
}

// ofMain reports whether an edge is one of the main thread: its thread-local objects live on when it returns.
func ofMain(p *ir.Program, e ir.EdgeID) bool {
	f, _, ok := p.EdgeByID(e)
	return ok && p.Main != ir.NoThread && p.ThreadFunc(p.Main) == f
}

// pointers calls f with all eight bytes in a piece of memory that are not zero, as addresses.
func pointers(v View, addr uint64, size int64, f func(to uint64)) {
	next := uint64(0) // the eight bytes after word
	for word, k := uint64(0), int64(0); k < size; k++ {
		if k%8 == 0 && size-k >= 8 {
			next = uint64(v.Memory(addr+uint64(k), ir.U64))
		} else if k%8 == 0 {
			next = 0
			for i := range size - k {
				next |= uint64(v.Memory(addr+uint64(k+i), ir.U8)) << (8 * i)
			}
		}
		word, next = word>>8|next<<56, next>>8
		if to := word & pointerBits; k >= 7 && to != 0 {
			f(to)
		}
	}
}

// blockOf returns the index of the block with a byte at an address, -1 if there is none. Blocks are sorted by address. A
// block without bytes counts as one byte.
func blockOf(blocks []Block, addr uint64) int {
	i, exact := slices.BinarySearchFunc(blocks, addr, func(b Block, a uint64) int {
		switch {
		case b.Addr < a:
			return -1
		case b.Addr > a:
			return 1
		}
		return 0
	})
	if exact {
		return i
	}
	if i--; i >= 0 && addr-blocks[i].Addr < uint64(blocks[i].Size) {
		return i
	}
	return -1
}

// LostText writes lost blocks down by the edges that allocated them and by their sizes, "" if there are none.
func LostText(lost []Block) string {
	var parts []string
	for _, b := range lost {
		parts = append(parts, fmt.Sprintf("%d:%d", b.Site, b.Size))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// ParseLost returns site and size of the blocks in a text of LostText.
func ParseLost(text string) []Block {
	var out []Block
	for _, part := range strings.Fields(text) {
		site, size, _ := strings.Cut(part, ":")
		edge, err1 := strconv.Atoi(site)
		n, err2 := strconv.ParseInt(size, 10, 64)
		if err1 != nil || err2 != nil {
			panic("BUG: bad text of lost blocks: " + text)
		}
		out = append(out, Block{Site: ir.EdgeID(edge), Size: n})
	}
	return out
}
