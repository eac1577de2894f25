package bmc

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Tracked locations [TNIFLP16 §IV]. A cell is the bytes of accesses that overlap,
// and most cells have one view only: all accesses to them have the same bytes.
// Where views of a cell differ, a store writes some of its bytes. What a thread knows
// about its own stores is kept by part: bytes that no access of the program splits.

// cell is a piece of memory that is kept as one word.
type cell struct {
	place
	id    int
	views []*view
	// stores is how many stores to it can wait in buffers. If there are none, memory is
	// all there is of it, under every model.
	stores int
	// writer is the only thread that writes it, nobody if there is none, several if
	// there are more. mine is where its writer keeps its value, behind the registers.
	writer int
	mine   int
	// user is the only thread that touches it, and by plain loads and stores only; nobody
	// or several otherwise. Then what it holds concerns nobody else, and it is not in memory.
	user int
}

// Values of cell.writer that are no thread.
const (
	nobody  = -1
	several = -2
)

// private reports whether a thread knows what it would read, without looking at
// memory: nobody else ever writes.
func (c *cell) private(thread int) bool {
	return !c.mixed() && (c.writer == thread || c.writer == nobody)
}

// mixed reports whether accesses of different bytes meet here.
func (c *cell) mixed() bool { return len(c.views) > 1 }

// typ is the type cells keep their value in.
func (c *cell) typ() ir.Type { return ir.Type{Bits: uint8(8 * c.size), Signed: true} }

// view is the bytes of a cell that some accesses have in common.
type view struct {
	place
	cell  *cell
	parts []*part // in order; one if the cell is not mixed
}

func (v *view) typ() ir.Type { return ir.Type{Bits: uint8(8 * v.size), Signed: true} }

func (v *view) shift() int { return 8 * int(v.addr-v.cell.addr) }

// part is bytes of a cell of which every view has all or none.
type part struct {
	place
	id int // over all cells
}

func (p *part) typ() ir.Type { return ir.Type{Bits: uint8(8 * p.size), Signed: true} }

// cells is all of them.
type cells struct {
	list  []*cell
	views []*view
	parts []*part
	at    map[place]*view
}

// maxCellBytes is the most bytes a cell can have.
const maxCellBytes = 8

// newCells groups places into cells. It returns one that is too large, if there is any.
func newCells(places []place) (*cells, *cell) {
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.addr != b.addr && a.addr < b.addr, a.addr == b.addr && a.size > b.size:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	places = slices.Compact(places)
	cs := &cells{at: map[place]*view{}}
	for _, p := range places {
		n := len(cs.list)
		if n == 0 || !cs.list[n-1].overlaps(p) {
			cs.list = append(cs.list, &cell{place: p, id: n, writer: nobody, user: nobody})
			n++
		}
		c := cs.list[n-1]
		c.size = max(c.size, int(p.addr-c.addr)+p.size)
		v := &view{place: p, cell: c}
		c.views = append(c.views, v)
		cs.views = append(cs.views, v)
		cs.at[p] = v
	}
	for _, c := range cs.list {
		for c.size&(c.size-1) != 0 {
			c.size++
		}
		if c.size > maxCellBytes {
			return nil, c
		}
	}
	for _, c := range cs.list {
		cs.split(c)
	}
	return cs, nil
}

// split divides a cell into parts, at all places where a view begins or ends.
func (cs *cells) split(c *cell) {
	var cuts []uint64
	for _, v := range c.views {
		cuts = append(cuts, v.addr, v.addr+uint64(v.size))
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, at := range cuts[:len(cuts)-1] {
		p := &part{place: place{at, int(cuts[i+1] - at)}, id: len(cs.parts)}
		cs.parts = append(cs.parts, p)
		for _, v := range c.views {
			if v.contains(p.place) {
				v.parts = append(v.parts, p)
			}
		}
	}
}

// read takes the bytes of a view out of the value of its cell.
func (c *circuit) read(v *view, w word) word {
	if v.size == v.cell.size {
		return w
	}
	out := make([]gate, 8*v.size)
	for i := range out {
		out[i] = w.bit(v.shift() + i)
	}
	return fit(out, analysis.TypeRange(v.typ()))
}

// place puts a value into the bytes of a view, the other bytes being 0.
func (c *circuit) placed(v *view, w word) word {
	if v.size == v.cell.size {
		return c.wrap(v.typ(), w)
	}
	out := make([]gate, 8*v.cell.size)
	for i := range out {
		out[i] = low
		if j := i - v.shift(); j >= 0 && j < 8*v.size {
			out[i] = w.bit(j)
		}
	}
	return fit(out, analysis.TypeRange(v.cell.typ()))
}

// mask says which bytes of its cell a view has; nil if all.
func (v *view) mask() []gate {
	if !v.cell.mixed() {
		return nil
	}
	out := make([]gate, v.cell.size)
	for i := range out {
		out[i] = low
		if j := 8*i - v.shift(); j >= 0 && j < 8*v.size {
			out[i] = high
		}
	}
	return out
}

// overlay writes the masked bytes of new over old.
func (c *circuit) overlay(old, new word, mask []gate) word {
	if mask == nil {
		return new
	}
	out := make([]gate, 8*len(mask))
	for i := range out {
		out[i] = c.mux(mask[i/8], new.bit(i), old.bit(i))
	}
	n := len(out)
	full := analysis.AllNumbers
	if n < 64 {
		full = analysis.Between(-1<<(n-1), 1<<(n-1)-1)
	}
	return fit(out, full)
}
