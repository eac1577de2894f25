package query

import (
	"runtime"
	"time"
)

// Options are the options of every question: how the program is read, and the limits of the search. The zero
// value has no limit of time or memory.
//
// Buffer, Unroll, Threads and C.NondetRange are bounds, as are some options of questions. A search that
// meets only bounds that the caller set (to something other than zero) is Safe within them, and its Coverage
// says so. A search that meets a default is Unknown.
type Options struct {
	Lang    string        // "fp", "c", "litmus", "trencher", "memorax" or "x86"; "" to go by the file name's extension
	Timeout time.Duration // per memory model; 0: none
	Memory  int64         // limit in bytes for stored states, 0: none
	Buffer  int           // entries per thread's store buffer in programs with loops; 0: DefaultBuffer
	// Unroll bounds loop iterations, recursion and thread starts in loops where an engine needs a bound; 0:
	// DefaultUnroll; negative: litmus tests keep their loops.
	Unroll  int
	Threads int // instances of templates with any number of threads; 0: not given
	Workers int `asked:"-"` // parallel workers; 0: one per core
	// Replicate names the functions of C whose threads stand for any number of threads, separated by commas. Instances,
	// if not 0, starts that many of each instead.
	Replicate   string
	Instances   int
	NoReduction bool     // no partial-order and symmetry reduction
	C           COptions // how C and machine code are read
	// Progress, if not nil, is called now and then, also by several goroutines at the same time.
	Progress func(Progress) `json:"-"`
}

// COptions are options of a C compiler, facts about functions without a body, and where machine code begins.
type COptions struct {
	Defines     []string // NAME or NAME=VALUE
	Undefines   []string
	IncludeDirs []string
	// Std is the standard of C, such as c11 or gnu17; "": that of Flags, or gnu17.
	Std string
	// Flags are flags of gcc, as a build passes them: some change what is read, some are ignored, and others
	// are refused. FileFlags are further flags of single files, by name.
	Flags     []string
	FileFlags map[string][]string
	// Include returns the text of an included file. If it is nil, there are only the standard headers,
	// which are part of fencepost.
	Include     func(name string) (text []byte, ok bool) `json:"-"`
	ExternPure  []string                                 // functions without a body that do nothing
	ExternFence []string                                 // functions without a body that are full fences
	// Entry are functions of machine code that run as threads of a program without main: a name, or a name
	// with a number, the argument, in parentheses. Finally, if not "", names one that runs after them.
	Entry   []string
	Finally string
	// Fences are fences before instructions of machine code, by their addresses: "full" or "ss", as verdict.Fence has
	// them.
	Fences map[uint64]string
	// CheckOverflow makes signed overflow and shifts out of range errors.
	CheckOverflow bool
	// VolatileIsAtomic takes accesses to volatile objects for relaxed atomics, as code older than C11 means them.
	VolatileIsAtomic bool
	// Uninitialised says what memory of C programs holds that was never written; "": error. Machine code is always read with
	// zero.
	Uninitialised Uninitialised
	// NondetRange is the least and the largest value of inputs; empty: all values of their types.
	NondetRange []int64
	// Strict refuses every program with a construct that is not supported, whether or not an execution
	// reaches it.
	Strict bool
}

// Uninitialised says what memory holds that was never written: automatic variables, and blocks of the heap.
type Uninitialised string

// The values of Uninitialised.
const (
	UninitialisedError Uninitialised = "error" // no value: it is an error if it decides something
	UninitialisedZero  Uninitialised = "zero"
	UninitialisedAny   Uninitialised = "any" // each value that is not initialised is any value
)

// Bounds where Options sets none.
const (
	DefaultBuffer = 8
	DefaultUnroll = 8
)

// DefaultTimeout is the time limit of the command line.
const DefaultTimeout = 60 * time.Second

// Defaults returns the defaults of the command line: 60 s, one worker per core, no bound set. The command
// line also sets a memory limit.
func Defaults() Options { return Options{Timeout: DefaultTimeout} }

// BufferBound returns the bound of store buffers: the caller's or the default.
func (o *Options) BufferBound() int {
	if o.Buffer > 0 {
		return o.Buffer
	}
	return DefaultBuffer
}

// UnrollBound returns the bound of loops: the caller's or the default.
func (o *Options) UnrollBound() int {
	if o.Unroll > 0 {
		return o.Unroll
	}
	return DefaultUnroll
}

// WorkerCount returns the number of workers: the caller's, or one per core.
func (o *Options) WorkerCount() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Progress is how far an engine has come. Several engines may run at the same time.
type Progress struct {
	Model   Model  // that is asked about
	Under   Model  // that the engine runs under: Model, or SC for a robust program
	Engine  Engine // "": a search that is no engine's
	Ended   bool   // the last report of the engine
	States  int64
	Waiting int64 // states found and not yet expanded
	Depth   int
	Elapsed time.Duration
	// Of engines that explore executions: how many so far, and the range of the latest estimates of their
	// total.
	Executions int64
	Low, High  int64
}
