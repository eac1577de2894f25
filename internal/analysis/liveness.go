package analysis

import "fencepost/internal/ir"

// Strong liveness by backward dataflow: a register is live at a location if some path from
// the location reads the register before writing it. An assignment reads its operands only
// if its result is live: a register that counts the rounds of a loop, and that nothing but
// the counting reads, is dead ("faint").
// States that differ in dead registers only behave alike, so engines reset dead registers.
// Blocking changes nothing: an edge that does not run neither reads nor writes.
//
// The sets of neighbouring locations differ in a few registers. They are persistent
// search trees that share what they have in common: an expression nested n deep has
// n registers live at each of n locations, and the n sets together need O(n log n)
// nodes.

// Live returns the registers that are live at a location, in order.
func (fs *Facts) Live(f ir.FuncID, l ir.Loc) []ir.Reg {
	var regs []ir.Reg
	fs.EachLive(f, l, func(r ir.Reg) { regs = append(regs, r) })
	return regs
}

// EachLive calls use with each register that is live at a location, in order.
func (fs *Facts) EachLive(f ir.FuncID, l ir.Loc, use func(ir.Reg)) { fs.funcs[f].live[l].Each(use) }

// IsLive reports whether a register is live at a location.
func (fs *Facts) IsLive(f ir.FuncID, l ir.Loc, r ir.Reg) bool { return fs.funcs[f].live[l].Has(r) }

// Liveness returns a function that reports whether a register is live at a location. It is
// for passes, which have no Facts.
func Liveness(f *ir.Func) func(ir.Loc, ir.Reg) bool {
	live := liveness(f, func(ir.Reg) bool { return false })
	return func(l ir.Loc, r ir.Reg) bool { return live[l].Has(r) }
}

func liveness(f *ir.Func, keep func(ir.Reg) bool) []Numbers[ir.Reg] {
	always := NoNumbers[ir.Reg](len(f.Regs))
	for r := range f.Regs {
		if keep(ir.Reg(r)) {
			always.Put(ir.Reg(r), true)
		}
	}
	live := make([]Numbers[ir.Reg], len(f.Locs))
	incoming := make([][]int32, len(f.Locs))
	for l := range live {
		live[l] = always
	}
	for i := range f.Edges {
		to := f.Edges[i].To
		incoming[to] = append(incoming[to], int32(i))
	}

	// pull updates the start of an edge from its end and reports a change.
	pull := func(e *ir.Edge) bool {
		before := live[e.To]
		if e.Op.Terminal() {
			before = always
		}
		faint := e.Op.Kind == ir.Assign && !before.Has(e.Op.Dst)
		e.Op.Defs(func(r ir.Reg) { before.Put(r, false) })
		if !faint {
			e.Op.Uses(func(r ir.Reg) { before.Put(r, true) })
		}
		return live[e.From].Add(before)
	}
	queued := make([]bool, len(f.Locs))
	var work []ir.Loc
	// Backwards, since edges come mostly in the order of execution.
	for i := len(f.Edges) - 1; i >= 0; i-- {
		if e := &f.Edges[i]; pull(e) && !queued[e.From] {
			queued[e.From] = true
			work = append(work, e.From)
		}
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		queued[l] = false
		for _, i := range incoming[l] {
			if e := &f.Edges[i]; pull(e) && !queued[e.From] {
				queued[e.From] = true
				work = append(work, e.From)
			}
		}
	}
	return live
}
