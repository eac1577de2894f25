package smc

import "fencepost/internal/ir"

// Which registers of a function depend on something read from memory or chosen: by
// what is assigned to them, or because whether or where they are assigned hangs on a
// branch that does. A branch decides what lies between it and the location that all
// ways from it come to, its nearest postdominator.

// taint is, at every location, the registers that may depend on something read from
// memory or chosen.
func taint(f *ir.Func) [][]bool {
	a := &tainting{f: f, regs: make([][]bool, len(f.Locs)), decided: make([]bool, len(f.Locs)), done: make([]bool, len(f.Locs))}
	for l := range a.regs {
		a.regs[l] = make([]bool, len(f.Regs))
	}
	a.after = postdominators(f)
	for a.round() {
	}
	return a.regs
}

type tainting struct {
	f       *ir.Func
	after   []int32  // nearest postdominators
	regs    [][]bool // per location
	decided []bool   // locations that are reached or not as a tainted branch decides
	done    []bool   // branches whose locations have been noted
}

// round goes over all edges; it reports whether something changed.
func (a *tainting) round() bool {
	changed := false
	next := make([]bool, len(a.f.Regs))
	for i := range a.f.Edges {
		e := &a.f.Edges[i]
		copy(next, a.regs[e.From])
		bad := e.Op.Kind != ir.Assign && e.Op.Kind != ir.Spawn || a.decided[e.From]
		if e.Op.Kind == ir.Assign {
			e.Op.Uses(func(r ir.Reg) { bad = bad || next[r] })
		}
		e.Op.Defs(func(r ir.Reg) { next[r] = bad })
		to := a.regs[e.To]
		for r, b := range next {
			if b && !to[r] {
				to[r], changed = true, true
			}
		}
	}
	for l := range a.f.Locs {
		if !a.done[l] && a.branches(ir.Loc(l)) {
			a.done[l], changed = true, true
			a.decide(ir.Loc(l))
		}
	}
	return changed
}

// branches reports whether the way taken from l depends on something tainted.
func (a *tainting) branches(l ir.Loc) bool {
	out := a.f.Out(l)
	if len(out) < 2 {
		return false
	}
	depends := false
	for _, i := range out {
		op := &a.f.Edges[i].Op
		depends = depends || op.Kind != ir.Assume
		op.Uses(func(r ir.Reg) { depends = depends || a.regs[l][r] })
	}
	return depends
}

// decide marks what lies between a branch and its postdominator.
func (a *tainting) decide(l ir.Loc) {
	seen := map[ir.Loc]bool{}
	work := []ir.Loc{l}
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		a.decided[m] = a.decided[m] || m != l
		for _, i := range a.f.Out(m) {
			e := &a.f.Edges[i]
			if !leaves(e) && int32(e.To) != a.after[l] && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
}

// leaves reports whether control does not go on behind an edge.
func leaves(e *ir.Edge) bool {
	switch e.Op.Kind {
	case ir.Return, ir.ThreadExit, ir.Exit, ir.Bound:
		return true
	}
	return false
}

// postdominators is, per location, the nearest one that all ways from it to the end
// pass, none if there is none. Locations that the end is not reached from have none.
func postdominators(f *ir.Func) []int32 {
	end := int32(len(f.Locs))
	back := make([][]int32, end+1) // where edges into a location come from
	for i := range f.Edges {
		e := &f.Edges[i]
		to := int32(e.To)
		if leaves(e) {
			to = end
		}
		back[to] = append(back[to], int32(e.From))
	}
	for l := range f.Locs {
		if len(f.Out(ir.Loc(l))) == 0 {
			back[end] = append(back[end], int32(l))
		}
	}
	order, number := backward(back, end)
	up := make([]int32, end+1)
	for i := range up {
		up[i] = none
	}
	up[end] = end
	meet := func(a, b int32) int32 {
		for a != b {
			for number[a] > number[b] {
				a = up[a]
			}
			for number[b] > number[a] {
				b = up[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, l := range order[1:] {
			best := int32(none)
			join := func(to int32) {
				switch {
				case up[to] == none:
				case best == none:
					best = to
				default:
					best = meet(best, to)
				}
			}
			out := f.Out(ir.Loc(l))
			for _, i := range out {
				if e := &f.Edges[i]; leaves(e) {
					join(end)
				} else {
					join(int32(e.To))
				}
			}
			if len(out) == 0 {
				join(end)
			}
			if best != up[l] {
				up[l], changed = best, true
			}
		}
	}
	for l := range up[:end] {
		if up[l] == end {
			up[l] = none
		}
	}
	return up[:end]
}

// backward numbers what leads to the end in reverse postorder of the edges turned
// around: a location comes behind its postdominators.
func backward(back [][]int32, end int32) (order, number []int32) {
	number = make([]int32, len(back))
	seen := make([]bool, len(back))
	type frame struct{ at, next int32 }
	stack := []frame{{at: end}}
	seen[end] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if int(top.next) == len(back[top.at]) {
			order = append(order, top.at)
			stack = stack[:len(stack)-1]
			continue
		}
		from := back[top.at][top.next]
		top.next++
		if !seen[from] {
			seen[from] = true
			stack = append(stack, frame{at: from})
		}
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	for i, l := range order {
		number[l] = int32(i)
	}
	return order, number
}
