package fencepost

import (
	"context"

	"fencepost/internal/pipeline"
)

// ProveOptions say what a proof may help itself to.
type ProveOptions = pipeline.ProveOptions

// Prove tries to prove that a program reaches the same shared states with and
// without store buffers, for any number of instances of its templates. The
// result's verdict is ValueRobust, Abstracted or Unknown; Proof says why. It needs
// an SMT solver; without one the answer has an error that says how to get it.
func Prove(ctx context.Context, in Input, how ProveOptions, opt Options) (Answer, error) {
	return pipeline.Prove(ctx, in, how, opt)
}
