package mover

import (
	"strings"

	"fencepost/internal/ir"
)

// Expressions as terms.

func apply(op string, args ...string) string { return "(" + op + " " + strings.Join(args, " ") + ")" }

func and(list []string) string { return connect("and", "true", list) }

func or(list []string) string { return connect("or", "false", list) }

func connect(op, unit string, list []string) string {
	switch len(list) {
	case 0:
		return unit
	case 1:
		return list[0]
	}
	return apply(op, list...)
}

func not(x string) string {
	switch x {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return apply("not", x)
}

func equal(x, y string) string {
	switch {
	case x == y:
		return "true"
	case unequal(x, y):
		return "false"
	}
	if a, b, ok := shorter(x, y); ok {
		x, y = a.text, b.text
	}
	return apply("=", x, y)
}

func implies(x, y string) string {
	if x == "true" || y == "true" {
		return y
	}
	return apply("=>", x, y)
}

func ite(c, x, y string) string {
	switch {
	case x == y || c == "true":
		return x
	case c == "false":
		return y
	}
	if a, b, ok := shorter(x, y); ok {
		return extended{apply("ite", c, a.text, b.text), a.bits, a.signed}.word()
	}
	return apply("ite", c, x, y)
}

// env has the values that an expression is translated with.
type env struct {
	prog  *ir.Program
	arith Arithmetic
	regs  []string
	seen  string
}

// number returns the value of e as a word.
func (v env) number(e *ir.Expr) string {
	switch e.Op {
	case ir.Const:
		return v.arith.num(e.Value)
	case ir.RegRef:
		return v.regs[e.Reg]
	case ir.Seen:
		return v.seen
	case ir.AddrOf:
		return v.arith.num(int64(v.prog.Objects[e.Obj].Addr) + e.Value)
	case ir.FuncAddr:
		return v.arith.num(ir.FuncAddress(e.Func))
	case ir.Neg:
		return v.arith.neg(v.number(e.X), e.Type)
	case ir.BitNot:
		return v.arith.flip(v.number(e.X), e.Type)
	case ir.Cast:
		return v.arith.narrow(v.number(e.X), e.Type)
	case ir.Ite:
		return ite(v.truth(e.X), v.number(e.Y), v.number(e.Z))
	}
	if _, ok := intArith[e.Op]; ok {
		return v.arith.binary(e.Op, e.Type, v.number(e.X), v.number(e.Y))
	}
	return v.arith.truth(v.truth(e))
}

// truth returns the condition that e is not zero.
func (v env) truth(e *ir.Expr) string {
	switch e.Op {
	case ir.Const:
		if e.Value != 0 {
			return "true"
		}
		return "false"
	case ir.Not:
		return not(v.truth(e.X))
	case ir.LAnd:
		return apply("and", v.truth(e.X), v.truth(e.Y))
	case ir.LOr:
		return apply("or", v.truth(e.X), v.truth(e.Y))
	}
	if e.Op.IsCompare() {
		return v.arith.compare(e.Op, e.Type, v.number(e.X), v.number(e.Y))
	}
	return v.arith.nonZero(v.number(e))
}
