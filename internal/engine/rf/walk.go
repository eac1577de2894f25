package rf

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/query"
	"fencepost/verdict"
)

// Walks: random executions of c11 instead of all classes, for programs that are too large.
//
// A walk goes down one branch of the exploration: a random thread goes on, a read gets a random source with which the
// graph is consistent, and no write is given to an earlier read. So every graph of a walk is one of c11. A part of a
// consistent graph that is closed under porf is consistent, so every graph can be built in an order that porf respects:
// no execution is out of reach.
//
// Threads have random priorities, which change at a few moments [BKMN10], as in engine fuzz. How often a read has
// another source than the last write is drawn for each walk. A thread that would wait goes on later, when another
// source lets it, or waits in the end.

// Walk asks for random executions. The zero value of Options asks for all classes.
type Walk struct {
	Seed  uint64 // of the first walk; the next has the next
	Runs  int64  // 0: until the time is over
	Depth int    // changes of priority in a walk, at most
}

const (
	pilots      = 3       // walks that show how long walks are, and into which cells memory is divided; they do not count
	longestWalk = 1 << 12 // operations; then a walk is cut off
	walking     = 4       // one walk in so many draws the priorities of threads again and again
	turning     = 3       // at one operation in so many
)

// walk is the choices of the present walk. It is one worker's own.
type walk struct {
	rng     *rand.Rand
	source  *rand.PCG
	order   []int // threads, the one with the highest priority first
	moments []int // when priorities change, in operations, the last first
	random  bool  // priorities are drawn again and again
	stale   int   // of 8 reads, how many try all sources in a random order

	operations int
	moved      bool // an operation was added by the last attempt
	waits      bool // nothing else can be added, so threads wait
	cut        bool // the walk was too long

	thread  int // that was tried last
	before  int // the thread that added the operation before
	point   int // where that stood, if it could have gone on, else -1
	reached []bool
	ahead   []bool // points before which another thread went on
	first   []int  // by thread: the point of its first location
}

func newWalk(y *memory.System) *walk {
	source := rand.NewPCG(0, 0)
	w := &walk{rng: rand.New(source), source: source}
	n := 0
	for t := range y.Threads() {
		w.order, w.first = append(w.order, t), append(w.first, n)
		n += len(y.Prog.ThreadFunc(ir.ThreadID(t)).Locs)
	}
	w.reached, w.ahead = make([]bool, n), make([]bool, n)
	return w
}

// note notes the point of the thread that has added the last operation, and whether another thread went on before it.
func (w *walk) note(x *explorer, seq []node) {
	if w.point >= 0 && w.thread != w.before {
		w.ahead[w.point] = true
	}
	t := w.thread
	if w.before, w.point = t, -1; t < 0 {
		return
	}
	x.run.seek(x.g, seq)
	if o := x.g.last(t); o.complete() && len(x.run.alternatives(t, o.waits)) > 0 {
		w.point = w.first[t] + int(x.run.m.State.PC(ir.ThreadID(t)))
		w.reached[w.point] = true
	}
}

// begin draws the choices of a walk.
func (w *walk) begin(seed uint64, depth, length int) {
	w.source.Seed(seed, 0x66656e6365706f73)
	slices.Sort(w.order)
	w.shuffle()
	w.moments, w.operations, w.waits, w.cut = w.moments[:0], 0, false, false
	w.thread, w.before, w.point = -1, -1, -1
	if w.random = seed%walking == 0; depth > 0 && !w.random {
		for range w.rng.IntN(depth + 1) {
			w.moments = append(w.moments, w.rng.IntN(length))
		}
		slices.SortFunc(w.moments, func(a, b int) int { return b - a })
	}
	w.stale = [...]int{1, 2, 4, 8}[w.rng.IntN(4)]
}

func (w *walk) shuffle() {
	w.rng.Shuffle(len(w.order), func(i, j int) { w.order[i], w.order[j] = w.order[j], w.order[i] })
}

// schedule changes priorities before an operation. The thread with the highest one is the one that would go on.
func (w *walk) schedule() {
	if w.random && w.rng.IntN(turning) == 0 {
		w.shuffle()
	}
	for n := len(w.moments); n > 0 && w.operations >= w.moments[n-1]; n = len(w.moments) {
		w.moments = w.moments[:n-1]
		w.order = append(w.order[1:], w.order[0])
	}
}

// extend adds to the graph of a walk.
func (w *walk) extend(x *explorer, seq []node) {
	w.operations++
	if w.operations > longestWalk {
		w.cut = true
		return
	}
	for t := range x.g.threads {
		if o := x.g.last(t); o != nil && !o.complete() && !x.joining(o) {
			x.resume(t, seq)
			return
		}
	}
	w.note(x, seq)
	w.schedule()
	for _, w.waits = range []bool{false, true} {
		for _, t := range slices.Clone(w.order) {
			if x.stopped() {
				return
			}
			w.moved, w.thread = false, t
			w.goOn(x, t, seq)
			if w.moved {
				return
			}
		}
	}
	w.waits = false
	if !x.stopped() {
		x.run.seek(x.g, seq)
		x.leaf(seq)
	}
}

// goOn lets a thread go on, if it can.
func (w *walk) goOn(x *explorer, t int, seq []node) {
	x.run.seek(x.g, seq)
	o := x.g.last(t)
	if o != nil && !o.complete() {
		if x.run.thread(int(o.join) - 1).Ended() {
			x.joinEnded(t, seq)
		}
		return
	}
	if alts := x.run.alternatives(t, o != nil && o.waits); len(alts) > 0 {
		w.rng.Shuffle(len(alts), func(i, j int) { alts[i], alts[j] = alts[j], alts[i] })
		x.begin(t, alts, seq)
	}
}

// delays reports whether an operation that is known by now waits in vain, and is left for later.
func (w *walk) delays(x *explorer, t int, o *op) bool {
	return w != nil && !w.waits && (o.waits || x.run.m.Threads.Now[t].Stop == machine.Refused)
}

// over reports whether the rest of a list of alternatives is not needed.
func (w *walk) over() bool { return w != nil && w.moved }

// sources orders the sources of a read: the last write first, or all in a random order.
func (w *walk) sources(list []ref, now ref) {
	if w == nil {
		return
	}
	w.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if at := slices.Index(list, now); at > 0 && w.rng.IntN(8) >= w.stale {
		list[0], list[at] = list[at], list[0]
	}
}

// walker is the walks of one task.
type walker struct {
	task   *job
	y      *memory.System
	cells  []span // that the pilots have found
	length int
	next   atomic.Int64 // the first walk that no worker has taken
	begun  time.Time

	mu     sync.Mutex
	first  int64 // the walk of the violation with the least seed, -1: none
	found  *engine.Violation
	err    string
	broken any // what a worker panicked with
}

// walkAll walks until a violation is found, or the time or the number of walks is over.
func walkAll(ctx context.Context, task *job, y *memory.System) (*engine.Outcome, error) {
	f := &walker{task: task, y: y, first: -1, begun: time.Now(), length: 1}
	if err := f.measure(ctx); err != nil {
		return nil, err
	}
	workers := make([]*walkWorker, max(1, task.Limits.Workers))
	var wait sync.WaitGroup
	for i := range workers {
		workers[i] = &walkWorker{walker: f, sum: newWalkExploration(ctx, task, y, f.known())}
		wait.Go(func() { workers[i].work(ctx) })
	}
	wait.Wait()
	if f.broken != nil {
		panic(f.broken)
	}
	return f.outcome(ctx, workers)
}

// known returns the cells that the pilots have found: what a walk does depends on them and on its seed only.
func (f *walker) known() *cells {
	cs := newCells()
	for _, s := range f.cells {
		cs.of(s.addr, s.size)
	}
	return cs
}

// measure finds out how many operations walks have, and which cells.
func (f *walker) measure(ctx context.Context) error {
	for i := range uint64(pilots) {
		w := &walkWorker{walker: f}
		x := w.run(ctx, i, 0, 1)
		f.length = max(f.length, x.walk.operations)
		f.cells = x.run.cells.spans()
	}
	return nil
}

// walkWorker is a worker.
type walkWorker struct {
	*walker
	sum        *exploration // with what all walks have found
	last       *exploration // nil: none that can be used again
	steps, cut int64
}

// run does one walk. Where it divides a cell, it is done again with the smaller cells.
func (w *walkWorker) run(ctx context.Context, seed uint64, depth, length int) *exploration {
	x := w.last
	if x == nil {
		x = newWalkExploration(ctx, w.task, w.y, w.known())
	}
	for w.last = nil; ; {
		x.walk.begin(seed, depth, length)
		x.g.stamp, x.mem = 0, nil
		x.run.rewind(0)
		x.visit(nil)
		if !x.run.cells.split() {
			return x
		}
		cs := x.run.cells
		cs.again()
		x = newWalkExploration(ctx, w.task, w.y, cs)
	}
}

func newWalkExploration(ctx context.Context, task *job, y *memory.System, cs *cells) *exploration {
	x := newExploration(ctx, task, y, cs)
	x.walk = newWalk(y)
	ticks := 0
	x.tick = func() {
		if ticks++; ticks%16 == 0 && ctx.Err() != nil {
			x.out.Stopped = true
		}
	}
	x.run.start()
	return x
}

func (w *walkWorker) work(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil { // the pipeline reports it
			w.mu.Lock()
			w.broken = p
			w.mu.Unlock()
		}
	}()
	defer func() {
		if w.last != nil {
			w.keep(w.last)
		}
	}()
	for ctx.Err() == nil {
		i := w.next.Add(1) - 1
		if w.over(i) {
			return
		}
		x := w.run(ctx, w.task.Walk.Seed+uint64(i), w.task.Walk.Depth, w.length)
		if ctx.Err() != nil && len(x.out.Result.Violations) == 0 {
			return // in the middle of a walk
		}
		w.note(i, x)
		if x.stopped() || x.run.cells.count() > len(w.cells) { // another walk would not have divided memory in this way
			w.keep(x)
		} else {
			w.last = x
		}
		if w.task.Progress != nil && i%64 == 0 {
			w.task.Progress(query.Progress{Executions: i, Elapsed: time.Since(w.begun)})
		}
	}
}

func (f *walker) over(i int64) bool {
	if f.task.Walk.Runs > 0 && i >= f.task.Walk.Runs {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err != "" || f.broken != nil || f.first >= 0 && i > f.first
}

// note adds what a walk has found.
func (w *walkWorker) note(i int64, x *exploration) {
	w.steps += int64(len(x.run.m.Steps))
	if x.walk.cut {
		w.cut++
		x.out.counts.Bounded++
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case len(x.out.Result.Violations) > 0: // first of all: where accesses and frees are not ordered, the walk ends there
		if !w.task.KeepGoing && (w.first < 0 || i < w.first) {
			w.first, w.found = i, &x.out.Result.Violations[0]
		}
		x.out.Result.Violations = nil
	case x.run.m.Failure() != nil:
		w.err = x.run.m.Failure().Error()
	case x.run.err != "":
		w.err = refusal + x.run.err
	case x.out.Result.Unknown != "":
		w.err = x.out.Result.Unknown
	}
	w.sum.out.counts.Ends.Add(&x.out.counts.Ends)
	w.sum.out.counts.void += x.out.counts.void
	w.sum.out.counts.graphs += int64(x.walk.operations)
	w.sum.out.counts.depth = max(w.sum.out.counts.depth, x.walk.operations)
	x.out.counts = counts{}
}

// keep adds what the walks of an exploration have reached, which is not used again.
func (w *walkWorker) keep(x *exploration) {
	w.sum.run.m.Merge(&x.run.m)
	for i := range x.walk.reached {
		w.sum.walk.reached[i] = w.sum.walk.reached[i] || x.walk.reached[i]
		w.sum.walk.ahead[i] = w.sum.walk.ahead[i] || x.walk.ahead[i]
	}
}

// outcome says what was found, or how much was tried.
func (f *walker) outcome(ctx context.Context, workers []*walkWorker) (*engine.Outcome, error) {
	sum := workers[0].sum
	fuzz := &verdict.Fuzz{Seed: f.task.Walk.Seed, Depth: f.task.Walk.Depth}
	reached, ahead := sum.walk.reached, sum.walk.ahead
	for i, w := range workers {
		if i > 0 {
			sum.add(w.sum)
		}
		fuzz.Steps, fuzz.Cut = fuzz.Steps+w.steps, fuzz.Cut+w.cut
		for k := range w.sum.walk.reached {
			reached[k], ahead[k] = reached[k] || w.sum.walk.reached[k], ahead[k] || w.sum.walk.ahead[k]
		}
	}
	for k := range reached {
		fuzz.Points += bit(reached[k])
		fuzz.Preempted += bit(ahead[k])
	}
	out := sum.out.Result
	if err := sum.found().outcome(f.y, out); err != nil {
		return nil, err
	}
	walks := sum.out.counts.All() + sum.out.counts.void
	out.Stats.Executions, out.Stats.Fingerprint = walks, ""
	out.Coverage.Exhaustive = false
	out.Stats.Seconds, out.Stats.Fuzz = time.Since(f.begun).Seconds(), fuzz
	switch {
	case f.found != nil:
		fuzz.Found = f.task.Walk.Seed + uint64(f.first)
		out.Violations, out.Warnings = []engine.Violation{*f.found}, nil // of executions that end without a violation
	case f.err != "":
		out.Unknown = f.err
	default:
		out.Unknown = fmt.Sprintf("nothing found in %d executions, and there may be others", walks)
		if errors.Is(ctx.Err(), context.Canceled) {
			out.Unknown = "interrupted: " + out.Unknown
		}
	}
	return out, nil
}
