package explicit

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/fairness"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// Engine is explicit-state reachability.
var Engine = engine.Engine{
	Name:     "explicit",
	Doc:      "visits every reachable state",
	Papers:   []string{"BCDM15", "BDM13", "AAAJLS15"},
	Supports: supports,
	Run:      Run,
}

func supports(t *engine.Task) error {
	if err := t.TakesThreads("explicit"); err != nil {
		return err
	}
	return engine.TriesInputs("explicit", t.Program)
}

// GoalsFirst is Engine with another order of the search (guide.go): violations that exist are found in fewer
// states, with executions that may be longer.
var GoalsFirst = engine.Engine{
	Name:     Engine.Name,
	Doc:      Engine.Doc,
	Papers:   Engine.Papers,
	Supports: supports,
	Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
		return answer(ctx, task, true)
	},
}

// Run answers the task.
func Run(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
	return answer(ctx, task, false)
}

func answer(ctx context.Context, task *engine.Task, goalsFirst bool) (*engine.Outcome, error) {
	stages := []engine.Stage{engine.Compiling, engine.Reducing}
	if task.AsksLoops() {
		stages = append(stages, engine.Compiling, engine.Looping)
	}
	if out := task.SetUp(ctx, stages...); out != nil {
		return out, nil
	}
	x, err := newSearch(task, goalsFirst)
	if err != nil {
		return nil, err
	}
	x.Explore(ctx)
	if more := x.expecting(ctx); more != nil {
		x = more
	}
	out, err := x.Outcome(ctx)
	if err == nil && task.Props.Fairness != 0 && out.Unknown == "" && len(out.Violations) == 0 {
		err = addEndless(ctx, x.task, out)
	}
	return out, err
}

// addEndless adds a fair endless execution, if there is one.
func addEndless(ctx context.Context, task *engine.Task, out *engine.Outcome) error {
	start := time.Now()
	found, err := fairness.Search(ctx, task)
	if err != nil {
		return err
	}
	out.Unknown = found.Unknown
	out.Stats.States, out.Stats.Transitions = max(out.Stats.States, found.States), max(out.Stats.Transitions, found.Arcs)
	out.Stats.Seconds += time.Since(start).Seconds()
	if found.Violation != nil {
		out.Violations = append(out.Violations, *found.Violation)
	}
	met := slices.ContainsFunc(out.Coverage.Bounds, func(b verdict.Bound) bool { return b.Name == "buffer" })
	if found.Full != nil && !met { // stores to thread-private memory have buffers in this search
		out.Coverage.Exhaustive = false
		out.Coverage.Bounds = append(out.Coverage.Bounds,
			verdict.Bound{Name: "buffer", Value: task.Limits.Buffer, Hit: true, Pos: engine.Pos(found.Full)})
	}
	return nil
}

// system is the transition system of a task, with its reductions.
type system struct {
	mem    *memory.System
	plan   *reduce.Plan
	groups [][]ir.ThreadID // symmetric threads
}

// compile makes the transition system of a task: the registers and locations that its
// properties read stay alive and visible. private lets accesses to thread-private memory bypass
// the buffer. If runs is not nil, accesses of other edges are not expected.
func compile(task *engine.Task, private bool, runs func(ir.EdgeID) bool) *system {
	opt, eager := task.MemoryOptions(), task.EagerOptions()
	opt.Buffer, opt.Runs = task.Limits.Buffer, runs
	opt.Private = private && !eager.MemoryVisible
	eager.Reduce, eager.Bounded = !task.NoReduction, opt.Buffer > 0
	y := memory.New(task.Program, task.Model, opt)
	return &system{y, reduce.NewPlan(y, eager), symmetric(task)}
}

// reduces reports whether persistent sets may be used.
func reduces(task *engine.Task) bool { return !task.NoReduction && !task.GoalsReadMemory() }

// sleeps reports whether sleep sets are used. They name threads, which states up
// to symmetry do not. They keep one order of every execution that ends; an endless one has none.
func sleeps(task *engine.Task) bool {
	return reduces(task) && !task.AsksLoops() && symmetric(task) == nil
}

// summarise collects from all workers the bounds that were hit, the checks that were never
// reached, the threads that never ran, and the final states.
func summarise(task *engine.Task, y *memory.System, workers []*worker, res *search.Result, out *engine.Outcome) {
	complete := res.Stop == search.Complete
	any := func(pick func(*memory.State) []bool, i int) bool {
		for _, w := range workers {
			if pick(w.s)[i] {
				return true
			}
		}
		return false
	}
	var bufferHit *ir.Edge
	bounded := map[string]bool{}
	ran := covered(task, y, workers)
	for i, e := range y.Edges() {
		if bufferHit == nil && any(func(s *memory.State) []bool { return s.Blocked }, i) {
			bufferHit = e
		}
		if any(func(s *memory.State) []bool { return s.Bounds }, i) {
			if b := engine.BoundAt(e); !bounded[b.Name] {
				bounded[b.Name] = true
				out.Coverage.Bounds = append(out.Coverage.Bounds, b)
			}
		}
	}
	if bufferHit != nil {
		out.Coverage.Bounds = append(out.Coverage.Bounds,
			verdict.Bound{Name: "buffer", Value: task.Limits.Buffer, Hit: true, Pos: engine.Pos(bufferHit)})
	}
	out.Coverage.Exhaustive = complete && len(out.Coverage.Bounds) == 0
	for _, e := range y.Edges() {
		out.ChecksReached = out.ChecksReached || e.Op.Kind == ir.Assert && !e.Op.Report.Class.Beside() && ran[e.ID]
	}
	if complete {
		out.Warnings = append(out.Warnings, unreached(task, y, ran, out.Coverage.Exhaustive)...)
	}
	collectFinals(task, workers, out)
}

// covered returns the edges that ran, also of threads that stand for others.
func covered(task *engine.Task, y *memory.System, workers []*worker) map[ir.EdgeID]bool {
	ran := map[ir.EdgeID]bool{}
	for i, e := range y.Edges() {
		if slices.ContainsFunc(workers, func(w *worker) bool { return w.s.Covered[i] }) {
			ran[e.ID] = true
		}
	}
	exchange(task, ran)
	return ran
}

// unreached warns of assertions that no execution reaches: they hold vacuously. all says that no
// execution was cut off.
func unreached(task *engine.Task, y *memory.System, ran map[ir.EdgeID]bool, all bool) []verdict.Warning {
	message := "no execution reaches this assertion"
	if !all {
		message = "no execution reaches this assertion before it is cut off"
	}
	var out []verdict.Warning
	origins := map[ir.EdgeID]bool{}
	for _, e := range y.Edges() {
		if ran[e.ID] {
			origins[e.Origin] = true
		}
	}
	told := map[ir.EdgeID]bool{}
	for _, e := range y.Edges() {
		if e.Op.Kind == ir.Assert && e.Op.Report.Class == ir.Assertion && !origins[e.Origin] && !told[e.Origin] {
			told[e.Origin] = true
			out = append(out, verdict.Warning{Code: "FP0901", Message: message, Pos: engine.Pos(e)})
		}
	}
	return append(out, idle(task, ran)...)
}

// idle warns of threads that no execution starts. Of several threads that are started at one
// position only as many run as can exist, so one of them is enough.
func idle(task *engine.Task, ran map[ir.EdgeID]bool) []verdict.Warning {
	active := map[source.Span]bool{}
	runs := make([]bool, len(task.Program.Threads))
	for t := range task.Program.Threads {
		f := task.Program.ThreadFunc(ir.ThreadID(t))
		runs[t] = len(f.Edges) == 0 || task.Program.Threads[t].Start
		for i := range f.Edges {
			e := &f.Edges[i]
			runs[t] = runs[t] || ran[e.ID]
			if e.Op.Kind == ir.Spawn && ran[e.ID] { // it may be stuck where it begins
				active[task.Program.Threads[e.Op.Call.Threads[0]].Pos] = true
			}
		}
		if runs[t] {
			active[task.Program.Threads[t].Pos] = true
		}
	}
	var out []verdict.Warning
	for t := range runs {
		if th := &task.Program.Threads[t]; !runs[t] && !active[th.Pos] {
			active[th.Pos] = true
			w := verdict.Warning{Code: "FP0913", Message: fmt.Sprintf("no execution starts thread %s", th.Name)}
			if th.Pos.IsValid() {
				w.Pos = &verdict.Pos{File: th.Pos.File, Line: th.Pos.Line, Col: th.Pos.Col}
			}
			out = append(out, w)
		}
	}
	return out
}

func collectFinals(task *engine.Task, workers []*worker, out *engine.Outcome) {
	all := map[string]bool{}
	for _, w := range workers {
		out.Stats.FinalStates += w.done
		out.Exits += w.exits
		out.Returns = out.Returns || w.returned
		for f := range w.finals {
			all[f] = true
		}
	}
	if !task.Finals {
		return
	}
	for f := range all {
		out.Finals = append(out.Finals, f)
	}
	sort.Strings(out.Finals)
}
