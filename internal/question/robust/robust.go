package robust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "robust"

// Method is a way to decide robustness.
type Method string

// The methods.
const (
	Search     Method = "search"     // one search over all attacks
	Instrument Method = "instrument" // one instrumented program per attack
)

// Criterion is a criterion of robustness, the weakest last: no triangular race implies equal happens-before
// relations, which imply equal final states.
type Criterion string

// The criteria.
const (
	TRF   Criterion = "trf"   // no SC execution has a triangular race
	Trace Criterion = "trace" // the happens-before relation of every execution is one of SC
	State Criterion = "state" // SC has the same final states
)

// Options are the options of the question.
type Options struct {
	pipeline.Options
	KeepGoing bool      // report every attack, not the first
	Method    Method    // "" is Search
	Criterion Criterion // "" is Trace
	// CriterionModel has the memory models that are compared with SC, separated by commas: tso and pso,
	// TRF and Instrument only tso. "" is tso.
	CriterionModel string
}

// Defaults returns the documented defaults.
func Defaults() Options { return Options{Options: pipeline.Defaults()} }

// Validate returns a *pipeline.OptionError for an option with a value that it cannot have.
func (o *Options) Validate() error {
	switch o.Method {
	case "", Search, Instrument:
	default:
		return &pipeline.OptionError{Option: "method", Value: string(o.Method), Want: "search or instrument"}
	}
	switch o.Criterion {
	case "", Trace, TRF, State:
	default:
		return &pipeline.OptionError{Option: "criterion", Value: string(o.Criterion), Want: "trace, trf or state"}
	}
	models, err := o.models()
	switch {
	case err != nil:
		return err
	case !slices.Contains(models, memory.PSO):
		return nil
	case o.Criterion == TRF:
		return &pipeline.OptionError{Option: "model of the criterion trf", Value: o.CriterionModel, Want: "tso"}
	case o.Method == Instrument:
		return &pipeline.OptionError{Option: "model of the method instrument", Value: o.CriterionModel, Want: "tso"}
	}
	return nil
}

// about returns the question.
func (o *Options) about() verdict.Question {
	switch o.Criterion {
	case TRF:
		return verdict.TriangularRaces
	case State:
		return verdict.StateRobustness
	default:
		return verdict.Robustness
	}
}

// models returns the memory models that the question is about.
func (o *Options) models() ([]memory.Model, error) {
	var out []memory.Model
	for name := range strings.SplitSeq(cmp.Or(o.CriterionModel, memory.TSO.String()), ",") {
		model, ok := memory.ParseModel(name)
		if !ok || model == memory.SC {
			return nil, &pipeline.OptionError{Option: "model of the criterion", Value: name, Want: "tso or pso"}
		}
		if !slices.Contains(out, model) {
			out = append(out, model)
		}
	}
	return out, nil
}

// Against reports whether the question is about a model.
func (o *Options) Against(model string) bool {
	models, err := o.models()
	return err == nil && slices.ContainsFunc(models, func(m memory.Model) bool { return m.String() == model })
}

// engine returns the engine for the method asked for.
func (o *Options) engine() *engine.Engine {
	if o.Method == Instrument {
		return pipeline.Engine("instrument", pipeline.EngineOptions{})
	}
	return pipeline.Engine("robust", pipeline.EngineOptions{})
}

// Run answers, for each model, whether every execution of the program has the happens-before relation of an
// SC execution. The program's own questions play no part. With KeepGoing it finds every attack, else one.
func Run(ctx context.Context, in pipeline.Input, opt Options) (pipeline.Answer, error) {
	run := pipeline.Open(in)
	models, _ := opt.models() // Validate reports the error
	var names []string
	for _, m := range models {
		names = append(names, m.String())
	}
	run.Asks(opt.about(), names...)
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
			return nil, err
		}
		run.Stage = "passes"
		flat, err := run.FlattenFixed(opt.Options)
		if err != nil {
			return nil, err
		}
		var results []verdict.Result
		for _, model := range models {
			res, err := ask(ctx, run, &query{Program: run.Program, flat: flat, model: model, opt: opt})
			if none := run.Undecided(model.String(), err); none != nil && len(models) > 1 { // the answers under other models stay
				res, err = none, nil
			}
			if err != nil {
				return nil, err
			}
			run.Restrict(res, &opt.Options)
			results = append(results, *res)
		}
		return results, nil
	})
}

// ask answers the question about one model.
func ask(ctx context.Context, run *pipeline.Run, q *query) (*verdict.Result, error) {
	opt := &q.opt
	by := opt.engine()
	run.Stage = "engine " + by.Name
	if err := q.Supports(by, q.task()); err != nil {
		return nil, err
	}
	ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	if opt.Criterion == TRF || opt.Criterion == State {
		run.Stage = "criterion " + string(opt.Criterion)
	}
	return supervise.Run(ctx, run.Stage, supervise.OfStage(opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		if res, err := unsupported(ctx, q); err != nil || res != nil {
			return res, err
		}
		switch opt.Criterion {
		case TRF:
			return q.triangles(ctx)
		case State:
			return q.states(ctx)
		default:
			return q.attacks(ctx, by)
		}
	})
}

// unsupported answers if an execution reaches a construct that is not supported. If none does, the
// question is about the program without these constructs. It is enough to search under SC: if that
// program is robust, no execution under the model gets further, and if it is not, its attack does not need
// the constructs. Final states are compared under both models.
func unsupported(ctx context.Context, q *query) (*verdict.Result, error) {
	model := memory.SC
	c := &pipeline.Conclusion{Question: verdict.Robustness, Model: q.model, Engine: q.opt.engine().Name, Given: q.opt.Given()}
	switch q.opt.Criterion {
	case TRF:
		c.Question, c.Engine = verdict.TriangularRaces, "trf"
	case State:
		model, c.Question, c.Engine = q.model, verdict.StateRobustness, "explicit"
	}
	flat, out, err := pipeline.Reachable(ctx, q.Program, q.flat, model, &q.opt.Options)
	if err != nil || out == nil {
		q.flat = flat
		return nil, err
	}
	c.Outcome = out
	return q.Conclude(c), nil
}

// query is the question about a flat program and one model.
type query struct {
	*pipeline.Program
	flat  *ir.Program
	model memory.Model
	opt   Options
}

// task makes the task of the search for attacks.
func (q *query) task() *engine.Task {
	task := q.RobustTask(q.flat, q.model, &q.opt.Options)
	task.KeepGoing = q.opt.KeepGoing
	return task
}

// attacks looks for attacks: stores delayed past loads, or past stores, that close a cycle.
func (q *query) attacks(ctx context.Context, by *engine.Engine) (*verdict.Result, error) {
	out, err := pipeline.RunEngine(ctx, by, q.task())
	if err != nil {
		return nil, err
	}
	name := by.Name
	out, other, err := pipeline.TwoDelays(ctx, q.ExploreTask(q.flat, q.model, &q.opt.Options), out)
	switch {
	case err != nil:
		return nil, err
	case other != nil:
		name = other.Name
		if len(out.Violations) > 0 && q.opt.KeepGoing {
			out.Unknown = "more than one thread delays in this one, and one such attack is searched for"
		}
	}
	supervise.Answered(ctx) // what is left is replay
	var found []verdict.Attack
	for _, v := range q.wanted(out) {
		a, err := q.Attack(q.flat, q.model, &v)
		if err != nil {
			return nil, fmt.Errorf("the witness of an attack does not hold: %w", err)
		}
		found = append(found, *a)
	}
	c := &pipeline.Conclusion{Question: verdict.Robustness, Model: q.model, Engine: name, Outcome: out, Given: q.opt.Given()}
	if len(found) > 0 {
		c.Violation = &verdict.Violation{Reason: found[0].String(), Pos: found[0].Store}
	}
	res := q.Conclude(c)
	res.Attacks = found
	q.CarrySources(res)
	q.mayBeMore(res, out, "attacks")
	return res, nil
}

// wanted returns the violations that are shown: all, or one of a level of the search.
func (q *query) wanted(out *engine.Outcome) []engine.Violation {
	if !q.opt.KeepGoing && len(out.Violations) > 1 {
		return out.Violations[:1]
	}
	return out.Violations
}

// mayBeMore warns if a search for all violations did not finish.
func (q *query) mayBeMore(res *verdict.Result, out *engine.Outcome, what string) {
	if res.Verdict == verdict.Unsafe && q.opt.KeepGoing && out.Unknown != "" {
		res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0908", Message: "there may be further " + what + ": " + out.Unknown})
	}
}
