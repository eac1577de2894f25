package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "check"

// Options are the options of the question.
type Options struct {
	pipeline.Options
	// Engine names the engines to ask, separated by commas, "" for all. Several take turns.
	Engine string
	// CrossCheck waits for all engines, until the time limit, and compares their answers.
	CrossCheck bool `asked:"-"`
	Deadlock   bool // also look for deadlocks
	Endless    pipeline.Endless
	KeepGoing  bool // report every distinct violation, not the first
	Finals     bool // collect the final states
	Endings    bool // with Finals: and an execution for each
	// Races also looks for data races on objects that are not atomic.
	Races bool
	// Robustness asks, instead of the program's own questions, whether some execution has a trace
	// with a cycle.
	Robustness bool
	// Algorithm of the engine smc: "" or "optimal", or "source".
	Algorithm string
	// Mode is the variant of the engine lazy, "" for its default.
	Mode string
	// Log, if not nil, is called with a line about each round of an engine that works in rounds.
	Log func(string)
	BMC bmc.Options // bounded model checking; Unroll comes from the common options
	// Patience is how long the other engines may work where the first has an answer within bounds that
	// the user did not set; 0: as long as there is time.
	Patience time.Duration `asked:"-"`
	// Turns, if not nil, is called with a line when an engine gets a turn and when it ends.
	Turns func(line string) `asked:"-"`
}

// Defaults returns the documented defaults.
func Defaults() Options { return Options{Options: pipeline.Defaults()} }

// Validate returns a *pipeline.OptionError for an option with a value that it cannot have.
func (o *Options) Validate() error {
	switch o.Algorithm {
	case "", "optimal", "source":
	default:
		return &pipeline.OptionError{Option: "algorithm", Value: o.Algorithm, Want: "optimal or source"}
	}
	return o.Endless.Validate()
}

// Given says which bounds the user set.
func (o *Options) Given() pipeline.Given {
	g := o.Options.Given()
	if !o.BMC.Auto { // else the engine chose the values
		g.Rounds, g.Clock, g.Queue, g.Width = o.BMC.Rounds, o.BMC.Clock, o.BMC.Queue, o.BMC.Width
	}
	return g
}

// own says how the program's own questions are asked.
func (o *Options) asked() pipeline.Asked {
	return pipeline.Asked{Options: o.Options, KeepGoing: o.KeepGoing, Finals: o.Finals, Endings: o.Endings, Given: o.Given()}
}

// about returns the question, as far as it is known before the program is read.
func (o *Options) about() verdict.Question {
	switch {
	case o.Robustness:
		return verdict.Robustness
	case o.Races:
		return verdict.DataRaces
	default:
		return ""
	}
}

// takes reports whether the options name the engine, or none.
func (o *Options) takes(name string) bool {
	return o.Engine == "" || slices.Contains(o.engineNames(), name)
}

// engineNames returns the engines that the options name, none for all.
func (o *Options) engineNames() []string {
	if o.Engine == "" {
		return nil
	}
	return strings.Split(o.Engine, ",")
}

// boundsOfBMC returns the bounds of bounded model checking.
func (o *Options) boundsOfBMC() bmc.Options {
	b := o.BMC
	b.Unroll = o.Unroll
	return b
}

// engines returns the options of the engines.
func (o *Options) engines() pipeline.EngineOptions {
	return pipeline.EngineOptions{
		Lazy: lazy.Options{Mode: o.Mode, Log: o.Log},
		SMC:  smc.Options{SourceDPOR: o.Algorithm == "source"},
		BMC:  o.BMC,
	}
}

// Run answers the program's own questions under each model.
func Run(ctx context.Context, in pipeline.Input, models []string, opt Options) (pipeline.Answer, error) {
	run := pipeline.Open(in)
	run.Asks(opt.about(), models...)
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		return ask(ctx, run, models, opt)
	})
}

// read reads the program and runs the passes.
func read(ctx context.Context, run *pipeline.Run, opt *Options) (*ir.Program, error) {
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return nil, err
	}
	if opt.Deadlock {
		run.Props.Deadlock = true
	}
	opt.Endless.Ask(run.Props)
	if run.Props.Empty() && !opt.Finals && !opt.Robustness && !opt.Races {
		return nil, run.Refuse(verdict.Diagnostic{
			Code:    "FP0900",
			Message: "no assertion, goal or final condition: there is nothing to check",
			Notes:   []string{"add an assert, a goal or a final condition; or list the final states with --final-states"},
		})
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt.Options)
	if err == nil {
		opt.Endless.AskDefault(run.Props, flat)
	}
	return flat, err
}

func ask(ctx context.Context, run *pipeline.Run, models []string, opt Options) ([]verdict.Result, error) {
	flat, err := read(ctx, run, &opt)
	if err != nil {
		return nil, err
	}
	var results []verdict.Result
	for _, name := range models {
		model, err := pipeline.ParseModel(name)
		if err != nil {
			return nil, err
		}
		q := &query{Program: run.Program, flat: flat, model: model, opt: opt}
		if err := q.refused(); err != nil {
			return nil, err
		}
		run.Stage = "engines under " + name
		res, err := q.answer(ctx)
		if none := run.Undecided(name, err); none != nil { // the answers under other models stay
			res, err = none, nil
		}
		if err != nil {
			return nil, err
		}
		run.Restrict(res, &opt.Options)
		if !opt.Robustness {
			cover(res, run.Program, flat, &opt)
		}
		results = append(results, *res)
	}
	return results, nil
}

// query is the questions about a program under one model.
type query struct {
	*pipeline.Program
	flat  *ir.Program
	model memory.Model
	opt   Options
}

// refused refuses what cannot be answered: because of the engine that was asked for, or because of
// inputs with too many values.
func (q *query) refused() error {
	if name := q.Props.Starving; name != "" && !slices.ContainsFunc(q.flat.Threads, func(t ir.Thread) bool { return t.Name == name }) {
		var names []string
		for _, t := range q.flat.Threads {
			names = append(names, t.Name)
		}
		return q.Refuse(verdict.Diagnostic{
			Code: "FP0937", Message: fmt.Sprintf("unknown thread %q; the threads are %s", name, strings.Join(names, ", ")),
		})
	}
	for _, name := range q.opt.engineNames() {
		e, err := pipeline.EngineNamed(name, q.opt.engines())
		if err != nil {
			return q.Refuse(verdict.Diagnostic{
				Code: "FP0912", Message: fmt.Sprintf("unknown engine %q; the engines are %s", name, strings.Join(pipeline.EngineNames(), ", ")),
			})
		}
		how := q.opt.asked()
		by, _ := takenBy(q, e, q.model)
		if err := q.Supports(e, by.QuestionTask(q.flat, q.model, &how)); err != nil {
			return err
		}
	}
	if err := refusedInputs(q); err != nil {
		return err
	}
	if q.opt.Robustness || q.opt.Races {
		explorer := smc.New(smc.Options{Traces: q.opt.Robustness})
		return q.Supports(&explorer, q.ExploreTask(q.flat, q.model, &q.opt.Options))
	}
	return nil
}

// answer states the verdict: by the engine asked for, or by the portfolio. What only the first engine
// can do, that engine does alone.
func (q *query) answer(ctx context.Context) (*verdict.Result, error) {
	supervise.Wait(ctx)
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout) // every model has the time to itself
	defer cancel()
	return supervise.Run(ctx, "the search", supervise.OfStage(q.opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		switch {
		case q.opt.Robustness:
			return q.robustByTraces(ctx)
		case q.opt.Races:
			return q.withRaces(ctx)
		default:
			return q.programQuestions(ctx)
		}
	})
}

func (q *query) programQuestions(ctx context.Context) (*verdict.Result, error) {
	e := pipeline.Engines(q.opt.engines())[0]
	switch {
	case len(q.opt.engineNames()) > 1:
		return q.portfolio(ctx)
	case q.opt.Engine != "":
		var err error
		if e, err = pipeline.EngineNamed(q.opt.Engine, q.opt.engines()); err != nil {
			return nil, err
		}
	case !q.opt.Finals && !q.opt.KeepGoing && !q.opt.NoReduction:
		return q.portfolio(ctx)
	}
	a := &pipeline.Asking{Engine: e, Model: q.model, Under: q.model}
	by, err := takenBy(q, e, q.model)
	if err != nil {
		return nil, err
	}
	by.Ask(ctx, a, q.flat, q.opt.asked())
	if a.Err != nil || !a.Result.BoundedOnly || q.opt.Engine != "" {
		return a.Result, a.Err
	}
	all, res, err := Others(ctx, q.Program, q.flat, a, q.opt)
	if err == nil {
		res.Engines = append([]verdict.EngineReport{report(a)}, all...)
	}
	return res, err
}
