package encode

import (
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Expressions as terms.

// Equal returns the condition that two terms of one sort are equal.
func Equal(x, y smt.Term) smt.Term {
	switch {
	case x.Equal(y):
		return smt.True
	case unequal(x, y):
		return smt.False
	}
	if a, b, ok := shorter(x, y); ok {
		x, y = a.short, b.short
	}
	return smt.Equals(x, y)
}

// ite returns x if a condition holds, and y otherwise.
func ite(c, x, y smt.Term) smt.Term {
	switch {
	case x.Equal(y) || c.IsTrue():
		return x
	case c.IsFalse():
		return y
	}
	if a, b, ok := shorter(x, y); ok {
		return extended{smt.If(c, a.short, b.short), a.signed}.as(x.Sort().Bits())
	}
	return smt.If(c, x, y)
}

// Env has the values that an expression is translated with.
type Env struct {
	prog  *ir.Program
	arith Arithmetic
	regs  []smt.Term
	Seen  smt.Term
}

// Number returns the value of e as a word.
func (v Env) Number(e *ir.Expr) smt.Term {
	switch e.Op {
	case ir.Const:
		return v.arith.Num(e.Value)
	case ir.RegRef:
		return v.regs[e.Reg]
	case ir.Seen:
		return v.Seen
	case ir.AddrOf:
		return v.arith.Num(int64(v.prog.Objects[e.Obj].Addr) + e.Value)
	case ir.FuncAddr:
		return v.arith.Num(ir.FuncAddress(e.Func))
	case ir.Neg:
		return v.arith.neg(v.Number(e.X), e.Type)
	case ir.BitNot:
		return v.arith.flip(v.Number(e.X), e.Type)
	case ir.Cast:
		return v.arith.Narrow(v.Number(e.X), e.Type)
	case ir.Ite:
		return ite(v.Truth(e.X), v.Number(e.Y), v.Number(e.Z))
	}
	if isArithmetic(e.Op) {
		return v.arith.Binary(e.Op, e.Type, v.Number(e.X), v.Number(e.Y))
	}
	return v.arith.truth(v.Truth(e))
}

// Truth returns the condition that e is not zero.
func (v Env) Truth(e *ir.Expr) smt.Term {
	switch e.Op {
	case ir.Const:
		if e.Value != 0 {
			return smt.True
		}
		return smt.False
	case ir.Not:
		return smt.Not(v.Truth(e.X))
	case ir.LAnd:
		return smt.And(v.Truth(e.X), v.Truth(e.Y))
	case ir.LOr:
		return smt.Or(v.Truth(e.X), v.Truth(e.Y))
	}
	if e.Op.IsCompare() {
		return v.arith.Compare(e.Op, e.Type, v.Number(e.X), v.Number(e.Y))
	}
	return v.arith.NonZero(v.Number(e))
}
