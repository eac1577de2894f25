package sat

import (
	"context"
	"fmt"
)

// Lit is a literal as DIMACS writes it: a variable from 1 on, negative where it is
// negated. Zero is no literal.
type Lit int32

// Status is how a call ended. The zero value is unset.
type Status uint8

// The ways to end.
const (
	StatusUnset Status = iota
	Sat
	Unsat
	Interrupted // the context ended first
	OutOfMemory // the solver would hold more than its limit
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

// Solver holds clauses and finds models. Clauses are only ever added. Variables
// come into being by being mentioned.
type Solver interface {
	// Add takes a clause. The slice stays the caller's.
	Add(clause ...Lit)
	// Solve looks for a model in which the assumptions hold, which last for this call.
	Solve(ctx context.Context, assumptions ...Lit) (Status, error)
	// Bytes is about how much memory the solver holds.
	Bytes() int64
	// Limit sets how much memory the solver may hold; 0 for any amount. Add does not
	// look at it.
	Limit(bytes int64)
	// Value is the value of a literal in the model of the last call, which found one.
	Value(Lit) bool
}
