package robust

import (
	"context"

	"fencepost/internal/analysis"
	"fencepost/internal/budget"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Static filters. An attack is a pair of a store and a later load of one thread, or, under
// PSO, of a store and a later load or store; many can be ruled out by looking at the program
// alone. Below, load means the second of the two. A pair is left out if
//
//   - fenced: every way from the store to the load drains the buffer, or there is
//     none; a store-store fence on the way keeps a second store from being first;
//   - apart: no other thread can access what the store writes, or none can write what
//     the load reads: then no path leads from the load, or to the store; or no other thread
//     has started at the store, so that the buffer drains before one does;
//   - forwarded: on every way from the store to the load, stores of the thread at constant
//     addresses, the first one among them, have all bytes of the load, which therefore takes no
//     byte from memory while the store is pending (W5; forwarded.go); two stores at constant
//     addresses that share a byte reach memory in order;
//   - acyclic: no chain of conflicting accesses of other threads, in program order
//     inside each, leads from the load to the store. This is [BDM13 Lemma 3] with all
//     values ignored: the helper steps that the search could take after the load are
//     among the edges the chain can reach.
//
// The bytes that an edge may access come from analysis.Facts; they are everything where the
// address is not known, so the filters hold for computed addresses too.
//
// Differs from the paper: it mentions such checks without saying which
// [BDM13 §1]; pairs that are left are not asked one by one, but open and close
// attacks in the one search.

// storing reports whether the operation enters the buffer.
func storing(op *ir.Op) bool { return op.Kind == ir.Store || op.Kind == ir.Free }

// overstepped reports whether others may notice the operation and it may run with
// stores pending: a load, or what counts as one.
func overstepped(op *ir.Op) bool {
	switch op.Kind {
	case ir.Load, ir.AbstractLoad, ir.Await, ir.Signal, ir.Broadcast, ir.Alloc:
		return true
	case ir.Lock, ir.TryLock, ir.Unlock:
		return op.Mutex.Kind == ir.RecursiveMutex
	}
	return false
}

// filterKinds are the filters to apply.
type filterKinds struct{ fenced, apart, forwarded, acyclic bool }

func allFilters(on bool) filterKinds { return filterKinds{on, on, on, on} }

// newPlan applies the filters. It stops when ctx is done: what it gives then must
// not be used.
func newPlan(ctx context.Context, p *ir.Program, model memory.Model, on filterKinds, all everyAttack) *plan {
	fl := &filterer{
		ctx: ctx, budget: budget.Of(ctx), p: p, facts: analysis.NewFacts(p, nil), pl: &plan{threads: make([]threadPlan, len(p.Threads))},
		on: on, swaps: model == memory.PSO, all: all, stores: map[*ir.Func][]*ir.Edge{}, sections: map[*ir.Func][]bool{},
	}
	fl.findAccesses()
	for t := range p.Threads {
		fl.thread(ir.ThreadID(t))
	}
	f := &fl.pl.filters
	f.Left = f.Pairs - f.Fenced - f.Apart - f.Forwarded - f.Acyclic
	return fl.pl
}

type filterer struct {
	ctx    context.Context
	budget *budget.Budget
	steps  int64 // of the filters that are not counted as work yet
	p      *ir.Program
	facts  *analysis.Facts
	pl     *plan
	on     filterKinds
	swaps  bool // a later store may reach memory first
	all    everyAttack

	access   []edgeAccess // by edge id
	conflict [][]*ir.Edge // by edge id: edges that may access the same, one of the two writing
	threads  [][]int      // by edge id: the threads that run it
	index    []int32      // by edge id: its position in its function
	asked    []uint8      // by edge id: whether it conflicts with an edge of another thread than the present one
	stores   map[*ir.Func][]*ir.Edge
	sections map[*ir.Func][]bool
	compared int // pairs of edges that were compared, for tests
}

// edgeAccess describes what an edge may access.
type edgeAccess struct {
	foot  analysis.Footprint
	any   bool // accesses something that others can reach
	write bool
	block bool // allocates or frees: writes whether blocks exist
	heap  bool // may lie in a block
}

func (fl *filterer) findAccesses() {
	fl.access = make([]edgeAccess, fl.p.NextEdge)
	fl.conflict = make([][]*ir.Edge, fl.p.NextEdge)
	fl.threads = make([][]int, fl.p.NextEdge)
	fl.index = make([]int32, fl.p.NextEdge)
	for t := range fl.p.Threads {
		f := fl.p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			fl.threads[f.Edges[i].ID] = append(fl.threads[f.Edges[i].ID], t)
		}
	}
	var all, writing []*ir.Edge
	for _, f := range fl.p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			fl.index[e.ID] = int32(i)
			if len(fl.threads[e.ID]) == 0 {
				continue
			}
			if fl.access[e.ID] = fl.accessOf(e); fl.access[e.ID].any {
				all = append(all, e)
				if fl.access[e.ID].write {
					writing = append(writing, e)
				}
			}
		}
	}
	for _, e := range all {
		others := writing // two reads do not conflict
		if fl.access[e.ID].write {
			others = all
		}
		if fl.over(len(others)) {
			return
		}
		for _, g := range others {
			if fl.conflicting(e.ID, g.ID) {
				fl.conflict[e.ID] = append(fl.conflict[e.ID], g)
			}
		}
	}
}

// compareCost is the cost of a comparison or of a visit of an edge, as work.
const compareCost = 20

// over counts n comparisons or visits of edges as work, and reports whether the time is over.
func (fl *filterer) over(n int) bool {
	if fl.steps += int64(n); fl.steps < 64 {
		return false
	}
	n64 := fl.steps
	fl.steps = 0
	return fl.budget.Spend(fl.ctx, n64*compareCost) != nil
}

func (fl *filterer) accessOf(e *ir.Edge) edgeAccess {
	pc := edgeAccess{foot: fl.facts.Footprint(e)}
	switch e.Op.Kind {
	case ir.Load, ir.AbstractLoad, ir.Await:
		pc.any = true
	case ir.Store, ir.RMW, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		pc.any, pc.write = true, true
	case ir.Alloc, ir.Free:
		return edgeAccess{any: true, write: true, block: true, heap: true}
	}
	pc.heap = pc.foot.Anything
	for _, r := range pc.foot.Ranges {
		pc.heap = pc.heap || fl.p.FindObject(uint64(r.Lo), int(r.Hi-r.Lo)) == ir.NoObject
	}
	return pc
}

// conflicting reports whether two edges may access the same, one of them writing.
func (fl *filterer) conflicting(a, b ir.EdgeID) bool {
	fl.compared++
	x, y := &fl.access[a], &fl.access[b]
	if !x.write && !y.write {
		return false
	}
	if x.block || y.block {
		return x.heap && y.heap
	}
	return x.foot.Overlaps(y.foot)
}

// elsewhere reports whether an edge of the thread that is looked at conflicts with one of another thread.
func (fl *filterer) elsewhere(t ir.ThreadID, e ir.EdgeID) bool {
	if fl.asked[e] == unasked {
		fl.asked[e] = onlyHere
		if fl.conflictsElsewhere(t, e) {
			fl.asked[e] = elsewhere
		}
	}
	return fl.asked[e] == elsewhere
}

// The answers of elsewhere that are known.
const (
	unasked = iota
	onlyHere
	elsewhere
)

func (fl *filterer) conflictsElsewhere(t ir.ThreadID, e ir.EdgeID) bool {
	fl.steps += int64(len(fl.conflict[e]))
	for _, g := range fl.conflict[e] {
		for _, u := range fl.threads[g.ID] {
			if u != int(t) {
				return true
			}
		}
	}
	return false
}

// thread looks at the pairs of one thread.
func (fl *filterer) thread(t ir.ThreadID) {
	f := fl.p.ThreadFunc(t)
	tp := &fl.pl.threads[t]
	tp.store, tp.load = make([]int32, fl.p.NextEdge), make([]int32, fl.p.NextEdge)
	reachable := analysis.Components(f, nil)
	var stores, loads []*ir.Edge
	for i := range f.Edges {
		e := &f.Edges[i]
		if reachable[e.From] < 0 {
			continue
		}
		if storing(&e.Op) {
			stores = append(stores, e)
		}
		// A free brings a store-store fence: it reaches memory after all older stores.
		if overstepped(&e.Op) || fl.swaps && e.Op.Kind == ir.Store {
			loads = append(loads, e)
			tp.load[e.ID] = int32(len(loads))
		}
	}
	fl.stores[f] = stores
	fl.asked = make([]uint8, fl.p.NextEdge)
	into := make([][]int32, len(f.Locs))
	for i := range f.Edges {
		into[f.Edges[i].To] = append(into[f.Edges[i].To], int32(i))
	}
	chains := fl.newChains(t)
	alone := fl.alone(t)
	for _, s := range stores {
		if fl.over(len(f.Edges) + len(loads)) {
			return
		}
		row := make([]bool, len(loads))
		unfenced := analysis.Undrained(f, s.To, nil)
		unordered := unfenced
		if fl.swaps {
			unordered = analysis.Undrained(f, s.To, orders)
		}
		some := false
		for i, l := range loads {
			fl.pl.filters.Pairs++
			reached := unfenced
			if storing(&l.Op) {
				reached = unordered
			}
			row[i] = fl.keeps(t, s, l, reached[l.From], alone[s.From], chains)
			some = some || row[i]
		}
		if some {
			tp.add(s.ID, row, stillOpen(f, into, tp, row))
		}
	}
}

// alone reports, by location, whether no thread other than t has started when t is there.
func (fl *filterer) alone(t ir.ThreadID) []bool {
	f := fl.p.ThreadFunc(t)
	out := make([]bool, len(f.Locs))
	for u := range fl.p.Threads {
		if fl.p.Threads[u].Start != (u == int(t)) {
			return out
		}
	}
	for l := range out {
		out[l] = true
	}
	var work []ir.Loc
	reach := func(l ir.Loc) {
		if out[l] {
			out[l] = false
			work = append(work, l)
		}
	}
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Op.Kind == ir.Spawn {
			reach(e.To)
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(at) {
			reach(f.Edges[i].To)
		}
	}
	return out
}

// keeps applies the filters to a pair in order of their cost.
func (fl *filterer) keeps(t ir.ThreadID, s, l *ir.Edge, unfenced, alone bool, chains *chains) bool {
	f := &fl.pl.filters
	switch {
	case fl.on.fenced && !unfenced:
		f.Fenced++
		return false
	case fl.on.apart && (alone || !fl.elsewhere(t, s.ID) && fl.on.acyclic || !fl.elsewhere(t, l.ID)):
		f.Apart++
		return false
	case fl.on.forwarded && (storing(&l.Op) && fl.shares(s, l) || fl.forwards(fl.p.ThreadFunc(t), s, l)):
		f.Forwarded++
		return false
	case !fl.on.acyclic:
		return true
	}
	chain := chains.after(l)
	for _, g := range fl.conflict[s.ID] {
		if chain[g.ID] {
			return true
		}
	}
	f.Acyclic++
	return false
}

// shares reports whether two stores at constant addresses have a byte in common.
func (fl *filterer) shares(s, l *ir.Edge) bool {
	x, ok1 := fl.facts.Exact(s)
	y, ok2 := fl.facts.Exact(l)
	return ok1 && ok2 && x.Overlaps(y)
}

// orders reports whether an operation keeps later stores after the earlier ones.
func orders(e *ir.Edge) bool { return e.Op.Kind == ir.Fence && e.Op.Fence == ir.StoreStoreFence }

// stillOpen is the locations from which an allowed load can be reached without
// draining. into has the edges that lead to each location.
func stillOpen(f *ir.Func, into [][]int32, tp *threadPlan, row []bool) []bool {
	open := make([]bool, len(f.Locs))
	var work []ir.Loc
	reach := func(e *ir.Edge) {
		if !open[e.From] && !analysis.Drains(&e.Op) {
			open[e.From] = true
			work = append(work, e.From)
		}
	}
	for i := range f.Edges {
		if col := tp.load[f.Edges[i].ID]; col > 0 && row[col-1] {
			reach(&f.Edges[i])
		}
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range into[l] {
			reach(&f.Edges[i])
		}
	}
	return open
}
