package mover

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// Expressions as terms of SMT-LIB over the integers. Numbers do not wrap: a proof
// is about mathematical integers (design §6.7). Operators on bits are functions
// nothing is known about, which can make a proof fail and never succeed wrongly.

// prelude declares what terms use.
var prelude = []string{
	"(declare-fun fp_and (Int Int) Int)", "(declare-fun fp_or (Int Int) Int)", "(declare-fun fp_xor (Int Int) Int)",
	"(declare-fun fp_shl (Int Int) Int)", "(declare-fun fp_shr (Int Int) Int)", "(declare-fun fp_not (Int) Int)",
	// Division rounds towards zero, and by zero it gives zero.
	"(define-fun fp_div ((x Int) (y Int)) Int (ite (= y 0) 0 (ite (>= x 0) (div x y) (- (div (- x) y)))))",
	"(define-fun fp_rem ((x Int) (y Int)) Int (ite (= y 0) 0 (- x (* y (fp_div x y)))))",
	// What an unsigned comparison of 64 bits sees.
	"(define-fun fp_u64 ((x Int)) Int (ite (< x 0) (+ x 18446744073709551616) x))",
}

func integer(v int64) string {
	if v < 0 {
		return fmt.Sprintf("(- %s)", strings.TrimPrefix(strconv.FormatInt(v, 10), "-"))
	}
	return strconv.FormatInt(v, 10)
}

func apply(op string, args ...string) string { return "(" + op + " " + strings.Join(args, " ") + ")" }

func and(list []string) string {
	switch len(list) {
	case 0:
		return "true"
	case 1:
		return list[0]
	}
	return apply("and", list...)
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
	if x == y {
		return "true"
	}
	return apply("=", x, y)
}

func ite(c, x, y string) string {
	if x == y || c == "true" {
		return x
	}
	return apply("ite", c, x, y)
}

// env is what an expression is translated in.
type env struct {
	prog *ir.Program
	regs []string
	seen string
}

var arith = map[ir.ExprOp]string{
	ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.Div: "fp_div", ir.Rem: "fp_rem",
	ir.And: "fp_and", ir.Or: "fp_or", ir.Xor: "fp_xor", ir.Shl: "fp_shl", ir.Shr: "fp_shr",
}

var compare = map[ir.ExprOp]string{ir.Eq: "=", ir.Ne: "distinct", ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">="}

// number is the value of e as an integer.
func (v env) number(e *ir.Expr) string {
	switch e.Op {
	case ir.Const:
		return integer(e.Value)
	case ir.RegRef:
		return v.regs[e.Reg]
	case ir.Seen:
		return v.seen
	case ir.AddrOf:
		return integer(int64(v.prog.Objects[e.Obj].Addr) + e.Value)
	case ir.FuncAddr:
		return integer(ir.FuncAddress(e.Func))
	case ir.Neg:
		return apply("-", v.number(e.X))
	case ir.BitNot:
		return apply("fp_not", v.number(e.X))
	case ir.Cast:
		return narrow(v.number(e.X), e.Type)
	case ir.Ite:
		return ite(v.truth(e.X), v.number(e.Y), v.number(e.Z))
	}
	if op, ok := arith[e.Op]; ok {
		return apply(op, v.number(e.X), v.number(e.Y))
	}
	return ite(v.truth(e), "1", "0")
}

// truth is whether e is not zero.
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
	if op, ok := compare[e.Op]; ok {
		x, y := v.number(e.X), v.number(e.Y)
		if e.Type == ir.U64 && e.Op != ir.Eq && e.Op != ir.Ne {
			x, y = apply("fp_u64", x), apply("fp_u64", y)
		}
		return apply(op, x, y)
	}
	return apply("distinct", v.number(e), "0")
}

// narrow is what fewer than 64 bits without a sign keep of a number.
func narrow(x string, t ir.Type) string {
	if t.Bits == 64 {
		return x
	}
	return apply("mod", x, strconv.FormatUint(1<<t.Bits, 10))
}
