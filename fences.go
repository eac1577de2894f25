package fencepost

import (
	"cmp"
	"context"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/fences"
)

// Purpose is the purpose of fences.
type Purpose string

// The purposes.
const (
	ForRobustness Purpose = "robustness" // the program becomes robust against the model
	ForAssertions Purpose = "assertions" // its assertions, goals and final condition hold
)

// Cost is a way to set the costs of fences.
type Cost string

// The costs.
const (
	CostUniform Cost = "uniform" // 1 each
	CostLoops   Cost = "loops"   // ten times as much for every enclosing loop
	CostProfile Cost = "profile" // by line, from FenceOptions.Profile
)

// FenceStyle is a way to write a fence in C.
type FenceStyle string

// FenceStyles returns the ways to write a fence in C, the default first.
func FenceStyles() []FenceStyle {
	var out []FenceStyle
	for _, name := range pipeline.FenceStyles() {
		out = append(out, FenceStyle(name))
	}
	return out
}

// Preference says which part of a program fences go to if several sets cost the same.
type Preference string

// The preferences. The library has the included files, and of several C files the ones without main.
const (
	PreferLibrary Preference = "library"
	PreferClient  Preference = "client"
)

// FenceOptions are the options of Fences.
type FenceOptions struct {
	Options
	For        Purpose    // "": ForRobustness
	Model      Model      // TSO or PSO; "": TSO
	Deadlock   bool       // with ForAssertions: deadlocks count, too
	Liveness   Liveness   // with ForAssertions: loops that must end; "": as for Check
	Cost       Cost       // "": CostUniform
	Profile    Input      // with CostProfile: lines of "line cost" or "file:line cost"
	Style      FenceStyle // "": the first of FenceStyles
	AllOptimal bool       // list every cheapest set
	Remove     bool       // list the fences of the program that are not needed, instead
	Directory  string     // where patches are to be applied; "": files keep their names in them
	Prefer     Preference // which of several cheapest sets is shown; "": PreferLibrary
	Files      string     // pattern of the files that may be changed, such as *.h; "": all but system headers
	BMC        BMCOptions // bounds of bounded model checking, where it checks assertions
}

// Fences finds a cheapest set of fences that repairs a program. The verdict is Safe with a set of fences,
// which is empty if nothing is wrong, and Unsafe if no set of fences helps. Repair has the changed text, which
// was checked again.
func Fences(ctx context.Context, in Input, opt FenceOptions) (Answer, error) {
	return answer(fences.Run(ctx, in.internal(), fences.Options{
		Options: opt.Options.internal(), Deadlock: opt.Deadlock, Endless: pipeline.Endless{Liveness: string(opt.Liveness)}, BMC: opt.BMC.internal(),
		For: fences.Purpose(cmp.Or(opt.For, ForRobustness)), Model: string(cmp.Or(opt.Model, TSO)),
		Cost: fences.Cost(cmp.Or(opt.Cost, CostUniform)), Profile: opt.Profile.internal(), Style: string(cmp.Or(opt.Style, FenceStyles()[0])),
		AllOptimal: opt.AllOptimal, Remove: opt.Remove, Directory: opt.Directory, Prefer: fences.Preference(opt.Prefer), Files: opt.Files,
	}))
}
