package fuzz

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/query"
	"fencepost/verdict"
)

// Options are the options of the engine.
type Options struct {
	Seed  uint64 // of the first execution; the next has the next
	Runs  int64  // executions, 0: until the time is over
	Depth int    // changes of priority in an execution, at most
	// Buffer bounds the entries of a thread's store buffer, for threads that can store in a loop.
	Buffer int
}

// New returns the engine.
func New(opt Options) engine.Engine {
	return engine.Engine{
		Name:     "fuzz",
		Doc:      "runs the program under random schedules",
		Papers:   []string{"BKMN10"},
		Supports: supports,
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
			return run(ctx, task, opt)
		},
	}
}

func supports(t *engine.Task) error {
	if t.Model == memory.C11 {
		return &engine.Unsupported{What: "fuzz does not take the model c11: its executions are graphs, and no sequence of steps; use check --model c11"}
	}
	if t.Props.Fairness != 0 {
		return &engine.Unsupported{What: "fuzz does not look for fair endless executions", Advice: "use check --liveness fair"}
	}
	if err := t.TakesThreads("fuzz"); err != nil {
		return err
	}
	return engine.TriesInputs("fuzz", t.Program)
}

// pilots are executions that show how long executions are; changes of priorities are spread over that length.
// They do not count: the length depends on the program and the model alone.
const pilots = 3

// fuzzer is the search of one task.
type fuzzer struct {
	task   *engine.Task
	opt    Options
	y      *memory.System
	length int
	next   atomic.Int64 // the first execution that no worker has taken
	begun  time.Time

	mu    sync.Mutex
	first int64 // the execution of the violation with the least seed, -1: none
	found *engine.Violation
	err   error

	broken any // what a worker panicked with
}

func run(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	if out := task.SetUp(ctx, engine.Compiling, engine.Looping); out != nil {
		return out, nil
	}
	f := &fuzzer{task: task, opt: opt, first: -1, begun: time.Now()}
	out, err := f.search(ctx, !task.GoalsReadMemory() && !engine.WaitsInside(task.Program))
	if errors.Is(err, memory.ErrStray) { // an access that the analysis did not expect
		f.found, f.err, f.first = nil, nil, -1
		f.next.Store(0)
		out, err = f.search(ctx, false)
	}
	return out, err
}

func (f *fuzzer) search(ctx context.Context, private bool) (*engine.Outcome, error) {
	opt := f.task.MemoryOptions()
	opt.Buffer, opt.Private = f.opt.Buffer, private
	f.y = memory.New(f.task.Program, f.task.Model, opt)
	workers := make([]*runner, max(1, f.task.Limits.Workers))
	for i := range workers {
		workers[i] = newRunner(f.task, f.y)
	}
	if err := f.measure(workers[0]); err != nil {
		return nil, err
	}
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(func() { f.work(ctx, w) })
	}
	wait.Wait()
	if f.broken != nil {
		panic(f.broken)
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.outcome(ctx, workers), nil
}

// measure finds out how many events executions have.
func (f *fuzzer) measure(r *runner) error {
	f.length = 1
	for i := range uint64(pilots) {
		if found := r.run(i, 0, 1); found.why != nil {
			return found.why
		}
		f.length = max(f.length, r.events)
	}
	r.ends, r.cut, r.steps = engine.Ends{}, 0, 0
	return nil
}

// work runs executions until one of a lesser seed has violated something, or the search is over.
func (f *fuzzer) work(ctx context.Context, r *runner) {
	defer func() {
		if p := recover(); p != nil { // the pipeline reports it
			f.mu.Lock()
			f.broken = p
			f.mu.Unlock()
		}
	}()
	for ctx.Err() == nil {
		i := f.next.Add(1) - 1
		if f.over(i) {
			return
		}
		found := r.run(f.opt.Seed+uint64(i), f.opt.Depth, f.length)
		if found.why != nil || found.kind != 0 {
			f.take(i, r, found)
		}
		if f.task.Progress != nil && i%256 == 0 {
			f.task.Progress(query.Progress{Executions: i, Elapsed: time.Since(f.begun)})
		}
	}
}

// over reports whether execution i is not needed.
func (f *fuzzer) over(i int64) bool {
	if f.opt.Runs > 0 && i >= f.opt.Runs {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err != nil || f.broken != nil || f.first >= 0 && i > f.first
}

// take keeps a violation, unless there is one with a lesser seed.
func (f *fuzzer) take(i int64, r *runner, found found) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if found.why != nil {
		f.err = found.why
		return
	}
	if f.first < 0 || i < f.first {
		v := r.violation(found)
		f.first, f.found = i, &v
	}
}

// outcome says what was found, or how much was tried.
func (f *fuzzer) outcome(ctx context.Context, workers []*runner) *engine.Outcome {
	var ends engine.Ends
	fuzz := &verdict.Fuzz{Seed: f.opt.Seed, Depth: f.opt.Depth}
	out := &engine.Outcome{}
	all := &workers[0].points
	for i, w := range workers {
		ends.Add(&w.ends)
		fuzz.Steps += w.steps
		fuzz.Cut += w.cut
		if i > 0 {
			all.add(&w.points)
			for k := range w.s.Bounds {
				workers[0].s.Bounds[k] = workers[0].s.Bounds[k] || w.s.Bounds[k]
				workers[0].s.Covered[k] = workers[0].s.Covered[k] || w.s.Covered[k]
			}
		}
	}
	out.AddReached(f.y, workers[0].s)
	all.count(fuzz)
	out.Exits, out.Failed, out.Returns = ends.Exits, ends.Failed, ends.Returned > 0
	out.Stats.FinalStates, out.Stats.Executions, out.Stats.Blocked = ends.Complete, ends.All(), ends.Blocked
	out.Stats.Seconds = time.Since(f.begun).Seconds()
	out.Stats.Fuzz = fuzz
	if f.found != nil {
		fuzz.Found = f.opt.Seed + uint64(f.first)
		out.Violations = []engine.Violation{*f.found}
		return out
	}
	out.Unknown = fmt.Sprintf("nothing found in %d executions, and there may be others", ends.All())
	if errors.Is(ctx.Err(), context.Canceled) {
		out.Unknown = "interrupted: " + out.Unknown
	}
	return out
}
