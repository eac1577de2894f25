package robust

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// triangles answers whether the program is free of triangular races.
func (q *question) triangles(ctx context.Context) (*verdict.Result, error) {
	by := pipeline.Engine("trf", nil)
	task := q.task()
	task.Model = memory.SC
	out, err := pipeline.RunEngine(ctx, by, task)
	if err != nil {
		return nil, err
	}
	supervise.Answered(ctx) // what is left is replay
	found, err := replayed(q.wanted(out), "a race", func(v *engine.Violation) (*verdict.Triangle, error) { return q.Triangle(q.flat, v) })
	if err != nil {
		return nil, err
	}
	var first *verdict.Violation
	if len(found) > 0 {
		first = &verdict.Violation{Reason: found[0].String(), Pos: found[0].Store}
	}
	return q.conclude(verdict.TriangularRaces, by.Name, out, first, "races", func(r *verdict.Result) { r.Triangles = found }), nil
}

// replayed returns what the violations show.
func replayed[T any](violations []engine.Violation, what string, replay func(*engine.Violation) (*T, error)) ([]T, error) {
	var found []T
	for i := range violations {
		shown, err := replay(&violations[i])
		if err != nil {
			return nil, fmt.Errorf("the witness of %s does not hold: %w", what, err)
		}
		found = append(found, *shown)
	}
	return found, nil
}

// conclude assembles the result of a search that found things of a kind, with the violation of the first.
func (q *question) conclude(about verdict.Question, engine string, out *engine.Outcome, first *verdict.Violation, kind string, put func(*verdict.Result)) *verdict.Result {
	c := &pipeline.Conclusion{Question: about, Model: q.model, Engine: engine, Outcome: out, Given: pipeline.GivenBy(&q.opt.Options)}
	c.Violation = first
	res := q.Conclude(c)
	put(res)
	q.CarrySources(res)
	q.mayBeMore(res, out, kind)
	return res
}

// states answers whether a model has the final states of SC. A failed check ends an
// execution before it has a final state, so a check that fails only under the model counts as a state
// that SC does not have.
func (q *question) states(ctx context.Context) (*verdict.Result, error) {
	model := q.model
	sc, err := q.finals(ctx, memory.SC, nil)
	if err != nil {
		return nil, err
	}
	c := &pipeline.Conclusion{Question: verdict.StateRobustness, Model: model, Engine: "explicit", Outcome: sc, Given: pipeline.GivenBy(&q.opt.Options)}
	if sc.Unknown != "" {
		unknown := *sc
		unknown.Unknown = "the final states under SC are not known: " + sc.Unknown
		c.Outcome = &unknown
		return q.concludeStates(c), nil
	}
	known := map[string]bool{}
	for _, s := range sc.Finals {
		known[s] = true
	}
	out, err := q.finals(ctx, model, func(final string) bool { return !known[final] })
	if err != nil {
		return nil, err
	}
	supervise.Answered(ctx) // what is left is replay
	if c.Violation, err = q.newState(model, sc, out); err != nil {
		return nil, err
	}
	both := *out
	c.Outcome = &both
	both.Stats.States += sc.Stats.States
	both.Stats.Transitions += sc.Stats.Transitions
	both.Stats.Seconds += sc.Stats.Seconds
	if !sc.Coverage.Exhaustive {
		both.Coverage.Exhaustive = false
		both.Coverage.Bounds = append(slices.Clone(sc.Coverage.Bounds), both.Coverage.Bounds...)
	}
	switch {
	case c.Violation != nil:
	case !q.Props.ShowsFinals():
		c.Open = "the program has no variable to look at in final states"
	case len(sc.Finals) == 0 && len(out.Finals) == 0:
		c.Open = "no execution comes to an end, so there are no final states"
	}
	res := q.concludeStates(c)
	if c.Violation != nil && !sc.Coverage.Exhaustive {
		res.Verdict, res.Reason = verdict.Unknown, "the final states under SC are known only within bounds; "+res.Reason
	}
	return res, nil
}

func (q *question) concludeStates(c *pipeline.Conclusion) *verdict.Result {
	res := q.Conclude(c)
	res.LeftOut = q.NotShown()
	return res
}

// finals collects the final states under a model. want picks the states that need an execution.
func (q *question) finals(ctx context.Context, model memory.Model, want func(string) bool) (*engine.Outcome, error) {
	props := *q.Props
	props.Goals, props.Final, props.Deadlock = nil, nil, false // a failed check is an end, too
	task := q.With(&props).Task(q.flat, model, &q.opt.Options)
	task.WitnessFinal = want
	out, _, err := pipeline.AllFinals(ctx, task, &q.opt.Options)
	return out, err
}

// NewFinalState begins the reason of a program that is not state-robust.
const NewFinalState = "a final state that SC does not have: "

// newState returns the first failed check or final state that SC does not have, replayed; nil if there
// is none.
func (q *question) newState(model memory.Model, sc, out *engine.Outcome) (*verdict.Violation, error) {
	rm, err := replay.ParseModel(model.String())
	if err != nil {
		return nil, err
	}
	fails := map[failure]bool{}
	for i := range sc.Violations {
		fails[failureOf(&sc.Violations[i])] = true
	}
	for i := range out.Violations {
		v := &out.Violations[i]
		switch {
		case v.Kind == engine.CheckFailed && !fails[failureOf(v)]:
			if err := q.Replay(q.flat, model, v); err != nil {
				return nil, fmt.Errorf("the witness of a failed check does not replay: %w", err)
			}
			q.AddTexts(v.Witness)
			one := q.Describe(v)
			return &verdict.Violation{Reason: "an error that SC does not have: " + one.Reason, Pos: one.Pos, Witness: v.Witness}, nil
		case v.Kind == engine.FinalReached:
			if err := replay.Replay(q.flat, q.Props, rm, v.Witness, replay.Expect{Target: replay.TargetState, Final: v.Final}); err != nil {
				return nil, fmt.Errorf("the witness of a final state does not replay: %w", err)
			}
			q.AddTexts(v.Witness)
			return &verdict.Violation{Reason: NewFinalState + v.Final, Witness: v.Witness}, nil
		}
	}
	return nil, nil
}

// failure is a check that fails.
type failure struct {
	class ir.CheckClass
	edge  ir.EdgeID
}

// failureOf returns the check that fails. A store that fails when it reaches memory fails where it was
// issued: under SC the two are one.
func failureOf(v *engine.Violation) failure {
	f := failure{v.Class, v.Edge}
	if w := v.Witness; v.Edge == ir.NoEdge && w != nil && len(w.Steps) > 0 {
		if of := w.Steps[len(w.Steps)-1].Of; of >= 0 {
			f.edge = ir.EdgeID(w.Steps[of].Edge)
		}
	}
	return f
}
