//go:build !fencepost_small

package private

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// forwardAddresses replaces a register by the address that an assignment gives it, wherever control can only come from
// this assignment, and removes the assignments that are not needed any more. A front end that calls a function for the
// address of a variable, such as that of errno, keeps it in a register that it uses for other values, too; analyses that
// know what a register may hold, whatever the location, would mix them up. wanted says which values are such addresses: an
// address, or a register that has one. f is changed.
func forwardAddresses(f *ir.Func, wanted func(*ir.Expr) bool) {
	into := make([]int, len(f.Locs))
	into[f.Entry]++
	copies := 0
	for i := range f.Edges {
		into[f.Edges[i].To]++
		if isCopy(&f.Edges[i].Op, wanted) {
			copies++
		}
	}
	if copies == 0 {
		return
	}
	live := analysis.Liveness(f)
	for i := range f.Edges {
		e := &f.Edges[i]
		if !isCopy(&e.Op, wanted) {
			continue
		}
		reg, value := e.Op.Dst, e.Op.Val
		for work := []ir.Loc{e.To}; len(work) > 0; {
			l := work[len(work)-1]
			work = work[:len(work)-1]
			if into[l] != 1 || !live(l, reg) {
				continue
			}
			for _, k := range f.Out(l) {
				next := &f.Edges[k]
				replaceRegister(&next.Op, reg, value)
				if !next.Op.Sets(reg) && (value.Op != ir.RegRef || !next.Op.Sets(value.Reg)) && next.Op.Undef.Dst != reg {
					work = append(work, next.To)
				}
			}
		}
	}
	live = analysis.Liveness(f)
	for i := range f.Edges {
		if e := &f.Edges[i]; isCopy(&e.Op, wanted) && !live(e.To, e.Op.Dst) {
			nop := ir.NewOp(ir.Nop)
			nop.Block.Undef, nop.Obj = e.Op.Block.Undef, e.Op.Obj
			e.Op = nop
		}
	}
}

// isCopy reports whether an operation only assigns a wanted value.
func isCopy(op *ir.Op, wanted func(*ir.Expr) bool) bool {
	return op.Kind == ir.Assign && op.Dst2 == ir.NoReg && op.Undef == (ir.UndefinedBits{Dst: ir.NoReg}) && op.Sync == (ir.Sync{}) && wanted(op.Val)
}

// replaceRegister replaces a register by a value in all expressions of an operation. The constraint of a choice mentions the
// new value of its own result.
func replaceRegister(op *ir.Op, reg ir.Reg, value *ir.Expr) {
	if (op.Kind == ir.Havoc || op.Kind == ir.AbstractLoad) && op.Dst == reg {
		return
	}
	op.Exprs(func(e *ir.Expr) *ir.Expr {
		found := false
		e.Walk(func(x *ir.Expr) { found = found || x.Op == ir.RegRef && x.Reg == reg })
		if !found {
			return e
		}
		return sum(e.Map(func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef && x.Reg == reg {
				return value
			}
			return x
		}))
	})
}
