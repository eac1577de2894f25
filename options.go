package fencepost

import (
	"time"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/param"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
)

// Options are the limits and switches of a run. Start from Defaults.
type Options struct {
	Engine    string        // the one to ask, "" for the portfolio
	Lang      string        // language, "" to go by the file name's extension
	Timeout   time.Duration // 0: none
	Memory    int64         // limit in bytes for stored states, 0: none
	Buffer    int           // entries per thread's store buffer in cyclic programs; 0: DefaultBuffer
	Unroll    int           // loop iterations, recursion and spawns in loops where an engine needs a bound; 0: DefaultUnroll
	Threads   int           // instances of templates with any number of threads, 0: not given
	Workers   int           // 0: one per core
	Deadlock  bool          // also look for deadlocks
	KeepGoing bool          // report every distinct violation, not the first
	Finals    bool          // collect the final states
	// Replicate names the function of C whose threads stand for any number of threads.
	Replicate string
	// Domain restricts the values of memory where threads are counted; nil: as found.
	Domain *Domain
	// Algorithm of engines that explore executions: "" or "optimal", or "source".
	Algorithm   string
	Races       bool     // also look for data races on objects that are not atomic
	Robustness  bool     // ask instead whether some execution has a trace with a cycle
	NoReduction bool     // no partial-order and symmetry reduction
	C           COptions // how C is read
	Mode        string   // variant of the engine asked for, "" for its default
	// Log, if not nil, is called with a line about each round of an engine that works in rounds.
	Log            func(string)
	Method         string // how Robust answers, "" for MethodSearch
	Criterion      string // what Robust decides, "" for CriterionTrace
	CriterionModel string // the memory model that CriterionState compares with SC, "" for tso
	BMC            bmc.Options
	// Progress is called now and then from one goroutine, if not nil.
	Progress func(Progress)
}

// COptions say how C is read.
type COptions = pipeline.COptions

// Domain restricts the values of memory where threads are counted.
type Domain = param.Domain

// Defaults returns the documented defaults: 60 s, one worker per core, no bound set. There is no memory
// limit; the command line sets one.
func Defaults() Options { return Options{Timeout: pipeline.Defaults().Timeout} }

func (o *Options) common() pipeline.Options {
	return pipeline.Options{
		Lang: o.Lang, Timeout: o.Timeout, Memory: o.Memory, Buffer: o.Buffer, Unroll: o.Unroll, Threads: o.Threads,
		Workers: o.Workers, Replicate: o.Replicate, NoReduction: o.NoReduction, C: o.C, Progress: o.Progress,
	}
}

func (o *Options) check() check.Options {
	return check.Options{
		Options: o.common(), Engine: o.Engine, Deadlock: o.Deadlock, KeepGoing: o.KeepGoing, Finals: o.Finals, Races: o.Races,
		Robustness: o.Robustness, Algorithm: o.Algorithm, Mode: o.Mode, Log: o.Log, BMC: o.BMC,
	}
}

func (o *Options) robust() robust.Options {
	return robust.Options{
		Options: o.common(), KeepGoing: o.KeepGoing, Method: robust.Method(o.Method), Criterion: robust.Criterion(o.Criterion),
		CriterionModel: o.CriterionModel,
	}
}
