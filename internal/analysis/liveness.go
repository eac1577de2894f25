package analysis

import (
	"math/bits"

	"fencepost/internal/ir"
)

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

// regSet is an immutable set of registers of a function.
type regSet struct {
	height int // of the tree: 64<<height registers fit
	root   *regNode
}

// regNode is a tree of registers. A leaf, at height 0, holds 64 of them in bits; nil
// is the empty tree of any height.
type regNode struct {
	bits      uint64
	low, high *regNode
}

// emptySet returns the empty set over n registers.
func emptySet(n int) regSet {
	s := regSet{}
	for 64<<s.height < n {
		s.height++
	}
	return s
}

func (s regSet) has(r ir.Reg) bool {
	n := s.root
	for h := s.height; n != nil && h > 0; h-- {
		if r>>(5+h)&1 == 0 {
			n = n.low
		} else {
			n = n.high
		}
	}
	return n != nil && n.bits>>(r%64)&1 != 0
}

// with returns the set with r added, or removed.
func (s regSet) with(r ir.Reg, in bool) regSet {
	if s.has(r) != in {
		s.root = s.root.flip(r, s.height)
	}
	return s
}

// flip returns the tree with r added if it was absent, removed if it was present.
func (n *regNode) flip(r ir.Reg, height int) *regNode {
	var next regNode
	if n != nil {
		next = *n
	}
	switch {
	case height == 0:
		next.bits ^= 1 << (r % 64)
	case r>>(5+height)&1 == 0:
		next.low = next.low.flip(r, height-1)
	default:
		next.high = next.high.flip(r, height-1)
	}
	if next == (regNode{}) {
		return nil
	}
	return &next
}

// union returns a itself if b adds nothing.
func union(a, b *regNode) *regNode {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	next := regNode{a.bits | b.bits, union(a.low, b.low), union(a.high, b.high)}
	switch next {
	case *a:
		return a
	case *b:
		return b
	}
	return &next
}

// intersection returns a itself if b has all of it.
func intersection(a, b *regNode) *regNode {
	switch {
	case a == b || a == nil:
		return a
	case b == nil:
		return nil
	}
	next := regNode{a.bits & b.bits, intersection(a.low, b.low), intersection(a.high, b.high)}
	switch next {
	case *a:
		return a
	case *b:
		return b
	case regNode{}:
		return nil
	}
	return &next
}

// each calls f with the registers of the set, in order.
func (s regSet) each(f func(ir.Reg)) { s.root.each(0, s.height, f) }

func (n *regNode) each(first ir.Reg, height int, f func(ir.Reg)) {
	if n == nil {
		return
	}
	for w := n.bits; w != 0; w &= w - 1 {
		f(first + ir.Reg(bits.TrailingZeros64(w)))
	}
	if height > 0 {
		n.low.each(first, height-1, f)
		n.high.each(first+32<<height, height-1, f)
	}
}

// Live returns the registers that are live at a location, in order.
func (fs *Facts) Live(f ir.FuncID, l ir.Loc) []ir.Reg {
	var regs []ir.Reg
	fs.funcs[f].live[l].each(func(r ir.Reg) { regs = append(regs, r) })
	return regs
}

// IsLive reports whether a register is live at a location.
func (fs *Facts) IsLive(f ir.FuncID, l ir.Loc, r ir.Reg) bool { return fs.funcs[f].live[l].has(r) }

// Liveness returns a function that reports whether a register is live at a location. It is
// for passes, which have no Facts.
func Liveness(f *ir.Func) func(ir.Loc, ir.Reg) bool {
	live := liveness(f, func(ir.Reg) bool { return false })
	return func(l ir.Loc, r ir.Reg) bool { return live[l].has(r) }
}

func liveness(f *ir.Func, keep func(ir.Reg) bool) []regSet {
	always := emptySet(len(f.Regs))
	for r := range f.Regs {
		if keep(ir.Reg(r)) {
			always = always.with(ir.Reg(r), true)
		}
	}
	live := make([]regSet, len(f.Locs))
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
		faint := e.Op.Kind == ir.Assign && !before.has(e.Op.Dst)
		e.Op.Defs(func(r ir.Reg) { before = before.with(r, false) })
		if !faint {
			e.Op.Uses(func(r ir.Reg) { before = before.with(r, true) })
		}
		at := &live[e.From]
		old := at.root
		at.root = union(old, before.root)
		return at.root != old
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
