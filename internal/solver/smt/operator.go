package smt

import "fmt"

// Operator is an operator that SMT-LIB has without parameters. The zero value is unset.
type Operator uint8

// The operators on numbers, which are integers or reals, and on bit-vectors of one length.
const (
	_ Operator = iota
	Add
	Subtract // negation, with one argument
	Multiply
	Divide // of integers, as SMT-LIB rounds
	Modulo
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
	VectorAdd
	VectorSubtract
	VectorMultiply
	VectorAnd
	VectorOr
	VectorXor
	VectorNot
	VectorNegate
	ShiftLeft
	ShiftRight // filled with zeros
	ShiftRightSigned
	DivideSigned
	DivideUnsigned
	RemainderSigned
	RemainderUnsigned
	LessSigned
	LessOrEqualSigned
	GreaterSigned
	GreaterOrEqualSigned
	LessUnsigned
	LessOrEqualUnsigned
	GreaterUnsigned
	GreaterOrEqualUnsigned
)

// signature says what an operator takes and returns.
type signature struct {
	name    string
	vectors bool // it takes bit-vectors, rather than numbers
	compare bool // it returns a condition, rather than what it takes
}

var signatures = [...]signature{
	Add: {name: "+"}, Subtract: {name: "-"}, Multiply: {name: "*"}, Divide: {name: "div"}, Modulo: {name: "mod"},
	Less: {name: "<", compare: true}, LessOrEqual: {name: "<=", compare: true},
	Greater: {name: ">", compare: true}, GreaterOrEqual: {name: ">=", compare: true},

	VectorAdd: {name: "bvadd", vectors: true}, VectorSubtract: {name: "bvsub", vectors: true}, VectorMultiply: {name: "bvmul", vectors: true},
	VectorAnd: {name: "bvand", vectors: true}, VectorOr: {name: "bvor", vectors: true}, VectorXor: {name: "bvxor", vectors: true},
	VectorNot: {name: "bvnot", vectors: true}, VectorNegate: {name: "bvneg", vectors: true},
	ShiftLeft: {name: "bvshl", vectors: true}, ShiftRight: {name: "bvlshr", vectors: true}, ShiftRightSigned: {name: "bvashr", vectors: true},
	DivideSigned: {name: "bvsdiv", vectors: true}, DivideUnsigned: {name: "bvudiv", vectors: true},
	RemainderSigned: {name: "bvsrem", vectors: true}, RemainderUnsigned: {name: "bvurem", vectors: true},
	LessSigned: {name: "bvslt", vectors: true, compare: true}, LessOrEqualSigned: {name: "bvsle", vectors: true, compare: true},
	GreaterSigned: {name: "bvsgt", vectors: true, compare: true}, GreaterOrEqualSigned: {name: "bvsge", vectors: true, compare: true},
	LessUnsigned: {name: "bvult", vectors: true, compare: true}, LessOrEqualUnsigned: {name: "bvule", vectors: true, compare: true},
	GreaterUnsigned: {name: "bvugt", vectors: true, compare: true}, GreaterOrEqualUnsigned: {name: "bvuge", vectors: true, compare: true},
}

// String returns the name that SMT-LIB has for the operator.
func (op Operator) String() string {
	if op == 0 || int(op) >= len(signatures) {
		panic(fmt.Sprintf("BUG: unknown operator %d", uint8(op)))
	}
	return signatures[op].name
}

// result returns the sort of an application. All arguments have one sort.
func (op Operator) result(of Sort) (Sort, bool) {
	s := &signatures[op]
	fits := of.kind == intSort || of.kind == realSort
	if s.vectors {
		fits = of.kind == vectorSort
	}
	if s.compare {
		return Bool, fits
	}
	return of, fits
}
