package fencepost

import (
	"context"
	"io"
	"strings"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/param"
	"fencepost/internal/supervise"
)

// Engine is the name of a search engine.
type Engine string

// Engines returns the engines that Check can ask, the default first.
func Engines() []Engine {
	var out []Engine
	for _, name := range pipeline.EngineNames() {
		out = append(out, Engine(name))
	}
	return out
}

// Algorithm is a way to explore executions one by one.
type Algorithm string

// The algorithms.
const (
	OptimalDPOR Algorithm = "optimal" // one execution per trace
	SourceDPOR  Algorithm = "source"  // less memory, some executions in vain
)

// LazyMode is a variant of the engine lazy.
type LazyMode string

// The modes.
const (
	LazyPractical LazyMode = lazy.Practical // takes programs with loops as they are
	LazyExact     LazyMode = lazy.Exact     // decides programs without loops
)

// Liveness says which loops must end.
type Liveness string

// The values.
const (
	LivenessOff  Liveness = pipeline.LivenessOff  // none; whether loops end is not asked
	LivenessSpin Liveness = pipeline.LivenessSpin // loops that only wait
	LivenessFair Liveness = pipeline.LivenessFair // all loops, in every fair execution
)

// Fairness says which executions are fair.
type Fairness string

// The kinds of fairness. Under both, every store reaches memory in the end.
const (
	FairnessRandom Fairness = pipeline.FairnessRandom // what is possible again and again happens
	FairnessWeak   Fairness = pipeline.FairnessWeak   // a thread that can always move does
)

// CheckOptions are the options of Check.
type CheckOptions struct {
	Options
	Models   []Model  // nil: TSO
	Engines  []Engine // the engines to ask; nil: all engines that support the program
	Deadlock bool     // also look for deadlocks
	// Liveness says which loops must end; "": LivenessSpin for C, and with Deadlock, else LivenessOff.
	Liveness Liveness
	// Fairness, with LivenessFair, says which executions are fair; "": FairnessRandom. Starvation is the
	// name of a thread that must not wait for ever, while others go on; "": the program must end.
	Fairness   Fairness
	Starvation string
	KeepGoing  bool // report every distinct violation, not the first
	Finals     bool // collect the final states
	Endings    bool // with Finals: and an execution for each
	Races      bool // also look for data races on objects that are not atomic
	// CrossCheck waits for all engines until the time limit, and compares their answers. A
	// contradiction is an error.
	CrossCheck bool
	// Turns, if not nil, is called with a line when an engine gets a turn and when it ends.
	Turns func(line string)
	// Robustness asks, instead of the program's own questions, whether some execution has a trace with a
	// cycle, by exploring all traces.
	Robustness bool
	Algorithm  Algorithm // of the engine smc; "": OptimalDPOR
	Lazy       LazyMode  // of the engine lazy; "": LazyPractical
	// Log, if not nil, is called with a line about each round of the engine lazy.
	Log func(string)
	BMC BMCOptions // of the engine bmc
	// AnyThreads asks about any number of instances of the program's templates, under one model, SC or
	// TSO. Domain, if not nil, restricts the values of memory there.
	AnyThreads bool
	Domain     *Domain
	// Binary is the machine code that a compiler made of the program; nil: none. Then there are two results for each
	// model, the second about the machine code.
	Binary *Input
}

// BMCOptions are the bounds and switches of bounded model checking. Zero bounds have defaults.
type BMCOptions struct {
	Rounds int // rounds in which all threads run in turn
	Clock  int // times at which stores can reach memory; 1 is SC
	Queue  int // writes kept per variable, all but one of them waiting
	Width  int // bits of computed numbers; 0: as many as they need
	// Encoding is "rounds", or "order": the order of all events, which needs no bounds but unrolling and
	// width. "": order if the program allows it and Rounds, Clock and Queue are zero.
	Encoding string
	// Auto raises the bounds step by step until there is an answer or the time is over.
	Auto bool
	// Solver is a SAT solver on the PATH; "" is the embedded one.
	Solver string
	// DIMACS gets the formula of the main question, if not nil.
	DIMACS io.Writer
	// Report, if not nil, is called with the result of each step of Auto.
	Report func(text string)
}

func (o *BMCOptions) internal() bmc.Options {
	return bmc.Options{
		Rounds: o.Rounds, Clock: o.Clock, Queue: o.Queue, Width: o.Width, Encoding: bmc.Encoding(o.Encoding), Auto: o.Auto, Solver: o.Solver,
		DIMACS: o.DIMACS, Report: o.Report,
	}
}

func (o *CheckOptions) internal() check.Options {
	return check.Options{
		Options: o.Options.internal(), Engine: strings.Join(texts(o.Engines), ","), CrossCheck: o.CrossCheck, Turns: o.Turns, Deadlock: o.Deadlock, Endless: pipeline.Endless{Liveness: string(o.Liveness), Fairness: string(o.Fairness), Starvation: o.Starvation}, KeepGoing: o.KeepGoing, Finals: o.Finals, Endings: o.Endings,
		Races: o.Races, Robustness: o.Robustness, Algorithm: string(o.Algorithm), Mode: string(o.Lazy), Log: o.Log, BMC: o.BMC.internal(),
	}
}

// Check answers whether the assertions, goals and final condition of a program hold: one result per memory
// model.
func Check(ctx context.Context, in Input, opt CheckOptions) (Answer, error) {
	if opt.Binary != nil {
		return answer(check.RunCompiled(ctx, in.internal(), opt.Binary.internal(), orTSO(opt.Models), opt.internal()))
	}
	if !opt.AnyThreads {
		return answer(check.Run(ctx, in.internal(), orTSO(opt.Models), opt.internal()))
	}
	if len(opt.Models) != 1 || opt.Models[0] != SC && opt.Models[0] != TSO {
		return Answer{}, &OptionError{Option: "memory models for any number of threads", Value: joined(opt.Models), Want: "sc or tso"}
	}
	return answer(param.Check(ctx, in.internal(), param.CheckOptions{Options: opt.internal(), Domain: opt.Domain.internal(), Model: string(opt.Models[0])}))
}

// texts converts typed words.
func texts[T ~string](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, string(x))
	}
	return out
}

func joined(models []Model) string {
	text := ""
	for i, name := range orTSO(models) {
		if i > 0 {
			text += ","
		}
		text += name
	}
	return text
}

// Sequence returns a context for questions that are asked one after the other. An answer does not wait for the engines
// that it did not need: they are stopped, and take a moment. The next question of the same sequence waits for them, and
// so does the function that Sequence returns.
func Sequence(ctx context.Context) (context.Context, func()) {
	ctx = supervise.WithScope(ctx)
	return ctx, func() { supervise.Wait(ctx) }
}
