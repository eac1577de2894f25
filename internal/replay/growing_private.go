//go:build !fencepost_small

package replay

import "fencepost/internal/ir"

// Blocks that one thread alone can reach. No register that may depend on the address of such a block is used for
// more than addresses of accesses: it is never written to memory, given to another thread, returned or compared. So no
// other thread has it; that a thread computes the address of a block from that of another one is excluded, as it is in
// C.
//
// Since nothing but accesses depends on the address, a block of this kind need not be one that was given back: its
// contents are undefined in either case.

// keptBlocks returns the allocations whose blocks one thread alone can reach.
func keptBlocks(p *ir.Program) map[ir.EdgeID]bool {
	out := map[ir.EdgeID]bool{}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Kind == ir.Alloc && e.Op.Stack && e.Op.Undef && keeps(f, e.Op.Dst) {
				out[e.ID] = true
			}
		}
	}
	return out
}

// keeps reports whether a function lets no other thread have what a register holds.
func keeps(f *ir.Func, r ir.Reg) bool {
	if r == ir.NoReg {
		return true
	}
	depends := map[ir.Reg]bool{r: true}
	mentions := func(e *ir.Expr) bool {
		found := false
		if e != nil {
			e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.RegRef && depends[e.Reg] })
		}
		return found
	}
	for grown := true; grown; {
		grown = false
		for i := range f.Edges {
			op := &f.Edges[i].Op
			switch op.Kind {
			case ir.Assign:
				if mentions(op.Val) && !depends[op.Dst] {
					depends[op.Dst], grown = true, true
				}
			default: // what it does with values may reach memory or another thread, or decide something
				all := append([]*ir.Expr{op.Val, op.Val2, op.Mask, op.Cond}, op.Args...)
				for _, e := range all {
					if mentions(e) {
						return false
					}
				}
			}
		}
	}
	return true
}

// private reports whether an address is in a block that thread t alone can reach.
func (x *Growing) private(t int, addr uint64) bool {
	if addr>>32 != (heapBase>>32)+uint64(t) {
		return false // another thread's, or no block that was new to this one
	}
	for _, b := range x.s.blocks {
		if !b.freed && x.kept[b.site] && addr-b.addr < uint64(max(b.size, 1)) {
			return true
		}
	}
	return false
}
