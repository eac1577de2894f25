package ir

// Static facts about flat programs that every engine may ask for. Everything is
// computed by NewFacts or is a pure function of it, so Facts are safe for
// concurrent use.

// Facts about a flat program.
type Facts struct {
	p      *Program
	funcs  []funcFacts
	places []Footprint // by edge id
	owners []ThreadID  // by object; NoThread if not private
}

type funcFacts struct {
	live         []regSet // by location
	local        []bool   // by location
	cycleHead    []bool   // by location
	component    []int32  // by location: strongly connected component, -1 if unreachable
	cyclic       bool
	cyclicStores bool
	edges        map[EdgeID]int32
}

// NewFacts computes the facts. keep says which registers a property observes:
// these are live everywhere. keep may be nil.
func NewFacts(p *Program, keep func(FuncID, Reg) bool) *Facts {
	if keep == nil {
		keep = func(FuncID, Reg) bool { return false }
	}
	fs := &Facts{p: p, funcs: make([]funcFacts, len(p.Funcs))}
	for i, f := range p.Funcs {
		ff := &fs.funcs[i]
		ff.live = liveness(f, func(r Reg) bool { return keep(FuncID(i), r) })
		ff.local = localLocs(f)
		ff.cycleHead = localCycleHeads(f, ff.local)
		ff.component = f.Components(nil)
		ff.edges = make(map[EdgeID]int32, len(f.Edges))
		for j := range f.Edges {
			e := &f.Edges[j]
			ff.edges[e.ID] = int32(j)
			if inCycle(e, ff.component) {
				ff.cyclic = true
				ff.cyclicStores = ff.cyclicStores || e.Op.Kind == Store || e.Op.Kind == Free
			}
		}
	}
	fs.places = footprints(p)
	fs.owners = owners(p, fs.places)
	return fs
}

// LocalLoc reports whether some edges leave l and all of them are local: what
// the thread does next is no other thread's business.
func (fs *Facts) LocalLoc(f FuncID, l Loc) bool { return fs.funcs[f].local[l] }

// LocalCycleHead reports whether l belongs to a set of locations that cuts every
// cycle of edges that leave local locations. Whoever runs local steps eagerly
// compares states there.
func (fs *Facts) LocalCycleHead(f FuncID, l Loc) bool { return fs.funcs[f].cycleHead[l] }

// Cyclic reports whether f has a cycle that its entry reaches.
func (fs *Facts) Cyclic(f FuncID) bool { return fs.funcs[f].cyclic }

// CyclicStores reports whether such a cycle contains a store or free: buffers
// may grow without bound.
func (fs *Facts) CyclicStores(f FuncID) bool { return fs.funcs[f].cyclicStores }

// CyclicStoresBut is CyclicStores without the edges to be skipped.
func (fs *Facts) CyclicStoresBut(f FuncID, skip func(*Edge) bool) bool {
	if !fs.funcs[f].cyclicStores {
		return false
	}
	fn := fs.p.Funcs[f]
	for i := range fn.Edges {
		e := &fn.Edges[i]
		if (e.Op.Kind == Store || e.Op.Kind == Free) && inCycle(e, fs.funcs[f].component) && !skip(e) {
			return true
		}
	}
	return false
}

func localLocs(f *Func) []bool {
	local := make([]bool, len(f.Locs))
	for l := range f.Locs {
		out := f.Out(Loc(l))
		local[l] = len(out) > 0
		for _, i := range out {
			local[l] = local[l] && f.Edges[i].Op.Local()
		}
	}
	return local
}
