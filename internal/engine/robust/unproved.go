package robust

import (
	"slices"
	"sync/atomic"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Where one attacker is not enough. [BDM13 Lemma 2] says that in a violation with
// fewest delays one thread delays: if two did, the load of one of them could be
// left out, since no other action needs a load. A signal, an allocation or a recursive lock
// that counts as a load is needed by those it wakes or feeds, and so is, under PSO, a store:
// these cannot be left out. The argument then goes another way (docs/engines/robust.md): the first
// access c that closes the cycle of either thread stays possible, with the same resources, when the
// other one does not delay, except if what c does depends on a value that both delays together
// keep, or if c is an access to a block whose free both delay or one of them does.
//
// A doubt is such a c, in the program, with stores of two other threads that may be delayed past
// something. No attack found means unknown then, unless the search itself has ruled the doubt out:
// it watches for the states in which such a c would have to stand (second_delay.go), and, if a free
// is one of the two, for SC executions that access a block that was freed.
//
// Of stores into mutexes only those are looked for that surely may hit one: a store through a
// pointer that could point anywhere would make every program with mutexes suspect.

// OneDelay is the end of the reasons why no attack found does not mean robust.
const OneDelay = "one delaying thread may not be enough to show a violation"

// oneDelay is such a reason.
const oneDelay = "a store or another action that other threads depend on can overtake stores, and an access depends on a value that two other threads store: " + OneDelay

// oneFree is the reason for frees.
const oneFree = "a store or another action that other threads depend on can overtake stores, and a thread accesses a block that was freed: " + OneDelay

// OneDelayOnly reports whether a search found no attack, and only whether one delaying thread is enough is open.
func OneDelayOnly(out *engine.Outcome) bool {
	return len(out.Violations) == 0 && (out.Unknown == oneDelay || out.Unknown == oneFree)
}

// doubts are the accesses for which one attacker may not be enough.
type doubts struct {
	certain bool                   // the search cannot rule out one of them
	watched []map[ir.EdgeID]*doubt // by thread: doubts that the search may rule out
	aligned []bool                 // by edge id: accesses whose addresses are watched
	effect  []bool                 // by thread: it may delay a store past an action that others depend on
	effects bool                   // one of them is set
	frees   bool                   // a thread may delay a free, and another one a store or free

	met       atomic.Bool // a state with a doubt was met
	shifted   atomic.Bool // one was met if some watched address is not aligned
	unaligned atomic.Bool // such an address was met
	freed     atomic.Bool // an SC execution accesses a block that was freed
}

// incomplete is why the search does not prove the program robust, or "".
func (d *doubts) incomplete() string {
	switch {
	case d.certain || d.met.Load() || d.shifted.Load() && d.unaligned.Load():
		return oneDelay
	case d.effects && d.frees && d.freed.Load():
		return oneFree
	}
	return ""
}

// fail inspects a step that failed a check under SC.
func (d *doubts) fail(class ir.CheckClass) {
	if class == ir.UseAfterFree || class == ir.DoubleFree {
		d.freed.Store(true)
	}
}

// findDoubts finds the doubts of a program about the attacks that are left.
func findDoubts(p *ir.Program, pl *plan) *doubts {
	d := &doubts{watched: make([]map[ir.EdgeID]*doubt, len(p.Threads)), aligned: make([]bool, p.NextEdge), effect: make([]bool, len(p.Threads))}
	x := &doubter{p: p, pl: pl, facts: analysis.NewFacts(p, nil), d: d}
	x.findRows()
	if !d.effects {
		return d
	}
	x.eachDependent(x.judge)
	return d
}

// eachDependent visits the actions that depend on values in memory, with their threads: single
// operations, and sections.
func (x *doubter) eachDependent(visit func(k int, action []*ir.Edge)) {
	for k := range x.p.Threads {
		f := x.p.ThreadFunc(ir.ThreadID(k))
		inside, err := ir.SectionLocs(f)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		for i := range f.Edges {
			if e := &f.Edges[i]; !inside[e.From] && depends(&e.Op) {
				visit(k, []*ir.Edge{e})
			}
		}
		for _, section := range sections(f, inside) {
			if !fixed(f, x.facts, section) {
				visit(k, section)
			}
		}
	}
}

// depends reports whether a value in memory decides whether the operation is possible, or what it
// accesses.
func depends(op *ir.Op) bool {
	switch op.Kind {
	case ir.Await, ir.AbstractLoad, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		return true
	}
	return op.Kind == ir.RMW && (op.Cond != nil || op.RMW == ir.Cas)
}

// sections returns the edges of each atomic section of a function.
func sections(f *ir.Func, inside []bool) [][]*ir.Edge {
	var out [][]*ir.Edge
	seen := make([]bool, len(f.Locs))
	for l := range f.Locs {
		if !inside[l] || seen[l] {
			continue
		}
		var section []*ir.Edge
		seen[l] = true
		for work := []ir.Loc{ir.Loc(l)}; len(work) > 0; {
			at := work[len(work)-1]
			work = work[:len(work)-1]
			for i := range f.Edges {
				e := &f.Edges[i]
				if e.From == at {
					section = append(section, e)
				}
				for _, end := range [2][2]ir.Loc{{e.From, e.To}, {e.To, e.From}} {
					if end[0] == at && inside[end[1]] && !seen[end[1]] {
						seen[end[1]] = true
						work = append(work, end[1])
					}
				}
			}
		}
		out = append(out, section)
	}
	return out
}

// fixed reports whether a section accesses the same bytes whatever it reads.
func fixed(f *ir.Func, facts *analysis.Facts, section []*ir.Edge) bool {
	for _, e := range section {
		if len(f.Out(e.From)) > 1 {
			return false
		}
		switch e.Op.Kind {
		case ir.Nop, ir.Assign, ir.Fence, ir.AtomicEnd:
		case ir.Load, ir.Store, ir.RMW:
			if _, ok := facts.Exact(e); !ok || depends(&e.Op) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// doubter finds doubts.
type doubter struct {
	p     *ir.Program
	pl    *plan
	facts *analysis.Facts
	d     *doubts
	rows  [][]row // by thread
}

// row is a store that may be delayed past something.
type row struct {
	store  *ir.Edge
	effect bool // past an action that others depend on
}

// findRows finds the stores with attacks left.
func (x *doubter) findRows() {
	x.rows = make([][]row, len(x.p.Threads))
	for t := range x.p.Threads {
		f, tp := x.p.ThreadFunc(ir.ThreadID(t)), &x.pl.threads[t]
		inside, err := ir.SectionLocs(f)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		for i := range f.Edges {
			e := &f.Edges[i]
			if tp.store[e.ID] == 0 || inside[e.From] {
				continue
			}
			r := row{store: e}
			for j := range f.Edges {
				a := &f.Edges[j]
				if col := tp.load[a.ID]; col > 0 && !a.Op.Reads() && tp.allow[tp.store[e.ID]-1][col-1] {
					r.effect = true
				}
			}
			x.d.effect[t] = x.d.effect[t] || r.effect
			x.d.effects = x.d.effects || r.effect
			x.rows[t] = append(x.rows[t], r)
		}
	}
	for t := range x.rows {
		for u := range x.rows {
			isFree := func(r row) bool { return r.store.Op.Kind == ir.Free }
			x.d.frees = x.d.frees || t != u && len(x.rows[u]) > 0 && slices.ContainsFunc(x.rows[t], isFree)
		}
	}
}

// judge adds the doubt about an action of thread k, if there is one.
func (x *doubter) judge(k int, action []*ir.Edge) {
	storers, effect := 0, false
	c := &doubt{action: action}
	for t := range x.rows {
		decides := false
		for _, r := range x.rows[t] {
			if t == k || !x.changes(r.store, action) {
				continue
			}
			c.stores = append(c.stores, x.secondStore(t, r))
			if x.decides(r.store, action) {
				decides, effect = true, effect || r.effect
			}
		}
		if decides {
			storers++
		}
	}
	switch {
	case storers < 2 || !effect:
	case len(action) == 1 && !action[0].Op.Accesses():
		x.d.certain = true
	default:
		x.watch(k, c)
	}
}

// decides reports whether a store may change what an action does. A compare-exchange whose bytes
// the store has all still accesses them if it fails, and all paths to it come by program order.
func (x *doubter) decides(s *ir.Edge, action []*ir.Edge) bool {
	c := action[0]
	return x.changes(s, action) && (len(action) > 1 || c.Op.Kind != ir.RMW || c.Op.Cond != nil || !x.covers(s, c))
}

// changes reports whether a store may change bytes that an action accesses.
func (x *doubter) changes(s *ir.Edge, action []*ir.Edge) bool {
	return s.Op.Kind == ir.Store && slices.ContainsFunc(action, func(c *ir.Edge) bool {
		anywhere := x.facts.Footprint(s).Anything && !c.Op.Accesses()
		return !anywhere && x.facts.MayOverlap(s, c)
	})
}

func (x *doubter) covers(s, c *ir.Edge) bool {
	a, ok1 := x.facts.Exact(s)
	b, ok2 := x.facts.Exact(c)
	return ok1 && ok2 && a.Contains(b)
}
