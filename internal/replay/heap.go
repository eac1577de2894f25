package replay

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Allocation. A free is an entry of the store buffer. An allocation returns a fresh
// block or any freed block of the same size and kind. The address of a fresh block
// depends only on the thread, on its earlier fresh blocks and on its alignment.

const (
	heapBase      = 0x2000_4000_0000
	heapAlignment = 16
	heapGap       = 16
)

// blockAt returns the index of the block that starts at addr, or -1.
func (s *state) blockAt(addr uint64) int {
	return slices.IndexFunc(s.blocks, func(b block) bool { return b.addr == addr })
}

func (c *turn) alloc() {
	size := c.eval(c.op.Val)
	c.allocFresh(size)
	for i, b := range c.s.blocks {
		if b.size != size || b.stack != c.op.Block.Stack || c.op.Block.Align > 0 && (b.addr+uint64(c.op.Block.Lead))%uint64(c.op.Block.Align) != 0 {
			continue
		}
		pending := pendingFree(c.th.buf, b.addr)
		if !b.freed && pending < 0 {
			continue
		}
		c.exec(int64(b.addr), allocated(b.addr, size), func(n *state, th *thread) {
			n.blocks[i].freed = false
			n.blocks[i].site, n.blocks[i].order = c.edge.ID, c.s.newestBlock()+1
			n.blocks[i].kept = c.m.kept[c.edge.ID] && wasNewTo(b.addr, c.t) // a block that was another thread's is like any
			if pending >= 0 {
				c.cancel(th, pending)
			}
			th.set(c.op.Dst, int64(b.addr))
			if c.op.Block.Undef {
				n.undefine(th, b.addr+uint64(c.op.Block.Lead), size-c.op.Block.Lead, c.begins(c.op.Dst, ir.NoObject), c.m.p.AsksForMasks())
			}
		})
	}
}

// wasNewTo reports whether a block was new to a thread.
func wasNewTo(addr uint64, t int) bool { return addr>>32 == (heapBase>>32)+uint64(t) }

// cancel deletes buffer entry i, a free that has not reached memory. Under PSO a marker
// replaces it, so that the stores before and after the free stay in order.
func (c *turn) cancel(th *thread, i int) {
	if c.m.model == PSO {
		th.buf[i] = entry{kind: marker}
		th.tidy()
	} else {
		th.remove(i)
	}
}

func (c *turn) allocFresh(size int64) {
	start := c.th.fresh
	if a := c.op.Block.Align; a > 0 {
		start = (start+c.op.Block.Lead+a-1)/a*a - c.op.Block.Lead
	}
	addr := heapBase + uint64(c.t)<<32 + uint64(start)
	c.exec(0, allocated(addr, size), func(n *state, th *thread) {
		th.fresh = start + (max(size, 1)+heapAlignment-1)/heapAlignment*heapAlignment + heapGap
		at := 0
		for at < len(n.blocks) && n.blocks[at].addr < addr {
			at++
		}
		n.blocks = slices.Insert(n.blocks, at, block{addr: addr, size: size, stack: c.op.Block.Stack, site: c.edge.ID, order: c.s.newestBlock() + 1, kept: c.m.kept[c.edge.ID]})
		th.set(c.op.Dst, int64(addr))
		if c.op.Block.Undef {
			n.undefine(th, addr+uint64(c.op.Block.Lead), size-c.op.Block.Lead, c.begins(c.op.Dst, ir.NoObject), c.m.p.AsksForMasks())
		}
	})
}

// allocated returns the record of an allocation. An allocation accesses the whole block,
// and for a block without bytes the byte at its address.
func allocated(addr uint64, size int64) record {
	size = max(size, 1)
	return record{addr: addr, size: int(size), value: int64(addr), accesses: []verdict.Access{{Addr: addr, Size: int(size), Wrote: true}}}
}

func (c *turn) free() {
	addr := uint64(c.eval(c.op.Addr))
	if addr == 0 {
		c.exec(0, record{}, nil)
		return
	}
	i := c.s.blockAt(addr)
	switch {
	case i < 0:
		c.fail(record{addr: addr}, &violation{ir.InvalidFree, fmt.Sprintf("0x%x is not the start of an allocated block", addr)})
		return
	case c.s.blocks[i].stack != c.op.Block.Stack:
		c.fail(record{addr: addr}, &violation{ir.InvalidFree, fmt.Sprintf("the block at 0x%x is of another kind", addr)})
		return
	case c.s.blocks[i].freed || pendingFree(c.th.buf, addr) >= 0:
		c.fail(record{addr: addr}, &violation{ir.DoubleFree, fmt.Sprintf("the block at 0x%x has been freed already", addr)})
		return
	}
	direct := c.direct() || c.m.alone(c.s, c.t, addr)
	r := record{addr: addr, buffered: !direct, free: true, accesses: []verdict.Access{{Addr: addr, Size: int(max(c.s.blocks[i].size, 1)), Wrote: true}}}
	c.step(verdict.StepStore, 0, r, func(n *state, th *thread) {
		if direct {
			n.blocks[i].freed = true
			return
		}
		if c.m.model == PSO {
			th.mark()
		}
		th.push(entry{kind: freeEntry, addr: addr, step: c.now})
	})
}

// newestBlock returns the largest order of all blocks, or 0.
func (s *state) newestBlock() int {
	n := 0
	for _, b := range s.blocks {
		n = max(n, b.order)
	}
	return n
}
