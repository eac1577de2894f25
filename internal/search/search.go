package search

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/internal/budget"
)

// Problem describes a search.
type Problem struct {
	// Worker returns the Worker of one goroutine; it is called once for each.
	Worker func() Worker
	// Workers is how many goroutines to use, at least 1.
	Workers int
	// Memory, if not nil, returns a bound for the bytes of stored states, 0: no bound. The bound may
	// change from call to call.
	Memory func() int64
	// States bounds the number of states, 0: no bound. It is checked between levels, so that the
	// end of a search does not depend on the number of workers.
	States int64
	// Used, if not nil, has the bytes that the workers store themselves, which count as well.
	Used *atomic.Int64
	// All continues after the first level with a finding.
	All bool
	// Sleeps is how many steps a sleep set can have, at most 64; 0: workers use no sleep sets.
	Sleeps int
	// Ranked says that workers rank states (Sink.Rank): of all states that wait, those with the lowest
	// rank are the next level (ranked.go). Such a search cannot be stored.
	Ranked bool
	// RankedAfter is how many states there must be at the beginning of a level before ranks count.
	RankedAfter int64
	// Progress is called now and then from one goroutine, if not nil.
	Progress func(Progress)
}

// Worker expands states. It is used by one goroutine at a time.
type Worker interface {
	// Start adds the initial states.
	Start(*Sink)
	// Expand adds the successors of a state. It must not change or keep the bytes.
	Expand(state []byte, out *Sink)
}

// Sleeper is a worker that uses sleep sets [G96 §5]: a state has a set of steps that need not be
// explored from it, because an equivalent order of steps has been or will be explored. The sets are
// bits, which only the worker interprets.
type Sleeper interface {
	Worker
	// ExpandAwake is Expand without the steps in sleep. If only is not 0, the state was expanded
	// before, and only the steps in only are explored now.
	ExpandAwake(state []byte, sleep, only uint64, out *Sink)
}

// Stop says why a search ended.
type Stop uint8

// The reasons. The zero value is unset.
const (
	StopUnset Stop = iota
	Complete       // every reachable state was expanded
	Found          // a finding ended it
	OutOfTime      // the context was done
	OutOfMemory
	OutOfStates
	Failed // a worker could not compute a successor
)

func (s Stop) String() string {
	switch s {
	case Complete:
		return "complete"
	case Found:
		return "found"
	case OutOfTime:
		return "out of time"
	case OutOfMemory:
		return "out of memory"
	case OutOfStates:
		return "out of states"
	case Failed:
		return "failed"
	default:
		panic(fmt.Sprintf("BUG: unknown reason to stop %d", s))
	}
}

// Progress has the counts of a running search.
type Progress struct {
	States   int64
	Expanded int64
	Depth    int
}

// Result is the result of a search.
type Result struct {
	Stop        Stop
	Err         error // why it failed
	Findings    []Finding
	States      int64
	Transitions int64
	Depth       int
	Bytes       int64

	v *visited
}

// Path returns the states from an initial one to that of the finding.
func (r *Result) Path(f Finding) [][]byte {
	if f.AtStart() {
		return nil
	}
	return r.v.path(f.State)
}

// smallLevel is the size of the largest level that one worker expands alone.
const smallLevel = 512

// between is how many states a worker takes at a time, and expands between two checks of the limits.
const between = 128

// What is counted as work (package budget): the transitions, and the bytes of the states that they lead to, since states
// of many threads take longer.
const (
	stateCost      = 200 // of a state that is expanded
	transitionCost = 350
	byteCost       = 6
)

// Search is a search that can be interrupted, stored and continued.
type Search struct {
	p        Problem
	budget   *budget.Budget
	v        *visited
	workers  []Worker
	gaps     []*gap // one after each of several workers
	sinks    []*Sink
	stop     atomic.Uint32
	expanded atomic.Int64
	depth    atomic.Int64
	begun    bool         // the initial states are there
	open     bool         // jobs and tasks are the rest of a level
	from     [shards]mark // where the level begins
	jobs     []job
	tasks    []task
	nextJob  atomic.Int64
	nextTask atomic.Int64
	ranks    ranks // if the problem is ranked
	ranking  bool  // ranks count
}

// task is a state that has to be expanded again: with the steps in only, or not any more if that is 0.
type task struct {
	id   ID
	only uint64
}

// job is the part of a level in one chunk that is still to be expanded.
type job struct {
	shard  int
	chunk  []byte
	offset uint64
	end    uint64
}

// New returns a search that has not begun.
func New(p Problem) *Search {
	r := &Search{p: p, v: newVisited(p.Sleeps)}
	r.v.ranked = p.Ranked
	for range max(1, p.Workers) {
		r.workers = append(r.workers, p.Worker())
		r.sinks = append(r.sinks, &Sink{v: r.v, parent: noParent})
		if p.Workers > 1 {
			r.gaps = append(r.gaps, newGap())
		}
	}
	return r
}

// Run searches until everything is expanded, something is found or a limit is
// reached.
func Run(ctx context.Context, p Problem) *Result { return New(p).Run(ctx) }

// Run searches until everything is expanded, something is found or a limit is reached. After a limit of time or
// memory it can be called again, and goes on from there.
func (r *Search) Run(ctx context.Context) *Result {
	r.budget = budget.Of(ctx)
	r.stop.Store(0)
	stopWatching := r.watch(ctx)
	defer stopWatching()

	if !r.begun {
		r.workers[0].Start(r.sinks[0])
		r.sinks[0].flush()
		r.begun = true
	}
	if r.open {
		r.compact()
	}
	for {
		if !r.open {
			r.level()
			if r.waiting() == 0 || r.done() {
				break
			}
			r.open = true
			if r.p.States > 0 && r.v.states() > r.p.States {
				r.stop.CompareAndSwap(0, uint32(OutOfStates))
				break
			}
		}
		r.expandLevel(ctx, r.waiting())
		if r.stop.Load() != 0 {
			break
		}
		r.from, r.open = r.v.level, false
		r.depth.Add(1)
	}
	return r.result()
}

// waiting counts about how many states are left of the level.
func (r *Search) waiting() int64 {
	if r.ranking {
		return int64(len(r.ranks.level) + len(r.tasks))
	}
	return r.v.states() - r.expanded.Load() + int64(len(r.tasks))
}

// compact drops what is done of an open level.
func (r *Search) compact() {
	r.jobs = slices.DeleteFunc(r.jobs, func(j job) bool { return j.offset == j.end })
	r.tasks = slices.DeleteFunc(r.tasks, func(t task) bool { return t.only == 0 })
	r.ranks.level = r.ranks.level[min(int(r.nextJob.Load()), len(r.ranks.level)):]
	r.nextJob.Store(0)
	r.nextTask.Store(0)
}

// done reports whether the search should not begin another level.
func (r *Search) done() bool {
	if r.stop.Load() != 0 {
		return true
	}
	for _, k := range r.sinks {
		if k.err != nil || len(k.findings) > 0 && !r.p.All {
			return true
		}
	}
	return false
}

// watch reports progress. Workers check the context themselves, so a search without progress
// reports needs no goroutine; there may be thousands of them.
func (r *Search) watch(ctx context.Context) func() {
	if r.p.Progress == nil {
		return func() {}
	}
	quit, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ctx.Done():
				r.stop.CompareAndSwap(0, uint32(OutOfTime))
				return
			case <-tick.C:
				r.p.Progress(Progress{States: r.v.states(), Expanded: r.expanded.Load(), Depth: int(r.depth.Load())})
			}
		}
	}()
	return func() { close(quit); <-finished }
}

// level makes jobs of the states that the last level has added. It runs while no worker runs.
func (r *Search) level() {
	r.jobs = r.jobs[:0]
	r.nextJob.Store(0)
	r.again()
	if r.p.Ranked {
		r.beginRanking()
	}
	if r.ranking {
		r.rankedLevel()
	}
	for i := range r.v.shards {
		sh := &r.v.shards[i]
		r.v.level[i] = sh.end()
		if r.ranking {
			continue
		}
		for c := r.from[i].chunk; c < len(sh.chunks); c++ {
			start := 0
			if c == r.from[i].chunk {
				start = r.from[i].len
			}
			if end := len(sh.chunks[c]); start < end {
				base := uint64(c) << chunkBits
				r.jobs = append(r.jobs, job{shard: i, chunk: sh.chunks[c], offset: base | uint64(start), end: base + uint64(end)})
			}
		}
	}
}

// again turns the arrivals of the last level into tasks. The sleep sets in the end, and so the
// steps that are explored again, do not depend on the order of arrivals.
func (r *Search) again() {
	r.tasks = r.tasks[:0]
	r.nextTask.Store(0)
	only := map[ID]uint64{}
	for _, k := range r.sinks {
		for _, a := range k.arrivals {
			if missing := r.v.wake(a.id, a.sleep); missing != 0 && !r.ranks.waits(a.id) {
				if only[a.id] == 0 {
					r.tasks = append(r.tasks, task{id: a.id})
				}
				only[a.id] |= missing
			}
		}
		k.arrivals = k.arrivals[:0]
	}
	for i := range r.tasks {
		r.tasks[i].only = only[r.tasks[i].id]
	}
}

func (r *Search) expandLevel(ctx context.Context, n int64) {
	if len(r.workers) == 1 || n < smallLevel {
		r.work(ctx, 0)
		return
	}
	var wg sync.WaitGroup
	var broken atomic.Value
	for w := range r.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				// The caller of Run repeats the panic.
				if p := recover(); p != nil {
					broken.CompareAndSwap(nil, fmt.Sprint(p))
					r.stop.CompareAndSwap(0, uint32(Failed))
				}
			}()
			r.work(ctx, w)
		}()
	}
	wg.Wait()
	if p := broken.Load(); p != nil {
		panic(p)
	}
}

// work expands jobs until none is left.
func (r *Search) work(ctx context.Context, w int) {
	worker, sink, depth := r.workers[w], r.sinks[w], int(r.depth.Load())
	defer sink.flush()
	var sleeper Sleeper
	if r.p.Sleeps > 0 {
		sleeper = worker.(Sleeper)
	}
	if r.ranking && !r.workRanked(ctx, w, depth) {
		return
	}
	for !r.ranking {
		j := r.nextJob.Add(1) - 1
		if j >= int64(len(r.jobs)) {
			break
		}
		job := &r.jobs[j]
		n := int64(0)
		for job.offset < job.end {
			offset := job.offset
			state, _, next := r.v.read(job.chunk, offset)
			sink.depth = depth
			sink.parent, sink.state = makeID(job.shard, offset), state
			if sleeper != nil {
				sleeper.ExpandAwake(state, r.v.sleepIn(job.chunk[offset&(1<<chunkBits-1)+parentSize:]), 0, sink)
			} else {
				worker.Expand(state, sink)
			}
			sink.Count(stateCost + byteCost*int64(len(state)))
			job.offset = next
			if n++; n%between == 0 {
				r.expanded.Add(between)
				if sink.err != nil || r.interrupted(ctx, sink) {
					return
				}
			}
		}
		r.expanded.Add(n % between)
		if sink.err != nil || r.interrupted(ctx, sink) {
			return
		}
	}
	for {
		j := r.nextTask.Add(1) - 1
		if j >= int64(len(r.tasks)) || sink.err != nil || j%between == 0 && r.interrupted(ctx, sink) {
			return
		}
		state, sleep := r.v.stateAt(r.tasks[j].id)
		sink.depth, sink.parent, sink.state = depth, r.tasks[j].id, state
		sleeper.ExpandAwake(state, sleep, r.tasks[j].only, sink)
		sink.Count(stateCost + byteCost*int64(len(state)))
		r.tasks[j].only = 0
	}
}

// interrupted counts what a worker has done as work, and reports whether a limit was reached.
func (r *Search) interrupted(ctx context.Context, k *Sink) bool {
	if r.p.Memory != nil {
		if limit := r.p.Memory(); limit > 0 && r.used() > limit {
			r.stop.CompareAndSwap(0, uint32(OutOfMemory))
		}
	}
	n := k.work
	k.work = 0
	if r.budget.Spend(ctx, n) != nil {
		r.stop.CompareAndSwap(0, uint32(OutOfTime))
	}
	return r.stop.Load() != 0
}

// used returns the bytes stored.
func (r *Search) used() int64 {
	n := r.v.bytes.Load()
	if r.p.Used != nil {
		n += r.p.Used.Load()
	}
	return n
}

func (r *Search) result() *Result {
	out := &Result{
		Stop: Stop(r.stop.Load()), States: r.v.states(), Depth: int(r.depth.Load()), Bytes: r.used(), v: r.v,
	}
	if r.open && out.Stop != OutOfStates {
		out.Depth++
	}
	best := map[string]Finding{}
	for _, k := range r.sinks {
		out.Transitions += k.transitions
		if k.err != nil && out.Err == nil {
			out.Err = k.err
		}
		for _, f := range k.findings {
			if old, ok := best[f.Key]; !ok || f.before(&old) {
				best[f.Key] = f
			}
		}
	}
	for _, f := range best {
		out.Findings = append(out.Findings, f)
	}
	sort.Slice(out.Findings, func(i, j int) bool {
		f, g := &out.Findings[i], &out.Findings[j]
		if f.Depth != g.Depth {
			return f.Depth < g.Depth
		}
		return f.Key < g.Key
	})
	switch {
	case out.Err != nil:
		out.Stop = Failed
	case out.Stop != StopUnset:
	case len(out.Findings) > 0 && !r.p.All:
		out.Stop = Found
	default:
		out.Stop = Complete
	}
	return out
}
