package bmc

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Tracked locations [TNIFLP16 §IV]. A cell is the union of the bytes of accesses that overlap. Most
// cells have one view only: all accesses to them have the same bytes. A cell with several views has
// stores that write some of its bytes. The newest stores of a thread are kept by part, that is, by
// bytes that no access of the program splits.

// cell is a range of memory that is encoded as one word.
type cell struct {
	byteRange
	id    int
	views []*view
	// stores is how many stores to it can be in buffers. If there are none, all accesses go to
	// memory under every model.
	stores int
	// writer is the only thread that writes it, noThread or several.
	writer int
	// user is the only thread that accesses it, by plain loads and stores only; otherwise noThread
	// or several. A cell with a user is thread-private and not in memory.
	user int
}

// Values of cell.writer that are no thread.
const (
	noThread = -1
	several  = -2
)

// private reports whether a thread knows the value of the cell without reading memory: no other
// thread writes it.
func (c *cell) private(thread int) bool {
	return !c.mixed() && (c.writer == thread || c.writer == noThread)
}

// mixed reports whether the cell has accesses with different bytes.
func (c *cell) mixed() bool { return len(c.views) > 1 }

// typ returns the type of the cell's value.
func (c *cell) typ() ir.Type { return ir.Type{Bits: uint8(8 * c.size), Signed: true} }

// view is the bytes of a cell that some accesses have.
type view struct {
	byteRange
	cell  *cell
	parts []*part // in order; one if the cell is not mixed
}

func (v *view) typ() ir.Type { return ir.Type{Bits: uint8(8 * v.size), Signed: true} }

func (v *view) shift() int { return 8 * int(v.addr-v.cell.addr) }

// part is a range of bytes of which every view has all or none.
type part struct {
	byteRange
	id int // over all cells
}

func (p *part) typ() ir.Type { return ir.Type{Bits: uint8(8 * p.size), Signed: true} }

// cells has all cells of a program.
type cells struct {
	list  []*cell
	views []*view
	parts []*part
	at    map[byteRange]*view
}

// maxCellBytes is the most bytes a cell can have.
const maxCellBytes = 8

// newCells groups byte ranges into cells. The second result is a cell that is too large, or nil.
func newCells(ranges []byteRange) (*cells, *cell) {
	slices.SortFunc(ranges, func(a, b byteRange) int {
		switch {
		case a.addr != b.addr && a.addr < b.addr, a.addr == b.addr && a.size > b.size:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	ranges = slices.Compact(ranges)
	cs := &cells{at: map[byteRange]*view{}}
	for _, p := range ranges {
		n := len(cs.list)
		if n == 0 || !cs.list[n-1].overlaps(p) {
			cs.list = append(cs.list, &cell{byteRange: p, id: n, writer: noThread, user: noThread})
			n++
		}
		c := cs.list[n-1]
		c.size = max(c.size, int(p.addr-c.addr)+p.size)
		v := &view{byteRange: p, cell: c}
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

// split divides a cell into parts, wherever a view begins or ends.
func (cs *cells) split(c *cell) {
	var cuts []uint64
	for _, v := range c.views {
		cuts = append(cuts, v.addr, v.addr+uint64(v.size))
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for i, at := range cuts[:len(cuts)-1] {
		p := &part{byteRange: byteRange{at, int(cuts[i+1] - at)}, id: len(cs.parts)}
		cs.parts = append(cs.parts, p)
		for _, v := range c.views {
			if v.contains(p.byteRange) {
				v.parts = append(v.parts, p)
			}
		}
	}
}

// read returns the bytes of a view in a value of its cell.
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

// expand returns a value of the cell with a word in the bytes of a view and 0 in the others.
func (c *circuit) expand(v *view, w word) word {
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

// mask returns which bytes of its cell a view has, or nil if it has all.
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

// overlay returns old with the masked bytes of new.
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
