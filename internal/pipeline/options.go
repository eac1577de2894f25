package pipeline

import (
	"runtime"
	"time"

	"fencepost/internal/ir"
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

// Options say how the program is read, and limit the search. Every question takes them.
type Options struct {
	Lang    string        // language, "" to go by the file name's extension
	Timeout time.Duration // 0: none
	Memory  int64         // limit in bytes for stored states, 0: none
	// Bounds. The user has set a bound that is not 0, and a search that meets it is Safe within it.
	// Where a bound is 0 the default counts, and a search that meets the default is Unknown. The same
	// holds for Threads, C.NondetRange and the bounds that options of questions have.
	Buffer  int // entries per thread's store buffer in cyclic programs; 0: DefaultBuffer
	Unroll  int // loop iterations, recursion and spawns in loops where an engine needs a bound; 0: DefaultUnroll; negative: litmus tests keep their loops
	Threads int // instances of templates with any number of threads, 0: not given
	Workers int // 0: one per core
	// Replicate names the functions of C whose threads stand for any number of threads, separated by commas; Instances, if
	// not 0, starts that many of each instead.
	Replicate string
	Instances int
	// NoReduction turns partial-order and symmetry reduction off.
	NoReduction bool
	C           COptions // how C is read
	// Progress is called now and then, if not nil, also by several goroutines at the same time.
	Progress func(Progress)
}

// COptions say how C and machine code are read: they have arguments of a C compiler, and name functions.
type COptions struct {
	Defines     []string // NAME or NAME=VALUE
	Undefines   []string
	IncludeDirs []string
	Std         string // such as c11; "": that of Flags, or gnu17
	// Flags are flags of gcc; FileFlags are further flags of single files, by name.
	Flags     []string
	FileFlags map[string][]string
	// Include reads an included file; nil: there are only the headers of fencepost.
	Include     func(name string) (text []byte, ok bool)
	ExternPure  []string // functions that do nothing
	ExternFence []string // functions that are full fences
	// Entry are functions of machine code that run as threads, a name or a name with a number in parentheses;
	// Finally, if not "", names one that runs after them.
	Entry   []string
	Finally string
	// Fences are fences before instructions of machine code, by their addresses.
	Fences map[uint64]ir.FenceKind
	// CheckOverflow makes signed overflow and shifts out of range errors.
	CheckOverflow bool
	// NondetRange is the least and the largest value of inputs; empty: all values of their types.
	NondetRange []int64
	// Strict refuses every program with a construct that is not supported.
	Strict bool
}

// Bounds where none is set.
const (
	DefaultBuffer = 8
	DefaultUnroll = 8
)

// Defaults returns the documented defaults.
func Defaults() Options {
	return Options{Timeout: 60 * time.Second}
}

// BufferBound returns the bound of store buffers: the user's or the default.
func (o *Options) BufferBound() int {
	if o.Buffer > 0 {
		return o.Buffer
	}
	return DefaultBuffer
}

// UnrollBound returns the bound of loops: the user's or the default.
func (o *Options) UnrollBound() int {
	if o.Unroll > 0 {
		return o.Unroll
	}
	return DefaultUnroll
}

// WorkerCount returns the number of workers: the user's, or one per core.
func (o *Options) WorkerCount() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Share returns the options of one among n engines that run at the same time.
func (o Options) Share(n int) Options {
	o.Workers = max(1, o.WorkerCount()/n)
	o.Memory /= int64(n)
	return o
}

// Answer is the results, and the diagnostics about the input. With an error among the diagnostics
// there are no results.
type Answer struct {
	Results     []verdict.Result
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a Answer) HasErrors() bool { return HasErrors(a.Diagnostics) }

// HasErrors reports whether a diagnostic is an error.
func HasErrors(all []verdict.Diagnostic) bool {
	for _, d := range all {
		if d.Severity == verdict.SeverityError {
			return true
		}
	}
	return false
}
