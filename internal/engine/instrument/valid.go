package instrument

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// reach returns the bound on the numbers of cells, for messages.
func (s *shadow) reach() int64 {
	if s.near > 0 {
		return s.near
	}
	return farCell
}

// valid returns two conditions: ok, that an access does not fail, and far, that it is to a
// cell without auxiliary cells. ok is nil if the access never fails, far is nil if the cell
// always has auxiliary cells.
func (s *shadow) valid(op *ir.Op) (ok, far *ir.Expr) {
	a, size := op.Addr, op.AccessSize()
	if a.IsFixed() {
		addr := uint64(a.Eval(ir.Env{Prog: s.p}))
		if id := s.p.FindObject(addr, size); id != ir.NoObject && !s.allowed(op, id) {
			return ir.Int(0), nil
		}
		return s.fixedValid(addr, size, op.Obj)
	}
	if op.Obj != ir.NoObject {
		if !s.allowed(op, op.Obj) {
			return ir.Int(0), nil
		}
		return s.insideObject(a, size, op.Obj), nil
	}
	ok = ir.Int(0)
	for id := range s.p.Objects {
		if !s.allowed(op, ir.ObjectID(id)) {
			continue
		}
		if !s.p.Objects[id].Cells || size != ir.CellUnit {
			ok = either(ok, s.insideObject(a, size, ir.ObjectID(id)))
		}
	}
	if !s.p.Cells || size != ir.CellUnit {
		return ok, nil
	}
	c, guard := s.cellOf(a)
	if s.near > 0 {
		// The other tool tests whether the cell or the target of the pointer exists.
		pointer := ir.Binary(ir.Ge, ir.S64, c, ir.Int(pointerCell))
		near := either(pointer, both(ir.Binary(ir.Ge, ir.S64, c, ir.Int(0)), ir.Binary(ir.Lt, ir.S64, c, ir.Int(s.near))))
		return near, ir.Negate(near)
	}
	between := func(n int64) *ir.Expr {
		return both(ir.Binary(ir.Gt, ir.S64, c, ir.Int(-n)), ir.Binary(ir.Lt, ir.S64, c, ir.Int(n)))
	}
	isCell := both(guard, between(ir.CellLimit))
	return either(ok, both(isCell, between(farCell))), both(isCell, ir.Negate(between(farCell)))
}

// allowed reports whether an operation may access an object, if it stays inside the object.
func (s *shadow) allowed(op *ir.Op, o ir.ObjectID) bool {
	return !op.Writes() || !s.p.Objects[o].ReadOnly
}

// cellOf returns the number of the cell at an address, and the condition that the address
// is one of a cell.
func (s *shadow) cellOf(a *ir.Expr) (number, guard *ir.Expr) {
	if a.Op == ir.Ite && analysis.WrongAddress(s.p, a.Z) {
		number, guard = s.cellOf(a.Y)
		return number, both(a.X, guard)
	}
	if x, ok := cellNumber(a); ok {
		return x, ir.Int(1)
	}
	aligned := ir.Binary(ir.Eq, ir.S64, ir.Binary(ir.And, ir.S64, a, ir.Int(ir.CellUnit-1)), ir.Int(0))
	return ir.Binary(ir.Div, ir.S64, a, ir.Int(ir.CellUnit)), aligned
}

// fixedValid does the same as valid for an address that is known.
func (s *shadow) fixedValid(addr uint64, size int, obj ir.ObjectID) (ok, far *ir.Expr) {
	id := s.p.FindObject(addr, size)
	cell := int64(addr) / ir.CellUnit
	switch {
	case obj != ir.NoObject && id != obj:
		return ir.Int(0), nil
	case id != ir.NoObject:
		return nil, nil
	case !s.p.Cells || addr%ir.CellUnit != 0 || size != ir.CellUnit || cell <= -ir.CellLimit || cell >= ir.CellLimit:
		return ir.Int(0), nil
	case s.near > 0 && (cell < 0 || cell >= s.near), cell <= -farCell, cell >= farCell:
		return ir.Int(0), ir.Int(1)
	default:
		return nil, nil
	}
}

// insideObject returns the condition that an access of size bytes at address a is inside an
// object.
func (s *shadow) insideObject(a *ir.Expr, size int, id ir.ObjectID) *ir.Expr {
	o := &s.p.Objects[id]
	if o.Size < int64(size) {
		return ir.Int(0)
	}
	off := ir.Binary(ir.Sub, ir.U64, a, ir.Addr(id, 0))
	return ir.Binary(ir.Le, ir.U64, off, ir.Int(o.Size-int64(size)))
}

// either returns the disjunction of x and y, without a part that is constantly false.
func either(x, y *ir.Expr) *ir.Expr {
	if v, ok := x.IsConst(); ok && v == 0 {
		return y
	}
	if v, ok := y.IsConst(); ok && v == 0 {
		return x
	}
	return ir.Binary(ir.LOr, ir.S64, x, y)
}

// both returns the conjunction of x and y, without a part that is constantly true.
func both(x, y *ir.Expr) *ir.Expr {
	if v, ok := x.IsConst(); ok && v != 0 {
		return y
	}
	if v, ok := y.IsConst(); ok && v != 0 {
		return x
	}
	return ir.Binary(ir.LAnd, ir.S64, x, y)
}
