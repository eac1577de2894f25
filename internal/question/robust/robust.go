package robust

import (
	"context"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "robust"

// about returns the question.
func about(o *query.RobustOptions) verdict.Question {
	switch o.Criterion {
	case query.CriterionTRF:
		return verdict.TriangularRaces
	case query.CriterionState:
		return verdict.StateRobustness
	default:
		return verdict.Robustness
	}
}

// models returns the memory models that the question is about, each once.
func models(o *query.RobustOptions) (out []memory.Model) {
	for _, name := range o.Models.OrTSO() {
		if m, err := pipeline.ParseAnyModel(name); err == nil && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// engineOf returns the engine for the method asked for.
func engineOf(o *query.RobustOptions) *engine.Engine {
	if o.Method == query.MethodInstrument {
		return pipeline.Engine("instrument", nil)
	}
	return pipeline.Engine("robust", nil)
}

// Run answers, for each model, whether every execution of the program has the happens-before relation of an
// SC execution. The program's own questions play no part. With KeepGoing it finds every attack, else one.
func Run(ctx context.Context, in query.Input, opt query.RobustOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	models := models(&opt) // Validate reports an unknown one
	var names query.Models
	for _, m := range models {
		names = append(names, query.Model(m.String()))
	}
	run.Asks(about(&opt), names...)
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
			res, err := ask(ctx, run, &question{Program: run.Program, flat: flat, model: model, opt: opt})
			if none := run.Undecided(query.Model(model.String()), err); none != nil && len(models) > 1 { // the answers under other models stay
				res, err = none, nil
			}
			if err != nil {
				return nil, err
			}
			run.Restrict(res, &opt.Options)
			if err := certify(ctx, run, &question{Program: run.Program, flat: flat, model: model, opt: opt}, res); err != nil {
				return nil, err
			}
			results = append(results, *res)
		}
		return results, nil
	})
}

// ask answers the question about one model.
func ask(ctx context.Context, run *pipeline.Run, q *question) (*verdict.Result, error) {
	opt := &q.opt
	if memory.HasC11 && q.model == memory.C11 {
		return againstC11(ctx, run, q)
	}
	by := engineOf(opt)
	run.Stage = "engine " + by.Name
	if err := q.Supports(by, q.task()); err != nil {
		return nil, err
	}
	ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	if opt.Criterion == query.CriterionTRF || opt.Criterion == query.CriterionState {
		run.Stage = "criterion " + string(opt.Criterion)
	}
	return supervise.Run(ctx, run.Stage, supervise.OfStage(opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		if res, err := unsupported(ctx, q); err != nil || res != nil {
			return res, err
		}
		switch opt.Criterion {
		case query.CriterionTRF:
			return q.triangles(ctx)
		case query.CriterionState:
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
func unsupported(ctx context.Context, q *question) (*verdict.Result, error) {
	model := memory.SC
	c := &pipeline.Conclusion{Question: verdict.Robustness, Model: q.model, Engine: engineOf(&q.opt).Name, Given: pipeline.GivenBy(&q.opt.Options)}
	switch q.opt.Criterion {
	case query.CriterionTRF:
		c.Question, c.Engine = verdict.TriangularRaces, "trf"
	case query.CriterionState:
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
type question struct {
	*pipeline.Program
	flat  *ir.Program
	model memory.Model
	opt   query.RobustOptions
}

// task makes the task of the search for attacks.
func (q *question) task() *engine.Task {
	task := q.RobustTask(q.flat, q.model, &q.opt.Options)
	task.KeepGoing = q.opt.KeepGoing
	return task
}

// attacks looks for attacks: stores delayed past loads, or past stores, that close a cycle.
func (q *question) attacks(ctx context.Context, by *engine.Engine) (*verdict.Result, error) {
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
	found, err := replayed(q.wanted(out), "an attack", func(v *engine.Violation) (*verdict.Attack, error) { return q.Attack(q.flat, q.model, v) })
	if err != nil {
		return nil, err
	}
	var first *verdict.Violation
	if len(found) > 0 {
		first = &verdict.Violation{Reason: found[0].String(), Pos: found[0].Store}
	}
	return q.conclude(verdict.Robustness, name, out, first, "attacks", func(r *verdict.Result) { r.Attacks = found }), nil
}

// wanted returns the violations that are shown: all, or one of a level of the search.
func (q *question) wanted(out *engine.Outcome) []engine.Violation {
	if !q.opt.KeepGoing && len(out.Violations) > 1 {
		return out.Violations[:1]
	}
	return out.Violations
}

// mayBeMore warns if a search for all violations did not finish.
func (q *question) mayBeMore(res *verdict.Result, out *engine.Outcome, what string) {
	if res.Verdict == verdict.Unsafe && q.opt.KeepGoing && out.Unknown != "" {
		res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0908", Message: "there may be further " + what + ": " + out.Unknown})
	}
}
