package stress

import (
	"fmt"

	"fencepost/internal/ir"
)

// Expressions in C. Every value is an int64_t, as in ir; arithmetic is done on unsigned
// numbers, which C lets wrap. ir.Expr.Eval defines what the text must compute.

// cType is the type that cuts a number to the width of t.
func cType(t ir.Type) string {
	if t.Signed {
		return fmt.Sprintf("int%d_t", t.Bits)
	}
	return fmt.Sprintf("uint%d_t", t.Bits)
}

// wrap is the text for t.Wrap.
func wrap(t ir.Type, text string) string { return fmt.Sprintf("(int64_t)(%s)(%s)", cType(t), text) }

// expr is an expression with its parentheses.
func (p *printer) expr(e *ir.Expr) string {
	left := maxCode
	text := p.text(e, &left)
	if left < 0 {
		refuse("its program is too large")
	}
	return text
}

// text prints an expression as long as there is room for it.
func (p *printer) text(e *ir.Expr, left *int) string {
	if *left < 0 {
		return "0"
	}
	var s string
	switch {
	case e.Op == ir.Const:
		s = number(e.Value)
	case e.Op == ir.RegRef:
		s = fmt.Sprintf("r%d", e.Reg)
	case e.Op == ir.Seen:
		s = "seen"
	case e.Op == ir.AddrOf:
		s = fmt.Sprintf("((int64_t)c->at[%d] + %s)", p.t.ObjectAt[e.Obj], number(e.Value))
	case e.Op == ir.FuncAddr:
		s = number(ir.FuncAddress(e.Func))
	case e.Op == ir.Ite:
		s = fmt.Sprintf("(%s ? %s : %s)", p.text(e.X, left), p.text(e.Y, left), p.text(e.Z, left))
	case e.Op.IsFloat():
		refuse("it computes with floating point")
	case e.Op.IsUnary():
		s = unary(e.Op, e.Type, p.text(e.X, left))
	case e.Op.IsBinary():
		s = binary(e.Op, e.Type, p.text(e.X, left), p.text(e.Y, left))
	default:
		refuse("it has an expression that stress programs have not: %s", e.Op)
	}
	*left -= len(s)
	return s
}

func unary(op ir.ExprOp, t ir.Type, x string) string {
	switch op {
	case ir.Neg:
		return "(" + wrap(t, "0 - (uint64_t)"+x) + ")"
	case ir.BitNot:
		return "(" + wrap(t, "~"+x) + ")"
	case ir.Not:
		return "(int64_t)(" + x + " == 0)"
	case ir.Cast:
		return "(" + wrap(t, x) + ")"
	default:
		panic("BUG: not a unary operator: " + op.String())
	}
}

var cOperators = map[ir.ExprOp]string{
	ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.And: "&", ir.Or: "|", ir.Xor: "^", ir.Eq: "==", ir.Ne: "!=", ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">=",
	ir.LAnd: "&&", ir.LOr: "||",
}

func binary(op ir.ExprOp, t ir.Type, x, y string) string {
	sign := "u"
	if t.Signed {
		sign = "s"
	}
	count := fmt.Sprintf("((uint64_t)%s %% %d)", y, t.Bits)
	switch op {
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		return fmt.Sprintf("(%s)", wrap(t, fmt.Sprintf("(uint64_t)%s %s (uint64_t)%s", x, cOperators[op], y)))
	case ir.Div:
		return fmt.Sprintf("(%s)", wrap(t, fmt.Sprintf("fp_div_%s(%s, %s)", sign, x, y)))
	case ir.Rem:
		return fmt.Sprintf("(%s)", wrap(t, fmt.Sprintf("fp_rem_%s(%s, %s)", sign, x, y)))
	case ir.Shl:
		return fmt.Sprintf("(%s)", wrap(t, fmt.Sprintf("(uint64_t)%s << %s", x, count)))
	case ir.Shr:
		return fmt.Sprintf("(%s)", wrap(t, fmt.Sprintf("(%s)%s >> %s", cType(t), x, count)))
	case ir.Eq, ir.Ne, ir.LAnd, ir.LOr:
		return fmt.Sprintf("(int64_t)(%s %s %s)", x, cOperators[op], y)
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if t.Signed {
			return fmt.Sprintf("(int64_t)(%s %s %s)", x, cOperators[op], y)
		}
		return fmt.Sprintf("(int64_t)((uint64_t)%s %s (uint64_t)%s)", x, cOperators[op], y)
	default:
		panic("BUG: not a binary operator: " + op.String())
	}
}
