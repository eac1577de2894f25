package cexpr

// Expressions in C. A register is an int64_t, and every expression has a value of that type: what C leaves undefined or
// does otherwise (overflow, the width of an operation, division by zero, counts of shifts) is written out.

import (
	"fmt"
	"math"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// Names gives the names of what an expression reads.
type Names struct {
	Regs   []string // by register
	Seen   string   // the value that the operation reads
	Object func(ir.ObjectID) string
}

// Expr is an expression in C.
type Expr struct {
	Text string
	Atom bool // needs no parentheses as an operand
}

// Operand returns the expression as an operand of an operator.
func (x Expr) Operand() string {
	if x.Atom {
		return x.Text
	}
	return "(" + x.Text + ")"
}

// Number returns a constant.
func Number(v int64) Expr {
	switch {
	case v == math.MinInt64:
		return Expr{"INT64_MIN", true}
	case v < 0:
		return Expr{fmt.Sprintf("(%d)", v), true}
	}
	return Expr{fmt.Sprint(v), true}
}

// cFunctions are the functions that expressions call, by operator.
var cFunctions = map[ir.ExprOp]string{ir.Div: "divide", ir.Rem: "remainder_of"}

const Division = `static inline int64_t divide(int64_t x, int64_t y) {
  return y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
static inline int64_t remainder_of(int64_t x, int64_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}
`

// Divides reports whether the program divides signed numbers.
func Divides(p *ir.Program) bool {
	found := false
	see := func(e *ir.Expr) { found = found || (e.Op == ir.Div || e.Op == ir.Rem) && e.Type.Signed }
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := f.Edges[i].Op
			op.Exprs(func(e *ir.Expr) *ir.Expr { e.Walk(see); return e })
		}
	}
	return found
}

var cOperators = map[ir.ExprOp]string{
	ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.And: "&", ir.Or: "|", ir.Xor: "^", ir.Shl: "<<", ir.Shr: ">>", ir.Div: "/", ir.Rem: "%",
	ir.Eq: "==", ir.Ne: "!=", ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">=", ir.LAnd: "&&", ir.LOr: "||",
}

// Cast returns x cut to a type, as an int64_t.
func (x Expr) Cast(t ir.Type) Expr {
	if t == ir.S64 {
		return Expr{"(int64_t)" + x.Operand(), true}
	}
	return Expr{fmt.Sprintf("(int64_t)(%s)%s", export.IntType(t), x.Operand()), true}
}

// Expr returns an expression.
func (n *Names) Expr(e *ir.Expr) Expr {
	switch {
	case e.Op == ir.Const:
		return Number(e.Value)
	case e.Op == ir.RegRef:
		return Expr{n.Regs[e.Reg], true}
	case e.Op == ir.Seen:
		return Expr{n.Seen, true}
	case e.Op == ir.AddrOf:
		x := Expr{fmt.Sprintf("(int64_t)(intptr_t)&%s", n.Object(e.Obj)), true}
		if e.Value == 0 {
			return x
		}
		return Expr{fmt.Sprintf("%s + %s", x.Text, Number(e.Value).Text), false}
	case e.Op == ir.Not:
		return Expr{"!" + n.Expr(e.X).Operand(), true}
	case e.Op == ir.BitNot:
		return Expr{"~" + n.Expr(e.X).Operand(), true}.narrow(e.Type)
	case e.Op == ir.Neg:
		return Expr{fmt.Sprintf("0 - (uint64_t)%s", n.Expr(e.X).Operand()), false}.Cast(e.Type)
	case e.Op == ir.Cast:
		return n.Expr(e.X).Cast(e.Type)
	case e.Op == ir.Ite:
		return Expr{fmt.Sprintf("%s ? %s : %s", n.Expr(e.X).Operand(), n.Expr(e.Y).Operand(), n.Expr(e.Z).Operand()), false}
	case e.Op.IsBinary() && !e.Op.IsFloat():
		return n.binary(e)
	}
	panic("BUG: no expression of C for " + e.Op.String())
}

// narrow cuts a value to a type that is not the widest.
func (x Expr) narrow(t ir.Type) Expr {
	if t.Bits == 64 {
		return x
	}
	return x.Cast(t)
}

func (n *Names) binary(e *ir.Expr) Expr {
	x, y, op := n.Expr(e.X).Operand(), n.Expr(e.Y).Operand(), cOperators[e.Op]
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul:
		return Expr{fmt.Sprintf("(uint64_t)%s %s (uint64_t)%s", x, op, y), false}.Cast(e.Type)
	case ir.And, ir.Or, ir.Xor:
		return Expr{fmt.Sprintf("%s %s %s", x, op, y), false}.narrow(e.Type)
	case ir.Shl:
		return Expr{fmt.Sprintf("(uint64_t)%s << (%s & %d)", x, y, e.Type.Bits-1), false}.Cast(e.Type)
	case ir.Shr:
		return Expr{fmt.Sprintf("(%s)%s >> (%s & %d)", export.IntType(e.Type), x, y, e.Type.Bits-1), false}.Cast(e.Type)
	case ir.Div, ir.Rem:
		if e.Type.Signed {
			return Expr{fmt.Sprintf("%s(%s, %s)", cFunctions[e.Op], n.Expr(e.X).Text, n.Expr(e.Y).Text), true}.narrow(e.Type)
		}
		return Expr{fmt.Sprintf("(int64_t)(%s == 0 ? 0 : (uint64_t)%s %s (uint64_t)%s)", y, x, op, y), true}.narrow(e.Type)
	case ir.LAnd, ir.LOr:
		return Expr{fmt.Sprintf("%s %s %s", x, op, y), false}
	}
	if !e.Type.Signed && e.Op != ir.Eq && e.Op != ir.Ne {
		if always, known := againstZero(e); known {
			return Number(always)
		}
		return Expr{fmt.Sprintf("(uint64_t)%s %s (uint64_t)%s", x, op, y), false}
	}
	return Expr{fmt.Sprintf("%s %s %s", x, op, y), false}
}

// againstZero returns the value of a comparison of an unsigned number with zero that has only one, of which compilers
// warn. Expressions have no effects, so that the other operand may go.
func againstZero(e *ir.Expr) (value int64, known bool) {
	zero := func(x *ir.Expr) bool { return x.Op == ir.Const && x.Value == 0 }
	switch {
	case e.Op == ir.Lt && zero(e.Y), e.Op == ir.Gt && zero(e.X):
		return 0, true
	case e.Op == ir.Ge && zero(e.Y), e.Op == ir.Le && zero(e.X):
		return 1, true
	}
	return 0, false
}

// Narrow64 returns what an access reads as an int64_t of a type.
func (x Expr) Narrow64(t ir.Type) string {
	if t == ir.S64 {
		return x.Text
	}
	return x.Cast(t).Text
}
