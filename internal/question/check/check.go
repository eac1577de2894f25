package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "check"

// Given says which bounds the user set.
func Given(o *query.CheckOptions) pipeline.Given {
	g := pipeline.GivenBy(&o.Options)
	if !o.BMC.Auto { // else the engine chose the values
		g.Rounds, g.Clock, g.Queue, g.Width = o.BMC.Rounds, o.BMC.Clock, o.BMC.Queue, o.BMC.Width
	}
	return g
}

// about returns the question, as far as it is known before the program is read.
func about(o *query.CheckOptions) verdict.Question {
	switch {
	case o.Robustness:
		return verdict.Robustness
	case o.Races:
		return verdict.DataRaces
	default:
		return ""
	}
}

// Run answers the program's own questions under each model.
func Run(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	if opt.Store != nil {
		return runStored(ctx, in, opt)
	}
	return answer(ctx, in, opt, nil)
}

// answer does so with the certificate that is stored about the question; nil: none is kept.
func answer(ctx context.Context, in query.Input, opt query.CheckOptions, kept *kept) (query.Answer, error) {
	run := pipeline.Open(in)
	run.Asks(about(&opt), opt.Models.OrTSO()...)
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		return ask(ctx, run, opt, kept)
	})
}

// Read reads the program, adds what the options ask about, and runs the passes.
func Read(ctx context.Context, run *pipeline.Run, opt *query.CheckOptions) (*ir.Program, error) {
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return nil, err
	}
	if opt.Deadlock {
		run.Props.Deadlock = true
	}
	pipeline.AskEndless(&opt.Endless, run.Props)
	if run.Props.Empty() && !opt.Finals && !opt.Robustness && !opt.Races && !opt.Leaks && !onlyC11(opt.Models) {
		return nil, run.Refuse(verdict.Diagnostic{
			Code:    "FP0900",
			Message: "no assertion, goal or final condition: there is nothing to check",
			Notes:   []string{"add an assert, a goal or a final condition; or list the final states with --final-states, or count the executions with `fencepost traces`"},
		})
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt.Options)
	if err == nil {
		pipeline.AskDefaultEndless(&opt.Endless, run.Props, flat)
	}
	return flat, err
}

func ask(ctx context.Context, run *pipeline.Run, opt query.CheckOptions, kept *kept) ([]verdict.Result, error) {
	flat, err := Read(ctx, run, &opt)
	if err != nil {
		return nil, err
	}
	return pipeline.UnderEach(opt.Models, func(name query.Model, model memory.Model) (*verdict.Result, error) {
		q := &question{Program: run.Program, flat: flat, model: model, opt: opt, kept: kept}
		return q.under(ctx, run, name)
	})
}

// under answers under the model of the question, which has a name.
func (q *question) under(ctx context.Context, run *pipeline.Run, name query.Model) (*verdict.Result, error) {
	c11, opt, covered := memory.HasC11 && q.model == memory.C11, q.opt, q.flat
	if c11 {
		if run.Orders == pipeline.OrdersNone && len(opt.Models) > 1 {
			return run.WithoutOrders(), nil
		}
		if err := prepareC11(q); err != nil {
			return nil, err
		}
	}
	if err := q.refused(); err != nil {
		return nil, err
	}
	run.Stage = "engines under " + string(name)
	var err error
	res := fromCertificate(ctx, q)
	if res == nil {
		res, err = q.answer(ctx)
	}
	if none := run.Undecided(name, err); none != nil { // the answers under other models stay
		res, err = none, nil
	}
	if err != nil {
		return nil, err
	}
	run.Restrict(res, &q.opt.Options)
	if !opt.Robustness {
		if c11 {
			covered, opt.Races = q.flat, true
		}
		cover(res, run.Program, covered, &opt)
	}
	return res, certify(ctx, q, run, res)
}

// query is the questions about a program under one model.
type question struct {
	*pipeline.Program
	flat  *ir.Program
	model memory.Model
	opt   query.CheckOptions
	kept  *kept // nil: nothing is stored about the question
	// underSC are engines other than rf that answer about c11, if SC allows all executions of c11.
	underSC query.Engines
	made    *MadeProof // in parts, before the answer; nil: nothing
}

// askedBy says how the program's own questions are asked.
func askedBy(o *query.CheckOptions) pipeline.Asked {
	return pipeline.Asked{CheckOptions: *o, Given: Given(o)}
}

// refused refuses what cannot be answered: because of the engine that was asked for, or because of
// inputs with too many values.
func (q *question) refused() error {
	if name := q.Props.Starving; name != "" && !slices.ContainsFunc(q.flat.Threads, func(t ir.Thread) bool { return t.Name == name }) {
		var names []string
		for _, t := range q.flat.Threads {
			names = append(names, t.Name)
		}
		return q.Refuse(verdict.Diagnostic{
			Code: "FP0937", Message: fmt.Sprintf("unknown thread %q; the threads are %s", name, strings.Join(names, ", ")),
		})
	}
	if err := pipeline.FillsUnder(q.Program, q.flat, q.model); err != nil {
		return err
	}
	for _, name := range q.opt.Engines {
		e, err := pipeline.EngineNamed(name, &q.opt)
		if err != nil {
			return q.Refuse(verdict.Diagnostic{
				Code: "FP0912", Message: fmt.Sprintf("unknown engine %q; the engines are %s", name, strings.Join(pipeline.EngineNames(), ", ")),
			})
		}
		how := askedBy(&q.opt)
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
func (q *question) answer(ctx context.Context) (*verdict.Result, error) {
	supervise.Wait(ctx)
	ctx, cancel := supervise.TimeLimit(ctx, q.opt.Timeout) // every model has the time to itself
	defer cancel()
	return supervise.Run(ctx, "the search", supervise.OfStage(q.opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		switch {
		case memory.HasC11 && q.model == memory.C11:
			return answerC11(ctx, q)
		case q.opt.Leaks && !q.opt.Robustness && q.opt.Races:
			return withLeaks(ctx, q, q.withRaces)
		case q.opt.Leaks && !q.opt.Robustness:
			return withLeaks(ctx, q, q.programQuestions)
		case q.opt.Robustness:
			return q.robustByTraces(ctx)
		case q.opt.Races:
			return q.withRaces(ctx)
		default:
			return q.programQuestions(ctx)
		}
	})
}

func (q *question) programQuestions(ctx context.Context) (*verdict.Result, error) {
	e := pipeline.Engines(&q.opt)[0]
	switch {
	case len(q.opt.Engines) > 1:
		return q.portfolio(ctx)
	case len(q.opt.Engines) == 1:
		var err error
		if e, err = pipeline.EngineNamed(q.opt.Engines[0], &q.opt); err != nil {
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
	by.Ask(ctx, a, q.flat, askedBy(&q.opt))
	if a.Err != nil || !a.Result.BoundedOnly || len(q.opt.Engines) > 0 {
		return a.Result, a.Err
	}
	all, res, err := Others(ctx, q.Program, q.flat, a, q.opt)
	if err == nil {
		res.Engines = append([]verdict.EngineReport{report(a)}, all...)
	}
	return res, err
}
