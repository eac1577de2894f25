package smc

import (
	"slices"

	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// The events of an execution and their order.

// execution is the events on the path, with happens-before and the reversible races between them.
type execution struct {
	model  memory.Model
	uses   machine.Features
	procs  *processes
	tables readsFromTables

	events     []event
	pasts      pasts
	base       []int32 // per thread: the event that its next event continues, or none
	after      []int32 // per thread: the thread after whose beginning it begins, or none; nil: all none
	begun      []int32 // per thread: its beginning, if after names the thread; or none
	bases      []savedBase
	stores     [][]store // per thread, in program order
	attached   []attachment
	forwards   int // events with bytes that their thread has stored
	chains     chains
	reversible []reversible

	overwritten bool // a store made a mutex look held, and a lock of another thread could have come first; in any execution

	found []int32 // scratch: the events that a new one directly depends on
}

// store is a store that a thread has issued.
type store struct {
	ev    int32 // the event it was issued in, none: before the first event
	upd   int32 // its update, none: it is still in the buffer
	epoch int32
	loads int32 // the newest attachment to it
	taken int32 // of a free: the alloc that took the block back, none
}

type savedBase struct{ thread, old int32 }

func newExecution(m *machine.Machine) execution {
	y := m.Sys
	ex := execution{model: y.Model, uses: m.Uses, procs: m.Procs, tables: m.Tables, after: m.Ordered.After, base: make([]int32, y.Threads()), stores: make([][]store, y.Threads())}
	for t := range ex.base {
		ex.base[t] = none
	}
	ex.begun = slices.Clone(ex.base)
	ex.pasts.near, ex.pasts.starts = 64, append(ex.pasts.starts, 0)
	return ex
}

// lastThread returns the thread of the newest event, or of its buffer; none if there is no event.
func (ex *execution) lastThread() int32 {
	if len(ex.events) == 0 {
		return none
	}
	return ex.events[len(ex.events)-1].Thread
}

// enter adds event i, whose past is known, to what later events are ordered by. reached has the
// other threads that it moved, stores the stores that entered buffers.
func (ex *execution) enter(i int32, reached []int32, stores []machine.Issued) {
	e := &ex.events[i]
	if e.Flags&begins != 0 {
		ex.begun[e.Thread] = i
	}
	ex.chains.add(i, e)
	ex.procs.Count[e.Proc]++
	ex.procs.Last[e.Proc] = i
	if e.Flags&isUpdate != 0 {
		ex.stores[e.Thread][e.Ord].upd = i
	} else {
		ex.setBase(e.Thread, i)
		for _, u := range reached {
			ex.setBase(u, i)
		}
	}
	if e.From.Forwarded|e.From.Seen != 0 {
		ex.forwards++
		ex.attach(i)
	}
	ex.addStores(i, stores)
}

// leave takes event i, the newest, out of what events are ordered by. n is the node after it.
func (ex *execution) leave(i int32, n *node) {
	e := &ex.events[i]
	if e.Flags&begins != 0 {
		ex.begun[e.Thread] = none
	}
	if e.Flags&isUpdate != 0 {
		ex.stores[e.Thread][e.Ord].upd = none
	}
	if e.From.Forwarded|e.From.Seen != 0 {
		ex.forwards--
		ex.detach(e, n.attached)
	}
	if e.Cancel != none {
		ex.stores[e.Thread][e.Cancel].taken = none
	}
	for k := len(ex.bases) - 1; k >= n.bases; k-- {
		ex.base[ex.bases[k].thread] = ex.bases[k].old
	}
	ex.bases = ex.bases[:n.bases]
	ex.procs.Count[e.Proc]--
	ex.procs.Last[e.Proc] = n.prevLast
	ex.chains.drop(n.records)
	ex.reversible = ex.reversible[:n.reversible]
}

// waitsFor returns the event that the beginning of thread t comes after because the threads can be exchanged, or none.
func (ex *execution) waitsFor(t int32) int32 {
	if ex.after == nil || ex.after[t] == none {
		return none
	}
	return ex.begun[ex.after[t]]
}

func (ex *execution) setBase(t, i int32) {
	ex.bases = append(ex.bases, savedBase{t, ex.base[t]})
	ex.base[t] = i
}

// addStores notes the stores that event i put into buffers.
func (ex *execution) addStores(i int32, stores []machine.Issued) {
	for _, st := range stores {
		ex.stores[st.Thread] = append(ex.stores[st.Thread][:st.Ord], store{ev: i, upd: none, epoch: st.Epoch, loads: none, taken: none})
	}
}

// addAlternatives notes the labels that event i could have had instead of lb.
func (ex *execution) addAlternatives(i int32, lb label, labels []label) {
	for _, alt := range labels {
		if alt != lb {
			ex.addReversible(reversible{first: i, second: none, proc: ex.events[i].Proc, label: alt})
		}
	}
}

// countBefore returns the number that the next event of process p has after the events of v, which
// start before event first.
func (ex *execution) countBefore(p, first int32, v *sequence) int32 {
	n := ex.procs.Count[p]
	for i := int(first); i < len(ex.events); i++ {
		if ex.events[i].Proc == p {
			n--
		}
	}
	for k := range v.items {
		if v.items[k].i != none && ex.events[v.items[k].i].Proc == p {
			n++
		}
	}
	return n + 1
}
