package rf

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// An exploration in parts. A graph and what can become of it depend on nothing else, so a graph that is still to be
// visited, written down, is a task: any process that has the program can do it, at any time. What all tasks find, added
// up, equals the findings of one run, since every class is found below exactly one of them.
//
// A portion is the exploration of some tasks up to a limit. At the limit the recursion does not stop: it returns level
// by level as always, and every graph that it would visit on the way is put off instead, as a task for later. A
// graph that was put off has not been counted, and one that was counted is not put off, so nothing is
// lost or counted twice wherever the limit falls.
//
// The partition of memory into cells belongs to the whole exploration. It is part of every task, and of what is found.
// An access that splits a cell makes everything void that was found with the coarser partition, and so
// do portions whose partitions do not fit together: Found.Torn.

// Parts is an exploration that is done in parts. Its methods can be called at the same time.
type Parts struct {
	job      *job
	y        *memory.System
	identity [32]byte
}

// NewParts returns an exploration of a task. Tasks of explorations with other identities are refused.
func NewParts(task *engine.Task, identity [32]byte) (*Parts, error) {
	if err := supports(task); err != nil {
		return nil, err
	}
	j := prepare(&job{Task: task})
	return &Parts{job: j, y: newSystem(j.Task), identity: identity}, nil
}

// Limit is when a portion ends. Zero fields are no limits. The end of the context is a limit, too.
type Limit struct {
	Graphs     int64 // visited
	Executions int64
	Time       time.Duration
	Workers    int // that explore at the same time; 0: one
	// Before, if not nil, has the findings of earlier portions, for reports of progress.
	Before *Found
}

// portion is the limit of a portion, and whether it is reached.
type portion struct {
	graphs     int64
	executions int64
	visited    atomic.Int64
	over       atomic.Bool
	before     Found
}

// putOff puts the graph, which is about to be visited, off if the limit of the portion is reached.
func putOff(x *explorer) bool {
	if x.pool == nil || x.pool.portion == nil {
		return false
	}
	p := x.pool.portion
	switch {
	case p.over.Load():
	case p.graphs > 0 && p.visited.Add(1) > p.graphs,
		p.executions > 0 && x.out.counts.All() >= max(1, p.executions/int64(x.pool.workers)):
		p.over.Store(true)
	default:
		return false
	}
	x.left = append(x.left, appendGraph(nil, &branch{g: x.g, width: x.width}))
	return true
}

// Root returns the task of the whole exploration, with a partition that is known to be needed; nil at first.
func (p *Parts) Root(cells []Span) []byte {
	list := make([]span, 0, len(cells))
	for _, s := range cells {
		list = append(list, span{s.Addr, s.Size})
	}
	body := appendGraph(nil, &branch{g: newGraph(p.y.Threads()), width: 1})
	return p.seal([32]byte{}, list, body)
}

// ErrTask says that a task is damaged, or belongs to another exploration.
var ErrTask = errors.New("not a task of this exploration")

// Explore explores a portion of some tasks. It returns what it has found, and the tasks that are left. With one
// worker and a limit of graphs or executions both depend on the tasks only.
//
// If what was found is stopped or torn, no task is left.
func (p *Parts) Explore(ctx context.Context, tasks [][]byte, limit Limit) (found *Found, left [][]byte, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("engine rf under %s: %v\n%s", p.job.Model, broken, debug.Stack())
		}
	}()
	if limit.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit.Time)
		defer cancel()
	}
	cs := newCells()
	pool := newPool(max(1, limit.Workers))
	pool.portion = &portion{graphs: limit.Graphs, executions: limit.Executions}
	if limit.Before != nil {
		pool.portion.before = *limit.Before
	}
	origin := sha256.New()
	for _, data := range slices.Backward(tasks) { // a pool gives the last one first
		b, whole, err := p.open(data, cs)
		if err != nil {
			return nil, nil, err
		}
		if !whole {
			cs.torn.Store(true)
		}
		pool.graphs = append(pool.graphs, b)
		origin.Write(data[len(data)-sha256.Size:])
	}
	if cs.split() {
		return &Found{Cells: cs.sorted(), Torn: true}, nil, nil
	}
	all := make([]*exploration, pool.workers)
	limits := *p.job.Task
	limits.Limits.Workers = pool.workers
	for i := range all {
		all[i] = newExploration(ctx, &job{Task: &limits, Options: p.job.Options, loops: p.job.loops, readless: p.job.readless}, p.y, cs)
		all[i].pool, all[i].number = pool, i
	}
	engine.Together(len(all), func(i int) { all[i].work() }, pool.stop)
	if cs.split() {
		return &Found{Cells: cs.sorted(), Torn: true}, nil, nil
	}
	found = &Found{}
	var bodies [][]byte
	for _, x := range all {
		if x.noPart {
			return nil, nil, fmt.Errorf("%w: no execution has the operations", ErrTask)
		}
		found.Add(x.found())
		bodies = append(bodies, x.left...)
	}
	found.Cells = cs.sorted()
	if found.Stopped {
		return found, nil, nil
	}
	for _, b := range slices.Backward(pool.graphs) {
		bodies = append(bodies, appendGraph(nil, &b))
	}
	for i, body := range bodies {
		left = append(left, p.seal(originOf(origin.Sum(nil), i), cs.spans(), body))
	}
	return found, left, nil
}

// Outcome returns the outcome of an exploration: everything that was found.
func (p *Parts) Outcome(f *Found) (*engine.Outcome, error) {
	if f.Torn {
		return nil, errors.New("the parts of the exploration do not fit together")
	}
	out := &engine.Outcome{Unknown: f.Unknown}
	for i := range f.Violations {
		out.Violations = append(out.Violations, f.Violations[i].Violation)
	}
	if !p.job.KeepGoing && len(out.Violations) > 1 {
		out.Violations = out.Violations[:1]
	}
	return out, f.outcome(p.y, out)
}

// Split divides a task into at least n tasks, unless it has fewer: it expands the task that is expected to be the
// largest part of the exploration again and again. The result depends on the task and n only.
func (p *Parts) Split(ctx context.Context, task []byte, n int) (*Found, [][]byte, error) {
	found, tasks := &Found{}, [][]byte{task}
	for len(tasks) > 0 && len(tasks) < n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		largest, width := 0, -1.0
		for i, t := range tasks {
			if w := widthOf(t); w > width {
				largest, width = i, w
			}
		}
		more, left, err := p.Explore(ctx, tasks[largest:largest+1], Limit{Graphs: 1})
		if err != nil {
			return nil, nil, err
		}
		if found.Add(more); found.Torn || found.Stopped {
			return found, nil, nil
		}
		tasks = slices.Replace(tasks, largest, largest+1, left...)
	}
	return found, tasks, nil
}
