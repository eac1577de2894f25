package memory

import "fencepost/internal/ir"

// Threads that an assumption has stopped. A thread at assumptions of which none holds never moves
// again: assumptions read registers, which only the thread itself changes. So its registers are
// dead, except for registers that a property reads, and states that differ in nothing else are encoded
// alike. A thread that waits for one of N values by a load and an assumption would otherwise
// multiply the states of all others by N. In a decoded state such a thread has the status assumed,
// since its registers do not tell any more. Its buffer still drains.

// assumesOnly reports whether edges are assumptions, at least one.
func assumesOnly(edges []edge) bool {
	for i := range edges {
		if edges[i].kind != ir.Assume {
			return false
		}
	}
	return len(edges) > 0
}

// Stuck reports whether an assumption has stopped the thread for good.
func (th Thread) Stuck() bool {
	if status := th.s.status[th.t]; status != running {
		return status == assumed
	}
	loc := th.loc()
	if !loc.assumes {
		return false
	}
	regs := th.y.regsOf(th.s, th.t)
	for i := range loc.edges {
		if loc.edges[i].val.eval(regs, 0) != 0 {
			return false
		}
	}
	return true
}
