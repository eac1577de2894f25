package rc11

import "slices"

// The search for a modification order. Forced pairs first; then, where there are seq_cst events and blocks whose order is
// open, pairs are decided one by one, the block of the first thread first, and psc of what is known is a reason to go
// back. A pair that is decided forces others by transitivity.
//
// The first order that is found depends on the events and sources only, not on how the events are numbered: cells and
// blocks are listed by thread and program order.

// Solver answers questions about graphs. It reuses its memory; the zero value is ready.
type Solver struct {
	g       *Graph
	index   []int32 // per event: its number in its thread
	threads [][]int32
	line    []int32 // an order of the events that porf respects
	placed  []bool
	sorted  []int32
	clock   []clock
	given   []releases

	cells   []cellOrder
	cellAt  []int32 // per cell: its index in cells, or None
	slot    []slot
	slots   map[slotKey]slot // of writes of several cells
	several bool             // some cell has two blocks beside that of the initial value

	sc, fences  []int32 // seq_cst events; indices of the fences among them
	left, right [][]int32
	fixed       matrix
	psc         []bool

	// Steps counts decisions, for tests and statistics.
	Steps int64
}

// Consistent reports whether there is a modification order, with the demanded last writes. Happens-before, Order and
// Linear are about this graph then.
func (s *Solver) Consistent(g *Graph, last []Last) bool {
	return s.begin(g, last) && s.decide()
}

// begin does what needs no search.
func (s *Solver) begin(g *Graph, last []Last) bool {
	s.g, s.slots = g, map[slotKey]slot{}
	if !s.linearize(g) {
		return false
	}
	s.clocksOf(g)
	if !s.cellsOf(g) || !s.forced() || !s.demand(last) {
		return false
	}
	s.scEvents()
	return s.scAcyclic()
}

// demand adds the demands about last writes.
func (s *Solver) demand(last []Last) bool {
	for _, l := range last {
		at := s.cellAt[l.Cell]
		if at == None {
			continue // no event writes the cell
		}
		c := &s.cells[at]
		p := s.slotOf(l.By, l.Cell)
		if int(p.at)+1 != len(c.blocks[p.block]) {
			return false
		}
		for b := range int32(len(c.blocks)) {
			if b != p.block && !c.force(b, p.block) {
				return false
			}
		}
	}
	return true
}

// decide decides the open pairs so that psc stays acyclic.
func (s *Solver) decide() bool {
	i, a, b, found := s.open()
	if !found {
		return true
	}
	if len(s.sc) < 2 {
		for found {
			s.cells[i].force(a, b)
			i, a, b, found = s.open()
		}
		return true
	}
	c := &s.cells[i]
	old := c.copy()
	for _, pair := range [2][2]int32{{a, b}, {b, a}} {
		s.Steps++
		if c.force(pair[0], pair[1]) && s.scAcyclic() && s.decide() {
			return true
		}
		c.restore(old)
	}
	return false
}

// All calls f for every modification order, until f returns false. Order tells the order.
func (s *Solver) All(g *Graph, last []Last, f func() bool) {
	if s.begin(g, last) {
		s.all(f)
	}
}

func (s *Solver) all(f func() bool) bool {
	i, a, b, found := s.open()
	if !found {
		return f()
	}
	c := &s.cells[i]
	old := c.copy()
	for _, pair := range [2][2]int32{{a, b}, {b, a}} {
		if c.force(pair[0], pair[1]) && s.scAcyclic() && !s.all(f) {
			return false
		}
		c.restore(old)
	}
	return true
}

// open returns a cell with a pair of blocks whose order is not known.
func (s *Solver) open() (cell int, a, b int32, found bool) {
	if !s.several {
		return 0, 0, 0, false
	}
	for i := range s.cells {
		if a, b, found = s.cells[i].open(); found {
			return i, a, b, true
		}
	}
	return 0, 0, 0, false
}

func (c *cellOrder) copy() []bool {
	var out []bool
	for _, row := range c.before {
		out = append(out, row...)
	}
	return out
}

func (c *cellOrder) restore(old []bool) {
	n := len(c.blocks)
	for b, row := range c.before {
		copy(row, old[b*n:(b+1)*n])
	}
}

// Order returns the writes of a cell in modification order, after Consistent has said yes.
func (s *Solver) Order(cell int32) []int32 {
	if int(cell) >= len(s.cellAt) || s.cellAt[cell] == None {
		return nil
	}
	return s.cells[s.cellAt[cell]].list()
}

// LastWrite returns the last write of a cell in the order that Consistent found, or None.
func (s *Solver) LastWrite(cell int32) int32 {
	if list := s.Order(cell); len(list) > 0 {
		return list[len(list)-1]
	}
	return None
}

// Linear returns the events in an order that program order, reads-from and After respect. It depends on the
// graph only.
func (s *Solver) Linear() []int32 { return slices.Clone(s.line) }
