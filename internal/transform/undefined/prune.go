//go:build !fencepost_small

package undefined

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// What of the masks is needed. A mask that reaches no check is dropped, and then the masks that it alone was computed
// from. Memory holds masks only of objects and blocks that a load with a mask may read. The sets shrink until nothing
// changes. A function in which nothing is left is as it was before the pass.

// prune drops what no check needs.
func (u *undefiner) prune() {
	for changed := true; changed; {
		changed = false
		read := u.readWithMask()
		for id := range u.out.Funcs {
			changed = u.pruneStores(u.out.Funcs[id], read) || changed
			changed = u.pruneDead(ir.FuncID(id)) || changed
		}
	}
	read := u.readWithMask()
	for o := range u.out.Objects {
		u.out.Objects[o].Masked = read.objects[o]
	}
	for id, f := range u.out.Funcs {
		if !added(f) {
			u.out.Funcs[id] = u.p.Funcs[id]
		}
	}
}

// added reports whether a function has code of the pass.
func added(f *ir.Func) bool {
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Pass == Pass || e.Op.Undef.Val != nil || e.Op.Undef.Dst != ir.NoReg {
			return true
		}
	}
	return false
}

// maskedMemory is memory whose masks loads read.
type maskedMemory struct {
	objects []bool
	blocks  bool
}

// any reports whether loads read masks of something.
func (m maskedMemory) any() bool { return m.blocks || slices.Contains(m.objects, true) }

// readWithMask returns the memory that loads with masks may read, as far as it may be undefined.
func (u *undefiner) readWithMask() maskedMemory {
	m := maskedMemory{objects: make([]bool, len(u.p.Objects))}
	for id, f := range u.out.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Undef.Dst == ir.NoReg {
				continue
			}
			anywhere := u.reachFoot(u.footOf(e), func(o ir.ObjectID) {
				_, tracked := u.flows[id].first[o]
				m.objects[o] = m.objects[o] || tracked && !u.footOf(e).Anything || u.shared[o]
			})
			m.blocks = m.blocks || anywhere
		}
	}
	return m
}

// footOf returns the footprint of an edge that the pass may have made.
func (u *undefiner) footOf(e *ir.Edge) analysis.Footprint {
	if int(e.ID) < len(u.foot) {
		return u.foot[e.ID]
	}
	return analysis.FootprintOf(u.p, &e.Op)
}

// pruneStores drops the masks of stores to memory whose masks no load reads.
func (u *undefiner) pruneStores(f *ir.Func, read maskedMemory) bool {
	changed := false
	for i := range f.Edges {
		e := &f.Edges[i]
		if e.Op.Undef.Val == nil {
			continue
		}
		needed := false
		anywhere := u.reach(e, func(o ir.ObjectID) { needed = needed || read.objects[o] })
		if !needed && !(anywhere && read.blocks) {
			e.Op.Undef.Val, changed = nil, true
		}
	}
	return changed
}

// pruneDead drops masks that are never read.
func (u *undefiner) pruneDead(id ir.FuncID) bool {
	f := u.out.Funcs[id]
	first := ir.Reg(len(u.p.Funcs[id].Regs)) // the first register of the pass
	f.Reindex()
	live := analysis.Liveness(f)
	moved := map[ir.Loc]ir.Loc{} // locations that are the same as another now
	kept, changed := f.Edges[:0:0], false
	for i := range f.Edges {
		e := f.Edges[i]
		switch {
		case e.Pass == Pass && e.Op.Kind == ir.Assign && e.Op.Dst >= first && !live(e.To, e.Op.Dst):
			moved[e.To], changed = e.From, true
			continue
		case e.Op.Kind == ir.Load && e.Op.Undef.Dst != ir.NoReg && !live(e.To, e.Op.Undef.Dst):
			e.Op.Undef.Dst, changed = ir.NoReg, true
		}
		kept = append(kept, e)
	}
	for i := range kept {
		for to, is := moved[kept[i].From]; is; to, is = moved[kept[i].From] {
			kept[i].From = to
		}
	}
	f.Edges = kept
	return changed
}
