package analysis

import "fencepost/internal/ir"

// SameBytes reports whether any two accesses of the program that overlap are to the same bytes.
func SameBytes(p *ir.Program) bool {
	type access struct {
		e    *ir.Edge
		size int
		rest int64
	}
	var all []access
	facts := NewFacts(p, nil)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			a := access{e: e, size: e.Op.AccessSize()}
			if a.size == 0 {
				continue
			}
			rest, ok := Residue(p, e.Op.Addr, int64(a.size))
			if !ok {
				return false
			}
			a.rest = rest
			all = append(all, a)
		}
	}
	for i := range all {
		for j := range all[:i] {
			a, b := &all[i], &all[j]
			if (a.size != b.size || a.rest != b.rest) && facts.MayOverlap(a.e, b.e) {
				return false
			}
		}
	}
	return true
}

// Residue returns the remainder of an expression divided by n, a power of two, if it is
// easy to see. A front end may replace an address that would wrap around by an address that
// is certainly wrong. The wrong address is ignored, because no access to it succeeds.
func Residue(p *ir.Program, e *ir.Expr, n int64) (int64, bool) {
	if e.IsFixed() {
		return e.Eval(ir.Env{Prog: p}) & (n - 1), true
	}
	if e.Type.Bits != 64 {
		return 0, false
	}
	switch e.Op {
	case ir.Ite:
		y, ok1 := Residue(p, e.Y, n)
		z, ok2 := Residue(p, e.Z, n)
		switch {
		case WrongAddress(p, e.Z):
			return y, ok1
		case WrongAddress(p, e.Y):
			return z, ok2
		}
		return y, ok1 && ok2 && y == z
	case ir.Add, ir.Sub:
		x, ok1 := Residue(p, e.X, n)
		y, ok2 := Residue(p, e.Y, n)
		if e.Op == ir.Sub {
			y = -y
		}
		return (x + y) & (n - 1), ok1 && ok2
	case ir.Mul:
		for _, k := range []*ir.Expr{e.X, e.Y} {
			if c, ok := k.IsConst(); ok && c%n == 0 {
				return 0, true
			}
		}
	case ir.Shl:
		if c, ok := e.Y.IsConst(); ok && c >= 0 && c < 62 && (int64(1)<<c)%n == 0 {
			return 0, true
		}
	}
	return 0, false
}

// WrongAddress reports whether an address is fixed and belongs to no object or cell.
func WrongAddress(p *ir.Program, e *ir.Expr) bool {
	if !e.IsFixed() {
		return false
	}
	a := e.Eval(ir.Env{Prog: p})
	cell := a / ir.CellUnit
	return p.FindObject(uint64(a), 1) == ir.NoObject && !(p.Cells && cell > -ir.CellLimit && cell < ir.CellLimit)
}
