package library

import (
	"math"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Assumptions about inputs. `n = nondet(); assume(0 <= n && n < 10);` tries ten
// values, not all of them: what an assumption would stop at once need not be tried.
// Sound because nothing lies between the two but assignments of registers: a value
// that is left out has no effect that can be observed.

// narrowInput restricts the input that was read just before to values that a
// condition, assumed next, can hold for.
func narrowInput(f *translate.Lowering, cond *ir.Expr) {
	if !f.Code.Fresh {
		return
	}
	edges := f.Code.Fb.F.Edges
	at := f.Code.At
	for i := len(edges) - 1; i >= 0 && edges[i].To == at; i-- {
		switch e := &edges[i]; {
		case e.Op.Kind == ir.Assign, f.Code.Straight[e.ID]:
			at = e.From
		case e.Op.Kind == ir.Havoc:
			narrow(&e.Op, edges[i+1:], cond)
			return
		default:
			return
		}
	}
}

// narrow restricts an input; between are the edges from it to the assumption.
func narrow(input *ir.Op, between []ir.Edge, cond *ir.Expr) {
	holds := map[ir.Reg]bool{input.Dst: true}
	for i := range between {
		if op := &between[i].Op; op.Kind == ir.Assign {
			holds[op.Dst] = op.Val.Op == ir.RegRef && holds[op.Val.Reg]
		}
	}
	r := translate.Range{Lo: math.MinInt64, Hi: math.MaxInt64}
	if input.Range.Bounded {
		r = translate.Range{Lo: input.Range.Lo, Hi: input.Range.Hi}
	}
	all := r
	limit(&r, cond, holds, all.Lo >= 0)
	if r == all {
		return
	}
	if r.Lo > r.Hi { // none is left: any one is as good
		r = translate.Range{Lo: all.Lo, Hi: all.Lo}
	}
	input.Range = ir.Range{Bounded: true, Lo: r.Lo, Hi: r.Hi}
}

// limit takes away values with which a condition cannot hold. natural says that the
// registers hold no negative value, so that unsigned comparisons mean the same as
// signed ones with numbers that are not negative.
func limit(r *translate.Range, e *ir.Expr, holds map[ir.Reg]bool, natural bool) {
	if e.Op == ir.LAnd {
		limit(r, e.X, holds, natural)
		limit(r, e.Y, holds, natural)
		return
	}
	mirror := map[ir.ExprOp]ir.ExprOp{ir.Eq: ir.Eq, ir.Lt: ir.Gt, ir.Gt: ir.Lt, ir.Le: ir.Ge, ir.Ge: ir.Le}
	op, x, y := e.Op, e.X, e.Y
	if _, known := mirror[op]; !known {
		return
	}
	if _, constant := x.IsConst(); constant {
		op, x, y = mirror[op], y, x
	}
	k, constant := y.IsConst()
	switch {
	case !constant || x.Op != ir.RegRef || !holds[x.Reg], !e.Type.Signed && (!natural || k < 0):
	case op == ir.Eq:
		r.Lo, r.Hi = max(r.Lo, k), min(r.Hi, k)
	case op == ir.Le:
		r.Hi = min(r.Hi, k)
	case op == ir.Ge:
		r.Lo = max(r.Lo, k)
	case op == ir.Lt && k > math.MinInt64:
		r.Hi = min(r.Hi, k-1)
	case op == ir.Gt && k < math.MaxInt64:
		r.Lo = max(r.Lo, k+1)
	}
}
