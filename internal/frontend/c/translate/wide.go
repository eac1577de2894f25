package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Integers of 128 bits. A value is a pair of words, the low one in Value.Expr and the high one in
// Value.High. Variables of these types lie in memory, as two words; arguments are passed as two words,
// and results through memory, like structs. Operations on pairs are made of operations on words;
// division is a function of the library, in C.

// WideType is the type of values of t, if t is __int128 or unsigned __int128.
func WideType(t *types.Type) (ir.Type, bool) {
	switch t.Kind {
	case types.Int128:
		return ir.Type{Bits: 128, Signed: true}, true
	case types.UInt128:
		return ir.Type{Bits: 128}, true
	}
	return ir.Type{}, false
}

func isWide(t *types.Type) bool {
	_, ok := WideType(t)
	return ok
}

// inWords reports whether values of a type are passed as several words: structs, unions and integers of
// 128 bits.
func inWords(t *types.Type) bool { return IsStruct(t) || isWide(t) }

// Pair returns a value of two words.
func Pair(low, high *ir.Expr, signed bool) Value {
	return Value{Expr: low, High: high, Type: ir.Type{Bits: 128, Signed: signed}, Obj: ir.NoObject}
}

func u64(op ir.ExprOp, x, y *ir.Expr) *ir.Expr { return ir.Binary(op, ir.U64, x, y) }

// word keeps a word in a register.
func (f *Arithmetic) word(e *ir.Expr) *ir.Expr { return f.Code.Save(Integer(e, ir.U64)).Expr }

// kept keeps both words of a value in registers.
func (f *Arithmetic) kept(v Value) Value {
	v.Expr, v.High = f.word(v.Expr), f.word(v.High)
	return v
}

// widen is the conversion to 128 bits.
func (f *Arithmetic) widen(v Value, signed bool) Value {
	if v.High != nil {
		v.Type.Signed = signed
		return v
	}
	high := ir.Int(0)
	if v.Type.Signed && v.Elem == nil {
		v.Expr = f.word(v.Expr)
		high = ir.Binary(ir.Shr, ir.S64, v.Expr, ir.Int(63))
	}
	return Pair(v.Expr, high, signed)
}

// narrow is the conversion from 128 bits to a type of up to 64.
func narrow(v Value, to ir.Type) *ir.Expr { return Cast(v.Expr, ir.U64, to) }

// firstWord is a value as a subscript takes it: of 128 bits the low word, with a sign.
func firstWord(v Value) Value {
	if v.High == nil {
		return v
	}
	return Integer(v.Expr, ir.S64)
}

// convertWide is a conversion from or to 128 bits.
func (f *Arithmetic) convertWide(v Value, to *types.Type, n parse.Node) Value {
	if t, ok := WideType(to); ok {
		if v.Void {
			f.In.Reject(CodeExpr, n, "a value is needed here")
		}
		if v.Type.Float {
			return f.fromFloat(v, t.Signed, n)
		}
		return f.widen(v, t.Signed)
	}
	t := f.Types.Scalar(to, n)
	if t.Float {
		return f.toFloat(v, t, n)
	}
	if to.Kind == types.Bool {
		return Integer(TruthOf(v), ir.U8)
	}
	return Value{Expr: narrow(v, t), Type: t, Elem: ElemOf(to), Obj: ir.NoObject}
}

// loadPair reads an integer of 128 bits: two loads.
func (f *Accesses) loadPair(l Lvalue, t ir.Type) Value {
	low, high := f.halves(l)
	lowWord := f.LoadWord(low, ir.U64, ir.Plain)
	return Pair(lowWord, f.LoadWord(high, ir.U64, ir.Plain), t.Signed)
}

// storePair writes one: two stores.
func (f *Accesses) storePair(l Lvalue, v Value) {
	low, high := f.halves(l)
	f.StoreWord(low, ir.U64, v.Expr)
	f.StoreWord(high, ir.U64, v.High)
}

// halves are the lvalues of the two words of an object.
func (f *Accesses) halves(l Lvalue) (low, high Lvalue) {
	if l.Addr.Op != ir.AddrOf {
		l.Addr = f.Code.Save(Integer(l.Addr, ir.U64)).Expr
	}
	l.scalarAt()
	high = f.Offset(l, 8)
	high.known = alignedTo(int64(l.known), 8)
	return l, high
}

// unaryWide is an operator with one operand of 128 bits.
func (f *Arithmetic) unaryWide(op parse.Op, v Value, n parse.Node) Value {
	v = f.kept(v)
	switch op {
	case parse.Minus:
		f.noOverflowCheck(v.Type, n)
		return f.negated(v)
	case parse.Complement:
		v.Expr, v.High = ir.Unary(ir.BitNot, ir.U64, v.Expr), ir.Unary(ir.BitNot, ir.U64, v.High)
	}
	return v
}

// negated is -v, whose words are in registers.
func (f *Arithmetic) negated(v Value) Value {
	high := u64(ir.Add, ir.Unary(ir.BitNot, ir.U64, v.High), ir.Binary(ir.Eq, ir.U64, v.Expr, ir.Int(0)))
	return f.kept(Pair(ir.Unary(ir.Neg, ir.U64, v.Expr), high, v.Type.Signed))
}

// noOverflowCheck refuses an operation that would have to be checked.
func (f *Arithmetic) noOverflowCheck(t ir.Type, n parse.Node) {
	if t.Signed && f.Opt.CheckOverflow && !f.wraps() {
		f.In.Refuse(CodeExpr, n, "overflow of __int128 cannot be checked; use unsigned __int128, or leave --check-overflow out")
	}
}

// combineWide applies a binary operator to operands one of which has 128 bits.
func (f *Arithmetic) combineWide(op ir.ExprOp, x, y Value, n parse.Node) Value {
	if x.Type.Float || y.Type.Float {
		return f.combineWideFloat(op, x, y, n)
	}
	if (op == ir.Add || op == ir.Sub) && (x.Elem != nil || y.Elem != nil) {
		return f.pointerArithmetic(op, firstWord(x), firstWord(y), n)
	}
	if x.Elem != nil || y.Elem != nil {
		f.In.Refuse(CodeExpr, n, "this operation on a pointer and an integer of 128 bits is not supported")
	}
	if op == ir.Shl || op == ir.Shr {
		if x.High == nil {
			return f.combine(op, x, Integer(narrow(y, ir.S32), ir.S32), n)
		}
		if f.Opt.CheckOverflow {
			f.noOverflowCheck(ir.Type{Signed: true}, n)
		}
		return f.kept(shiftWide(op, f.kept(x), f.word(u64(ir.And, y.Expr, ir.Int(127)))))
	}
	signed := (x.High == nil || x.Type.Signed) && (y.High == nil || y.Type.Signed)
	x, y = f.kept(f.widen(x, signed)), f.kept(f.widen(y, signed))
	switch op {
	case ir.And, ir.Or, ir.Xor:
		return f.kept(Pair(u64(op, x.Expr, y.Expr), u64(op, x.High, y.High), signed))
	case ir.Add:
		f.noOverflowCheck(x.Type, n)
		low := f.word(u64(ir.Add, x.Expr, y.Expr))
		return f.kept(Pair(low, u64(ir.Add, u64(ir.Add, x.High, y.High), ir.Binary(ir.Lt, ir.U64, low, x.Expr)), signed))
	case ir.Sub:
		f.noOverflowCheck(x.Type, n)
		borrow := ir.Binary(ir.Lt, ir.U64, x.Expr, y.Expr)
		return f.kept(Pair(u64(ir.Sub, x.Expr, y.Expr), u64(ir.Sub, u64(ir.Sub, x.High, y.High), borrow), signed))
	case ir.Mul:
		f.noOverflowCheck(x.Type, n)
		return f.multiplyWide(x, y)
	case ir.Div, ir.Rem:
		f.noOverflowCheck(x.Type, n)
		return f.divideWide(op, x, y)
	}
	return Integer(compareWide(op, x, y), ir.S32)
}

// compareWide compares: the high words decide, with their sign, and if they are equal the low ones.
func compareWide(op ir.ExprOp, x, y Value) *ir.Expr {
	equal := ir.Binary(ir.Eq, ir.U64, x.High, y.High)
	switch op {
	case ir.Eq:
		return ir.Binary(ir.LAnd, ir.S64, equal, ir.Binary(ir.Eq, ir.U64, x.Expr, y.Expr))
	case ir.Ne:
		return ir.Binary(ir.LOr, ir.S64, ir.Binary(ir.Ne, ir.U64, x.High, y.High), ir.Binary(ir.Ne, ir.U64, x.Expr, y.Expr))
	}
	strict := map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Lt, ir.Le: ir.Lt, ir.Gt: ir.Gt, ir.Ge: ir.Gt}[op]
	high := ir.Binary(strict, ir.Type{Bits: 64, Signed: x.Type.Signed}, x.High, y.High)
	return ir.Binary(ir.LOr, ir.S64, high, ir.Binary(ir.LAnd, ir.S64, equal, ir.Binary(op, ir.U64, x.Expr, y.Expr)))
}

// shiftWide shifts by n, from 0 to 127. Shifts of words take counts modulo 64.
func shiftWide(op ir.ExprOp, x Value, n *ir.Expr) Value {
	far := ir.Binary(ir.Ge, ir.U64, n, ir.Int(64))
	rest := u64(ir.Sub, ir.Int(63), n) // the bits that go over: by 1, and by the rest
	if op == ir.Shl {
		over := u64(ir.Shr, u64(ir.Shr, x.Expr, ir.Int(1)), rest)
		high := ir.Conditional(far, u64(ir.Shl, x.Expr, n), u64(ir.Or, u64(ir.Shl, x.High, n), over))
		return Pair(ir.Conditional(far, ir.Int(0), u64(ir.Shl, x.Expr, n)), high, x.Type.Signed)
	}
	word, fill := ir.U64, ir.Int(0)
	if x.Type.Signed {
		word, fill = ir.S64, ir.Binary(ir.Shr, ir.S64, x.High, ir.Int(63))
	}
	over := u64(ir.Shl, u64(ir.Shl, x.High, ir.Int(1)), rest)
	shifted := ir.Binary(ir.Shr, word, x.High, n)
	return Pair(ir.Conditional(far, shifted, u64(ir.Or, u64(ir.Shr, x.Expr, n), over)), ir.Conditional(far, fill, shifted), x.Type.Signed)
}

// multiplyWide multiplies, by halves of words.
func (f *Arithmetic) multiplyWide(x, y Value) Value {
	low := func(e *ir.Expr) *ir.Expr { return u64(ir.And, e, ir.Int(1<<32-1)) }
	high := func(e *ir.Expr) *ir.Expr { return u64(ir.Shr, e, ir.Int(32)) }
	xl, xh, yl, yh := f.word(low(x.Expr)), f.word(high(x.Expr)), f.word(low(y.Expr)), f.word(high(y.Expr))
	ll, lh, hl := f.word(u64(ir.Mul, xl, yl)), f.word(u64(ir.Mul, xl, yh)), f.word(u64(ir.Mul, xh, yl))
	middle := f.word(u64(ir.Add, high(ll), u64(ir.Add, low(lh), low(hl))))
	carried := u64(ir.Add, u64(ir.Add, high(lh), high(hl)), high(middle))
	top := u64(ir.Add, u64(ir.Mul, xh, yh), carried)
	cross := u64(ir.Add, u64(ir.Mul, x.Expr, y.High), u64(ir.Mul, x.High, y.Expr))
	return f.kept(Pair(u64(ir.Mul, x.Expr, y.Expr), u64(ir.Add, top, cross), x.Type.Signed))
}

// divideName is the function of the library that divides.
const divideName = "__fp_divide_wide"

// divideWide divides, numbers with a sign by their absolute values.
func (f *Arithmetic) divideWide(op ir.ExprOp, x, y Value) Value {
	nonzero := ir.Binary(ir.Ne, ir.U64, u64(ir.Or, y.Expr, y.High), ir.Int(0))
	if v, ok := nonzero.IsConst(); !ok || v == 0 {
		f.Code.Check(nonzero, ir.DivByZero, "division by zero")
	}
	negative, divisorNegative := ir.Int(0), ir.Int(0)
	if x.Type.Signed {
		negative = f.word(ir.Binary(ir.Lt, ir.S64, x.High, ir.Int(0)))
		divisorNegative = f.word(ir.Binary(ir.Lt, ir.S64, y.High, ir.Int(0)))
		x, y = f.negatedIf(negative, x), f.negatedIf(divisorNegative, y)
	}
	first := int64(0)
	if op == ir.Rem {
		first = 2
	}
	v := Pair(f.divided(x, y, first), f.divided(x, y, first+1), x.Type.Signed)
	if !x.Type.Signed {
		return v
	}
	if op == ir.Div {
		negative = ir.Binary(ir.Ne, ir.S64, negative, divisorNegative)
	}
	return f.negatedIf(negative, v)
}

// divided calls the function of the library for one word of the quotient (0, 1) or remainder (2, 3).
func (f *Arithmetic) divided(x, y Value, which int64) *ir.Expr {
	return f.inLibrary(divideName, x.Expr, x.High, y.Expr, y.High, ir.Int(which))
}

// negatedIf is -v if a condition holds, v otherwise.
func (f *Arithmetic) negatedIf(cond *ir.Expr, v Value) Value {
	minus := f.negated(v)
	return f.kept(Pair(ir.Conditional(cond, minus.Expr, v.Expr), ir.Conditional(cond, minus.High, v.High), v.Type.Signed))
}

// conditionalWide is c ? a : b of 128 bits.
func (f *Expressions) conditionalWide(x *parse.Expr, t ir.Type) Value {
	if f.Code.static {
		f.In.Refuse(codeInit, x, "the initialiser is not constant")
	}
	low, high := f.Code.Fb.Reg("t", 0, f.Code.Pos), f.Code.Fb.Reg("t", 0, f.Code.Pos)
	arm := func(e *parse.Expr) func() *ir.Expr {
		return func() *ir.Expr {
			v := f.Arith.kept(f.Arith.widen(f.anyOperand(e), t.Signed))
			f.Code.Assign(high, v.High)
			return v.Expr
		}
	}
	f.choose(low, x.A, arm(x.B), arm(x.C))
	return Pair(ir.R(low), ir.R(high), t.Signed)
}

// orElseWide is x ?: y of 128 bits.
func (f *Expressions) orElseWide(x *parse.Expr, t ir.Type) Value {
	low, high := f.Code.Fb.Reg("t", 0, f.Code.Pos), f.Code.Fb.Reg("t", 0, f.Code.Pos)
	assign := func(e *parse.Expr) {
		v := f.Arith.kept(f.Arith.widen(f.anyOperand(e), t.Signed))
		f.Code.Assign(low, v.Expr)
		f.Code.Assign(high, v.High)
	}
	out := Pair(ir.R(low), ir.R(high), t.Signed)
	assign(x.A)
	otherwise, end := f.Code.Label(""), f.Code.Label("")
	from := f.Code.Start()
	f.Code.Assume(from, TruthOf(out), end)
	f.Code.Assume(from, ir.Negate(TruthOf(out)), otherwise)
	f.Code.At, f.Code.Fresh = otherwise, false
	f.Code.attempt(func() { assign(x.C) })
	f.Code.Here(end)
	return out
}
