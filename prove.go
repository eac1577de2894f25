package fencepost

import (
	"context"

	"fencepost/internal/question/prove"
)

// ProveOptions say what a proof may help itself to.
type ProveOptions struct {
	NoInference   bool   // of invariants
	NoAbstraction bool   // of loads
	Arithmetic    string // "int" for numbers that never wrap, "bv" for exact ones, "" for what suits the program
}

// Prove tries to prove that a program reaches the same shared states with and
// without store buffers, for any number of instances of its templates. The
// result's verdict is ValueRobust, Abstracted or Unknown; Proof says why. It needs
// an SMT solver; without one the answer has an error that says how to get it.
func Prove(ctx context.Context, in Input, how ProveOptions, opt Options) (Answer, error) {
	return prove.Run(ctx, in, prove.Options{
		Options: opt.common(), NoInference: how.NoInference, NoAbstraction: how.NoAbstraction, Arithmetic: prove.Arithmetic(how.Arithmetic),
	})
}
