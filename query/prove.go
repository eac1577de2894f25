package query

import "fencepost/verdict"

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
	CheckWith string `asked:"-"`
	// Questions, if not nil, gets every question to the solver, with its answer.
	Questions func(SMTQuestion)
	// Stored is a proof that is checked again: no other invariants are searched for. nil: there is none.
	Stored *verdict.Proof `asked:"-"`
}

// SMTQuestion is a question to an SMT solver.
type SMTQuestion struct {
	Number int    // from 1
	Status string // the answer: "sat", "unsat" or "unknown"
	Text   string // in SMT-LIB 2, with its declarations and the answer as expected status
}

// Validate returns an *OptionError for an option with a value that it cannot have. The names of solvers are checked where
// the solvers are known.
func (o *ProveOptions) Validate() error {
	if err := oneOf("arithmetic", o.Arithmetic, "", Integers, BitVectors); err != nil {
		return err
	}
	return oneOf("model", o.Model, "", TSO, PSO)
}
