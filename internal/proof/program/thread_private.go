package program

import (
	"fencepost/internal/ir"
)

// Thread-private memory. A local variable in memory, or a thread-local one, is an object per thread
// that no other thread accesses. A template has one object for all its instances, so these objects
// become registers, of which every instance has a copy. Nothing changes for the thread: it always
// reads its newest store, buffered or not.

// Privatize turns thread-private objects into registers, if they are accessed at constant addresses
// without overlap. It returns the objects for which that is not possible.
func Privatize(p *ir.Program, private func(ir.ObjectID) bool) (left map[ir.ObjectID]bool) {
	left = map[ir.ObjectID]bool{}
	for o := range p.Objects {
		id := ir.ObjectID(o)
		if !private(id) {
			continue
		}
		if cells, ok := cellsOf(p, id); ok {
			replaceObject(p, id, cells)
		} else {
			left[id] = true
		}
	}
	p.Seal()
	return left
}

// cellsOf returns the offsets at which an object is accessed. It returns false if there are
// operations other than loads and stores.
func cellsOf(p *ir.Program, id ir.ObjectID) (map[int64]ir.Type, bool) {
	cells := map[int64]ir.Type{}
	ok := true
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if mine := op.Accesses() && op.Addr.Op == ir.AddrOf && op.Addr.Obj == id; mine {
				t, seen := cells[op.Addr.Value]
				if seen && t.Bits != op.Type.Bits || op.Kind != ir.Load && op.Kind != ir.Store {
					ok = false
				}
				cells[op.Addr.Value] = op.Type
			} else if op.Obj == id {
				ok = false
			} else if op.Addr != nil {
				ok = ok && !names(op.Addr, id)
			}
			for _, e := range append([]*ir.Expr{op.Val, op.Val2, op.Cond}, op.Call.Args...) {
				ok = ok && !names(e, id)
			}
		}
	}
	for a, t := range cells {
		for b := range cells {
			if a < b && a+int64(t.Size()) > b {
				ok = false
			}
		}
	}
	return cells, ok
}

func names(e *ir.Expr, id ir.ObjectID) bool {
	found := false
	e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.AddrOf && e.Obj == id })
	return found
}

// replaceObject replaces an object by registers in every function that accesses it.
func replaceObject(p *ir.Program, id ir.ObjectID, cells map[int64]ir.Type) {
	o := &p.Objects[id]
	for _, f := range p.Funcs {
		regs := map[int64]ir.Reg{}
		for i := range f.Edges {
			e := &f.Edges[i]
			if !e.Op.Accesses() || e.Op.Addr.Op != ir.AddrOf || e.Op.Addr.Obj != id {
				continue
			}
			off := e.Op.Addr.Value
			r, ok := regs[off]
			if !ok {
				r = ir.Reg(len(f.Regs))
				regs[off] = r
				name := p.LocationName(o.Addr+uint64(off), cells[off].Size())
				first := InitialValue(p, o.Addr+uint64(off), cells[off])
				f.Regs = append(f.Regs, ir.Register{Name: name, Init: first, Pos: o.Pos})
			}
			set := ir.NewOp(ir.Assign)
			if set.Dst, set.Val = r, e.Op.Val; e.Op.Kind == ir.Load {
				set.Dst, set.Val = e.Op.Dst, ir.R(r)
			}
			if t := e.Op.Type; t.Bits < 64 {
				set.Val = ir.Unary(ir.Cast, t, set.Val)
			}
			e.Op, e.Pass = set, passName
		}
	}
}
