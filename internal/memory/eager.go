package memory

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Which locations a thread runs through without stopping (Settle). The steps from
// such a location form a persistent set of their own: whatever other threads and
// the thread's own buffer do meanwhile neither changes them nor is changed by
// them. Always so for local operations. With Options.Reduce also for
//   - a store under TSO and PSO: it only enters the own buffer, and entering at the
//     end commutes with leaving at the front. Not if its address may be a block
//     (whether that is valid depends on others), nor if a property reads memory in
//     states that are not final (there a pending store counts);
//   - a store-store fence, likewise; a full fence, once it is enabled;
//   - a load of an object no other thread touches, and under SC a store to one;
//   - loads and stores of own memory (own.go).
//
// With Options.Attacks loads and stores of an object no other thread touches are
// hurried, and nothing else that is not local: an attack may begin at any store and
// end at any load that others can notice.
//
// An operation that can be disabled for a while (a fence, a store into a bounded
// buffer, a load while another thread is in a section) is hurried only if it is the only way on: otherwise
// another way could be taken before it is enabled.
//
// Every cycle of the automaton must contain a location that is not hurried, and,
// for persistent sets, one at which all threads are considered: else a thread
// could go round forever while what the others might do is never looked at. Both
// are had by cutting the cycles at open locations, chosen where the thread stops
// anyway if possible.

type hurry struct {
	eager []bool
	open  []bool // a step from here is interleaved with everything
}

func eagerLocs(y *System, t ir.ThreadID, f *ir.Func, opt Options, facts *analysis.Facts) hurry {
	h := hurry{eager: make([]bool, len(f.Locs)), open: make([]bool, len(f.Locs))}
	for l := range f.Locs {
		loc := ir.Loc(l)
		out := f.Out(loc)
		h.eager[l] = len(out) > 0 && (opt.Visible == nil || !opt.Visible(t, loc))
		for _, i := range out {
			h.eager[l] = h.eager[l] && y.eagerOp(t, &f.Edges[i], len(out) == 1, opt, facts)
		}
	}
	if opt.Attacks {
		for _, l := range analysis.CutCycles(f, h.eager) {
			h.eager[l] = false
		}
		return h
	}
	if !opt.Reduce {
		for l := range f.Locs {
			h.eager[l] = h.eager[l] && !facts.LocalCycleHead(y.Prog.Threads[t].Func, ir.Loc(l))
		}
		return h
	}
	for _, l := range analysis.CutCycles(f, h.eager) {
		h.open[l] = true
		h.eager[l] = false
	}
	for l := range f.Locs {
		if !h.eager[l] && showsVisible(t, f, ir.Loc(l), h.eager, opt) {
			h.open[l] = true
		}
	}
	return h
}

func (y *System) eagerOp(t ir.ThreadID, e *ir.Edge, only bool, opt Options, facts *analysis.Facts) bool {
	op := &e.Op
	watched := false
	op.Defs(func(r ir.Reg) { watched = watched || opt.Watch != nil && opt.Watch(t, r) })
	if watched {
		return false
	}
	if op.Local() {
		return true
	}
	if opt.Attacks {
		return only && (op.Kind == ir.Load || op.Kind == ir.Store) && y.private(t, op, facts)
	}
	if !opt.Reduce {
		return false
	}
	if y.owned(e) && (op.Kind == ir.Load || op.Kind == ir.Store) {
		return only
	}
	switch op.Kind {
	case ir.Fence:
		return only || op.Fence == ir.StoreStoreFence
	case ir.Store:
		if !y.staticPlace(op, facts.Footprint(e)) || opt.MemoryVisible {
			return false
		}
		if y.Model == SC {
			return y.private(t, op, facts)
		}
		return only || opt.Buffer == 0 || !facts.CyclicStoresBut(y.Prog.Threads[t].Func, y.owned)
	case ir.Load:
		return only && y.private(t, op, facts) && !opt.MemoryVisible
	}
	return false
}

// staticPlace reports whether an access cannot reach an allocated block.
func (y *System) staticPlace(op *ir.Op, place analysis.Footprint) bool {
	return op.Obj != ir.NoObject || !place.Anything || y.Prog.Cells && !y.allocates()
}

func (y *System) allocates() bool {
	for _, f := range y.Prog.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Alloc {
				return true
			}
		}
	}
	return false
}

// private reports whether only thread t touches the object the access is in.
func (y *System) private(t ir.ThreadID, op *ir.Op, facts *analysis.Facts) bool {
	if op.Obj == ir.NoObject {
		return false
	}
	owner, ok := facts.PrivateObject(op.Obj)
	return ok && owner == t
}

// showsVisible reports whether a step from l, run on through eager locations,
// enters or leaves a location that a property names, or changes a register it
// watches.
func showsVisible(t ir.ThreadID, f *ir.Func, l ir.Loc, eager []bool, opt Options) bool {
	visible := func(l ir.Loc) bool { return opt.Visible != nil && opt.Visible(t, l) }
	if visible(l) {
		return true
	}
	seen := map[ir.Loc]bool{l: true}
	work := []ir.Loc{l}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(at) {
			e := &f.Edges[i]
			shown := visible(e.To)
			e.Op.Defs(func(r ir.Reg) { shown = shown || opt.Watch != nil && opt.Watch(t, r) })
			if shown {
				return true
			}
			if eager[e.To] && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return false
}
