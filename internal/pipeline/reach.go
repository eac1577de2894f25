package pipeline

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Constructs that are not supported. The front end makes an operation ir.Unsupported of each, and
// engines cut executions off there, as at a bound that the user cannot set. So no engine answers safe
// if an execution of its coverage reaches one (ADR 0016).
//
// The program's own questions go on beside such executions: a violation elsewhere counts. If there
// is none, showReached finds the execution that reaches the construct, by the engine that met it.
// The questions about all executions (robustness, traces, proofs, fences, any number of threads) ask
// Reachable first. If some execution reaches a construct, the answer is unknown; if none does, the
// program without the constructs has the same executions.

// showReached adds to an outcome without violations the construct that is not supported and that
// executions reach, with such an execution. The engine asks for one: the constructs become checks.
// Within the bounds of an unfinished search another violation may come first; then it counts.
func showReached(ctx context.Context, p *Program, a *Asking, task *engine.Task, out *engine.Outcome) error {
	met := out.Coverage.Beyond()
	if met == nil || len(out.Violations) > 0 && !onlyObserved(p, out) {
		return nil
	}
	out.Coverage.Unsupported = &verdict.Unsupported{Code: met.Code, Message: met.What, Pos: met.Pos}
	if ctx.Err() != nil {
		return nil
	}
	asking := *task
	asking.Program = transform.UnsupportedAsChecks(task.Program, false)
	asking.Props = checksOnly(p.Props)
	asking.KeepGoing, asking.Finals, asking.WitnessFinal, asking.Progress = false, false, nil, nil
	found, err := a.Engine.Run(ctx, &asking)
	if err != nil {
		return err
	}
	if len(found.Violations) == 0 {
		if found.Unknown == "" && found.Coverage.Exhaustive {
			notReached(out)
		}
		return nil
	}
	v := &found.Violations[0]
	if v.Class != ir.NotSupported && !p.Props.Checks {
		return nil // an error of the program that is not asked about
	}
	if err := p.prepare(ctx, a, &asking, v); err != nil {
		return err
	}
	if v.Class != ir.NotSupported {
		out.Violations, out.Coverage.Unsupported = append(out.Violations, *v), nil
		return nil
	}
	if err := p.Replay(task.Program, a.Model, v); err != nil {
		return fmt.Errorf("the execution that reaches an unsupported construct does not replay: %w", err)
	}
	out.Coverage.Unsupported = reached(task.Program, v, a.Model)
	return nil
}

// notReached removes the constructs that are not supported from the bounds of an outcome: its search took more
// executions to be possible than are, and none that is possible reaches one.
func notReached(out *engine.Outcome) {
	c := &out.Coverage
	c.Unsupported = nil
	c.Bounds = slices.DeleteFunc(slices.Clone(c.Bounds), func(b verdict.Bound) bool { return b.Name == verdict.BoundUnsupported })
	c.Exhaustive = out.Unknown == "" && len(c.Met()) == 0
}

// onlyObserved reports whether all violations are observations that the final condition asks for.
func onlyObserved(p *Program, out *engine.Outcome) bool {
	for i := range out.Violations {
		if out.Violations[i].Kind != engine.FinalViolated || !p.Observes() {
			return false
		}
	}
	return true
}

// checksOnly returns the checks of a set of properties as the only question.
func checksOnly(props *property.Set) *property.Set {
	only := *props
	only.Checks, only.Goals, only.Final, only.Deadlock, only.Endless, only.Fairness = true, nil, nil, false, false, 0
	return &only
}

// reached returns the construct that a violation of class ir.NotSupported reaches.
func reached(flat *ir.Program, v *engine.Violation, model memory.Model) *verdict.Unsupported {
	_, e, ok := flat.EdgeByID(v.Edge)
	if !ok {
		panic("BUG: an execution reaches an operation that the program does not have")
	}
	return &verdict.Unsupported{Code: e.Op.Report.Code, Message: e.Op.Report.Msg, Pos: engine.Pos(e), Witness: v.Witness, Model: model.String()}
}

// Reachable says whether an execution of a flat program under a model reaches a construct that is not
// supported. If none does, it returns the program without these constructs. Else, or if that cannot
// be decided, the outcome is the answer to every question about all executions.
func Reachable(ctx context.Context, p *Program, flat *ir.Program, model memory.Model, opt *query.Options) (*ir.Program, *engine.Outcome, error) {
	first := transform.FirstUnsupported(flat)
	if first == nil {
		return flat, nil, nil
	}
	e := Engines(nil)[0]
	task := p.Task(transform.UnsupportedAsChecks(flat, true), model, opt)
	task.Props = checksOnly(&property.Set{})
	if err := e.Supports(task); err != nil {
		return flat, MayReach(first, err.Error()), nil
	}
	out, err := e.Run(ctx, task)
	if err != nil {
		return nil, nil, err
	}
	v := notSupported(out)
	if v == nil && len(out.Violations) > 0 { // another error came first
		task.KeepGoing = true
		if out, err = e.Run(ctx, task); err != nil {
			return nil, nil, err
		}
		v = notSupported(out)
	}
	switch {
	case v != nil:
		if err := p.prepare(ctx, &Asking{Engine: e, Model: model, Under: model}, task, v); err != nil {
			return nil, nil, err
		}
		if err := p.Replay(flat, model, v); err != nil {
			return nil, nil, fmt.Errorf("the execution that reaches an unsupported construct does not replay: %w", err)
		}
		met := &engine.Outcome{Stats: out.Stats}
		_, at, _ := flat.EdgeByID(v.Edge)
		met.Coverage = verdict.Coverage{Bounds: []verdict.Bound{engine.BoundAt(at)}, Unsupported: reached(flat, v, model)}
		return flat, met, nil
	case out.Unknown != "":
		return flat, MayReach(first, out.Unknown), nil
	case !out.Coverage.Exhaustive:
		return flat, MayReach(first, "searched within "+out.Coverage.BoundText()), nil
	default:
		return transform.WithoutUnsupported(flat), nil, nil
	}
}

// notSupported returns the violation that reaches a construct that is not supported, or nil.
func notSupported(out *engine.Outcome) *engine.Violation {
	for i := range out.Violations {
		if v := &out.Violations[i]; v.Kind == engine.CheckFailed && v.Class == ir.NotSupported {
			return v
		}
	}
	return nil
}

// MayReach returns the outcome where it is not known whether an execution reaches a construct that is
// not supported.
func MayReach(e *ir.Edge, why string) *engine.Outcome {
	return &engine.Outcome{Unknown: fmt.Sprintf("an execution may reach %s, which is not supported (%s): %s", posText(e), e.Op.Report.Msg, why)}
}

// posText returns the position of an edge.
func posText(e *ir.Edge) string {
	if pos := engine.Pos(e); pos != nil {
		return pos.String()
	}
	return "a construct"
}

// ReachedReason is why an answer is unknown if an execution reaches a construct that is not supported.
func ReachedReason(u *verdict.Unsupported) string {
	return "an execution reaches a construct that is not supported: " + u.String()
}
