package fencepost

import (
	"context"

	"fencepost/internal/pipeline"
)

// FenceOptions say which fences Fences looks for: start from FenceDefaults.
type FenceOptions = pipeline.FenceOptions

// What fences are for, and what they cost.
const (
	ForRobustness = pipeline.ForRobustness
	ForAssertions = pipeline.ForAssertions
	CostUniform   = pipeline.CostUniform
	CostLoops     = pipeline.CostLoops
	CostProfile   = pipeline.CostProfile
)

// FenceDefaults are the documented defaults: robustness against TSO, every fence
// costs 1, C11 fences.
func FenceDefaults() FenceOptions { return pipeline.FenceDefaults() }

// FenceStyles are the ways of writing a fence in C.
func FenceStyles() []string { return pipeline.FenceStyles() }

// Fences finds a cheapest set of fences that makes a program robust against TSO, or
// makes its assertions hold under TSO or PSO. The result's verdict is Safe with a
// set of fences, empty if nothing is wrong, and Unsafe if no set of fences helps. Repair
// has the changed text, which was checked again.
func Fences(ctx context.Context, in Input, opt FenceOptions) (Answer, error) {
	return pipeline.Fences(ctx, in, opt)
}
