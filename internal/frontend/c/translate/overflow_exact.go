package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Exact returns what an operator gives for two integers of at most 64 bits in unlimited precision, cut to a
// type, and whether it did not fit that type. It computes with 128 bits, which every result fits: that of a
// multiplication of unsigned integers without a sign.
func (f *Arithmetic) Exact(op ir.ExprOp, x, y Value, t ir.Type, n parse.Node) (result, over *ir.Expr) {
	before := f.Opt.CheckOverflow
	f.Opt.CheckOverflow = false // nothing overflows
	signed := op != ir.Mul || x.Type.Signed || y.Type.Signed
	v := f.combineWide(op, f.widen(x, signed), f.widen(y, signed), n)
	f.Opt.CheckOverflow = before
	r := f.Code.Keep(Integer(Cast(v.Expr, ir.U64, t), t)).Expr
	high := ir.Int(0)
	if t.Signed {
		high = ir.Binary(ir.Shr, ir.S64, r, ir.Int(63))
	}
	over = ir.Binary(ir.LOr, ir.S64, ir.Binary(ir.Ne, ir.U64, r, v.Expr), ir.Binary(ir.Ne, ir.U64, high, v.High))
	if !signed {
		over = ir.Binary(ir.LOr, ir.S64, over, ir.Binary(ir.Ne, ir.U64, v.High, ir.Int(0)))
	}
	return r, over
}
