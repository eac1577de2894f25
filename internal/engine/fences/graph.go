package fences

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/rc11"
	"fencepost/verdict"
)

// Clauses of graphs, under c11. A choice gives an access a stronger order, or adds a fence. Stronger orders only take
// graphs away, and the orders of a graph decide nothing but whether it is consistent and whether its accesses race. So
// let m be orders under which the graph of a bad execution is consistent and still bad: then it is one under
// all orders that are at most m, and every sufficient set has an order that is not at most m at some site. That is
// the clause. It has the fewest elements if m cannot be raised at any site.
//
// "Not at most" matters: acquire and release are not comparable. And one graph may need two changes at once, as a store
// that has to release and a load that has to acquire do: then several maximal m exist, this clause asks for one
// of the changes, and the next round finds the graph again and asks for the other.
//
// A fence that is not there yet can be raised, too: the graph has an event without effect at every fence site that
// a thread passes. Sites after the last step of a thread count whether or not the thread gets there, since more events
// make the clause larger, never smaller.
//
// Still bad: a check fails whatever the orders are. Of a data race, some pair of accesses is still not ordered. Everything
// else depends on what memory holds in the end, so the last write of each location stays the last.

// judge answers about one graph under different orders.
type judge struct {
	v        *view
	w        *verdict.Witness
	graph    rc11.Graph
	last     []rc11.Last
	dataRace bool
	events   []judged
	solver   rc11.Solver
	// at has, by step, the events of its read and its write, or None.
	read, write []int32
	cells       map[uint64]int32
	addresses   []uint64 // of the cells
}

// judged says where the mode of an event comes from.
type judged struct {
	site  ir.SiteID // of a fence site, -1: none
	edge  ir.EdgeID // of anything else that has an order
	wrote bool      // the step has written
	stays bool      // a wait for a condition goes on
	// Of a free, and of an allocation on the heap: the block, which counts as written; bytes is 0 if there is none.
	block, bytes uint64
}

// noSite stands for no fence site.
const noSite ir.SiteID = -1

func newJudge(v *view, b *Break) *judge {
	j := &judge{v: v, w: b.Witness, cells: map[uint64]int32{}}
	n := len(j.w.Steps)
	j.read, j.write = make([]int32, n), make([]int32, n)
	for i := range n {
		j.read[i], j.write[i] = rc11.None, rc11.None
	}
	reads, writes := j.accesses()
	byThread := make([][]int, len(j.w.Threads))
	for i := range j.w.Steps {
		if st := &j.w.Steps[i]; st.Edge >= 0 {
			byThread[st.Thread] = append(byThread[st.Thread], i)
		}
	}
	first, last := make([][]int32, len(byThread)), make([]int32, len(byThread))
	begins := map[int][]int32{} // by step: the event and the fences right before it
	for t, steps := range byThread {
		last[t] = rc11.None
		for k, i := range steps {
			before := int32(len(j.events))
			if k == 0 || j.v.Fences.Edge(ir.EdgeID(j.w.Steps[steps[k-1]].Edge)).Op.Kind == ir.Barrier {
				j.addBorder(t)
			}
			for _, site := range j.passed(steps, k) {
				j.add(t, rc11.Event{Kind: rc11.Other}, judged{site: site, edge: ir.NoEdge})
			}
			j.addStep(t, i, reads[i], writes[i])
			for e := before; e < int32(len(j.events)); e++ {
				begins[i] = append(begins[i], e)
			}
			if first[t] == nil {
				first[t] = begins[i]
			}
		}
		if len(steps) > 0 {
			for _, site := range v.Fences.Ending(ir.EdgeID(j.w.Steps[steps[len(steps)-1]].Edge), nil) {
				j.add(t, rc11.Event{Kind: rc11.Other}, judged{site: site, edge: ir.NoEdge})
			}
			last[t] = j.addBorder(t)
		}
	}
	j.sources(reads)
	j.synchronise(byThread, begins, last)
	j.graph.Threads, j.graph.Cells = len(j.w.Threads), len(j.cells)
	j.addEnd(b)
	return j
}

// addEnd notes what makes the graph bad. Of an execution that SC does not have, the reads do, and the last writes that it
// names.
func (j *judge) addEnd(b *Break) {
	question, n := verdict.Question(""), len(j.w.Steps)
	if b.Violation != nil {
		question = b.Violation.Question
	}
	j.dataRace = question == verdict.DataRaces || question == verdict.Robustness && b.DataRace
	if j.dataRace || n > 0 && j.w.Steps[n-1].Kind == verdict.StepFail {
		return
	}
	for _, o := range j.w.Graph.Orders {
		counts := slices.ContainsFunc(j.w.Graph.Last, func(l verdict.GraphLast) bool {
			return o.Addr < l.Addr+uint64(l.Size) && l.Addr < o.Addr+uint64(o.Size)
		})
		if counts || question != verdict.Robustness {
			j.last = append(j.last, rc11.Last{Cell: j.cell(o.Addr), By: j.write[o.Writes[len(o.Writes)-1]]})
		}
	}
}

// accesses returns what each step reads, and where it writes.
func (j *judge) accesses() (reads map[int][]verdict.GraphRead, writes map[int][]uint64) {
	reads, writes = map[int][]verdict.GraphRead{}, map[int][]uint64{}
	for _, r := range j.w.Graph.Reads {
		reads[r.Step] = append(reads[r.Step], r)
	}
	for _, o := range j.w.Graph.Orders {
		for _, i := range o.Writes {
			writes[i] = append(writes[i], o.Addr)
		}
	}
	return reads, writes
}

// passed returns the fence sites that a thread passes on the way to a step.
func (j *judge) passed(steps []int, k int) []ir.SiteID {
	next := &j.w.Steps[steps[k]]
	if k == 0 {
		return j.v.Fences.Beginning(ir.EdgeID(next.Edge), nil)
	}
	at := &j.w.Steps[steps[k-1]]
	if j.v.stays(at) {
		return nil
	}
	return j.v.Fences.Between(ir.EdgeID(at.Edge), ir.EdgeID(next.Edge), nil)
}

// cell returns the number of a location.
func (j *judge) cell(addr uint64) int32 {
	c, ok := j.cells[addr]
	if !ok {
		c = int32(len(j.cells))
		j.cells[addr], j.addresses = c, append(j.addresses, addr)
	}
	return c
}

// add adds an event.
func (j *judge) add(thread int, ev rc11.Event, from judged) int32 {
	ev.Thread = int32(thread)
	j.graph.Events, j.events = append(j.graph.Events, ev), append(j.events, from)
	return int32(len(j.events)) - 1
}

// addBorder adds an event where a thread begins, ends, or goes on after a barrier: what synchronises there has another
// location than all accesses.
func (j *judge) addBorder(t int) int32 {
	return j.add(t, rc11.Event{Kind: rc11.Other}, judged{site: noSite, edge: ir.NoEdge})
}

// addStep adds the events of a step.
func (j *judge) addStep(t, i int, reads []verdict.GraphRead, writes []uint64) {
	st := &j.w.Steps[i]
	edge := ir.EdgeID(st.Edge)
	if site, ok := j.v.Fences.SiteOf(edge); ok {
		j.add(t, rc11.Event{Kind: rc11.Other}, judged{site: site, edge: ir.NoEdge})
		return
	}
	from := judged{site: noSite, edge: edge, wrote: len(writes) > 0, stays: j.v.stays(st)}
	op := &j.v.Fences.Edge(edge).Op
	shared := op.Sync.Kind == ir.SyncTakeShared || op.Sync.Kind == ir.SyncGiveShared
	if len(reads) > 0 {
		ev := rc11.Event{Kind: rc11.Read, Shared: shared, From: make([]int32, len(reads))}
		for _, r := range reads {
			ev.Cells = append(ev.Cells, j.cell(r.Addr))
		}
		j.read[i] = j.add(t, ev, from)
	}
	if len(writes) > 0 {
		ev := rc11.Event{Kind: rc11.Write, Shared: shared, Update: len(reads) > 0}
		for _, addr := range writes {
			ev.Cells = append(ev.Cells, j.cell(addr))
		}
		j.write[i] = j.add(t, ev, from)
	}
	if (op.Kind == ir.Free || op.Kind == ir.Alloc && !op.Block.Stack) && len(st.Accesses) == 1 {
		from.block, from.bytes = st.Accesses[0].Addr, uint64(st.Accesses[0].Size)
	}
	if len(reads)+len(writes) == 0 || from.bytes > 0 {
		j.add(t, rc11.Event{Kind: rc11.Other}, from)
	}
}

// sources says what each read reads from.
func (j *judge) sources(reads map[int][]verdict.GraphRead) {
	for i, list := range reads {
		for k, r := range list {
			from := rc11.None
			if r.From >= 0 {
				from = j.write[r.From]
			}
			j.graph.Events[j.read[i]].From[k] = from
		}
	}
}

// synchronise adds what orders threads beside accesses: a spawn and the beginning of its thread, the end of a thread
// and its join, a barrier and those whom it lets go on, the free of a block and the allocation that uses it again.
func (j *judge) synchronise(byThread [][]int, begins map[int][]int32, last []int32) {
	after := func(events []int32, by int32) {
		for _, e := range events {
			j.graph.Events[e].After = append(j.graph.Events[e].After, by)
		}
	}
	next := func(thread, step int) []int32 { // the first events of a thread after a step
		for _, i := range byThread[thread] {
			if i > step {
				return begins[i]
			}
		}
		return nil
	}
	freed := map[uint64]int32{} // by block: its last free
	for i := range j.w.Steps {
		st := &j.w.Steps[i]
		if st.Edge < 0 {
			continue
		}
		here := begins[i]
		switch j.v.Fences.Edge(ir.EdgeID(st.Edge)).Op.Kind {
		case ir.Spawn:
			if st.Other > 0 {
				after(next(st.Other-1, i), here[len(here)-1])
			}
		case ir.Join:
			if st.Other > 0 && last[st.Other-1] != rc11.None {
				after(here, last[st.Other-1])
			} else if st.Other > 0 {
				j.afterSpawn(st.Other, i, begins, here, after)
			}
		case ir.Barrier:
			for _, u := range st.Wakes {
				after(next(u, i), here[len(here)-1])
			}
		case ir.Free:
			if len(st.Accesses) == 1 {
				freed[st.Accesses[0].Addr] = here[len(here)-1]
			}
		case ir.Alloc:
			if len(st.Accesses) == 1 {
				if free, again := freed[st.Accesses[0].Addr]; again {
					after(here, free)
				}
			}
		}
	}
}

// afterSpawn orders the join of a thread without events after its spawn.
func (j *judge) afterSpawn(thread, step int, begins map[int][]int32, here []int32, after func([]int32, int32)) {
	for i := range step {
		st := &j.w.Steps[i]
		if st.Edge >= 0 && st.Other == thread && st.Thread != j.w.Steps[step].Thread && j.v.Fences.Edge(ir.EdgeID(st.Edge)).Op.Kind == ir.Spawn {
			after(here, begins[i][len(begins[i])-1])
		}
	}
}

// modes are the modes of orders.
var modes = map[ir.Order]rc11.Mode{
	ir.OrderUnset: rc11.Relaxed, ir.Plain: rc11.Plain, ir.Relaxed: rc11.Relaxed, ir.Consume: rc11.Acquire, ir.Acquire: rc11.Acquire,
	ir.Release: rc11.Release, ir.AcqRel: rc11.AcqRel, ir.SeqCst: rc11.SeqCst,
}

// bad reports whether the graph is consistent and still bad under orders, which are by site.
func (j *judge) bad(orders []ir.Order) bool {
	for e := range j.graph.Events {
		ev, from := &j.graph.Events[e], &j.events[e]
		order := ir.OrderUnset
		switch {
		case from.site != noSite:
			order = orders[from.site]
		case from.edge != ir.NoEdge:
			op := j.v.Fences.OpWith(from.edge, orders)
			switch {
			case ev.Kind == rc11.Read:
				ev.Mode = modes[op.ReadOrder(from.wrote, !from.stays)].AsRead()
				continue
			case ev.Kind == rc11.Write:
				ev.Mode = modes[op.WriteOrder(from.stays)]
				continue
			case op.Kind == ir.Fence:
				order = op.Sync.Order
			}
		}
		ev.Kind, ev.Mode = rc11.Other, rc11.ModeUnset
		if order != ir.OrderUnset && order != ir.Relaxed {
			ev.Kind, ev.Mode = rc11.Fence, modes[order]
		}
	}
	return j.solver.Consistent(&j.graph, j.last) && (!j.dataRace || j.hasDataRace())
}

// hasDataRace reports whether two accesses are not ordered that should be.
func (j *judge) hasDataRace() bool {
	for a := range j.graph.Events {
		for b := range a {
			if j.graph.Events[a].Thread != j.graph.Events[b].Thread && (j.conflict(a, b) || j.holds(a, b) || j.holds(b, a)) &&
				!j.solver.HappensBefore(int32(a), int32(b)) && !j.solver.HappensBefore(int32(b), int32(a)) {
				return true
			}
		}
	}
	return false
}

// conflict reports whether two events access the same location, one of them writes, and one is not atomic.
func (j *judge) conflict(a, b int) bool {
	x, y := &j.graph.Events[a], &j.graph.Events[b]
	return (x.Kind == rc11.Write || y.Kind == rc11.Write) && (x.Mode == rc11.Plain || y.Mode == rc11.Plain) &&
		slices.ContainsFunc(x.Cells, func(c int32) bool { return slices.Contains(y.Cells, c) })
}

// holds reports whether an event frees or allocates the block of an access, or of another such event.
func (j *judge) holds(a, b int) bool {
	x, y := &j.events[a], &j.events[b]
	return x.bytes > 0 && (y.bytes > 0 && y.block-x.block < x.bytes ||
		slices.ContainsFunc(j.graph.Events[b].Cells, func(c int32) bool { return j.addresses[c]-x.block < x.bytes }))
}

// graphClause returns the clause of a graph: the choices that are not at most a maximal assignment.
func (r *run) graphClause(b *Break) ([]int, error) {
	v := &r.views[b.Of]
	j := newJudge(v, b)
	most := v.Fences.Orders(b.With)
	if !j.bad(most) {
		return nil, fmt.Errorf("the graph of a bad execution is not bad under its own orders")
	}
	occurs := map[ir.SiteID]bool{}
	for _, from := range j.events {
		if from.site != noSite {
			occurs[from.site] = true
		} else if from.edge != ir.NoEdge {
			for _, site := range v.Fences.AccessesOf(from.edge) {
				occurs[site] = true
			}
		}
	}
	for item, at := range r.items {
		if !occurs[at.Site] || item > 0 && r.items[item-1].Site == at.Site {
			continue
		}
		before := most[at.Site]
		for _, order := range []ir.Order{ir.SeqCst, ir.AcqRel, ir.Acquire, ir.Release} {
			most[at.Site] = before.Join(order)
			if most[at.Site] != before && j.bad(most) {
				break
			}
			most[at.Site] = before
		}
	}
	var out []int
	for item, at := range r.items {
		if occurs[at.Site] && !at.Order.AtMost(most[at.Site]) {
			out = append(out, item)
		}
	}
	return out, nil
}

// decideOrders is decide under c11. A bad execution is found as fast in the program as in the changed text, and the text
// changes even without a choice if accesses begin relaxed.
func (r *run) decideOrders(ctx context.Context, set []int) (*Finding, error) {
	found, err := r.check(ctx, set)
	if err != nil || found.Status != Good || r.task.Confirm == nil {
		return found, err
	}
	said, err := r.task.Confirm(ctx, r.fences(set))
	if err != nil {
		return nil, err
	}
	r.count(said)
	if said.Status == Bad {
		return nil, fmt.Errorf("the program with these orders is as it should be, and the changed text is not: %s", said.Reason)
	}
	return said, nil
}
