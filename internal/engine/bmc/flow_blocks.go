package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Which blocks there can be, and which of them can be freed and given again.

// alloc finds the blocks an allocation can give.
func (fl *flow) alloc(t int, e *ir.Edge, used, size values) (at, after values) {
	if used.set == nil || size.set == nil {
		refuse(e, "bounded model checking does not encode an allocation of any size")
	}
	for _, n := range size.set {
		if uint64(n) > memory.MaxBlock { // sizes have no sign
			refuse(e, "bounded model checking does not encode a block of more than a megabyte")
		}
		for _, u := range used.set {
			addr, next := memory.FreshBlock(t, uint64(u), n)
			fl.addBlock(&block{place: place{addr, int(n)}, owner: t, stack: e.Op.Stack})
			at, after = at.join(oneValue(int64(addr))), after.join(oneValue(int64(next)))
			for _, b := range fl.again(t, u, n, e.Op.Stack) {
				at, after = at.join(oneValue(int64(b.addr))), after.join(oneValue(u))
			}
		}
	}
	return at, after
}

func (fl *flow) addBlock(b *block) {
	for _, known := range fl.blocks {
		if known.place == b.place && known.stack == b.stack {
			return
		}
	}
	fl.blocks, fl.grew = append(fl.blocks, b), true
}

// again lists the blocks that an allocation of n bytes can give once more to a thread
// that has used so much of its address space. Its own blocks lie in what it has used.
func (fl *flow) again(t int, used, n int64, stack bool) []*block {
	var out []*block
	next, _ := memory.FreshBlock(t, uint64(used), n)
	for _, b := range fl.blocks {
		if b.freed && b.stack == stack && b.size == int(n) && (b.owner != t || b.addr < next) {
			out = append(out, b)
		}
	}
	return out
}

// free notes the blocks that a free of one of these addresses can end.
func (fl *flow) free(addr values, stack bool) {
	for _, b := range fl.starting(addr, stack) {
		fl.grew = fl.grew || !b.freed
		b.freed = true
	}
}

// starting lists the blocks of a kind that begin at one of the addresses.
func (fl *flow) starting(addr values, stack bool) []*block {
	var out []*block
	for _, b := range fl.blocks {
		if b.stack == stack && addr.only(analysis.Single(int64(b.addr))).some {
			out = append(out, b)
		}
	}
	return out
}

// blocksAt is the blocks that hold a place.
func (fl *flow) blocksAt(p place) []*block {
	var out []*block
	for _, b := range fl.blocks {
		if b.contains(p) {
			out = append(out, b)
		}
	}
	return out
}

// blockOf is the block with these bytes.
func (fl *flow) blockOf(p place, stack bool) *block {
	for _, b := range fl.blocks {
		if b.place == p && b.stack == stack {
			return b
		}
	}
	panic("BUG: an allocation gives a block that the analysis did not find")
}
