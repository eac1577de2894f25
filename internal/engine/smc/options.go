package smc

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Options choose what is explored. The zero value answers the questions of the program itself.
type Options struct {
	// SourceDPOR explores by source-DPOR instead of optimal DPOR.
	SourceDPOR bool
	// Traces asks for every trace: the engine also executes failing rounds of spin loops.
	Traces bool
	// Visit, if not nil, is called with every complete execution, and with Unfinished also with
	// the executions in which some thread does not finish. One worker calls it at a time.
	Visit      func(*verdict.Witness)
	Unfinished bool
	// Failed, if not nil, is called with every execution in which a check fails, and with the checks
	// in words. One worker calls it at a time.
	Failed func(w *verdict.Witness, fails []string)
	// Blocked, if not nil, is called with every execution that ends with a thread at an assumption, an
	// await or a wait. One worker calls it at a time.
	Blocked func(*verdict.Witness)
	// IdleRounds is how many rounds in a row of a loop are executed that change nothing for any
	// thread, where such a round makes an access that the round which leaves the loop may not
	// make. A round that takes a mutex and gives it back then changes nothing.
	IdleRounds int
	// Symmetric explores executions up to the exchange of threads that nothing tells apart also where every execution is
	// asked for.
	Symmetric bool
	// CheckTraces fails the run if a trace is explored twice or, with optimal DPOR, if a sleep set
	// cuts an execution off. It keeps a hash per execution.
	CheckTraces bool
}

// Engine is stateless model checking with optimal partial-order reduction.
var Engine = New(Options{})

// New returns the engine with options.
func New(opt Options) engine.Engine {
	return engine.Engine{
		Name:     "smc",
		Doc:      "explores one execution per Shasha-Snir trace",
		Papers:   []string{"AAAJLS15", "AAJS14", "AAJS17"},
		Supports: func(task *engine.Task) error { return (&job{Task: task, Options: opt}).supports() },
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			return run(ctx, &job{Task: task, Options: opt})
		},
	}
}

// job is a task with the options for it.
type job struct {
	*engine.Task
	Options
	// loops is the program as it was given, with its spin loops; nil if endless loops are not asked about.
	loops *memory.System
	// groups are the threads whose exchange is left out (docs/engines/symmetry.md).
	groups engine.Groups
}

// peers returns the threads whose exchange need not be explored, unless every execution is asked for.
func (t *job) peers(y *memory.System) engine.Groups {
	every := t.Traces || t.Visit != nil || t.Failed != nil || t.Blocked != nil || t.CheckTraces || t.SourceDPOR || t.NoReduction || t.KeepGoing || t.Finals
	if every && !t.Symmetric || engine.WaitsInside(t.Program) {
		return nil
	}
	return t.Peers(y)
}
