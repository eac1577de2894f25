//go:build !fencepost_small

package replay

import (
	"fmt"

	"fencepost/internal/ir"
)

// The axioms of RC11 [LVKHD17], with release sequences as C++20 has them, each as loops over relations. Slow and plain on
// purpose; package rc11, which the engine asks, shares nothing with it.

// axioms is a graph with its modification orders, which are lists of events.
type axioms struct {
	events []event
	orders [][]int

	hb, mo, eco [][]bool
}

func matrix(n int) [][]bool {
	out := make([][]bool, n)
	for i := range out {
		out[i] = make([]bool, n)
	}
	return out
}

// close makes a relation transitive.
func closeOver(r [][]bool) {
	for k := range r {
		for i := range r {
			if !r[i][k] {
				continue
			}
			for j := range r {
				r[i][j] = r[i][j] || r[k][j]
			}
		}
	}
}

// po reports whether a comes before b in its thread.
func (a *axioms) po(x, y int) bool {
	return a.events[x].thread == a.events[y].thread && a.events[x].index < a.events[y].index
}

// same reports whether two events access one location.
func (a *axioms) same(x, y int) bool {
	return a.events[x].size > 0 && a.events[x].size == a.events[y].size && a.events[x].addr == a.events[y].addr
}

func acquiring(o ir.Order) bool {
	return o == ir.Acquire || o == ir.Consume || o == ir.AcqRel || o == ir.SeqCst
}

func releasing(o ir.Order) bool { return o == ir.Release || o == ir.AcqRel || o == ir.SeqCst }

// check returns which axiom the graph violates, or nil.
func (a *axioms) check() error {
	a.happensBefore()
	for x := range a.events {
		if a.hb[x][x] {
			return fmt.Errorf("axioms: step %d happens before itself", a.events[x].step)
		}
	}
	if err := a.coherence(); err != nil {
		return err
	}
	return a.sequential()
}

// happensBefore computes hb. Steps are in an order that porf respects, so porf has no cycle.
func (a *axioms) happensBefore() {
	a.synchronisesWith()
	for x := range a.events {
		for y := range a.events {
			a.hb[x][y] = a.hb[x][y] || a.po(x, y)
		}
	}
	closeOver(a.hb)
}

// synchronisesWith sets hb to the pairs that synchronise.
func (a *axioms) synchronisesWith() {
	n := len(a.events)
	a.hb = matrix(n)
	for x := range a.events {
		for _, by := range a.events[x].after {
			a.hb[by][x] = true
		}
	}
	for r := range a.events {
		e := &a.events[r]
		if e.kind != 'R' || e.from < 0 || e.order == ir.Plain {
			continue
		}
		for w := e.from; w >= 0; w = a.updated(w) {
			a.synchronise(w, r)
		}
	}
}

// updated returns the write that a read-modify-write with the write w has read from, or -1.
func (a *axioms) updated(w int) int {
	if !a.events[w].update {
		return -1
	}
	for r := range a.events {
		if a.events[r].thread == a.events[w].thread && a.events[r].index == a.events[w].index-1 {
			return a.events[r].from
		}
	}
	panic("BUG: a read-modify-write without a read")
}

// synchronise adds the pairs of sw for a read that reads from the release sequence of a write.
func (a *axioms) synchronise(w, r int) {
	if a.events[w].order == ir.Plain || a.events[w].shared && a.events[r].shared {
		return
	}
	for from := range a.events {
		if !(from == w && releasing(a.events[w].order)) && !(a.events[from].kind == 'F' && releasing(a.events[from].order) && a.po(from, w)) {
			continue
		}
		for to := range a.events {
			if to == r && acquiring(a.events[r].order) || a.events[to].kind == 'F' && acquiring(a.events[to].order) && a.po(r, to) {
				a.hb[from][to] = true
			}
		}
	}
}

// coherence checks coherence and atomicity.
func (a *axioms) coherence() error {
	n := len(a.events)
	a.mo, a.eco = matrix(n), matrix(n)
	for _, list := range a.orders {
		for i, x := range list {
			for _, y := range list[i+1:] {
				a.mo[x][y] = true
			}
		}
	}
	for x := range a.events {
		for y := range a.events {
			a.eco[x][y] = a.mo[x][y] || a.readsBefore(x, y) || a.events[y].kind == 'R' && a.events[y].from == x
		}
	}
	closeOver(a.eco)
	for x := range a.events {
		for y := range a.events {
			if a.hb[x][y] && a.eco[y][x] || a.eco[x][x] {
				return fmt.Errorf("axioms: steps %d and %d are not coherent", a.events[x].step, a.events[y].step)
			}
		}
		if a.events[x].update {
			if err := a.atomic(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// atomic checks that no write comes between the source of a read-modify-write and its write.
func (a *axioms) atomic(w int) error {
	from := a.updated(w)
	for v := range a.events {
		if v != w && a.mo[v][w] && v != from && (from < 0 || a.mo[from][v]) {
			return fmt.Errorf("axioms: the write of step %d comes between the read and the write of step %d", a.events[v].step, a.events[w].step)
		}
	}
	return nil
}

// readsBefore reports whether a read reads a write that comes before another one.
func (a *axioms) readsBefore(r, w int) bool {
	return a.events[r].kind == 'R' && a.events[w].kind == 'W' && a.same(r, w) && (a.events[r].from < 0 || a.mo[a.events[r].from][w])
}

// sequential checks that psc has no cycle.
func (a *axioms) sequential() error {
	n := len(a.events)
	psc := matrix(n)
	sc := func(x int) bool { return a.events[x].order == ir.SeqCst && a.events[x].kind != 'S' }
	fence := func(x int) bool { return sc(x) && a.events[x].kind == 'F' }
	for x := range a.events {
		for y := range a.events {
			if fence(x) && fence(y) && a.hb[x][y] {
				psc[x][y] = true
			}
			before := a.scBefore(x, y)
			if !before && !a.eco[x][y] {
				continue
			}
			for p := range a.events {
				if !sc(p) {
					continue
				}
				for q := range a.events {
					if !sc(q) {
						continue
					}
					start, end := p == x || fence(p) && a.hb[p][x], q == y || fence(q) && a.hb[y][q]
					if before && start && end || a.eco[x][y] && fence(p) && fence(q) && a.hb[p][x] && a.hb[y][q] {
						psc[p][q] = true
					}
				}
			}
		}
	}
	closeOver(psc)
	for x := range a.events {
		if psc[x][x] {
			return fmt.Errorf("axioms: step %d is in a cycle of seq_cst operations", a.events[x].step)
		}
	}
	return nil
}

// scBefore is scb.
func (a *axioms) scBefore(x, y int) bool {
	if a.po(x, y) || a.mo[x][y] || a.readsBefore(x, y) || a.same(x, y) && a.hb[x][y] {
		return true
	}
	if !a.hb[x][y] {
		return false
	}
	for b := range a.events {
		for c := range a.events {
			if a.hb[b][c] && a.po(x, b) && !a.same(x, b) && a.po(c, y) && !a.same(c, y) {
				return true
			}
		}
	}
	return false
}

// frees reports whether an event frees or allocates the block of an access, or of another such event.
func (a *axioms) frees(x, y int) bool {
	e, f := &a.events[x], &a.events[y]
	at := f.addr
	if f.bytes > 0 {
		at = f.block
	}
	return e.bytes > 0 && (f.size > 0 || f.bytes > 0) && at-e.block < uint64(e.bytes)
}

// conflict reports whether two accesses race, or an access and the free of its block, unless one happens before the
// other.
func (a *axioms) conflict(x, y int) bool {
	e, f := &a.events[x], &a.events[y]
	if a.frees(x, y) || a.frees(y, x) {
		return e.thread != f.thread
	}
	return e.thread != f.thread && a.same(x, y) && (e.kind == 'W' || f.kind == 'W') && (e.order == ir.Plain || f.order == ir.Plain)
}

// dataRace reports whether two accesses race, or an access and the free of its block.
func (a *axioms) dataRace(x, y int) bool { return a.conflict(x, y) && !a.hb[x][y] && !a.hb[y][x] }
