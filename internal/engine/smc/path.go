package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// The path from the root of the exploration to the newest node: going forward by an event, and
// back.
//
// Invariants. exec.events[:n] is the execution from the root to node n. Clocks, chains, stores and
// reversible races belong to all events of the execution. The machine's state belongs to node at.
// at is the newest node, except while events are tried in other contexts at the end of an
// execution.

// path is the execution that is being explored, with a node before each event and one at the end.
type path struct {
	run   machine.Machine
	exec  execution
	nodes []node
	at    int // the node that the machine is at
	alive alive
	low   int // the fewest events that the execution has had since the races of an execution were reversed last
}

// node is a state on the path. It has what is needed to return to it.
type node struct {
	mark       int // of memory's state
	log        int // length of the log of the threads
	steps      int
	records    int
	attached   int
	reversible int
	visited    int   // arrivals at locations of goals before the event that leads here
	bases      int   // saved bases
	finished   int   // threads that have finished
	prevLast   int32 // the newest event before of the process of the event that leads here

	sleep   []event
	inherit int      // how many events of sleep the parent had, too
	woken   woken    // an event that slept at the parent and does no longer, since the event between depends on it
	wut     branches // the wakeup tree: what remains to be explored from here
	fresh   bool     // nothing has been explored from here
	done    int      // events that have been explored from here

	// With several workers: the shared node; whether it is in use; the index of the branch that
	// this worker explores; and how many of the branches before that are in sleep.
	sh        *shared
	shared    bool
	cur, have int
}

func newPath(task *job, y *memory.System, w *world) path {
	tables := readsFromTables{}
	procs := machine.NewProcesses(y)
	if w != nil {
		for _, p := range procs.List {
			w.number(p)
		}
		procs.Number = func(p machine.Process) int32 {
			id := w.number(p)
			w.learn(procs)
			return int32(id)
		}
	}
	opt := machine.Options{Unroll: task.Limits.Unroll, Idle: task.Traces, IdleRounds: task.IdleRounds, Passing: task.IdleRounds > 0, Keep: task.KeepOf(), After: task.groups.After(y.Prog), Begin: task.groups.Begin(y.Prog)}
	run := machine.New(y, procs, tables, opt)
	return path{run: run, exec: newExecution(&run)}
}

// start makes the root.
func (pa *path) start() {
	m := &pa.run
	for t := range m.Threads.Now {
		if m.State.Started(ir.ThreadID(t)) {
			m.Begin(t)
			m.RunLocal(t)
		}
	}
	pa.exec.addStores(none, m.TakeIssued())
	pa.alive = newAlive(len(m.Threads.Now))
	pa.nodes = append(pa.nodes, node{mark: m.State.Mark(), log: len(m.Threads.Log), steps: len(m.Steps), fresh: true, prevLast: none})
}

// extend performs an event from the newest node and adds the node after it, whose wakeup tree
// and number of arrivals are given. It returns the number of the event.
func (pa *path) extend(p int32, lb label, to node) int32 {
	m, ex := &pa.run, &pa.exec
	multiple, freeing := false, int32(none)
	if t := int(p); !m.Procs.List[p].Buffer && m.Sys.Thread(m.State, t).HasChoice() {
		m.List(t)
		freeing = m.FreeingProcess(t, lb)
		multiple = len(m.Options)+len(m.Hidden) > 1
	}
	i := int32(len(ex.events))
	m.Inner = m.Inner[:0]
	ex.events = append(ex.events, event{})
	e := &ex.events[i]
	m.Perform(p, lb, e)
	pa.at++
	e.Idx = m.Procs.Count[p] + 1
	to.reversible, to.records, to.bases, to.attached = len(ex.reversible), len(ex.chains.records), len(ex.bases), len(ex.attached)
	to.prevLast = m.Procs.Last[p]
	ex.order(i)
	if multiple {
		ex.addAlternatives(i, lb, m.Options)
		ex.addAlternatives(i, lb, m.Hidden)
	}
	if e.Cancel != none {
		ex.addReversible(reversible{first: i, second: none, proc: freeing})
		ex.stores[e.Thread][e.Cancel].taken = i
	}
	for _, in := range m.Inner {
		alt := e.Label
		alt.Inner = in
		ex.addReversible(reversible{first: i, second: none, proc: p, label: alt})
	}
	to.finished = len(pa.alive.finished)
	ex.enter(i, m.Reached, m.TakeIssued())
	pa.finish(e.Thread)
	for _, t := range m.Reached {
		pa.finish(t)
	}
	pa.reachNode(e, to)
	return i
}

// woken names an event that slept. It is best performed next: it is in the executions of all branches from here on then,
// and not performed again at the end of each.
type woken struct {
	any   bool
	proc  int32
	label label
}

// reachNode adds the node after event e, given what to return to.
func (pa *path) reachNode(e *event, to node) {
	next := pa.push()
	n := &pa.nodes[len(pa.nodes)-2] // push may have moved it
	to.sleep = next.sleep[:0]
	to.fresh = true
	to.mark, to.log, to.steps = pa.run.State.Mark(), len(pa.run.Threads.Log), len(pa.run.Steps)
	for k := range n.sleep {
		to.sleep = append(to.sleep, n.sleep[k])
		if last := len(to.sleep) - 1; !passes(&to.sleep[last], e) {
			to.sleep = to.sleep[:last]
			if d := &n.sleep[k]; d.Proc != e.Proc {
				to.woken = woken{true, d.Proc, d.Label}
			}
		}
	}
	to.inherit = len(to.sleep)
	*next = to
}

// push makes room for a node. The sleep set of a node that was there before keeps its memory.
func (pa *path) push() *node {
	if len(pa.nodes) < cap(pa.nodes) {
		pa.nodes = pa.nodes[:len(pa.nodes)+1]
	} else {
		pa.nodes = append(pa.nodes, node{})
	}
	return &pa.nodes[len(pa.nodes)-1]
}

// retract undoes everything that the newest event has done, except for the event and its node
// themselves, which the caller drops.
func (pa *path) retract() {
	d := len(pa.nodes) - 1
	pa.rewind(d - 1)
	pa.exec.leave(int32(d-1), &pa.nodes[d])
	pa.alive.restore(pa.nodes[d].finished)
	pa.low = min(pa.low, d-1)
	pa.run.Steps = pa.run.Steps[:pa.nodes[d-1].steps]
}

// rewind takes the machine back to node d if it is at a later one.
func (pa *path) rewind(d int) {
	if pa.at <= d {
		return
	}
	pa.run.Undo(machine.Mark{State: pa.nodes[d].mark, Log: pa.nodes[d].log})
	pa.at = d
}

// seek brings the machine to node d.
func (pa *path) seek(d int) {
	pa.rewind(d)
	pa.forward(d)
}

// forward brings the machine from an earlier node to node d.
func (pa *path) forward(d int) {
	if pa.at == d {
		return
	}
	m := &pa.run
	m.Dry = true
	for pa.at < d {
		e := &pa.exec.events[pa.at]
		var again event
		m.Perform(e.Proc, e.Label, &again)
		pa.at++
	}
	m.Dry = false
	m.Issued = m.Issued[:0]
}
