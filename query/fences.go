package query

import (
	"path"
	"slices"
	"strings"
)

// Purpose is the purpose of fences.
type Purpose string

// The purposes.
const (
	ForRobustness Purpose = "robustness" // the program becomes robust against the model
	ForAssertions Purpose = "assertions" // its assertions, goals and final condition hold
	// ForLinearizability: the functions of a library form a linearizable object, as for Lin.
	ForLinearizability Purpose = "linearizability"
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
	Calls      int               // with ForLinearizability, concurrent calls of the largest clients; 0: 3
	Model      Model             // TSO, PSO or C11; "": TSO; of Orders also several, separated by commas
	Orders     OrderOptions      // with C11, and of Orders
	Cost       Cost              // "": CostUniform
	Profile    Input             // with CostProfile: lines of "line cost" or "file:line cost"
	Style      FenceStyle        // "": the first of fencepost.FenceStyles
	AllOptimal bool              // list every cheapest set
	Remove     bool              // list the fences of the program that are not needed, instead
	Directory  string            // where the names of files begin, and patches are to be applied; "": files keep their names in them
	PatchRoot  string            // where patches are to be applied, if not at Directory
	Prefer     Preference        // which of several cheapest sets is shown; "": PreferLibrary
	Files      string            // pattern of the files that may be changed, such as *.h; "": all but system headers
	Proofs                       // of the changed program; not with Remove, ForLinearizability and several models
}

// Processor is a processor whose costs count.
type Processor string

// The processors.
const (
	ProcessorX86     Processor = "x86"
	ProcessorArm     Processor = "arm"
	ProcessorArmRCpc Processor = "arm-ldapr" // Arm with weaker acquire loads
	ProcessorPower   Processor = "power"
	ProcessorFile    Processor = "file" // OrderOptions.Costs, and what it leaves out as on Arm
)

// OrderOptions are the options of a question about memory orders.
type OrderOptions struct {
	Accesses  bool      // accesses may get other orders, and not only fences be added
	Weaken    bool      // begin with relaxed accesses, not with the orders that are written
	Keep      []string  // FILE:LINE of accesses that keep their orders
	Max       []string  // FILE:LINE=ORDER: the accesses there get at most this order
	Processor Processor // whose costs count; "": ProcessorArm
	Costs     Input     // lines of "access order cost", and of "file:line weight"
}

// Models returns the models under which the program has to be right.
func (o *FenceOptions) Models() Models {
	var out Models
	for name := range strings.SplitSeq(string(o.Model), ",") {
		out = append(out, Model(name))
	}
	return out
}

// Validate returns an *OptionError for an option with a value that it cannot have. The style is checked where the styles
// are known.
func (o *FenceOptions) Validate() error {
	if err := oneOf("purpose of fences", o.For, ForRobustness, ForAssertions, ForLinearizability); err != nil {
		return err
	}
	models := o.Models()
	for i, m := range models {
		if err := oneOf("model for fences", m, TSO, PSO, C11); err != nil {
			return err
		}
		if slices.Contains(models[:i], m) || i > 0 && !o.Orders.Accesses {
			return &OptionError{Option: "model for fences", Value: string(o.Model), Want: "one of tso, pso, c11"}
		}
	}
	if err := oneOf("processor", o.Orders.Processor, "", ProcessorX86, ProcessorArm, ProcessorArmRCpc, ProcessorPower, ProcessorFile); err != nil {
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
	if o.Wanted() && (o.Remove || o.For == ForLinearizability || len(models) > 1) {
		return &OptionError{Option: "certificate", Value: "fences to remove, linearizability or several models", Want: "a repaired program, for robustness or assertions, under one model"}
	}
	return o.Endless.Validate()
}
