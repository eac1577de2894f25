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

// untaken returns the initial value, and the frees that no allocation takes.
func (x *explorer) untaken(frees []ref) []ref {
	return slices.DeleteFunc(frees, func(f ref) bool { return f != initial && x.taker(f) != initial })
}

// taker returns the allocation that takes the block of a free, or initial.
func (x *explorer) taker(free ref) ref {
	for u := range x.g.threads {
		for j := range x.g.threads[u] {
			if o := &x.g.threads[u][j]; o.allocs && len(o.reads) > 0 && o.reads[0].from == free {
				return refOf(u, j)
			}
		}
	}
	return initial
}

// blockOf returns the freed block that an allocation uses, or 0.
func (x *explorer) blockOf(o *op) uint64 {
	if !o.allocs || len(o.reads) == 0 || o.reads[0].from == initial {
		return 0
	}
	return x.g.op(o.reads[0].from).blocks[0]
}

// ordered checks operation i of thread t, which was just run, against the frees and accesses in the
// graph. It returns false if the exploration cannot go on.
func (x *explorer) ordered(t, i int) bool {
	o := &x.g.threads[t][i]
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

// compatible checks a new operation against an earlier one. Neither is an allocation.
func (x *explorer) compatible(at ref, o *op, past []int32, other ref, p *op) bool {
	before := func(r ref) bool { return int(r.index) < int(past[r.t()]) }
	if p.freeing() && slices.Contains(o.blocks, p.blocks[0]) {
		if a := x.taker(other); a == initial || !before(a) {
			x.afterFree(other, at)
			return false
		}
	}
	if o.freeing() && slices.Contains(p.blocks, o.blocks[0]) {
		if !before(other) {
			x.afterFree(at, other)
			return false
		}
		return !p.buffered || p.frees || x.inOrder || x.inMemory(at, other)
	}
	return true
}

// earliest returns an operation that needs a block and need not come before the free of the block: access, or one that
// happens before access, such that none that happens before it is another. Only such an operation can come
// right after the free.
func earliest(x *explorer, free, access ref) ref {
	block := x.g.op(free).blocks[0]
	before := x.g.pastOf(free.t(), int(free.index))
	for {
		next := access
		for u, n := range x.g.pastOf(access.t(), int(access.index)) {
			for j := before[u]; j < n && next == access; j++ {
				if r := refOf(u, int(j)); r != access && r != free && !x.g.op(r).allocs && slices.Contains(x.g.op(r).blocks, block) {
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

// afterFree runs an execution in which an operation comes after the free of a block that it needs.
func (x *explorer) afterFree(free, access ref) {
	access = earliest(x, free, access)
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
