package lts

import (
	"cmp"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Cells. Memory is divided into cells so that every access is to whole cells: bytes that no access
// separates are one cell. An access to several cells is one action that reads or writes all of them
// in one step. Addresses are known only while the system is built. If a cell has to be divided then,
// the system is built again with smaller cells.

// cellsAt returns the cells of an access, in order of their addresses. ok is false if the access is
// invalid, which is an error of the program, or if a cell must be divided first (y.Split).
func (y *System) cellsAt(e *ir.Edge, addr uint64, size int, mutex bool) (cells []int, ok bool) {
	if !y.valid(e, addr, size) {
		return nil, false
	}
	near := y.Overlapping(addr, size)
	for _, c := range near {
		o := y.Cells[c]
		if o.Mutex != mutex || mutex && o.Addr != addr {
			y.Refuse(e, "access to the word of a mutex")
			return nil, false
		}
		y.cutAt(o, addr)
		y.cutAt(o, addr+uint64(size))
	}
	if y.Split {
		return nil, false
	}
	end := addr + uint64(size)
	for at := addr; at < end; {
		if len(near) > 0 && y.Cells[near[0]].Addr == at {
			cells = append(cells, near[0])
			at += uint64(y.Cells[near[0]].Size)
			near = near[1:]
			continue
		}
		next := at + 1
		for next < end && (mutex || !y.cuts[next]) && (len(near) == 0 || y.Cells[near[0]].Addr != next) {
			next++
		}
		cells = append(cells, y.newCell(at, int(next-at), mutex))
		at = next
	}
	return cells, true
}

// cutAt divides a cell at an address inside it.
func (y *System) cutAt(c *Cell, at uint64) {
	if c.Addr < at && at < c.Addr+uint64(c.Size) {
		y.cuts[at], y.Split = true, true
	}
}

// Overlapping returns the cells that share bytes with a range, in order.
func (y *System) Overlapping(addr uint64, size int) []int {
	var out []int
	for c, o := range y.Cells {
		if addr < o.Addr+uint64(o.Size) && o.Addr < addr+uint64(size) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(y.Cells[a].Addr, y.Cells[b].Addr) })
	return out
}

func (y *System) newCell(addr uint64, size int, mutex bool) int {
	y.Cells = append(y.Cells, &Cell{Name: y.Prog.LocationName(addr, size), Addr: addr, Size: size, Mutex: mutex})
	c := len(y.Cells) - 1
	y.value(c, y.Initial(addr, size))
	if y.opt.NewCell != nil {
		y.opt.NewCell(c)
	}
	return c
}

// valid reports whether an address may be accessed.
func (y *System) valid(e *ir.Edge, addr uint64, size int) bool {
	if o := e.Op.Obj; o != ir.NoObject {
		obj := &y.Prog.Objects[o]
		return addr-obj.Addr <= uint64(obj.Size) && uint64(size) <= uint64(obj.Size)-(addr-obj.Addr)
	}
	if y.Prog.FindObject(addr, size) != ir.NoObject {
		return true
	}
	const limit = ir.CellLimit * ir.CellUnit
	return y.Prog.Cells && addr%ir.CellUnit == 0 && int64(addr) < limit && int64(addr) > -limit
}

// Initial returns the initial value of bytes.
func (y *System) Initial(addr uint64, size int) int64 {
	id := y.Prog.FindObject(addr, size)
	if id == ir.NoObject {
		return 0
	}
	o := &y.Prog.Objects[id]
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
func (y *System) whole(accesses []CellAccess) int64 {
	v := int64(0)
	for _, t := range accesses {
		c := y.Cells[t.Cell]
		v |= t.Old << (8 * (c.Addr - y.Cells[accesses[0].Cell].Addr))
	}
	return v
}

// parts returns the part of a value that each cell holds.
func (y *System) parts(accesses []CellAccess, v int64) []int64 {
	out := make([]int64, len(accesses))
	for i, t := range accesses {
		c := y.Cells[t.Cell]
		out[i] = raw(int64(uint64(v)>>(8*(c.Addr-y.Cells[accesses[0].Cell].Addr))), c.Size)
	}
	return out
}

// values notes that cells may hold a value together. ok is false if the value is outside the
// domain.
func (y *System) values(accesses []CellAccess, v int64) (parts []int64, ok bool) {
	parts = y.parts(accesses, v)
	if len(accesses) == 1 {
		return parts, y.value(accesses[0].Cell, parts[0])
	}
	size, known := 0, true
	restricted := false
	for i, t := range accesses {
		size += y.Cells[t.Cell].Size
		known = known && slices.Contains(y.Cells[t.Cell].Values, parts[i])
		restricted = restricted || y.restricts(y.Cells[t.Cell])
	}
	if !known && restricted && !y.inDomain(v, size) {
		return parts, false
	}
	for i, t := range accesses {
		if !y.addValue(t.Cell, parts[i]) {
			return parts, false
		}
	}
	return parts, true
}

// value notes that a cell may hold a value. It returns false if the value is outside the domain.
func (y *System) value(c int, v int64) bool {
	n := y.Cells[c]
	if !slices.Contains(n.Values, v) && len(n.Values) > 0 && y.restricts(n) && !y.inDomain(v, n.Size) {
		return false
	}
	return y.addValue(c, v)
}

// restricts reports whether the domain is about a cell.
func (y *System) restricts(c *Cell) bool {
	return y.opt.Domain != nil && (y.opt.Restricted == nil || y.opt.Restricted[c.Addr])
}

// inDomain reports whether the domain has a value of some size.
func (y *System) inDomain(v int64, size int) bool {
	signed := ir.Type{Bits: uint8(8 * size), Signed: true}.Wrap(v)
	return y.opt.Domain.Lo <= signed && signed <= y.opt.Domain.Hi
}

// addValue adds a value of a cell, unless there are too many.
func (y *System) addValue(c int, v int64) bool {
	n := y.Cells[c]
	if slices.Contains(n.Values, v) {
		return true
	}
	if !y.restricts(n) && len(n.Values) >= MaxValues {
		if y.Err == nil {
			y.Err = &Growing{n.Name, n.Addr}
		}
		return false
	}
	n.Values = append(n.Values, v)
	y.Changed(c)
	return true
}

// Changed calls the users of a cell again.
func (y *System) Changed(c int) {
	if y.opt.Again == nil {
		return
	}
	for _, user := range y.Cells[c].users {
		y.opt.Again(user)
	}
}

// EachChoice calls give for every choice of one value from each list.
func EachChoice(lists [][]int64, give func([]int64)) {
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

// CellsOf returns the cells that variables of memory lie in. mutex says that one is the word of a
// mutex, whose value is not known here.
func (y *System) CellsOf(vars []property.Var) (cells []int, mutex bool) {
	for i := range vars {
		v := &vars[i]
		if !v.IsMemory() {
			continue
		}
		for _, c := range y.Overlapping(v.Addr, v.Type.Size()) {
			mutex = mutex || y.Cells[c].Mutex
			if !slices.Contains(cells, c) {
				cells = append(cells, c)
			}
		}
	}
	return cells, mutex
}

// ValueOf returns the value of a variable of memory, byte by byte: from cells, given the values that
// they hold, and the initial value of bytes that no instruction accesses.
func (y *System) ValueOf(v *property.Var, cells []int, held []int64) int64 {
	x := int64(0)
	for k := range v.Type.Size() {
		at := v.Addr + uint64(k)
		one := y.Initial(at, 1)
		for i, c := range cells {
			if n := y.Cells[c]; at-n.Addr < uint64(n.Size) {
				one = raw(int64(uint64(held[i])>>(8*(at-n.Addr))), 1)
			}
		}
		x |= one << (8 * k)
	}
	return v.Type.Wrap(x)
}
