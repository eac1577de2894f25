package ir

import "math/bits"

// Liveness by backward dataflow: a register is live where some way on reads it
// before writing it. States that differ in dead registers only behave alike, so
// engines reset dead registers. Blocking changes nothing: an edge that does not
// run neither reads nor writes.

// regSet is a bit set of registers.
type regSet []uint64

func (s regSet) has(r Reg) bool { return s[r/64]>>(r%64)&1 != 0 }
func (s regSet) add(r Reg)      { s[r/64] |= 1 << (r % 64) }
func (s regSet) remove(r Reg)   { s[r/64] &^= 1 << (r % 64) }

// Live is the registers live at a location, in order.
func (fs *Facts) Live(f FuncID, l Loc) []Reg {
	var regs []Reg
	for i, w := range fs.funcs[f].live[l] {
		for ; w != 0; w &= w - 1 {
			regs = append(regs, Reg(64*i+bits.TrailingZeros64(w)))
		}
	}
	return regs
}

// IsLive reports whether a register is live at a location.
func (fs *Facts) IsLive(f FuncID, l Loc, r Reg) bool { return fs.funcs[f].live[l].has(r) }

// Liveness reports, for passes, whether a register is live at a location.
func Liveness(f *Func) func(Loc, Reg) bool {
	live := liveness(f, func(Reg) bool { return false })
	return func(l Loc, r Reg) bool { return live[l].has(r) }
}

func liveness(f *Func, keep func(Reg) bool) []regSet {
	words := (len(f.Regs) + 63) / 64
	always := make(regSet, words)
	for r := range f.Regs {
		if keep(Reg(r)) {
			always.add(Reg(r))
		}
	}
	live := make([]regSet, len(f.Locs))
	incoming := make([][]int32, len(f.Locs))
	for l := range live {
		live[l] = append(regSet(nil), always...)
	}
	for i := range f.Edges {
		to := f.Edges[i].To
		incoming[to] = append(incoming[to], int32(i))
	}

	before := make(regSet, words)
	// pull updates the start of an edge from its end and reports a change.
	pull := func(e *Edge) bool {
		if e.Op.ends() {
			copy(before, always)
		} else {
			copy(before, live[e.To])
		}
		e.Op.Defs(before.remove)
		e.Op.Uses(before.add)
		changed := false
		for i, w := range before {
			if old := live[e.From][i]; old|w != old {
				live[e.From][i], changed = old|w, true
			}
		}
		return changed
	}
	queued := make([]bool, len(f.Locs))
	var work []Loc
	for i := range f.Edges {
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
