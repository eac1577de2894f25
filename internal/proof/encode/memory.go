package encode

import (
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Reading and writing regions.

// Spot is the region and index of an access.
type Spot struct {
	Region int
	Index  smt.Term // of the element, or address; none for variables
}

// IsSingle reports whether a region is a variable.
func (y *Layout) IsSingle(r int) bool { return y.Regions[r].Shape == Single }

// Name returns the name of a variable.
func (y *Layout) Name(r int) string { return y.Regions[r].name }

func (y *Layout) sort(r int) smt.Sort {
	g := &y.Regions[r]
	if g.Shape == Single {
		return y.Arith.bytes(g.Size)
	}
	return smt.Array(y.Arith.Sort(), y.Arith.bytes(g.Size))
}

// Locate returns the spot of an access.
func (y *Layout) Locate(op *ir.Op, v Env) Spot {
	home := y.Home(op)
	if y.Mixed {
		return Spot{y.Whole[ir.NoObject], v.Number(op.Addr)}
	}
	if _, block, ok := y.InBlock(op); ok {
		return Spot{y.Whole[home], v.Number(block)}
	}
	if addr, ok := y.Constant(op.Addr); ok {
		if r, ok := y.single[addr]; ok && (y.Regions[r].home == home) {
			return Spot{Region: r}
		}
	}
	if r, index, ok := y.fieldOf(op, home); ok {
		return Spot{r, v.Number(index)}
	}
	r := y.Whole[home]
	g := &y.Regions[r]
	if g.Shape == loose {
		return Spot{r, v.Number(op.Addr)}
	}
	i, ok := y.index(op.Addr, g.Base, g.Size)
	if !ok {
		panic("BUG: an access to no element")
	}
	return Spot{r, v.Number(i)}
}

// Variable returns the region that an access always goes to, if that is a variable.
func (y *Layout) Variable(op *ir.Op) (int, bool) {
	if _, ok := y.Constant(op.Addr); !ok {
		return 0, false
	}
	r := y.Locate(op, Env{prog: y.Prog, arith: y.Arith}).Region
	return r, y.IsSingle(r)
}

// Read returns the word at a spot.
func (y *Layout) Read(m Memory, p Spot, t ir.Type) smt.Term {
	g := &y.Regions[p.Region]
	switch {
	case g.Shape == Single:
		return y.Arith.extend(m[p.Region], t)
	case g.Shape == Elements || g.Size == t.Size():
		return y.Arith.extend(smt.Select(m[p.Region], p.Index), t)
	}
	var parts []smt.Term // the most significant first
	for b := t.Size() - 1; b >= 0; b-- {
		parts = append(parts, smt.Select(m[p.Region], y.byteAt(p, b)))
	}
	if len(parts) == 1 {
		return y.Arith.extend(parts[0], t)
	}
	return y.Arith.extend(smt.Concatenate(parts...), t)
}

func (y *Layout) byteAt(p Spot, b int) smt.Term {
	if b == 0 {
		return p.Index
	}
	return smt.Apply(smt.VectorAdd, p.Index, y.Arith.Num(int64(b)))
}

// Write returns memory after a word was written to a spot.
func (y *Layout) Write(m Memory, p Spot, t ir.Type, value smt.Term) Memory {
	out := append(Memory(nil), m...)
	g := &y.Regions[p.Region]
	switch {
	case g.Shape == Single:
		out[p.Region] = y.Arith.cut(value, g.Size)
	case g.Shape == Elements || g.Size == t.Size():
		out[p.Region] = smt.Store(m[p.Region], p.Index, y.Arith.cut(value, g.Size))
	default:
		for b := range t.Size() {
			part := smt.Extract(8*b+7, 8*b, value)
			out[p.Region] = smt.Store(out[p.Region], y.byteAt(p, b), part)
		}
	}
	return out
}

// Bytewise reports whether accesses to a region can overlap in part.
func (g *region) Bytewise() bool { return g.Shape == loose && g.Size == 1 }

// Blend returns memory n with the bytes at a spot taken from m whose condition holds. The region of
// the spot is one of bytes, unless there are no conditions.
func (y *Layout) Blend(m, n Memory, p Spot, conds []smt.Term) Memory {
	out := append(Memory(nil), n...)
	for b, cond := range conds {
		at := y.byteAt(p, b)
		part := ite(cond, smt.Select(m[p.Region], at), smt.Select(n[p.Region], at))
		out[p.Region] = smt.Store(out[p.Region], at, part)
	}
	return out
}

// Value returns the value of a variable, as a word.
func (y *Layout) Value(m Memory, r int) smt.Term {
	return y.Arith.extend(m[r], y.Regions[r].Type)
}

// Initial returns the initial memory.
func (y *Layout) Initial() Memory {
	m := make(Memory, len(y.Regions))
	for i := range y.Regions {
		g := &y.Regions[i]
		if g.Shape == Single {
			m[i] = y.Arith.part(y.First(uint64(g.Base), g.Size), g.Size)
			continue
		}
		m[i] = smt.Filled(y.sort(i), y.Arith.part(0, g.Size))
		for o := range y.Prog.Objects {
			if y.Mixed || g.home == ir.ObjectID(o) || g.home == ir.NoObject && y.Prog.Objects[o].Cells {
				m[i] = y.filled(m[i], g, &y.Prog.Objects[o])
			}
		}
	}
	return m
}

// filled returns a region with the initial contents of an object.
func (y *Layout) filled(m smt.Term, g *region, o *ir.Object) smt.Term {
	for off := g.offset; off+int64(g.Size) <= o.Size; off += g.Unit() {
		v := y.First(o.Addr+uint64(off), g.Size)
		if v == 0 {
			continue
		}
		at := int64(o.Addr) + off
		if g.Shape == Elements {
			at = (at - g.Base) / g.Unit()
		}
		m = smt.Store(m, y.Arith.Num(at), y.Arith.part(v, g.Size))
	}
	return m
}

// First returns the initial value of bytes.
func (y *Layout) First(addr uint64, size int) int64 {
	return program.InitialValue(y.Prog, addr, ir.Type{Bits: uint8(8 * size), Signed: true})
}
