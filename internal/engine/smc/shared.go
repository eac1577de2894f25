package smc

import (
	"fencepost/internal/machine"
	"sync"
	"sync/atomic"
)

// Several workers on one exploration, with the counts of a single worker.
//
// Each worker has its own execution and explores depth first. When another worker has nothing to
// do, a worker shares the branches of the node nearest to the root that has branches left: this
// node and the nodes above it become shared. The branches of a shared node are in a list, in the
// order in which they were found, and workers take them from the left. The sleep set of a branch
// consists of the events that the node inherited and of all branches to its left, explored or not.
// It is the sleep set that the branch has with a single worker.
//
// The difference is when reversals arrive. A single worker has explored all branches to the left of
// a branch before it begins the branch. So every sequence that their reversals demand is in the
// wakeup tree by then. With several workers, a reversal in a branch to the left may demand a
// sequence v that belongs into a branch which another worker has already taken or finished. The
// sleep set of that branch assumes that the branches to its left are complete, so without v
// executions may be missing. Therefore v is led along taken branches like along others, as far as
// these consist of wakeup tree nodes, and becomes a new branch where no child is a weak initial. A
// finished node is open again then. Nothing sleeps at a leaf of a wakeup tree (wakeup.go). So the
// exploration after a leaf is complete by itself, and v has nothing to add there.
//
// A branch to the left of the branch in which v was found may have a weak initial of v. Then v is
// covered by that branch, exactly as it is with a single worker, because that branch will
// be complete in the end. That is why a worker compares v with the sleep set first, and leads it
// only along branches to the right of the one it is exploring.
//
// In the end the branches of every node have these properties: no branch is a weak initial of one
// to its right, nothing sleeps at a leaf, and every reversal is in the tree or covered. Correctness
// and optimality for one worker rest on just these [AAJS17 §6]. So there is one execution per
// trace, whatever worker explores it.
//
// Differs from the paper, which has one worker.

// shared is a node of the exploration that all workers use.
type shared struct {
	parent *shared
	index  int32 // among the branches of the parent
	// leaf: the wakeup tree ended here. Sequences from reversals before this node are not led
	// further.
	leaf bool

	// Guarded by world.mu.
	open bool  // a worker has taken it
	busy int32 // branches that are not complete

	mu sync.Mutex
	// ev is the event that leads here. It is guarded by the parent's mu. If it turns out to be another one when it is
	// performed, it is replaced and not changed: others may look at it.
	ev       *event
	taken    int32 // how many branches, from the left, workers have taken
	children []*shared
	rest     *branch // the branches, as long as children does not have them
}

// world has what the workers of one exploration share. Locks are taken in this order: shared.mu
// from the root down, then world.mu.
type world struct {
	workers int
	root    *shared
	hungry  atomic.Bool // a worker waits, and there is no branch to take
	over    atomic.Bool
	eager   bool // for tests: branches are shared as soon as they exist

	mu      sync.Mutex
	wake    *sync.Cond
	idle    int
	pending int // branches to be taken
	queue   []*shared

	procsMu sync.Mutex
	procs   []machine.Process

	visitMu sync.Mutex
	counted []atomic.Int64 // executions, per worker
}

func newWorld(workers int) *world {
	w := &world{workers: workers, root: &shared{leaf: true, open: true}, counted: make([]atomic.Int64, workers)}
	w.wake = sync.NewCond(&w.mu)
	return w
}

// number returns the number that all workers use for a process.
func (w *world) number(p machine.Process) int {
	w.procsMu.Lock()
	defer w.procsMu.Unlock()
	for i := range w.procs {
		if w.procs[i] == p {
			return i
		}
	}
	w.procs = append(w.procs, p)
	return len(w.procs) - 1
}

// known returns the processes from number n on.
func (w *world) known(n int) []machine.Process {
	w.procsMu.Lock()
	defer w.procsMu.Unlock()
	return w.procs[min(n, len(w.procs)):]
}

// stop ends the exploration for all workers.
// learn adds the processes that other workers have met.
func (w *world) learn(ps *processes) {
	for _, p := range w.known(len(ps.List)) {
		ps.Grow(p)
	}
}

func (w *world) stop() {
	w.over.Store(true)
	w.mu.Lock()
	w.wake.Broadcast()
	w.mu.Unlock()
}

// next waits for a node with a branch to take. It returns nil if everything has been explored.
func (w *world) next() *shared {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle++
	defer func() { w.idle--; w.hungry.Store(w.idle > 0 && w.pending == 0) }()
	for {
		if w.over.Load() || w.pending == 0 && w.idle == w.workers {
			w.over.Store(true)
			w.wake.Broadcast()
			return nil
		}
		for w.pending > 0 && len(w.queue) > 0 {
			s := w.queue[0]
			w.queue = w.queue[1:]
			if s.busy > 0 {
				return s
			}
		}
		w.hungry.Store(w.pending == 0)
		w.wake.Wait()
	}
}

// offer makes n new branches of an open node available. The caller holds w.mu.
func (w *world) offer(s *shared, n int) {
	w.pending += n
	for range n {
		w.queue = append(w.queue, s)
	}
	w.hungry.Store(false)
	w.wake.Broadcast()
}

// complete notes that a branch has been explored, and with it perhaps nodes above it. The nodes
// below a leaf are dropped then: no sequence from outside is led there.
func (w *world) complete(s *shared) {
	var gone []*shared
	w.mu.Lock()
	for p := s.parent; p != nil; p = p.parent {
		if p.busy--; p.busy > 0 {
			break
		}
		if p.leaf {
			gone = append(gone, p)
		}
	}
	w.mu.Unlock()
	for _, p := range gone {
		p.mu.Lock()
		p.children, p.taken = nil, 0
		p.mu.Unlock()
	}
}

// work explores until nothing is left for any worker.
func (x *explorer) work(first bool) {
	x.start()
	x.nodes[0].sh = x.world.root
	if first {
		x.explore()
	}
	for !x.out.Stopped {
		s := x.world.next()
		if s == nil {
			return
		}
		x.goTo(s)
		x.explore()
	}
	x.world.stop()
}

// left returns how many branches of a node have not been taken.
func (s *shared) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfold()
	return len(s.children) - int(s.taken)
}

// unfold makes shared nodes of the branches of a node. The caller holds its lock.
func (s *shared) unfold() {
	for b := s.rest; b != nil; b = b.next {
		s.children = append(s.children, convert(b.tree, s, int32(len(s.children))))
	}
	s.rest = nil
}

// goTo extends the execution from the root to a shared node.
func (x *explorer) goTo(s *shared) {
	var way []*shared
	for ; s.parent != nil; s = s.parent {
		way = append(way, s)
	}
	x.world.learn(x.run.Procs)
	x.forward(0)
	for d, events := 0, x.out.counts.events; ; d++ {
		n := &x.nodes[d]
		n.shared, n.fresh, n.wut = true, false, branches{}
		n.sleep, n.have = n.sleep[:n.inherit], 0
		if d == len(way) {
			x.out.counts.events = events
			return
		}
		to := way[len(way)-1-d]
		n.sh.mu.Lock()
		if int(to.index) >= len(n.sh.children) { // it was finished in the meantime
			n.sh.mu.Unlock()
			x.out.counts.events = events
			return
		}
		x.sleepUpTo(n, int(to.index))
		e := to.ev
		n.sh.mu.Unlock()
		x.extend(e.Proc, e.Label, branches{})
		x.nodes[d+1].sh = to
	}
}

// sleepUpTo makes branch k the one that is explored: the branches before it sleep. The caller
// holds the lock of the shared node.
func (x *explorer) sleepUpTo(n *node, k int) {
	for ; n.have < k; n.have++ {
		n.sleep = append(n.sleep, *n.sh.children[n.have].ev)
	}
	n.cur = k
}

// take extends the execution, which ends at the shared node d, by the next branch of that node. It
// returns false if there is none.
func (x *explorer) take(d int) bool {
	c := x.takeFrom(d)
	if c == nil {
		return false
	}
	next := &x.nodes[d+1]
	next.sh, next.shared, next.fresh = c, !c.leaf, c.leaf
	return true
}

func (x *explorer) takeFrom(d int) *shared {
	w, n := x.world, &x.nodes[d]
	s := n.sh
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(s.taken) >= len(s.children) {
		return nil
	}
	x.world.learn(x.run.Procs)
	x.forward(d)
	c := s.children[s.taken]
	x.sleepUpTo(n, int(s.taken))
	s.taken++
	c.mu.Lock()
	w.mu.Lock()
	w.pending--
	if c.unfold(); !c.leaf {
		c.open, c.busy = true, int32(len(c.children))
		w.offer(c, len(c.children))
	}
	w.hungry.Store(w.idle > 0 && w.pending == 0)
	w.mu.Unlock()
	c.mu.Unlock()
	x.extend(c.ev.Proc, c.ev.Label, branches{})
	if done := &x.exec.events[d]; !sameEvent(c.ev, done) {
		e := *done
		c.ev = &e
	}
	return c
}

// sameEvent reports whether two events of a process, with one label, are the same for events that are compared with them.
// Most often an event that is performed is the one that the wakeup tree has, and needs no memory of its own.
func sameEvent(d, e *event) bool {
	return d.Flags == e.Flags && d.Label == e.Label && d.Ord == e.Ord && d.Cancel == e.Cancel && d.Other == e.Other && d.Idx == e.Idx &&
		d.From.Forwarded == e.From.Forwarded && (e.From.Forwarded == 0 || d.From.Table == e.From.Table && d.From.One == e.From.One) && sameAccesses(d, e)
}

// insertShared inserts v below a shared node, whose branches before number from are left out.
func (in *inserter) insertShared(s *shared, from int, v *sequence) {
	for ; s != nil; from = 0 {
		s = in.insertAt(s, from, v)
	}
}

// insertAt leads v to a child of a shared node. It returns nil if v has been inserted or is
// covered.
func (in *inserter) insertAt(s *shared, from int, v *sequence) *shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfold()
	for _, c := range s.children[min(from, len(s.children)):] {
		k := in.weakInitial(c.ev, v)
		if in.tail.clash {
			return nil
		}
		if k == notInitial {
			in.passed = append(in.passed, c.ev)
			continue
		}
		if k >= 0 {
			v.items[k].gone = true
		}
		v.moveToFront(c.ev)
		in.led = append(in.led, ledBy{c.ev, len(in.passed)})
		if c.leaf {
			return nil
		}
		return c
	}
	if b := in.branch(v); b != nil {
		in.world.addBranch(s, b)
	}
	return nil
}

// addBranch adds a new last branch to a node. The caller holds the lock of the node.
func (w *world) addBranch(s *shared, b *tree) {
	s.children = append(s.children, convert(b, s, int32(len(s.children))))
	w.mu.Lock()
	defer w.mu.Unlock()
	if !s.open {
		return
	}
	w.offer(s, 1)
	for p := s; p != nil; p = p.parent {
		if p.busy++; p.busy > 1 {
			break
		}
	}
}

// convert makes a shared node from one of a wakeup tree. The branches below are converted when they are asked for, since
// they may be many equal ones.
func convert(t *tree, parent *shared, index int32) *shared {
	return &shared{parent: parent, index: index, ev: &t.ev, leaf: t.below.n == 0, rest: t.below.first}
}

// share shares the nodes from the root to the first one that has a branch left.
func (x *explorer) share() {
	for d := range x.exec.events {
		if !x.nodes[d].shared && x.nodes[d].wut.n > 0 {
			for k := range d + 1 {
				if !x.nodes[k].shared {
					x.publish(k)
				}
			}
			return
		}
	}
}

// publish makes node d of the path shared. The branches before the one that is being explored are
// complete.
func (x *explorer) publish(d int) {
	n := &x.nodes[d]
	s := n.sh
	s.mu.Lock()
	defer s.mu.Unlock()
	stub := func(e event) *shared {
		c := &shared{parent: s, index: int32(len(s.children)), ev: &e, leaf: true}
		s.children = append(s.children, c)
		return c
	}
	for _, e := range n.sleep[n.inherit:] {
		stub(e)
	}
	n.cur = len(s.children)
	n.have = n.cur
	x.nodes[d+1].sh = stub(x.exec.events[d])
	s.taken = int32(len(s.children))
	for n.wut.n > 0 {
		t := x.tree.freeze(x.tree.pop(&n.wut))
		x.tree.lend(t)
		s.children = append(s.children, convert(t, s, int32(len(s.children))))
	}
	n.wut, n.shared, n.fresh = branches{}, true, false
	w := x.world
	w.mu.Lock()
	s.open, s.busy = true, int32(len(s.children)-n.cur)
	if k := int(s.busy) - 1; k > 0 {
		w.offer(s, k)
	}
	w.mu.Unlock()
}
