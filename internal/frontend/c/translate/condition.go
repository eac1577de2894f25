package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

// Conditions: expressions that decide where control goes.

// either emits two branches, one for each value of a condition, that meet again.
func (f *Expressions) either(e *parse.Expr, then, otherwise func()) {
	yes, no, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.branch(e, yes, no)
	f.Code.At, f.Code.Fresh = yes, false
	f.Code.attempt(then)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = no, false
	f.Code.attempt(otherwise)
	f.Code.Here(end)
}

// choose sets a register to the value of one of two expressions. The translation of each is
// emitted in its own branch.
func (f *Expressions) choose(r ir.Reg, e *parse.Expr, then, otherwise func() *ir.Expr) {
	f.either(e, func() { f.Code.Assign(r, then()) }, func() { f.Code.Assign(r, otherwise()) })
}

// branch goes to one of two locations, evaluating as much of the condition as C
// does.
func (f *Expressions) branch(e *parse.Expr, then, otherwise ir.Loc) {
	switch e.Op {
	case parse.AndAnd:
		mid := f.Code.Label("")
		f.branch(e.A, mid, otherwise)
		f.Code.At, f.Code.Fresh = mid, false
		f.branch(e.B, then, otherwise)
		return
	case parse.OrOr:
		mid := f.Code.Label("")
		f.branch(e.A, then, mid)
		f.Code.At, f.Code.Fresh = mid, false
		f.branch(e.B, then, otherwise)
		return
	case parse.Not:
		f.branch(e.A, otherwise, then)
		return
	}
	f.Code.attempt(func() {
		v := TruthOf(f.expr(e))
		from := f.Code.Start()
		f.Code.Assume(from, v, then)
		f.Code.Assume(from, ir.Negate(v), otherwise)
		f.Code.At, f.Code.Fresh = Nowhere, false
	})
}
