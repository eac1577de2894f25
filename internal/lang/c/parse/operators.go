package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// binaryOp returns the operator of a token, and its precedence; 0: none.
func binaryOp(k lex.Kind) (Op, int) {
	switch k {
	case lex.OrOr:
		return OrOr, 1
	case lex.AndAnd:
		return AndAnd, 2
	case lex.Or:
		return Or, 3
	case lex.Xor:
		return Xor, 4
	case lex.And:
		return And, 5
	case lex.Equal:
		return Equal, 6
	case lex.NotEqual:
		return NotEqual, 6
	case lex.Less:
		return Less, 7
	case lex.Greater:
		return Greater, 7
	case lex.LessEqual:
		return LessEqual, 7
	case lex.GreaterEqual:
		return GreaterEqual, 7
	case lex.Shl:
		return Shl, 8
	case lex.Shr:
		return Shr, 8
	case lex.Plus:
		return Add, 9
	case lex.Minus:
		return Sub, 9
	case lex.Star:
		return Mul, 10
	case lex.Slash:
		return Div, 10
	case lex.Percent:
		return Rem, 10
	default:
		return Bad, 0
	}
}

func assignOp(k lex.Kind) Op {
	switch k {
	case lex.Assign:
		return Assign
	case lex.StarAssign:
		return Mul
	case lex.SlashAssign:
		return Div
	case lex.PercentAssign:
		return Rem
	case lex.PlusAssign:
		return Add
	case lex.MinusAssign:
		return Sub
	case lex.ShlAssign:
		return Shl
	case lex.ShrAssign:
		return Shr
	case lex.AndAssign:
		return And
	case lex.XorAssign:
		return Xor
	case lex.OrAssign:
		return Or
	default:
		return Bad
	}
}

// operands reports that an operator does not fit its operands.
func (p *parser) operands(at int32, a, b *Expr) *Expr {
	p.refuseVector(a, b)
	p.errorf(at, "the operands of %s do not fit: %s and %s", p.spelled(at), a.Type, b.Type)
	return p.bad(at)
}

// binary makes a binary expression of two values.
func (p *parser) binary(op Op, at int32, a, b *Expr) *Expr {
	a, b = p.rvalue(a), p.rvalue(b)
	if isBad(a, b) {
		return p.bad(at)
	}
	x, y := a.Type, b.Type
	e := &Expr{Op: op, Tok: at}
	switch op {
	case AndAnd, OrOr:
		if !x.IsScalar() || !y.IsScalar() {
			return p.operands(at, a, b)
		}
		e.A, e.B, e.Type = a, b, types.Of(types.Int)
		return e
	case Add, Sub:
		if x.Kind == types.Pointer || y.Kind == types.Pointer {
			return p.pointerArithmetic(e, a, b)
		}
		fallthrough
	case Mul, Div:
		if !x.IsArithmetic() || !y.IsArithmetic() {
			return p.operands(at, a, b)
		}
		e.A, e.B, e.Type = p.usual(a, b)
		return e
	case Rem, And, Or, Xor:
		if !x.IsInteger() || !y.IsInteger() {
			return p.operands(at, a, b)
		}
		e.A, e.B, e.Type = p.usual(a, b)
		return e
	case Shl, Shr:
		if !x.IsInteger() || !y.IsInteger() {
			return p.operands(at, a, b)
		}
		e.A, e.B = p.promote(a), p.promote(b)
		e.Type = e.A.Type
		return e
	default:
		return p.comparison(e, a, b)
	}
}

// pointerArithmetic makes pointer + integer, pointer - integer or pointer - pointer.
func (p *parser) pointerArithmetic(e, a, b *Expr) *Expr {
	x, y := a.Type, b.Type
	switch {
	case e.Op == Sub && x.Kind == types.Pointer && y.Kind == types.Pointer:
		e.A, e.B, e.Type = a, b, types.Of(types.Long)
		if !types.CompatibleUnqualified(x.Elem, y.Elem) {
			return p.operands(e.Tok, a, b)
		}
	case x.Kind == types.Pointer && y.IsInteger():
		e.A, e.B, e.Type = a, p.promote(b), x
	case e.Op == Add && x.IsInteger() && y.Kind == types.Pointer:
		e.A, e.B, e.Type = b, p.promote(a), y
	default:
		return p.operands(e.Tok, a, b)
	}
	elem := e.A.Type.Elem
	if !elem.IsComplete() && elem.Kind != types.Void && elem.Kind != types.Function {
		p.errorf(e.Tok, "arithmetic with a pointer to the incomplete type %s", elem)
		return p.bad(e.Tok)
	}
	return e
}

// comparison makes a comparison.
func (p *parser) comparison(e, a, b *Expr) *Expr {
	x, y := a.Type, b.Type
	e.Type = types.Of(types.Int)
	switch {
	case x.IsArithmetic() && y.IsArithmetic():
		if (x.Kind == types.Complex || y.Kind == types.Complex) && e.Op != Equal && e.Op != NotEqual {
			return p.operands(e.Tok, a, b)
		}
		e.A, e.B, _ = p.usual(a, b)
	case x.Kind == types.Pointer && y.Kind == types.Pointer:
		e.A, e.B = a, b
	case x.Kind == types.Pointer && y.IsInteger():
		e.A, e.B = a, p.convert(b, x)
	case x.IsInteger() && y.Kind == types.Pointer:
		e.A, e.B = p.convert(a, y), b
	default:
		return p.operands(e.Tok, a, b)
	}
	return e
}

// conditionalOf makes c ? a : b; a is nil for c ?: b.
func (p *parser) conditionalOf(at int32, c, a, b *Expr) *Expr {
	c = p.scalar(p.rvalue(c), "a condition")
	b = p.rvalue(b)
	e := &Expr{Op: Cond, Tok: at, A: c}
	value := c
	if a != nil {
		a = p.rvalue(a)
		value = a
	}
	if isBad(c, value, b) {
		return p.bad(at)
	}
	t := p.conditionalType(value, b)
	if t == nil {
		return p.operands(at, value, b)
	}
	e.Type = t
	if t.Kind == types.Void || t.IsRecord() {
		e.B, e.C = a, b
		return e
	}
	if a != nil {
		e.B = p.convert(a, t)
	}
	e.C = p.convert(b, t)
	return e
}

// conditionalType returns the type of a conditional expression, nil if there is none.
func (p *parser) conditionalType(a, b *Expr) *types.Type {
	x, y := a.Type, b.Type
	switch {
	case x.IsArithmetic() && y.IsArithmetic():
		u, v, t := p.usual(a, b)
		_, _ = u, v
		return t
	case x.Kind == types.Void || y.Kind == types.Void:
		return types.Of(types.Void)
	case (x.IsRecord() || x.Kind == types.Vector) && types.CompatibleUnqualified(x, y):
		return x
	case x.Kind == types.Pointer && y.Kind == types.Pointer:
		return p.pointerChoice(a, b)
	case x.Kind == types.Pointer && y.IsInteger():
		return x
	case x.IsInteger() && y.Kind == types.Pointer:
		return y
	default:
		return nil
	}
}

func (p *parser) pointerChoice(a, b *Expr) *types.Type {
	x, y := a.Type, b.Type
	qual := x.Elem.Quals() | y.Elem.Quals()
	switch {
	case types.CompatibleUnqualified(x.Elem, y.Elem) && (x.Elem.Quals()^y.Elem.Quals())&types.Atomic == 0:
		return types.PointerTo(types.Composite(x.Elem.Unqualified(), y.Elem.Unqualified()).WithQual(qual))
	case p.isNull(a):
		return y
	case p.isNull(b):
		return x
	case x.Elem.Kind == types.Void || y.Elem.Kind == types.Void:
		if !p.c23 { // before, an array was not qualified as its elements are
			qual = (x.Elem.Qual | y.Elem.Qual) &^ types.Atomic
		}
		return types.PointerTo(types.Of(types.Void).WithQual(qual))
	default: // gcc warns
		return types.PointerTo(types.Of(types.Void))
	}
}

// assign makes an assignment.
func (p *parser) assign(at int32, k lex.Kind, a, b *Expr) *Expr {
	if isBad(a, b) {
		return p.bad(at)
	}
	if !p.modifiable(a, at) {
		return p.bad(at)
	}
	t := a.Type.Unqualified()
	op := assignOp(k)
	if op == Assign {
		return &Expr{Op: Assign, Tok: at, A: a, B: p.assignable(b, t, at, "assigned"), Type: t, Bits: a.Bits}
	}
	r := p.binary(op, at, a, b)
	if isBad(r) {
		return r
	}
	if p.assignable(&Expr{Op: Bad, Type: r.Type, Tok: at}, t, at, "assigned").Type.Kind == types.Error {
		return p.bad(at)
	}
	// The operation is made in the type Of, on the value of A and on B, which is converted.
	e := &Expr{Op: AssignOp, With: op, Tok: at, A: a, B: r.B, Type: t, Of: r.Type, Bits: a.Bits}
	return e
}

// modifiable checks that an expression is an object that can be changed.
func (p *parser) modifiable(a *Expr, at int32) bool {
	switch {
	case !a.LValue:
		p.errorf(at, "the left side is not an object")
	case a.Type.Kind == types.Array:
		p.errorf(at, "an array cannot be assigned")
	case a.Type.Kind == types.Function:
		p.errorf(at, "a function cannot be assigned")
	case a.Type.Qual&types.Const != 0:
		p.errorf(at, "the left side is const")
	case !a.Type.IsComplete() && a.Type.Kind != types.Void:
		p.errorf(at, "the left side has the incomplete type %s", a.Type)
	default:
		return true
	}
	return false
}

// unary makes a unary expression.
func (p *parser) unaryOf(k lex.Kind, at int32, a *Expr) *Expr {
	if isBad(a) {
		return p.bad(at)
	}
	switch k {
	case lex.And:
		return p.addressOf(at, a)
	case lex.Star:
		return p.deref(at, p.rvalue(a))
	}
	a = p.rvalue(a)
	p.refuseVector(a)
	e := &Expr{Tok: at, A: a}
	switch k {
	case lex.Plus, lex.Minus:
		if e.Op = Plus; k == lex.Minus {
			e.Op = Minus
		}
		if !a.Type.IsArithmetic() {
			break
		}
		e.A = p.promote(a)
		e.Type = e.A.Type
		return e
	case lex.Tilde:
		e.Op = Complement
		if !a.Type.IsInteger() && a.Type.Kind != types.Complex {
			break
		}
		e.A = p.promote(a)
		e.Type = e.A.Type
		return e
	default:
		e.Op = Not
		if !a.Type.IsScalar() {
			break
		}
		e.Type = types.Of(types.Int)
		return e
	}
	p.errorf(at, "the operand of %s does not fit: %s", p.spelled(at), a.Type)
	return p.bad(at)
}

func (p *parser) addressOf(at int32, a *Expr) *Expr {
	switch {
	case a.Bits > 0:
		p.errorf(at, "a bit-field has no address")
		return p.bad(at)
	case a.Op == Name && a.Obj.Storage == Register && a.Type.Kind != types.Function && !a.Obj.Global:
		p.errorf(at, "a register variable has no address")
		return p.bad(at)
	case !a.LValue && a.Type.Kind != types.Function && a.Type.Kind != types.Array:
		p.errorf(at, "& needs an object or a function")
		return p.bad(at)
	}
	return &Expr{Op: AddressOf, Tok: at, A: a, Type: types.PointerTo(a.Type)}
}

// deref makes *a.
func (p *parser) deref(at int32, a *Expr) *Expr {
	if isBad(a) {
		return a
	}
	if a.Type.Kind != types.Pointer {
		p.errorf(at, "%s needs a pointer, and gets %s", p.spelled(at), a.Type)
		return p.bad(at)
	}
	return &Expr{Op: Deref, Tok: at, A: a, Type: a.Type.Elem, LValue: a.Type.Elem.Kind != types.Function}
}

// increment makes ++ or --.
func (p *parser) increment(op Op, at int32, a *Expr) *Expr {
	if isBad(a) || !p.modifiable(a, at) {
		return p.bad(at)
	}
	t := a.Type.Unqualified()
	if !t.IsArithmetic() && t.Kind != types.Pointer {
		p.refuseVector(a)
		p.errorf(at, "the operand of %s does not fit: %s", p.spelled(at), t)
		return p.bad(at)
	}
	return &Expr{Op: op, Tok: at, A: a, Type: t, Bits: a.Bits}
}
