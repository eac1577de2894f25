package query

import "path"

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
	Deadlock   bool              `asked:"deadlock"` // with ForAssertions: deadlocks count, too
	Endless    `asked:"endless"` // with ForAssertions: loops that must end; zero: as for Check
	BMC        BMCOptions        // bounds of bounded model checking, where it checks assertions
	For        Purpose           // "": ForRobustness
	Model      Model             // TSO or PSO; "": TSO
	Cost       Cost              // "": CostUniform
	Profile    Input             // with CostProfile: lines of "line cost" or "file:line cost"
	Style      FenceStyle        // "": the first of fencepost.FenceStyles
	AllOptimal bool              // list every cheapest set
	Remove     bool              // list the fences of the program that are not needed, instead
	Directory  string            // where the names of files begin, and patches are to be applied; "": files keep their names in them
	PatchRoot  string            // where patches are to be applied, if not at Directory
	Prefer     Preference        // which of several cheapest sets is shown; "": PreferLibrary
	Files      string            // pattern of the files that may be changed, such as *.h; "": all but system headers
}

// Validate returns an *OptionError for an option with a value that it cannot have. The style is checked where the styles
// are known.
func (o *FenceOptions) Validate() error {
	if err := oneOf("purpose of fences", o.For, ForRobustness, ForAssertions); err != nil {
		return err
	}
	if err := oneOf("model for fences", o.Model, TSO, PSO); err != nil {
		return err
	}
	if err := oneOf("cost", o.Cost, CostUniform, CostLoops, CostProfile); err != nil {
		return err
	}
	if err := oneOf("preference", o.Prefer, "", PreferLibrary, PreferClient); err != nil {
		return err
	}
	if _, err := path.Match(o.Files, ""); err != nil {
		return &OptionError{Option: "pattern for files", Value: o.Files, Want: "a pattern such as *.h or src/*.c"}
	}
	return o.Endless.Validate()
}
