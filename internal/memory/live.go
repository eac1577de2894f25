package memory

import (
	"sync/atomic"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// liveRegs holds the registers of a thread that are live at its locations. A list is made when a
// state at its location is encoded for the first time: a thread passes most locations of a long
// expression without an encoding, and the lists of all of them together would grow with the
// square of its depth. It is safe for concurrent use.
type liveRegs struct {
	facts *analysis.Facts
	fn    ir.FuncID
	lists []atomic.Pointer[[]int32] // by location
}

func newLiveRegs(facts *analysis.Facts, fn ir.FuncID, locs int) liveRegs {
	return liveRegs{facts: facts, fn: fn, lists: make([]atomic.Pointer[[]int32], locs)}
}

// at returns the registers that are live at a location, in order.
func (v *liveRegs) at(loc int32) []int32 {
	if list := v.lists[loc].Load(); list != nil {
		return *list
	}
	var list []int32
	for _, r := range v.facts.Live(v.fn, ir.Loc(loc)) {
		list = append(list, int32(r))
	}
	v.lists[loc].Store(&list)
	return list
}
