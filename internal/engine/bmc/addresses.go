package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Addresses: where an access can go, as far as the value flow knows.

// loadAt returns what the bytes of a target can hold, read as a type.
func (fl *flow) loadAt(at target, t ir.Type) values {
	var out values
	for _, p := range at.ranges {
		v := oneValue(fl.initial(p)).join(fl.mem[p])
		for at := p.addr >> granule; at <= (p.addr+uint64(p.size)-1)>>granule; at++ {
			for _, q := range fl.near[at] {
				if _, known := fl.mem[q]; known && q != p && q.overlaps(p) {
					v = rangeValues(analysis.TypeRange(t))
				}
			}
		}
		out = out.join(v.wrap(t))
	}
	return out
}

// initial returns what bytes hold at first, as a signed number.
func (fl *flow) initial(p byteRange) int64 {
	id := fl.p.FindObject(p.addr, p.size)
	if id == ir.NoObject {
		return 0
	}
	o := &fl.p.Objects[id]
	var v uint64
	for i := range p.size {
		if at := int(p.addr-o.Addr) + i; at < len(o.Init) {
			v |= uint64(o.Init[at]) << (8 * i)
		}
	}
	return ir.Type{Bits: uint8(8 * p.size), Signed: true}.Wrap(int64(v))
}

// initialCell returns what a cell holds at first, as a signed number. A cell may be larger than its
// object, where views overlap at the end of the object.
func (fl *flow) initialCell(c *cell) int64 {
	var v uint64
	for i := range c.size {
		v |= uint64(uint8(fl.initial(byteRange{c.addr + uint64(i), 1}))) << (8 * i)
	}
	return c.typ().Wrap(int64(v))
}

// target has the bytes that an access can go to.
type target struct {
	ranges []byteRange // tracked
	// bad has the addresses at which the access is an error.
	bad []badAddress
	// wide says that other addresses are possible.
	wide bool
}

type badAddress struct {
	addr  int64
	class ir.CheckClass
}

// ranges returns the bytes that an access with this address can go to.
func (fl *flow) ranges(addr *ir.Expr, size int, obj ir.ObjectID, regs table[values]) target {
	v := fl.eval(regs, addr)
	var out target
	for _, a := range v.set {
		if class := classify(fl.p, uint64(a), size, obj); class != ir.CheckUnset && (obj != ir.NoObject || len(fl.blocksAt(byteRange{uint64(a), size})) == 0) {
			out.bad = append(out.bad, badAddress{a, class})
		} else {
			out.ranges = append(out.ranges, byteRange{uint64(a), size})
		}
	}
	if v.set != nil || !v.some {
		return out
	}
	out.wide = true
	for id := range fl.p.Objects {
		o := &fl.p.Objects[id]
		if obj != ir.NoObject && obj != ir.ObjectID(id) {
			continue
		}
		for off := int64(0); off+int64(size) <= o.Size; off += int64(size) {
			if a := int64(o.Addr) + off; a >= v.Lo && a <= v.Hi {
				out.ranges = append(out.ranges, byteRange{uint64(a), size})
			}
		}
	}
	for _, b := range fl.blocks {
		if obj != ir.NoObject {
			break
		}
		for off := 0; off+size <= b.size; off += size {
			if a := int64(b.addr) + int64(off); a >= v.Lo && a <= v.Hi {
				out.ranges = append(out.ranges, byteRange{uint64(a), size})
			}
		}
	}
	return out
}

// nullPage is the size of the range of addresses that count as null pointers.
const nullPage = 4096

// classify returns the error of an access to an address, or CheckUnset.
func classify(p *ir.Program, addr uint64, size int, obj ir.ObjectID) ir.CheckClass {
	if obj != ir.NoObject {
		if o := &p.Objects[obj]; !(byteRange{o.Addr, int(o.Size)}).contains(byteRange{addr, size}) {
			return ir.OutOfBounds
		}
	}
	switch {
	case p.FindObject(addr, size) != ir.NoObject:
		return ir.CheckUnset
	case p.Cells:
		if cell := int64(addr) / ir.CellUnit; addr%ir.CellUnit != 0 || size != ir.CellUnit || cell <= -ir.CellLimit || cell >= ir.CellLimit {
			return ir.BadAddress
		}
		return ir.CheckUnset
	case addr < nullPage:
		return ir.NullDeref
	}
	return ir.OutOfBounds
}
