package promela

// Expressions. Promela's integers have 32 bits, ours have 64. Constants and operations
// that would show the difference are refused, or evaluated here from the ranges of their
// operands. A sum or product that exceeds 32 bits while SPIN runs ends in a trap, which
// the C compiler inserts (see the header text).

import (
	"fmt"
	"math"
	"strconv"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// env gives the names that an expression may refer to.
type env struct {
	regs []string // by register
	seen string   // the value that the operation sees
}

// literal returns a number in Promela's syntax.
func literal(v int64) string {
	switch {
	case v == math.MinInt32: // the digits alone are too large
		return "(-2147483647-1)"
	case v < 0:
		return "(" + strconv.FormatInt(v, 10) + ")"
	default:
		return strconv.FormatInt(v, 10)
	}
}

// number returns a constant of the program, and refuses one that does not fit.
func (w *promela) number(v int64) string {
	if v, ok := w.layout.pointer(v); ok {
		return literal(v)
	}
	if !export.Fits(v) {
		w.Refuse(w.pos, "the number %d does not fit into the 32 bits of Promela's int", v)
		return "0"
	}
	return literal(v)
}

var binaryNames = map[ir.ExprOp]string{
	ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.And: "&", ir.Or: "|", ir.Xor: "^",
	ir.Eq: "==", ir.Ne: "!=", ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">=", ir.LAnd: "&&", ir.LOr: "||",
}

// expr translates an expression. The result is an operand: a name, a literal or
// an expression in parentheses.
func (w *promela) expr(e *ir.Expr, in env) string {
	if export.IsConstant(e) {
		return w.number(e.Eval(ir.Env{Prog: w.p}))
	}
	if v, ok := export.Decide(w.p, e); ok {
		return literal(v)
	}
	switch e.Op {
	case ir.RegRef:
		return in.regs[e.Reg]
	case ir.Seen:
		return in.seen
	case ir.Not:
		return "(!" + w.expr(e.X, in) + ")"
	case ir.Neg:
		return w.wrap(e.Type, "(-"+w.expr(e.X, in)+")")
	case ir.BitNot:
		return w.wrap(e.Type, "(~"+w.expr(e.X, in)+")")
	case ir.Cast:
		return w.wrap(e.Type, w.expr(e.X, in))
	case ir.Ite:
		if v, ok := export.Decide(w.p, e.X); ok {
			if v != 0 {
				return w.expr(e.Y, in)
			}
			return w.expr(e.Z, in)
		}
		return fmt.Sprintf("(%s -> %s : %s)", w.expr(e.X, in), w.expr(e.Y, in), w.expr(e.Z, in))
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if !e.Type.Signed {
			return w.unsigned(e, in)
		}
	case ir.Div, ir.Rem:
		return w.divide(e, in)
	case ir.Shl, ir.Shr:
		return w.shift(e, in)
	}
	name, ok := binaryNames[e.Op]
	if !ok {
		panic("BUG: unknown operator " + e.Op.String())
	}
	text := fmt.Sprintf("(%s %s %s)", w.expr(e.X, in), name, w.expr(e.Y, in))
	if e.Op.IsCompare() || e.Op == ir.LAnd || e.Op == ir.LOr {
		return text
	}
	return w.wrap(e.Type, text)
}

// wrap cuts a value to a type. It leaves values of 32 and 64 bits unchanged: SPIN's program
// traps when a value exceeds its int.
func (w *promela) wrap(t ir.Type, text string) string {
	mask, sign := int64(1)<<min(t.Bits, 32)-1, int64(1)<<(min(t.Bits, 32)-1)
	switch {
	case t.Bits >= 64 || t.Bits == 32 && t.Signed:
		return text
	case t.Bits == 32:
		w.Refuse(w.pos, "unsigned 32-bit values do not fit into Promela's int")
		return text
	case t.Signed:
		return fmt.Sprintf("(((%s & %d) ^ %d) - %d)", text, mask, sign, sign)
	default:
		return fmt.Sprintf("(%s & %d)", text, mask)
	}
}

// inRange returns the condition 0 <= i < n.
func inRange(i string, n int64) string { return fmt.Sprintf("(%s >= 0 && %s < %d)", i, i, n) }

// unsigned returns a comparison of two unsigned values. A value that is negative as an int
// is larger than all others.
func (w *promela) unsigned(e *ir.Expr, in env) string {
	if k, ok := e.Y.IsConst(); ok && e.Op == ir.Lt && k >= 0 && export.Fits(k) {
		return inRange(w.expr(e.X, in), k)
	}
	x, y := w.expr(e.X, in), w.expr(e.Y, in)
	return fmt.Sprintf("((%s < 0) == (%s < 0) -> %s %s %s : %s %s %s)", x, y, x, binaryNames[e.Op], y, y, binaryNames[e.Op], x)
}

// divide returns a division or remainder, which is 0 for a divisor of 0.
func (w *promela) divide(e *ir.Expr, in env) string {
	if !e.Type.Signed {
		w.Refuse(w.pos, "division of unsigned values cannot be written in Promela")
		return "0"
	}
	sign := "/"
	if e.Op == ir.Rem {
		sign = "%"
	}
	x, y := w.expr(e.X, in), w.expr(e.Y, in)
	if k, ok := e.Y.IsConst(); ok && k > 0 {
		return w.wrap(e.Type, fmt.Sprintf("(%s %s %s)", x, sign, y))
	}
	minusOne := "-" + x
	if e.Op == ir.Rem {
		minusOne = "0"
	}
	return w.wrap(e.Type, fmt.Sprintf("(%s == 0 -> 0 : (%s == -1 -> %s : (%s %s %s)))", y, y, minusOne, x, sign, y))
}

// shift returns a shift by a constant.
func (w *promela) shift(e *ir.Expr, in env) string {
	k, ok := e.Y.IsConst()
	n := uint64(k) % uint64(e.Type.Bits)
	switch {
	case !ok || n > 30:
		w.Refuse(w.pos, "a shift by a number that is not a constant from 0 to 30 cannot be written in Promela")
		return "0"
	case e.Op == ir.Shl: // a product traps if it is too large, a shift does not
		return w.wrap(e.Type, fmt.Sprintf("(%s * %d)", w.expr(e.X, in), int64(1)<<n))
	case !e.Type.Signed && e.Type.Bits > 16:
		w.Refuse(w.pos, "a right shift of an unsigned value cannot be written in Promela")
		return "0"
	default:
		return w.wrap(e.Type, fmt.Sprintf("(%s >> %d)", w.wrap(e.Type, w.expr(e.X, in)), n))
	}
}
