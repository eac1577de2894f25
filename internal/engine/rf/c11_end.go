package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/internal/rc11"
	"fencepost/verdict"
)

// Ends of classes under c11: what memory holds, checks that fail, data races, and graphs as witnesses.

// toEnd brings the machine to the end of the witness that was just found. Under c11, memory gets the last writes of
// the modification orders.
func toEnd(x *exploration, seq []node) {
	x.run.seek(x.g, seq)
	m, ok := x.model.(*graphs)
	if !ok {
		return
	}
	x.mo = ordersOfCells(x, m)
	for i := range x.mo {
		mo := &x.mo[i]
		memory.WriteContent(x.run.m.Sys, x.run.m.State, mo.at.addr, mo.at.size, mo.last)
	}
}

// ordersOfCells returns the modification orders of memory that were found last.
func ordersOfCells(x *exploration, m *graphs) []modification {
	var out []modification
	for c := range int32(x.run.cells.count()) {
		at := x.run.cells.span(c)
		list := m.solver.Order(c)
		if len(list) == 0 || !machine.IsMemory(at.addr) {
			continue
		}
		mo := modification{at: at}
		for _, e := range list {
			mo.writes = append(mo.writes, m.ops[e])
		}
		last := x.g.op(mo.writes[len(mo.writes)-1])
		mo.last = last.content(c)
		out = append(out, mo)
	}
	return out
}

// all calls f for the first modification order of the graph, or for every one.
func (m *graphs) all(every bool, f func()) {
	m.build(&cut{})
	m.solver.All(&m.in, nil, func() bool {
		f()
		return every
	})
}

// modification is the modification order of a cell.
type modification struct {
	at     span
	writes []ref
	last   memory.Content // what the last write has written
}

// record returns the execution so far, and further steps, with its graph.
func record(x *exploration, more ...memory.Step) *verdict.Witness {
	return recordRun(x, &x.run, func(int) bool { return false }, false, more...)
}

// recordFailed returns the execution so far with a step that fails.
func recordFailed(x *exploration, st memory.Step, f memory.Fault) *verdict.Witness {
	byWord := false
	switch f.Class {
	case ir.Destroyed, ir.BadUnlock, ir.BadWait:
		switch f.Edge.Op.Kind {
		case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
			byWord = true
		}
	}
	return recordRun(x, &x.run, func(int) bool { return false }, byWord, st)
}

// recordRun returns what a runner has executed, without steps that are left out and with further steps, as a graph. No step that
// is left out accesses memory.
//
// byWord says that the further step fails by what it reads, which its operation has noted.
func recordRun(x *exploration, rn *runner, leftOut func(step int) bool, byWord bool, more ...memory.Step) *verdict.Witness {
	rec := engine.NewRecorder(rn.m.Sys)
	graph := &verdict.Graph{}
	step := map[ref]int{}
	k, at := 0, 0
	begin := func(i int) { // operations of step i
		for ; k < len(rn.ran) && rn.ran[k].steps == i; k++ {
			n := rn.ran[k].node
			step[ref{n.thread + 1, n.index}] = at
			if k+1 < len(rn.ran) && rn.ran[k+1].steps == i {
				continue // it waits in vain, without a step
			}
			for _, p := range rn.ran[k].pokes {
				memory.WriteContent(rn.m.Sys, rec.State(), p.addr, p.size, p.val)
				from := -1
				if p.from != initial {
					from = step[p.from]
				}
				graph.Reads = append(graph.Reads, verdict.GraphRead{Step: at, Addr: p.addr, Size: p.size, From: from})
			}
		}
	}
	for i, st := range rn.m.Steps {
		begin(i)
		if !leftOut(i) {
			rec.Step(st)
			at++
		}
	}
	if byWord {
		begin(len(rn.m.Steps))
	}
	for _, st := range more {
		rec.Step(st)
	}
	for _, mo := range x.mo {
		order := verdict.GraphOrder{Addr: mo.at.addr, Size: mo.at.size}
		for _, w := range mo.writes {
			if i, ok := step[w]; ok {
				order.Writes = append(order.Writes, i)
			}
		}
		if len(order.Writes) > 0 {
			graph.Orders = append(graph.Orders, order)
		}
	}
	w := rec.Witness()
	w.Graph = graph
	return w
}

// leadsToLoops reports whether the execution so far ends in loops that no thread can end. Under c11 a loop that goes on for
// ever reads the last writes in the end, all of them in one modification order.
func leadsToLoops(x *exploration) bool {
	if !memory.HasC11 || !x.run.c11 {
		return x.loops.Endless(x.run.m.Steps)
	}
	return x.loops.EndlessAfter(func(y *memory.System, s *memory.State) {
		k := 0
		for i, st := range x.run.m.Steps {
			for ; k < len(x.run.ran) && x.run.ran[k].steps == i; k++ {
				for _, p := range x.run.ran[k].pokes {
					memory.WriteContent(y, s, p.addr, p.size, p.val)
				}
			}
			y.Apply(s, st)
		}
		for _, mo := range x.mo {
			memory.WriteContent(y, s, mo.at.addr, mo.at.size, mo.last)
		}
	})
}

// failures reports the checks that fail in the class, each with an execution of what happens before it.
func failures(x *exploration) {
	for t := range x.g.threads {
		if x.run.m.Threads.Now[t].Stop != machine.Failed || x.out.Stopped {
			continue
		}
		past := make([]int32, len(x.g.threads))
		for _, r := range x.wakers(t, nil) {
			join32(past, x.g.op(r).past)
		}
		if o := x.g.last(t); o != nil {
			join32(past, o.past)
		}
		if toPart(x, past) {
			reportFailed(x, t)
		}
		if seq, ok := x.witness(cut{}, nil); ok {
			toEnd(x, slices.Clone(seq))
		}
	}
}

// toPart brings the machine to the end of a part of the graph.
func toPart(x *exploration, past []int32) bool {
	seq, ok := x.witness(cut{before: noStamp, past: past}, nil)
	if !ok {
		panic("BUG: a part of a graph is not consistent")
	}
	toEnd(x, slices.Clone(seq))
	return true
}

func join32(to, from []int32) {
	for u, n := range from {
		to[u] = max(to[u], n)
	}
}

// reportFailed reports the checks that the next step of thread t fails, where the machine is at the end of what happens before it.
func reportFailed(x *exploration, t int) {
	if x.robust.sc != nil {
		return
	}
	m := &x.run.m
	m.Enabled = m.Sys.EnabledEdges(m.State, t, m.Enabled[:0])
	for _, st := range slices.Clone(m.Enabled) {
		mark := m.State.Mark()
		m.Sys.Apply(m.State, st)
		f, bad := m.State.Fault()
		m.State.Undo(mark)
		if !bad {
			continue
		}
		if key, v := engine.FailedCheck(f); !x.out.Met[key] {
			v.Witness = recordFailed(x, st, f)
			x.out.Violated(key, v)
		}
	}
}

// dataRaceKey is the key of a data race.
const dataRaceKey = "race"

// findDataRace reports a data race of the class, if there is one: two accesses of a cell in different threads, one of them a
// write, one of them not atomic, neither of which happens before the other. The question of consistency was just asked
// about the whole graph.
func findDataRace(x *exploration) {
	m, ok := x.model.(*graphs)
	if !ok || x.out.Met[dataRaceKey] {
		return
	}
	events := m.in.Events
	for b := range events {
		for a := range events {
			if conflicting(&events[a], &events[b]) && !m.solver.HappensBefore(int32(a), int32(b)) && !m.solver.HappensBefore(int32(b), int32(a)) {
				reportDataRace(x, m.ops[a], m.ops[b])
				return
			}
		}
	}
	if x.frees {
		findUnorderedFree(x, m)
	}
	if x.run.m.Uses.Heap && !x.out.Met[dataRaceKey] {
		findUnorderedAlloc(x, m)
	}
}

// findUnorderedFree reports an access to a block, or another free of it, that is not ordered with the end of the block by
// happens-before. Where porf does not order the two either, the access fails in another order (blocks.go).
func findUnorderedFree(x *exploration, m *graphs) {
	for t := range x.g.threads {
		for i := range x.g.threads[t] {
			for _, b := range x.g.threads[t][i].freed() {
				for u := range x.g.threads {
					for j := range x.g.threads[u] {
						p := &x.g.threads[u][j]
						if u == t || p.allocs || !p.complete() || !p.needs(b) {
							continue
						}
						// The free has one event; an operation with several is ordered by its first or its last one.
						free := m.first[t][i]
						if !m.solver.HappensBefore(m.lastAccess(u, j), free) && !m.solver.HappensBefore(free, m.first[u][j]) {
							reportDataRace(x, refOf(t, i), refOf(u, j))
							return
						}
					}
				}
			}
		}
	}
}

// lastAccess returns the last event of an operation, without the one that stands for the end of its thread.
func (m *graphs) lastAccess(t, i int) int32 {
	e := m.ends[t][i]
	if e > m.first[t][i] && m.in.Events[e].Kind == rc11.Other {
		e--
	}
	return e
}

// conflicting reports whether two events race if they are not ordered.
func conflicting(a, b *rc11.Event) bool {
	access := func(e *rc11.Event) bool { return e.Kind == rc11.Read || e.Kind == rc11.Write }
	return a.Thread < b.Thread && access(a) && access(b) && (a.Kind == rc11.Write || b.Kind == rc11.Write) &&
		(a.Mode == rc11.Plain || b.Mode == rc11.Plain) && overlap(a.Cells, b.Cells)
}

// reportDataRace reports the race of two operations with an execution of what happens before either.
func reportDataRace(x *exploration, a, b ref) {
	past := slices.Clone(x.g.pastOf(a.t(), int(a.index)))
	join32(past, x.g.pastOf(b.t(), int(b.index)))
	toPart(x, past)
	first, second := x.run.stepOf(a), x.run.stepOf(b)
	if first > second {
		first, second = second, first
	}
	w := record(x)
	x.out.Violated(dataRaceKey, engine.Violation{
		Kind: engine.DataRace, Edge: ir.NoEdge, Witness: w.Until(second), StoreStep: first, LoadStep: second,
	})
	if seq, ok := x.witness(cut{}, nil); ok {
		toEnd(x, slices.Clone(seq))
	}
}
