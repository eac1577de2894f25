package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// Constant expressions. gcc folds more than the standard asks for: casts of floating values,
// addresses, differences of addresses of one object, offsets written with null pointers.

// ValueKind is the kind of a constant.
type ValueKind uint8

// The kinds of constants.
const (
	NoValue ValueKind = iota
	IntValue
	FloatValue
	AddressValue // of an object, a function, a string or a label, plus Offset
	StringValue
)

func (k ValueKind) String() string {
	return [...]string{"none", "integer", "floating", "address", "string"}[k]
}

// Value is a constant.
type Value struct {
	Kind   ValueKind
	Width  lex.Width // of a string
	Int    Int
	Float  Float
	Base   *Expr // of an address: Name, StringConst, Literal or LabelAddress
	Offset int64
	Units  []uint32 // of a string, without the null character at its end
}

func intValue(v Int, t *types.Type) (Value, bool) { return Value{Kind: IntValue, Int: v.fit(t)}, true }

// convertValue converts a constant from one type to another.
func convertValue(v Value, from, to *types.Type) (Value, bool) {
	switch {
	case to.Kind == types.Void || to.Kind == types.Complex || from.Kind == types.Complex || to.Kind == types.Vector || to.IsRecord():
		return Value{}, false
	case v.Kind == IntValue && to.IsInteger():
		return intValue(v.Int, to)
	case v.Kind == IntValue && to.Kind == types.Pointer:
		return Value{Kind: IntValue, Int: v.Int.fitBits(64, true)}, true
	case v.Kind == IntValue && to.IsFloat():
		f, ok := ofInt(v.Int, from.IsUnsigned(), to)
		return Value{Kind: FloatValue, Float: f}, ok
	case v.Kind == FloatValue && to.IsFloat():
		f, ok := v.Float.to(to)
		return Value{Kind: FloatValue, Float: f}, ok
	case v.Kind == FloatValue && to.IsInteger():
		if to.Kind == types.Bool {
			return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(!v.Float.IsZero()))}}, true
		}
		return Value{Kind: IntValue, Int: v.Float.toInt(to).fit(to)}, true
	case v.Kind == AddressValue && to.Kind == types.Pointer:
		return v, true
	case v.Kind == AddressValue && to.Kind == types.Bool:
		return Value{Kind: IntValue, Int: Int{Lo: 1}}, true
	case v.Kind == AddressValue && to.IsInteger() && to.Size() == 8:
		return v, true
	default:
		return Value{}, false
	}
}

// fold returns the value of a constant expression.
func (p *parser) fold(e *Expr) (Value, bool) {
	if e.Type.Kind == types.Error {
		return Value{}, false
	}
	switch e.Op {
	case Constant:
		return *e.Val, true
	case Convert:
		v, ok := p.fold(e.A)
		if !ok {
			return v, false
		}
		return convertValue(v, e.A.Type, e.Type)
	case Decay, AddressOf:
		return p.address(e.A)
	case LabelAddress:
		return Value{Kind: AddressValue, Base: e}, true
	case Plus, Minus, Complement, Not:
		return p.foldUnary(e)
	case AndAnd, OrOr:
		return p.foldLogical(e)
	case Cond:
		return p.foldCond(e)
	case Call, Builtin:
		return p.foldCall(e)
	case Real:
		if e.A.Type.Kind != types.Complex {
			return p.fold(e.A)
		}
	case OffsetOf:
		return p.address(e.A)
	case Mul, Div, Rem, Add, Sub, Shl, Shr, Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual, And, Xor, Or:
		a, ok := p.fold(e.A)
		if !ok {
			return a, false
		}
		b, ok := p.fold(e.B)
		if !ok {
			return b, false
		}
		return p.foldBinary(e, a, b)
	case Load:
		return p.foldLoad(e.A)
	}
	return Value{}, false
}

// foldLoad returns the value of an object that is constexpr, or of a character of a string literal, as gcc folds
// "abc"[1].
func (p *parser) foldLoad(e *Expr) (Value, bool) {
	if v, ok := p.foldConstexpr(e); ok {
		return v, true
	}
	if e.Op != Deref || !e.Type.IsInteger() {
		return Value{}, false
	}
	a, ok := p.fold(e.A)
	if !ok || a.Kind != AddressValue || a.Base.Op != StringConst {
		return Value{}, false
	}
	size := int64(a.Base.Val.Width.Bytes())
	if size != e.Type.Size() || a.Offset%size != 0 || a.Offset < 0 || a.Offset/size > int64(len(a.Base.Val.Units)) {
		return Value{}, false
	}
	v := Int{}
	if i := a.Offset / size; i < int64(len(a.Base.Val.Units)) {
		v = Int{Lo: uint64(a.Base.Val.Units[i])}
	}
	return intValue(v, e.Type)
}

// address returns the address of an object.
func (p *parser) address(e *Expr) (Value, bool) {
	switch e.Op {
	case Name:
		if e.Obj.Kind == Variable && !e.Obj.Global || e.Obj.Thread {
			return Value{}, false
		}
		return Value{Kind: AddressValue, Base: e}, true
	case StringConst:
		return Value{Kind: AddressValue, Base: e}, true
	case Literal:
		if !e.Obj.Global {
			return Value{}, false
		}
		return Value{Kind: AddressValue, Base: e}, true
	case Deref:
		return p.fold(e.A)
	case Member:
		v, ok := p.address(e.A)
		if !ok {
			return v, false
		}
		return v.plus(e.Field.Offset), true
	default:
		return Value{}, false
	}
}

func (v Value) plus(n int64) Value {
	if v.Kind == IntValue {
		v.Int = v.Int.add(IntOf(n)).fitBits(64, true)
	} else {
		v.Offset += n
	}
	return v
}

func (p *parser) foldUnary(e *Expr) (Value, bool) {
	v, ok := p.fold(e.A)
	if !ok {
		return v, false
	}
	switch {
	case e.Op == Not:
		t, known := v.truth()
		return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(!t))}}, known
	case v.Kind == FloatValue && e.Op == Minus:
		return Value{Kind: FloatValue, Float: v.Float.negate()}, true
	case e.Op == Plus:
		return v, true
	case v.Kind != IntValue:
		return Value{}, false
	case e.Op == Minus:
		return intValue(v.Int.neg(), e.Type)
	default:
		return intValue(Int{^v.Int.Lo, ^v.Int.Hi}, e.Type)
	}
}

// truth reports whether a constant is not 0, and whether that is known.
func (v Value) truth() (yes, known bool) {
	switch v.Kind {
	case IntValue:
		return !v.Int.IsZero(), true
	case FloatValue:
		return !v.Float.IsZero(), true
	case AddressValue:
		if v.Base.Op == Name {
			if _, weak := Find(v.Base.Obj.Attrs, "weak"); weak {
				return false, false
			}
		}
		return true, true
	default:
		return false, false
	}
}

func (p *parser) foldLogical(e *Expr) (Value, bool) {
	truth := func(x *Expr) (bool, bool) {
		v, ok := p.fold(x)
		if !ok {
			return false, false
		}
		return v.truth()
	}
	a, ok := truth(e.A)
	if !ok {
		return Value{}, false
	}
	if a == (e.Op == OrOr) {
		return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(a))}}, true
	}
	b, ok := truth(e.B)
	return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(b))}}, ok
}

func (p *parser) foldCond(e *Expr) (Value, bool) {
	c, ok := p.fold(e.A)
	if !ok {
		return c, false
	}
	t, known := c.truth()
	switch {
	case !known:
		return Value{}, false
	case t && e.B == nil:
		return convertValue(c, e.A.Type, e.Type)
	case t:
		return p.fold(e.B)
	default:
		return p.fold(e.C)
	}
}

// foldBinary computes a binary operation.
func (p *parser) foldBinary(e *Expr, a, b Value) (Value, bool) {
	t := e.A.Type
	switch {
	case t.Kind == types.Pointer || a.Kind == AddressValue || b.Kind == AddressValue:
		return foldAddresses(e, a, b)
	case a.Kind == FloatValue && b.Kind == FloatValue:
		return foldFloats(e, a.Float, b.Float)
	case a.Kind != IntValue || b.Kind != IntValue:
		return Value{}, false
	}
	x, y, unsigned := a.Int, b.Int, t.IsUnsigned()
	truth := func(v bool) (Value, bool) { return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(v))}}, true }
	switch e.Op {
	case Add:
		return intValue(x.add(y), e.Type)
	case Sub:
		return intValue(x.sub(y), e.Type)
	case Mul:
		return intValue(x.mul(y), e.Type)
	case Div, Rem:
		if y.IsZero() {
			return Value{}, false
		}
		q, r := x.divide(y, unsigned)
		if e.Op == Rem {
			q = r
		}
		return intValue(q, e.Type)
	case And:
		return intValue(Int{x.Lo & y.Lo, x.Hi & y.Hi}, e.Type)
	case Or:
		return intValue(Int{x.Lo | y.Lo, x.Hi | y.Hi}, e.Type)
	case Xor:
		return intValue(Int{x.Lo ^ y.Lo, x.Hi ^ y.Hi}, e.Type)
	case Shl, Shr:
		return foldShift(e, x, y)
	case Equal:
		return truth(x == y)
	case NotEqual:
		return truth(x != y)
	case Less:
		return truth(x.less(y, unsigned))
	case Greater:
		return truth(y.less(x, unsigned))
	case LessEqual:
		return truth(!y.less(x, unsigned))
	default:
		return truth(!x.less(y, unsigned))
	}
}

func foldShift(e *Expr, x, y Int) (Value, bool) {
	if y.Hi != 0 || y.Lo >= uint64(e.Type.Bits()) {
		return Value{}, false // undefined: gcc leaves it to run time
	}
	n := uint(y.Lo)
	switch {
	case e.Op == Shl:
		return intValue(x.shl(n), e.Type)
	case e.Type.IsUnsigned():
		return intValue(x.lshr(n), e.Type)
	default:
		return intValue(x.shr(n), e.Type)
	}
}

func foldFloats(e *Expr, a, b Float) (Value, bool) {
	switch e.Op {
	case Add, Sub, Mul, Div:
		f, ok := a.arith(e.Op, b, e.Type)
		return Value{Kind: FloatValue, Float: f}, ok
	}
	c, ordered := a.compare(b)
	holds := false
	switch e.Op {
	case Equal:
		holds = ordered && c == 0
	case NotEqual:
		holds = !ordered || c != 0
	case Less:
		holds = ordered && c < 0
	case Greater:
		holds = ordered && c > 0
	case LessEqual:
		holds = ordered && c <= 0
	case GreaterEqual:
		holds = ordered && c >= 0
	default:
		return Value{}, false
	}
	return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(holds))}}, true
}

// sameBase reports whether two addresses are of the same object.
func sameBase(a, b Value) bool {
	return a.Kind == AddressValue && b.Kind == AddressValue && (a.Base == b.Base || a.Base.Op == Name && b.Base.Op == Name && a.Base.Obj == b.Base.Obj || a.Base.Op == LabelAddress && b.Base.Op == LabelAddress && a.Base.Label == b.Base.Label)
}

func foldAddresses(e *Expr, a, b Value) (Value, bool) {
	size := int64(1)
	if e.A.Type.Kind == types.Pointer {
		size = e.A.Type.Elem.Size()
	}
	truth := func(v bool) (Value, bool) { return Value{Kind: IntValue, Int: Int{Lo: uint64(b2i(v))}}, true }
	switch {
	case e.Op == Add && b.Kind == IntValue:
		return a.plus(b.Int.Int64() * size), true
	case e.Op == Add && a.Kind == IntValue:
		return b.plus(a.Int.Int64()), true
	case e.Op == Sub && e.B.Type.Kind != types.Pointer && b.Kind == IntValue:
		return a.plus(-b.Int.Int64() * size), true
	case e.Op == Sub && sameBase(a, b):
		if size == 0 {
			return Value{}, false
		}
		return Value{Kind: IntValue, Int: IntOf((a.Offset - b.Offset) / size)}, true
	case e.Op == Sub && a.Kind == IntValue && b.Kind == IntValue && size > 0:
		return Value{Kind: IntValue, Int: IntOf(a.Int.sub(b.Int).Int64() / size)}, true
	}
	var x, y Int
	switch {
	case sameBase(a, b):
		x, y = IntOf(a.Offset), IntOf(b.Offset)
	case a.Kind == IntValue && b.Kind == IntValue:
		x, y = a.Int, b.Int
	case a.Kind == AddressValue && b.Kind == IntValue && b.Int.IsZero(), b.Kind == AddressValue && a.Kind == IntValue && a.Int.IsZero():
		nonNull := a
		if a.Kind == IntValue {
			nonNull = b
		}
		t, known := nonNull.truth()
		if !known || e.Op != Equal && e.Op != NotEqual {
			return Value{}, false
		}
		return truth(t == (e.Op == NotEqual))
	default:
		return Value{}, false
	}
	switch e.Op {
	case Equal:
		return truth(x == y)
	case NotEqual:
		return truth(x != y)
	case Less:
		return truth(x.less(y, a.Kind == IntValue))
	case Greater:
		return truth(y.less(x, a.Kind == IntValue))
	case LessEqual:
		return truth(!y.less(x, a.Kind == IntValue))
	case GreaterEqual:
		return truth(!x.less(y, a.Kind == IntValue))
	default:
		return Value{}, false
	}
}

// constantInt reads an integer constant expression.
func (p *parser) constantInt(what string) Int {
	return p.constantIntOf(p.rvalue(p.conditional()), what)
}

// constantIntOf returns the value of an integer constant expression.
func (p *parser) constantIntOf(e *Expr, what string) Int {
	e = p.rvalue(e)
	v, ok := p.fold(e)
	switch {
	case isBad(e):
	case !e.Type.IsInteger():
		p.errorf(e.Tok, "%s must be an integer, and is %s", what, e.Type)
	case !ok || v.Kind != IntValue:
		p.errorf(e.Tok, "%s must be a constant", what)
	default:
		return v.Int
	}
	return Int{Lo: 1}
}
