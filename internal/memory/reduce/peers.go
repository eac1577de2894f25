//go:build !fencepost_small

package reduce

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Peers finds the groups of threads that can be exchanged in executions, in the order in which they start. Other than
// Groups it takes programs with mutexes, spawns and joins: executions have no states in which a number of a thread would
// stand. docs/engines/symmetry.md says why what is tested here is enough. Threads that named reports belong to no group.
//
// What main does, as far as it matters, is found by running it alone: before the first spawn it is alone, and from there
// to the last join it may do only what does not depend on other threads.
func Peers(y *memory.System, named func(ir.ThreadID) bool) [][]ir.ThreadID {
	r := &rehearsal{y: y, p: y.Prog, s: y.NewState(), joined: map[ir.ThreadID]bool{}}
	r.s.Record = true
	if ownersRead(y.Prog, y.Facts) || !r.run() {
		return nil
	}
	var groups [][]ir.ThreadID
next:
	for _, t := range r.started {
		if named(t) || r.p.Threads[t].Unbounded || hasKind(r.p.ThreadFunc(t), ir.Alloc, ir.Free) {
			continue
		}
		for g := range groups {
			if u := groups[g][0]; r.joined[u] == r.joined[t] && sameThread(r.p, u, t) && r.sameArguments(u, t) {
				groups[g] = append(groups[g], t)
				continue next
			}
		}
		groups = append(groups, []ir.ThreadID{t})
	}
	return slices.DeleteFunc(groups, func(g []ir.ThreadID) bool { return len(g) < 2 })
}

// hasKind reports whether a function has an operation of one of the kinds.
func hasKind(f *ir.Func, kinds ...ir.OpKind) bool {
	return slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return slices.Contains(kinds, e.Op.Kind) })
}

// ownersRead reports whether an operation may read the word of a mutex, which names its owner, as a value.
func ownersRead(p *ir.Program, facts *analysis.Facts) bool {
	var words analysis.Footprint
	each := func(f func(*ir.Edge)) {
		for t := range p.Threads {
			edges := p.ThreadFunc(ir.ThreadID(t)).Edges
			for i := range edges {
				f(&edges[i])
			}
		}
	}
	each(func(e *ir.Edge) {
		if e.Op.Kind == ir.Lock || e.Op.Kind == ir.TryLock {
			foot := facts.Footprint(e)
			words.Anything, words.Ranges = words.Anything || foot.Anything, append(words.Ranges, foot.Ranges...)
		}
	})
	words = words.Disjoint()
	read := false
	each(func(e *ir.Edge) {
		read = read || e.Op.Reads() && e.Op.Mutex.Test == ir.MutexUntested && !e.Op.Blind() && facts.Footprint(e).OverlapsDisjoint(words)
	})
	return read
}

// rehearsal runs main alone, with joins that do not wait.
type rehearsal struct {
	y       *memory.System
	p       *ir.Program
	s       *memory.State
	started []ir.ThreadID // in this order
	joined  map[ir.ThreadID]bool
	alone   bool // no other thread has started
	seen    bool // main has done something that others can notice since it is not alone
	left    bool // and after a join
}

// maxRehearsal bounds the steps of main that are run.
const maxRehearsal = 1 << 14

// run runs main up to its last join. It returns false if other threads start or join threads, or if more than the code of
// threads depends on when main starts and joins them.
func (r *rehearsal) run() bool {
	r.alone = true
	for t := range r.p.Threads {
		id := ir.ThreadID(t)
		if id == r.p.Main {
			continue
		}
		if hasKind(r.p.ThreadFunc(id), ir.Spawn, ir.Join) {
			return false
		}
		if r.s.Started(id) {
			r.started, r.alone = append(r.started, id), false
		}
	}
	if r.p.Main == ir.NoThread {
		return true
	}
	for range maxRehearsal {
		more, ok := r.step()
		if !ok {
			return false
		}
		if !more {
			return !r.mayStartOrJoin()
		}
	}
	return false
}

// step runs the next step of main. more says that there may be others, and ok that threads may still be exchanged.
func (r *rehearsal) step() (more, ok bool) {
	main := int(r.p.Main)
	r.drain()
	th := r.y.Thread(r.s, main)
	if th.Ended() || !r.s.Running(r.p.Main) {
		return false, true
	}
	st, edge, one := r.only(th)
	if !one {
		return false, true
	}
	switch op := &edge.Op; {
	case op.Kind == ir.Spawn:
		if r.seen || len(r.joined) > 0 {
			return false, false
		}
	case op.Kind == ir.Join:
		u := th.JoinTarget(st.Edge)
		if u < 0 || r.left || op.Dst != ir.NoReg {
			return false, false
		}
		r.joined[ir.ThreadID(u)] = true
	case r.alone || op.Local() && op.Kind != ir.Havoc || r.private(edge):
	case op.Kind == ir.Store || op.Kind == ir.Fence && op.Fence != ir.GlobalFence:
		r.seen, r.left = true, len(r.joined) > 0
	default:
		return false, true
	}
	r.y.Apply(r.s, st)
	if _, bad := r.s.Fault(); bad || r.s.Over() || r.s.Err != nil {
		return false, true
	}
	if edge.Op.Kind == ir.Spawn {
		r.started, r.alone = append(r.started, ir.ThreadID(r.s.Event.Other-1)), false
	}
	return true, true
}

// drain lets the stores of main reach memory.
func (r *rehearsal) drain() {
	for len(r.s.Buffer(r.p.Main)) > 0 {
		en := r.s.Buffer(r.p.Main)[0]
		st, ok := r.y.Thread(r.s, int(r.p.Main)).FindFlush(en.Addr, en.Size)
		if !ok {
			return
		}
		r.y.Apply(r.s, st)
	}
}

// only returns the only step that main can take, where a join can be taken at once, and its edge.
func (r *rehearsal) only(th memory.Thread) (memory.Step, *ir.Edge, bool) {
	var steps []memory.Step
	f := r.p.ThreadFunc(r.p.Main)
	out := f.Out(r.s.PC(r.p.Main))
	if len(out) == 1 && f.Edges[out[0]].Op.Kind == ir.Join {
		steps = append(steps, memory.Step{Thread: int32(r.p.Main), Kind: memory.Exec})
	} else {
		steps = r.y.EnabledEdges(r.s, int(r.p.Main), nil)
	}
	if len(steps) != 1 || steps[0].Kind != memory.Exec || th.Op(steps[0].Edge).Kind == ir.AtomicBegin && !r.alone {
		return memory.Step{}, nil, false
	}
	return steps[0], r.y.EdgeOf(r.s, steps[0]), true
}

// private reports whether an edge of main accesses only memory that no other thread accesses.
func (r *rehearsal) private(e *ir.Edge) bool {
	foot := r.y.Facts.Footprint(e)
	if e.Op.Kind != ir.Load && e.Op.Kind != ir.Store || foot.Anything {
		return false
	}
	find, private := analysis.ObjectFinder(r.p), true
	for _, b := range foot.Ranges {
		find(b, func(o ir.ObjectID) {
			t, ok := r.y.Facts.PrivateObject(o)
			private = private && ok && t == r.p.Main
		})
	}
	return private
}

// mayStartOrJoin reports whether main can come to another spawn or join.
func (r *rehearsal) mayStartOrJoin() bool {
	f := r.p.ThreadFunc(r.p.Main)
	seen := map[ir.Loc]bool{}
	todo := []ir.Loc{r.s.PC(r.p.Main)}
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[l] {
			continue
		}
		seen[l] = true
		for _, i := range f.Out(l) {
			if k := f.Edges[i].Op.Kind; k == ir.Spawn || k == ir.Join {
				return true
			}
			todo = append(todo, f.Edges[i].To)
		}
	}
	return false
}

// sameArguments reports whether two threads have started with the same arguments, as far as they use them.
func (r *rehearsal) sameArguments(t, u ir.ThreadID) bool {
	f := r.p.ThreadFunc(t)
	for i := range f.Params {
		reg := ir.Reg(i)
		if r.y.Facts.IsLive(r.p.Threads[t].Func, f.Entry, reg) && r.y.Reg(r.s, t, reg) != r.y.Reg(r.s, u, reg) {
			return false
		}
	}
	return true
}
