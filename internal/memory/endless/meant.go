package endless

import (
	"context"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/budget"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Loops that are meant to go on for ever: they have no way out that depends on what they read (analysis/way_out.go).

// waitsInVain reports whether some thread is not meant to go on for ever: it spins in a loop with a way out, or is at an
// operation that cannot go on. A thread that joins one which is meant to go on for ever is meant to wait for ever,
// too. meant has the threads whose loops have no way out.
func (x *Test) waitsInVain(s *memory.State, meant []bool) bool {
	for again := true; again; {
		again = false
		for t := range x.loops {
			if !meant[t] && x.runs(s, t) && x.joins(s, t, meant) {
				meant[t], again = true, true
			}
		}
	}
	for t := range x.loops {
		if x.runs(s, t) && !meant[t] {
			return true
		}
	}
	return false
}

// joins reports whether all that a thread can do is to join one of some threads.
func (x *Test) joins(s *memory.State, t int, threads []bool) bool {
	th := x.y.Thread(s, t)
	n := len(x.y.Prog.ThreadFunc(ir.ThreadID(t)).Out(s.PC(ir.ThreadID(t))))
	for i := range int32(n) {
		if th.Op(i).Kind != ir.Join {
			return false
		}
		if target := th.JoinTarget(i); target < 0 || !threads[target] {
			return false
		}
	}
	return n > 0
}

// again returns the locations at which the thread is again and again. The steps before it comes into a state that
// comes back do not count.
func (g *graph) again() []ir.Loc {
	before := make([]int, len(g.next)) // steps to the state
	for _, out := range g.next {
		for _, m := range out {
			before[m.to]++
		}
	}
	var work []int
	for n := range before {
		if before[n] == 0 {
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, m := range g.next[n] {
			if before[m.to]--; before[m.to] == 0 {
				work = append(work, m.to)
			}
		}
	}
	var out []ir.Loc
	for n := range before {
		if before[n] > 0 {
			out = append(out, g.locs[n])
		}
	}
	return out
}

// stateCost is the cost of a state that Rests visits, as work.
const stateCost = 2 * budget.Microsecond

// maxRest bounds the states that Rests visits.
const maxRest = 20_000

// Rests reports whether some execution under SC leads to a state in which every thread has ended, is in a loop that is
// meant to go on for ever, or joins a thread that is. It visits a limited number of states.
func Rests(ctx context.Context, y *memory.System) (bool, error) {
	x := New(y)
	inside := make([][]bool, len(x.loops)) // by thread and location: it is in a loop without any way out
	possible := false
	for t := range x.loops {
		inside[t] = withoutWayOut(y.Prog.ThreadFunc(ir.ThreadID(t)))
		possible = possible || slices.Contains(inside[t], true) || x.loops[t].waysOut.Meant(x.loops[t].component)
	}
	if !possible {
		return false, nil
	}
	s := y.NewState()
	found := false
	err := y.Visit(s, maxRest, func() (bool, error) {
		if s.Over() || s.Faulted() {
			return false, nil
		}
		if found = x.rests(s, inside); found {
			return true, nil
		}
		return false, budget.Spend(ctx, stateCost)
	})
	return found, err
}

// rests reports whether every thread that runs is meant to go on for ever in a state.
func (x *Test) rests(s *memory.State, inside [][]bool) bool {
	meant := make([]bool, len(x.loops))
	any := false
	for t := range x.loops {
		pc := s.PC(ir.ThreadID(t))
		switch {
		case !x.runs(s, t):
		case inside[t][pc], x.loops[t].component[pc] >= 0 && x.alone(s, t) && !x.loops[t].waysOut.Depend(x.graph.again()):
			meant[t], any = true, true
		case !x.loops[t].waits[pc]:
			return false
		}
	}
	return any && !memory.MainReturned(x.y, s) && !x.waitsInVain(s, meant)
}

// withoutWayOut returns, by location, whether it is in a loop that no edge leaves.
func withoutWayOut(f *ir.Func) []bool {
	comp := analysis.Components(f, nil)
	loops, leaves := make([]bool, len(f.Locs)), make([]bool, len(f.Locs)) // by component
	for i := range f.Edges {
		e := &f.Edges[i]
		if c := comp[e.From]; c >= 0 {
			on := analysis.OnCycle(e, comp)
			loops[c], leaves[c] = loops[c] || on, leaves[c] || !on
		}
	}
	out := make([]bool, len(f.Locs))
	for l, c := range comp {
		out[l] = c >= 0 && loops[c] && !leaves[c]
	}
	return out
}
