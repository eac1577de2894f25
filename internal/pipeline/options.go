package pipeline

import (
	"time"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/param"
	"fencepost/verdict"
)

// Input is a program: one source file, or several of C.
type Input struct {
	Name string
	Text []byte
	// More are the further files of a C program.
	More []File
}

// File is a source file.
type File struct {
	Name string
	Text []byte
}

// Options are the limits and switches of a run.
type Options struct {
	Engine  string        // the one to ask, "" for the portfolio
	Lang    string        // language, "" to go by the file name's extension
	Timeout time.Duration // 0: none
	Memory  int64         // bytes for stored states, 0: no limit
	// Bounds. One that is not 0 is set by the user, and a search that meets it is Safe
	// within it; of one that is 0 the default counts, and a search that meets that is
	// Unknown. The same holds for Threads, Domain, C.NondetRange and the bounds in BMC.
	Buffer    int  // entries per thread's store buffer in cyclic programs; 0: DefaultBuffer
	Unroll    int  // loop iterations, recursion and spawns in loops where an engine needs a bound; 0: DefaultUnroll; negative: litmus tests keep their loops
	Threads   int  // instances of templates with any number of threads, 0: not given
	Workers   int  // 0: one per core
	Deadlock  bool // also look for deadlocks
	KeepGoing bool // report every distinct violation, not the first
	Finals    bool // collect the final states
	// Replicate names the function of C whose threads stand for any number of threads;
	// Instances, if not 0, starts that many of each instead.
	Replicate string
	Instances int
	claims    bool // read the invariants in comments of C
	// patience is how long the other engines may work where the first is done but for
	// bounds that the user did not set; 0: as long as there is time.
	patience time.Duration
	// Domain restricts the values of memory where threads are counted; nil: as found.
	Domain *param.Domain
	// Algorithm of engines that explore executions: "" or "optimal", or "source".
	Algorithm string
	// Races also looks for data races on objects that are not atomic.
	Races bool
	// Robustness asks, instead of the program's own questions, whether some execution
	// has a trace with a cycle.
	Robustness bool
	// NoReduction turns partial-order and symmetry reduction off.
	NoReduction bool
	C           COptions // how C is read
	// Mode is a variant of the engine asked for, "" for its default.
	Mode string
	// Log is told, a line at a time, how an engine gets on that works in rounds; nil:
	// nobody.
	Log func(string)
	// Method is how Robust answers: MethodSearch, which is meant if it is empty, or
	// MethodInstrument.
	Method string
	// Criterion is what Robust decides, "" for CriterionTrace; CriterionModel the memory
	// model that CriterionState compares with SC, "" for tso.
	Criterion      string
	CriterionModel string
	BMC            BMCOptions // bounded model checking
	// Progress is called now and then from one goroutine, if not nil.
	Progress func(Progress)
}

// BMCOptions are the bounds and switches of bounded model checking. Unroll comes
// from Options.
type BMCOptions = bmc.Options

// COptions are what a C compiler takes with -D, -U and -I, and what is known of
// functions without a body.
type COptions struct {
	Defines     []string // NAME or NAME=VALUE
	Undefines   []string
	IncludeDirs []string
	// Include reads a file that is included; nil: there are none but our own.
	Include     func(name string) (text []byte, ok bool)
	ExternPure  []string // do nothing
	ExternFence []string // are full fences
	// CheckOverflow makes signed overflow and shifts out of range errors.
	CheckOverflow bool
	// NondetRange is the least and the largest value of inputs; empty: all values of
	// their types.
	NondetRange []int64
}

// Progress is how far a run has come.
type Progress struct {
	Model   string
	States  int64
	Waiting int64 // states found and not yet looked at
	Depth   int
	Elapsed time.Duration
	// Of engines that explore executions: how many so far, and between which numbers
	// the estimates of their total have lain lately.
	Executions int64
	Low, High  int64
}

// Bounds where none is set.
const (
	DefaultBuffer = 8
	DefaultUnroll = 8
)

// Defaults are the documented defaults.
func Defaults() Options {
	return Options{Timeout: 60 * time.Second}
}

// buffer is the bound that counts.
func (o *Options) buffer() int {
	if o.Buffer > 0 {
		return o.Buffer
	}
	return DefaultBuffer
}

// unroll is the bound that counts.
func (o *Options) unroll() int {
	if o.Unroll > 0 {
		return o.Unroll
	}
	return DefaultUnroll
}

// Answer is the results, and the diagnostics about the input. With an error
// among the diagnostics there are no results.
type Answer struct {
	Results     []verdict.Result
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a Answer) HasErrors() bool {
	for _, d := range a.Diagnostics {
		if d.Severity == verdict.SeverityError {
			return true
		}
	}
	return false
}

// ShowForm says in which form Show prints a program.
type ShowForm uint8

// The forms. The zero value is unset.
const (
	_ ShowForm = iota
	ShowStructured
	ShowFlat
	ShowDot
)
