package irtext

import (
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// maxDepth bounds the height of expressions, and maxNesting the recursion of the parser. An
// expression of height d nests at most twice as deep when printed, so every accepted expression
// is accepted again after printing.
const (
	maxDepth   = 10_000
	maxNesting = 2*maxDepth + 8
)

// precedence of binary operators as in C; higher binds tighter.
var precedence = map[string]struct {
	op   ir.ExprOp
	prec int
}{
	"||": {ir.LOr, 1}, "&&": {ir.LAnd, 2}, "|": {ir.Or, 3}, "^": {ir.Xor, 4}, "&": {ir.And, 5},
	"==": {ir.Eq, 6}, "!=": {ir.Ne, 6}, "<": {ir.Lt, 7}, "<=": {ir.Le, 7}, ">": {ir.Gt, 7}, ">=": {ir.Ge, 7},
	"<<": {ir.Shl, 8}, ">>": {ir.Shr, 8}, "+": {ir.Add, 9}, "-": {ir.Sub, 9}, "*": {ir.Mul, 10}, "/": {ir.Div, 10}, "%": {ir.Rem, 10},
}

var prefixOps = map[string]ir.ExprOp{"-": ir.Neg, "~": ir.BitNot, "!": ir.Not}

// tree is an expression with its height.
type tree struct {
	e      *ir.Expr
	height int
}

// expr reads an expression. After an error the result is meaningless.
func (ps *parser) expr() *ir.Expr { return ps.ternary().e }

// grow makes a tree of a node and its parts.
func (ps *parser) grow(e *ir.Expr, parts ...tree) tree {
	h := 0
	for _, p := range parts {
		h = max(h, p.height)
	}
	if h++; h > maxDepth {
		ps.fail(codeDepth, "expression is nested more than %d deep", maxDepth)
	}
	return tree{e, h}
}

// nested runs f one level deeper.
func (ps *parser) nested(f func() tree) tree {
	if ps.nesting >= maxNesting {
		ps.fail(codeDepth, "expression is nested more than %d deep", maxDepth)
	}
	if ps.bad {
		return tree{e: ir.Int(0)}
	}
	ps.nesting++
	t := f()
	ps.nesting--
	return t
}

func (ps *parser) ternary() tree {
	c := ps.binary(1)
	if !ps.accept("?") {
		return c
	}
	t := ps.typeSuffix()
	x := ps.nested(ps.ternary)
	ps.expect(":")
	y := ps.nested(ps.ternary)
	return ps.grow(&ir.Expr{Op: ir.Ite, Type: t, X: c.e, Y: x.e, Z: y.e}, c, x, y)
}

// binary reads operators of at least the given precedence.
func (ps *parser) binary(least int) tree {
	x := ps.unary()
	for !ps.bad && ps.tok().kind == tokPunct {
		op, ok := precedence[ps.tok().text]
		if !ok || op.prec < least {
			break
		}
		at := ps.tok()
		ps.advance()
		t := ps.typeSuffix()
		kind := floating(ps, at, op.op, t)
		y := ps.binary(op.prec + 1)
		x = ps.grow(&ir.Expr{Op: kind, Type: t, X: x.e, Y: y.e}, x, y)
	}
	return x
}

// typeSuffix reads the type after an operator, s64 if there is none.
func (ps *parser) typeSuffix() ir.Type {
	if t := ps.tok(); !ps.bad && t.kind == tokName {
		if typ, ok := typeWords[t.text]; ok {
			ps.advance()
			return typ
		}
	}
	return ir.S64
}

func (ps *parser) unary() tree {
	t, next := ps.tok(), ps.peek(1)
	if t.kind != tokPunct || ps.bad {
		return ps.leaf()
	}
	if t.text == "-" && next.kind == tokNumber && next.start == t.end {
		return ps.constant()
	}
	if op, ok := prefixOps[t.text]; ok {
		ps.advance()
		typ := ps.typeSuffix()
		op = floating(ps, t, op, typ)
		x := ps.nested(ps.unary)
		return ps.grow(&ir.Expr{Op: op, Type: typ, X: x.e}, x)
	}
	if t.text != "(" {
		return ps.leaf()
	}
	ps.advance()
	if typ, ok := typeWords[next.text]; ok && next.kind == tokName {
		ps.advance()
		op := ir.Cast
		if ps.word(ofWord) {
			op = ps.conversion(typ)
		}
		ps.expect(")")
		x := ps.nested(ps.unary)
		return ps.grow(&ir.Expr{Op: op, Type: typ, X: x.e}, x)
	}
	if typ, ok := typeWords[ps.peek(1).text]; ok && next.text == ir.FSqrt.String() && next.kind == tokName && ps.peek(1).kind == tokName {
		ps.advance()
		ps.advance()
		ps.expect(")")
		x := ps.nested(ps.unary)
		return ps.grow(&ir.Expr{Op: ir.FSqrt, Type: typ, X: x.e}, x)
	}
	x := ps.nested(ps.ternary)
	ps.expect(")")
	return x
}

func (ps *parser) leaf() tree {
	t := ps.tok()
	switch {
	case ps.bad:
		return tree{e: ir.Int(0)}
	case t.kind == tokNumber:
		return ps.constant()
	case ps.word(seenWord):
		return ps.typed(ir.SeenValue())
	case ps.word(selfWord):
		return ps.typed(ir.SelfHandle())
	case ps.word(undefWord):
		return ps.typed(ir.Undefined(ir.S64))
	case ps.accept("&&"):
		return ps.typed(&ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: ir.FuncID(ps.lookup(ps.funcs, "function"))})
	case ps.accept("&"):
		return ps.typed(ps.address())
	case t.kind == tokName && !reserved(t.text) || t.kind == tokString:
		return ps.typed(ir.R(ps.reg()))
	}
	ps.want("an expression")
	return tree{e: ir.Int(0)}
}

// address reads the rest of &x or &x+8. Without spaces the number is part of the address, unless
// an operator that binds tighter comes next.
func (ps *parser) address() *ir.Expr {
	name := ps.tok()
	e := ir.Addr(ir.ObjectID(ps.lookup(ps.objects, "object")), 0)
	sign, num, after := ps.tok(), ps.peek(1), ps.peek(2)
	if !ps.isPunct("+") && !ps.isPunct("-") || sign.start != name.end || num.kind != tokNumber || num.start != sign.end {
		return e
	}
	if after.kind == tokPunct && precedence[after.text].prec == precedence["*"].prec {
		return e
	}
	if sign.text == "+" {
		ps.advance()
	}
	e.Value = ps.integer()
	return e
}

// typed gives a leaf the type after a colon, if there is one.
func (ps *parser) typed(e *ir.Expr) tree {
	if next := ps.peek(1); ps.isPunct(":") && next.kind == tokName {
		if typ, ok := typeWords[next.text]; ok {
			ps.advance()
			ps.advance()
			e.Type = typ
		}
	}
	return tree{e, 1}
}

// reg takes the name of a register of this function.
func (ps *parser) reg() ir.Reg {
	t := ps.tok()
	name := ps.name("a register")
	r, ok := ps.regs[name]
	if !ok {
		ps.failAt(t, codeUnknown, "no register %s", quoteName(name))
	}
	return r
}

// floatOps are the operators on floating point, by the operator on integers that is written alike.
var floatOps = map[ir.ExprOp]ir.ExprOp{
	ir.Neg: ir.FNeg, ir.Add: ir.FAdd, ir.Sub: ir.FSub, ir.Mul: ir.FMul, ir.Div: ir.FDiv, ir.Eq: ir.FEq, ir.Ne: ir.FNe, ir.Lt: ir.FLt, ir.Le: ir.FLe, ir.Gt: ir.FGt, ir.Ge: ir.FGe,
}

// floating returns the operator that an operator, written at a token, is at a type.
func floating(ps *parser, at *token, op ir.ExprOp, t ir.Type) ir.ExprOp {
	if !t.Float {
		return op
	}
	float, ok := floatOps[op]
	if !ok {
		ps.failAt(at, codeOperation, "%s does not work at %s", op, t)
	}
	return float
}

// conversion reads the type that a number is converted from, as in (f64 of s64), and returns the operator.
func (ps *parser) conversion(to ir.Type) ir.ExprOp {
	at := ps.tok()
	switch from := ps.typ(); {
	case to.Float && from == ir.S64:
		return ir.IntToFloat
	case to.Float && from == ir.U64:
		return ir.UintToFloat
	case to.Float && from.Float && from != to:
		return ir.FloatToFloat
	case !to.Float && from == ir.F64:
		return ir.FloatToInt
	default:
		ps.failAt(at, codeOperation, "there is no conversion of %s to %s", from, to)
		return ir.Cast
	}
}

// constant reads a number. One of floating point has a point and a type; as an integer its bits are
// written.
func (ps *parser) constant() tree {
	at, text := ps.tok(), ps.tok().text
	if ps.isPunct("-") {
		text += ps.peek(1).text
	}
	if !strings.Contains(text, ".") {
		return ps.typed(ir.Int(ps.integer()))
	}
	ps.accept("-")
	ps.advance()
	c := ps.typed(ir.Int(0))
	if !c.e.Type.Float {
		ps.failAt(at, codeNumber, "%s needs a type of floating point, as in %s:f64", text, text)
		return c
	}
	v, err := strconv.ParseFloat(text, int(c.e.Type.Bits))
	if err != nil {
		ps.failAt(at, codeNumber, "%s is not a number of type %s", text, c.e.Type)
	}
	c.e = ir.Float(c.e.Type, v)
	return c
}
