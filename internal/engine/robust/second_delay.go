package robust

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// States in which a second thread could delay. Take a violation with fewest delays, and a shortest
// one of these, in which two threads delay and an action c of a third depends on both delays
// (unproved.go). Without c it is no violation, so its trace is possible under SC. Put it in a row
// with the delayed store s of one of the two, i, as late as possible: this is a path of the search
// with i as the attacker, up to a state in phase closing in which
//
//   - the thread of c stands before c, c comes after the load, and c accesses what s writes;
//   - the other thread j stands where a store t of its own may still be pending, after something
//     that t was delayed past, for it stands where it stood in the violation;
//   - t changes what c accesses, and memory holds the value of t there, or of a store of a
//     further thread that delays: in the violation t and its like are the last stores to these bytes.
//
// If the search meets no such state, one attacker is enough. Where c is possible in such a state the
// search takes it and closes the cycle. So a spin lock gives no doubt: its unlocking stores write 0, with 0 in
// memory the lock can be taken, and without it t is not the last store.

// doubt is an action that may depend on stores of two threads that both wait.
type doubt struct {
	action  []*ir.Edge // one operation, or the edges of a section
	stores  []secondStore
	section *sectionDoubt // nil for one operation
}

// secondStore is a store of a thread that may wait while the attacker delays.
type secondStore struct {
	thread  int
	edge    *ir.Edge
	effect  bool
	pending []bool          // by location: the store may wait there, after something it was delayed past
	at      *analysis.Bytes // its bytes, if they are known
}

// secondStore finds out where a store may wait.
func (x *doubter) secondStore(t int, r row) secondStore {
	f, tp := x.p.ThreadFunc(ir.ThreadID(t)), &x.pl.threads[t]
	out := secondStore{thread: t, edge: r.store, effect: r.effect, pending: make([]bool, len(f.Locs))}
	if at, ok := x.facts.Exact(r.store); ok {
		out.at = &at
	}
	after := analysis.Undrained(f, r.store.To, nil)
	for i := range f.Edges {
		a := &f.Edges[i]
		col := tp.load[a.ID]
		if col == 0 || !after[a.From] || !tp.allow[tp.store[r.store.ID]-1][col-1] || out.pending[a.To] {
			continue
		}
		for l, reached := range analysis.Undrained(f, a.To, nil) {
			out.pending[l] = out.pending[l] || reached
		}
	}
	// A thread that has ended stands after its last operation, and its stores may still wait.
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Op.Terminal() && out.pending[e.From] {
			out.pending[e.To] = true
		}
	}
	return out
}

// watch lets the search look for states with a doubt about an action of thread k.
func (x *doubter) watch(k int, c *doubt) {
	if x.d.watched[k] == nil {
		x.d.watched[k] = map[ir.EdgeID]*doubt{}
	}
	for _, st := range c.stores {
		x.d.aligned[st.edge.ID] = true
	}
	if len(c.action) == 1 {
		x.d.watched[k][c.action[0].ID] = c
		x.d.aligned[c.action[0].ID] = true
		return
	}
	c.section = newSectionDoubt(x.facts, c.action)
	f := x.p.ThreadFunc(ir.ThreadID(k))
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Op.Kind == ir.AtomicBegin && c.section.out[e.To] != nil {
			x.d.watched[k][e.ID] = c
		}
	}
}

// some reports whether there is anything to watch for.
func (d *doubts) some() bool {
	for _, m := range d.watched {
		if len(m) > 0 {
			return true
		}
	}
	return false
}

// align inspects the addresses of what a thread can do next.
func (d *doubts) align(y *memory.System, s *memory.State, t ir.ThreadID) {
	if !s.Running(t) {
		return
	}
	f := y.Prog.ThreadFunc(t)
	for i, j := range f.Out(s.PC(t)) {
		if d.aligned[f.Edges[j].ID] {
			if addr, size := y.Thread(s, int(t)).Address(int32(i)); size > 0 && addr%uint64(size) != 0 {
				d.unaligned.Store(true)
			}
		}
	}
}

// watch inspects a state in phase closing.
func (d *doubts) watch(y *memory.System, s *memory.State, a *attack) {
	for k, cases := range d.watched {
		if k == a.attacker || len(cases) == 0 || !s.Running(ir.ThreadID(k)) {
			continue
		}
		f := y.Prog.ThreadFunc(ir.ThreadID(k))
		for i, j := range f.Out(s.PC(ir.ThreadID(k))) {
			c := cases[f.Edges[j].ID]
			switch {
			case c == nil:
			case c.section != nil:
				w := &sectionWalk{y: y, s: s, a: a, d: d, c: c, k: k, left: maxSection}
				w.begin(int32(j))
			default:
				addr, size := y.Thread(s, k).Address(int32(i))
				if act := (access{addr, size, c.action[0].Op.Writes()}); closes(a, k, &act) {
					d.meet(d.second(y, s, a, k, c, addr, size))
				}
			}
		}
	}
}

// closes reports whether an access of thread k comes after the load and accesses what the delayed
// store writes.
func closes(a *attack, k int, act *access) bool {
	var one [1]span
	return a.closed(levels(one[:0]).raise(act)) && (a.isInvolved(k) || a.levels.conflicts(act) || a.levels.blocks())
}

// meet records whether a second store may be the last one to some bytes of an action.
func (d *doubts) meet(m match) {
	switch m {
	case certainly:
		d.met.Store(true)
	case ifShifted:
		d.shifted.Store(true)
	}
}

// second returns whether a store of a second thread may be the last one to some bytes that thread k
// accesses.
func (d *doubts) second(y *memory.System, s *memory.State, a *attack, k int, c *doubt, addr uint64, size int) match {
	out := never
	for n := range c.stores {
		st := &c.stores[n]
		if st.thread == a.attacker || st.thread == k || !st.effect && !d.effect[a.attacker] || !st.pending[s.PC(ir.ThreadID(st.thread))] {
			continue
		}
		switch st.last(y, s, addr, size) {
		case certainly:
			return certainly
		case ifShifted:
			out = ifShifted
		}
	}
	return out
}

// blocks reports whether blocks were allocated or freed.
func (ls levels) blocks() bool { return len(ls) > 0 && ls[len(ls)-1].hi >= blockExists }

// match is whether memory holds the value of a store. The zero value is unset.
type match uint8

const (
	_         match = iota
	never           // it holds another value
	certainly       // it may
	ifShifted       // it may if an address is not aligned
)

// last reports whether the store may be the last one to some bytes that an action accesses.
func (st *secondStore) last(y *memory.System, s *memory.State, addr uint64, size int) match {
	op := &st.edge.Op
	width := op.Type.Size()
	same := func(at uint64) bool {
		shared := false
		for b := range width {
			if q := at + uint64(b); q >= addr && q < addr+uint64(size) {
				shared = true
				if byte(y.ReadRaw(s, q, 1)) != byte(op.Val.Value>>(8*b)) {
					return false
				}
			}
		}
		return shared
	}
	switch {
	case st.at != nil && (uint64(st.at.Hi) <= addr || addr+uint64(size) <= uint64(st.at.Lo)):
		return never
	case op.Val.Op != ir.Const:
		return certainly
	case st.at != nil && !same(uint64(st.at.Lo)):
		return never
	case st.at != nil || width != size || same(addr):
		return certainly
	}
	return ifShifted
}
