package bmc

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
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
// Only pairs of events whose order matters get a gate: a load and a store of one cell, two stores
// to it, a fence and the stores before it. What keeps the order free of cycles is in acyclic.go.
//
// An event of an instruction that is not executed has a position in the order, too, and any will
// do. So two events of one thread can be put in the order of its locations whatever the path is
// (programOrder): what is executed is in this order anyway, and what is not can be put anywhere.

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
}

// order encodes the order of all events.
type order struct {
	x      *encoder
	events []happening
	groups []group
	index  map[*location]int   // among the locations of its thread, in topological order
	leaves map[*location]int   // the event in which a thread leaves a location
	lands  map[*step]int       // the event in which a store reaches memory
	buffer [][]int             // by thread: the events in which its stores reach memory, in program order
	faulty map[*location]bool  // a check can fail there
	above  []*analysis.DomTree // by thread
	// starters has the steps that can start a thread.
	starters map[int][]*location
	mem      *orderedMemory
	relation
}

func newOrder(x *encoder, mem *orderedMemory) *order {
	o := &order{
		x: x, index: map[*location]int{}, leaves: map[*location]int{}, lands: map[*step]int{}, faulty: map[*location]bool{},
		starters: map[int][]*location{}, mem: mem,
	}
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
	for _, f := range o.x.fails {
		o.faulty[f.loc] = true
	}
	for _, t := range o.x.threads {
		for _, l := range t.locs {
			for _, st := range l.steps {
				for _, to := range st.targets {
					o.starters[to.thread] = append(o.starters[to.thread], l)
				}
			}
		}
	}
	o.buffer = make([][]int, len(o.x.threads))
	for _, t := range o.x.threads {
		o.collect(t)
		o.above = append(o.above, analysis.Dominators(t.f))
	}
	if len(o.groups) > maxEvents {
		panic(stopped{notOrderedFor(nil, "%d events, at most %d", len(o.groups), maxEvents)})
	}
	o.relation = newRelation(o.x.c, len(o.groups))
	for _, t := range o.x.threads {
		o.programOrder(t)
	}
	o.infer()
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
// into its buffer, and none of them fails. The first location of a thread is left after the thread was
// started, which is known only if a single step can start it.
func (o *order) unseen(t *thread, l *location) bool {
	if l == t.locs[0] && len(o.starters[t.id]) > 1 {
		return false
	}
	for _, st := range l.steps {
		if !o.buffered(st) {
			return false
		}
	}
	return len(l.steps) > 0 && !o.faulty[l]
}

// collect adds the events of a thread.
func (o *order) collect(t *thread) {
	section := map[*location]int{} // by location inside a section: the group of its beginning
	for i, l := range t.locs {
		o.index[l] = i
		if l.reached == low {
			continue
		}
		at, known := section[l]
		if l.pos >= 0 && !o.unseen(t, l) {
			if !known {
				at = o.add(group{thread: t})
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
			if !o.buffered(st) {
				continue
			}
			o.lands[st] = len(o.events)
			o.buffer[t.id] = append(o.buffer[t.id], len(o.events))
			o.events = append(o.events, happening{thread: t, loc: l, store: st, group: o.add(group{thread: t, store: st})})
		}
	}
}

func (o *order) add(g group) int {
	o.groups = append(o.groups, g)
	return len(o.groups) - 1
}

// first returns whether event i comes before event j.
func (o *order) first(i, j int) gate {
	a, b := &o.events[i], &o.events[j]
	switch {
	case a.group != b.group:
		return o.before(a.group, b.group)
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
// memory at an event. Of the stores that reach memory in a known order the last one will do, if
// it is executed whenever the thread comes to the location.
func (o *order) drained(t *thread, l *location, event int, run gate) {
	if run == low {
		return
	}
	for _, i := range o.waiting(t, l) {
		o.x.c.demand(o.first(i, event), run, o.events[i].store.writes)
	}
}

// waiting returns the events of the stores that can wait in the buffer of a thread that comes to a
// location, or with nil of one that has ended. It leaves out stores that are in memory whenever a later
// one is that the thread has certainly executed.
func (o *order) waiting(t *thread, l *location) []int {
	var out, certain []int
	for _, i := range slices.Backward(o.buffer[t.id]) {
		e := &o.events[i]
		if l != nil && o.index[e.loc] >= o.index[l] {
			continue
		}
		if slices.ContainsFunc(certain, func(j int) bool { return o.known(e.group, o.events[j].group) }) {
			if o.x.model == memory.TSO {
				break // and so are all before it
			}
			continue
		}
		out = append(out, i)
		if o.always(t, e.loc, l) {
			certain = append(certain, i)
		}
	}
	return out
}

// always reports whether a thread that comes to a location has executed the only step at another
// one before.
func (o *order) always(t *thread, l, at *location) bool {
	return at != nil && l != at && l.wait == nil && len(l.steps) == 1 && o.above[t.id].Dominates(l.id, at.id)
}
