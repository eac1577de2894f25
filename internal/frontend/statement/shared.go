package statement

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// cellRef is a shared variable: an element of an object, or a cell of mem.
type cellRef struct {
	obj   ir.ObjectID // NoObject: a cell
	typ   ir.Type
	unit  int64
	count int64 // elements of the object, counted in units
	index *node // which element; nil if fixed is set
	fixed *ir.Expr
	cell  int64 // number of a fixed cell
	name  string
	text  *Expr // as it is written
}

// cellRef resolves a shared variable; nil after an error.
func (s *Scope) cellRef(e *Expr) *cellRef {
	p := s.element(e)
	if p != nil {
		p.text = e
	}
	return p
}

func (s *Scope) element(e *Expr) *cellRef {
	if e.Kind == ExprMem {
		switch {
		case e.X.Kind == ExprName && s.Compiler.Vars[e.X.Name] != nil:
			return s.cellRef(e.X)
		case e.X.Kind == ExprAddr:
			return s.cellOf(e.X)
		}
		return s.cell(e)
	}
	v := s.variable(e)
	if v == nil {
		return nil
	}
	p := &cellRef{obj: v.Obj, typ: v.Typ, name: v.Name}
	switch e.Kind {
	case ExprName:
		if v.Array {
			s.Compiler.Errorf(codeNeedsIndex, e.Start, e.End, "array '%s' needs an index", Clip(v.Name))
			return nil
		}
		p.fixed = ir.Addr(v.Obj, 0)
		return p
	case ExprIndex:
		if !v.Array {
			s.Compiler.Errorf(codeNoIndex, e.Start, e.End, "'%s' is not an array", Clip(v.Name)).
				Note("%s.byte[i] is its byte i", Clip(v.Name))
			return nil
		}
	case ExprPart:
		p.typ = Types[e.Typ]
	default:
		panic("BUG: not a cell")
	}
	p.unit = int64(p.typ.Size())
	p.count = v.Size() / p.unit
	index := s.Resolve(e.X)
	i, ok := index.isConst()
	if !ok {
		p.index = index
		return p
	}
	if n := p.count; i < 0 || i >= n {
		d := s.Compiler.Errorf(codeBounds, e.X.Start, e.X.End, "index %d is out of bounds: '%s' has %d elements of %d bytes", i, Clip(v.Name), n, p.unit)
		if s.Thread != nil && s.Thread.Template {
			d.Note("in instance %s", s.Thread.InstanceName(int(s.Instance)))
		}
		return nil
	}
	p.fixed = ir.Addr(v.Obj, i*p.unit)
	return p
}

// variable is the shared variable a cell names; nil after an error.
func (s *Scope) variable(e *Expr) *Variable {
	if v := s.Compiler.Vars[e.Name]; v != nil {
		return v
	}
	_, reg := s.Register(e.Name)
	_, con := s.lookup(e)
	what := "a register"
	if con {
		what = "a constant"
	}
	switch {
	case !reg && !con:
		s.undeclared(e)
	case e.Kind == ExprIndex:
		s.Compiler.Errorf(codeNoIndex, e.Start, e.End, "'%s' is %s and takes no index", Clip(e.Name), what).
			Note("mem[%s] is the cell whose number it holds", Clip(e.Name))
	default:
		s.Compiler.Errorf(CodeNotShared, e.Start, e.End, "'%s' is %s; a shared variable is needed here", Clip(e.Name), what)
	}
	return nil
}

// cellRef resolves mem[e].
func (s *Scope) cell(e *Expr) *cellRef {
	p := &cellRef{obj: ir.NoObject, typ: ir.S64, unit: ir.CellUnit, name: "mem"}
	index := s.Resolve(e.X)
	v, ok := index.isConst()
	if !ok {
		p.index = index
		return p
	}
	if v <= -ir.CellLimit || v >= ir.CellLimit {
		s.Compiler.Errorf(codeCell, e.X.Start, e.X.End, "no cell has the number %d", v).
			Note("cell numbers lie between -2^59 and 2^59, exclusive")
		return nil
	}
	s.Compiler.numbers[v] = true
	p.cell = v
	p.fixed = ir.Int(v * ir.CellUnit)
	return p
}

// cellOf resolves the cell inside '&', which must be a whole cell.
func (s *Scope) cellOf(e *Expr) *cellRef {
	p := s.cellRef(e.X)
	if p != nil && p.typ != ir.S64 {
		s.Compiler.Errorf(codeAddress, e.Start, e.End, "'&' needs a variable of 8 bytes").
			Note("mem[&x] is always 8 bytes")
		return nil
	}
	return p
}

// address resolves '&' cell: the number e for which mem[e] is the cell.
func (s *Scope) address(e *Expr) *node {
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
	sum := &Expr{Kind: ExprBinary, Op: ir.Add, Start: e.Start, End: e.End}
	n := &node{src: sum, op: ir.Add, x: pureNode(e, base), y: p.index, Bad: p.index.Bad}
	if p.index.Pure != nil {
		n.Pure = ir.Binary(ir.Add, ir.S64, base, p.index.Pure)
	}
	return n
}

// cellReach bounds the indices whose address 8*e does not wrap around. It is
// more than ir.CellLimit, so that '&x' of a variable is within.
const cellReach = 1 << 60

// addr is the address of the cell, given its index. An index so far off that
// the arithmetic of addresses would wrap around gets an address that is certainly
// wrong, so that the check at run time sees it.
func (p *cellRef) addr(index *ir.Expr) *ir.Expr {
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
	if r, ok := analysis.RangeIn(nil, index); ok && r.Lo >= lo && r.Hi < lo+n {
		return addr
	}
	shifted := index
	if lo != 0 {
		shifted = ir.Binary(ir.Add, ir.S64, index, ir.Int(-lo))
	}
	return ir.Conditional(ir.Binary(ir.Lt, ir.U64, shifted, ir.Int(n)), addr, bad)
}

// same reports whether two cells are written the same, their indices being pure.
func (p *cellRef) same(q *cellRef) bool {
	if p.obj != q.obj || p.typ != q.typ || p.text.Order != q.text.Order || (p.index == nil) != (q.index == nil) {
		return false
	}
	if p.index == nil {
		return p.fixed.Equal(q.fixed)
	}
	return p.index.Pure != nil && q.index.Pure != nil && p.index.Pure.Equal(q.index.Pure)
}

// op is the access to the cell at the address.
func (c *Compiler) access(kind ir.OpKind, p *cellRef, addr *ir.Expr, order ir.Order) ir.Op {
	if p.index != nil {
		c.Checks = true // the bounds are checked at run time
	}
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Addr, op.Obj = p.typ, order, addr, p.obj
	c.written(&op, p.text)
	return op
}

// written gives an access the memory order that is written after its cell.
func (c *Compiler) written(op *ir.Op, e *Expr) {
	if e.Order == ir.OrderUnset {
		return
	}
	op.Sync.Order = e.Order
	bad := op.Kind == ir.RMW && e.Order == ir.Plain || op.Kind == ir.Store && (e.Order == ir.Acquire || e.Order == ir.AcqRel) ||
		op.Kind != ir.RMW && op.Kind != ir.Store && (e.Order == ir.Release || e.Order == ir.AcqRel)
	if bad {
		c.Errorf(codeOrder, e.Start, e.End, "the operation cannot have this memory order").
			Note("a load has na, rlx, acq or sc; a store has na, rlx, rel or sc; a read-modify-write has rlx, acq, rel, acq_rel or sc")
	}
	if op.Kind != ir.RMW && e.Fail != ir.OrderUnset || e.Fail == ir.Plain || e.Fail == ir.Release || e.Fail == ir.AcqRel {
		c.Errorf(codeOrder, e.Start, e.End, "only cas has a second memory order, for a cas that fails: rlx, acq or sc")
	}
	if e.Order == ir.Plain {
		op.Sync.Marks |= ir.NonAtomic
	}
}
