package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Which blocks can be allocated, freed, and allocated again.

// alloc returns the addresses that an allocation can return, and the bytes that the thread has used
// after it.
func (fl *flow) alloc(t int, e *ir.Edge, used, size values) (at, after values) {
	if used.set == nil || size.set == nil {
		refuse(e, "bounded model checking does not encode an allocation of any size")
	}
	for _, n := range size.set {
		if uint64(n) > memory.MaxBlock { // sizes are unsigned
			refuse(e, "bounded model checking does not encode a block of more than a megabyte")
		}
		for _, u := range used.set {
			addr, next := memory.FreshBlock(t, uint64(u), n, &e.Op)
			fl.addBlock(&block{byteRange: byteRange{addr, int(n)}, owner: t, stack: e.Op.Block.Stack})
			at, after = at.join(oneValue(int64(addr))), after.join(oneValue(int64(next)))
			for _, b := range fl.again(t, u, n, &e.Op) {
				at, after = at.join(oneValue(int64(b.addr))), after.join(oneValue(u))
			}
		}
	}
	return at, after
}

func (fl *flow) addBlock(b *block) {
	for _, known := range fl.blocks {
		if known.byteRange == b.byteRange && known.stack == b.stack {
			return
		}
	}
	fl.blocks, fl.grew = append(fl.blocks, b), true
}

// again returns the freed blocks that an allocation of n bytes can return to thread t, which has
// used so much of its address space. Blocks of the thread itself are in this part.
func (fl *flow) again(t int, used, n int64, op *ir.Op) []*block {
	var out []*block
	next, _ := memory.FreshBlock(t, uint64(used), n, op)
	for _, b := range fl.blocks {
		if b.freed && b.stack == op.Block.Stack && b.size == int(n) && op.Aligned(b.addr) == b.addr && (b.owner != t || b.addr < next) {
			out = append(out, b)
		}
	}
	return out
}

// free notes the blocks that a free of one of these addresses can free.
func (fl *flow) free(addr values, stack bool) {
	for _, b := range fl.starting(addr, stack) {
		fl.grew = fl.grew || !b.freed
		b.freed = true
	}
}

// starting returns the blocks of a kind that begin at one of the addresses.
func (fl *flow) starting(addr values, stack bool) []*block {
	var out []*block
	for _, b := range fl.blocks {
		if b.stack == stack && addr.only(analysis.Single(int64(b.addr))).some {
			out = append(out, b)
		}
	}
	return out
}

// blocksAt returns the blocks that contain bytes.
func (fl *flow) blocksAt(p byteRange) []*block {
	var out []*block
	for _, b := range fl.blocks {
		if b.contains(p) {
			out = append(out, b)
		}
	}
	return out
}

// blockOf returns the block with these bytes.
func (fl *flow) blockOf(p byteRange, stack bool) *block {
	for _, b := range fl.blocks {
		if b.byteRange == p && b.stack == stack {
			return b
		}
	}
	panic("BUG: an allocation gives a block that the analysis did not find")
}
