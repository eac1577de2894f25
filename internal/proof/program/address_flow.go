package program

import (
	"slices"

	"fencepost/internal/ir"
)

// Pointers to blocks, in the propagation of values: a pointer to offset off of a block that an allocation made is a
// number of its own, whatever block it is. Two pointers with this number may be different, so that only sums with
// constants and tests for null are computed.

// blockSpace is where these numbers begin. A constant of the program in this range is taken for a pointer, and the
// access through it for one to a block; then the check of the access fails.
const blockSpace = 1 << 60

const blockMiddle = 1 << 31

// blockPointer returns the number for a pointer into a block of an allocation.
func blockPointer(site int, off int64) int64 {
	return blockSpace + int64(site)<<32 + blockMiddle + off
}

// blockAt takes such a number apart.
func blockAt(v int64) (site int, off int64, ok bool) {
	if v < blockSpace || v >= 2*blockSpace {
		return 0, 0, false
	}
	v -= blockSpace
	return int(v >> 32), v&(1<<32-1) - blockMiddle, true
}

// hasBlocks reports whether one of the values is a pointer to a block.
func (v values) hasBlocks() bool {
	return slices.ContainsFunc(v.list, func(n int64) bool { _, _, ok := blockAt(n); return ok })
}

// evalBlocks returns the values of an expression that reads pointers to blocks.
func (fl *valueFlow) evalBlocks(regs []values, e *ir.Expr) values {
	switch {
	case e.Op == ir.RegRef:
		return values{any: regs[e.Reg].any, list: slices.Clone(regs[e.Reg].list)}
	case e.Op == ir.Const || e.Op == ir.AddrOf:
		return values{list: []int64{e.Eval(ir.Env{Prog: fl.p})}}
	case e.Op == ir.Cast && e.Type.Bits == 64:
		return fl.evalBlocks(regs, e.X)
	case (e.Op == ir.Add || e.Op == ir.Sub) && e.Type.Bits == 64:
		n, ok := e.Y.IsConst()
		if !ok || n <= -blockMiddle || n >= blockMiddle {
			break
		}
		if e.Op == ir.Sub {
			n = -n
		}
		out := fl.evalBlocks(regs, e.X)
		for i := range out.list {
			out.list[i] += n
		}
		return out
	case e.Op == ir.Ite:
		out := fl.evalBlocks(regs, e.Y)
		out.add(fl.evalBlocks(regs, e.Z))
		return out
	case e.Op.IsCompare() || e.Op == ir.LAnd || e.Op == ir.LOr || e.Op == ir.Not:
		return values{list: []int64{0, 1}}
	}
	return values{any: true}
}

// testsNull reports whether a condition compares a register with null and nothing else.
func testsNull(cond *ir.Expr) bool {
	n, ok := cond.Y.IsConst()
	return (cond.Op == ir.Eq || cond.Op == ir.Ne) && cond.X.Op == ir.RegRef && ok && n == 0
}

// blocksLike returns the addresses of all blocks of a type: what a condition for all blocks is about.
func (fl *valueFlow) blocksLike(like *ir.Layout) values {
	var out values
	for _, f := range fl.p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if site, ok := fl.sites[e.ID]; ok && e.Op.Block.Layout != nil && e.Op.Block.Layout.Name == like.Name && e.Op.Block.Layout.Size() == like.Size() {
				out.add(values{list: []int64{blockPointer(site, 0)}})
			}
		}
	}
	return out
}
