package smc

import (
	"sync"
	"sync/atomic"
)

// Several workers on one exploration, with the counts of one.
//
// Each worker has an execution of its own, and explores depth first as one alone does. When
// another has nothing to do, it gives away branches at the node nearest to the root that has
// some left: this node and those above it become shared. A shared node has its branches in a row, in the order in
// which they were found; they are taken from the left. A branch's sleep set is made of what
// the node inherited and of all branches to the left of it, whether explored or not, which is what it would be in
// an exploration by one.
//
// What is different is when reversals arrive. Somebody alone has explored all that is left of a branch before
// the branch is begun, so whatever the left part demands is in the wakeup tree by then. Here
// the left part may find a sequence v that belongs into a branch that has been taken, or even
// finished: its sleep set was made as if the left part were done, and without v it may have missed
// executions. So v is led along taken branches as along others, in the part of them that a wakeup tree
// led through, and makes a new branch where it leaves it; a node that was finished is then open again. At a
// leaf of that tree nothing sleeps any more (wakeup.go), the exploration behind it is complete
// by itself, and v has nothing new. A branch to the left of the finder's own covers v, as it covers it for one worker.
//
// So at the end the branches of a node are such that none is a weak initial of one to the right of it,
// nothing sleeps at leaves, and every reversal has been inserted or is covered: just what the
// correctness and the optimality of one worker rest on [AAJS17 §6]. There is one execution per trace, whoever explores it.
//
// Differs from the paper, which has one worker.

// shared is a node of the exploration that all workers know.
type shared struct {
	parent *shared
	index  int // among the branches of the parent
	// leaf: no wakeup tree led on from here. What is found outside stays outside.
	leaf bool

	mu       sync.Mutex
	ev       *event // that leads here; guarded by the parent's mu, and replaced when it is performed
	children []*shared
	taken    int // branches from the left that workers have taken

	// Guarded by world.mu.
	open bool // taken
	busy int  // branches that are not complete
}

// world is what the workers of one exploration share. Locks are taken in the order of
// shared.mu from the root down, world.mu.
type world struct {
	workers int
	root    *shared
	hungry  atomic.Bool // somebody waits, and there is nothing to take
	over    atomic.Bool
	eager   bool // for tests: everything is shared at once

	mu      sync.Mutex
	wake    *sync.Cond
	idle    int
	pending int // branches to be taken
	queue   []*shared

	procsMu sync.Mutex
	procs   []process

	visitMu sync.Mutex
	counted []atomic.Int64 // executions, per worker
}

func newWorld(workers int) *world {
	w := &world{workers: workers, root: &shared{leaf: true, open: true}, counted: make([]atomic.Int64, workers)}
	w.wake = sync.NewCond(&w.mu)
	return w
}

// number is the number of a process that all workers use for it.
func (w *world) number(p process) int {
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

// known is the processes from number n on.
func (w *world) known(n int) []process {
	w.procsMu.Lock()
	defer w.procsMu.Unlock()
	return w.procs[min(n, len(w.procs)):]
}

// stop ends the exploration for all.
func (w *world) stop() {
	w.over.Store(true)
	w.mu.Lock()
	w.wake.Broadcast()
	w.mu.Unlock()
}

// next waits for a node with something to take; nil: everything has been explored.
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

// offer counts n new branches of an open node. The caller holds w.mu.
func (w *world) offer(s *shared, n int) {
	w.pending += n
	for range n {
		w.queue = append(w.queue, s)
	}
	w.hungry.Store(false)
	w.wake.Broadcast()
}

// complete notes that a branch has been explored, and with it perhaps nodes above. What
// hangs below a leaf is not needed any more then.
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

// work explores until there is nothing left for this worker or any other.
func (x *explorer) work(first bool) {
	x.start()
	x.nodes[0].sh = x.world.root
	if first {
		x.explore()
	}
	for !x.stopped {
		s := x.world.next()
		if s == nil {
			return
		}
		x.goTo(s)
		x.explore()
	}
	x.world.stop()
}

// left is how many branches are to be taken from a node.
func (s *shared) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.children) - s.taken
}

// learn takes over the processes that others have met.
func (x *explorer) learn() {
	for _, p := range x.world.known(len(x.procs)) {
		x.newProcess(p)
	}
}

// goTo leads the execution from the root to a shared node.
func (x *explorer) goTo(s *shared) {
	var way []*shared
	for ; s.parent != nil; s = s.parent {
		way = append(way, s)
	}
	x.learn()
	x.forward(0)
	for d, events := 0, x.out.events; ; d++ {
		n := &x.nodes[d]
		n.shared, n.fresh, n.wut = true, false, nil
		n.sleep, n.have = n.sleep[:n.inherit], 0
		if d == len(way) {
			x.out.events = events
			return
		}
		to := way[len(way)-1-d]
		n.sh.mu.Lock()
		if to.index >= len(n.sh.children) { // others have finished it in the meantime
			n.sh.mu.Unlock()
			x.out.events = events
			return
		}
		x.sleepUpTo(n, to.index)
		e := to.ev
		n.sh.mu.Unlock()
		x.extend(e.proc, e.label, nil)
		x.nodes[d+1].sh = to
	}
}

// sleepUpTo makes branch k the one that is explored: those before it sleep. The caller
// holds the lock of the shared node.
func (x *explorer) sleepUpTo(n *node, k int) {
	for ; n.have < k; n.have++ {
		n.sleep = append(n.sleep, *n.sh.children[n.have].ev)
	}
	n.cur = k
}

// take goes on with the next branch of the shared node that the execution ends at, if there is one.
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
	if s.taken >= len(s.children) {
		return nil
	}
	x.learn()
	x.forward(d)
	c := s.children[s.taken]
	x.sleepUpTo(n, s.taken)
	s.taken++
	c.mu.Lock()
	w.mu.Lock()
	w.pending--
	if !c.leaf {
		c.open, c.busy = true, len(c.children)
		w.offer(c, c.busy)
	}
	w.hungry.Store(w.idle > 0 && w.pending == 0)
	w.mu.Unlock()
	c.mu.Unlock()
	x.extend(c.ev.proc, c.ev.label, nil)
	done := x.ev[d]
	c.ev = &done
	return c
}

// insertShared leads v along the branches of a shared node from number from on.
func (x *explorer) insertShared(s *shared, from int, v *sequence) {
	for ; s != nil; from = 0 {
		s = x.insertAt(s, from, v)
	}
}

// insertAt leads v to the next node, nil if that was all.
func (x *explorer) insertAt(s *shared, from int, v *sequence) *shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.children[min(from, len(s.children)):] {
		k := x.weakInitial(c.ev, v)
		if k == notInitial {
			x.passed = append(x.passed, c.ev)
			continue
		}
		if k >= 0 {
			v.items[k].gone = true
		}
		x.moveFront(c.ev, v)
		x.led = append(x.led, ledBy{c.ev, len(x.passed)})
		if c.leaf {
			return nil
		}
		return c
	}
	if b := x.branch(v); b != nil {
		x.addBranch(s, b)
	}
	return nil
}

// addBranch adds a new last branch. The caller holds the lock of the node.
func (x *explorer) addBranch(s *shared, b *tree) {
	s.children = append(s.children, convert(b, s, len(s.children)))
	w := x.world
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

// convert makes shared nodes of a wakeup tree.
func convert(t *tree, parent *shared, index int) *shared {
	s := &shared{parent: parent, index: index, ev: &t.ev, leaf: len(t.children) == 0}
	for i, c := range t.children {
		s.children = append(s.children, convert(c, s, i))
	}
	return s
}

// share makes the nodes up to the first that has a branch left shared.
func (x *explorer) share() {
	for d := range x.ev {
		if !x.nodes[d].shared && len(x.nodes[d].wut) > 0 {
			for k := range d + 1 {
				if !x.nodes[k].shared {
					x.publish(k)
				}
			}
			return
		}
	}
}

// publish makes node d of the execution shared. All to the left of its present branch
// is done.
func (x *explorer) publish(d int) {
	n := &x.nodes[d]
	s := n.sh
	s.mu.Lock()
	defer s.mu.Unlock()
	stub := func(e event) *shared {
		c := &shared{parent: s, index: len(s.children), ev: &e, leaf: true}
		s.children = append(s.children, c)
		return c
	}
	for _, e := range n.sleep[n.inherit:] {
		stub(e)
	}
	n.cur = len(s.children)
	n.have = n.cur
	x.nodes[d+1].sh = stub(x.ev[d])
	s.taken = len(s.children)
	for _, b := range n.wut {
		s.children = append(s.children, convert(b, s, len(s.children)))
	}
	n.wut, n.shared, n.fresh = nil, true, false
	w := x.world
	w.mu.Lock()
	s.open, s.busy = true, len(s.children)-n.cur
	if k := s.busy - 1; k > 0 {
		w.offer(s, k)
	}
	w.mu.Unlock()
}
