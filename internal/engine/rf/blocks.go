package rf

import (
	"slices"

	"fencepost/internal/machine"
)

// Blocks that are freed. In a program without errors every access to a block happens before the free
// of the block, by porf, and its store is in memory by then. So the order of accesses and frees needs
// no sources. Where an access does not happen before the free, there is an execution in which it comes
// after the free: what happens before either is consistent, being closed under porf, and the access
// can come next. The access fails there, the check is reported with this execution, and the
// exploration ends, since what else happens depends on an order that the graph does not have.
//
// An allocation that a free need not follow may use the block again; that is refused.

// ordered checks operation i of thread t, which was just run, against the frees and accesses in the
// graph. It returns false if the exploration cannot go on.
func (x *explorer) ordered(t, i int) bool {
	o := &x.g.threads[t][i]
	if len(o.blocks) == 0 && !o.allocs {
		return true
	}
	past := x.g.pastOf(t, i)
	for u := range x.g.threads {
		for j := range x.g.threads[u] {
			p := &x.g.threads[u][j]
			if u == t && j >= i || !p.complete() {
				continue
			}
			if !x.compatible(refOf(t, i), o, past, refOf(u, j), p) {
				return false
			}
		}
	}
	return true
}

// compatible checks a new operation against an earlier one.
func (x *explorer) compatible(at ref, o *op, past []int32, other ref, p *op) bool {
	before := int(other.index) < int(past[other.t()])
	freeing := func(o *op) bool { return o.frees && len(o.blocks) > 0 }
	if o.stack == p.stack && (o.allocs && freeing(p) || freeing(o) && p.allocs && !before) {
		x.run.refuse("an allocation that may use a freed block again")
		return false
	}
	if !slices.ContainsFunc(o.blocks, func(b uint64) bool { return slices.Contains(p.blocks, b) }) {
		return true
	}
	switch {
	case p.frees && slices.Contains(o.blocks, p.blocks[0]):
		x.afterFree(other, at)
		return false
	case o.frees && slices.Contains(p.blocks, o.blocks[0]) && !before:
		x.afterFree(at, other)
		return false
	case o.frees && p.buffered && !x.inOrder && slices.Contains(p.blocks, o.blocks[0]):
		return x.inMemory(at, other)
	}
	return true
}

// afterFree runs an execution in which an operation comes after the free of a block that it needs.
func (x *explorer) afterFree(free, access ref) {
	past := slices.Clone(x.g.pastOf(free.t(), int(free.index)))
	for u, n := range x.g.pastOf(access.t(), int(access.index)) {
		if u == access.t() {
			n = access.index
		}
		past[u] = max(past[u], n)
	}
	o := *x.g.op(access)
	f := x.g.op(free)
	done := f.done
	if done == 0 { // the free is the new operation
		f.done = x.g.next()
	}
	seq, ok := x.witness(cut{before: noStamp, past: past}, nil)
	if !ok || past[access.t()] > access.index {
		panic("BUG: an access that a free need not follow happens before it")
	}
	seq = slices.Clone(seq)
	x.run.seek(x.g, seq)
	f.done = done
	var e machine.Event
	o.label = o.picked
	x.run.perform(node{thread: int32(access.t()), index: access.index}, &o, &e)
	x.run.m.TakeIssued()
	x.run.refuse("an access that can come after the free of its block")
}

// inMemory checks that a store has always reached memory before the free of its block does.
func (x *explorer) inMemory(free, store ref) bool {
	f := x.g.op(free)
	done := f.done
	f.done = x.g.next()
	d := &demand{updates: [2]ref{free, store}}
	seq, ok := x.witness(cut{before: noStamp, past: x.g.pastOf(free.t(), int(free.index))}, d)
	if ok {
		x.run.seek(x.g, slices.Clone(seq))
		x.run.refuse("a store that can reach memory after the free of its block")
	}
	f.done = done
	return !ok
}
