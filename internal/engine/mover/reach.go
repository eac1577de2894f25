package mover

import "fencepost/internal/ir"

// Which loads may overtake a store [BEMT18 §4]: those that control reaches from it
// without passing an instruction that drains, and without a store of the thread to
// the address that is read, which the load would see in the buffer. The
// control-flow graph stands in for SC executions, which only adds loads.
//
// Differs from the paper: the store itself also hides its own address, since the
// load reads it from the buffer for as long as the store is there.

// overtaking lists the loads that may overtake the store w, in order of creation.
func (y *layout) overtaking(f *ir.Func, w *ir.Edge) []*ir.Edge {
	var loads []*ir.Edge
	for i := range f.Edges {
		e := &f.Edges[i]
		if e.Op.Reads() && !e.Op.MustDrain() && y.reaches(f, w, e) {
			loads = append(loads, e)
		}
	}
	return loads
}

// reaches reports whether the load may overtake the store w.
func (y *layout) reaches(f *ir.Func, w, load *ir.Edge) bool {
	if y.hides(&w.Op, &load.Op) {
		return false
	}
	seen := make([]bool, len(f.Locs))
	seen[w.To] = true
	for work := []ir.Loc{w.To}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == load.From {
			return true
		}
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			if e.Op.MustDrain() || e.Op.Kind == ir.Store && y.hides(&e.Op, &load.Op) || seen[e.To] {
				continue
			}
			seen[e.To] = true
			work = append(work, e.To)
		}
	}
	return false
}

// hides reports whether a store is certainly to the address of a load.
func (y *layout) hides(store, load *ir.Op) bool {
	v := env{prog: y.prog}
	constant := func(op *ir.Op) bool { return op.Addr.Op == ir.AddrOf || op.Addr.Op == ir.Const }
	if !constant(store) || !constant(load) {
		return false
	}
	return v.number(store.Addr) == v.number(load.Addr)
}
