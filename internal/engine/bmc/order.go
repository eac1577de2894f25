package bmc

import (
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// The second encoding: one order of all events instead of rounds. An execution is a sequence of
// steps at memory. A load, a read-modify-write or a fence happens when its thread executes it; a
// buffered store happens when it reaches memory. So the formula has, for every two of these events,
// a gate that says which comes first. The gates are a total order, and no round, clock or list of
// writes multiplies anything: the formula stands for all executions of the unrolled program.
//
// For n events there are n² gates and up to n³/3 clauses that say that the order is transitive.
// That is small for programs in which threads meet some dozens of times, and too large for others,
// which the rounds are for.
//
// An event of an instruction that is not executed has a position in the order, too, and any will
// do. So two events of one thread can be put in the order of its locations whatever the path is
// (comesFirst): what is executed is in this order anyway, and what is not can be put anywhere.

// maxEvents is the largest number of events whose order is encoded: about 2.7 million clauses.
const maxEvents = 200

// happening is an event: a thread leaves a location, or a store of it reaches memory.
type happening struct {
	thread *thread
	loc    *location
	store  *step // nil: the thread leaves the location
	// group is the index of the events that come together: those of an atomic section. Inside a
	// group, events come in the order of their locations.
	group int
}

// group is the events that have one position in the order.
type group struct {
	thread *thread
	store  *step // a store that reaches memory; nil: the thread runs
	starts []int // the threads that it can start
	chain  int   // groups of one chain have a fixed order
}

// order encodes the order of all events.
type order struct {
	x      *encoder
	events []happening
	groups []group
	before [][]gate          // by group and group
	index  map[*location]int // among the locations of its thread, in topological order
	leaves map[*location]int // the event in which a thread leaves a location
	lands  map[*step]int     // the event in which a store reaches memory
	// starters says how many steps can start a thread.
	starters map[int]int
	mem      *orderedMemory
}

func newOrder(x *encoder, mem *orderedMemory) *order {
	o := &order{x: x, index: map[*location]int{}, leaves: map[*location]int{}, lands: map[*step]int{}, starters: map[int]int{}, mem: mem}
	mem.o = o
	return o
}

// notOrdered is the error of a program whose events cannot be put in order here.
type notOrdered struct{ *engine.Unsupported }

func notOrderedFor(pos *verdict.Pos, format string, args ...any) *notOrdered {
	return &notOrdered{&engine.Unsupported{Pos: pos, What: "the order of events is not encoded for " + fmt.Sprintf(format, args...), Advice: "use --encoding rounds"}}
}

// orderRefuses returns why the order of events is not encoded for a program, or nil.
func orderRefuses(props *property.Set, p *ir.Program) error {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			switch k := f.Edges[i].Op.Kind; {
			case k == ir.Free, k == ir.Barrier, k == ir.CondWait && props.Deadlock:
				return notOrderedFor(engine.Pos(&f.Edges[i]), "%s", k)
			}
		}
	}
	for i := range props.Goals {
		for _, at := range props.Goals[i].At {
			inside, err := ir.SectionLocs(p.ThreadFunc(at.Thread))
			for _, l := range at.Locs {
				if err == nil && inside[l] {
					return notOrderedFor(nil, "goals inside atomic sections")
				}
			}
		}
	}
	return nil
}

// run adds the events, their order, and what they do.
func (o *order) run() {
	for _, t := range o.x.threads {
		o.collect(t)
	}
	if len(o.groups) > maxEvents {
		panic(stopped{notOrderedFor(nil, "%d events, at most %d", len(o.groups), maxEvents)})
	}
	o.before = make([][]gate, len(o.groups))
	for i := range o.before {
		o.before[i] = make([]gate, len(o.groups))
		for j := range i {
			g := o.comesFirst(&o.groups[j], &o.groups[i])
			o.before[j][i], o.before[i][j] = g, g.not()
		}
	}
	o.transitive()
	o.mem.connect()
	for _, t := range o.x.threads {
		for _, l := range t.locs {
			if i, ok := o.leaves[l]; ok {
				o.leave(t, l, i)
			}
		}
	}
}

// buffered reports whether a step is a store that waits in a buffer.
func (o *order) buffered(st *step) bool {
	return o.x.model != memory.SC && st.e.Op.Kind == ir.Store && st.writes != low && !st.access.direct
}

// unseen reports whether it does not matter when a thread leaves a location: it only puts stores
// into its buffer, and none of them fails.
func (o *order) unseen(l *location) bool {
	for _, st := range l.steps {
		if !o.buffered(st) {
			return false
		}
	}
	return len(l.steps) > 0 && !slices.ContainsFunc(o.x.fails, func(f *failure) bool { return f.loc == l })
}

// collect adds the events of a thread.
func (o *order) collect(t *thread) {
	runs, lands := t.id*2, t.id*2+1 // its chains
	section := map[*location]int{}  // by location inside a section: the group of its beginning
	for i, l := range t.locs {
		o.index[l] = i
		if l.reached == low {
			continue
		}
		at, known := section[l]
		if l.pos >= 0 && !o.unseen(l) {
			if !known {
				at = o.add(group{thread: t, chain: runs})
			}
			o.leaves[l] = len(o.events)
			o.events = append(o.events, happening{thread: t, loc: l, group: at})
		}
		for _, st := range l.steps {
			if to := t.at[st.e.To]; to != nil && to.inner {
				if other, ok := section[to]; ok && other != at {
					panic(stopped{notOrderedFor(engine.Pos(st.e), "an atomic section that begins at two locations")})
				}
				section[to] = at
			}
			for _, to := range st.targets {
				o.groups[at].starts = append(o.groups[at].starts, to.thread)
				o.starters[to.thread]++
			}
			if !o.buffered(st) {
				continue
			}
			chain := lands
			if o.x.model == memory.PSO {
				chain = 2*len(o.x.threads) + len(o.groups) // of its own
			}
			o.lands[st] = len(o.events)
			o.events = append(o.events, happening{thread: t, loc: l, store: st, group: o.add(group{thread: t, store: st, chain: chain})})
		}
	}
}

func (o *order) add(g group) int {
	o.groups = append(o.groups, g)
	return len(o.groups) - 1
}

// comesFirst returns whether group a, which was added before b, comes first: a constant where the order
// is known, and otherwise an input.
func (o *order) comesFirst(a, b *group) gate {
	switch {
	case a.thread != b.thread:
		if o.onlyStart(a, b.thread) {
			return high
		}
		if o.onlyStart(b, a.thread) {
			return low
		}
		return o.x.c.input()
	case a.store == nil, b.store != nil && o.x.model == memory.TSO, b.store != nil && o.mem.keepsOrder(a.store, b.store):
		// b's store waits at least until its thread has come there; stores of a thread keep their
		// order under TSO.
		return high
	}
	return o.x.c.input() // a store and what the thread does later, or a store that may overtake it
}

// onlyStart reports whether a group has the only step that can start a thread. All that a thread
// does comes after its start, and if it is never started, any position will do.
func (o *order) onlyStart(g *group, t *thread) bool {
	return o.starters[t.id] == 1 && slices.Contains(g.starts, t.id)
}

// transitive demands that the order has no cycle. Of two groups of one chain only neighbours need
// be looked at: the others follow.
func (o *order) transitive() {
	next := make([]int, len(o.groups)) // in its chain
	last := map[int]int{}
	for i := range o.groups {
		if j, ok := last[o.groups[i].chain]; ok {
			next[j] = i
		}
		last[o.groups[i].chain] = i
	}
	far := func(i, j int) bool { return o.groups[i].chain == o.groups[j].chain && next[i] != j }
	for i := range o.groups {
		for j := i + 1; j < len(o.groups); j++ {
			if far(i, j) {
				continue
			}
			for k := j + 1; k < len(o.groups); k++ {
				if far(i, k) || far(j, k) {
					continue
				}
				ij, jk, ik := o.before[i][j], o.before[j][k], o.before[i][k]
				o.x.c.assert(ij.not(), jk.not(), ik)
				o.x.c.assert(ij, jk, ik.not())
			}
		}
	}
}

// first returns whether event i comes before event j.
func (o *order) first(i, j int) gate {
	a, b := &o.events[i], &o.events[j]
	switch {
	case a.group != b.group:
		return o.before[a.group][b.group]
	case o.index[a.loc] < o.index[b.loc]:
		return high
	}
	return low
}

// left returns whether thread t has left a location when another, or the same, leaves at.
func (o *order) left(t *thread, l, at *location) gate {
	return o.x.c.and(t.turn(0, l.pos), o.first(o.leaving(l), o.leaving(at)))
}

// leaving returns the event in which a thread leaves a location.
func (o *order) leaving(l *location) int {
	i, ok := o.leaves[l]
	if !ok {
		panic("BUG: a location without an event")
	}
	return i
}

// leave encodes what has to hold when a thread leaves a location, beside what it reads.
func (o *order) leave(t *thread, l *location, event int) {
	turn := t.turn(0, l.pos)
	if l == t.locs[0] && !o.x.prog.Threads[t.id].Start {
		o.x.c.demand(o.x.seq.startedBy(t, 0, t, l), turn)
	}
	for _, st := range l.steps {
		o.drained(t, l, event, st.drain)
		if st.handle.bits != nil {
			o.x.seq.await(t, l, st, 0, turn)
		}
		if st.e.Op.Kind == ir.Fence && st.e.Op.Fence == ir.StoreStoreFence {
			o.mem.separate(t, l, st.runs)
		}
	}
}

// drained demands that the stores of a thread before a location, or with nil all of them, are in
// memory at an event.
func (o *order) drained(t *thread, l *location, event int, run gate) {
	if run == low {
		return
	}
	for i := range o.events {
		if e := &o.events[i]; e.thread == t && e.store != nil && (l == nil || o.index[e.loc] < o.index[l]) {
			o.x.c.demand(o.first(i, event), run, e.store.writes)
		}
	}
}
