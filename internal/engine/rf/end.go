package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// The end of a class: its kind, the conditions that are checked there, and violations.

// endClass handles a graph to which nothing can be added. The machine is at the end of its witness.
func (x *exploration) endClass(seq []node) {
	for t := range x.g.threads {
		if o := x.g.last(t); o != nil && o.unit.stalled != 0 {
			x.out.counts.void++
			return
		}
	}
	if memory.HasC11 && x.run.c11 {
		next, ok := x.witness(cut{}, nil)
		if !ok {
			panic("BUG: a graph at its end is not consistent")
		}
		seq = slices.Clone(next)
		toEnd(x, seq)
		if findDataRace(x); x.stopped() {
			return
		}
	}
	seq, ok := x.waitInVain(seq)
	if !ok || x.couldChoose() {
		x.out.counts.void++
		return
	}
	x.out.counts.sum.add(classHash(&x.explorer))
	if x.atEnd != nil {
		x.atEnd(seq)
	}
	if memory.HasC11 {
		askSC(x, nil)
	}
	before, failed, blocked := x.out.counts.Complete, x.out.counts.Failed, x.out.counts.Blocked+x.out.counts.Waits
	x.judgeEnd()
	if x.task.Failed != nil && x.out.counts.Failed > failed {
		rec := engine.Record(x.run.m.Sys, x.run.m.Steps)
		var fails []string
		for _, f := range x.run.m.Faults() {
			fails = append(fails, rec.Fault(f))
		}
		x.alone(func() { x.task.Failed(rec.Witness(), fails) })
	}
	if x.task.Visit != nil && (x.task.Unfinished || x.out.counts.Complete > before) {
		visitClass(x, seq)
	}
	if x.task.Blocked != nil && x.out.counts.Blocked+x.out.counts.Waits > blocked {
		x.run.seek(x.g, seq)
		w := x.execution()
		x.alone(func() { x.task.Blocked(w) })
	}
	if x.goals.watch != nil && !x.out.Stopped && x.robust.sc == nil {
		x.goals.find(seq)
	}
}

// visitClass calls Visit with an execution of a class, or with one for each modification order.
func visitClass(x *exploration, seq []node) {
	x.run.seek(x.g, seq)
	m, ok := x.model.(*graphs)
	if !memory.HasC11 || !ok {
		w := x.execution()
		x.alone(func() { x.task.Visit(w) })
		return
	}
	m.all(x.task.Graphs, func() {
		x.mo = ordersOfCells(x, m)
		w := x.execution()
		x.alone(func() { x.task.Visit(w) })
	})
}

// alone calls f while no other worker does.
func (x *exploration) alone(f func()) {
	if x.pool != nil {
		x.pool.visitMu.Lock()
		defer x.pool.visitMu.Unlock()
	}
	f()
}

// waitInVain returns a witness in which threads that wait for a mutex wait in vain: it is held in the end.
// Without one the graph is no class: the mutex was unlocked after the thread had looked at it, and
// the thread goes on in another graph. The machine is brought to the end of the witness.
func (x *exploration) waitInVain(seq []node) ([]node, bool) {
	var d demand
	for t := range x.g.threads {
		if o := x.g.last(t); o != nil && o.waits {
			d.last = append(d.last, refOf(t, len(x.g.threads[t])-1))
		}
	}
	if len(d.last) == 0 {
		return seq, true
	}
	next, ok := x.witness(cut{}, &d)
	if !ok {
		return nil, false
	}
	seq = slices.Clone(next)
	toEnd(x, seq)
	return seq, true
}

// judgeEnd counts the class by its kind, and checks the final condition and deadlocks.
func (x *exploration) judgeEnd() {
	m := &x.run.m
	stops := [machine.Bounded + 1]bool{}
	for t := range m.Threads.Now {
		stops[m.Threads.Now[t].Stop] = true
	}
	if memory.MainReturned(m.Sys, m.State) {
		x.out.counts.Returned++
	}
	switch {
	case stops[machine.Failed]:
		x.out.counts.Failed++
		if memory.HasC11 && x.run.c11 {
			failures(x)
		}
		return
	case stops[machine.Exited]:
		x.out.counts.Exits++
		if x.task.ExitFinals {
			x.finals()
		}
		return
	case stops[machine.Bounded]:
		x.out.counts.Bounded++
		if memory.HasC11 && x.run.c11 { // no other engine judges loops whose rounds write
			x.endless()
		}
		return
	case m.Sys.Final(m.State):
		x.out.counts.Complete++
		x.finals()
		return
	}
	m.State.Withheld = false
	m.Enabled = m.Sys.Enabled(m.State, m.Enabled[:0])
	switch {
	case m.State.Withheld:
		x.out.counts.Bounded++
		return
	case stops[machine.Refused] || x.canMove() || !m.Sys.Deadlocked(m.State) || m.AtAssumption():
		x.out.counts.Blocked++
	default:
		x.out.counts.Waits++
	}
	if x.task.Props.Deadlock && !x.out.Met["deadlock"] && x.stuck() {
		x.report("deadlock", engine.Violation{Kind: engine.Deadlock})
	}
	x.endless()
}

// canMove reports whether a step is enabled, given that m.Enabled has the enabled steps. The step of
// an await is enabled if its condition holds in the end.
func (x *exploration) canMove() bool {
	return slices.ContainsFunc(x.run.m.Enabled, func(st memory.Step) bool { return st.Kind != memory.Wake })
}

// stuck brings the machine to the end of a witness in which every thread that waits, for a mutex or a
// value, does so in vain, and reports whether that is a deadlock.
func (x *exploration) stuck() bool {
	var d demand
	var cells []int32
	m := &x.run.m
	for t := range x.g.threads {
		if o := x.g.last(t); o != nil && o.ends && (o.waits || m.Threads.Now[t].Stop == machine.Refused) {
			d.last = append(d.last, refOf(t, len(x.g.threads[t])-1))
			cells = x.otherwise(t, o, cells)
		}
	}
	if len(d.last) > 0 {
		seq, ok := x.witness(cut{}, &d)
		if !ok {
			return false
		}
		toEnd(x, seq)
	}
	return x.lastWriters(cells, &d, func(d *demand) bool {
		m.Enabled = m.Sys.Enabled(m.State, m.Enabled[:0])
		if x.canMove() || !m.Sys.Deadlocked(m.State) {
			return false
		}
		if memory.HasC11 {
			askSC(x, lastOfBlocked(x, d))
		}
		return true
	})
}

// otherwise adds the cells with several writes that thread t, which waits in its last operation, could
// wait for instead: those of the other edges from its location. The class does not say what they hold in
// the end.
func (x *exploration) otherwise(t int, o *op, cells []int32) []int32 {
	if !x.run.m.State.Running(ir.ThreadID(t)) {
		return cells // it waits for the mutex of a condition
	}
	th := x.run.thread(t)
	for i := range int32(th.EdgeCount()) {
		if i == o.label.Edge {
			continue
		}
		addr, size := th.Address(i)
		switch th.Op(i).Kind {
		case ir.Await, ir.AbstractLoad, ir.RMW:
			cells = x.several(addr, size, cells)
		case ir.Lock:
			cells = x.several(addr, memory.WordSize, cells)
		}
	}
	return cells
}

// finals checks the final condition in every final state of the class, and collects these states. The
// class does not say which of several writes to a cell is the last one.
func (x *exploration) finals() {
	if x.task.Props.Final == nil && !x.task.Finals {
		return
	}
	x.lastWriters(x.observed(), &demand{}, func(d *demand) bool {
		if memory.HasC11 && len(d.finals) > 0 {
			askSC(x, d.finals)
		}
		x.final()
		return x.stopped()
	})
}

// lastWriters tries all last writers of some cells, given a demand: it brings the machine to the end of a
// witness for each combination that is possible, and calls end there. It returns true as soon as end does.
func (x *exploration) lastWriters(left []int32, d *demand, end func(*demand) bool) bool {
	if len(left) == 0 {
		return end(d)
	}
	c := left[0]
	for _, w := range x.sources(c)[1:] {
		with := &demand{last: d.last, finals: append(slices.Clone(d.finals), final{c, w})}
		if seq, ok := x.witness(cut{}, with); ok {
			toEnd(x, seq)
			if x.lastWriters(left[1:], with, end) {
				return true
			}
		}
	}
	return false
}

// several adds the cells of a range that have several writes.
func (x *exploration) several(addr uint64, size int, out []int32) []int32 {
	for _, c := range x.run.cells.overlapping(addr, size) {
		if !slices.Contains(out, c) && len(x.sources(c)) > 2 {
			out = append(out, c)
		}
	}
	return out
}

// severalWrites returns the cells of memory that have several writes.
func severalWrites(x *exploration) []int32 {
	cs := x.run.cells
	var out []int32
	for c := range int32(cs.count()) {
		if machine.IsMemory(cs.address(c)) && len(x.sources(c)) > 2 {
			out = append(out, c)
		}
	}
	return out
}

// observed returns the cells with several writes that a final state shows.
func (x *exploration) observed() []int32 {
	if x.task.Finals && x.task.Props.Whole {
		return severalWrites(x)
	}
	var out []int32
	var vars []property.Var
	if f := x.task.Props.Final; f != nil {
		vars = append(vars, f.Cond.Vars...)
	}
	if x.task.Finals {
		vars = append(vars, x.task.Props.Observe...)
	}
	for _, v := range vars {
		if v.IsMemory() {
			out = x.several(v.Addr, v.Type.Size(), out)
		}
	}
	return out
}

// final checks the final condition and collects the final state.
func (x *exploration) final() { x.out.Final(x.task.Task, x.judge, x.show, x.run.m.State, x.report) }

// checkFailed reports the check that the last step failed.
func (x *exploration) checkFailed(f memory.Fault) {
	key, v := engine.FailedCheck(f)
	x.report(key, v)
}

// report adds a violation with the execution so far as its witness, unless it has been met before.
func (x *exploration) report(key string, v engine.Violation) {
	if x.out.Met[key] || x.robust.sc != nil {
		return
	}
	v.Witness = x.execution()
	x.out.Violated(key, v)
}

// execution returns the execution so far.
func (x *exploration) execution() *verdict.Witness {
	if memory.HasC11 && x.run.c11 {
		return record(x)
	}
	return engine.Record(x.run.m.Sys, x.run.m.Steps).Witness()
}
