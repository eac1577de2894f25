package fencepost

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/fences"
)

// FenceOptions say which fences Fences looks for: start from FenceDefaults.
type FenceOptions struct {
	Options
	For        string // ForRobustness, ForAssertions
	Model      string // tso, pso
	Cost       string // CostUniform, CostLoops, CostProfile
	Profile    Input  // with CostProfile: lines of "line cost" or "file:line cost"
	Style      string // how C has fences, one of FenceStyles
	AllOptimal bool   // list every cheapest set
	Remove     bool   // list fences of the program that are not needed, instead
	Directory  string // where patches are to be applied; empty: files keep their names in them
}

// What fences are for, and what they cost.
const (
	ForRobustness = string(fences.Robustness)
	ForAssertions = string(fences.Assertions)
	CostUniform   = string(fences.Uniform)
	CostLoops     = string(fences.Loops)
	CostProfile   = string(fences.Profile)
)

// FenceDefaults returns the documented defaults: robustness against TSO, every fence
// costs 1, C11 fences.
func FenceDefaults() FenceOptions {
	return FenceOptions{Options: Defaults(), For: ForRobustness, Model: "tso", Cost: CostUniform, Style: FenceStyles()[0]}
}

// FenceStyles lists the ways to write a fence in C.
func FenceStyles() []string { return pipeline.FenceStyles() }

// Fences finds a cheapest set of fences that makes a program robust against TSO, or
// makes its assertions hold under TSO or PSO. The result's verdict is Safe with a
// set of fences, empty if nothing is wrong, and Unsafe if no set of fences helps. Repair
// has the changed text, which was checked again.
func Fences(ctx context.Context, in Input, opt FenceOptions) (Answer, error) {
	return fences.Run(ctx, in, fences.Options{
		Options: opt.common(), Deadlock: opt.Deadlock, BMC: opt.BMC, For: fences.Purpose(opt.For), Model: opt.Model, Cost: fences.Cost(opt.Cost),
		Profile: opt.Profile, Style: opt.Style, AllOptimal: opt.AllOptimal, Remove: opt.Remove, Directory: opt.Directory,
	})
}
