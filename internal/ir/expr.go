package ir

import "fmt"

// ExprOp is the operator of an expression. The zero value is unset.
type ExprOp uint8

// The expression operators.
const (
	ExprUnset ExprOp = iota
	Const            // Value
	RegRef           // register Reg
	Seen             // the value an await, abstract load or blocking RMW sees
	AddrOf           // address of object Obj plus Value
	FuncAddr         // address of function Func
	Self             // handle of the running thread; structured form only

	Neg    // -X
	BitNot // ^X
	Not    // X == 0
	Cast   // X cut to Type and extended; the bits stay as they are at f32 and f64, too

	FNeg         // -X; Type of this and the other operators on floating point is f32 or f64
	FSqrt        // the square root
	IntToFloat   // of the signed word X
	UintToFloat  // of the unsigned word X
	FloatToFloat // X of the other type of floating point
	FloatToInt   // X of type f64, towards zero; Type is the integer's

	Add
	Sub
	Mul
	Div // x/0 = 0; front ends check the divisor first
	Rem // x%0 = 0
	And
	Or
	Xor
	Shl // the count is taken modulo the width
	Shr // arithmetic if Type is signed

	Eq
	Ne
	Lt
	Le
	Gt
	Ge

	LAnd // short-circuit in effect: operands have no side effects
	LOr

	FAdd
	FSub
	FMul
	FDiv
	FEq // comparisons of floating point: -0.0 == 0.0, and a NaN differs from everything
	FNe
	FLt
	FLe
	FGt
	FGe

	Ite // X ? Y : Z
)

var exprNames = [...]string{
	Neg: "-", BitNot: "~", Not: "!",
	Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%", And: "&", Or: "|", Xor: "^", Shl: "<<", Shr: ">>",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", LAnd: "&&", LOr: "||", Ite: "?",
	FNeg: "-", FSqrt: "sqrt", IntToFloat: "float of int", UintToFloat: "float of unsigned", FloatToFloat: "float of float", FloatToInt: "int of float",
	FAdd: "+", FSub: "-", FMul: "*", FDiv: "/", FEq: "==", FNe: "!=", FLt: "<", FLe: "<=", FGt: ">", FGe: ">=",
}

func (op ExprOp) String() string {
	switch op {
	case Const:
		return "const"
	case RegRef:
		return "reg"
	case Seen:
		return "seen"
	case AddrOf:
		return "addrof"
	case FuncAddr:
		return "funcaddr"
	case Self:
		return "self"
	case Cast:
		return "cast"
	}
	if int(op) < len(exprNames) && exprNames[op] != "" {
		return exprNames[op]
	}
	return fmt.Sprintf("expr(%d)", op)
}

// IsUnary reports whether op takes exactly X.
func (op ExprOp) IsUnary() bool { return op >= Neg && op <= FloatToInt }

// IsBinary reports whether op takes exactly X and Y.
func (op ExprOp) IsBinary() bool { return op >= Add && op <= FGe }

// IsCompare reports whether op is one of == != < <= > >= on integers.
func (op ExprOp) IsCompare() bool { return op >= Eq && op <= Ge }

// IsFloat reports whether op takes or gives numbers of floating point.
func (op ExprOp) IsFloat() bool { return op >= FNeg && op <= FloatToInt || op >= FAdd && op <= FGe }

// isFloatCompare reports whether op compares numbers of floating point.
func (op ExprOp) isFloatCompare() bool { return op >= FEq && op <= FGe }

// IsTruth reports whether every result of op is 0 or 1.
func (op ExprOp) IsTruth() bool {
	return op.IsCompare() || op.isFloatCompare() || op == Not || op == LAnd || op == LOr
}

// Expr is an expression without side effects over the registers of one
// activation. Expressions are immutable and may be shared.
//
// Type is the width the operator works at: the result of arithmetic is cut to
// it, comparisons, division and right shifts take their signedness from it.
type Expr struct {
	Op      ExprOp
	Type    Type
	X, Y, Z *Expr
	Value   int64
	Reg     Reg
	Obj     ObjectID
	Func    FuncID
	Undef   bool // Const: an undefined value
}

// Int returns the constant v.
func Int(v int64) *Expr { return &Expr{Op: Const, Type: S64, Value: v} }

// R returns a reference to a register.
func R(r Reg) *Expr { return &Expr{Op: RegRef, Type: S64, Reg: r} }

// SeenValue returns the expression for the value that the operation reads from memory.
func SeenValue() *Expr { return &Expr{Op: Seen, Type: S64} }

// SelfHandle returns the expression for the handle of the thread that evaluates it.
func SelfHandle() *Expr { return &Expr{Op: Self, Type: S64} }

// Undefined returns the expression for a value of a type that was never written. It is 0 for those who do not ask whether
// values are defined.
func Undefined(t Type) *Expr { return &Expr{Op: Const, Type: t, Undef: true} }

// Addr returns the address of an object plus an offset in bytes.
func Addr(obj ObjectID, offset int64) *Expr {
	return &Expr{Op: AddrOf, Type: U64, Obj: obj, Value: offset}
}

// Plus adds bytes to an address, and keeps constants in one piece so that addresses stay readable.
func Plus(addr *Expr, bytes int64) *Expr {
	switch {
	case bytes == 0:
		return addr
	case addr.Op == AddrOf:
		return Addr(addr.Obj, addr.Value+bytes)
	case addr.Op == Add && addr.Type == U64:
		if more, ok := addr.Y.IsConst(); ok {
			return Plus(addr.X, bytes+more)
		}
	}
	return Binary(Add, U64, addr, Int(bytes))
}

// Unary builds a unary expression.
func Unary(op ExprOp, t Type, x *Expr) *Expr {
	if !op.IsUnary() {
		panic("BUG: not a unary operator: " + op.String())
	}
	return fold(&Expr{Op: op, Type: t, X: x})
}

// Binary builds a binary expression.
func Binary(op ExprOp, t Type, x, y *Expr) *Expr {
	if !op.IsBinary() {
		panic("BUG: not a binary operator: " + op.String())
	}
	return fold(&Expr{Op: op, Type: t, X: x, Y: y})
}

// Conditional returns c ? x : y.
func Conditional(c, x, y *Expr) *Expr {
	return fold(&Expr{Op: Ite, Type: S64, X: c, Y: x, Z: y})
}

// Negate returns the logical negation of e, without repeated negations.
func Negate(e *Expr) *Expr {
	// No others on floating point: with a NaN neither < nor >= holds.
	flip := map[ExprOp]ExprOp{Eq: Ne, Ne: Eq, Lt: Ge, Ge: Lt, Le: Gt, Gt: Le, FEq: FNe, FNe: FEq}
	if op, ok := flip[e.Op]; ok {
		return &Expr{Op: op, Type: e.Type, X: e.X, Y: e.Y}
	}
	if e.Op == Not && e.X.isTruth() {
		return e.X
	}
	return Unary(Not, S64, e)
}

// isTruth reports whether e is 0 or 1.
func (e *Expr) isTruth() bool {
	return e.Op.IsTruth() || e.Op == Const && (e.Value == 0 || e.Value == 1)
}

// fold replaces an expression over constants by its value.
func fold(e *Expr) *Expr {
	for _, x := range []*Expr{e.X, e.Y, e.Z} {
		if x != nil && (x.Op != Const || x.Undef) {
			return e
		}
	}
	v := Int(e.Eval(Env{}))
	if t := e.result(); t.Float {
		v.Type = t
	}
	return v
}

// result returns the type of the value of an expression over constants, s64 for all integers.
func (e *Expr) result() Type {
	switch {
	case e.Op.IsFloat() && !e.Op.IsTruth() && e.Type.Float:
		return e.Type
	case e.Op == Ite && e.Y.Type.Float:
		return e.Y.Type
	}
	return S64
}

// IsConst returns the value of e if e is a constant.
func (e *Expr) IsConst() (int64, bool) {
	if e != nil && e.Op == Const {
		return e.Value, true
	}
	return 0, false
}

// Walk calls f on e and all its parts, outermost first.
func (e *Expr) Walk(f func(*Expr)) {
	if e == nil {
		return
	}
	f(e)
	e.X.Walk(f)
	e.Y.Walk(f)
	e.Z.Walk(f)
}

// Map rebuilds e bottom up and replaces every leaf by the result of f. f may return its
// argument.
func (e *Expr) Map(f func(*Expr) *Expr) *Expr {
	if e == nil {
		return nil
	}
	if e.X == nil {
		return f(e)
	}
	x, y, z := e.X.Map(f), e.Y.Map(f), e.Z.Map(f)
	if x == e.X && y == e.Y && z == e.Z {
		return e
	}
	c := *e
	c.X, c.Y, c.Z = x, y, z
	return fold(&c)
}

// IsFixed reports whether the expression has one value in all executions: no register and no value of memory is in it.
func (e *Expr) IsFixed() bool {
	fixed := true
	e.Walk(func(e *Expr) { fixed = fixed && e.Op != RegRef && e.Op != Seen })
	return fixed
}

// WithSeen returns a condition in which v replaces the value that the operation sees.
func (e *Expr) WithSeen(v *Expr) *Expr {
	return e.Map(func(leaf *Expr) *Expr {
		if leaf.Op == Seen {
			return v
		}
		return leaf
	})
}

// Equal reports whether two expressions have the same structure.
func (e *Expr) Equal(f *Expr) bool {
	if e == nil || f == nil {
		return e == f
	}
	return e.Op == f.Op && e.Type == f.Type && e.Value == f.Value && e.Reg == f.Reg &&
		e.Obj == f.Obj && e.Func == f.Func && e.Undef == f.Undef && e.X.Equal(f.X) && e.Y.Equal(f.Y) && e.Z.Equal(f.Z)
}
