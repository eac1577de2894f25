package export

// Expressions in C. A register is an int64_t, and every expression has a value of that type: what C leaves undefined or
// does otherwise (overflow, the width of an operation, division by zero, counts of shifts) is written out.

import (
	"fmt"
	"math"

	"fencepost/internal/ir"
)

// cNames gives the names of what an expression reads.
type cNames struct {
	regs   []string // by register
	seen   string   // the value that the operation reads
	object func(ir.ObjectID) string
}

// cExpr is an expression in C.
type cExpr struct {
	text string
	atom bool // needs no parentheses as an operand
}

// operand returns the expression as an operand of an operator.
func (x cExpr) operand() string {
	if x.atom {
		return x.text
	}
	return "(" + x.text + ")"
}

// cNumber returns a constant.
func cNumber(v int64) cExpr {
	switch {
	case v == math.MinInt64:
		return cExpr{"INT64_MIN", true}
	case v < 0:
		return cExpr{fmt.Sprintf("(%d)", v), true}
	}
	return cExpr{fmt.Sprint(v), true}
}

// cFunctions are the functions that expressions call, by operator.
var cFunctions = map[ir.ExprOp]string{ir.Div: "divide", ir.Rem: "remainder_of"}

const cDivision = `static inline int64_t divide(int64_t x, int64_t y) {
  return y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
static inline int64_t remainder_of(int64_t x, int64_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}
`

// divides reports whether the program divides signed numbers.
func divides(p *ir.Program) bool {
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

// cast returns x cut to a type, as an int64_t.
func (x cExpr) cast(t ir.Type) cExpr {
	if t == ir.S64 {
		return cExpr{"(int64_t)" + x.operand(), true}
	}
	return cExpr{fmt.Sprintf("(int64_t)(%s)%s", intType(t), x.operand()), true}
}

// expr returns an expression.
func (n *cNames) expr(e *ir.Expr) cExpr {
	switch {
	case e.Op == ir.Const:
		return cNumber(e.Value)
	case e.Op == ir.RegRef:
		return cExpr{n.regs[e.Reg], true}
	case e.Op == ir.Seen:
		return cExpr{n.seen, true}
	case e.Op == ir.AddrOf:
		x := cExpr{fmt.Sprintf("(int64_t)(intptr_t)&%s", n.object(e.Obj)), true}
		if e.Value == 0 {
			return x
		}
		return cExpr{fmt.Sprintf("%s + %s", x.text, cNumber(e.Value).text), false}
	case e.Op == ir.Not:
		return cExpr{"!" + n.expr(e.X).operand(), true}
	case e.Op == ir.BitNot:
		return cExpr{"~" + n.expr(e.X).operand(), true}.narrow(e.Type)
	case e.Op == ir.Neg:
		return cExpr{fmt.Sprintf("0 - (uint64_t)%s", n.expr(e.X).operand()), false}.cast(e.Type)
	case e.Op == ir.Cast:
		return n.expr(e.X).cast(e.Type)
	case e.Op == ir.Ite:
		return cExpr{fmt.Sprintf("%s ? %s : %s", n.expr(e.X).operand(), n.expr(e.Y).operand(), n.expr(e.Z).operand()), false}
	case e.Op.IsBinary() && !e.Op.IsFloat():
		return n.binary(e)
	}
	panic("BUG: no expression of C for " + e.Op.String())
}

// narrow cuts a value to a type that is not the widest.
func (x cExpr) narrow(t ir.Type) cExpr {
	if t.Bits == 64 {
		return x
	}
	return x.cast(t)
}

func (n *cNames) binary(e *ir.Expr) cExpr {
	x, y, op := n.expr(e.X).operand(), n.expr(e.Y).operand(), cOperators[e.Op]
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul:
		return cExpr{fmt.Sprintf("(uint64_t)%s %s (uint64_t)%s", x, op, y), false}.cast(e.Type)
	case ir.And, ir.Or, ir.Xor:
		return cExpr{fmt.Sprintf("%s %s %s", x, op, y), false}.narrow(e.Type)
	case ir.Shl:
		return cExpr{fmt.Sprintf("(uint64_t)%s << (%s & %d)", x, y, e.Type.Bits-1), false}.cast(e.Type)
	case ir.Shr:
		return cExpr{fmt.Sprintf("(%s)%s >> (%s & %d)", intType(e.Type), x, y, e.Type.Bits-1), false}.cast(e.Type)
	case ir.Div, ir.Rem:
		if e.Type.Signed {
			return cExpr{fmt.Sprintf("%s(%s, %s)", cFunctions[e.Op], n.expr(e.X).text, n.expr(e.Y).text), true}.narrow(e.Type)
		}
		return cExpr{fmt.Sprintf("(int64_t)(%s == 0 ? 0 : (uint64_t)%s %s (uint64_t)%s)", y, x, op, y), true}.narrow(e.Type)
	case ir.LAnd, ir.LOr:
		return cExpr{fmt.Sprintf("%s %s %s", x, op, y), false}
	}
	if !e.Type.Signed && e.Op != ir.Eq && e.Op != ir.Ne {
		if always, known := againstZero(e); known {
			return cNumber(always)
		}
		return cExpr{fmt.Sprintf("(uint64_t)%s %s (uint64_t)%s", x, op, y), false}
	}
	return cExpr{fmt.Sprintf("%s %s %s", x, op, y), false}
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
