package rf

import (
	"slices"

	"fencepost/internal/ir"
)

// Spawns and joins. What has become of a thread, that it has not started, has, or was joined, is a cell: the spawn of the
// thread writes it, and a join reads and writes it. A join that reads that its thread has not started or
// was joined fails. One that reads that its thread has started waits: it is in the graph with its read, and its
// write is added when the thread has ended. Until then nothing comes after it in its thread.

// A spawn starts the first thread of its list that has not started. Where several threads can start a thread, a cell
// stands for which threads of all such lists have started, and a spawn reads and writes it.

// joining reports whether an operation is a join that has read that its thread has started, and waits for the end.
func (x *explorer) joining(o *op) bool {
	if o.join == 0 || o.known || len(o.reads) < len(o.cells) {
		return false
	}
	if from := o.reads[0].from; from != initial {
		return x.g.op(from).join == 0
	}
	return x.run.m.Sys.Prog.Threads[o.join-1].Start
}

// joinEnded goes on with the join that thread t waits in, whose thread has ended.
func (x *explorer) joinEnded(t int, seq []node) {
	i, at := len(x.g.threads[t])-1, node{thread: int32(t), index: int32(len(x.g.threads[t]) - 1)}
	o := &x.g.threads[t][i]
	old, u := *o, int(o.join)-1
	o.ended = x.wakers(u, []ref{})
	if n := len(x.g.threads[u]); n > 0 {
		o.ended = append(o.ended, refOf(u, n-1))
	}
	// The join comes last, unless another one has joined the thread.
	mem := x.mem
	moved := append(slices.DeleteFunc(slices.Clone(seq), func(n node) bool { return n.is(at) }), at)
	if lastOf(x, o.cells[0]) != o.reads[0].from {
		o.done = x.g.next()
		next, ok := x.witness(cut{}, nil)
		if !ok {
			panic("BUG: a join of a thread that has ended has no witness")
		}
		moved = x.adopt(next)
		o.done = 0
	}
	x.learn(t, i, moved)
	x.mem = mem
	x.g.threads[t][i] = old
}

// couldChoose reports whether a thread waits in a join, a lock or a spawn that is one of several choices although it can
// do something else. The graph is no class then: what the thread does there is in others. If all choices wait, the graph
// with the first lock or spawn counts, and if all are joins the graph with the first join.
func (x *explorer) couldChoose() bool {
	for t := range x.g.threads {
		o := x.g.last(t)
		if o == nil || o.pick == 0 || o.complete() && !o.waits {
			continue
		}
		th := x.run.thread(t)
		for i := range int32(th.EdgeCount()) {
			kind := th.Op(i).Kind
			switch {
			case len(th.EnabledEdge(i, nil)) > 0:
				return true
			case kind == ir.Join:
				if o.later && !o.waits {
					return true
				}
			case kind != ir.Lock && kind != ir.Spawn || !o.waits || i < o.label.Edge:
				return true
			}
		}
	}
	return false
}
