package query

import (
	"slices"

	"fencepost/verdict"
)

// LinOptions are the options of Lin.
type LinOptions struct {
	Options
	Models  Models `asked:"-"` // empty: TSO
	Ops     string // the operations, separated by commas; "": found by their signatures
	Init    string // the function that prepares the object; "": found by its name
	Destroy string // the function that ends its life; "": found by its name
	Calls   int    // concurrent calls of the largest clients, at most 8; 0: as many as the time allows
	// Spec says what the object is to be: a name of LinSpecs, or "" for the code itself, one call at a time. SpecFile, if it
	// has a name, is C with functions of the same names instead.
	Spec     string
	SpecFile Input
	// Return says when a call has returned, under TSO and PSO; "": when programs can know, which is when its stores have reached memory.
	Return Return
	// Fuzz is the number of calls of random clients, which are run under random schedules instead; 0: none. FuzzOptions says what Seed, Runs and Depth mean.
	Fuzz, Seed, Runs, Depth int
	Proofs
	Mutate bool // also ask about the code with one order, fence or read-modify-write weaker: do the clients notice?
	// Found, if not nil, is told once what is asked about, before the first client: the object and its operations.
	Found func(*verdict.Linearizability) `json:"-"`
}

// DefaultFuzz is the number of calls of random clients where nothing else is said.
const DefaultFuzz = 40

// Return says when a call has returned for calls that begin later, under TSO and PSO.
type Return string

// The kinds.
const (
	ReturnDrains Return = "drains" // there is a full fence at the end of every call
	ReturnOpen   Return = "open"   // at once, with its stores in the buffer: a clock outside of the program tells
)

// LinSpecs are the names of specifications.
func LinSpecs() []string {
	return []string{"stack", "queue", "deque", "set", "map", "counter", "lock", "rwlock"}
}

// Validate returns an *OptionError for an option with a value that it cannot have.
func (o *LinOptions) Validate() error {
	if o.Fuzz != 0 && (o.Fuzz < 2 || o.Fuzz > 200) {
		return &OptionError{Option: "number of calls of random clients", Value: "", Want: "2 to 200"}
	}
	if o.Fuzz != 0 && o.Runs == 0 && o.Timeout == 0 {
		return &OptionError{Option: "number of executions", Value: "0", Want: "a number, if there is no time limit"}
	}
	if o.Calls != 0 && (o.Calls < 2 || o.Calls > 8) {
		return &OptionError{Option: "number of calls", Value: "", Want: "2 to 8"}
	}
	if slices.Contains(o.Models, C11) && o.Return != "" {
		return &OptionError{Option: "return", Value: string(o.Return), Want: "no value with the model c11, which has no store buffers"}
	}
	if o.SpecFile.Name == "" {
		return oneOf("specification", o.Spec, append([]string{""}, LinSpecs()...)...)
	}
	return nil
}
