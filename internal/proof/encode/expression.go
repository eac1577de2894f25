package encode

import (
	"strings"

	"fencepost/internal/ir"
)

// Expressions as terms.

// Apply returns an operator applied to terms.
func Apply(op string, args ...string) string { return "(" + op + " " + strings.Join(args, " ") + ")" }

// And returns the conjunction of terms.
func And(list []string) string { return connect("and", "true", list) }

// Or returns the disjunction of terms.
func Or(list []string) string { return connect("or", "false", list) }

func connect(op, unit string, list []string) string {
	switch len(list) {
	case 0:
		return unit
	case 1:
		return list[0]
	}
	return Apply(op, list...)
}

// Not returns the negation of a term.
func Not(x string) string {
	switch x {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return Apply("not", x)
}

// Equal returns the condition that two terms of one sort are equal.
func Equal(x, y string) string {
	switch {
	case x == y:
		return "true"
	case unequal(x, y):
		return "false"
	}
	if a, b, ok := shorter(x, y); ok {
		x, y = a.text, b.text
	}
	return Apply("=", x, y)
}

// Implies returns an implication.
func Implies(x, y string) string {
	if x == "true" || y == "true" {
		return y
	}
	return Apply("=>", x, y)
}

func ite(c, x, y string) string {
	switch {
	case x == y || c == "true":
		return x
	case c == "false":
		return y
	}
	if a, b, ok := shorter(x, y); ok {
		return extended{Apply("ite", c, a.text, b.text), a.bits, a.signed}.word()
	}
	return Apply("ite", c, x, y)
}

// Env has the values that an expression is translated with.
type Env struct {
	prog  *ir.Program
	arith Arithmetic
	regs  []string
	Seen  string
}

// Number returns the value of e as a word.
func (v Env) Number(e *ir.Expr) string {
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
	if _, ok := intArith[e.Op]; ok {
		return v.arith.Binary(e.Op, e.Type, v.Number(e.X), v.Number(e.Y))
	}
	return v.arith.truth(v.Truth(e))
}

// Truth returns the condition that e is not zero.
func (v Env) Truth(e *ir.Expr) string {
	switch e.Op {
	case ir.Const:
		if e.Value != 0 {
			return "true"
		}
		return "false"
	case ir.Not:
		return Not(v.Truth(e.X))
	case ir.LAnd:
		return Apply("and", v.Truth(e.X), v.Truth(e.Y))
	case ir.LOr:
		return Apply("or", v.Truth(e.X), v.Truth(e.Y))
	}
	if e.Op.IsCompare() {
		return v.arith.Compare(e.Op, e.Type, v.Number(e.X), v.Number(e.Y))
	}
	return v.arith.NonZero(v.Number(e))
}
