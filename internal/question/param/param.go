package param

import (
	"context"
	"errors"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/engine/param"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/internal/supervise"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// The commands, as results store them.
const (
	CheckCommand  = "check --param"
	RobustCommand = "robust --param"
)

// StoredCheck is how results store the options of Check: with the memory model, of which the question has one.
type StoredCheck struct {
	query.CheckOptions
	Model query.Model
}

// checkModel returns the memory model of Check.
func checkModel(o *query.CheckOptions) (memory.Model, error) {
	if len(o.Models) == 1 && (o.Models[0] == query.SC || o.Models[0] == query.TSO) {
		return pipeline.ParseModel(o.Models[0])
	}
	return 0, &query.OptionError{Option: "memory models for any number of threads", Value: o.Models.OrTSO().String(), Want: "sc or tso"}
}

// Robust answers whether all instances of a program are robust against TSO.
func Robust(ctx context.Context, in query.Input, opt query.RobustOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	opt.AnyThreads = true
	run.Asks(verdict.Robustness, query.TSO)
	return run.Answer(ctx, RobustCommand, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		q := &question{Run: run, question: param.Robust, model: memory.SC, common: opt.Options, domain: opt.Domain}
		q.ask = func(ctx context.Context, common query.Options) (query.Answer, error) {
			fixed := opt
			fixed.Options, fixed.AnyThreads = common, false
			return robust.Run(ctx, in, fixed)
		}
		return q.run(ctx, false)
	})
}

// Check answers whether assertions and goals hold in all instances, under SC or TSO.
func Check(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	model, err := checkModel(&opt)
	if err != nil {
		return query.Answer{}, err
	}
	run := pipeline.Open(in)
	run.Asks("", opt.Models[0])
	return run.Answer(ctx, CheckCommand, StoredCheck{opt, opt.Models[0]}, func(ctx context.Context) ([]verdict.Result, error) {
		if err := opt.Validate(); err != nil {
			return nil, err
		}
		q := &question{Run: run, question: param.Safety, model: model, common: opt.Options, domain: opt.Domain}
		q.ask = func(ctx context.Context, common query.Options) (query.Answer, error) {
			fixed := opt
			fixed.Options, fixed.Endless = common, query.Endless{Liveness: query.LivenessOff}
			return check.Run(ctx, in, fixed)
		}
		q.endless = opt.Endless
		return q.run(ctx, opt.Deadlock)
	})
}

// query is the question about a program.
type question struct {
	*pipeline.Run
	question param.Question
	model    memory.Model // of the checks
	common   query.Options
	domain   *query.Domain
	endless  query.Endless // refused, if the user asks which loops end
	// ask asks an engine for fixed threads about an instance.
	ask func(context.Context, query.Options) (query.Answer, error)
}

// given says which bounds the user set.
func (q *question) given() pipeline.Given {
	g := pipeline.GivenBy(&q.common)
	g.Domain = q.domain != nil
	return g
}

func (q *question) run(ctx context.Context, deadlock bool) ([]verdict.Result, error) {
	q.common.Threads = 0
	if err := q.Read(ctx, pipeline.ReadOptions{Options: q.common}); err != nil {
		return nil, err
	}
	q.Stage = "passes"
	if q.common.Replicate == "" {
		q.common.Replicate = q.Replicated()
	}
	flat, err := q.FlattenTemplates(q.common)
	if err != nil {
		return nil, err
	}
	if err := q.ListsInputs(flat, "any number of threads"); err != nil {
		return nil, err
	}
	if q.question == param.Safety && q.Props.Empty() {
		return nil, q.Refuse(verdict.Diagnostic{
			Code:    "FP0900",
			Message: "no assertion, goal or final condition: there is nothing to check",
			Notes:   []string{"add an assert, a goal or a final condition; or use `fencepost robust`"},
		})
	}
	ctx, cancel := supervise.TimeLimit(ctx, q.common.Timeout)
	defer cancel()
	q.Stage = "any number of threads"
	props := *q.Props
	unasked := props.Deadlock && !deadlock && q.question == param.Safety
	props.Deadlock = deadlock
	pipeline.AskEndless(&q.endless, &props)
	q.Props = &props // what the answer says was asked
	res, err := supervise.Run(ctx, "the search for any number of threads", supervise.OfStage(q.common.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		ctx = supervise.Apart(ctx)
		flat, res, err := unsupported(ctx, q, flat)
		if err != nil || res != nil {
			return res, err
		}
		return q.decide(ctx, &engine.Task{Program: flat, Props: &props, Model: q.model, Limits: engine.Limits{Memory: q.common.Memory}})
	})
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return nil, q.Refuse(q.Unsupported(err))
	}
	if err != nil {
		return nil, err
	}
	if unasked && res.Verdict != verdict.Unsafe {
		res.Warnings = append(res.Warnings, verdict.Warning{
			Code: "FP0914", Message: "deadlock is not part of this answer: it cannot be decided for any number of threads",
		})
	}
	return []verdict.Result{*res}, nil
}

// unsupported answers if an execution of some instance may reach a construct that is not supported: the
// constructs become checks, and engine param decides whether one fails. If none does, it returns the
// program without them.
func unsupported(ctx context.Context, q *question, flat *ir.Program) (*ir.Program, *verdict.Result, error) {
	first := transform.FirstUnsupported(flat)
	if first == nil {
		return flat, nil, nil
	}
	task := &engine.Task{Program: transform.UnsupportedAsChecks(flat, true), Props: &property.Set{Checks: true}, Model: q.model, Limits: engine.Limits{Memory: q.common.Memory}}
	a, err := decideAll(ctx, task, param.Safety, q.domain)
	if err != nil {
		return nil, nil, err
	}
	var met *engine.Outcome
	instance := 0
	switch {
	case a.Possible:
		met = &engine.Outcome{Stats: a.Stats, Coverage: verdict.Coverage{Bounds: []verdict.Bound{engine.BoundAt(first)}}}
		for n := 1; n <= maxInstance && instance == 0; n++ {
			if met.Coverage.Unsupported, err = reachedBy(ctx, q, n); err != nil {
				return nil, nil, err
			}
			if met.Coverage.Unsupported.Shown() {
				instance = n
			}
		}
	case a.Unknown != "":
		met = pipeline.MayReach(first, a.Unknown)
	case !a.Coverage.Exhaustive:
		met = pipeline.MayReach(first, "searched within "+a.Coverage.BoundText())
	default:
		return transform.WithoutUnsupported(flat), nil, nil
	}
	c := &pipeline.Conclusion{Question: q.Question(), Model: q.model, Engine: engineOf(q.model), Given: q.given(), Outcome: met}
	if q.question == param.Robust {
		c.Question, c.Model = verdict.Robustness, memory.TSO
	}
	met.Coverage.Threads = verdict.AnyThreads
	res := q.Conclude(c)
	res.Instance = instance
	return flat, res, nil
}

// reachedBy returns the construct that an instance reaches, with the execution; nil if it reaches none.
func reachedBy(ctx context.Context, q *question, n int) (*verdict.Unsupported, error) {
	common := q.common
	common.Threads, common.Instances = n, n
	answer, err := q.ask(ctx, common)
	if err != nil || answer.HasErrors() {
		return nil, err
	}
	return answer.Results[0].Coverage.Unsupported, nil
}

// maxInstance is the largest instance tried before engine param has an answer.
const maxInstance = 4

// engineOf returns the name of the engine for any number of threads.
func engineOf(model memory.Model) string {
	if model == memory.TSO {
		return "dual"
	}
	return "param"
}

// decideAll asks the engine for any number of threads: param, or dual about checks under TSO.
func decideAll(ctx context.Context, task *engine.Task, what param.Question, domain *query.Domain) (*param.Answer, error) {
	if task.Model != memory.TSO {
		return param.Decide(ctx, task, what, domain)
	}
	a, err := dual.Decide(ctx, task, domain)
	if err != nil {
		return nil, err
	}
	return &param.Answer{Possible: a.Possible, Enough: a.Enough, Unknown: a.Unknown, Coverage: a.Coverage, Stats: a.Stats}, nil
}

// decided is the answer of the engine for any number of threads.
type decided struct {
	a   *param.Answer
	err error
}

// decide runs both searches. An answer of engine param that no instance can change ends the search of
// the instance at hand.
func (q *question) decide(ctx context.Context, task *engine.Task) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	instances, enough := context.WithCancel(ctx)
	defer enough()
	all := make(chan decided, 1)
	go func() {
		var d decided
		defer func() {
			if r := recover(); r != nil {
				d.err = fmt.Errorf("engine %s: %s", engineOf(q.model), supervise.Broken(r))
			}
			all <- d
			if d.final() {
				enough()
			}
		}()
		d.a, d.err = decideAll(ctx, task, q.question, q.domain)
	}()
	n := q.Props.LeastInstance()
	for ; n <= maxInstance && instances.Err() == nil; n++ {
		res, err := q.instance(instances, n)
		if instances.Err() != nil && ctx.Err() == nil && (err != nil || res == nil) {
			break // engine param has an answer, and this instance none
		}
		if err != nil || res != nil {
			return res, err
		}
	}
	return q.conclude(ctx, <-all, n)
}

// final reports whether no search of instances can change the answer. An answer that knows nothing, or
// that leaves out executions, waits for these searches: the answer must not depend on which search is
// faster, and a small instance may violate what holds within bounds.
func (d *decided) final() bool {
	return d.err != nil || d.a.Possible || d.a.Coverage.Exhaustive
}

// conclude makes the answer once engine param has an answer. Instances below n were asked already.
func (q *question) conclude(ctx context.Context, d decided, n int) (*verdict.Result, error) {
	if d.err != nil {
		return nil, d.err
	}
	a := d.a
	c := &pipeline.Conclusion{
		Question: q.Question(), Model: q.model, Engine: engineOf(q.model), Given: q.given(),
		Outcome: &engine.Outcome{Coverage: a.Coverage, Stats: a.Stats, Unknown: a.Unknown},
	}
	if q.question == param.Robust {
		c.Question, c.Model = verdict.Robustness, memory.TSO
	}
	c.Outcome.Coverage.Threads = verdict.AnyThreads
	if a.Net.Places > 0 { // there is a net
		c.Outcome.Stats.Net = &verdict.Net{PetriPlaces: a.Net.Places, Transitions: a.Net.Transitions, Elements: a.Net.Elements, Tried: a.Net.Tried, Pruned: a.Net.Pruned}
	}
	if a.Unknown != "" || !a.Possible {
		return q.Conclude(c), nil
	}
	enough := max(a.Enough, q.Props.LeastInstance()) // fewer instances do not have the threads that the goals name
	for ; a.Enough == 0 || n <= enough; n++ {
		found, err := q.instance(ctx, n)
		if refused := (*tooMany)(nil); errors.As(err, &refused) {
			c.Open = fmt.Sprintf("some number of threads violates it, but %s", err)
			return q.Conclude(c), nil
		}
		if err != nil || found != nil {
			return found, err
		}
		if ctx.Err() != nil {
			c.Open = fmt.Sprintf("some number of threads violates it, but the time ended before an instance of %d threads was searched", n)
			return q.Conclude(c), nil
		}
	}
	return nil, fmt.Errorf("engines contradict each other: %s says that %d threads are enough for a violation, the others find none", engineOf(q.model), a.Enough)
}

// tooMany is an instance that the engines for fixed threads do not take.
type tooMany struct {
	n   int
	why string
}

func (t *tooMany) Error() string {
	return fmt.Sprintf("an instance of %d threads is refused: %s", t.n, t.why)
}

// instance asks about a fixed number of threads. It returns nil if nothing is wrong there.
func (q *question) instance(ctx context.Context, n int) (*verdict.Result, error) {
	common := q.common
	common.Threads, common.Instances = n, n
	answer, err := q.ask(ctx, common)
	if err != nil {
		return nil, err
	}
	if answer.HasErrors() {
		return nil, &tooMany{n, answer.Diagnostics[len(answer.Diagnostics)-1].Message}
	}
	if r := &answer.Results[0]; r.Verdict == verdict.Unsafe {
		r.Instance = n
		return r, nil
	}
	return nil, nil
}
