package rf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fencepost/internal/analysis"
	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
	"fencepost/internal/transform/waiting"
	"fencepost/query"
	"fencepost/verdict"
)

// Options choose what is explored. The zero value answers the questions of the program itself.
type Options struct {
	// Traces asks for every class: the engine also executes failing rounds of spin loops.
	Traces bool
	// Visit, if not nil, is called with an execution of every class in which all threads finish, and
	// with Unfinished also of the other classes. One worker calls it at a time.
	Visit      func(*verdict.Witness)
	Unfinished bool
	// Failed, if not nil, is called with an execution of every class in which a check fails, and with
	// the checks in words. One worker calls it at a time.
	Failed func(w *verdict.Witness, fails []string)
	// Blocked, if not nil, is called with an execution of every class that ends with a thread at an
	// assumption, an await or a wait. One worker calls it at a time.
	Blocked func(*verdict.Witness)
	// Symmetric explores classes up to the exchange of threads that nothing tells apart also where every class is asked for.
	Symmetric bool
	// Graphs says, under c11, that Visit is called for every modification order of a class.
	Graphs bool
	// Robust asks, under c11, whether SC allows every class: a class that SC refuses is a violation, and so is a data race. Nothing
	// else is.
	Robust bool
	// Restart, if not nil, is called where the exploration starts again because an access has split a
	// cell: what was passed to Visit, Failed and Blocked is void. Without it, cells are found by an exploration
	// that passes nothing.
	Restart func()
	// Walk, if not nil, asks for random executions under c11 instead of all classes.
	Walk *Walk
}

// Engine is stateless model checking with one execution per reads-from class.
var Engine = New(Options{})

// New returns the engine with options.
func New(opt Options) engine.Engine {
	return engine.Engine{
		Name:     "rf",
		Doc:      "explores one execution per reads-from class",
		Papers:   []string{"AAJLNS19", "BCGPT21", "KMGV22"},
		Supports: supports,
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			return run(ctx, &job{Task: task, Options: opt})
		},
	}
}

// job is a task with the options for it.
type job struct {
	*engine.Task
	Options
	// loops is the program as it was given, with its spin loops; nil if endless loops are not asked about.
	loops *memory.System
	// readless says, by thread, that it has a loop without a read.
	readless []bool
	// groups are the threads whose exchange is left out (docs/engines/symmetry.md).
	groups engine.Groups
}

// peers returns the threads whose exchange need not be explored, unless every class is asked for.
func (t *job) peers(y *memory.System) engine.Groups {
	every := t.Traces || t.Visit != nil || t.Failed != nil || t.Blocked != nil || t.NoReduction || t.KeepGoing || t.Finals
	if every && !t.Symmetric || t.Model == memory.C11 {
		return nil
	}
	return t.Peers(y)
}

// supports returns why the engine does not take a task, or nil.
func supports(t *engine.Task) error {
	if e := engine.GlobalFenceInside(t.Program); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: "rf does not take a global fence inside an atomic section"}
	}
	if err := t.NoLoadSection("rf"); err != nil {
		return err
	}
	if t.Model != memory.C11 { // there a class says in which use of a block its contents became undefined
		if err := engine.NoMaskedReuse("rf", t.Program); err != nil {
			return err
		}
	}
	if t.Props.Fairness != 0 {
		if err := t.NoEndless("rf"); err != nil {
			return err
		}
	}
	if err := t.TakesThreads("rf"); err != nil {
		return err
	}
	if err := engine.TriesInputs("rf", t.Program); err != nil {
		return err
	}
	if e := engine.InsideSection(t.Program, ir.Lock, ir.CondWait, ir.Barrier, ir.Join, ir.Await); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf("rf does not take the operation %s inside an atomic section", e.Op.Kind)}
	}
	if engine.WaitsInside(t.Program) || engine.SharedSpawnInside(t.Program) {
		return &engine.Unsupported{What: "rf does not take atomic sections that wait"}
	}
	if t.Model == memory.C11 {
		if !memory.HasC11 {
			return &engine.Unsupported{What: "this part of fencepost does not have the model c11"}
		}
		if err := supportsC11(t); err != nil {
			return err
		}
	}
	return t.GoalsByLocation("rf")
}

// run explores the classes of the task and returns what it found.
func run(ctx context.Context, task *job) (*engine.Outcome, error) {
	if err := supports(task.Task); err != nil {
		return nil, err
	}
	start := time.Now()
	if out := task.SetUp(ctx, engine.Awaiting, engine.Compiling); out != nil {
		return out, nil
	}
	task = prepare(task)
	y := newSystem(task.Task)
	stages := []engine.Stage{engine.Counting}
	if task.loops != nil {
		stages = append(stages, engine.Compiling, engine.Looping)
	}
	if out := task.SetUp(ctx, stages...); out != nil {
		return out, nil
	}
	task.groups = task.peers(y)
	if memory.HasC11 && task.Walk != nil {
		return walkAll(ctx, task, y)
	}
	x := explore(ctx, task, y)
	out := x.out.Result
	if err := x.found().outcome(y, out); err != nil {
		return nil, err
	}
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// prepare turns spin loops into awaits, unless failing rounds of them are asked for.
func prepare(task *job) *job {
	if task.Traces {
		return task
	}
	t := *task.Task
	given, asks := task.Program, task.AsksLoops()
	if t.Program = given; memory.HasC11 && task.Model == memory.C11 {
		t.Program = waiting.AwaitWithDataRaces(given, task.KeepOf())
	} else {
		t.Program = waiting.Await(given, task.KeepOf())
	}
	task = &job{Task: &t, Options: task.Options}
	if asks {
		model, fences := task.Model, task.Model == memory.C11
		if fences {
			model = memory.SC
		}
		task.loops = memory.New(given, model, memory.Options{Fences: fences})
		for th := range given.Threads {
			task.readless = append(task.readless, analysis.ReadlessLoop(given.ThreadFunc(ir.ThreadID(th))))
		}
	}
	return task
}

// explore explores all classes. It starts again whenever a cell has been split.
func explore(ctx context.Context, task *job, y *memory.System) *exploration {
	cs := newCells()
	first := &job{task.Task, task.Options, task.loops, task.readless, task.groups}
	twice := task.Restart == nil && (task.Visit != nil || task.Failed != nil || task.Blocked != nil)
	if twice {
		first.Visit, first.Failed, first.Blocked = nil, nil, nil
	}
	for {
		x := exploreWith(ctx, first, y, cs)
		switch {
		case cs.split():
			cs.again()
			if task.Restart != nil {
				task.Restart()
			}
		case x.out.Result.Unknown != "" || !twice:
			return x
		default:
			return exploreWith(ctx, task, y, cs)
		}
	}
}

// exploreWith explores with as many workers as the task allows, and with the cells that are known.
func exploreWith(ctx context.Context, task *job, y *memory.System, cs *cells) *exploration {
	if task.Limits.Workers > 1 {
		return together(ctx, task, y, cs)
	}
	x := newExploration(ctx, task, y, cs)
	x.runAll()
	return x
}

// exploration is an explorer with the questions that it answers.
type exploration struct {
	explorer
	task     *job
	ctx      context.Context
	budget   *budget.Budget
	begun    time.Time
	ticks    int64
	spent    int64   // since the last check of the limits
	reported int64   // ticks at the last report of progress
	totals   []int64 // the last estimates of the number of classes

	goals  goalWatch
	judge  *engine.Judge
	show   *engine.Finals
	loops  *endless.Executions // nil: endless loops are not asked about
	robust robustness
	mo     []modification   // under c11, of the witness at whose end the machine is
	atEnd  func(seq []node) // for tests: called at the end of every class
}

func newExploration(ctx context.Context, task *job, y *memory.System, cs *cells) *exploration {
	x := &exploration{task: task, ctx: ctx, budget: budget.Of(ctx), begun: time.Now(), judge: engine.NewJudge(y), show: engine.NewFinals(y, task.Props)}
	if task.loops != nil {
		x.loops = endless.NewExecutions(task.loops)
	}
	x.g, x.width = newGraph(y.Threads()), 1
	x.out = newOutcome(task.KeepGoing)
	c11 := task.Model == memory.C11
	x.model = newBuffers(y.Model, cs, &x.spent)
	if memory.HasC11 && c11 {
		x.model = newGraphs(cs)
	}
	if memory.HasC11 && c11 && task.Robust {
		x.robust.sc = newSC(x)
	}
	x.model.enter(x.g)
	opt := machine.Options{Unroll: task.Limits.Unroll, Idle: task.Traces, Keep: task.KeepOf()}
	if memory.HasC11 && task.Model == memory.C11 { // data races are asked about
		opt.IdleRounds = 2
	}
	x.goals = goalWatch{x: x, watch: engine.WatchGoals(y.Prog, task.Props.Goals), goals: task.Props.Goals}
	x.run = x.newRunner(y, cs, opt)
	x.run.m.CheckFailed = x.checkFailed
	if c11 { // reported at the end of the class, when the graph is known to be consistent
		x.run.m.CheckFailed = func(memory.Fault) {}
		x.failsNext = func(t int, seq []node) {
			toEnd(x, seq)
			reportFailed(x, t)
		}
	}
	if x.goals.watch != nil {
		x.goals.run = x.newRunner(y, cs, opt)
		x.goals.run.m.CheckFailed = func(memory.Fault) {}
	}
	x.inOrder = y.Model != memory.PSO && !c11
	for _, f := range y.Prog.Funcs {
		for i := range f.Edges {
			switch f.Edges[i].Op.Kind {
			case ir.Spawn, ir.CondWait, ir.Barrier:
				x.wakes = true
			case ir.Free:
				x.frees = true
			}
			x.inOrder = x.inOrder && (y.Model == memory.SC || !writesUndrained(&f.Edges[i].Op))
		}
	}
	x.peers = beginnings{task.groups.After(y.Prog), task.groups.FirstRead(y.Prog)}
	x.tick = x.count
	x.leaf = x.endClass
	return x
}

// writesUndrained reports whether an operation may write memory itself, or let another thread go on, while
// stores of its thread are in the buffer: a signal, and relocking a recursive mutex or unlocking it but
// not for the last time. All other operations that others read from are stores or drain the buffer.
func writesUndrained(op *ir.Op) bool {
	switch op.Kind {
	case ir.Signal, ir.Broadcast:
		return true
	case ir.Lock, ir.TryLock, ir.Unlock:
		return op.Mutex.Kind == ir.RecursiveMutex
	}
	return false
}

// newRunner returns a runner whose threads stop between local steps where the questions need it: where
// they enter or repeat a loop, and at locations of goals.
func (x *exploration) newRunner(y *memory.System, cs *cells, opt machine.Options) runner {
	rn := newRunner(y, x.task.Model == memory.C11, cs, opt)
	loops := rn.m.Loops
	for t := range y.Threads() {
		counted, watched := loops != nil && loops[t].Edges != nil, x.goals.watch != nil && x.goals.watch[t] != nil
		var stops func(ir.Loc, int32) bool
		switch {
		case watched:
			stops = func(l ir.Loc, edge int32) bool {
				return counted && loops[t].Matters(l, edge) || x.goals.watch[t][l] != nil
			}
		case counted:
			stops = loops[t].Matters
		}
		rn.m.StopsAt = append(rn.m.StopsAt, stops)
	}
	return rn
}

// refusal begins the reason why the engine gives up when it meets something that it does not take.
const refusal = "rf does not take "

// runAll explores everything.
func (x *exploration) runAll() {
	x.run.start()
	x.visit(nil)
	x.conclude()
}

// conclude notes why the exploration ended early.
func (x *exploration) conclude() {
	if memory.HasC11 && !x.run.cells.split() {
		reportNotSC(x)
	}
	switch {
	case x.run.cells.split():
	case x.run.m.Failure() != nil:
		x.out.Unknown(x.run.m.Failure().Error())
	case x.run.err != "":
		x.out.Unknown(refusal + x.run.err)
	}
}

// longest is the length of the longest execution that is explored: the work for an operation grows with
// the length of the execution.
const longest = 1 << 16

// What is counted as work: graphs, items of a graph that is searched for a witness, steps of the search, and nodes that
// the machine runs.
const (
	graphCost = 3500
	buildCost = 70
	stepCost  = 110
	runCost   = 500
	localCost = 140 // of a local step that the machine runs

	leastWork = 100 * budget.Microsecond // that is counted
)

// count checks the limits now and then.
func (x *exploration) count() {
	x.ticks++
	x.spent += graphCost
	work := x.spent + x.run.work
	if work < leastWork {
		return
	}
	x.spent, x.run.work = 0, 0
	if x.pool != nil {
		x.pool.counted[x.number].Store(x.out.counts.All())
		x.pool.weights[x.number].Store(math.Float64bits(x.explored))
		x.out.Stopped = x.out.Stopped || x.pool.over.Load()
	}
	if x.ticks >= x.reported+4096 {
		x.reported = x.ticks
		x.progress()
	}
	if limit := x.task.Limits.MemoryLimit(); limit > 0 && x.kept > limit/int64(max(1, x.task.Limits.Workers)) {
		x.out.Unknown(fmt.Sprintf("memory limit of %d MiB reached after %d executions", limit>>20, x.classes()))
		return
	}
	if len(x.run.ran) > longest {
		x.out.Unknown(fmt.Sprintf("an execution has more than %d operations", longest))
		return
	}
	if err := x.budget.Spend(x.ctx, work); err != nil {
		if x.pool != nil && x.pool.portion != nil {
			x.pool.portion.over.Store(true) // what is left is put off
			return
		}
		why := "interrupted"
		if err == context.DeadlineExceeded {
			why = "time limit reached"
		}
		x.out.Unknown(fmt.Sprintf("%s after %d executions", why, x.classes()))
	}
}

// classes returns the number of classes so far, of all workers.
func (x *exploration) classes() int64 {
	if x.pool == nil {
		return x.out.counts.All()
	}
	n := int64(0)
	for i := range x.pool.counted {
		n += x.pool.counted[i].Load()
	}
	return n
}

// estimates is how many of the last estimates are reported.
const estimates = 16

// progress reports how far the exploration is. The number of all classes is estimated as that of the
// classes so far, divided by the part of the exploration that is over: every branch at a read, at a choice
// and at a write is taken to be as large as the others there.
func (x *exploration) progress() {
	if x.task.Progress == nil || x.number != 0 {
		return
	}
	n, part := x.classes(), x.explored
	if x.pool != nil {
		part = 0
		if p := x.pool.portion; p != nil {
			n, part = n+p.before.All(), p.before.Part
		}
		for i := range x.pool.weights {
			part += math.Float64frombits(x.pool.weights[i].Load())
		}
	}
	if len(x.totals) == estimates {
		x.totals = x.totals[1:]
	}
	if part > 0 {
		x.totals = append(x.totals, int64(min(float64(n)/part, 1e18)))
	}
	p := query.Progress{Executions: n, Low: n, High: n, Depth: x.out.counts.depth, Elapsed: time.Since(x.begun)}
	for _, total := range x.totals {
		p.High = max(p.High, total)
	}
	if len(x.totals) > 0 {
		p.Low = max(n, slices.Min(x.totals))
	}
	x.task.Progress(p)
}
