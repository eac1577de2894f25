package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
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
	// Sleeps says that workers use sleep sets.
	Sleeps bool
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
	ExpandAwake(state []byte, sleep, only uint32, out *Sink)
}

// Sink collects the successors and findings of a worker.
type Sink struct {
	v           *visited
	parent      ID
	state       []byte
	depth       int
	transitions int64
	work        int64 // since the last check of the limits, see unit
	findings    []Finding
	arrivals    []arrival
	err         error
}

// arrival is a second path to a state, with fewer sleeping steps.
type arrival struct {
	id    ID
	sleep uint32
}

// Finding is a report of a worker about a state or a step from it.
type Finding struct {
	Key   string // what was found
	State ID     // where; the initial situation if it is noParent
	Depth int    // steps from an initial state
	bytes []byte
}

// before orders findings with the same key: by depth, then by state, so that the choice does not
// depend on the workers.
func (f *Finding) before(g *Finding) bool {
	if f.Depth != g.Depth {
		return f.Depth < g.Depth
	}
	return bytes.Compare(f.bytes, g.bytes) < 0
}

// AtStart reports whether the finding was made before the first state.
func (f Finding) AtStart() bool { return f.State == noParent }

// Add adds a successor. It copies the bytes.
func (k *Sink) Add(next []byte) { k.AddAsleep(next, 0) }

// AddAsleep adds a successor with its sleep set.
func (k *Sink) AddAsleep(next []byte, sleep uint32) {
	k.transitions++
	k.work += transitionWork + int64(len(next))
	if len(next) > maxState {
		k.err = ErrTooLarge
		return
	}
	if id, again := k.v.add(next, k.parent, sleep); again {
		k.arrivals = append(k.arrivals, arrival{id, sleep})
	}
}

// Report adds a finding at the state being expanded. The search keeps one finding per key.
func (k *Sink) Report(key string) {
	f := Finding{Key: key, State: k.parent, Depth: k.depth, bytes: k.state}
	for i := range k.findings {
		if k.findings[i].Key == key {
			if f.before(&k.findings[i]) {
				k.findings[i] = f
			}
			return
		}
	}
	k.findings = append(k.findings, f)
}

// Depth returns the distance of the state being expanded from an initial one, in steps.
func (k *Sink) Depth() int { return k.depth }

// Fail ends the search: a successor could not be computed.
func (k *Sink) Fail(err error) { k.err = err }

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

// batch is how many states a worker takes at a time, and expands between two checks of the limits.
const batch = 128

// Work is counted in transitions and in the size of states: states of many threads take longer.
const (
	unit           = 128
	transitionWork = 64 // of a transition, beside the bytes of the state it leads to
)

type run struct {
	p        Problem
	budget   *budget.Budget
	v        *visited
	workers  []Worker
	sinks    []*Sink
	stop     atomic.Uint32
	expanded atomic.Int64
	depth    atomic.Int64
	jobs     []job
	tasks    []task
	nextJob  atomic.Int64
	nextTask atomic.Int64
}

// task is a state that has to be expanded again.
type task struct {
	id   ID
	only uint32
}

// job is the part of a level in one chunk.
type job struct {
	shard  int
	chunk  []byte
	offset uint64
	end    uint64
}

// Run searches until everything is expanded, something is found or a limit is
// reached.
func Run(ctx context.Context, p Problem) *Result {
	r := &run{p: p, v: newVisited(p.Sleeps), budget: budget.Of(ctx)}
	for range max(1, p.Workers) {
		r.workers = append(r.workers, p.Worker())
		r.sinks = append(r.sinks, &Sink{v: r.v, parent: noParent})
	}
	stopWatching := r.watch(ctx)
	defer stopWatching()

	r.workers[0].Start(r.sinks[0])
	var from [shards]mark
	for {
		to, n := r.level(&from)
		if n == 0 || r.done() {
			break
		}
		if r.p.States > 0 && r.v.states() > r.p.States {
			r.stop.CompareAndSwap(0, uint32(OutOfStates))
			break
		}
		r.v.level = to
		r.expandLevel(ctx, n)
		from = to
		r.depth.Add(1)
	}
	return r.result()
}

// done reports whether the search should not begin another level.
func (r *run) done() bool {
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
func (r *run) watch(ctx context.Context) func() {
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

// level makes jobs of the states added since the marks, and counts about how many there are. It
// runs while no worker runs.
func (r *run) level(from *[shards]mark) (to [shards]mark, n int64) {
	r.jobs = r.jobs[:0]
	r.nextJob.Store(0)
	r.again()
	for i := range r.v.shards {
		sh := &r.v.shards[i]
		to[i] = sh.end()
		for c := from[i].chunk; c < len(sh.chunks); c++ {
			start := 0
			if c == from[i].chunk {
				start = from[i].len
			}
			if end := len(sh.chunks[c]); start < end {
				base := uint64(c) << chunkBits
				r.jobs = append(r.jobs, job{shard: i, chunk: sh.chunks[c], offset: base | uint64(start), end: base + uint64(end)})
			}
		}
	}
	return to, r.v.states() - r.expanded.Load() + int64(len(r.tasks))
}

// again turns the arrivals of the last level into tasks. The sleep sets in the end, and so the
// steps that are explored again, do not depend on the order of arrivals.
func (r *run) again() {
	r.tasks = r.tasks[:0]
	r.nextTask.Store(0)
	only := map[ID]uint32{}
	for _, k := range r.sinks {
		for _, a := range k.arrivals {
			if missing := r.v.wake(a.id, a.sleep); missing != 0 {
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

func (r *run) expandLevel(ctx context.Context, n int64) {
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
func (r *run) work(ctx context.Context, w int) {
	worker, sink, depth := r.workers[w], r.sinks[w], int(r.depth.Load())
	var sleeper Sleeper
	if r.p.Sleeps {
		sleeper = worker.(Sleeper)
	}
	for {
		j := r.nextJob.Add(1) - 1
		if j >= int64(len(r.jobs)) {
			break
		}
		job := &r.jobs[j]
		n := int64(0)
		for offset := job.offset; offset < job.end; {
			state, _, next := r.v.read(job.chunk, offset)
			sink.depth = depth
			sink.parent, sink.state = makeID(job.shard, offset), state
			if sleeper != nil {
				sleeper.ExpandAwake(state, binary.LittleEndian.Uint32(job.chunk[offset&(1<<chunkBits-1)+parentSize:]), 0, sink)
			} else {
				worker.Expand(state, sink)
			}
			offset = next
			if n++; n%batch == 0 {
				r.expanded.Add(batch)
				if sink.err != nil || r.interrupted(ctx, sink) {
					return
				}
			}
		}
		r.expanded.Add(n % batch)
		if sink.err != nil || r.interrupted(ctx, sink) {
			return
		}
	}
	for {
		j := r.nextTask.Add(1) - 1
		if j >= int64(len(r.tasks)) || sink.err != nil || j%batch == 0 && r.interrupted(ctx, sink) {
			return
		}
		state, sleep := r.v.stateAt(r.tasks[j].id)
		sink.depth, sink.parent, sink.state = depth, r.tasks[j].id, state
		sleeper.ExpandAwake(state, sleep, r.tasks[j].only, sink)
	}
}

// interrupted counts what a worker has done as work, and reports whether a limit was reached.
func (r *run) interrupted(ctx context.Context, k *Sink) bool {
	if r.p.Memory != nil {
		if limit := r.p.Memory(); limit > 0 && r.used() > limit {
			r.stop.CompareAndSwap(0, uint32(OutOfMemory))
		}
	}
	n := k.work / unit
	k.work -= n * unit
	if r.budget.Spend(ctx, n) != nil {
		r.stop.CompareAndSwap(0, uint32(OutOfTime))
	}
	return r.stop.Load() != 0
}

// used returns the bytes stored.
func (r *run) used() int64 {
	n := r.v.bytes.Load()
	if r.p.Used != nil {
		n += r.p.Used.Load()
	}
	return n
}

func (r *run) result() *Result {
	out := &Result{
		Stop: Stop(r.stop.Load()), States: r.v.states(), Depth: int(r.depth.Load()), Bytes: r.used(), v: r.v,
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
