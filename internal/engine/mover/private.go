package mover

import (
	"fencepost/internal/ir"
)

// Memory of one thread. A local variable that lives in memory and a thread-local one
// is an object per thread, which nobody else can reach. Of a template there is one
// object for all instances, so these objects become registers, of which every instance
// has its own. For the thread nothing changes: it always sees its own newest store,
// buffered or not.

// privatize turns objects of single threads into registers, where they are accessed
// at constant places that do not overlap. It gives back those that it cannot.
func privatize(p *ir.Program, private func(ir.ObjectID) bool) (left map[ir.ObjectID]bool) {
	left = map[ir.ObjectID]bool{}
	for o := range p.Objects {
		id := ir.ObjectID(o)
		if !private(id) {
			continue
		}
		if places, ok := placesOf(p, id); ok {
			replaceObject(p, id, places)
		} else {
			left[id] = true
		}
	}
	p.Seal()
	return left
}

// placesOf lists the places at which an object is accessed; not ok if it takes more
// than loads and stores there.
func placesOf(p *ir.Program, id ir.ObjectID) (map[int64]ir.Type, bool) {
	places := map[int64]ir.Type{}
	ok := true
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if mine := op.Accesses() && op.Addr.Op == ir.AddrOf && op.Addr.Obj == id; mine {
				t, seen := places[op.Addr.Value]
				if seen && t.Bits != op.Type.Bits || op.Kind != ir.Load && op.Kind != ir.Store {
					ok = false
				}
				places[op.Addr.Value] = op.Type
			} else if op.Obj == id {
				ok = false
			} else if op.Addr != nil {
				ok = ok && !names(op.Addr, id)
			}
			for _, e := range append([]*ir.Expr{op.Val, op.Val2, op.Cond}, op.Args...) {
				ok = ok && !names(e, id)
			}
		}
	}
	for a, t := range places {
		for b := range places {
			if a < b && a+int64(t.Size()) > b {
				ok = false
			}
		}
	}
	return places, ok
}

func names(e *ir.Expr, id ir.ObjectID) bool {
	found := false
	e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.AddrOf && e.Obj == id })
	return found
}

// replaceObject gives every function that accesses an object registers for it.
func replaceObject(p *ir.Program, id ir.ObjectID, places map[int64]ir.Type) {
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
				name := p.LocationName(o.Addr+uint64(off), places[off].Size())
				first := initialValue(p, o.Addr+uint64(off), places[off])
				f.Regs = append(f.Regs, ir.Register{Name: name, Init: first, Pos: o.Pos})
			}
			set := ir.NewOp(ir.Assign)
			if set.Dst, set.Val = r, e.Op.Val; e.Op.Kind == ir.Load {
				set.Dst, set.Val = e.Op.Dst, ir.R(r)
			}
			if t := e.Op.Type; t.Bits < 64 {
				set.Val = ir.Unary(ir.Cast, t, set.Val)
			}
			e.Op, e.Pass = set, Name
		}
	}
}
