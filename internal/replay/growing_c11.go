//go:build !fencepost_small

package replay

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Does C11's model have an execution with the events and reads of one that grows? Each location needs a modification order;
// which orders are allowed together the axioms say (axioms.go).

// location is some bytes that are accessed as a whole.
type location struct {
	addr uint64
	size int
}

func (x *Growing) coherent() bool {
	for i := x.fresh; i < len(x.g.events); i++ {
		if e := &x.g.events[i]; e.size > 0 {
			if _, _, ok := x.needed(location{e.addr, e.size}); !ok {
				return false
			}
		}
	}
	return true
}

// needed returns the writes of a location, and which comes before which in every modification order that is coherent and
// atomic. ok is false if there is none.
//
// Of two accesses, one of which happens before the other, the write of the first, or that it reads, comes before that of
// the second. Nothing comes between the source of a read-modify-write and its write.
func (x *Growing) needed(at location) (writes []int, before [][]bool, ok bool) {
	var all []int
	writes = []int{Initially}
	for i := range x.g.events {
		if e := &x.g.events[i]; e.size == at.size && e.addr == at.addr {
			all = append(all, i)
			if e.kind == 'W' {
				writes = append(writes, i)
			}
		}
	}
	number := map[int]int{}
	for k, w := range writes {
		number[w] = k
	}
	of := func(i int) int {
		if x.g.events[i].kind == 'R' {
			return number[x.g.events[i].from]
		}
		return number[i]
	}
	before = matrix(len(writes))
	for k := 1; k < len(writes); k++ {
		before[0][k] = true
	}
	for _, a := range all {
		for _, b := range all {
			if v, w := of(a), of(b); v != w && x.Happens(a, b) {
				before[v][w] = true
			}
		}
	}
	for changed := true; changed; {
		closeOver(before)
		changed = false
		for k, w := range writes {
			if k == 0 || !x.g.events[w].update {
				continue
			}
			source := number[x.updates(w)]
			for v := range writes {
				if v == k || v == source {
					continue
				}
				if before[source][v] && !before[k][v] {
					before[k][v], changed = true, true
				}
				if before[v][k] && !before[v][source] {
					before[v][source], changed = true, true
				}
			}
		}
	}
	for k := range before {
		if before[k][k] {
			return nil, nil, false
		}
	}
	return writes, before, true
}

// maxOrders is how many combinations of modification orders are tried.
const maxOrders = 200_000

// Orders visits the combinations of modification orders that the axioms allow, until visit returns false. It returns an
// error if there are too many to try.
func (x *Growing) Orders(visit func(orders [][]int) bool) error {
	var locations []location
	for i := range x.g.events {
		e := &x.g.events[i]
		if at := (location{e.addr, e.size}); e.kind == 'W' && !slices.Contains(locations, at) {
			locations = append(locations, at)
		}
	}
	lists := make([][]int, len(locations))
	tries, over := 0, false
	var fill func(k int)
	fill = func(k int) {
		if over {
			return
		}
		if k == len(locations) {
			if tries++; tries > maxOrders {
				over = true
				return
			}
			a := &axioms{events: x.g.events, orders: lists}
			if a.check() == nil && !visit(lists) {
				over = true
			}
			return
		}
		writes, before, ok := x.needed(locations[k])
		if !ok {
			return
		}
		extensions(before, func(order []int) bool {
			lists[k] = nil
			for _, i := range order[1:] {
				lists[k] = append(lists[k], writes[i])
			}
			fill(k + 1)
			return !over
		})
	}
	fill(0)
	if tries > maxOrders {
		return fmt.Errorf("an execution has more than %d modification orders", maxOrders)
	}
	return nil
}

// extensions visits the total orders that contain a relation, until visit returns false.
func extensions(before [][]bool, visit func([]int) bool) {
	used := make([]bool, len(before))
	var order []int
	var next func() bool
	next = func() bool {
		if len(order) == len(before) {
			return visit(order)
		}
		for i := range before {
			free := !used[i]
			for j := range before {
				free = free && (used[j] || !before[j][i])
			}
			if !free {
				continue
			}
			used[i], order = true, append(order, i)
			goOn := next()
			used[i], order = false, order[:len(order)-1]
			if !goOn {
				return false
			}
		}
		return true
	}
	next()
}

// Freed returns the size and the kind of the block that the last step gave back.
func (x *Growing) Freed() (event int, at Next, ok bool) {
	_, e, ok := x.m.p.EdgeByID(x.edge)
	if !ok || e.Op.Kind != ir.Free || x.fail != nil || len(x.g.events) == x.fresh {
		return 0, Next{}, false
	}
	for k := x.fresh; k < len(x.g.events); k++ {
		if i := x.s.blockAt(x.g.events[k].block); i >= 0 && x.g.events[k].bytes > 0 {
			return k, Next{Does: Allocates, Size: x.s.blocks[i].size, Stack: x.s.blocks[i].stack}, true
		}
	}
	return 0, Next{}, false
}

// seen reports whether a write, or a read of it, is in a moment.
func (x *Growing) seen(w int, now moment) bool {
	if now.has(&x.g.events[w]) {
		return true
	}
	for r := range x.g.events {
		if e := &x.g.events[r]; e.kind == 'R' && e.from == w && now.has(e) {
			return true
		}
	}
	return false
}

// notOverwrittenBefore leaves out of the writes that a thread can read what was overwritten by a write that happens before
// the read, or that a read which does so has read.
func (x *Growing) notOverwrittenBefore(t int, addr uint64, writes []int) []int {
	if x.private(t, addr) {
		return writes[len(writes)-1:]
	}
	now := x.threads[t].now
	return slices.DeleteFunc(slices.Clone(writes), func(w int) bool {
		return slices.ContainsFunc(writes, func(v int) bool { return v != w && v != Initially && x.before(w, v) && x.seen(v, now) })
	})
}

// before reports whether write w comes before write v in every modification order, by happens-before alone.
func (x *Growing) before(w, v int) bool { return w == Initially || x.Happens(w, v) }

// lastOf returns the writes after which none of the others has to come.
func (x *Growing) lastOf(writes []int) []int {
	return slices.DeleteFunc(slices.Clone(writes), func(w int) bool {
		return slices.ContainsFunc(writes, func(v int) bool { return v != w && x.before(w, v) })
	})
}
