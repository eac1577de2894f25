package rf

import (
	"slices"

	"fencepost/internal/machine"
)

// Blocks that are freed, and used again.
//
// An allocation reads which free it takes the block of, or the initial value: a fresh block. That one is its
// canonical source. A free writes. All frees of blocks that an allocation can use write one cell, the pool of
// their shape; they overwrite nothing there, and each is the source of at most one allocation.
//
// In a program without errors every access to a block happens before each free of the block, by porf, and
// its store is in memory by then, or after the allocation that takes the free. So the order of accesses and frees
// needs no sources. Where that is not so there is an execution in which the access comes after the free
// and before the block is used again: what happens before either is consistent, being closed under porf, and
// the allocation is not in it; so the access can come next. It fails there, the check is reported with this
// execution, and the exploration ends, since what else happens depends on an order that the graph does not have.

// untaken returns the initial value, and the frees of blocks of a pool that no allocation takes, each with its block.
func (x *explorer) untaken(pool int32, frees []ref) ([]ref, []uint64) {
	from, blocks := []ref{initial}, []uint64{0}
	for _, f := range frees[1:] {
		for _, b := range x.g.op(f).inPool(pool) {
			if taker(x.g, f, b) == initial {
				from, blocks = append(from, f), append(blocks, b)
			}
		}
	}
	return from, blocks
}

// taker returns the operation that allocates a block which a free has freed, or initial.
func taker(g *graph, free ref, block uint64) ref {
	for u := range g.threads {
		for j := range g.threads[u] {
			for _, r := range g.threads[u][j].reads {
				if r.pool && r.from == free && r.block == block {
					return refOf(u, j)
				}
			}
		}
	}
	return initial
}

// ordered checks operation i of thread t, which was just run, against the frees and accesses in the
// graph. It returns false if the exploration cannot go on.
func (x *explorer) ordered(t, i int) bool {
	o := &x.g.threads[t][i]
	if o.unit.section && !x.readsAlive(t, i) {
		return false
	}
	if len(o.blocks) == 0 || o.allocs {
		return true
	}
	past := x.g.pastOf(t, i)
	for u := range x.g.threads {
		for j := range x.g.threads[u] {
			p := &x.g.threads[u][j]
			if u == t && j >= i || !p.complete() || p.allocs {
				continue
			}
			if !x.compatible(refOf(t, i), o, past, refOf(u, j), p) {
				return false
			}
		}
	}
	return true
}

// readsAlive checks that a section which reads that a block was freed happens after the allocation that takes it.
// Otherwise it comes before this allocation in an execution of its past, and fails.
func (x *explorer) readsAlive(t, i int) bool {
	o := &x.g.threads[t][i]
	past := x.g.pastOf(t, i)
	for _, r := range o.reads {
		b, ok := machine.Block(x.run.cells.address(r.cell))
		if !ok || r.from == initial {
			continue
		}
		if a := taker(x.g, r.from, b); a != initial && (a == refOf(t, i) || int(a.index) < int(past[a.t()])) {
			continue
		}
		seq, found := x.witness(cut{before: noStamp, past: past}, nil)
		if !found {
			panic("BUG: a part of a graph has no witness")
		}
		x.run.seek(x.g, slices.Clone(seq[:last(seq, node{thread: int32(t), index: int32(i)})]))
		var e machine.Event
		x.run.perform(node{thread: int32(t), index: int32(i)}, o, &e)
		x.run.m.TakeIssued()
		x.run.refuse("an access that can come after the free of its block")
		return false
	}
	return true
}

// compatible checks a new operation against an earlier one. Neither is an allocation.
func (x *explorer) compatible(at ref, o *op, past []int32, other ref, p *op) bool {
	before := func(r ref) bool { return int(r.index) < int(past[r.t()]) }
	for _, b := range p.freed() {
		if a := taker(x.g, other, b); o.needs(b) && (a == initial || !before(a)) {
			return x.afterFree(other, at, b)
		}
	}
	for _, b := range o.freed() {
		if !p.needs(b) {
			continue
		}
		if !before(other) {
			return x.afterFree(at, other, b)
		}
		if p.buffered && !p.frees && !x.inOrder && !x.inMemory(at, other) {
			return false
		}
	}
	return true
}

// earliest returns an operation that needs a block and need not come before the free of the block: access, or one that
// happens before access, such that none that happens before it is another. Only such an operation can come
// right after the free.
func earliest(x *explorer, free, access ref, block uint64) ref {
	before := x.g.pastOf(free.t(), int(free.index))
	for {
		next := access
		for u, n := range x.g.pastOf(access.t(), int(access.index)) {
			for j := before[u]; j < n && next == access; j++ {
				if r := refOf(u, int(j)); r != access && r != free && !x.g.op(r).allocs && x.g.op(r).needs(block) {
					next = r
				}
			}
		}
		if next == access {
			return access
		}
		access = next
	}
}

// afterFree runs an execution in which an operation comes after the free of a block that it needs. It returns true if
// there is none, since the free is in a section that cannot write then.
func (x *explorer) afterFree(free, access ref, block uint64) bool {
	access = earliest(x, free, access, block)
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
	if !ok && f.unit.section && done == 0 {
		f.done = 0
		return true
	}
	if !ok || past[access.t()] > access.index {
		panic("BUG: an access that a free need not follow happens before it")
	}
	seq = slices.Clone(seq)
	x.run.seek(x.g, seq)
	if x.failsNext != nil {
		x.failsNext(access.t(), seq)
	} else {
		var e machine.Event
		o.label = o.picked
		x.run.perform(node{thread: int32(access.t()), index: access.index}, &o, &e)
		x.run.m.TakeIssued()
	}
	f.done = done
	x.run.refuse("an access that can come after the free of its block")
	return false
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
