package rf

import (
	"slices"

	"fencepost/internal/memory"
)

// The simulation of a model with which order.go finds witnesses: its state, and which steps are possible.

// simulation is the state of the simulation.
type simulation struct {
	pos     []int32 // per thread: its next item
	pending []int32 // per thread: stores in the buffer
	head    []int32 // per thread: no store of an earlier item is in the buffer
	done    []int32 // per chain of the clocks: how many of its nodes have happened
	globals int     // global fences that are left to be done
	flushed []bool  // per item: its write is in memory
	mem     []int32 // per cell: its last writer, or none
	left    []int32 // per item and cell it writes: reads of it that are left to be done
	first   []int32 // per cell: reads of its initial value that are left to be done
	seq     int
}

func (s *simulation) copyTo(d *simulation) {
	d.pos = append(d.pos[:0], s.pos...)
	d.pending = append(d.pending[:0], s.pending...)
	d.head = append(d.head[:0], s.head...)
	d.done = append(d.done[:0], s.done...)
	d.globals = s.globals
	d.flushed = append(d.flushed[:0], s.flushed...)
	d.mem = append(d.mem[:0], s.mem...)
	d.left = append(d.left[:0], s.left...)
	d.first = append(d.first[:0], s.first...)
	d.seq = s.seq
}

// advance takes the steps that need no choice.
func (or *order) advance() {
	for moved := true; moved; {
		moved = false
		for t := range or.now.pos {
			for or.now.pending[t] > 0 {
				n, ok := or.update(t, func(n int32) bool { return or.unread(n) })
				if !ok {
					break
				}
				or.do(n)
				moved = true
			}
			for or.now.pos[t] < or.start[t+1] {
				n := or.now.pos[t]
				if or.items[n].direct && !or.unread(n) || or.holdsUp(n) || !or.canDo(n) {
					break
				}
				or.do(int32(n))
				moved = true
			}
		}
	}
}

// holdsUp reports whether item n is a store that would enter the buffer, and may keep a global fence from happening.
func (or *order) holdsUp(n int32) bool {
	return or.now.globals > 0 && or.items[n].whole && or.items[n].op.buffered
}

// choice returns the k-th possible write that is still to be read: an item that writes memory
// itself, or the update of an item, which is numbered after all items.
func (or *order) choice(k int) (int32, bool) {
	for t := range or.now.pos {
		if or.now.pending[t] > 0 {
			n, ok := or.update(t, func(int32) bool {
				k--
				return k < 0
			})
			if ok {
				return n, true
			}
		}
		if n := or.now.pos[t]; n < or.start[t+1] && (or.items[n].direct || or.holdsUp(n)) && or.canDo(n) {
			if k--; k < 0 {
				return n, true
			}
		}
	}
	return 0, false
}

// update returns the first update of thread t that is possible and accepted.
func (or *order) update(t int, accept func(int32) bool) (int32, bool) {
	base := int32(len(or.items))
	seen := int32(0)
	for n := or.now.head[t]; n < or.now.pos[t] && seen < or.now.pending[t]; n++ {
		it := &or.items[n]
		if !it.op.buffered || or.now.flushed[n] {
			continue
		}
		seen++
		if or.leaves(t, n) && or.writable(n, it) && or.allowed(base+n) && accept(n) {
			return base + n, true
		}
		if or.model == memory.TSO {
			break
		}
	}
	return 0, false
}

// leaves reports whether the store of item n may leave the buffer before others in it.
func (or *order) leaves(t int, n int32) bool {
	it := &or.items[n]
	for m := or.now.head[t]; m < n; m++ {
		d := &or.items[m]
		if !d.op.buffered || or.now.flushed[m] {
			continue
		}
		if or.model == memory.TSO || d.op.epoch < it.op.epoch || overlap(d.op.writes, it.op.writes) {
			return false
		}
	}
	return true
}

func overlap(a, b []int32) bool {
	return slices.ContainsFunc(a, func(c int32) bool { return slices.Contains(b, c) })
}

// unread reports whether no read from item n is left to be done.
func (or *order) unread(n int32) bool {
	it := &or.items[n]
	for k := range it.op.writes {
		if or.now.left[it.left+int32(k)] > 0 {
			return false
		}
	}
	return true
}

// writable reports whether no read of what an item overwrites is left to be done, except its own.
func (or *order) writable(n int32, it *item) bool {
	for _, c := range it.op.writes {
		left := *or.readsLeft(or.now.mem[c], c)
		if left > 0 && it.direct {
			for _, r := range or.reads[it.from:it.to] {
				if r.cell == c && r.from == or.now.mem[c] {
					left--
				}
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// source returns what item n would read from a cell now.
func (or *order) source(r *resolved) int32 {
	if !r.raw && r.newest != none && or.items[r.newest].op.buffered && !or.now.flushed[r.newest] {
		return r.newest
	}
	return or.now.mem[r.cell]
}

// canDo reports whether item n, the next of its thread, can happen now.
func (or *order) canDo(n int32) bool {
	it := &or.items[n]
	t := it.thread
	if it.op.drains && or.now.pending[t] > 0 || !or.allowed(n) {
		return false
	}
	if it.op.global && slices.ContainsFunc(or.now.pending, func(n int32) bool { return n > 0 }) {
		return false
	}
	for _, c := range it.op.causes {
		if or.now.pos[c.t()] <= or.start[c.t()]+c.index {
			return false
		}
	}
	if u := it.op.join - 1; it.joins() && (or.now.pos[u] != or.start[u+1] || or.now.pending[u] > 0) {
		return false
	}
	for k := it.from; k < it.to; k++ {
		r := &or.reads[k]
		if r.block {
			if r.from != none && or.items[r.from].thread != t && !or.now.flushed[r.from] {
				return false
			}
		} else if or.source(r) != r.from {
			return false
		}
	}
	return !it.direct || or.writable(n, it)
}

// allowed reports whether everything has happened that comes before a node by the clocks.
func (or *order) allowed(node int32) bool {
	cl := or.after
	if cl == nil {
		return true
	}
	n := none
	if k := node - int32(len(or.items)); k >= 0 {
		it := &or.items[k]
		n = int(cl.ups[it.thread][it.index])
	} else {
		it := &or.items[node]
		n = int(cl.ops[it.thread][it.index])
	}
	for c, v := range cl.nodes[n].clock {
		if v > or.now.done[c] {
			return false
		}
	}
	return true
}

// do lets a node happen.
func (or *order) do(node int32) {
	*or.work += stepCost
	if n := node - int32(len(or.items)); n >= 0 {
		it := &or.items[n]
		or.now.pending[it.thread]--
		or.reach(n, it)
		if or.after != nil {
			if c := or.after.nodes[or.after.ups[it.thread][it.index]].chain; c >= 0 {
				or.now.done[c] = it.index + 1
			}
		}
		for h := &or.now.head[it.thread]; *h < or.now.pos[it.thread] && (or.now.flushed[*h] || !or.items[*h].op.buffered); {
			*h++
		}
		or.seq = append(or.seq, step(it, true))
		or.now.seq = len(or.seq)
		return
	}
	it := &or.items[node]
	or.now.pos[it.thread]++
	if or.after != nil {
		or.now.done[it.thread] = it.index + 1
	}
	if it.op.global {
		or.now.globals--
	}
	for _, r := range or.reads[it.from:it.to] {
		if !r.block {
			*or.readsLeft(r.from, r.cell)--
		}
	}
	switch {
	case it.whole && it.op.buffered:
		or.now.pending[it.thread]++
	case it.direct:
		or.reach(node, it)
	}
	or.seq = append(or.seq, step(it, false))
	or.now.seq = len(or.seq)
}

func step(it *item, update bool) node {
	return node{thread: it.thread, index: it.index, update: update}
}

// reach lets the write of an item reach memory.
func (or *order) reach(n int32, it *item) {
	or.now.flushed[n] = true
	for _, c := range it.op.writes {
		or.now.mem[c] = n
	}
}

// refOf returns the operation of an item; none is the initial value.
func (or *order) refOf(n int32) ref {
	if n == none {
		return initial
	}
	return ref{or.items[n].thread + 1, or.items[n].index}
}
