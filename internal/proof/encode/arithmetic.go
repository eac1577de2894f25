package encode

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
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

// Prelude returns the definitions that terms use.
func (a Arithmetic) Prelude() []string {
	if a == BitVectors {
		return nil
	}
	return []string{
		"(declare-fun fp_and (Int Int) Int)", "(declare-fun fp_or (Int Int) Int)", "(declare-fun fp_xor (Int Int) Int)",
		"(declare-fun fp_shl (Int Int) Int)", "(declare-fun fp_shr (Int Int) Int)", "(declare-fun fp_not (Int) Int)",
		// Division rounds towards zero, and by zero it gives zero.
		"(define-fun fp_div ((x Int) (y Int)) Int (ite (= y 0) 0 (ite (>= x 0) (div x y) (- (div (- x) y)))))",
		"(define-fun fp_rem ((x Int) (y Int)) Int (ite (= y 0) 0 (- x (* y (fp_div x y)))))",
		// The unsigned value of 64 bits.
		"(define-fun fp_u64 ((x Int)) Int (ite (< x 0) (+ x 18446744073709551616) x))",
		// The signed value of fewer than 64 bits.
		"(define-fun fp_s8 ((x Int)) Int (ite (>= x 128) (- x 256) x))",
		"(define-fun fp_s16 ((x Int)) Int (ite (>= x 32768) (- x 65536) x))",
		"(define-fun fp_s32 ((x Int)) Int (ite (>= x 2147483648) (- x 4294967296) x))",
	}
}

// Sort returns the sort of a word.
func (a Arithmetic) Sort() string { return a.bytes(ir.CellUnit) }

// bytes returns the sort of n bytes of memory.
func (a Arithmetic) bytes(n int) string {
	if a == BitVectors {
		return fmt.Sprintf("(_ BitVec %d)", 8*n)
	}
	return "Int"
}

// Num returns a constant.
func (a Arithmetic) Num(v int64) string {
	switch {
	case a == BitVectors:
		return fmt.Sprintf("#x%016x", uint64(v))
	case v < 0:
		return fmt.Sprintf("(- %s)", strings.TrimPrefix(strconv.FormatInt(v, 10), "-"))
	}
	return strconv.FormatInt(v, 10)
}

// part returns a constant of size bytes as memory holds it.
func (a Arithmetic) part(v int64, size int) string {
	u := uint64(ir.Type{Bits: uint8(8 * size)}.Wrap(v))
	switch {
	case a == BitVectors:
		return fmt.Sprintf("#x%0*x", 2*size, u)
	case size == ir.CellUnit:
		return a.Num(v)
	}
	return strconv.FormatUint(u, 10)
}

var (
	intArith = map[ir.ExprOp]string{
		ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.Div: "fp_div", ir.Rem: "fp_rem",
		ir.And: "fp_and", ir.Or: "fp_or", ir.Xor: "fp_xor", ir.Shl: "fp_shl", ir.Shr: "fp_shr",
	}
	bvArith    = map[ir.ExprOp]string{ir.Add: "bvadd", ir.Sub: "bvsub", ir.Mul: "bvmul", ir.And: "bvand", ir.Or: "bvor", ir.Xor: "bvxor"}
	intCompare = map[ir.ExprOp]string{ir.Lt: "<", ir.Le: "<=", ir.Gt: ">", ir.Ge: ">="}
	bvCompare  = map[ir.ExprOp]string{ir.Lt: "lt", ir.Le: "le", ir.Gt: "gt", ir.Ge: "ge"}
)

// Compare returns a comparison of two words.
func (a Arithmetic) Compare(op ir.ExprOp, t ir.Type, x, y string) string {
	switch {
	case op == ir.Eq:
		return Equal(x, y)
	case op == ir.Ne:
		return Not(Equal(x, y))
	case a == BitVectors:
		return compareVectors(op, t, x, y)
	case !t.Signed:
		x, y = Apply("fp_u64", x), Apply("fp_u64", y)
	}
	return Apply(intCompare[op], x, y)
}

// Le returns a signed comparison.
func (a Arithmetic) Le(x, y string) string { return a.Compare(ir.Le, ir.S64, x, y) }

// Binary returns an operator on words whose result is converted to a type.
func (a Arithmetic) Binary(op ir.ExprOp, t ir.Type, x, y string) string {
	if a == Integers {
		return Apply(intArith[op], x, y)
	}
	size := t.Size()
	if name, ok := bvArith[op]; ok {
		return a.extend(Apply(name, a.cut(x, size), a.cut(y, size)), t)
	}
	switch op {
	case ir.Shl, ir.Shr:
		count := Apply("bvand", a.cut(y, size), vector(int64(t.Bits)-1, int(t.Bits)))
		name := "bvshl"
		if op == ir.Shr {
			if name = "bvlshr"; t.Signed {
				name = "bvashr"
			}
		}
		return a.extend(Apply(name, a.cut(x, size), count), t)
	case ir.Div, ir.Rem:
		name := map[bool]map[ir.ExprOp]string{
			true: {ir.Div: "bvsdiv", ir.Rem: "bvsrem"}, false: {ir.Div: "bvudiv", ir.Rem: "bvurem"},
		}[t.Signed][op]
		if hasType(x, t) && hasType(y, t) {
			return ite(Equal(y, a.Num(0)), a.Num(0), a.extend(Apply(name, a.cut(x, size), a.cut(y, size)), t))
		}
		return ite(Equal(y, a.Num(0)), a.Num(0), a.Narrow(Apply(name, x, y), t))
	}
	panic("BUG: not arithmetic: " + op.String())
}

// neg returns the negation of a word. flip returns its complement.
func (a Arithmetic) neg(x string, t ir.Type) string {
	if a == BitVectors {
		return a.extend(Apply("bvneg", a.cut(x, t.Size())), t)
	}
	return Apply("-", x)
}

func (a Arithmetic) flip(x string, t ir.Type) string {
	if a == BitVectors {
		return a.extend(Apply("bvnot", a.cut(x, t.Size())), t)
	}
	return Apply("fp_not", x)
}

// Narrow returns a word converted to a type.
func (a Arithmetic) Narrow(x string, t ir.Type) string {
	if t.Bits == 64 {
		return x
	}
	return a.extend(a.cut(x, t.Size()), t)
}

// cut returns the low bytes of a word, as memory holds them.
func (a Arithmetic) cut(x string, size int) string {
	switch {
	case size == ir.CellUnit:
		return x
	case a == BitVectors:
		return cutVector(x, size)
	}
	return Apply("mod", x, strconv.FormatUint(1<<(8*size), 10))
}

// extend returns the word of a value in memory.
func (a Arithmetic) extend(x string, t ir.Type) string {
	switch {
	case t.Bits == 64:
		return x
	case a == BitVectors && t.Signed:
		return fmt.Sprintf("((_ sign_extend %d) %s)", 64-t.Bits, x)
	case a == BitVectors:
		return fmt.Sprintf("((_ zero_extend %d) %s)", 64-t.Bits, x)
	case t.Signed:
		return Apply("fp_"+t.String(), x)
	}
	return x
}

func (a Arithmetic) truth(b string) string { return ite(b, a.Num(1), a.Num(0)) }

// IsZero returns the condition that a word is 0.
func (a Arithmetic) IsZero(x string) string { return Equal(x, a.Num(0)) }

// NonZero returns the condition that a word is not 0.
func (a Arithmetic) NonZero(x string) string { return Not(a.IsZero(x)) }

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
