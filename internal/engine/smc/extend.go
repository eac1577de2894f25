package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Going forward by an event, and back.

type savedBase struct{ thread, old int32 }

// extend takes an event from the newest node.
func (x *explorer) extend(p int32, lb label, below []*tree) {
	multiple := false
	if t := int(p); !x.procs[p].aux && x.y.Chooses(x.s, t) {
		x.list(t)
		x.freed(t, lb)
		multiple = len(x.options)+len(x.hidden) > 1
	}
	i := int32(len(x.ev))
	x.inner = x.inner[:0]
	visited := len(x.visited)
	x.ev = append(x.ev, event{})
	e := &x.ev[i]
	x.perform(p, lb, e)
	x.at++
	e.idx = x.count[p] + 1
	if need := (int(i) + 1) * x.stride; need > len(x.clocks) {
		x.clocks = append(x.clocks, make([]int32, need)...)
	}
	races := len(x.races)
	x.orderEvent(i)
	before, records := x.last[p], len(x.records)
	bases := len(x.bases)
	if multiple {
		x.alternatives(i, lb)
	}
	if e.cancel != none {
		x.races = append(x.races, race{first: i, second: none, proc: x.freeing})
		x.stores[e.thread][e.cancel].taken = i
	}
	for _, in := range x.inner {
		alt := e.label
		alt.inner = in
		x.races = append(x.races, race{first: i, second: none, proc: p, label: alt})
	}
	x.addRecords(i)
	x.count[p]++
	x.last[p] = i
	if e.flags&isUpdate != 0 {
		x.stores[e.thread][e.ord].upd = i
	} else {
		x.setBase(e.thread, i)
		for _, u := range x.reached {
			x.setBase(u, i)
		}
	}
	if x.watch != nil {
		var moved threadSet
		if e.flags&isUpdate == 0 {
			moved = append(threadSet{e.thread}, x.reached...)
		}
		x.moved = append(x.moved, moved)
	}
	attached := len(x.attached)
	if e.src.pend != 0 {
		x.attach(i)
	}
	x.noteStores(i)
	x.reachNode(e, node{races: races, records: records, attached: attached, prevLast: before, bases: bases, wut: below, visited: visited})
	if e.flags&ends != 0 {
		x.freeze(i)
	}
	x.out.events++
	x.out.depth = max(x.out.depth, len(x.ev))
}

// reachNode adds the node behind event e, given what to go back to.
func (x *explorer) reachNode(e *event, to node) {
	next := x.push()
	n := &x.nodes[len(x.nodes)-2] // push may have moved it
	to.sleep = next.sleep[:0]
	to.fresh = true
	to.mark, to.threadLog, to.steps = x.s.Mark(), len(x.threadLog), len(x.steps)
	for k := range n.sleep {
		to.sleep = append(to.sleep, n.sleep[k])
		if last := len(to.sleep) - 1; !to.sleep[last].passes(e) {
			to.sleep = to.sleep[:last]
		}
	}
	to.inherit = len(to.sleep)
	*next = to
}

// push makes room for a node; what a node had there before keeps its memory.
func (x *explorer) push() *node {
	if len(x.nodes) < cap(x.nodes) {
		x.nodes = x.nodes[:len(x.nodes)+1]
	} else {
		x.nodes = append(x.nodes, node{})
	}
	return &x.nodes[len(x.nodes)-1]
}

// freed finds the process that would free the block an alloc is about to take
// back.
func (x *explorer) freed(t int, lb label) {
	buf := x.s.Buffer(ir.ThreadID(t))
	for i := range buf {
		if buf[i].Kind == memory.FreeEntry && buf[i].Addr == uint64(lb.choice) {
			x.freeing = x.buffer(t, &buf[i])
		}
	}
}

// alternatives notes the choices that event i had besides the one taken.
func (x *explorer) alternatives(i int32, lb label) {
	p := x.ev[i].proc
	for _, list := range [][]label{x.options, x.hidden} {
		for _, alt := range list {
			if alt != lb {
				x.races = append(x.races, race{first: i, second: none, proc: p, label: alt})
			}
		}
	}
}

func (x *explorer) setBase(t, i int32) {
	x.bases = append(x.bases, savedBase{t, x.base[t]})
	x.base[t] = i
}

// noteStores writes down the stores an event put into buffers.
func (x *explorer) noteStores(i int32) {
	for _, st := range x.issued {
		x.stores[st.thread] = append(x.stores[st.thread][:st.ord], store{ev: i, upd: none, epoch: st.epoch, loads: none, taken: none})
	}
	x.issued = x.issued[:0]
}

// backtrack takes back the newest event and puts it to sleep.
func (x *explorer) backtrack() {
	d := len(x.nodes) - 1
	n := &x.nodes[d]
	i := int32(d - 1)
	e := &x.ev[i]
	x.rewind(d - 1)
	if e.flags&isUpdate != 0 {
		x.stores[e.thread][e.ord].upd = none
	}
	x.detach(e, n.attached)
	if e.cancel != none {
		x.stores[e.thread][e.cancel].taken = none
	}
	for k := len(x.bases) - 1; k >= n.bases; k-- {
		x.base[x.bases[k].thread] = x.bases[k].old
	}
	x.bases = x.bases[:n.bases]
	x.count[e.proc]--
	x.last[e.proc] = n.prevLast
	x.visited = x.visited[:n.visited]
	if x.watch != nil {
		x.moved = x.moved[:i]
	}
	x.dropRecords(n.records)
	x.races = x.races[:n.races]
	parent := &x.nodes[d-1]
	x.steps = x.steps[:parent.steps]
	if parent.shared {
		if !n.shared {
			x.world.complete(n.sh)
		}
	} else {
		parent.sleep = append(parent.sleep, *e)
	}
	parent.done++
	x.ev = x.ev[:i]
	x.nodes = x.nodes[:d]
}

// rewind takes the state back to node d.
func (x *explorer) rewind(d int) {
	if x.at <= d {
		return
	}
	x.s.Undo(x.nodes[d].mark)
	x.undoThreads(x.nodes[d].threadLog)
	x.at = d
}

func (x *explorer) undoThreads(n int) {
	for k := len(x.threadLog) - 1; k >= n; k-- {
		l := &x.threadLog[k]
		if l.loop == none {
			x.threads[l.thread] = l.old
			continue
		}
		last := len(x.loopLog) - 1
		x.loopStates[l.thread][l.loop] = x.loopLog[last]
		x.loopLog = x.loopLog[:last]
	}
	x.threadLog = x.threadLog[:n]
}

// seek brings the state to node d.
func (x *explorer) seek(d int) {
	x.rewind(d)
	x.forward(d)
}

// forward brings the state to node d again.
func (x *explorer) forward(d int) {
	if x.at == d {
		return
	}
	x.dry = true
	for x.at < d {
		e := &x.ev[x.at]
		var again event
		x.perform(e.proc, e.label, &again)
		x.at++
	}
	x.dry = false
	x.issued = x.issued[:0]
}
