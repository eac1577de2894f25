package transform

import (
	"slices"

	"fencepost/internal/ir"
)

// The end of a thread inside a call: the automatic variables of all functions that it is in end with it, the innermost
// first, as they do where functions return.

// automaticBlocks returns the registers of a function that hold the addresses of its automatic variables, or null as long as
// there are none.
func automaticBlocks(f *ir.Func) []ir.Reg {
	var out []ir.Reg
	for i := range f.Edges {
		if op := &f.Edges[i].Op; op.Kind == ir.Alloc && op.Block.Stack && !slices.Contains(out, op.Dst) {
			out = append(out, op.Dst)
		}
	}
	return out
}

// threadExit adds the end of a thread at a location of an activation.
func (b *body) threadExit(a *activation, e *ir.Edge, op ir.Op, from ir.Loc) {
	for in := a; in != nil; in = in.up {
		for _, r := range automaticBlocks(in.fn) {
			free := ir.NewOp(ir.Free)
			free.Addr, free.Block.Stack = ir.R(r+in.regs), true
			next := b.loc("end", e.Pos)
			b.emit(a, e, from, free, next, true)
			from = next
		}
	}
	to := e.To + a.locs
	if a.ret != nil {
		to = b.threadEnd()
	}
	b.emit(a, e, from, op, to, false)
}
