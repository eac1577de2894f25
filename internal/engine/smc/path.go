package smc

import (
	"fencepost/internal/ir"
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
	run   machine
	exec  execution
	nodes []node
	at    int // the node that the machine is at
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
	prevLast   int32 // the newest event before of the process of the event that leads here

	sleep   []event
	inherit int     // how many events of sleep the parent had, too
	wut     []*tree // the wakeup tree: what remains to be explored from here
	fresh   bool    // nothing has been explored from here
	done    int     // events that have been explored from here

	// With several workers: the shared node; whether it is in use; the index of the branch that
	// this worker explores; and how many of the branches before that are in sleep.
	sh        *shared
	shared    bool
	cur, have int
}

func newPath(task *job, y *memory.System, procs *processes) path {
	tables := readsFromTables{}
	uses := featuresOf(y.Prog)
	if y.Model == memory.TSO {
		for t := range y.Threads() {
			procs.add(process{thread: int32(t), buffer: true})
		}
	}
	return path{
		run:  newMachine(task, y, procs, tables, uses),
		exec: newExecution(y, procs, tables, uses),
	}
}

// start makes the root.
func (pa *path) start() {
	m := &pa.run
	for t := range m.threads.now {
		if m.state.Started(ir.ThreadID(t)) {
			m.begin(t)
			m.runLocal(t)
		}
	}
	pa.exec.addStores(none, m.takeIssued())
	pa.nodes = append(pa.nodes, node{mark: m.state.Mark(), log: len(m.threads.log), steps: len(m.steps), fresh: true, prevLast: none})
}

// extend performs an event from the newest node and adds the node after it, whose wakeup tree
// and number of arrivals are given. It returns the number of the event.
func (pa *path) extend(p int32, lb label, to node) int32 {
	m, ex := &pa.run, &pa.exec
	multiple, freeing := false, int32(none)
	if t := int(p); !m.procs.list[p].buffer && m.sys.Thread(m.state, t).HasChoice() {
		m.list(t)
		freeing = m.freeingProcess(t, lb)
		multiple = len(m.options)+len(m.hidden) > 1
	}
	i := int32(len(ex.events))
	m.inner = m.inner[:0]
	ex.events = append(ex.events, event{})
	e := &ex.events[i]
	m.perform(p, lb, e)
	pa.at++
	e.idx = m.procs.count[p] + 1
	to.reversible, to.records, to.bases, to.attached = len(ex.reversible), len(ex.chains.records), len(ex.bases), len(ex.attached)
	to.prevLast = m.procs.last[p]
	ex.order(i)
	if multiple {
		ex.addAlternatives(i, lb, m.options)
		ex.addAlternatives(i, lb, m.hidden)
	}
	if e.cancel != none {
		ex.reversible = append(ex.reversible, reversible{first: i, second: none, proc: freeing})
		ex.stores[e.thread][e.cancel].taken = i
	}
	for _, in := range m.inner {
		alt := e.label
		alt.inner = in
		ex.reversible = append(ex.reversible, reversible{first: i, second: none, proc: p, label: alt})
	}
	ex.enter(i, m.reached, m.takeIssued())
	pa.reachNode(e, to)
	return i
}

// reachNode adds the node after event e, given what to return to.
func (pa *path) reachNode(e *event, to node) {
	next := pa.push()
	n := &pa.nodes[len(pa.nodes)-2] // push may have moved it
	to.sleep = next.sleep[:0]
	to.fresh = true
	to.mark, to.log, to.steps = pa.run.state.Mark(), len(pa.run.threads.log), len(pa.run.steps)
	for k := range n.sleep {
		to.sleep = append(to.sleep, n.sleep[k])
		if last := len(to.sleep) - 1; !to.sleep[last].passes(e) {
			to.sleep = to.sleep[:last]
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
	pa.run.steps = pa.run.steps[:pa.nodes[d-1].steps]
}

// rewind takes the machine back to node d if it is at a later one.
func (pa *path) rewind(d int) {
	if pa.at <= d {
		return
	}
	pa.run.undo(mark{pa.nodes[d].mark, pa.nodes[d].log})
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
	m.dry = true
	for pa.at < d {
		e := &pa.exec.events[pa.at]
		var again event
		m.perform(e.proc, e.label, &again)
		pa.at++
	}
	m.dry = false
	m.issued = m.issued[:0]
}
