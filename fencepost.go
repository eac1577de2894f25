package fencepost

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"fencepost/internal/engine/param"
	"fencepost/internal/native"
	"fencepost/internal/pipeline"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// Model is a memory model.
type Model string

// The memory models.
const (
	SC  Model = "sc"  // sequential consistency: no store buffers
	TSO Model = "tso" // x86, and SPARC by default: one store buffer per thread
	PSO Model = "pso" // a mode of SPARC: one store buffer per thread and variable
)

// Models returns all memory models, the strongest first.
func Models() []Model { return []Model{SC, TSO, PSO} }

// orTSO returns the names of models; TSO if there are none.
func orTSO(models []Model) []string {
	if len(models) == 0 {
		return []string{string(TSO)}
	}
	var names []string
	for _, m := range models {
		names = append(names, string(m))
	}
	return names
}

// Input is a program: one source file, or several of C. The extension of Name decides the language unless
// Options.Lang does.
type Input struct {
	Name string
	Text []byte
	More []File // the further files of a C program
}

// File is one of the further files of a C program.
type File struct {
	Name string
	Text []byte
}

func (in Input) internal() pipeline.Input {
	out := pipeline.Input{Name: in.Name, Text: in.Text}
	for _, f := range in.More {
		out.More = append(out.More, pipeline.File{Name: f.Name, Text: f.Text})
	}
	return out
}

// Options are the options of every question: how the program is read, and the limits of the search. The zero
// value has no limit of time or memory.
//
// Buffer, Unroll, Threads and C.NondetRange are bounds, as are some options of questions. A search that
// meets only bounds that the caller set (to something other than zero) is Safe within them, and its Coverage
// says so. A search that meets a default is Unknown.
type Options struct {
	Lang    string        // "fp", "c", "litmus", "trencher" or "memorax"; "" to go by the file name's extension
	Timeout time.Duration // per memory model; 0: none
	Memory  int64         // limit in bytes for stored states, 0: none
	Buffer  int           // entries per thread's store buffer in programs with loops; 0: DefaultBuffer
	Unroll  int           // loop iterations, recursion and thread starts in loops where an engine needs a bound; 0: DefaultUnroll; negative: litmus tests keep their loops
	Threads int           // instances of templates with any number of threads; 0: not given
	Workers int           // parallel workers; 0: one per core
	// Replicate names the functions of C whose threads stand for any number of threads, separated by commas.
	Replicate   string
	NoReduction bool     // no partial-order and symmetry reduction
	C           COptions // how C is read
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
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
	Include     func(name string) (text []byte, ok bool)
	ExternPure  []string // functions without a body that do nothing
	ExternFence []string // functions without a body that are full fences
	// Entry are functions of machine code that run as threads of a program without main: a name, or a name
	// with a number, the argument, in parentheses. Finally, if not "", names one that runs after them.
	Entry   []string
	Finally string
	// CheckOverflow makes signed overflow and shifts out of range errors.
	CheckOverflow bool
	// NondetRange is the least and the largest value of inputs; empty: all values of their types.
	NondetRange []int64
	// Strict refuses every program with a construct that is not supported, whether or not an execution
	// reaches it.
	Strict bool
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

// Domain restricts the values of memory where threads are counted.
type Domain struct{ Lo, Hi int64 }

func (d *Domain) internal() *param.Domain {
	if d == nil {
		return nil
	}
	return &param.Domain{Lo: d.Lo, Hi: d.Hi}
}

// Bounds where Options sets none.
const (
	DefaultBuffer = pipeline.DefaultBuffer
	DefaultUnroll = pipeline.DefaultUnroll
)

// Defaults returns the defaults of the command line: 60 s, one worker per core, no bound set. The command
// line also sets a memory limit.
func Defaults() Options { return Options{Timeout: pipeline.Defaults().Timeout} }

func (o *Options) internal() pipeline.Options {
	out := pipeline.Options{
		Lang: o.Lang, Timeout: o.Timeout, Memory: o.Memory, Buffer: o.Buffer, Unroll: o.Unroll, Threads: o.Threads,
		Workers: o.Workers, Replicate: o.Replicate, NoReduction: o.NoReduction,
		C: pipeline.COptions{
			Defines: o.C.Defines, Undefines: o.C.Undefines, IncludeDirs: o.C.IncludeDirs, Include: o.C.Include,
			Std: o.C.Std, Flags: o.C.Flags, FileFlags: o.C.FileFlags,
			ExternPure: o.C.ExternPure, ExternFence: o.C.ExternFence, CheckOverflow: o.C.CheckOverflow, NondetRange: o.C.NondetRange, Strict: o.C.Strict,
			Entry: o.C.Entry, Finally: o.C.Finally,
		},
	}
	if report := o.Progress; report != nil {
		var one sync.Mutex
		out.Progress = func(p pipeline.Progress) {
			one.Lock()
			defer one.Unlock()
			report(Progress{
				Model: Model(p.Model), Under: Model(p.Under), Engine: Engine(p.Engine), Ended: p.Ended, States: p.States, Waiting: p.Waiting, Depth: p.Depth, Elapsed: p.Elapsed,
				Executions: p.Executions, Low: p.Low, High: p.High,
			})
		}
	}
	return out
}

// Answer is the results of a question, and the diagnostics about the input. With an error among the
// diagnostics there are no results.
type Answer struct {
	Results     []verdict.Result
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a Answer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// answer converts what a question returns.
func answer(a pipeline.Answer, err error) (Answer, error) {
	return Answer{Results: a.Results, Diagnostics: a.Diagnostics}, public(err)
}

// TextAnswer is a text, and the diagnostics about the input. With an error among the diagnostics the text is
// empty.
type TextAnswer struct {
	Text        string
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a TextAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// OptionError is an option with a value that it cannot have.
type OptionError struct {
	Option string // such as "memory model"
	Value  string
	Want   string // the values that the option can have
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("unknown %s %q, want %s", e.Option, e.Value, e.Want)
}

// public converts errors that callers may want to tell apart.
func public(err error) error {
	if wrong := (*suite.InputError)(nil); errors.As(err, &wrong) {
		return &InputError{Path: wrong.Path, Err: wrong.Err}
	}
	if missing := (*native.UnavailableError)(nil); errors.As(err, &missing) {
		return &UnavailableError{Message: missing.Message, Hint: missing.Hint}
	}
	if wrong := (*pipeline.OptionError)(nil); errors.As(err, &wrong) {
		return &OptionError{Option: wrong.Option, Value: wrong.Value, Want: wrong.Want}
	}
	return err
}
