package rf

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Running the nodes of a witness, and taking them back.

// seek brings the machine to the end of a witness. Operations that are not complete, or that wait for
// a mutex, change nothing and are left out. Nodes say when they were run; so only those are looked at that have not
// been, or after which others have.
func (rn *runner) seek(g *graph, seq []node) {
	k, i := 0, 0
	rn.graph = g
	for j := len(seq) - 1; j >= 0; j-- {
		if n := &seq[j]; n.ran != 0 && int(n.at) < len(rn.ran) && rn.ran[n.at].run == n.ran && rn.does(g, n) {
			k, i = int(n.at)+1, j+1
			break
		}
	}
	for ; i < len(seq); i++ {
		n := &seq[i]
		if !rn.does(g, n) {
			continue
		}
		o := &g.threads[n.thread][n.index]
		if k == len(rn.ran) || !rn.ran[k].node.is(*n) || !n.update && (rn.ran[k].label != o.label || !slices.Equal(rn.ran[k].takes, o.takes()) || memory.HasC11 && rn.c11 && !sameSources(rn.ran[k].pokes, o)) {
			break
		}
		n.ran, n.at = rn.ran[k].run, int32(k)
		k++
	}
	rn.rewind(k)
	for ; i < len(seq); i++ {
		if n := &seq[i]; rn.does(g, n) {
			rn.step(g, n)
		}
	}
}

// does reports whether a node of a witness changes anything.
func (rn *runner) does(g *graph, n *node) bool {
	o := &g.threads[n.thread][n.index]
	return n.update || o.complete() && !o.waits
}

// step runs a node.
func (rn *runner) step(g *graph, n *node) {
	o := &g.threads[n.thread][n.index]
	if n.update {
		rn.flush(*n, o)
	} else {
		var e machine.Event
		rn.perform(*n, o, &e)
		if len(rn.m.TakeIssued()) > 0 != o.buffered {
			panic("BUG: an operation has another outcome than before")
		}
	}
	rn.note(n)
}

// note notes that a node is the one that was just run.
func (rn *runner) note(n *node) { n.ran, n.at = rn.runs, int32(len(rn.ran)-1) }

// rewind undoes all but the first k nodes.
func (rn *runner) rewind(k int) {
	if k == len(rn.ran) {
		return
	}
	for i := k; i < len(rn.ran); i++ {
		if !rn.ran[i].node.update {
			rn.m.Procs.Count[rn.ran[i].node.thread]--
		}
	}
	rn.m.Undo(rn.ran[k].mark)
	rn.m.Steps = rn.m.Steps[:rn.ran[k].steps]
	rn.ran = rn.ran[:k]
}

// push notes a node that is about to run.
func (rn *runner) push(n node, lb machine.Label, takes []uint64) {
	rn.runs++
	rn.work += runCost
	if n := len(rn.ran); n > 0 {
		rn.work += localCost * int64(len(rn.m.Steps)-rn.ran[n-1].steps)
	}
	rn.ran = append(rn.ran, ran{n, lb, takes, rn.m.Mark(), len(rn.m.Steps), rn.runs, nil, 0, 0})
}

// perform runs an operation.
func (rn *runner) perform(n node, o *op, e *machine.Event) {
	rn.m.Takes = o.takes()
	rn.push(n, o.label, rn.m.Takes)
	rn.m.Inner = rn.m.Inner[:0]
	if memory.HasC11 && rn.c11 {
		rn.ran[len(rn.ran)-1].pokes = rn.pokes(o)
		rn.poke(o)
		rn.begins(n, o.label)
	}
	rn.m.Perform(n.thread, o.label, e)
	rn.m.Procs.Count[n.thread]++
}

// flush runs the update of a store.
func (rn *runner) flush(n node, o *op) {
	rn.push(n, machine.Label{}, nil)
	buf := rn.m.State.Buffer(ir.ThreadID(n.thread))
	for i := range buf {
		if buf[i].Tag == o.ord && buf[i].Kind != memory.Marker {
			var e machine.Event
			rn.m.Perform(rn.m.BufferOf(int(n.thread), &buf[i]), machine.Label{}, &e)
			return
		}
	}
	if !o.frees { // an allocation of the thread may have used the block again, and taken the free out of the buffer
		panic("BUG: a store that is not in the buffer is updated")
	}
}
