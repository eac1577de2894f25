package encode

import (
	"cmp"
	"slices"

	"fencepost/internal/ir"
)

// Arrays of structures. If every access to an array is to a field at a fixed offset of a structure, the array is one
// region per field, indexed by the number of the structure: two fields do not overlap, whatever structures they
// are in. Without this, an array with fields of different sizes would be a region of bytes.

// fieldKey names a field of the structures of an array.
type fieldKey struct {
	home   ir.ObjectID
	offset int64
}

// slot is an address as base + index*stride + offset; stride is 0 if the address is constant.
type slot struct {
	offset int64 // from the base of the object
	index  *ir.Expr
	stride int64
}

// slotOf takes an address apart. It returns false if the address has another form.
func (y *Layout) slotOf(addr *ir.Expr, base int64) (slot, bool) {
	if v, ok := y.Constant(addr); ok {
		return slot{offset: v - base}, true
	}
	if addr.Type.Bits != 64 {
		return slot{}, false
	}
	switch addr.Op {
	case ir.Add:
		a, ok1 := y.slotOf(addr.X, base)
		b, ok2 := y.slotOf(addr.Y, 0)
		if !ok1 || !ok2 || a.stride != 0 && b.stride != 0 {
			return slot{}, false
		}
		if a.stride == 0 {
			a.index, a.stride = b.index, b.stride
		}
		a.offset += b.offset
		return a, true
	case ir.Mul:
		if k, ok := addr.Y.IsConst(); ok && k > 0 && base == 0 {
			return slot{index: addr.X, stride: k}, true
		}
	}
	return slot{}, false
}

// addFields makes a region per field of an array of structures. It returns false if the accesses do not fit.
func (y *Layout) addFields(home ir.ObjectID, list []access) bool {
	if home == ir.NoObject {
		return false
	}
	base, stride := y.base(home), int64(0)
	for _, a := range list {
		p, ok := y.slotOf(a.op.Addr, base)
		if !ok || stride != 0 && p.stride != 0 && p.stride != stride {
			return false
		}
		stride = max(stride, p.stride)
	}
	if stride == 0 || y.Prog.Objects[home].Size%stride != 0 {
		return false
	}
	at := map[int64]region{}
	for _, a := range list {
		p, _ := y.slotOf(a.op.Addr, base)
		if p.offset < 0 {
			return false
		}
		off := p.offset % stride
		if known, ok := at[off]; ok && known.Size != a.size {
			return false
		}
		at[off] = region{Shape: Elements, Size: a.size, Base: base, home: home, Type: a.op.Type, stride: stride, offset: off}
	}
	fields := make([]region, 0, len(at))
	for _, r := range at {
		fields = append(fields, r)
	}
	slices.SortFunc(fields, func(a, b region) int { return cmp.Compare(a.offset, b.offset) })
	for i, r := range fields {
		end := stride
		if i+1 < len(fields) {
			end = fields[i+1].offset
		}
		if r.offset+int64(r.Size) > end {
			return false
		}
	}
	for _, r := range fields {
		y.fields[fieldKey{home, r.offset}] = len(y.Regions)
		y.Regions = append(y.Regions, r)
	}
	return true
}

// fieldOf returns the region of an access to a field of an array of structures, and the number of the structure.
func (y *Layout) fieldOf(op *ir.Op, home ir.ObjectID) (r int, index *ir.Expr, ok bool) {
	if len(y.fields) == 0 || home == ir.NoObject {
		return 0, nil, false
	}
	p, fits := y.slotOf(op.Addr, y.base(home))
	if !fits || p.offset < 0 {
		return 0, nil, false
	}
	for key, r := range y.fields {
		g := &y.Regions[r]
		if key.home != home || p.offset%g.stride != g.offset {
			continue
		}
		index = ir.Int(p.offset / g.stride)
		if p.index != nil {
			if index = p.index; p.offset >= g.stride {
				index = ir.Binary(ir.Add, ir.S64, p.index, ir.Int(p.offset/g.stride))
			}
		}
		return r, index, true
	}
	return 0, nil, false
}

// Unit returns the distance between two elements of an array.
func (g *region) Unit() int64 {
	if g.stride > 0 {
		return g.stride
	}
	return int64(g.Size)
}
