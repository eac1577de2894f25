package instrument

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Auxiliary memory. The paper gives every address a of the program auxiliary
// addresses (a, d) and (a, hb) [BDM13 §5]. Here the whole memory is copied at a
// fixed distance: the auxiliary address of a in space i is a + i*shift, so that
// addresses that are only known at run time have auxiliary addresses too.
//
// Differs from the paper: (a, d) is two spaces, one for the value and one that says
// whether there is a value. If accesses of different sizes may overlap, spaces hold
// one entry per byte. A byte of level is 0, 1 if it was loaded, 3 if it was stored.
// A byte of delayed is 0, or 255 if the attacker wrote it, so that it serves as a mask.
// If no accesses overlap in part, one number per access suffices.

// space is a copy of memory.
type space int

const (
	_       space = iota
	value         // the value that the attacker wrote last
	delayed       // whether the attacker wrote
	level         // the highest level of access after the load: (a, hb)
	mark          // the helper whose unfinished section was the first to access it
	spaces  = int(mark)
)

var spaceNames = [...]string{"", "value", "delayed", "level", "mark"}

// farCell bounds the numbers of cells that have auxiliary cells. Executions that use
// other cells end in a Bound edge.
const farCell = 1 << 55

// cellBound is the name under which engines report that bound.
const cellBound = "cells"

// pointerCell is larger than all numbers of cells and at most as large as all pointers in
// programs whose cells are kept close together, for other tools with 32 bits.
const pointerCell = 1 << 29

// shadow lays out auxiliary memory and computes auxiliary addresses.
type shadow struct {
	p       *ir.Program               // the original program
	objects []ir.Object               // the objects of the result
	copies  [spaces + 1][]ir.ObjectID // by space and object of p: the copy
	shift   int64                     // the distance between spaces
	bytes   bool                      // accesses may overlap in part
	near    int64                     // the number of cells, if they are kept close together; else 0
	keys    bool                      // every access is to one cell: cells are compared by their numbers
	next    uint64                    // the address of the next auxiliary object
}

// newShadow lays out auxiliary memory. close keeps the cells of programs with
// cells near each other; without sections there are no marks.
func newShadow(p *ir.Program, close, sections bool) *shadow {
	s := &shadow{p: p, objects: append([]ir.Object(nil), p.Objects...)}
	s.bytes = !analysis.SameBytes(p)
	s.keys = p.Cells && !s.bytes && cellsOnly(p)
	end := s.measure(close)
	for i := 1; i <= spaces; i++ {
		if space(i) == mark && !sections {
			continue
		}
		s.copies[i] = make([]ir.ObjectID, len(p.Objects))
		for id := range p.Objects {
			s.copies[i][id] = s.copyObject(ir.ObjectID(id), space(i))
		}
	}
	s.next = end
	if s.near > 0 {
		s.next = end + uint64(int64(spaces)*s.shift)
		s.widen()
	}
	return s
}

// measure chooses the distance between spaces, and returns the first address after the
// objects.
func (s *shadow) measure(close bool) uint64 {
	first, end, window := ^uint64(0), uint64(0), int64(1)
	for i := range s.p.Objects {
		o := &s.p.Objects[i]
		if o.Cells {
			window = max(window, int64(o.Addr)/ir.CellUnit+o.Size/ir.CellUnit)
			continue
		}
		first, end = min(first, o.Addr), max(end, o.Addr+uint64(o.Size))
	}
	if end == 0 {
		end = 0x10000
		if s.p.Cells {
			end = ir.CellLimit * ir.CellUnit
		}
		first = end
	}
	end = (end + 31) &^ 15
	switch {
	case s.p.Cells && close:
		s.near = max(window, int64(end-first)/ir.CellUnit)
		s.shift = s.near * ir.CellUnit
	case s.p.Cells:
		s.shift = 1 << 59
	default:
		s.shift = 1 << 44
		for uint64(s.shift) < end {
			s.shift <<= 1
		}
	}
	return end
}

// copyObject adds the copy of an object in space i. Cells that are kept close together
// have no copy: widen makes room in their object.
func (s *shadow) copyObject(id ir.ObjectID, i space) ir.ObjectID {
	o := s.p.Objects[id]
	if o.Cells && s.near > 0 {
		return id
	}
	o.Name += "." + spaceNames[i]
	o.Addr += uint64(int64(i) * s.shift)
	o.Init = nil
	if i != value {
		o.Type = ir.Type{Bits: o.Type.Bits, Signed: !s.bytes}
	}
	s.objects = append(s.objects, o)
	return ir.ObjectID(len(s.objects) - 1)
}

// widen enlarges the object of the cells so that it holds the auxiliary cells.
func (s *shadow) widen() {
	size := int64(spaces+1) * s.shift
	for i := range s.objects {
		if s.objects[i].Cells {
			s.objects[i].Size = size
			return
		}
	}
	s.objects = append(s.objects, ir.Object{Name: "mem", Size: size, Unit: ir.CellUnit, Type: ir.S64, Cells: true})
}

// object adds an auxiliary object of n words.
func (s *shadow) object(name string, n int) ir.ObjectID {
	for taken := true; taken; {
		taken = false
		for i := range s.objects {
			if s.objects[i].Name == name {
				name, taken = name+"'", true
			}
		}
	}
	o := ir.Object{Name: name, Addr: s.next, Size: int64(8 * n), Unit: 8, Type: ir.S64}
	s.next = (s.next + uint64(o.Size) + 31) &^ 15
	s.objects = append(s.objects, o)
	return ir.ObjectID(len(s.objects) - 1)
}

// cellsOnly reports whether every access is to one whole cell.
func cellsOnly(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.AccessSize() == 0 {
				continue
			}
			if rest, ok := analysis.Residue(p, op.Addr, ir.CellUnit); !ok || rest != 0 || op.AccessSize() != ir.CellUnit {
				return false
			}
		}
	}
	return true
}

// addr returns the auxiliary address of address a in space i.
func (s *shadow) addr(a *ir.Expr, i space) *ir.Expr {
	by := int64(i) * s.shift
	if a.IsFixed() {
		v := uint64(a.Eval(ir.Env{Prog: s.p}))
		if id := s.p.FindObject(v, 1); id != ir.NoObject && !s.p.Objects[id].Cells {
			return ir.Addr(s.copies[i][id], int64(v-s.p.Objects[id].Addr))
		}
		return ir.Int(int64(v) + by)
	}
	if a = s.right(a); a.Op == ir.Ite {
		return ir.Conditional(a.X, s.addr(a.Y, i), s.addr(a.Z, i))
	}
	if x, ok := cellNumber(a); ok && s.p.Cells {
		return ir.Binary(ir.Mul, ir.S64, ir.Binary(ir.Add, ir.S64, x, ir.Int(by/ir.CellUnit)), ir.Int(ir.CellUnit))
	}
	return ir.Binary(ir.Add, ir.U64, a, ir.Int(by))
}

// right returns an address that was found valid, without the wrong address that front ends
// add for indices that are too large.
func (s *shadow) right(a *ir.Expr) *ir.Expr {
	for a.Op == ir.Ite && !a.IsFixed() {
		switch {
		case analysis.WrongAddress(s.p, a.Z):
			a = a.Y
		case analysis.WrongAddress(s.p, a.Y):
			a = a.Z
		default:
			return a
		}
	}
	return a
}

// cellNumber returns x if a is 8*x.
func cellNumber(a *ir.Expr) (*ir.Expr, bool) {
	if a.Op == ir.Mul && a.Type.Bits == 64 {
		if k, ok := a.Y.IsConst(); ok && k == ir.CellUnit {
			return a.X, true
		}
	}
	return nil, false
}

// key returns the expression that stands for an address in comparisons: the number of the
// cell if all accesses are to cells, else the address.
func (s *shadow) key(a *ir.Expr) *ir.Expr {
	if !s.keys {
		return a
	}
	if a = s.right(a); a.Op == ir.Ite && !a.IsFixed() {
		return ir.Conditional(a.X, s.key(a.Y), s.key(a.Z))
	}
	if x, ok := cellNumber(a); ok {
		return x
	}
	return ir.Binary(ir.Div, ir.S64, a, ir.Int(ir.CellUnit))
}

// meets returns the condition that n bytes at key a and m bytes at key b overlap.
func (s *shadow) meets(a *ir.Expr, n int, b *ir.Expr, m int) *ir.Expr {
	if s.keys {
		return ir.Binary(ir.Eq, ir.S64, a, b)
	}
	less := func(x, y *ir.Expr, k int) *ir.Expr {
		return ir.Binary(ir.Lt, ir.U64, ir.Binary(ir.Sub, ir.U64, x, y), ir.Int(int64(k)))
	}
	if !s.bytes {
		return ir.Binary(ir.Eq, ir.U64, a, b)
	}
	return ir.Binary(ir.LOr, ir.S64, less(a, b, m), less(b, a, n))
}

// access returns an access to the auxiliary address of a, the address of an operation, in
// space i.
func (s *shadow) access(kind ir.OpKind, op *ir.Op, a *ir.Expr, i space) ir.Op {
	out := ir.NewOp(kind)
	out.Type, out.Sync.Order, out.Addr = s.word(op).typ(), ir.Plain, s.addr(a, i)
	if op.Obj != ir.NoObject {
		out.Obj = s.copies[i][op.Obj]
	}
	return out
}
