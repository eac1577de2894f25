package fencepost

import (
	"context"

	"fencepost/internal/question/prove"
)

// Arithmetic is how a proof treats numbers.
type Arithmetic string

// The arithmetics.
const (
	Integers   Arithmetic = "int" // numbers never wrap
	BitVectors Arithmetic = "bv"  // numbers are exact
)

// ProveOptions are the options of Prove.
type ProveOptions struct {
	Options
	Model         Model      // TSO or PSO; "": TSO
	NoInference   bool       // use the invariants in the program and infer no others
	NoAbstraction bool       // abstract no loads
	Arithmetic    Arithmetic // "": exact for C and wherever bits matter
	// CheckWith names a second solver, z3 or cvc5, that is asked every question; "": none.
	CheckWith string
	// Questions, if not nil, gets every question to the solver, with its answer.
	Questions func(SMTQuestion)
}

// SMTQuestion is a question to an SMT solver.
type SMTQuestion struct {
	Number int    // from 1
	Status string // the answer: "sat", "unsat" or "unknown"
	Text   string // in SMT-LIB 2, with the answer as expected status
}

// Prove tries to prove that a program reaches the same shared states with and without store buffers, for any
// number of instances of its templates. The verdict is ValueRobust, Abstracted or Unknown, and Proof says why, or
// Unsafe if an execution of a small instance violates a check of the program; the result has no Proof then. It
// needs an SMT solver; without one the answer has an error that says how to get it.
func Prove(ctx context.Context, in Input, opt ProveOptions) (Answer, error) {
	asked := prove.Options{
		Options: opt.Options.internal(), Model: string(opt.Model), NoInference: opt.NoInference, NoAbstraction: opt.NoAbstraction,
		Arithmetic: prove.Arithmetic(opt.Arithmetic), CheckWith: opt.CheckWith,
	}
	if report := opt.Questions; report != nil {
		asked.Questions = func(q prove.Question) { report(SMTQuestion(q)) }
	}
	return answer(prove.Run(ctx, in.internal(), asked))
}
