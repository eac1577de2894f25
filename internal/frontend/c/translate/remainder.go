package translate

import (
	"math"
	"slices"

	"fencepost/internal/ir"
)

// Remainders of inputs. `rand() % 10` has ten values, and only these are tried. Sound because the
// operator directly follows the input, whose value is held by a temporary of the expression and by
// nothing else.

// narrowInput restricts the input that was read just before to the results of an operator that is
// applied to it next: % by a constant, or & with a mask of low bits.
func (f *Arithmetic) narrowInput(op ir.ExprOp, x, y Value) {
	if f.Code.static {
		return
	}
	k, constant := y.Expr.IsConst()
	edges := f.Code.Fb.F.Edges
	if !constant || k <= 0 || x.Expr.Op != ir.RegRef || !f.Code.Fresh || len(edges) == 0 {
		return
	}
	last := &edges[len(edges)-1]
	input := &last.Op
	if last.To != f.Code.At || input.Kind != ir.Havoc || input.Dst != x.Expr.Reg || !slices.Contains(f.Code.temps, input.Dst) {
		return
	}
	r := Range{Lo: math.MinInt64, Hi: math.MaxInt64} // of a type of 64 bits
	if input.Range.Bounded {
		r = Range{Lo: input.Range.Lo, Hi: input.Range.Hi}
	}
	natural := r.Lo == 0 || !input.Range.Bounded && !x.Type.Signed
	switch {
	case op == ir.Rem && natural && k <= r.Hi:
		input.Range = ir.Range{Bounded: true, Lo: 0, Hi: k - 1}
	case op == ir.And && k&(k+1) == 0 && k < r.Hi && (r.Hi&(r.Hi+1) == 0) && (natural || r.Lo == ^r.Hi):
		input.Range = ir.Range{Bounded: true, Lo: 0, Hi: k}
	}
}
