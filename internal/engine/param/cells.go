package param

import (
	"slices"

	"fencepost/internal/ir"
)

// Cells. Memory is divided into cells so that every access is to whole cells: bytes that no access
// separates are one cell. An access to several cells is one action that reads or writes all of them
// in one step. Addresses are known only while the net is built. If a cell has to be divided then,
// the net is built again with smaller cells.

// cellsAt returns the cells of an access, in order of their addresses. ok is false if the access is
// invalid, which is an error of the program, or if a cell must be divided first (b.split).
func (b *builder) cellsAt(e *ir.Edge, addr uint64, size int, mutex bool) (cells []int, ok bool) {
	if !b.valid(e, addr, size) {
		return nil, false
	}
	near := b.overlapping(addr, size)
	for _, c := range near {
		o := b.cells[c]
		if o.mutex != mutex || mutex && o.addr != addr {
			b.refuse(e, "access to the word of a mutex")
			return nil, false
		}
		b.cutAt(o, addr)
		b.cutAt(o, addr+uint64(size))
	}
	if b.split {
		return nil, false
	}
	end := addr + uint64(size)
	for at := addr; at < end; {
		if len(near) > 0 && b.cells[near[0]].addr == at {
			cells = append(cells, near[0])
			at += uint64(b.cells[near[0]].size)
			near = near[1:]
			continue
		}
		next := at + 1
		for next < end && (mutex || !b.cuts[next]) && (len(near) == 0 || b.cells[near[0]].addr != next) {
			next++
		}
		cells = append(cells, b.newCell(at, int(next-at), mutex))
		at = next
	}
	return cells, true
}

// cutAt divides a cell at an address inside it.
func (b *builder) cutAt(c *cell, at uint64) {
	if c.addr < at && at < c.addr+uint64(c.size) {
		b.cuts[at], b.split = true, true
	}
}

// overlapping returns the cells that share bytes with a range, in order.
func (b *builder) overlapping(addr uint64, size int) []int {
	var out []int
	for c, o := range b.cells {
		if addr < o.addr+uint64(o.size) && o.addr < addr+uint64(size) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y int) int {
		if b.cells[x].addr < b.cells[y].addr {
			return -1
		}
		return 1
	})
	return out
}

func (b *builder) newCell(addr uint64, size int, mutex bool) int {
	n := &cell{name: b.p.LocationName(addr, size), addr: addr, size: size, mutex: mutex, group: b.net.group()}
	b.cells = append(b.cells, n)
	c := len(b.cells) - 1
	start := b.initial(addr, size)
	b.value(c, start)
	b.net.Places[b.valuePlace(c, start)].Init = 1
	if b.robust {
		g := b.net.group()
		for l, word := range [...]string{"untouched", "loaded", "stored"} {
			n.levels[l] = b.net.place("level "+n.name+" "+word, g)
		}
		b.net.Places[n.levels[untouched]].Init = 1
	}
	return c
}

// valid reports whether an address may be accessed.
func (b *builder) valid(e *ir.Edge, addr uint64, size int) bool {
	if o := e.Op.Obj; o != ir.NoObject {
		obj := &b.p.Objects[o]
		return addr-obj.Addr <= uint64(obj.Size) && uint64(size) <= uint64(obj.Size)-(addr-obj.Addr)
	}
	if b.p.FindObject(addr, size) != ir.NoObject {
		return true
	}
	const limit = ir.CellLimit * ir.CellUnit
	return b.p.Cells && addr%ir.CellUnit == 0 && int64(addr) < limit && int64(addr) > -limit
}

// initial returns the initial value of bytes.
func (b *builder) initial(addr uint64, size int) int64 {
	id := b.p.FindObject(addr, size)
	if id == ir.NoObject {
		return 0
	}
	o := &b.p.Objects[id]
	var v uint64
	for i := size - 1; i >= 0; i-- {
		at := addr - o.Addr + uint64(i)
		var x byte
		if at < uint64(len(o.Init)) {
			x = o.Init[at]
		}
		v = v<<8 | uint64(x)
	}
	return int64(v)
}

// raw returns the bytes of a value of some size.
func raw(v int64, size int) int64 {
	if size >= 8 {
		return v
	}
	return v & (1<<(8*size) - 1)
}

// whole returns the value that an action reads from its cells together.
func (b *builder) whole(accesses []cellAccess) int64 {
	v := int64(0)
	for _, t := range accesses {
		c := b.cells[t.cell]
		v |= t.old << (8 * (c.addr - b.cells[accesses[0].cell].addr))
	}
	return v
}

// parts returns the part of a value that each cell holds.
func (b *builder) parts(accesses []cellAccess, v int64) []int64 {
	out := make([]int64, len(accesses))
	for i, t := range accesses {
		c := b.cells[t.cell]
		out[i] = raw(int64(uint64(v)>>(8*(c.addr-b.cells[accesses[0].cell].addr))), c.size)
	}
	return out
}

// values notes that cells may hold a value together. ok is false if the value is outside the
// domain.
func (b *builder) values(accesses []cellAccess, v int64) (parts []int64, ok bool) {
	parts = b.parts(accesses, v)
	if len(accesses) == 1 {
		return parts, b.value(accesses[0].cell, parts[0])
	}
	size, known := 0, true
	for i, t := range accesses {
		size += b.cells[t.cell].size
		known = known && slices.Contains(b.cells[t.cell].values, parts[i])
	}
	if !known && !b.inDomain(v, size) {
		return parts, false
	}
	for i, t := range accesses {
		if !b.addValue(t.cell, parts[i]) {
			return parts, false
		}
	}
	return parts, true
}

// value notes that a cell may hold a value. It returns false if the value is outside the domain.
func (b *builder) value(c int, v int64) bool {
	n := b.cells[c]
	if !slices.Contains(n.values, v) && len(n.values) > 0 && !b.inDomain(v, n.size) {
		return false
	}
	return b.addValue(c, v)
}

// inDomain reports whether the domain has a value of some size.
func (b *builder) inDomain(v int64, size int) bool {
	signed := ir.Type{Bits: uint8(8 * size), Signed: true}.Wrap(v)
	return b.domain == nil || b.domain.Lo <= signed && signed <= b.domain.Hi
}

// addValue adds a value of a cell, unless there are too many.
func (b *builder) addValue(c int, v int64) bool {
	n := b.cells[c]
	if slices.Contains(n.values, v) {
		return true
	}
	if b.domain == nil && len(n.values) >= maxValues {
		b.diverges(n)
		return false
	}
	n.values = append(n.values, v)
	for _, l := range n.users {
		b.revisit(l)
	}
	return true
}

// eachChoice calls give for every choice of one value from each list.
func eachChoice(lists [][]int64, give func([]int64)) {
	chosen := make([]int64, len(lists))
	var from func(i int)
	from = func(i int) {
		if i == len(lists) {
			give(chosen)
			return
		}
		for _, v := range lists[i] {
			chosen[i] = v
			from(i + 1)
		}
	}
	from(0)
}
