package sat

import (
	"context"
	"fmt"
)

// Lit is a literal as in DIMACS: a variable from 1 on, negative if it is negated. Zero is no
// literal.
type Lit int32

// Status is the result of a call. The zero value is unset.
type Status uint8

// The results.
const (
	StatusUnset Status = iota
	Sat
	Unsat
	Interrupted // the context ended first
	OutOfMemory // the memory limit was reached
)

func (s Status) String() string {
	switch s {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	case Interrupted:
		return "interrupted"
	case OutOfMemory:
		return "out of memory"
	default:
		panic(fmt.Sprintf("BUG: unknown status %d", s))
	}
}

// Solver has clauses and finds models. Clauses are never removed. Variables need no declaration.
type Solver interface {
	// Add adds a clause. It does not keep the slice.
	Add(clause ...Lit)
	// Solve searches for a model in which the assumptions hold. Assumptions are for one call.
	Solve(ctx context.Context, assumptions ...Lit) (Status, error)
	// Bytes returns about how much memory the solver uses.
	Bytes() int64
	// Limit sets the memory limit in bytes; 0 for none. Add does not check it.
	Limit(bytes int64)
	// Value returns the value of a literal in the model of the last call, which must have found
	// one.
	Value(Lit) bool
}
