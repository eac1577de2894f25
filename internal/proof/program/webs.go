package program

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Webs. A front end uses one register for many temporary values: a pointer, then a counter, then the result of a
// test. The values have nothing to do with each other, and neither a width nor a condition fits them all. A web is a
// set of definitions of a register that reach common uses; every web gets a register of its own.

// SeparateWebs gives every web of the program a register of its own. Registers that the questions name stay, and so
// do parameters.
func SeparateWebs(p *ir.Program, props *property.Set) {
	named := map[ir.FuncID][]ir.Reg{}
	note := func(c *property.Cond) {
		if c == nil {
			return
		}
		for _, v := range c.Vars {
			if !v.IsMemory() && v.Thread != ir.NoThread {
				named[p.Threads[v.Thread].Func] = append(named[p.Threads[v.Thread].Func], v.Reg)
			}
		}
	}
	for _, inv := range props.Invariants {
		note(inv.Cond)
	}
	for i := range props.Goals {
		note(props.Goals[i].With)
	}
	if props.Final != nil {
		note(props.Final.Cond)
	}
	for t, r := range props.Numbers {
		named[p.Threads[t].Func] = append(named[p.Threads[t].Func], r)
	}
	for t := range p.Threads {
		f := p.Threads[t].Func
		args := max(len(p.Threads[t].Args), p.Funcs[f].Params)
		splitWebs(p.Funcs[f], func(r ir.Reg) bool { return int(r) < args || slices.Contains(named[f], r) })
	}
	p.Seal()
}

// splitWebs gives the webs of registers names of their own. fixed reports registers that must stay: they are named
// from outside, or get their value when the thread starts.
func splitWebs(f *ir.Func, fixed func(ir.Reg) bool) {
	defs := make([][]int, len(f.Regs)) // by register: edges, ascending
	bound := make([]bool, len(f.Regs)) // a condition of their definition names the new value
	for i := range f.Edges {
		op := &f.Edges[i].Op
		op.Defs(func(r ir.Reg) {
			if !slices.Contains(defs[r], i) {
				defs[r] = append(defs[r], i)
			}
			bound[r] = bound[r] || op.Cond != nil || op.Dst == op.Dst2
		})
	}
	for r := range defs {
		if len(defs[r]) > 1 && !bound[r] && !fixed(ir.Reg(r)) {
			splitRegister(f, ir.Reg(r), defs[r])
		}
	}
}

// splitRegister gives each web of a register but the first a new register.
func splitRegister(f *ir.Func, r ir.Reg, defs []int) {
	const entry = -1 // stands for the value at the beginning
	owner := map[int]int{entry: entry}
	for _, d := range defs {
		owner[d] = d
	}
	find := func(d int) int {
		for owner[d] != d {
			d = owner[d]
		}
		return d
	}
	usedBy := map[int]int{} // a definition that reaches a use, by edge
	visit := func(d int, from ir.Loc) {
		for l, here := range reachedUntil(f, from, r) {
			for _, i := range f.Out(ir.Loc(l)) {
				if !here || !uses(&f.Edges[i].Op, r) {
					continue
				}
				if other, known := usedBy[int(i)]; known {
					owner[find(d)] = find(other)
				}
				usedBy[int(i)] = d
			}
		}
	}
	visit(entry, f.Entry)
	for _, d := range defs {
		visit(d, f.Edges[d].To)
	}
	name := map[int]ir.Reg{find(entry): r}
	if !slices.ContainsFunc(defs, func(d int) bool { return find(d) == find(entry) }) && len(usedBy) > 0 && !usesEntry(usedBy, entry) {
		delete(name, find(entry)) // the value at the beginning is never used
	}
	for _, d := range defs {
		if _, known := name[find(d)]; !known {
			name[find(d)] = r
			if len(name) > 1 {
				name[find(d)] = newRegister(f, r)
			}
		}
	}
	for i, d := range usedBy {
		renameUses(&f.Edges[i].Op, r, name[find(d)])
	}
	for _, d := range defs {
		op := &f.Edges[d].Op
		if op.Dst == r {
			op.Dst = name[find(d)]
		}
		if op.Dst2 == r {
			op.Dst2 = name[find(d)]
		}
	}
}

func usesEntry(usedBy map[int]int, entry int) bool {
	for _, d := range usedBy {
		if d == entry {
			return true
		}
	}
	return false
}

// reachedUntil returns the locations that are reachable without a definition of a register.
func reachedUntil(f *ir.Func, from ir.Loc, r ir.Reg) []bool {
	return analysis.Reachable(f, from, func(e *ir.Edge) bool {
		defined := false
		e.Op.Defs(func(x ir.Reg) { defined = defined || x == r })
		return !defined
	})
}

func uses(op *ir.Op, r ir.Reg) bool {
	found := false
	op.Uses(func(x ir.Reg) { found = found || x == r })
	return found
}

// newRegister adds a register like r with a name of its own.
func newRegister(f *ir.Func, r ir.Reg) ir.Reg {
	like := f.Regs[r]
	base := like.Name
	for n := 2; slices.ContainsFunc(f.Regs, func(x ir.Register) bool { return x.Name == like.Name }); n++ {
		like.Name = fmt.Sprintf("%s#%d", base, n)
	}
	f.Regs = append(f.Regs, like)
	return ir.Reg(len(f.Regs) - 1)
}

// renameUses replaces a register where an operation reads it.
func renameUses(op *ir.Op, r, by ir.Reg) {
	if r == by {
		return
	}
	op.Exprs(func(e *ir.Expr) *ir.Expr {
		return e.Map(func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef && x.Reg == r {
				return &ir.Expr{Op: ir.RegRef, Type: x.Type, Reg: by}
			}
			return x
		})
	})
}
