package automaton

import (
	"fencepost/internal/ir"
)

// place is a shared place: an element of an object, or a cell of mem.
type place struct {
	obj   ir.ObjectID // NoObject: a cell
	typ   ir.Type
	unit  int64
	count int64 // elements of the object, counted in units
	index *node // which element; nil if fixed is set
	fixed *ir.Expr
	cell  int64 // number of a fixed cell
	name  string
}

// place resolves a shared place; nil after an error.
func (s *scope) place(e *expr) *place {
	if e.kind == eMem {
		switch {
		case e.x.kind == eName && s.c.vars[e.x.name] != nil:
			return s.place(e.x)
		case e.x.kind == eAddr:
			return s.cellOf(e.x)
		}
		return s.cell(e)
	}
	v := s.variable(e)
	if v == nil {
		return nil
	}
	p := &place{obj: v.obj, typ: v.typ, name: v.name}
	switch e.kind {
	case eName:
		if v.array {
			s.c.errorf(codeNeedsIndex, e.start, e.end, "array '%s' needs an index", clip(v.name))
			return nil
		}
		p.fixed = ir.Addr(v.obj, 0)
		return p
	case eIndex:
		if !v.array {
			s.c.errorf(codeNoIndex, e.start, e.end, "'%s' is no array", clip(v.name)).
				Note("%s.byte[i] is byte i of it", clip(v.name))
			return nil
		}
	case ePart:
		p.typ = types[e.typ]
	default:
		panic("BUG: not a place")
	}
	p.unit = int64(p.typ.Size())
	p.count = v.size() / p.unit
	index := s.resolve(e.x)
	i, ok := index.isConst()
	if !ok {
		p.index = index
		return p
	}
	if n := p.count; i < 0 || i >= n {
		d := s.c.errorf(codeBounds, e.x.start, e.x.end, "index %d is out of bounds: '%s' has %d elements of %d bytes", i, clip(v.name), n, p.unit)
		if s.t != nil && s.t.template {
			d.Note("in instance %s", s.t.instanceName(int(s.instance)))
		}
		return nil
	}
	p.fixed = ir.Addr(v.obj, i*p.unit)
	return p
}

// variable is the shared variable a place names; nil after an error.
func (s *scope) variable(e *expr) *variable {
	if v := s.c.vars[e.name]; v != nil {
		return v
	}
	_, reg := s.register(e.name)
	_, con := s.lookup(e)
	what := "a register"
	if con {
		what = "a constant"
	}
	switch {
	case !reg && !con:
		s.undeclared(e)
	case e.kind == eIndex:
		s.c.errorf(codeNoIndex, e.start, e.end, "'%s' is %s and takes no index", clip(e.name), what).
			Note("mem[%s] is the cell it names", clip(e.name))
	default:
		s.c.errorf(codeNotShared, e.start, e.end, "'%s' is %s; a shared place is needed here", clip(e.name), what)
	}
	return nil
}

// cell resolves mem[e].
func (s *scope) cell(e *expr) *place {
	p := &place{obj: ir.NoObject, typ: ir.S64, unit: ir.CellUnit, name: "mem"}
	index := s.resolve(e.x)
	v, ok := index.isConst()
	if !ok {
		p.index = index
		return p
	}
	if v <= -ir.CellLimit || v >= ir.CellLimit {
		s.c.errorf(codeCell, e.x.start, e.x.end, "no cell has the number %d", v).
			Note("cell numbers lie between -2^59 and 2^59, exclusive")
		return nil
	}
	s.c.numbers[v] = true
	p.cell = v
	p.fixed = ir.Int(v * ir.CellUnit)
	return p
}

// cellOf resolves the place inside '&', which must be a whole cell.
func (s *scope) cellOf(e *expr) *place {
	p := s.place(e.x)
	if p != nil && p.typ != ir.S64 {
		s.c.errorf(codeAddress, e.start, e.end, "'&' needs a place of 8 bytes").
			Note("mem[&x] is always 8 bytes")
		return nil
	}
	return p
}

// address resolves '&' place: the number e for which mem[e] is the place.
func (s *scope) address(e *expr) *node {
	p := s.cellOf(e)
	switch {
	case p == nil:
		return badNode(e)
	case p.obj == ir.NoObject && p.index != nil:
		return p.index
	case p.obj == ir.NoObject:
		return pureNode(e, ir.Int(p.cell))
	case p.index == nil:
		return pureNode(e, ir.Binary(ir.Div, ir.S64, p.fixed, ir.Int(ir.CellUnit)))
	}
	base := ir.Binary(ir.Div, ir.S64, ir.Addr(p.obj, 0), ir.Int(ir.CellUnit))
	sum := &expr{kind: eBinary, op: ir.Add, start: e.start, end: e.end}
	n := &node{src: sum, op: ir.Add, x: pureNode(e, base), y: p.index, bad: p.index.bad}
	if p.index.pure != nil {
		n.pure = ir.Binary(ir.Add, ir.S64, base, p.index.pure)
	}
	return n
}

// cellReach bounds the indices whose address 8*e does not wrap around. It is
// more than ir.CellLimit, so that '&x' of a variable is within.
const cellReach = 1 << 60

// addr is the address of the place, given its index. An index so far off that
// the arithmetic of addresses would wrap around gets an address that is certainly
// wrong, so that the check at run time sees it.
func (p *place) addr(index *ir.Expr) *ir.Expr {
	if p.fixed != nil {
		return p.fixed
	}
	addr := index
	if p.unit != 1 {
		addr = ir.Binary(ir.Mul, ir.S64, index, ir.Int(p.unit))
	}
	lo, n, bad := int64(0), p.count, ir.Addr(p.obj, p.count*p.unit)
	if p.obj == ir.NoObject {
		lo, n, bad = -cellReach, 2*cellReach, ir.Int(-ir.CellLimit*ir.CellUnit)
	} else {
		addr = ir.Binary(ir.Add, ir.U64, ir.Addr(p.obj, 0), addr)
	}
	if r, ok := valueRange(index, nil); ok && r.lo >= lo && r.hi < lo+n {
		return addr
	}
	shifted := index
	if lo != 0 {
		shifted = ir.Binary(ir.Add, ir.S64, index, ir.Int(-lo))
	}
	return ir.Conditional(ir.Binary(ir.Lt, ir.U64, shifted, ir.Int(n)), addr, bad)
}

// same reports whether two places are written the same, their indices being pure.
func (p *place) same(q *place) bool {
	if p.obj != q.obj || p.typ != q.typ || (p.index == nil) != (q.index == nil) {
		return false
	}
	if p.index == nil {
		return p.fixed.Equal(q.fixed)
	}
	return p.index.pure != nil && q.index.pure != nil && p.index.pure.Equal(q.index.pure)
}

// op is the access to the place at the address.
func (c *compiler) access(kind ir.OpKind, p *place, addr *ir.Expr, order ir.Order) ir.Op {
	if p.index != nil {
		c.checks = true // the bounds are checked at run time
	}
	op := ir.NewOp(kind)
	op.Type, op.Order, op.Addr, op.Obj = p.typ, order, addr, p.obj
	return op
}
