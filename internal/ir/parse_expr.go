package ir

import (
	"strconv"
	"strings"
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
	op   ExprOp
	prec int
}{
	"||": {LOr, 1}, "&&": {LAnd, 2}, "|": {Or, 3}, "^": {Xor, 4}, "&": {And, 5},
	"==": {Eq, 6}, "!=": {Ne, 6}, "<": {Lt, 7}, "<=": {Le, 7}, ">": {Gt, 7}, ">=": {Ge, 7},
	"<<": {Shl, 8}, ">>": {Shr, 8}, "+": {Add, 9}, "-": {Sub, 9}, "*": {Mul, 10}, "/": {Div, 10}, "%": {Rem, 10},
}

var prefixOps = map[string]ExprOp{"-": Neg, "~": BitNot, "!": Not}

// tree is an expression with its height.
type tree struct {
	e      *Expr
	height int
}

// expr reads an expression. After an error the result is meaningless.
func (ps *parser) expr() *Expr { return ps.ternary().e }

// grow makes a tree of a node and its parts.
func (ps *parser) grow(e *Expr, parts ...tree) tree {
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
		return tree{e: Int(0)}
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
	return ps.grow(&Expr{Op: Ite, Type: t, X: c.e, Y: x.e, Z: y.e}, c, x, y)
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
		x = ps.grow(&Expr{Op: kind, Type: t, X: x.e, Y: y.e}, x, y)
	}
	return x
}

// typeSuffix reads the type after an operator, s64 if there is none.
func (ps *parser) typeSuffix() Type {
	if t := ps.tok(); !ps.bad && t.kind == tokName {
		if typ, ok := typeWords[t.text]; ok {
			ps.advance()
			return typ
		}
	}
	return S64
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
		return ps.grow(&Expr{Op: op, Type: typ, X: x.e}, x)
	}
	if t.text != "(" {
		return ps.leaf()
	}
	ps.advance()
	if typ, ok := typeWords[next.text]; ok && next.kind == tokName {
		ps.advance()
		op := Cast
		if ps.word(ofWord) {
			op = ps.conversion(typ)
		}
		ps.expect(")")
		x := ps.nested(ps.unary)
		return ps.grow(&Expr{Op: op, Type: typ, X: x.e}, x)
	}
	if typ, ok := typeWords[ps.peek(1).text]; ok && next.text == FSqrt.String() && next.kind == tokName && ps.peek(1).kind == tokName {
		ps.advance()
		ps.advance()
		ps.expect(")")
		x := ps.nested(ps.unary)
		return ps.grow(&Expr{Op: FSqrt, Type: typ, X: x.e}, x)
	}
	x := ps.nested(ps.ternary)
	ps.expect(")")
	return x
}

func (ps *parser) leaf() tree {
	t := ps.tok()
	switch {
	case ps.bad:
		return tree{e: Int(0)}
	case t.kind == tokNumber:
		return ps.constant()
	case ps.word(seenWord):
		return ps.typed(SeenValue())
	case ps.word(selfWord):
		return ps.typed(SelfHandle())
	case ps.word(undefWord):
		return ps.typed(Undefined(S64))
	case ps.accept("&&"):
		return ps.typed(&Expr{Op: FuncAddr, Type: U64, Func: FuncID(ps.lookup(ps.funcs, "function"))})
	case ps.accept("&"):
		return ps.typed(ps.address())
	case t.kind == tokName && !reserved(t.text) || t.kind == tokString:
		return ps.typed(R(ps.reg()))
	}
	ps.want("an expression")
	return tree{e: Int(0)}
}

// address reads the rest of &x or &x+8. Without spaces the number is part of the address, unless
// an operator that binds tighter comes next.
func (ps *parser) address() *Expr {
	name := ps.tok()
	e := Addr(ObjectID(ps.lookup(ps.objects, "object")), 0)
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
func (ps *parser) typed(e *Expr) tree {
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
func (ps *parser) reg() Reg {
	t := ps.tok()
	name := ps.name("a register")
	r, ok := ps.regs[name]
	if !ok {
		ps.failAt(t, codeUnknown, "no register %s", quoteName(name))
	}
	return r
}

// floatOps are the operators on floating point, by the operator on integers that is written alike.
var floatOps = map[ExprOp]ExprOp{
	Neg: FNeg, Add: FAdd, Sub: FSub, Mul: FMul, Div: FDiv, Eq: FEq, Ne: FNe, Lt: FLt, Le: FLe, Gt: FGt, Ge: FGe,
}

// floating returns the operator that an operator, written at a token, is at a type.
func floating(ps *parser, at *token, op ExprOp, t Type) ExprOp {
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
func (ps *parser) conversion(to Type) ExprOp {
	at := ps.tok()
	switch from := ps.typ(); {
	case to.Float && from == S64:
		return IntToFloat
	case to.Float && from == U64:
		return UintToFloat
	case to.Float && from.Float && from != to:
		return FloatToFloat
	case !to.Float && from == F64:
		return FloatToInt
	default:
		ps.failAt(at, codeOperation, "there is no conversion of %s to %s", from, to)
		return Cast
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
		return ps.typed(Int(ps.integer()))
	}
	ps.accept("-")
	ps.advance()
	c := ps.typed(Int(0))
	if !c.e.Type.Float {
		ps.failAt(at, codeNumber, "%s needs a type of floating point, as in %s:f64", text, text)
		return c
	}
	v, err := strconv.ParseFloat(text, int(c.e.Type.Bits))
	if err != nil {
		ps.failAt(at, codeNumber, "%s is not a number of type %s", text, c.e.Type)
	}
	c.e = Float(c.e.Type, v)
	return c
}
