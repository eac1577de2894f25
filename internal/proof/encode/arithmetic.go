package encode

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Numbers as terms of SMT-LIB, in one of two ways. Bit-vectors of 64 bits have exactly the meaning
// of ir.Expr.Eval. Integers are mathematical: arithmetic never wraps, so a proof is about
// executions in which no arithmetic wraps. Operators on bits are uninterpreted functions then,
// which can make a proof fail, but not succeed wrongly. .fp programs are written with integers in
// mind (docs/languages/fp.md), and solvers are faster with them.

// Arithmetic says how numbers are represented. The zero value is unset: it depends on the program.
type Arithmetic uint8

// The representations.
const (
	_ Arithmetic = iota
	Integers
	BitVectors
)

func (a Arithmetic) String() string {
	switch a {
	case Integers:
		return "integers"
	case BitVectors:
		return "bit-vectors"
	default:
		panic(fmt.Sprintf("BUG: unknown arithmetic %d", a))
	}
}

// The functions of integers that have no operator.
var (
	first, second = smt.Constant("x", smt.Integer), smt.Constant("y", smt.Integer) // the arguments
	zero          = smt.Number(0, smt.Integer)

	intAnd        = smt.Uninterpreted("fp_and", smt.Integer, smt.Integer, smt.Integer)
	intOr         = smt.Uninterpreted("fp_or", smt.Integer, smt.Integer, smt.Integer)
	intXor        = smt.Uninterpreted("fp_xor", smt.Integer, smt.Integer, smt.Integer)
	intShiftLeft  = smt.Uninterpreted("fp_shl", smt.Integer, smt.Integer, smt.Integer)
	intShiftRight = smt.Uninterpreted("fp_shr", smt.Integer, smt.Integer, smt.Integer)
	intNot        = smt.Uninterpreted("fp_not", smt.Integer, smt.Integer)
	// Division rounds towards zero, and by zero it gives zero.
	intDiv = smt.Defined("fp_div", smt.If(smt.Equals(second, zero), zero, smt.If(smt.Apply(smt.GreaterOrEqual, first, zero),
		smt.Apply(smt.Divide, first, second), negative(smt.Apply(smt.Divide, negative(first), second)))), first, second)
	intRem = smt.Defined("fp_rem", smt.If(smt.Equals(second, zero), zero,
		smt.Apply(smt.Subtract, first, smt.Apply(smt.Multiply, second, intDiv.Apply(first, second)))), first, second)
	// The unsigned value of 64 bits.
	unsigned = smt.Defined("fp_u64", smt.If(smt.Apply(smt.Less, first, zero), smt.Apply(smt.Add, first, smt.PowerOfTwo(64)), first), first)
	// The signed value of fewer than 64 bits.
	signed8, signed16, signed32 = signedValue(8), signedValue(16), signedValue(32)
)

func negative(x smt.Term) smt.Term { return smt.Apply(smt.Subtract, x) }

func signedValue(bits int) *smt.Function {
	wraps := smt.Apply(smt.GreaterOrEqual, first, smt.PowerOfTwo(bits-1))
	return smt.Defined(fmt.Sprintf("fp_s%d", bits), smt.If(wraps, smt.Apply(smt.Subtract, first, smt.PowerOfTwo(bits)), first), first)
}

// Prelude returns the functions that terms use.
func (a Arithmetic) Prelude() []*smt.Function {
	if a == BitVectors {
		return nil
	}
	return []*smt.Function{intAnd, intOr, intXor, intShiftLeft, intShiftRight, intNot, intDiv, intRem, unsigned, signed8, signed16, signed32}
}

// Sort returns the sort of a word.
func (a Arithmetic) Sort() smt.Sort { return a.bytes(ir.CellUnit) }

// bytes returns the sort of n bytes of memory.
func (a Arithmetic) bytes(n int) smt.Sort {
	if a == BitVectors {
		return smt.Vector(8 * n)
	}
	return smt.Integer
}

// Num returns a constant.
func (a Arithmetic) Num(v int64) smt.Term {
	if a == BitVectors {
		return smt.Bits(v, 64)
	}
	return smt.Number(v, smt.Integer)
}

// part returns a constant of size bytes as memory holds it.
func (a Arithmetic) part(v int64, size int) smt.Term {
	u := ir.Type{Bits: uint8(8 * size)}.Wrap(v)
	switch {
	case a == BitVectors:
		return smt.Bits(u, 8*size)
	case size == ir.CellUnit:
		return a.Num(v)
	}
	return smt.Unsigned(uint64(u))
}

var (
	intArith     = map[ir.ExprOp]smt.Operator{ir.Add: smt.Add, ir.Sub: smt.Subtract, ir.Mul: smt.Multiply}
	intFunctions = map[ir.ExprOp]*smt.Function{
		ir.Div: intDiv, ir.Rem: intRem, ir.And: intAnd, ir.Or: intOr, ir.Xor: intXor, ir.Shl: intShiftLeft, ir.Shr: intShiftRight,
	}
	bvArith = map[ir.ExprOp]smt.Operator{
		ir.Add: smt.VectorAdd, ir.Sub: smt.VectorSubtract, ir.Mul: smt.VectorMultiply, ir.And: smt.VectorAnd, ir.Or: smt.VectorOr, ir.Xor: smt.VectorXor,
	}
	intCompare      = map[ir.ExprOp]smt.Operator{ir.Lt: smt.Less, ir.Le: smt.LessOrEqual, ir.Gt: smt.Greater, ir.Ge: smt.GreaterOrEqual}
	signedCompare   = map[ir.ExprOp]smt.Operator{ir.Lt: smt.LessSigned, ir.Le: smt.LessOrEqualSigned, ir.Gt: smt.GreaterSigned, ir.Ge: smt.GreaterOrEqualSigned}
	unsignedCompare = map[ir.ExprOp]smt.Operator{ir.Lt: smt.LessUnsigned, ir.Le: smt.LessOrEqualUnsigned, ir.Gt: smt.GreaterUnsigned, ir.Ge: smt.GreaterOrEqualUnsigned}
)

// Compare returns a comparison of two words.
func (a Arithmetic) Compare(op ir.ExprOp, t ir.Type, x, y smt.Term) smt.Term {
	switch {
	case op == ir.Eq:
		return Equal(x, y)
	case op == ir.Ne:
		return smt.Not(Equal(x, y))
	case a == BitVectors:
		return compareVectors(op, t, x, y)
	case !t.Signed:
		x, y = unsigned.Apply(x), unsigned.Apply(y)
	}
	return smt.Apply(intCompare[op], x, y)
}

// Le returns a signed comparison.
func (a Arithmetic) Le(x, y smt.Term) smt.Term { return a.Compare(ir.Le, ir.S64, x, y) }

// Binary returns an operator on words whose result is converted to a type.
func (a Arithmetic) Binary(op ir.ExprOp, t ir.Type, x, y smt.Term) smt.Term {
	if a == Integers {
		if f := intFunctions[op]; f != nil {
			return f.Apply(x, y)
		}
		return smt.Apply(intArith[op], x, y)
	}
	size := t.Size()
	if operator, ok := bvArith[op]; ok {
		return a.extend(smt.Apply(operator, a.cut(x, size), a.cut(y, size)), t)
	}
	switch op {
	case ir.Shl, ir.Shr:
		count := smt.Apply(smt.VectorAnd, a.cut(y, size), smt.Bits(int64(t.Bits)-1, int(t.Bits)))
		operator := smt.ShiftLeft
		if op == ir.Shr {
			if operator = smt.ShiftRight; t.Signed {
				operator = smt.ShiftRightSigned
			}
		}
		return a.extend(smt.Apply(operator, a.cut(x, size), count), t)
	case ir.Div, ir.Rem:
		operator := map[bool]map[ir.ExprOp]smt.Operator{
			true: {ir.Div: smt.DivideSigned, ir.Rem: smt.RemainderSigned}, false: {ir.Div: smt.DivideUnsigned, ir.Rem: smt.RemainderUnsigned},
		}[t.Signed][op]
		if hasType(x, t) && hasType(y, t) {
			return ite(Equal(y, a.Num(0)), a.Num(0), a.extend(smt.Apply(operator, a.cut(x, size), a.cut(y, size)), t))
		}
		return ite(Equal(y, a.Num(0)), a.Num(0), a.Narrow(smt.Apply(operator, x, y), t))
	}
	panic("BUG: not arithmetic: " + op.String())
}

// isArithmetic reports whether Binary has an operator.
func isArithmetic(op ir.ExprOp) bool { return intFunctions[op] != nil || intArith[op] != 0 }

// neg returns the negation of a word. flip returns its complement.
func (a Arithmetic) neg(x smt.Term, t ir.Type) smt.Term {
	if a == BitVectors {
		return a.extend(smt.Apply(smt.VectorNegate, a.cut(x, t.Size())), t)
	}
	return negative(x)
}

func (a Arithmetic) flip(x smt.Term, t ir.Type) smt.Term {
	if a == BitVectors {
		return a.extend(smt.Apply(smt.VectorNot, a.cut(x, t.Size())), t)
	}
	return intNot.Apply(x)
}

// Narrow returns a word converted to a type.
func (a Arithmetic) Narrow(x smt.Term, t ir.Type) smt.Term {
	if t.Bits == 64 {
		return x
	}
	return a.extend(a.cut(x, t.Size()), t)
}

// cut returns the low bytes of a word, as memory holds them.
func (a Arithmetic) cut(x smt.Term, size int) smt.Term {
	switch {
	case size == ir.CellUnit:
		return x
	case a == BitVectors:
		return cutVector(x, size)
	}
	return smt.Apply(smt.Modulo, x, smt.PowerOfTwo(8*size))
}

// extend returns the word of a value in memory.
func (a Arithmetic) extend(x smt.Term, t ir.Type) smt.Term {
	switch {
	case t.Bits == 64:
		return x
	case a == BitVectors:
		return smt.Extend(x, 64-int(t.Bits), t.Signed)
	case t.Signed:
		return map[uint8]*smt.Function{8: signed8, 16: signed16, 32: signed32}[t.Bits].Apply(x)
	}
	return x
}

func (a Arithmetic) truth(b smt.Term) smt.Term { return ite(b, a.Num(1), a.Num(0)) }

// IsZero returns the condition that a word is 0.
func (a Arithmetic) IsZero(x smt.Term) smt.Term { return Equal(x, a.Num(0)) }

// NonZero returns the condition that a word is not 0.
func (a Arithmetic) NonZero(x smt.Term) smt.Term { return smt.Not(a.IsZero(x)) }

// SuitableArithmetic returns the arithmetic that a program needs: bit-vectors if it has operators on bits or
// types smaller than words, integers otherwise.
func SuitableArithmetic(p *ir.Program) Arithmetic {
	bits := program.AnyOp(p, func(op *ir.Op) bool {
		return op.Accesses() && op.Type.Bits < 64 || op.Kind == ir.RMW && (op.RMW == ir.FetchAnd || op.RMW == ir.FetchOr || op.RMW == ir.FetchXor)
	}, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.And, ir.Or, ir.Xor, ir.Shl, ir.Shr, ir.BitNot, ir.Cast:
			return true
		case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.Neg:
			return e.Type.Bits < 64
		}
		return false
	})
	if bits {
		return BitVectors
	}
	return Integers
}
