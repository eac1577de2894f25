package reduce

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Eager locations: locations that a thread runs through without stopping (Runner). The steps
// from such a location form a persistent set: steps of other threads and flushes of the
// thread's buffer neither change them nor are changed by them. Local operations are always
// eager. With Options.Reduce so are
//   - a store under TSO and PSO: it only enters the buffer, and entering at the end commutes
//     with leaving at the front. It is not eager if its address may lie in a block, whose
//     validity depends on other threads, or if a property reads memory in states that are not
//     final, where a pending store counts;
//   - a store-store fence, likewise, and a full fence once it is enabled;
//   - a load of an object that no other thread accesses, and under SC a store to one;
//   - loads and stores of memory that the system treats as thread-private.
//
// If the system was compiled for attacks, loads and stores of an object that no other thread
// accesses are eager, and nothing else that is not local: an attack may begin at any store and
// end at any load that others can notice.
//
// An operation that can be disabled for a while (a fence, a store into a bounded buffer, a load
// while another thread is in an atomic section) is eager only if no other edge leaves its
// location: otherwise the thread could take the other edge before the operation is enabled.
//
// Every cycle of the automaton needs a location that is not eager and, for persistent sets, one
// at which all threads are expanded (an open location): otherwise a thread could go round
// forever while the steps of other threads are ignored. Open locations cut all cycles; where
// possible they are locations that are not eager anyway.

// Options say what a search must not skip.
type Options struct {
	// Watch reports the registers that a property reads in states that are not final: a
	// thread stops after changing one. It may be nil.
	Watch func(ir.ThreadID, ir.Reg) bool
	// Visible reports the locations that a property names: a thread stops there. It may be
	// nil.
	Visible func(ir.ThreadID, ir.Loc) bool
	// MemoryVisible says that a property reads memory in states that are not final, so that
	// stores are not eager.
	MemoryVisible bool
	// Reduce makes more than local operations eager, and prepares footprints.
	Reduce bool
	// Bounded says that store buffers are bounded, so that a store can be disabled.
	Bounded bool
}

// Plan says which locations of a program are eager and, with Options.Reduce, what the edges
// there access. It is immutable and shared by workers.
type Plan struct {
	y     *memory.System
	opt   Options
	facts *analysis.Facts
	locs  [][]location // by thread and location
	atoms atoms
	base  []int // by thread: number of its first location
	count int   // of locations of all threads
}

type location struct {
	eager bool
	open  bool // a step from here is interleaved with everything
	waits bool // an edge waits for the end of another thread
	// What the edges access, and what they and all later edges access.
	next, future Footprint
}

// NewPlan computes the plan of a system.
func NewPlan(y *memory.System, opt Options) *Plan {
	p := &Plan{y: y, opt: opt, facts: y.Facts}
	for t := range y.Prog.Threads {
		p.base = append(p.base, p.count)
		p.locs = append(p.locs, p.thread(ir.ThreadID(t)))
		p.count += len(p.locs[t])
	}
	if opt.Reduce {
		p.addFootprints()
	}
	return p
}

// System returns the system of the plan.
func (p *Plan) System() *memory.System { return p.y }

// thread finds the eager and open locations of a thread.
func (p *Plan) thread(t ir.ThreadID) []location {
	f := p.y.Prog.ThreadFunc(t)
	eager, open := make([]bool, len(f.Locs)), make([]bool, len(f.Locs))
	for l := range f.Locs {
		loc := ir.Loc(l)
		out := f.Out(loc)
		eager[l] = len(out) > 0 && !p.visible(t, loc)
		for _, i := range out {
			eager[l] = eager[l] && p.eagerEdge(t, &f.Edges[i], len(out) == 1)
		}
	}
	switch {
	case p.y.Attacks:
		for _, l := range analysis.CutCycles(f, eager) {
			eager[l] = false
		}
	case !p.opt.Reduce:
		for l := range f.Locs {
			eager[l] = eager[l] && !p.facts.LocalCycleHead(p.y.Prog.Threads[t].Func, ir.Loc(l))
		}
	default:
		for _, l := range analysis.CutCycles(f, eager) {
			open[l] = true
			eager[l] = false
		}
		for l := range f.Locs {
			if !eager[l] && p.showsVisible(t, f, ir.Loc(l), eager) {
				open[l] = true
			}
		}
	}
	locs := make([]location, len(f.Locs))
	for l := range locs {
		locs[l] = location{eager: eager[l], open: open[l]}
	}
	return locs
}

func (p *Plan) visible(t ir.ThreadID, l ir.Loc) bool {
	return p.opt.Visible != nil && p.opt.Visible(t, l)
}

// watched reports whether an operation writes a register that a property reads.
func (p *Plan) watched(t ir.ThreadID, op *ir.Op) bool {
	found := false
	op.Defs(func(r ir.Reg) { found = found || p.opt.Watch != nil && p.opt.Watch(t, r) })
	return found
}

// eagerEdge reports whether an edge may be eager. only says that no other edge leaves its
// location.
func (p *Plan) eagerEdge(t ir.ThreadID, e *ir.Edge, only bool) bool {
	op := &e.Op
	if p.watched(t, op) {
		return false
	}
	if op.Local() {
		return true
	}
	if p.y.Attacks {
		return only && (op.Kind == ir.Load || op.Kind == ir.Store) && p.private(t, op)
	}
	if !p.opt.Reduce {
		return false
	}
	if p.y.PrivateAccess(e) && (op.Kind == ir.Load || op.Kind == ir.Store) {
		return only
	}
	switch op.Kind {
	case ir.Fence:
		return only || op.Fence == ir.StoreStoreFence
	case ir.Store:
		if !p.y.StaticAccess(e) || p.opt.MemoryVisible {
			return false
		}
		if p.y.Model == memory.SC {
			return p.private(t, op)
		}
		return only || !p.opt.Bounded || !p.facts.CyclicStoresBut(p.y.Prog.Threads[t].Func, p.y.PrivateAccess)
	case ir.Load:
		return only && p.private(t, op) && !p.opt.MemoryVisible
	}
	return false
}

// private reports whether only thread t accesses the object that the access must stay inside.
func (p *Plan) private(t ir.ThreadID, op *ir.Op) bool {
	if op.Obj == ir.NoObject {
		return false
	}
	owner, ok := p.facts.PrivateObject(op.Obj)
	return ok && owner == t
}

// showsVisible reports whether a step from l, continued through eager locations, enters or
// leaves a location that a property names, or changes a register that a property reads.
func (p *Plan) showsVisible(t ir.ThreadID, f *ir.Func, l ir.Loc, eager []bool) bool {
	if p.visible(t, l) {
		return true
	}
	seen := map[ir.Loc]bool{l: true}
	work := []ir.Loc{l}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(at) {
			e := &f.Edges[i]
			if p.visible(t, e.To) || p.watched(t, &e.Op) {
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

// at returns the location of thread t.
func (p *Plan) at(s *memory.State, t int) *location { return &p.locs[t][s.PC(ir.ThreadID(t))] }

// Open reports whether the next step of thread t must be interleaved with everything: a
// property sees the step, it cuts a cycle, or it concerns other threads.
func (p *Plan) Open(s *memory.State, t int) bool { return p.at(s, t).open }

// Waits reports whether an edge of thread t waits for something that is not memory: the end of
// another thread.
func (p *Plan) Waits(s *memory.State, t int) bool { return p.at(s, t).waits }

// Locs returns how many locations all threads have.
func (p *Plan) Locs() int { return p.count }

// LocID numbers the location of thread t among the locations of all threads.
func (p *Plan) LocID(s *memory.State, t int) int { return p.base[t] + int(s.PC(ir.ThreadID(t))) }
