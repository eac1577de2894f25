package mover

import (
	"fmt"

	"fencepost/internal/ir"
)

// Reading and writing regions.

// spot is the region and index of an access.
type spot struct {
	region int
	index  string // of the element, or address; "" for variables
}

// isSingle reports whether a region is a variable.
func (y *layout) isSingle(r int) bool { return y.regions[r].shape == single }

// name returns the name of a variable.
func (y *layout) name(r int) string { return y.regions[r].name }

func (y *layout) sort(r int) string {
	g := &y.regions[r]
	if g.shape == single {
		return y.arith.bytes(g.size)
	}
	return apply("Array", y.arith.sort(), y.arith.bytes(g.size))
}

// locate returns the spot of an access.
func (y *layout) locate(op *ir.Op, v env) spot {
	home := y.home(op)
	if y.mixed {
		return spot{y.whole[ir.NoObject], v.number(op.Addr)}
	}
	if _, block, ok := inBlock(y, op); ok {
		return spot{y.whole[home], v.number(block)}
	}
	if addr, ok := y.constant(op.Addr); ok {
		if r, ok := y.single[addr]; ok && (y.regions[r].home == home) {
			return spot{region: r}
		}
	}
	if r, index, ok := fieldOf(y, op, home); ok {
		return spot{r, v.number(index)}
	}
	r := y.whole[home]
	g := &y.regions[r]
	if g.shape == loose {
		return spot{r, v.number(op.Addr)}
	}
	i, ok := y.index(op.Addr, g.base, g.size)
	if !ok {
		panic("BUG: an access to no element")
	}
	return spot{r, v.number(i)}
}

// variable returns the region that an access always goes to, if that is a variable.
func (y *layout) variable(op *ir.Op) (int, bool) {
	if _, ok := y.constant(op.Addr); !ok {
		return 0, false
	}
	r := y.locate(op, env{prog: y.prog, arith: y.arith}).region
	return r, y.isSingle(r)
}

// read returns the word at a spot.
func (y *layout) read(m memory, p spot, t ir.Type) string {
	g := &y.regions[p.region]
	switch {
	case g.shape == single:
		return y.arith.extend(m[p.region], t)
	case g.shape == elements || g.size == t.Size():
		return y.arith.extend(apply("select", m[p.region], p.index), t)
	}
	var parts []string // the most significant first
	for b := t.Size() - 1; b >= 0; b-- {
		parts = append(parts, apply("select", m[p.region], y.byteAt(p, b)))
	}
	if len(parts) == 1 {
		return y.arith.extend(parts[0], t)
	}
	return y.arith.extend(apply("concat", parts...), t)
}

func (y *layout) byteAt(p spot, b int) string {
	if b == 0 {
		return p.index
	}
	return apply("bvadd", p.index, y.arith.num(int64(b)))
}

// write returns memory after a word was written to a spot.
func (y *layout) write(m memory, p spot, t ir.Type, value string) memory {
	out := append(memory(nil), m...)
	g := &y.regions[p.region]
	switch {
	case g.shape == single:
		out[p.region] = y.arith.cut(value, g.size)
	case g.shape == elements || g.size == t.Size():
		out[p.region] = apply("store", m[p.region], p.index, y.arith.cut(value, g.size))
	default:
		for b := range t.Size() {
			part := fmt.Sprintf("((_ extract %d %d) %s)", 8*b+7, 8*b, value)
			out[p.region] = apply("store", out[p.region], y.byteAt(p, b), part)
		}
	}
	return out
}

// bytewise reports whether accesses to a region can overlap in part.
func (g *region) bytewise() bool { return g.shape == loose && g.size == 1 }

// blend returns memory n with the bytes at a spot taken from m whose condition holds. The region of
// the spot is one of bytes, unless there are no conditions.
func (y *layout) blend(m, n memory, p spot, conds []string) memory {
	out := append(memory(nil), n...)
	for b, cond := range conds {
		at := y.byteAt(p, b)
		part := ite(cond, apply("select", m[p.region], at), apply("select", n[p.region], at))
		out[p.region] = apply("store", out[p.region], at, part)
	}
	return out
}

// value returns the value of a variable, as a word.
func (y *layout) value(m memory, r int) string {
	return y.arith.extend(m[r], y.regions[r].typ)
}

// initial returns the initial memory.
func (y *layout) initial() memory {
	m := make(memory, len(y.regions))
	for i := range y.regions {
		g := &y.regions[i]
		if g.shape == single {
			m[i] = y.arith.part(y.first(uint64(g.base), g.size), g.size)
			continue
		}
		m[i] = "((as const " + y.sort(i) + ") " + y.arith.part(0, g.size) + ")"
		for o := range y.prog.Objects {
			if y.mixed || g.home == ir.ObjectID(o) || g.home == ir.NoObject && y.prog.Objects[o].Cells {
				m[i] = y.filled(m[i], g, &y.prog.Objects[o])
			}
		}
	}
	return m
}

// filled returns a region with the initial contents of an object.
func (y *layout) filled(m string, g *region, o *ir.Object) string {
	for off := g.offset; off+int64(g.size) <= o.Size; off += g.unit() {
		v := y.first(o.Addr+uint64(off), g.size)
		if v == 0 {
			continue
		}
		at := int64(o.Addr) + off
		if g.shape == elements {
			at = (at - g.base) / g.unit()
		}
		m = apply("store", m, y.arith.num(at), y.arith.part(v, g.size))
	}
	return m
}

// first returns the initial value of bytes.
func (y *layout) first(addr uint64, size int) int64 {
	return initialValue(y.prog, addr, ir.Type{Bits: uint8(8 * size), Signed: true})
}

// initialValue returns what a load reads initially.
func initialValue(p *ir.Program, addr uint64, t ir.Type) int64 {
	obj := p.FindObject(addr, t.Size())
	if obj == ir.NoObject {
		return 0
	}
	o := &p.Objects[obj]
	var v uint64
	for b := t.Size() - 1; b >= 0; b-- {
		v <<= 8
		if at := int(addr-o.Addr) + b; at < len(o.Init) {
			v |= uint64(o.Init[at])
		}
	}
	return t.Wrap(int64(v))
}
