package rf

import (
	"context"
	"sync"
	"sync/atomic"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// Several workers. A graph and what can become of it depend on nothing else, so a worker that has
// nothing to do gets a graph that another one was about to visit. Nothing else is shared but the
// numbers of cells.

// pool has the graphs that wait for a worker.
type pool struct {
	mu      sync.Mutex
	wake    *sync.Cond
	graphs  []branch
	idle    int // workers that wait
	workers int
	hungry  atomic.Int32 // idle workers for which no graph waits
	over    atomic.Bool
	visitMu sync.Mutex
	counted []atomic.Int64  // per worker: classes so far
	weights []atomic.Uint64 // per worker: what part has been explored, as bits
	portion *portion        // nil: everything is explored
}

// branch is a graph to be explored.
type branch struct {
	g     *graph
	width float64
	// resumes is 1 + the thread to whose last operation a read was just added, and the next part is to be added now; 0:
	// the graph is to be visited.
	resumes int32
}

func newPool(workers int) *pool {
	p := &pool{workers: workers, counted: make([]atomic.Int64, workers), weights: make([]atomic.Uint64, workers)}
	p.wake = sync.NewCond(&p.mu)
	return p
}

// put adds a graph.
func (p *pool) put(b branch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.graphs = append(p.graphs, b)
	p.hungry.Store(int32(p.idle - len(p.graphs)))
	p.wake.Signal()
}

// take waits for a graph. It returns false if everything has been explored.
func (p *pool) take() (branch, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle++
	p.hungry.Store(int32(p.idle - len(p.graphs)))
	for len(p.graphs) == 0 {
		if p.idle == p.workers || p.over.Load() {
			p.over.Store(true)
			p.wake.Broadcast()
			return branch{}, false
		}
		p.wake.Wait()
	}
	if p.portion != nil && p.portion.over.Load() { // the graphs stay for later
		p.wake.Broadcast()
		return branch{}, false
	}
	b := p.graphs[len(p.graphs)-1]
	p.graphs = p.graphs[:len(p.graphs)-1]
	p.idle--
	p.hungry.Store(int32(p.idle - len(p.graphs)))
	return b, true
}

// stop ends the exploration for all workers.
func (p *pool) stop() {
	p.over.Store(true)
	p.mu.Lock()
	p.wake.Broadcast()
	p.mu.Unlock()
}

// share gives the graph to another worker if one has nothing to do. resumes is as in branch.
func (x *explorer) share(resumes int32) bool {
	if x.pool == nil || x.pool.hungry.Load() <= 0 {
		return false
	}
	x.pool.put(branch{x.g.restrict(&cut{}), x.width, resumes})
	return true
}

// together explores with several workers, and returns an exploration that has what all of them found.
func together(ctx context.Context, task *job, y *memory.System, cs *cells) *exploration {
	p := newPool(task.Limits.Workers)
	all := make([]*exploration, p.workers)
	for i := range all {
		all[i] = newExploration(ctx, task, y, cs)
		all[i].pool, all[i].number = p, i
	}
	p.graphs = append(p.graphs, branch{g: newGraph(y.Threads()), width: 1})
	engine.Together(len(all), func(i int) { all[i].work() }, p.stop)
	for _, o := range all[1:] {
		all[0].add(o)
	}
	return all[0]
}

// work explores graphs of the pool until there are none.
func (x *exploration) work() {
	x.run.start()
	for b, ok := x.pool.take(); ok; b, ok = x.pool.take() {
		x.g, x.width = b.g, b.width
		x.g.reindex()
		x.model.leave()
		seq, ok := []node(nil), x.model.enter(x.g)
		if ok {
			seq, ok = x.change(nil)
		}
		if ok {
			enter(&x.explorer, x.adopt(seq), b.resumes)
		} else if x.pool.portion != nil {
			x.noPart = true
			x.pool.stop()
			break
		} else {
			panic("BUG: a graph of another worker has no witness")
		}
		if x.stopped() {
			x.pool.stop()
			break
		}
	}
	x.conclude()
}

// enter explores a graph that another worker, or a task, has given.
func enter(x *explorer, seq []node, resumes int32) {
	if resumes == 0 {
		x.visit(seq)
	} else {
		x.resume(int(resumes)-1, seq)
	}
}

// add adds what another worker found.
func (x *exploration) add(o *exploration) {
	x.out.add(&o.out)
	x.run.m.Merge(&o.run.m)
}
