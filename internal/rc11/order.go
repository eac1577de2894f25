package rc11

import (
	"slices"
	"sort"
)

// Modification order. A write and the read-modify-writes that read from it, from those, and so on, are next to
// each other in it: they are a block, whose order is fixed. What is left is the order of the blocks of each cell. The block of
// the initial value is the first one.
//
// Coherence is a condition on pairs of writes: for accesses a and b of a cell with a hb b, the source of a (a itself if it is a
// write) is not after that of b. With blocks for atomicity, an order of the blocks that contains all these pairs satisfies
// coherence and atomicity. Without seq_cst events that is all; compare [TACKMP23].

// slot says where a write stands: its block, and its number in the block.
type slot struct{ block, at int32 }

// cellOrder has what is known about modification order of a cell.
type cellOrder struct {
	cell     int32
	accesses []int32 // the events that read or write the cell
	blocks   [][]int32
	before   [][]bool // before[a][b]: block a comes before block b; transitively closed
}

// force demands that block a comes before block b, with what follows by transitivity. It reports false if b comes
// before a.
func (c *cellOrder) force(a, b int32) bool {
	if a == b || c.before[b][a] {
		return false
	}
	if c.before[a][b] {
		return true
	}
	for p := range c.blocks {
		if int32(p) != a && !c.before[p][a] {
			continue
		}
		for q := range c.blocks {
			if int32(q) == b || c.before[b][q] {
				c.before[p][q] = true
			}
		}
	}
	return true
}

// open returns the first pair of blocks whose order is not known.
func (c *cellOrder) open() (a, b int32, found bool) {
	for p := range c.blocks {
		for q := p + 1; q < len(c.blocks); q++ {
			if !c.before[p][q] && !c.before[q][p] {
				return int32(p), int32(q), true
			}
		}
	}
	return 0, 0, false
}

// list returns the writes of the cell in modification order, which must be known.
func (c *cellOrder) list() []int32 {
	order := make([]int32, len(c.blocks))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case a == b:
			return 0
		case c.before[a][b]:
			return -1
		}
		return 1
	})
	var out []int32
	for _, b := range order {
		out = append(out, c.blocks[b]...)
	}
	return out
}

// cellsOf makes the cells with their blocks. It reports false if two read-modify-writes have one source.
func (s *Solver) cellsOf(g *Graph) bool {
	s.cells = s.cells[:0]
	s.cellAt = slices.Grow(s.cellAt[:0], g.Cells)[:g.Cells]
	for i := range s.cellAt {
		s.cellAt[i] = None
	}
	s.slot = slices.Grow(s.slot[:0], len(g.Events))[:len(g.Events)]
	s.several = false
	for _, e := range s.inOrder(g) {
		ev := &g.Events[e]
		for _, c := range ev.Cells {
			if s.cellAt[c] == None {
				s.cellAt[c] = int32(len(s.cells))
				s.cells = append(s.cells, cellOrder{cell: c, blocks: [][]int32{nil}})
			}
			k := &s.cells[s.cellAt[c]]
			k.accesses = append(k.accesses, e)
			if ev.Kind != Write || ev.Update {
				continue
			}
			// A write of several cells is not atomic; it has a slot in each of them.
			k.blocks = append(k.blocks, []int32{e})
		}
	}
	for i := range s.cells {
		c := &s.cells[i]
		for b := range c.blocks {
			for at, e := range c.blocks[b] {
				s.setSlot(e, c.cell, slot{int32(b), int32(at)})
			}
		}
	}
	for _, e := range s.line {
		if ev := &g.Events[e]; ev.Kind == Write && ev.Update {
			c := &s.cells[s.cellAt[ev.Cells[0]]]
			from := s.slotOf(g.Events[s.before(g, e)].From[0], ev.Cells[0])
			if int(from.at)+1 != len(c.blocks[from.block]) {
				return false
			}
			s.setSlot(e, ev.Cells[0], slot{from.block, from.at + 1})
			c.blocks[from.block] = append(c.blocks[from.block], e)
		}
	}
	for i := range s.cells {
		c := &s.cells[i]
		n := len(c.blocks)
		c.before = make([][]bool, n)
		row := make([]bool, n*n)
		for b := range c.before {
			c.before[b] = row[b*n : (b+1)*n]
			c.before[0][b] = b > 0
		}
		s.several = s.several || n > 2
	}
	return true
}

// inOrder returns the events by thread and program order, so that the answer depends on nothing else.
func (s *Solver) inOrder(*Graph) []int32 {
	s.sorted = s.sorted[:0]
	for _, list := range s.threads {
		s.sorted = append(s.sorted, list...)
	}
	return s.sorted
}

// slotKey names a write of several cells in one of them.
type slotKey struct{ event, cell int32 }

func (s *Solver) setSlot(e, cell int32, p slot) {
	if len(s.g.Events[e].Cells) == 1 {
		s.slot[e] = p
		return
	}
	s.slots[slotKey{e, cell}] = p
}

// slotOf returns where a write stands in a cell. The initial value stands before the first write of block 0.
func (s *Solver) slotOf(e, cell int32) slot {
	switch {
	case e == None:
		return slot{0, -1}
	case len(s.g.Events[e].Cells) == 1:
		return s.slot[e]
	}
	return s.slots[slotKey{e, cell}]
}

// source returns the write that an access of a cell stands for: itself, or the one that it reads from.
func (s *Solver) source(e, cell int32) int32 {
	ev := &s.g.Events[e]
	if ev.Kind == Write {
		return e
	}
	return ev.From[slices.Index(ev.Cells, cell)]
}

// earlier reports whether slot p is known to be before slot q.
func (c *cellOrder) earlier(p, q slot) bool {
	if p.block == q.block {
		return p.at < q.at
	}
	return c.before[p.block][q.block]
}

// forced adds the pairs that coherence demands. It reports false if they contradict each other. An access and the next ones
// after it by happens-before, one of each thread, are enough: the others follow, since the accesses of a thread are in order. The last
// accesses come first, so that what follows by transitivity is little.
func (s *Solver) forced() bool {
	for i := range s.cells {
		c := &s.cells[i]
		for k := len(c.accesses) - 1; k >= 0; k-- {
			for u := 0; u < len(c.accesses); {
				thread := s.g.Events[c.accesses[u]].Thread
				end := u + sort.Search(len(c.accesses)-u, func(n int) bool { return s.g.Events[c.accesses[u+n]].Thread > thread })
				next := u + sort.Search(end-u, func(n int) bool { return s.HappensBefore(c.accesses[k], c.accesses[u+n]) })
				if u = end; next < end && !s.coherent(c, c.accesses[k], c.accesses[next]) {
					return false
				}
			}
		}
	}
	return true
}

// coherent demands that the source of a does not come after that of b, where a happens before b.
func (s *Solver) coherent(c *cellOrder, a, b int32) bool {
	from, to := s.slotOf(s.source(a, c.cell), c.cell), s.slotOf(s.source(b, c.cell), c.cell)
	switch {
	case from == to:
		return s.g.Events[b].Kind != Write // otherwise b is read by a, which happens before it
	case from.block == to.block:
		return from.at < to.at
	}
	return c.force(from.block, to.block)
}
