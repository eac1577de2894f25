package machine

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Which registers of a function depend on something that is read from memory or chosen. A register
// depends on the values that are assigned to it, and on the branches that decide whether it is
// assigned. A branch decides about the locations between it and its immediate postdominator.

// Memory that no thread writes is a constant: reading it makes nothing depend on a choice.

// taint returns what depends on something read from memory or chosen. constant says which loads read memory that is
// never written.
func taint(f *ir.Func, constant func(*ir.Edge) bool) *tainting {
	a := &tainting{f: f, constant: constant, regs: make([][]bool, len(f.Locs)), decided: make([]bool, len(f.Locs)), done: make([]bool, len(f.Locs))}
	for l := range a.regs {
		a.regs[l] = make([]bool, len(f.Regs))
	}
	a.after = analysis.Postdominators(f)
	for a.round() {
	}
	return a
}

type tainting struct {
	f        *ir.Func
	constant func(*ir.Edge) bool
	after    []ir.Loc // nearest postdominators
	regs     [][]bool // per location
	decided  []bool   // locations that are reached depending on a tainted branch
	done     []bool   // branches whose locations are in decided
}

// round visits all edges once. It reports whether something changed.
func (a *tainting) round() bool {
	changed := false
	next := make([]bool, len(a.f.Regs))
	for i := range a.f.Edges {
		e := &a.f.Edges[i]
		copy(next, a.regs[e.From])
		constant := e.Op.Kind == ir.Assign || a.constant(e)
		bad := !constant && e.Op.Kind != ir.Spawn || a.decided[e.From]
		if constant {
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
			a.decide(ir.Loc(l), a.decided)
		}
	}
	return changed
}

// branches reports whether the edge taken from l depends on something tainted.
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

// decide adds the locations between a branch and its postdominator to decided.
func (a *tainting) decide(l ir.Loc, decided []bool) {
	seen := map[ir.Loc]bool{}
	work := []ir.Loc{l}
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		decided[m] = decided[m] || m != l
		for _, i := range a.f.Out(m) {
			e := &a.f.Edges[i]
			if !e.Op.Terminal() && e.To != a.after[l] && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
}

// decidedInside returns the locations that are reached depending on a tainted branch of a loop.
func (a *tainting) decidedInside(inside func(ir.Loc) bool) []bool {
	decided := make([]bool, len(a.f.Locs))
	for l := range a.f.Locs {
		if a.done[l] && inside(ir.Loc(l)) {
			a.decide(ir.Loc(l), decided)
		}
	}
	return decided
}
