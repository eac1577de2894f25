package analysis

import "fencepost/internal/ir"

// Facts are the static facts about a flat program that engines ask for repeatedly.
// NewFacts computes all of them, so that Facts are safe for concurrent use.
type Facts struct {
	p          *ir.Program
	funcs      []funcFacts
	footprints []Footprint   // by edge id
	owners     []ir.ThreadID // by object; NoThread if the object is not thread-private
}

type funcFacts struct {
	live         []Numbers[ir.Reg] // by location
	local        []bool            // by location
	cycleHead    []bool            // by location
	component    []int32           // by location: strongly connected component, -1 if unreachable
	cyclic       bool
	cyclicStores bool
}

// NewFacts computes the facts of p. keep reports which registers a property observes;
// these registers are live everywhere. keep may be nil.
func NewFacts(p *ir.Program, keep func(ir.FuncID, ir.Reg) bool) *Facts {
	if keep == nil {
		keep = func(ir.FuncID, ir.Reg) bool { return false }
	}
	fs := &Facts{p: p, funcs: make([]funcFacts, len(p.Funcs))}
	for i, f := range p.Funcs {
		ff := &fs.funcs[i]
		ff.live = liveness(f, func(r ir.Reg) bool { return keep(ir.FuncID(i), r) })
		ff.local = localLocs(f)
		ff.cycleHead = localCycleHeads(f, ff.local)
		ff.component = Components(f, nil)
		for j := range f.Edges {
			e := &f.Edges[j]
			if OnCycle(e, ff.component) {
				ff.cyclic = true
				ff.cyclicStores = ff.cyclicStores || buffered(&e.Op)
			}
		}
	}
	fs.footprints = Footprints(p)
	fs.owners = owners(p, fs.footprints)
	return fs
}

// LocalLoc reports whether edges leave l and all of them are local: no other thread can
// notice the next step of a thread at l, or change it.
func (fs *Facts) LocalLoc(f ir.FuncID, l ir.Loc) bool { return fs.funcs[f].local[l] }

// LocalCycleHead reports whether l belongs to a set of locations that cuts every cycle of
// edges that leave local locations. An engine that runs local steps eagerly stops there.
func (fs *Facts) LocalCycleHead(f ir.FuncID, l ir.Loc) bool { return fs.funcs[f].cycleHead[l] }

// Cyclic reports whether f has a cycle that its entry reaches.
func (fs *Facts) Cyclic(f ir.FuncID) bool { return fs.funcs[f].cyclic }

// CyclicStores reports whether such a cycle contains a store or free: then a store buffer
// can grow without bound.
func (fs *Facts) CyclicStores(f ir.FuncID) bool { return fs.funcs[f].cyclicStores }

// CyclicStoresBut is CyclicStores for f without the edges that skip reports.
func (fs *Facts) CyclicStoresBut(f ir.FuncID, skip func(*ir.Edge) bool) bool {
	if !fs.funcs[f].cyclicStores {
		return false
	}
	fn := fs.p.Funcs[f]
	for i := range fn.Edges {
		e := &fn.Edges[i]
		if buffered(&e.Op) && OnCycle(e, fs.funcs[f].component) && !skip(e) {
			return true
		}
	}
	return false
}

// buffered reports whether the operation adds an entry to a store buffer.
func buffered(op *ir.Op) bool { return op.Kind == ir.Store || op.Kind == ir.Free }

func localLocs(f *ir.Func) []bool {
	local := make([]bool, len(f.Locs))
	for l := range f.Locs {
		out := f.Out(ir.Loc(l))
		local[l] = len(out) > 0
		for _, i := range out {
			local[l] = local[l] && f.Edges[i].Op.Local()
		}
	}
	return local
}
