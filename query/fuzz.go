package query

// FuzzOptions are the options of Fuzz.
type FuzzOptions struct {
	Options
	Models   Models `asked:"-"` // empty: TSO
	Deadlock bool   // also look for deadlocks
	Endless  `asked:"endless"`
	Seed     int // of the first execution, which the next ones count up from; 0: 1
	Runs     int // executions; 0: until the time is over
	Depth    int // changes of priority in an execution, at most; 0: DefaultDepth
}

// DefaultDepth is the number of changes of priority where FuzzOptions sets none.
const DefaultDepth = 4

// FuzzBuffer is the bound of store buffers where FuzzOptions sets none.
const FuzzBuffer = 64

// Validate returns an *OptionError for an option with a value that it cannot have.
func (o *FuzzOptions) Validate() error {
	if o.Runs == 0 && o.Timeout == 0 {
		return &OptionError{Option: "number of executions", Value: "0", Want: "a number, if there is no time limit"}
	}
	return o.Endless.Validate()
}

// Check returns what the options ask about the program, as options of Check.
func (o *FuzzOptions) Check() CheckOptions {
	return CheckOptions{Options: o.Options, Models: o.Models, Deadlock: o.Deadlock, Endless: o.Endless}
}
