package robust

import (
	"sync/atomic"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// plan holds the attacks that are left to search for.
type plan struct {
	threads []threadPlan
	filters verdict.Filters
	doubts  *doubts // nil for triangular races
	held    []bool  // by edge id: under PSO a store that the attacker may hold back (held_stores.go)
}

// threadPlan holds the attacks of one thread as attacker.
type threadPlan struct {
	store []int32          // by edge id: 1 + its row, 0: not a store with an attack left
	load  []int32          // by edge id: 1 + its column
	allow [][]bool         // by row and column
	open  [][]bool         // by row and location: an allowed load may still come
	found [][]atomic.Int32 // by row and column: 1 + the depth at which the attack was found, 0: not yet
}

// add makes a row for a store.
func (tp *threadPlan) add(store ir.EdgeID, allow, open []bool) {
	tp.allow = append(tp.allow, allow)
	tp.open = append(tp.open, open)
	tp.found = append(tp.found, make([]atomic.Int32, len(allow)))
	tp.store[store] = int32(len(tp.allow))
}

// find records that an attack was found at a depth of the search.
func (pl *plan) find(a *attack, depth int) {
	tp := &pl.threads[a.attacker]
	f := &tp.found[tp.store[a.store]-1][tp.load[a.load]-1]
	for {
		old := f.Load()
		if old != 0 && old <= int32(depth)+1 || f.CompareAndSwap(old, int32(depth)+1) {
			return
		}
	}
}

// done reports whether the attack, or while its load is open every attack with its
// store, was found in a level of the search before this depth: what is known then
// does not depend on the workers.
func (pl *plan) done(a *attack, depth int) bool {
	tp := &pl.threads[a.attacker]
	row := tp.store[a.store] - 1
	known := func(col int) bool {
		f := tp.found[row][col].Load()
		return f != 0 && f <= int32(depth)
	}
	if a.phase == closing {
		return known(int(tp.load[a.load]) - 1)
	}
	for col, allowed := range tp.allow[row] {
		if allowed && !known(col) {
			return false
		}
	}
	return true
}

// attacks reports whether a store begins an attack that is left.
func (pl *plan) attacks(t int, store ir.EdgeID) bool { return pl.threads[t].store[store] > 0 }

// allows reports whether the attack is left.
func (pl *plan) allows(t int, store int32, load ir.EdgeID) bool {
	tp := &pl.threads[t]
	col := tp.load[load]
	return col > 0 && tp.allow[tp.store[store]-1][col-1]
}

// mayStillLoad reports whether an attacker at a location can come to a load that
// ends its attack.
func (pl *plan) mayStillLoad(a *attack, loc int32) bool {
	tp := &pl.threads[a.attacker]
	return tp.open[tp.store[a.store]-1][loc]
}
