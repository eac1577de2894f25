package robust

import (
	"context"
	"fmt"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// Engine is robustness against TSO, or against PSO if that is the task's model.
var Engine = engine.Engine{
	Name:     "robust",
	Doc:      "robustness against TSO or PSO by attacks",
	Papers:   []string{"BDM13"},
	Supports: supports,
	Run:      Run,
}

// AttacksFirst is Engine with another order of the search (order.go): the first attacks are found in fewer
// states, with executions that may be longer.
var AttacksFirst = engine.Engine{
	Name:     Engine.Name,
	Doc:      Engine.Doc,
	Papers:   Engine.Papers,
	Supports: supports,
	Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
		return run(ctx, task, true)
	},
}

// Run answers the task: the violations of the outcome are feasible attacks, one
// unless the task keeps going. With NoReduction there are no filters.
func Run(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
	return run(ctx, task, false)
}

func run(ctx context.Context, task *engine.Task, attacksFirst bool) (*engine.Outcome, error) {
	if err := supports(task); err != nil {
		return nil, err
	}
	model := against(task)
	if out := task.SetUp(ctx, engine.Compiling, engine.Compiling, engine.Reducing, engine.Attacking); out != nil {
		return out, nil
	}
	pl := newPlan(ctx, task.Program, model, allFilters(!task.NoReduction), everyAttack(task.KeepGoing))
	y := memory.New(task.Program, model, memory.Options{Attacks: true})
	eager := reduce.NewPlan(y, reduce.Options{})
	var exchanged [][]ir.ThreadID
	if !task.NoReduction && !task.KeepGoing {
		exchanged = groups(task.Program)
	}
	if ctx.Err() == nil {
		pl.doubts = findDoubts(task.Program, pl)
		pl.held = heldStores(task.Program, model)
	}
	after := int64(byDistance)
	if attacksFirst {
		after = 0
	}
	out, err := explore(ctx, task, pl, question{
		y: y, ranked: attacksFirst || !task.KeepGoing, after: after,
		worker: func() (search.Worker, *memory.State) {
			x := newExplorer(eager, pl, task.KeepGoing, exchanged)
			x.attacksFirst = attacksFirst
			return x, x.s
		},
		violation: func(res *search.Result, f search.Finding) (engine.Violation, bool, error) {
			v, err := violation(task.Program, newExplorer(eager, pl, task.KeepGoing, exchanged), res, f)
			if err == nil {
				task.Rebuilt(ctx, len(v.Witness.Steps))
			}
			return v, true, err
		},
	})
	if err != nil {
		return nil, err
	}
	if len(out.Violations) == 0 && out.Unknown == "" {
		out.Unknown = pl.doubts.incomplete()
	}
	return out, nil
}

// against returns the model that the task asks about.
func against(task *engine.Task) memory.Model {
	if task.Model == memory.PSO {
		return memory.PSO
	}
	return memory.TSO
}

// question is one question that a search answers.
type question struct {
	y      *memory.System
	ranked bool                                  // workers rank states
	after  int64                                 // how many states there are before ranks count
	worker func() (search.Worker, *memory.State) // one per goroutine, with its state
	// violation turns a finding into an execution, if there is one that shows it.
	violation func(*search.Result, search.Finding) (engine.Violation, bool, error)
}

// explore runs the search, unless the filters leave nothing to look for.
func explore(ctx context.Context, task *engine.Task, pl *plan, q question) (*engine.Outcome, error) {
	start := time.Now()
	out := &engine.Outcome{}
	if ctx.Err() != nil { // the plan is not complete
		return task.Explored(ctx, &search.Result{Stop: search.OutOfTime}), nil
	}
	if pl.filters.Left == 0 && !bounded(task.Program) {
		out.Coverage.Exhaustive = true
	} else if err := q.search(ctx, task, out); err != nil {
		return nil, err
	}
	out.Stats.Filters = &pl.filters
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// search turns what it finds into violations.
func (q *question) search(ctx context.Context, task *engine.Task, out *engine.Outcome) error {
	start := time.Now()
	var states []*memory.State
	problem := task.SearchProblem(start, func() search.Worker {
		x, s := q.worker()
		states = append(states, s)
		return x
	})
	problem.Ranked, problem.RankedAfter = q.ranked, q.after
	res := search.Run(ctx, problem)
	*out = *task.Explored(ctx, res)
	for _, f := range res.Findings {
		v, shown, err := q.violation(res, f)
		if err != nil {
			return err
		}
		if shown {
			out.Violations = append(out.Violations, v)
		}
	}
	cover(q.y, states, res, out)
	return nil
}

// cover says how far the search reaches, given the states of all workers.
func cover(y *memory.System, states []*memory.State, res *search.Result, out *engine.Outcome) {
	out.Coverage.Exhaustive = res.Stop == search.Complete
	for i, e := range y.Edges() {
		hit := false
		for _, s := range states {
			hit = hit || s.Bounds[i]
		}
		if hit {
			out.Coverage.Exhaustive = false
			out.Coverage.Bounds = append(out.Coverage.Bounds, engine.BoundAt(e))
		}
	}
}

// bounded reports whether some path of the program is cut off by a bound of a
// pass; only a search tells whether it is reached.
func bounded(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.CutsOff() || op.Kind == ir.Spawn && len(op.Call.Threads) > 1 {
				return true
			}
		}
	}
	return false
}

// maxThreads fit the set of involved helpers.
const maxThreads = 32

func supports(t *engine.Task) error {
	if err := engine.NoGlobalFence("robust", t.Program); err != nil {
		return err
	}
	if err := t.NoLoadSection("robust"); err != nil {
		return err
	}
	p := t.Program
	if p.Form != ir.Flat {
		return fmt.Errorf("robust takes flat programs")
	}
	if len(p.Threads) > maxThreads {
		return fmt.Errorf("robust takes at most %d threads", maxThreads)
	}
	for i := range p.Threads {
		if p.Threads[i].Unbounded {
			return fmt.Errorf("thread %s stands for any number of threads; give --threads", p.Threads[i].Name)
		}
	}
	return engine.TriesInputs("robust", p)
}
